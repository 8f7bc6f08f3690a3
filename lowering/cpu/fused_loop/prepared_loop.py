"""Time loops as a dispatch on a CPU takes them: with other products and outputs than they had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rnn_compiler.lowering.analysis.products import MatrixProduct
from rnn_compiler.lowering.analysis.time_loop import Columns, LoopOutput, StepProduct, TimeLoop
from rnn_compiler.lowering.analysis.values import (
    defining,
    element,
    ints,
    is_constant,
    kind,
    rank,
    row_number,
    shape,
    splat_of,
    static_shape,
)
from rnn_compiler.lowering.codegen.body import (
    element_type,
)
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.marks import COLUMNS
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

# Products of inputs that steps compute themselves, where memory is scarce.
#
# The products of the inputs of all steps with a matrix, ``x @ w [T, B, N]``, are computed before
# a loop, which is fast for many rows, but they are kept until the last step has read its row.
# Where memory matters more than time, a step of a single row multiplies its own row of ``x``
# instead.


def with_input_products(
    loop: TimeLoop, operands: Sequence[ir.Value], vectors: VectorUnit
) -> tuple[TimeLoop, list[ir.Value]]:
    """A time loop that computes the products of its inputs, and its operands.

    It has the factors of a product as arguments in place of the product, whose rows each step read.
    Both are unchanged if the loop has no such products.
    """
    given = dict(zip(loop.arguments, operands, strict=True))
    found = dict(loop.products)
    for argument, operand in zip(loop.arguments, operands, strict=True):
        factors, rows = _product(operand), _rows(loop, argument)
        if factors is None or not rows:
            continue
        lhs, (weight,) = _in_steps(factors, vectors), factors.rhs
        is_transposed, scale = factors.axis == 1, factors.given.get("scale")
        del given[argument]
        given |= {value: value for value in (lhs, weight, scale) if value is not None}
        found |= {row: StepProduct(row, lhs, weight, is_transposed, scale) for row in rows}
    return replace(loop, arguments=[*given], products=found), [*given.values()]


def _product(operand: ir.Value) -> MatrixProduct | None:
    """The product ``[T, 1, N]`` of an operand, if steps can multiply its factors."""
    made = _reshaped_from(operand)
    product = None if isinstance(made.owner, ir.Block) else MatrixProduct.of(defining(made))
    if product is None or not product.is_plain:
        return None
    steps, *row = shape(operand)
    inner, columns = product.sizes[0]
    is_row = row == [1, columns] and shape(_given_rows(product)) == (steps, 1, inner)
    return product if is_row else None


def _given_rows(product: MatrixProduct) -> ir.Value:
    """The left-hand side of a product before it was reshaped and widened."""
    lhs = product.lhs[0]
    while (before := _reshaped_from(_widened_from(lhs))) != lhs:
        lhs = before
    return lhs


def _in_steps(product: MatrixProduct, vectors: VectorUnit) -> ir.Value:
    """The left-hand side that steps read: widened first if they cannot multiply it as it is."""
    lhs, (weight,), (inner, _) = _given_rows(product), product.rhs, product.sizes[0]
    types = element(lhs), element(weight), product.sums
    of = vectors.format(*types, inner=inner, rows=1).lhs
    if element(lhs) == of:
        return lhs
    type = ir.RankedTensorType.get(ir.RankedTensorType(lhs.type).shape, element_type(of))
    with ir.InsertionPoint(product.op), product.op.location:
        return ir.Operation.create("stablehlo.convert", [type], [lhs]).results[0]


def _reshaped_from(value: ir.Value) -> ir.Value:
    """The value that a reshape reads; other values unchanged."""
    is_reshape = not isinstance(value.owner, ir.Block) and kind(defining(value)) == "reshape"
    return defining(value).operands[0] if is_reshape else value


_SIXTEEN_BITS = ("bf16", "f16")


def _widened_from(value: ir.Value) -> ir.Value:
    """The value of 16 bits that a conversion to a wider type reads; other values unchanged."""
    if isinstance(value.owner, ir.Block) or kind(defining(value)) != "convert":
        return value
    narrow = defining(value).operands[0]
    is_wider = element(narrow) in _SIXTEEN_BITS and element(value) not in _SIXTEEN_BITS
    return narrow if is_wider else value


def _rows(loop: TimeLoop, argument: ir.Value) -> list[ir.Value]:
    """The values of a step that are its row of an argument, if it reads no other rows."""
    if not loop.outputs or loop.start is not None or rank(argument) != 3:
        return []
    slices = [op for op in _readers(argument) if not _is_unread(op)]
    if any(kind(each) != "dynamic_slice" or row_number(each) != loop.time for each in slices):
        return []
    reads = [op for each in slices for op in _readers(each.results[0])]
    return [each.results[0] for each in reads] if all(kind(e) == "reshape" for e in reads) else []


def _readers(value: ir.Value) -> list[ir.Operation]:
    return [use.owner for use in value.uses]


def _is_unread(op: ir.Operation) -> bool:
    """Whether an op's result is never used, even indirectly."""
    return len(op.results) > 0 and all(map(_is_unread, _readers(op.results[0])))


# Outputs of time loops that are inserted into a larger array, such as the output of a layer.
#
# The loop then writes its columns of that array, and has no array of its own.


def with_inserted_outputs(
    loop: TimeLoop, operands: Sequence[ir.Value], results: Sequence[ir.Value]
) -> tuple[TimeLoop, list[ir.Value], list[ir.Value]]:
    """A time loop that writes outputs into the arrays that they are inserted into.

    These arrays are its last arguments. Returns the loop, the operands, and the values that its
    results replace: for such an output, the array that contains it.
    """
    arguments, outputs = [*loop.arguments], [*loop.outputs]
    given, made = [*operands], [*results]
    for number, result in enumerate(results[: len(outputs)]):
        users = [use.owner for use in result.uses]
        if len(users) != 1 or COLUMNS not in users[0].attributes:
            continue
        array, (*_, column) = users[0].operands[1], ints(users[0], "static_offsets")
        outputs[number] = replace(outputs[number], columns=Columns(array, column))
        arguments.append(array)
        given.append(array)
        made[number] = users[0].results[0]
    return replace(loop, arguments=arguments, outputs=outputs), given, made


# Sequences that are one number throughout, such as the gradient of an output that nothing reads:
# steps use the number instead of rows of an array.


def with_known_rows(
    loop: TimeLoop, operands: Sequence[ir.Value]
) -> tuple[TimeLoop, list[ir.Value]]:
    """A time loop without the constant sequences that it reads, and its operands."""
    given = dict(zip(loop.arguments, operands, strict=True))
    for argument, operand in zip(loop.arguments, operands, strict=True):
        if rank(argument) != 3 or not _is_splat(operand) or argument in {loop.like}:
            continue
        slices = [op for op in _readers(argument) if not _is_unread(op)]
        rows = [op for each in slices for op in _readers(each.results[0])]
        if [*map(kind, (*slices, *rows))] != ["dynamic_slice"] * len(slices) + ["reshape"] * len(
            rows
        ):
            continue  # it reads more than rows
        for row in rows:
            number = ir.DenseElementsAttr.get_splat(row.results[0].type, splat_of(operand))
            with ir.InsertionPoint(row), row.location:
                made = ir.Operation.create(
                    "stablehlo.constant", [row.results[0].type], [], {"value": number}
                )
            row.results[0].replace_all_uses_with(made.results[0])
        del given[argument]
    return replace(loop, arguments=[*given]), [*given.values()]


def _is_splat(value: ir.Value) -> bool:
    """Whether a value is a constant whose elements are all equal."""
    attribute = is_constant(value) and defining(value).attributes["value"]
    return bool(attribute) and ir.DenseElementsAttr(attribute).is_splat


# Outputs whose first columns equal those of another output, where memory is scarce: the two
# gradients of a GRU's gates differ only in the last third.


class Shared(NamedTuple):
    """The first columns of an output, which are those of another output.

    Attributes:
        output: The index of the other output.
        columns: The number of columns.
    """

    output: int
    columns: int


def with_shared_outputs(loop: TimeLoop) -> tuple[TimeLoop, dict[int, Shared]]:
    """A time loop that writes such columns once, and what its outputs lack, by their numbers."""
    outputs, found = [*loop.outputs], dict[int, Shared]()
    for number, output in enumerate(loop.outputs):
        parts = _parts(output)
        for other, before in enumerate(map(_parts, loop.outputs[:number])):
            if (
                is_static(*output.shape)
                and len(parts) > 1
                and parts[:-1] == before[: len(parts) - 1]
            ):
                rest = parts[-1]
                columns = static_shape(output.row)[1] - static_shape(rest)[1]
                sizes = (*output.shape[:2], *static_shape(rest)[1:])
                outputs[number] = replace(output, shape=sizes, row=rest)
                found[number] = Shared(other, columns)
                break
    return replace(loop, outputs=outputs), found


def _parts(output: LoopOutput) -> list[ir.Value]:
    """The values that make up the rows of an output, side by side; none if it is a column."""
    row = output.row
    if output.columns or isinstance(row.owner, ir.Block) or kind(defining(row)) != "concatenate":
        return []
    return [*defining(row).operands]

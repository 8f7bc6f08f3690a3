"""Products of inputs that steps compute themselves, where memory is scarce.

The products of the inputs of all steps with a matrix, ``x @ w [T, B, N]``, are computed before a
loop, which is fast for many rows, but they are kept until the last step has read its row. Where
memory matters more than time, a step of a single row multiplies its own row of ``x`` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rnn_compiler.lowering.analysis.data_movement import kind, row_number
from rnn_compiler.lowering.analysis.products import Product
from rnn_compiler.lowering.analysis.time_loop import StepProduct, TimeLoop
from rnn_compiler.lowering.analysis.values import defining, element, rank, shape
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["with_input_products"]


def with_input_products(
    loop: TimeLoop, operands: Sequence[ir.Value], vectors: VectorUnit
) -> tuple[TimeLoop, list[ir.Value]]:
    """A time loop that computes the products of its inputs, and its operands.

    Args:
        loop: The loop; each step reads rows of the products.
        operands: The operands of its call.
        vectors: The vector unit of the target.

    Returns:
        The loop, with the factors of a product as arguments in place of the product; and the
        operands. Both are unchanged if the loop has no such products.
    """
    given = dict(zip(loop.arguments, operands, strict=True))
    found = dict(loop.products)
    for argument, operand in zip(loop.arguments, operands, strict=True):
        factors, rows = _product(operand, vectors), _rows(loop, argument)
        if factors is None or not rows:
            continue
        lhs, (weight,) = _reshaped_from(factors.lhs[0]), factors.rhs
        is_transposed, scale = factors.axis == 1, factors.given.get("scale")
        del given[argument]
        given |= {value: value for value in (lhs, weight, scale) if value is not None}
        found |= {row: StepProduct(row, lhs, weight, is_transposed, scale) for row in rows}
    return replace(loop, arguments=[*given], products=found), [*given.values()]


def _product(operand: ir.Value, vectors: VectorUnit) -> Product | None:
    """The product ``[T, 1, N]`` of an operand, if steps can multiply its factors."""
    made = _reshaped_from(operand)
    product = None if isinstance(made.owner, ir.Block) else Product.of(defining(made))
    if product is None or not product.is_plain:
        return None
    lhs, (weight,), (inner, columns) = _reshaped_from(product.lhs[0]), product.rhs, product.sizes[0]
    steps, *row = shape(operand)
    if row != [1, columns] or shape(lhs) != (steps, 1, inner):
        return None
    format = vectors.format(element(lhs), element(weight), product.sums, inner=inner, rows=1)
    return product if format.lhs == element(lhs) else None


def _reshaped_from(value: ir.Value) -> ir.Value:
    """The value that a reshape reads; other values unchanged."""
    is_reshape = not isinstance(value.owner, ir.Block) and kind(defining(value)) == "reshape"
    return defining(value).operands[0] if is_reshape else value


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

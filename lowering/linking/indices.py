"""Indices of a user's gathers, scatters and slices: where they begin, and how they are clamped."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.analysis.values import defining, element, is_splat, shape
from rnn_compiler.lowering.codegen.attributes import integer, integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, is_float, known
from rnn_compiler.lowering.codegen.stablehlo import (
    concatenated,
    converted,
    full,
    reshaped,
    sliced,
    transposed,
)
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of
from rnn_compiler.lowering.rewriting.edits import replace
from rnn_compiler.schema.open_sizes import is_static, static

_MOVED = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")
"""Ops whose results have only numbers of their operand."""


def array(value: ir.Value) -> Array:
    """A value of known sizes."""
    return Array(value, static(shape(value)), element(value))


def axes_in(numbers: str, name: str) -> list[int]:
    """The axes in a field of the text of an op's attribute of dimensions."""
    found = re.search(rf"\b{name} = \[([^\]]*)\]", numbers)
    return [int(each) for each in found[1].split(",")] if found and found[1] else []


def vector_axis(numbers: str) -> int:
    """The axis of indices along which one index lies; it may be beyond the last one."""
    found = re.search(r"\bindex_vector_dim = (\d+)", numbers)
    return int(found[1]) if found else 0


def type_for(size: int) -> str:
    """The integer type for positions along an axis of a given size."""
    return "i32" if size < 2**31 else "i64"


def within(value: ir.Value, last: int) -> bool:
    """Whether all numbers of a value are known to be from 0 to `last`."""
    while not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name == "stablehlo.constant":
            return all(
                0 <= each <= last for each in ir.DenseIntElementsAttr(op.attributes["value"])
            )
        if op.name not in _MOVED:
            break
        value = op.operands[0]
    return False


def clamped(body: Body, indices: Array, lasts: Sequence[int], axis: int = 0) -> tuple[Array, Array]:
    """Indices in a type that can hold `lasts`, and the same clamped from 0 to `lasts`."""
    kind = type_for(max(lasts))
    if _width(indices.element) < _width(kind):
        indices = converted(body, indices, kind)
    bounds = [full(body, 0, indices.type), _vector(body, lasts, indices.type, axis)]
    operands = [bounds[0], indices, bounds[1]]
    return indices, body.array("stablehlo.clamp", operands, indices.type)


def _width(element: str) -> int:
    """The number of bits of an integer type."""
    return ir.IntegerType(ir.Type.parse(element)).width


def _vector(body: Body, numbers: Sequence[int], kind: ArrayType, axis: int) -> Array:
    """The same numbers for each index."""
    if len({*numbers}) == 1:
        return full(body, numbers[0], kind)
    row = ArrayType((len(numbers),), kind.element)
    of = ir.RankedTensorType(row.mlir).element_type
    elements = ir.DenseElementsAttr.get(
        [ir.IntegerAttr.get(of, number) for number in numbers], row.mlir
    )
    made = body.array("stablehlo.constant", [], row, {"value": elements})
    dimensions = {"broadcast_dimensions": integers([axis])}
    return body.array("stablehlo.broadcast_in_dim", [made], kind, dimensions)


# A user's scatters, written as scatters of whole rows into a matrix.
#
# The axes into which a scatter writes at positions of their own are flattened into one, the rows;
# axes that each update covers become the columns. A window of several positions becomes as many
# rows. IREE compiles such scatters correctly. Some others do not compile, and some write to other
# positions or beyond the array. An update whose window is partly beyond the array is dropped.


class _Positions(NamedTuple):
    """Where the updates of a scatter go.

    Attributes:
        rows: The number of the row, for each update.
        valid: Whether it is within the array; None if all are.
    """

    rows: Array
    valid: Array | None


class _Scatter(NamedTuple):
    """The axes of a scatter.

    Attributes:
        numbers: The text of its dimensions.
        windows: The axis of the updates for each axis of the array that they have.
        row_axes: The axes of the array that make up rows; the others are columns.
        update_axes: The axes of the updates that count rows.
    """

    operand: Array
    indices: Array
    update: Array
    numbers: str
    windows: dict[int, int]
    row_axes: list[int]
    update_axes: list[int]


def _scatter_rows(op: ir.Operation) -> None:
    """Replaces a scatter into a single array by one of rows; IREE refuses all others."""
    if len(op.operands) == 3:
        replace(op, _selection(op) or scatter_rows(op))


def _selection(op: ir.Operation) -> ir.Value | None:
    """Emits a scatter of one update a batch into zeros as an elementwise choice; None for others.

    The gradient of `take_along_axis` is one: for each position along the axis, the update if its
    index is this one, else 0. That is fused with what reads it; a scatter is not.
    """
    scatter, body = _scatter(op), Body.before(op)
    operand, update = scatter.operand, scatter.update
    indexed = axes_in(scatter.numbers, "scatter_dims_to_operand_dims")
    batching = axes_in(scatter.numbers, "input_batching_dims")
    of_indices = axes_in(scatter.numbers, "scatter_indices_batching_dims")
    if len(indexed) != 1 or {*scatter.row_axes} != {*indexed, *batching}:
        return None
    (axis,), sizes, count = indexed, known(operand.shape), math.prod(known(update.shape))
    if axis in scatter.windows or count * sizes[axis] != math.prod(sizes):
        return None
    if not count or not _is_sum(op) or not _is_zero(operand.value):
        return None
    vector = vector_axis(scatter.numbers)
    index = _component(body, scatter.indices, vector, 0)
    wide = type_for(sizes[axis])
    if _width(index.element) < _width(wide):
        index = converted(body, index, wide)
    batches = {each - (vector < each): batching[k] for k, each in enumerate(of_indices)}
    kind = ArrayType(operand.shape, index.element)
    given = _along(body, index, batches, kind)
    windows = {taken: axis for axis, taken in scatter.windows.items()}
    counting = [each for each in range(len(update.shape)) if each not in windows]
    axes = {each: batches[k] for k, each in enumerate(counting) if k in batches}
    new = _along(body, update, {**axes, **windows}, operand.type)
    equal = _is_equal(body, given, _counted(body, kind, axis))
    chosen = body.array("stablehlo.select", [equal, new, operand], operand.type)
    return _elementwise(body, "add", operand, chosen).value


def _along(body: Body, array: Array, axes: dict[int, int], kind: ArrayType) -> Array:
    """Emits an array with some axes, all others of one element, as another with these elsewhere."""
    order = sorted(axes)
    flat = reshaped(body, array, [array.shape[each] for each in order])
    return _spread(body, flat, kind, [axes[each] for each in order])


def _is_zero(value: ir.Value) -> bool:
    """Whether all numbers of a value are a constant 0."""
    while not isinstance(value.owner, ir.Block) and value.owner.name in _MOVED:
        value = defining(value).operands[0]
    return is_splat(value, 0)


def scatter_rows(op: ir.Operation, *, are_valid: bool = False) -> ir.Value:
    """Emits a scatter into a single array as one of rows.

    `are_valid` says that no update is beyond the array.
    """
    scatter, body = _scatter(op), Body.before(op)
    if 0 in (*scatter.operand.shape, *scatter.update.shape):  # which IREE's compiler divides by
        return op.operands[0]
    at = _positions(body, scatter, are_valid=are_valid)
    sizes, axes = known(scatter.operand.shape), scatter.row_axes
    order = [*axes, *(axis for axis in range(len(sizes)) if axis not in axes)]
    windows = [scatter.windows[axis] for axis in order[len(axes) :]]
    turned = transposed(body, scatter.operand, order)
    update = transposed(body, scatter.update, [*scatter.update_axes, *windows])
    columns = [math.prod(sizes[axis] for axis in order[len(axes) :])] if windows else []
    count = math.prod(sizes[axis] for axis in axes)
    matrix = reshaped(body, turned, [count, *columns])
    update = reshaped(body, update, [math.prod(known(at.rows.shape)), *columns])
    made = _written(body, op, matrix, at, update)
    result = reshaped(body, made, turned.shape)
    back = sorted(range(len(order)), key=order.__getitem__)
    return transposed(body, result, back).value


def _scatter(op: ir.Operation) -> _Scatter:
    """Reads the axes of a scatter."""
    numbers = str(op.attributes["scatter_dimension_numbers"])
    operand, indices, update = map(array, op.operands)
    sizes, taken = known(operand.shape), known(update.shape)
    single = (*axes_in(numbers, "inserted_window_dims"), *axes_in(numbers, "input_batching_dims"))
    kept = [axis for axis in range(len(sizes)) if axis not in single]
    windows = dict(zip(kept, axes_in(numbers, "update_window_dims"), strict=True))
    indexed = axes_in(numbers, "scatter_dims_to_operand_dims")
    whole = [
        axis
        for axis, window in windows.items()
        if axis not in indexed and taken[window] == sizes[axis]
    ]
    row_axes = [axis for axis in range(len(sizes)) if axis not in whole]
    covered = [windows[axis] for axis in whole]
    update_axes = [axis for axis in range(len(taken)) if axis not in covered]
    return _Scatter(operand, indices, update, numbers, windows, row_axes, update_axes)


def _positions(body: Body, scatter: _Scatter, *, are_valid: bool) -> _Positions:
    """Emits the row of each update."""
    sizes, windows, taken = (
        known(scatter.operand.shape),
        scatter.windows,
        known(scatter.update.shape),
    )
    vector, axes = vector_axis(scatter.numbers), scatter.update_axes
    indexed = axes_in(scatter.numbers, "scatter_dims_to_operand_dims")
    batching = axes_in(scatter.numbers, "input_batching_dims")
    of_indices = axes_in(scatter.numbers, "scatter_indices_batching_dims")
    counting = [k for k, axis in enumerate(axes) if axis not in windows.values()]
    parts = [taken[windows[k]] if k in windows else 1 for k in indexed]
    lasts = [sizes[axis] - part for axis, part in zip(indexed, parts, strict=True)]
    is_valid = are_valid or not lasts or within(scatter.indices.value, min(lasts))
    shape = tuple(taken[axis] for axis in axes)
    kind = ArrayType(shape, type_for(math.prod(sizes[k] for k in scatter.row_axes)))
    rows, valid = full(body, 0, kind), None if is_valid else full(body, 1, ArrayType(shape, "i1"))
    for axis in scatter.row_axes:
        rows = _elementwise(body, "multiply", rows, full(body, sizes[axis], kind))
        if axis in windows:
            rows = _elementwise(body, "add", rows, _counted(body, kind, axes.index(windows[axis])))
        if axis in batching:
            among = of_indices[batching.index(axis)]
            number = counting[among - (vector < among)]
            rows = _elementwise(body, "add", rows, _counted(body, kind, number))
        if axis in indexed:
            number = indexed.index(axis)
            each = _component(body, scatter.indices, vector, number)
            given, start = clamped(body, each, [lasts[number]])
            if valid is not None:
                equal = _is_equal(body, given, start)
                valid = _elementwise(body, "and", valid, _spread(body, equal, valid.type, counting))
            start = converted(body, start, kind.element)
            rows = _elementwise(body, "add", rows, _spread(body, start, kind, counting))
    return _Positions(rows, valid)


def _written(body: Body, op: ir.Operation, matrix: Array, at: _Positions, update: Array) -> Array:
    """Emits the scatter.

    Updates that are not valid become zeros if they are added. Others go to one row more.
    """
    rows, given = at.rows, matrix
    is_unique = _is_unique(op)
    if at.valid is not None:
        if _is_sum(op):
            nothing = full(body, 0, update.type)
            if is_float(update.element):  # -0 + 0 is 0, which differs from -0
                nothing = body.array("stablehlo.negate", [nothing], update.type)
            valid = reshaped(body, at.valid, update.shape[:1])
            mask = _spread(body, valid, ArrayType(update.shape, "i1"), [0])
            update = body.array("stablehlo.select", [mask, update, nothing], update.type)
            is_unique = False
        else:
            count = known(matrix.shape)[0]
            beyond = full(body, count, rows.type)
            rows = body.array("stablehlo.select", [at.valid, rows, beyond], rows.type)
            given = concatenated(body, [matrix, _rows(body, matrix, 1)], 0)
    windows = "update_window_dims = [1], " if len(matrix.shape) > 1 else ""
    numbers = f"{windows}inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]"
    attributes = {
        "scatter_dimension_numbers": ir.Attribute.parse(
            f"#stablehlo.scatter<{numbers}, index_vector_dim = 1>"
        ),
        "indices_are_sorted": ir.BoolAttr.get(False),
        "unique_indices": ir.BoolAttr.get(is_unique),
    }
    rows = reshaped(body, rows, [*update.shape[:1], 1])
    made = body.op(op.name, [given, rows, update], [given.type.mlir], attributes, regions=1)
    op.regions[0].blocks[0].append_to(made.regions[0])
    result = Array(made.results[0], given.shape, given.element)
    return _rows(body, result, known(matrix.shape)[0])


def _is_unique(op: ir.Operation) -> bool:
    """Whether the indices of a scatter are promised to differ."""
    name = "unique_indices"
    return name in op.attributes and ir.BoolAttr(op.attributes[name]).value


def _is_sum(op: ir.Operation) -> bool:
    """Whether a scatter adds its updates to an array of real numbers."""
    block = block_of(op)
    first, *rest = ops_of(block)
    return (
        first.name == "stablehlo.add"
        and {*first.operands} == {*block.arguments}
        and [[*each.operands] for each in rest] == [[*first.results]]
        and "complex" not in str(first.results[0].type)
    )


def _component(body: Body, indices: Array, axis: int, number: int) -> Array:
    """Emits one component of each index."""
    if axis == len(indices.shape):
        return indices
    starts, sizes = [0] * len(indices.shape), [*known(indices.shape)]
    starts[axis], sizes[axis] = number, 1
    part = sliced(body, indices, starts, sizes)
    return reshaped(body, part, [*part.shape[:axis], *part.shape[axis + 1 :]])


def _rows(body: Body, matrix: Array, count: int) -> Array:
    """Emits the first rows of a matrix."""
    if matrix.shape[0] == count:
        return matrix
    sizes = [count, *known(matrix.shape[1:])]
    return sliced(body, matrix, [0] * len(sizes), sizes)


def _spread(body: Body, array: Array, kind: ArrayType, axes: Sequence[int]) -> Array:
    """Emits an array of type `kind`, broadcast along all axes other than `axes`."""
    dimensions = {"broadcast_dimensions": integers(axes)}
    return body.array("stablehlo.broadcast_in_dim", [array], kind, dimensions)


def _counted(body: Body, kind: ArrayType, axis: int) -> Array:
    """Emits the positions along an axis."""
    return body.array("stablehlo.iota", [], kind, {"iota_dimension": integer(axis)})


def _elementwise(body: Body, name: str, one: Array, other: Array) -> Array:
    """Emits an elementwise op of two arrays."""
    return body.array(f"stablehlo.{name}", [one, other], one.type)


def _is_equal(body: Body, one: Array, other: Array) -> Array:
    """Emits which integers of two arrays are equal."""
    direction = ir.Attribute.parse("#stablehlo<comparison_direction EQ>")
    kind = ArrayType(one.shape, "i1")
    return body.array("stablehlo.compare", [one, other], kind, {"comparison_direction": direction})


# Keeps what a user's module indexes within its arrays, as StableHLO defines it.
#
# StableHLO clamps the indices of gathers and slices, and drops the updates of a scatter that are
# not all within the array. IREE clamps only some gathers, misreads indices of slices in some types
# (`_SAFE`), and computes few scatters as they are defined (`scatter_rows`).

_SAFE = ("i32", "i64", "ui8", "ui16", "ui32")
"""The types in which IREE reads the indices of slices correctly."""


def bound_indices(module: ir.Module) -> None:
    """Clamps the indices of gathers and slices, and replaces scatters; all sizes must be known."""
    bounded = {
        "stablehlo.gather": _gather,
        "stablehlo.dynamic_gather": _gather,
        "stablehlo.torch_index_select": _select,
        "stablehlo.dynamic_slice": _slice,
        "stablehlo.dynamic_update_slice": _slice,
        "stablehlo.scatter": _scatter_rows,
    }
    for op in nested_ops(module.operation, *bounded):
        values = [*op.operands, *op.results]
        if not all(is_static(*shape(value)) for value in values):
            got = ", ".join(str(value.type) for value in values)
            remedy = "export the function for known sizes"
            raise InvalidArgumentError("link", op.name, "tensors of known sizes", got, remedy)
        with op.location:
            bounded[op.name](op)


def _gather(op: ir.Operation) -> None:
    """Clamps the indices of a gather."""
    numbers = str(op.attributes["dimension_numbers"])
    sizes, result = static(shape(op.operands[0])), static(shape(op.results[0]))
    offsets = iter(axes_in(numbers, "offset_dims"))
    single = (*axes_in(numbers, "collapsed_slice_dims"), *axes_in(numbers, "operand_batching_dims"))
    parts = [1 if axis in single else result[next(offsets)] for axis in range(len(sizes))]
    lasts = [sizes[axis] - parts[axis] for axis in axes_in(numbers, "start_index_map")]
    _clamp(op, 1, lasts, vector_axis(numbers))


def _select(op: ir.Operation) -> None:
    """Clamps the indices of a selection along one axis."""
    axis = ir.IntegerAttr(op.attributes["dim"]).value
    _clamp(op, 1, [static(shape(op.operands[0]))[axis] - 1])


def _slice(op: ir.Operation) -> None:
    """Clamps the indices of a slice whose type IREE would misread."""
    part = op.results[0] if op.name == "stablehlo.dynamic_slice" else op.operands[1]
    first = len(op.operands) - len(shape(part))
    sizes = zip(static(shape(op.operands[0])), static(shape(part)), strict=True)
    for number, (size, taken) in enumerate(sizes, first):
        index = array(op.operands[number])
        if index.element not in _SAFE:
            op.operands[number] = clamped(Body.before(op), index, [size - taken])[1].value


def _clamp(op: ir.Operation, number: int, lasts: Sequence[int], axis: int = 0) -> None:
    """Clamps an operand of indices, unless they are known to be valid."""
    value = op.operands[number]
    if lasts and not within(value, min(lasts)):
        op.operands[number] = clamped(Body.before(op), array(value), lasts, axis)[1].value

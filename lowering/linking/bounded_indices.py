"""Keeps what a user's module indexes within its arrays, as StableHLO defines it.

StableHLO clamps the indices of gathers and slices, and drops the updates of a scatter that are not
all within the array. IREE clamps only some gathers, reads the indices of slices as integers with a
sign, or without one, by their width, and takes few scatters as they are defined (`scatters`).
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.linking.indices import array, axes_in, clamped, vector_axis, within
from rnn_compiler.lowering.linking.scatters import scatter_rows
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.schema.open_sizes import is_static, static

_SAFE = ("i32", "i64", "ui8", "ui16", "ui32")
"""The types in which IREE reads the indices of slices correctly."""


def bound_indices(module: ir.Module) -> None:
    """Clamps the indices of gathers and slices of known sizes; makes scatters those of rows."""
    bounded = {
        "stablehlo.gather": _gather,
        "stablehlo.dynamic_gather": _gather,
        "stablehlo.torch_index_select": _select,
        "stablehlo.dynamic_slice": _slice,
        "stablehlo.dynamic_update_slice": _slice,
        "stablehlo.scatter": scatter_rows,
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
    """Clamps the indices of a slice that IREE would not read as they are, all to one type."""
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

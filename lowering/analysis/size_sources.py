"""Finds where the open sizes of a value come from, and makes arrays of a module's values.

IREE knows the sizes of its own ops' results. For the result of a StableHLO op it inserts an op of
the `shape` dialect, which it then rejects. So sizes are read from that op's operands instead.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import contracted_axes, element, ints, shape
from rnn_compiler.lowering.codegen.body import ELEMENTWISE, Array, Body
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["array_of", "source_of_size", "tie_results", "tied"]

_SAME = {"flow.tensor.tie_shape", "flow.tensor.clone"}
"""Ops whose result has the shape of their first operand."""


def array_of(body: Body, value: ir.Value) -> Array:
    """A value as an array, its open sizes read from their source."""
    sizes = [
        size if isinstance(size, int) else body.size(*source_of_size(value, axis))
        for axis, size in enumerate(shape(value))
    ]
    return Array(value, sizes, element(value))


def tied(value: ir.Value, before: ir.Operation) -> ir.Value:
    """A value with its open sizes attached, as an argument of a call."""
    if isinstance(value.owner, ir.Block) or is_static(*shape(value)):
        return value
    body = Body.before(before)
    sizes = array_of(body, value).type.computed
    return body.op("flow.tensor.tie_shape", [value, *sizes], [value.type]).results[0]


def tie_results(barrier: ir.Operation) -> None:
    """States that a barrier's results have the open sizes of its operands."""
    before, after = Body.before(barrier), Body.after(barrier)
    for value, result in zip(barrier.operands, barrier.results, strict=True):
        sizes = array_of(before, value).type.computed
        if sizes:
            tied = after.op("flow.tensor.tie_shape", [result, *sizes], [result.type])
            result.replace_all_uses_except(tied.results[0], tied)


def source_of_size(value: ir.Value, axis: int) -> tuple[ir.Value, int]:
    """Follows a size back to the earliest value, and its axis, that has the same size."""
    while not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        if op.name in ELEMENTWISE:
            same = shape(value)
            value = next(operand for operand in op.operands if shape(operand) == same)
        elif op.name in _SAME:
            value = op.operands[0]
        elif op.name == "stablehlo.optimization_barrier":
            pairs = zip(op.operands, op.results, strict=True)
            value = next(operand for operand, result in pairs if result == value)
        elif op.name == "stablehlo.transpose":
            value, axis = op.operands[0], ints(op, "permutation")[axis]
        elif op.name == "stablehlo.concatenate":
            if ir.IntegerAttr(op.attributes["dimension"]).value == axis:
                break
            value = op.operands[0]
        elif axis == 0 and (contracted_axes(op) or (0, 0))[0] == 1:
            value = op.operands[0]
        else:
            break
    return value, axis

"""Where the open size of a value comes from.

IREE 3.13 knows the sizes of what its own ops give. Asked for those of a StableHLO op's result, it
puts in an op of the `shape` dialect, which it then does not take. So sizes are read off what that
op is given.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import ints, shape
from rnn_compiler.lowering.codegen.arithmetic import ELEMENTWISE
from rnn_compiler.lowering.mlir import ir

__all__ = ["source_of_size"]

_SAME = {"flow.tensor.tie_shape", "flow.tensor.clone"}
"""Ops whose result has the shape of their first operand."""


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
        elif op.name == "stablehlo.dot_general" and axis == 0 and _by_rows(op):
            value = op.operands[0]
        else:
            break
    return value, axis


def _by_rows(product: ir.Operation) -> bool:
    """Whether a product has the rows of its left-hand side."""
    numbers = str(product.attributes["dot_dimension_numbers"])
    return "lhs_contracting_dimensions = [1]" in numbers and "batching" not in numbers

"""Reads sums of all numbers of an array, in StableHLO and in linalg, and of their squares."""

from __future__ import annotations

from rnn_compiler.lowering.analysis.linalg_arithmetic import arithmetic, summed
from rnn_compiler.lowering.analysis.values import (
    ZERO,
    defining,
    element,
    filled_with,
    ints,
    is_splat,
    shape,
)
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["FORMS", "is_sum", "is_zero", "squared"]

FORMS = "stablehlo.reduce", "linalg.generic"
"""The ops that may be sums."""


def is_sum(op: ir.Operation) -> bool:
    """Whether an op is the sum of all numbers of an array of float32 of known sizes."""
    if op.name not in FORMS or len(op.operands) != 2 or element(op.operands[0]) != "f32":
        return False
    value, start = op.operands
    if op.name == "linalg.generic":
        return summed(op) is not None and filled_with(start) == ZERO
    if not is_static(*shape(value)):
        return False
    joined, *others = ops_of(op.regions[0].blocks[0])
    is_sum = joined.name == "stablehlo.add" and len(others) == 1
    is_whole = len(ints(op, "dimensions")) == len(shape(value))
    return is_sum and is_whole and is_zero(start)


def is_zero(value: ir.Value) -> bool:
    """Whether a value is 0, or the square of 0."""
    if isinstance(value.owner, ir.Block):
        return False
    op = defining(value)
    if op.name in ("stablehlo.broadcast_in_dim", "stablehlo.multiply"):
        return all(map(is_zero, op.operands))
    return is_splat(value, 0)


def squared(value: ir.Value) -> ir.Value | None:
    """What is squared to compute a value; None if it is no square.

    JAX adds the square of an imaginary part, 0, to that of a real one.
    """
    if isinstance(value.owner, ir.Block):
        return None
    if (found := arithmetic(value)) is not None:
        numbers = {*found.operands}
        is_square = (
            found.name == "multiply" and len(numbers) == 1 and shape(*numbers) == shape(value)
        )
        return numbers.pop() if is_square else None
    if len(defining(value).operands) != 2:
        return None
    x, y = defining(value).operands
    match defining(value).name:
        case "stablehlo.multiply":
            return x if x == y else None
        case "stablehlo.add" if is_zero(y):
            return squared(x)
        case _:
            return None

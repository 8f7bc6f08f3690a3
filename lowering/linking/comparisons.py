"""Widens the small integers in scalar comparisons of a user's module.

The host program computes such conditions of loops and branches. It reads integers of 8 and 16 bits
without their sign (`tests/traps/test_small_integers_of_loops.py`).
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops

_SMALL = ("i8", "i16")


def widen_comparisons(module: ir.Module) -> None:
    """Converts the operands of comparisons of small integer scalars to 32 bits."""
    for op in nested_ops(module.operation, "stablehlo.compare"):
        if shape(op.operands[0]) == () and element(op.operands[0]) in _SMALL:
            kind = ir.Type.parse("tensor<i32>")
            for k, operand in enumerate(op.operands):
                at = ir.InsertionPoint(op)
                wide = ir.Operation.create(
                    "stablehlo.convert", [kind], [operand], ip=at, loc=op.location
                )
                op.operands[k] = wide.results[0]

"""Removes a user's barriers that IREE takes wrongly.

`stablehlo.optimization_barrier`, which `jax.checkpoint` emits, keeps the compiler from moving ops
across it and changes no value. On what a loop carries, IREE drops the wait for the iteration
before: with several threads, the ops behind the barrier read memory that is not written yet
(`tests/traps/test_barriers_in_loops.py`).
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.control_flow import may_repeat
from rnn_compiler.lowering.mlir import ir, nested_ops

__all__ = ["remove_barriers"]


def remove_barriers(module: ir.Module) -> None:
    """Removes the barriers in loops and in private functions, which loops may call."""
    barriers = nested_ops(module.operation, "stablehlo.optimization_barrier")
    for barrier in [each for each in barriers if may_repeat(each)]:
        for value, result in zip(barrier.operands, barrier.results, strict=True):
            result.replace_all_uses_with(value)
        barrier.erase()

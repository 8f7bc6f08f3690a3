"""Removes barriers from a user's module that IREE mishandles.

`stablehlo.optimization_barrier`, which `jax.checkpoint` emits, keeps the compiler from moving ops
across it and changes no value. For values that a loop carries, IREE drops the wait for the previous
iteration: with several threads, the ops after the barrier read unwritten memory
(`tests/traps/test_barriers_in_loops.py`).
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.control_flow import may_repeat
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops


def remove_barriers(module: ir.Module) -> None:
    """Removes the barriers in loops and in private functions, which loops may call."""
    barriers = nested_ops(module.operation, "stablehlo.optimization_barrier")
    for barrier in [each for each in barriers if may_repeat(each)]:
        for value, result in zip(barrier.operands, barrier.results, strict=True):
            result.replace_all_uses_with(value)
        barrier.erase()

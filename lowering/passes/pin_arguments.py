"""Lets parts of a function's arguments be read where they lie.

Requires: a module whose time loops and products have been rewritten.
Matches: the tensors that public functions are given. Puts a `util.optimization_barrier` on each.
IREE 3.13 reads a contiguous slice in place unless it is one of an imported buffer, which it copies:
a layer's weights are slices of `params`, and would be copied at every call. The barrier is gone by
the time the decision falls, but not yet when the buffer and the tensor are seen to be one.
Ensures: the same numbers.
"""

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.lowering import Lowering

__all__ = ["pin_arguments"]


def pin_arguments(lowering: Lowering) -> None:
    """Adds the barriers."""
    for function in lowering.op_functions():
        block = function.regions[0].blocks[0]
        for argument in block.arguments:
            if not any(True for _ in argument.uses):
                continue
            barrier = ir.Operation.create(
                "util.optimization_barrier",
                operands=[argument],
                results=[argument.type],
                ip=ir.InsertionPoint.at_block_begin(block),
            )
            argument.replace_all_uses_except(barrier.results[0], barrier)

"""Lets slices of a function's arguments be read where they lie.

Requires: a module whose time loops and products have been rewritten.
Matches: the tensors that public functions are given. Puts a `util.optimization_barrier` on each.
IREE 3.13 reads a contiguous slice in place unless it is one of an imported buffer, which it copies:
a layer's weights are slices of `params`, and would be copied at every call. The barrier is gone by
the time the decision falls, but not yet when the buffer and the tensor are seen to be one.
Ensures: the same numbers.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.size_sources import tie_results
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.lowering.rewriting.properties import (
    arguments_are_read_in_place,
    products_are_rewritten,
    time_loops_are_rewritten,
)

__all__ = ["read_arguments_in_place"]

REQUIRES = (time_loops_are_rewritten, products_are_rewritten)
ENSURES = (arguments_are_read_in_place,)


def read_arguments_in_place(context: PassContext) -> None:
    """Adds the barriers."""
    for function in context.op_functions():
        block = function.regions[0].blocks[0]
        for argument in block.arguments:
            if not any(True for _ in argument.uses):
                continue
            at = ir.InsertionPoint.at_block_begin(block)
            barrier = ir.Operation.create(
                "util.optimization_barrier", operands=[argument], results=[argument.type], ip=at
            )
            read = barrier.results[0]
            argument.replace_all_uses_except(read, barrier)
            tie_results(barrier)

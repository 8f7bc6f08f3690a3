"""Makes IREE read slices of a function's arguments in place.

Requires: a module whose time loops and products have been rewritten.
Matches: the tensor arguments of public functions. Puts a `util.optimization_barrier` on each.
IREE 3.13 reads a contiguous slice in place, except for slices of an imported buffer, which it
copies: a layer's weights are slices of `params`, and would be copied at every call. The barrier
hides that the tensor is the imported buffer, and is removed before IREE decides what to copy.
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

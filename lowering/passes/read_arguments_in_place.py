"""Makes IREE read slices of a function's arguments in place.

Requires: a module whose time loops and products have been rewritten.
Matches: the arguments of public functions that our ops read, in a user's module also through its
calls. Puts a `util.optimization_barrier` on each.
IREE 3.13 reads a contiguous slice in place, except for slices of an imported buffer, which it
copies: a layer's weights are slices of `params`, and would be copied at every call. The barrier
hides that the tensor is the imported buffer, and is removed before IREE decides what to copy. The
private functions of ops get none: in a user's loop, IREE would not wait for what they read.
Ensures: the same numbers.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.size_sources import tie_results
from rnn_compiler.lowering.mlir import block_of, ir
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
    for argument in context.op_arguments():
        at = ir.InsertionPoint.at_block_begin(block_of(argument.owner.owner))
        barrier = ir.Operation.create(
            "util.optimization_barrier", operands=[argument], results=[argument.type], ip=at
        )
        argument.replace_all_uses_except(barrier.results[0], barrier)
        tie_results(barrier)

"""Makes IREE read slices of a function's arguments in place.

Requires: a module whose time loops and products have been rewritten.
Matches: the arguments that functions of our ops read. Puts a `util.optimization_barrier` on each.
IREE reads a contiguous slice in place, except for slices of an imported buffer, which it copies
(`tests/traps/test_slices_of_arguments.py`): a layer's weights are slices of `params`, and would be
copied at every call. The barrier hides that the tensor is the imported buffer, and is removed
before IREE decides what to copy. In a user's loop, IREE would not wait for what is behind one
(`tests/traps/test_barriers_in_loops.py`): for functions that loops call, the barriers are before
the calls instead, except on operands that a loop may change.
Ensures: the same numbers.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.control_flow import may_repeat
from rnn_compiler.lowering.analysis.values import defining, tie_results
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    callee_of,
    ir,
    is_private,
    nested_ops,
    symbol_of,
)
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    first,
    products_are_rewritten,
    time_loops_are_rewritten,
)


def arguments_are_read_in_place(context: PassContext) -> str | None:
    """Only `util.optimization_barrier` reads arguments that ops read; others read their sizes."""
    return first(
        f"an argument of {symbol_of(argument.owner.owner)}, by {use.owner.name}"
        for argument in context.op_arguments()
        for use in argument.uses
        if use.owner.name not in ("util.optimization_barrier", "tensor.dim")
    )


@pass_with(
    requires=(time_loops_are_rewritten, products_are_rewritten),
    ensures=(arguments_are_read_in_place,),
)
def read_arguments_in_place(context: PassContext) -> None:
    """Adds the barriers."""
    for argument in context.op_arguments():
        at = ir.InsertionPoint.at_block_begin(block_of(argument.owner.owner))
        barrier = _barrier(argument, at)
        argument.replace_all_uses_except(barrier.results[0], barrier)
        tie_results(barrier)
    looped = context.called_in_loops().intersection(map(symbol_of, context.op_functions()))
    for call in nested_ops(context.module.operation, "func.call") if looped else ():
        for k, operand in enumerate(call.operands) if callee_of(call) in looped else ():
            if not _may_change(operand):
                call.operands[k] = _barrier(operand, ir.InsertionPoint(call)).results[0]


def _barrier(value: ir.Value, at: ir.InsertionPoint) -> ir.Operation:
    return ir.Operation.create("util.optimization_barrier", [value.type], [value], ip=at)


def _may_change(value: ir.Value) -> bool:
    """Whether a value may be another in each iteration of a loop."""
    if not isinstance(value, ir.BlockArgument):
        return may_repeat(defining(value))
    owner = value.owner.owner.operation
    return owner.name != "func.func" or is_private(owner)

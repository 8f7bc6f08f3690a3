"""Makes IREE read slices of a function's arguments in place.

Requires: a module whose time loops and products have been rewritten.
Matches: the arguments that functions of our ops read. Puts a `util.optimization_barrier` on each.
A barrier divides IREE's plan of the memory: what is needed before it alone is not reused behind it.
So where memory is scarce, the barriers of a user's module are where its public functions begin, and
there is none on what the module computes.
IREE reads a contiguous slice in place, except for slices of an imported buffer, which it copies
(`tests/traps/test_slices_of_arguments.py`): a layer's weights are slices of `params`, and would be
copied at every call. The barrier hides that the tensor is the imported buffer, and is removed
before IREE decides what to copy. In a user's loop, IREE would not wait for what is behind one
(`tests/traps/test_barriers_in_loops.py`): for functions that loops call, the barriers are before
the calls instead, except on operands that a loop may change.
Ensures: the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from rnn_compiler.lowering.analysis.control_flow import may_repeat
from rnn_compiler.lowering.analysis.values import defining, tie_results
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    callee_of,
    ir,
    is_private,
    nested_ops,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import CONSUMED
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    first,
    products_are_rewritten,
    time_loops_are_rewritten,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_VIEWS = frozenset(
    {
        *(f"stablehlo.{name}" for name in ("reshape", "slice", "bitcast_convert")),
        *(f"tensor.{name}" for name in ("cast", "collapse_shape", "expand_shape", "extract_slice")),
    }
)
"""Ops whose result may be in the memory of their operand."""


def arguments_are_read_in_place(context: PassContext) -> str | None:
    """Only `util.optimization_barrier` reads these arguments; others read their sizes.

    Updates of states read and write these themselves.
    """
    return first(
        f"an argument of {symbol_of(argument.owner.owner)}, by {use.owner.name}"
        for argument in _read_inside(context)
        if not _is_updated(argument)
        for use in argument.uses
        if use.owner.name not in ("util.optimization_barrier", "tensor.dim")
    )


def _is_updated(argument: ir.BlockArgument) -> bool:
    """Whether a function updates an argument, a state."""
    function = argument.owner.owner
    if "arg_attrs" not in function.attributes:
        return False
    rows = [*ir.ArrayAttr(function.attributes["arg_attrs"])]
    return CONSUMED in ir.DictAttr(rows[argument.arg_number])


@pass_with(
    requires=(time_loops_are_rewritten, products_are_rewritten),
    ensures=(arguments_are_read_in_place,),
)
def read_arguments_in_place(context: PassContext) -> None:
    """Adds the barriers."""
    hidden: dict[ir.Value, ir.Value] = {}
    for use in _read_outside(context):
        value = use.op.operands[use.number]
        if value not in hidden:
            hidden[value] = _hidden(value)
        use.op.operands[use.number] = hidden[value]
    for argument in _read_inside(context):
        at = ir.InsertionPoint.at_block_begin(block_of(argument.owner.owner))
        barrier = _barrier(argument, at)
        argument.replace_all_uses_except(barrier.results[0], barrier)
        tie_results(barrier)
    looped = context.called_in_loops().intersection(map(symbol_of, context.op_functions()))
    for call in nested_ops(context.module.operation, "func.call") if looped else ():
        for k, operand in enumerate(call.operands) if callee_of(call) in looped else ():
            if not _may_change(operand):
                call.operands[k] = _barrier(operand, ir.InsertionPoint(call)).results[0]


class _OperandUse(NamedTuple):
    """A value in memory of the caller of the module, which an op's operand is, or a view of it."""

    op: ir.Operation
    number: int

    @staticmethod
    def of(op: ir.Operation, number: int) -> _OperandUse | None:
        """The use that an operand is; None if it is computed."""
        while not isinstance(value := op.operands[number], ir.BlockArgument):
            made = defining(value)
            if made.name not in _VIEWS:
                return _OperandUse(op, number) if made.name == "util.global.load" else None
            op, number = made, 0
        return _OperandUse(op, number)

    @property
    def is_public(self) -> bool:
        """Whether the value is an argument of a public function, or a weight."""
        value = self.op.operands[self.number]
        owner = value.owner.owner.operation if isinstance(value, ir.BlockArgument) else None
        return owner is None or (owner.name == "func.func" and not is_private(owner))


def _uses(context: PassContext) -> dict[ir.BlockArgument, list[_OperandUse]]:
    """The arguments of ops that a user's module calls, each with what it may be in calls.

    Only where memory is scarce: elsewhere, one plan for all may also be the larger one.
    """
    if not isinstance(context.processor, VectorUnit) or context.processor.has_memory:
        return {}
    calls: dict[str, list[ir.Operation]] = {}
    for call in nested_ops(context.module.operation, "func.call"):
        calls.setdefault(callee_of(call), []).append(call)
    found: dict[ir.BlockArgument, list[_OperandUse]] = {}
    for argument in context.op_arguments():
        function = argument.owner.owner.operation
        if is_private(function):
            uses = (
                _OperandUse.of(call, argument.arg_number)
                for call in calls.get(symbol_of(function), ())
            )
            found[argument] = [use for use in uses if use is not None]
    return found


def _read_outside(context: PassContext) -> list[_OperandUse]:
    """What gets a barrier where the public function begins."""
    found = [uses for uses in _uses(context).values() if all(use.is_public for use in uses)]
    return [*dict.fromkeys(use for uses in found for use in uses)]


def _read_inside(context: PassContext) -> list[ir.BlockArgument]:
    """The arguments of ops that get a barrier where the op's function begins."""
    uses = _uses(context)
    return [
        argument
        for argument in context.op_arguments()
        if argument not in uses or not all(use.is_public for use in uses[argument])
    ]


def _hidden(value: ir.Value) -> ir.Value:
    """A value behind a barrier, where its function begins."""
    if isinstance(value, ir.BlockArgument):
        return _barrier(value, ir.InsertionPoint.at_block_begin(value.owner)).results[0]
    load = defining(value)
    begin = ops_of(load.block)[0]
    if load != begin:
        load.move_before(begin)
    return _barrier(value, ir.InsertionPoint.after(load)).results[0]


def _barrier(value: ir.Value, at: ir.InsertionPoint) -> ir.Operation:
    return ir.Operation.create("util.optimization_barrier", [value.type], [value], ip=at)


def _may_change(value: ir.Value) -> bool:
    """Whether a value may be another in each iteration of a loop."""
    if not isinstance(value, ir.BlockArgument):
        return may_repeat(defining(value))
    owner = value.owner.owner.operation
    return owner.name != "func.func" or is_private(owner)

"""Makes IREE compute what a loop reads before the loop.

Requires: a module whose time loops have been rewritten, except for those that stay plain.
Matches: loops and branches of the host program, and calls of functions with some, that read an
array which something else reads too. IREE divides a function's dispatches into groups that are
submitted at once. It puts the array into the group of its other reader although that group waits
for the loop, and fails, as neither can come first (`tests/traps/test_read_by_a_loop.py`). So the
loop reads the array through a `util.optimization_barrier`, which no group crosses. Loops in loops
are left alone, because there IREE would not wait for what is behind a barrier
(`tests/traps/test_barriers_in_loops.py`).
Ensures: the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rnn_compiler.lowering.analysis.control_flow import CONTROL_FLOW
from rnn_compiler.lowering.analysis.values import defining, element, tie_results
from rnn_compiler.lowering.codegen.body import Body, element_type
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of, symbol_of
from rnn_compiler.lowering.mlir.marks import NETWORK
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import called_by
from rnn_compiler.schema.specs import owner_of

_VIEWS = (
    *("tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "tensor.reshape"),
    *("stablehlo.reshape", "flow.tensor.reshape", "flow.tensor.tie_shape"),
)
"""Ops whose results are the same array."""

_IN_NO_GROUP = ("stablehlo.constant", "arith.constant", "util.optimization_barrier")
"""Ops of the host program."""


def loops_read_what_is_computed(context: PassContext) -> str | None:
    """No loop shares an array with ops that may be in a group behind it."""
    return first(f"an operand of {each.reader.name}" for each in _shared(context))


@pass_with(requires=(), ensures=(loops_read_what_is_computed,))
def compute_before_loops(context: PassContext) -> None:
    """Adds the barriers."""
    for loop, reader, number in [*_shared(context)]:
        body, value = Body.before(loop), reader.operands[number]
        kind = ir.RankedTensorType(value.type)
        is_unsigned = element(value).startswith("ui")
        if is_unsigned:  # which barriers do not take: the same bits go through it as signed ones
            signless = ir.RankedTensorType.get(kind.shape, element_type(element(value)[1:]))
            value = body.op("stablehlo.bitcast_convert", [value], [signless]).results[0]
        barrier = body.op("util.optimization_barrier", [value], [value.type])
        reader.operands[number] = barrier.results[0]
        tie_results(barrier)
        if is_unsigned:
            made = body.op("stablehlo.bitcast_convert", [*barrier.results], [kind])
            reader.operands[number] = made.results[0]


class _LoopUse(NamedTuple):
    """An operand of a loop, or of an op in it."""

    loop: ir.Operation
    reader: ir.Operation
    number: int


def _shared(context: PassContext) -> Iterator[_LoopUse]:
    """The uses by loops of arrays that others read too."""
    functions = {symbol_of(op): op for op in context.defined_functions()}
    if not context.request.is_users:  # the loops of an op of ours share nothing with what follows
        ours = {spec.function for spec in context.request.functions}
        functions = {
            symbol: op
            for symbol, op in functions.items()
            if NETWORK in op.attributes or owner_of(symbol) not in ours
        }
    repeated = context.called_in_loops()
    with_loops = _with_loops(functions)
    for symbol, function in functions.items():
        if symbol not in repeated:
            for op in ops_of(block_of(function)):
                if op.name in CONTROL_FLOW or called_by(op) in with_loops:
                    yield from _shared_by(op)


def _with_loops(functions: Mapping[str, ir.Operation]) -> set[str]:
    """The functions with loops, or that call some."""
    bodies = {symbol: ops_of(block_of(function)) for symbol, function in functions.items()}
    found = {s for s, ops in bodies.items() if any(op.name in CONTROL_FLOW for op in ops)}
    called = {symbol: {*map(called_by, ops)} for symbol, ops in bodies.items()}
    more = found
    while more:
        more = {symbol for symbol, names in called.items() if names & found} - found
        found |= more
    return found


def _shared_by(loop: ir.Operation) -> Iterator[_LoopUse]:
    """The uses of shared arrays by a loop, and by the ops in it."""
    for reader in nested_ops(loop):
        for number, value in enumerate(reader.operands):
            array = _array(value)
            is_computed = (
                isinstance(value.type, ir.RankedTensorType)
                and not isinstance(array.owner, ir.Block)
                and defining(value).block == loop.block
                and defining(array).name not in _IN_NO_GROUP
            )
            if is_computed and any(_read_elsewhere(array, loop)):
                yield _LoopUse(loop, reader, number)


def _array(value: ir.Value) -> ir.Value:
    """The value that a view is of."""
    while not isinstance(value.owner, ir.Block) and defining(value).name in _VIEWS:
        value = defining(value).operands[0]
    return value


def _read_elsewhere(value: ir.Value, loop: ir.Operation) -> Iterator[bool]:
    """For each op that reads an array or a view of it, whether it is outside of a loop."""
    for use in value.uses:
        op: ir.Operation = use.owner.operation
        if op.name in _VIEWS:
            yield from _read_elsewhere(op.results[0], loop)
        else:
            while op.block != loop.block:
                op = op.parent.operation
            yield op != loop

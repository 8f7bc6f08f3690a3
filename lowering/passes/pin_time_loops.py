"""Replaces the decomposition of every time loop by one that updates in place, for GPUs.

Requires: a portable module. For devices that cannot run a whole loop in one dispatch: GPUs.
Matches: the composites that `builder.time_loop` makes, as `fuse_time_loops` does. Composites of one
block with the same number of steps, none of which needs another (the two directions of a layer),
become a single loop in a function, for half as many command buffers. (IREE still issues dispatches
that write in place one after the other.) The loops are those of `gpu.pinned_loop`, which issue many
steps at a time.
Leaves, with a recorded reason: a loop of another form, or whose decomposition belongs to several
composites. Loops that would have been combined with it are pinned one by one.
Ensures: a time loop is a plain one only if `PassContext.plain_loops` names it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence

from rnn_compiler.lowering.analysis.time_loop import TimeLoop, is_time_loop
from rnn_compiler.lowering.gpu.pinned_loop import pinned_loops
from rnn_compiler.lowering.mlir.bindings import bodies, ir, ops_of, symbol_of
from rnn_compiler.lowering.mlir.composites import decomposition_of, loop_attributes
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    take_time_loops,
    time_loops_are_rewritten,
)
from rnn_compiler.lowering.rewriting.edits import call_before
from rnn_compiler.lowering.targets.gpu import Gpu


@pass_with(requires=(), ensures=(time_loops_are_rewritten,))
def pin_time_loops(context: PassContext) -> None:
    """Replaces the decomposition of every time loop of a module."""
    gpu = context.processor if isinstance(context.processor, Gpu) else None
    functions = {symbol_of(op): op for op in ops_of(context.module.body)}
    found = take_time_loops(context)
    blocks = bodies(context.module)
    waiting = deque(joint for block in blocks for joint in _joint_loops(block, found))
    while waiting:
        joint = waiting.popleft()
        names = [decomposition_of(op) for op in joint]
        symbol = "+".join(names)
        try:
            loops = [TimeLoop.of(op, functions) for op in joint]
            made = pinned_loops(symbol, loops, gpu, joint[0].location)
        except Refused as reason:
            if len(joint) > 1:
                waiting.extendleft([op] for op in reversed(joint))
            else:
                context.keep_plain(names[0], str(reason))
            continue
        for function in made:
            function.insert_at(ir.InsertionPoint(functions[names[0]]), {})
        for name in (*names, *(loop_attributes(op).step for op in joint)):
            functions[name].erase()
        _call(symbol, joint)


def _joint_loops(block: ir.Block, known: Container[str]) -> Iterator[list[ir.Operation]]:
    """The time loops of a block with known symbols, in lists of those that may run together."""
    joint: list[ir.Operation] = []
    made: set[ir.Value] = set()  # computed by these loops, or from their results
    for op in ops_of(block):
        is_loop = is_time_loop(op) and decomposition_of(op) in known
        waits = not made.isdisjoint(op.operands)
        if is_loop:
            if joint and (waits or joint[0].operands[0] != op.operands[0]):
                yield joint
                joint, made = [], set()
            joint.append(op)
        if is_loop or waits:
            made.update(op.results)
    if joint:
        yield joint


def _call(symbol: str, joint: Sequence[ir.Operation]) -> None:
    """Replaces composites by one call, at the position of the last."""
    last, results = joint[-1], [result for op in joint for result in op.results]
    made, later = set(results), list[ir.Operation]()
    for op in ops_of(last.block):
        if op == last:
            break
        if not made.isdisjoint(op.operands):
            made.update(op.results)
            later.append(op)
    for op in reversed(later):
        op.move_after(last)
    operands = [operand for op in joint for operand in op.operands]
    called = call_before(last, symbol, operands, [result.type for result in results])
    for old, new in zip(results, called, strict=True):
        old.replace_all_uses_with(new)
    for op in joint:
        op.erase()

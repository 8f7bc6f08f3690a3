"""Gives every time loop a decomposition that updates in place and issues many steps at a time.

Matches the `stablehlo.composite` ops that `time_loop` makes, as `fuse_time_loop` does, for devices
that cannot run a whole loop in one dispatch: GPUs. A loop that is not of the known form
(`recurrence.NotARecurrence`) keeps its plain decomposition. Composites of one block with the same
number of steps, none of which needs another (the two directions of a layer), become a single loop
that a `func.call` runs: half as many command buffers. (IREE 3.13 issues what works in place one
after the other all the same.) Loops are replaced by what `pinned_loop` makes of them.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rnn_compiler.lowering.analysis.time_loop import NotARecurrence, Recurrence
from rnn_compiler.lowering.gpu.matmul_tiles import Gpu
from rnn_compiler.lowering.gpu.pinned_loop import PinnedLoops
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["pin_time_loops"]


def pin_time_loops(module: ir.Module, processor: VectorUnit | Gpu) -> None:
    """Replaces the decomposition of every time loop of a module.

    Args:
        module: The module, changed in place.
        processor: What it will run on.
    """
    gpu = processor if isinstance(processor, Gpu) else None
    with module.context, ir.Location.unknown():
        functions = {_symbol(op.operation): op.operation for op in module.body.operations}
        groups = [group for each in functions.values() for group in _groups(each)]
        for group in groups:
            names = [_decomposition(op) for op in group]
            symbol = "+".join(names)
            try:
                loops = [Recurrence.read(functions[name]) for name in names]
                parsed = ir.Module.parse(PinnedLoops(loops, gpu).text(symbol))
            except NotARecurrence:
                continue
            made = parsed.body.operations[0].operation
            made.clone(ip=ir.InsertionPoint(functions[names[0]]))
            for name in names:
                functions[name].erase()
            if len(group) > 1:
                _call(symbol, group)


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _decomposition(composite: ir.Operation) -> str:
    return ir.FlatSymbolRefAttr(composite.attributes["decomposition"]).value


def _groups(function: ir.Operation) -> Iterator[list[ir.Operation]]:
    """The time loops of a function; in one list those that may run together."""
    for block in function.regions[0].blocks:
        group: list[ir.Operation] = []
        made: set[ir.Value] = set()  # by the loops of the group, and of what they make
        for each in block.operations:
            op = each.operation
            is_loop = op.name == "stablehlo.composite" and "rnn_compiler." in str(
                op.attributes["name"]
            )
            waits = not made.isdisjoint(op.operands)
            if is_loop:
                if group and (waits or group[0].operands[0] != op.operands[0]):
                    yield group
                    group, made = [], set()
                group.append(op)
            if is_loop or waits:
                made.update(op.results)
        if group:
            yield group


def _call(symbol: str, group: Sequence[ir.Operation]) -> None:
    """Puts one call in the place of several composites, at the last."""
    last, results = group[-1], [result for op in group for result in op.results]
    made, waiting = set(results), list[ir.Operation]()
    for each in list(last.block.operations):
        op = each.operation
        if op == last:
            break
        if not made.isdisjoint(op.operands):
            made.update(op.results)
            waiting.append(op)
    for op in reversed(waiting):
        op.move_after(last)
    call = ir.Operation.create(
        "func.call",
        operands=[operand for op in group for operand in op.operands],
        results=[result.type for result in results],
        attributes={"callee": ir.FlatSymbolRefAttr.get(symbol)},
        ip=ir.InsertionPoint(last),
    )
    for old, new in zip(results, call.results, strict=True):
        old.replace_all_uses_with(new)
    for op in group:
        op.erase()

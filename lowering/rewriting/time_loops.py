"""The time loops of a module that a pass may rewrite."""

from __future__ import annotations

from collections import Counter

from rnn_compiler.lowering.analysis.time_loop import is_time_loop
from rnn_compiler.lowering.mlir.bindings import bodies, ir, ops_of
from rnn_compiler.lowering.mlir.composites import decomposition_of
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.schema.symbols import owner_of

__all__ = ["take_time_loops"]


def take_time_loops(context: PassContext) -> dict[str, ir.Operation]:
    """Maps the symbol of each time loop's decomposition to its composite.

    A decomposition that several composites share stays plain, and so do those of functions that
    stay portable.
    """
    found = [
        (decomposition_of(op), op)
        for block in bodies(context.module)
        for op in ops_of(block)
        if is_time_loop(op)
    ]
    times = Counter(symbol for symbol, _ in found)
    for symbol in times:
        if times[symbol] > 1:
            context.keep_plain(symbol, "the decomposition of several composites")
        elif owner_of(symbol) in context.portable:
            context.keep_plain(symbol, "the compiler refused its function with fast loops")
    plain = context.plain_loops
    return {symbol: composite for symbol, composite in found if symbol not in plain}

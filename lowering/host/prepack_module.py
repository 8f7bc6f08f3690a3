"""The functions of a lowered module that pack weights, as a module of their own.

Requires: the module as it would be compiled, with companions (`passes.hoist_weights`).
Ensures: only the functions that pack and their callees remain, so the module compiles for the
machine that packs, with the same results as the whole module.
"""

from __future__ import annotations

from collections.abc import Collection

from rnn_compiler.lowering.mlir.bindings import ir, new_context, ops_of, reached, symbol_of


def prepack_module(module: str, functions: Collection[str]) -> str:
    """The text of a module with some functions of another, and all that these refer to."""
    with new_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module)
        known = {symbol_of(op): op for op in ops_of(parsed.body) if symbol_of(op)}
        needed = reached(known, functions)
        for symbol, op in known.items():
            if symbol not in needed:
                op.erase()
        parsed.operation.verify()
        return parsed.operation.get_asm(enable_debug_info=True)

"""Renames functions of a user's module."""

from __future__ import annotations

from collections.abc import Mapping

from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS
from rnn_compiler.lowering.mlir.bindings import ir, new_context


def with_symbols(text: str, names: Mapping[str, str]) -> str:
    """A module with functions renamed (new symbols by old); symbols that it lacks are ignored."""
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.parse(text)
        symbols = ir.SymbolTable(module.operation)
        for old, new in names.items():
            if old in symbols and old != new:
                ir.SymbolTable.replace_all_symbol_uses(old, new, module.operation)
                ir.SymbolTable.set_symbol_name(symbols[old].operation, new)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)

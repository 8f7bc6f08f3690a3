"""Emitted functions, compiled and loaded here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import iree.runtime as iree

from rnn_compiler.lowering.analysis.values import array_of
from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.compiler.iree_compile import compile_module
from rnn_compiler.lowering.mlir.bindings import ir, new_context, ops_of
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS
from rnn_compiler.lowering.targets.names import resolve_target

__all__ = ["Emit", "compiled"]

Emit = Callable[[FunctionBuilder, list[Array]], Array]
"""Emits a function on its arguments; gives its result."""


def compiled(functions: Sequence[tuple[list[ArrayType], Emit]], folder: Path) -> Any:
    """Functions f0, f1, ... of the types of their arguments, compiled and loaded here."""
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        module, made = ir.Module.create(), dict[str, str]()
        for number, (types, emit) in enumerate(functions):
            function = FunctionBuilder(f"f{number}", [type.mlir for type in types])
            function.finish([emit(function, [array_of(function, x) for x in function.arguments])])
            function.insert_at(ir.InsertionPoint(module.body), made)
        for op in ops_of(module.body):
            if op.name == "func.func":
                del op.attributes["sym_visibility"]
        assert module.operation.verify()
        text = str(module)
    payload = compile_module(text, resolve_target("cpu"), reproducers=folder)
    return iree.load_vm_flatbuffer(payload, driver="local-sync")

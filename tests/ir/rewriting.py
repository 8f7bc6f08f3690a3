"""Runs single passes on the text of a module."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.rewriting.context import (
    PASS_DIALECTS,
    LoweringRequest,
    PassContext,
    Processor,
)
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.specs import FunctionSpec

AVX512 = VectorUnit(bits=512, registers=32)
AVX2 = VectorUnit(bits=256, registers=16)


def rewritten(
    text: str,
    *passes: Callable[[PassContext], None],
    processor: Processor = AVX512,
    functions: Sequence[FunctionSpec] = (),
    is_users: bool = False,
) -> tuple[str, dict[str, str]]:
    """A module after some passes, and the reasons why time loops stay plain."""
    target = resolve_target("cpu" if isinstance(processor, VectorUnit) else "cuda:sm_80")
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        request = LoweringRequest(text, functions, target, "", "", is_users=is_users)
        context = PassContext(ir.Module.parse(text), request, processor)
        for each in passes:
            each(context)
        assert context.module.operation.verify()
        return str(context.module), context.plain_loops


def edited(text: str, *edits: tuple[str, str]) -> str:
    """A text in which some parts, each of which is there, are others."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text

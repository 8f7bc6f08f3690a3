"""A function that calls share (`edits.Calls`) is the one that each of them would emit."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cases import sizes
from numeric.harness import together

from rnn_compiler.lowering.analysis.values import defining
from rnn_compiler.lowering.mlir.bindings import ir, ops_of, reached, symbol_of, symbols_in
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.rewriting.edits import PrivateCalls
from rnn_compiler.lowering.targets.names import resolve_target

STACK = sizes(40, 16, 64, 64, num_layers=2, direction="bidirectional")
OPEN: dict[str, Any] = {**STACK, "seq_length": None, "batch_size": None}


def text_of(module: ir.Module, symbol: str) -> str:
    """A function with all that it refers to, under symbols that are numbered as they occur."""
    ops = {symbol_of(op): op for op in ops_of(module.body) if "sym_name" in op.attributes}
    names = reached(ops, [symbol])
    text = "\n".join(
        ops[name].get_asm(use_local_scope=True, assume_verified=True)
        for name in ops
        if name in names
    )
    numbers: dict[str, str] = {}
    return re.sub(r"@\w+", lambda name: numbers.setdefault(name[0], f"@{len(numbers)}"), text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "variant", "target"),
    [
        ("float32", STACK, "cpu:x86-64-v3"),
        ("bfloat16", STACK, "cpu:x86-64-v4"),
        ("float32", OPEN, "cpu:x86-64-v3"),
    ],
)
def test_it_is_what_each_call_would_emit(
    dtype: str, variant: dict[str, Any], target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key has all that its body depends on."""
    original, shared = PrivateCalls.before, list[str]()

    def before(
        calls: PrivateCalls, op: ir.Operation, name: str, *given: Any, **named: ir.Value
    ) -> list[ir.Value]:
        known = len(calls.made)
        results = original(calls, op, name, *given, **named)
        if len(calls.made) == known:
            again = defining(original(PrivateCalls(calls.module), op, name, *given, **named)[0])
            texts = [
                text_of(calls.module, *symbols_in(call)) for call in (defining(results[0]), again)
            ]
            assert texts[0] == texts[1]
            again.erase()
            shared.append(name)
        return results

    monkeypatch.setattr(PrivateCalls, "before", before)
    built = together(dtype, {"CudnnRNNBackpropV3": variant})
    resolved = resolve_target(target)
    rewrite(LoweringRequest(built.located_text, built.functions, resolved, "fused", "0"))
    assert shared

"""Which instruction multiplies pairs of bfloat16 follows from the target's features."""

from __future__ import annotations

import re

import pytest

from rnn_compiler.cli import main

COMMAND = (
    "emit BlockLSTMV2 --stage lowered --dtype bfloat16 "
    "--dim seq_length=3,batch_size=2,input_size=4,num_units=5 --target"
)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("cpu:aarch64,bf16", {"llvm.aarch64.neon.bfdot"}),
        ("cpu:aarch64,i8mm", set[str]()),
        (
            "cpu:x86_64,avx512bf16,avx512vl",
            {"llvm.x86.avx512bf16.dpbf16ps.128", "llvm.x86.avx512bf16.dpbf16ps.256"},
        ),
        ("cpu:x86_64,x86-64-v4", set[str]()),
        ("cpu:riscv64,v", set[str]()),
    ],
)
def test_instruction(target: str, expected: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND.split(), target]) == 0
    found = set(re.findall(r'call_intrinsic "([^"]*)"', capsys.readouterr().out))
    assert bool(found) == bool(expected)
    assert found <= expected

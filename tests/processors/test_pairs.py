"""The target's features determine which instructions multiply bfloat16 and int8."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

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
def test_instruction(target: str, expected: set[str], cli: Any) -> None:
    found = set(re.findall(r'call_intrinsic "([^"]*)"', cli(*COMMAND.split(), target).out))
    assert bool(found) == bool(expected)
    assert found <= expected


@pytest.mark.parametrize(
    ("target", "bits", "name"),
    [
        ("cpu:x86_64,x86-64-v4,avx512vnni", 512, "llvm.x86.avx512.vpdpbusd.512"),
        ("cpu:x86_64,x86-64-v3,avxvnni", 256, "llvm.x86.avx512.vpdpbusd.256"),
        ("cpu:x86_64,x86-64-v4", 512, "llvm.x86.avx512.pmaddw.d.512"),
        ("cpu:x86_64,x86-64-v3", 256, "llvm.x86.avx2.pmadd.wd"),
        ("cpu:x86_64,avx512f,avxvnni", 512, None),
        ("cpu:x86_64,avx", 256, None),
        ("cpu:generic", 128, "llvm.x86.sse2.pmadd.wd"),
        ("cpu:aarch64,dotprod", 128, "llvm.aarch64.neon.sdot.v4i32.v16i8"),
        ("cpu:aarch64", 128, None),
    ],
)
def test_instruction_for_int8(target: str, bits: int, name: str | None) -> None:
    unit = VectorUnit.of(resolve_target(target))
    format = unit.format("f32", "i8", "f32", inner=5, rows=1)
    assert (unit.bits, dict(format.instructions).get(bits)) == (bits, name)

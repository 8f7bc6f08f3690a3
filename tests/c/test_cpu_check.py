"""Every feature that code may use can be checked, on every architecture."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest
from c.calling import C11, STRICT, run

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.cpu_check import AARCH64, RISCV64, X86, cpu_check
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES


def test_every_known_feature_can_be_asked_for() -> None:
    for architecture, table in (("x86_64", X86), ("aarch64", AARCH64)):
        baseline = ARCHITECTURES[architecture].baseline
        assert cpu_features.known_features(architecture) <= {*baseline, *table}
    for architecture, table in (("x86_64", X86), ("aarch64", AARCH64), ("riscv64", RISCV64)):
        assert cpu_check(architecture, [*table]).function
        assert len({*table.values()}) == len(table)


def test_what_needs_none_asks_for_none() -> None:
    for architecture in ("x86_64", "aarch64", "riscv64", "vax"):
        assert cpu_check(architecture, []) == ((), ())
    assert cpu_check("aarch64", ["neon"]) == ((), ())


@pytest.mark.parametrize(("architecture", "feature"), [("x86_64", "amx-fp16"), ("vax", "d-float")])
def test_features_that_nobody_can_ask_for(architecture: str, feature: str) -> None:
    with pytest.raises(UnsupportedError, match=f"{architecture} processor for {feature}"):
        cpu_check(architecture, [feature])


def test_on_other_architectures() -> None:
    """By Linux's words: bfloat16 is in the second."""
    check = cpu_check("aarch64", ["neon", "dotprod", "bf16"])
    assert check.includes == ("#include <sys/auxv.h>",)
    text = "\n".join(check.function)
    assert "getauxval(AT_HWCAP) & 0x100000ul" in text
    assert "getauxval(AT_HWCAP2) & 0x4000ul" in text


@pytest.mark.skipif(platform.machine() != "x86_64", reason="asks this machine, by cpuid")
@pytest.mark.parametrize("library", ["glibc", "none"])
def test_this_machine_has_what_its_kernel_says(library: str, tmp_path: Path) -> None:
    """Feature by feature: both ways of asking agree with /proc/cpuinfo."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", *cpu_check("x86_64", [*X86]).includes]
    for number, feature in enumerate(X86):
        function = cpu_check("x86_64", [feature]).function
        lines += [f"static int has_{number}(void)", "{", *function, "}"]
    calls = [f'printf("{feature} %d\\n", has_{k}());' for k, feature in enumerate(X86)]
    text = "\n".join([*lines, "int main(void)", "{", *calls, "return 0;", "}"])
    if library == "none":
        text, count = re.subn(r"#if defined __GLIBC__.*", "#if 0", text)
        assert count > 1
    (tmp_path / "main.c").write_text(text + "\n")
    run("gcc", *C11, *STRICT, "main.c", "-o", "main", folder=tmp_path)
    rows = dict(line.split() for line in run("./main", folder=tmp_path).splitlines())
    found = {feature for feature, value in rows.items() if value == "1"}
    known = {*cpu_features.host_features()}
    assert found - known <= {"sahf", "cx16", "xsave"} | (
        found - cpu_features.known_features("x86_64")
    )
    assert known <= found

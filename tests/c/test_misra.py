"""docs/misra.md names every rule of MISRA C:2012 from which the printed C deviates."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import processes
import pytest
from cases import sizes

import rnn_compiler as rc

PAGE = Path(__file__).parents[2] / "docs" / "misra.md"

MODULES = [
    (("BlockLSTMV2", sizes(4, 1, 3, 16)), "cpu:x86-64-v3"),
    (("LSTMBlockCell", {"batch_size": 1, "input_size": 3, "num_units": 16}), "cpu:generic"),
    (("CudnnRNNV3", sizes(None, 1, 3, 16, num_layers=1, is_training=False)), "cpu:x86-64-v2"),
    (("CudnnRNNV3", sizes(4, 3, 3, 16, num_layers=1, is_training=False)), "cpu:aarch64,dotprod"),
]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cppcheck") is None, reason="needs cppcheck and its misra addon")
def test_deviations_are_on_the_page(tmp_path: Path) -> None:
    named = set(re.findall(r"\b\d+\.\d+\b", PAGE.read_text()))
    found: set[str] = set()
    for number, ((op, variant), target) in enumerate(MODULES):
        made = rc.compile_c(rc.build(op, **variant), target, name=f"m{number}")
        made.save(tmp_path)
        command = ["cppcheck", "--addon=misra", "--std=c11", "--enable=style", f"m{number}.c"]
        done = processes.run(*command, cwd=tmp_path)
        found |= set(re.findall(r"\[misra-c2012-([\d.]+)\]", done.stderr))
    assert "15.5" in found, "the checker did not run"
    assert found <= named

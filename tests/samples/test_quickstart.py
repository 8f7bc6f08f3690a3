"""The quickstart runs as in its README."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import processes
import pytest

from rnn_compiler.runtime import load

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "samples" / "quickstart"


def test_the_script_prints_what_the_readme_shows(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(SAMPLE / "quickstart.py"), str(tmp_path / "new")]
    quiet = {**os.environ, "RNN_COMPILER_LOG": "error"}  # of compilations on a slow machine
    done = processes.run(*command, env=quiet)
    assert done.stderr == ""

    shown = (SAMPLE / "README.md").read_text().split("```")[-2]
    headings = re.findall(r"^\d\. .*\n-+$", shown, re.MULTILINE)
    assert len(headings) == 6
    assert re.findall(r"^\d\. .*\n-+$", done.stdout, re.MULTILINE) == headings
    lines = [
        line for line in shown.splitlines() if "bytes" not in line and "difference" not in line
    ]
    for line in lines:
        assert line.removesuffix("...") in done.stdout

    files = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert files == ["lstm.mlir", "lstm.vmfb", "lstm.vmfb.json"]
    program = load(tmp_path / "new" / "lstm.vmfb")
    assert list(program.functions) == ["block_lstm_v2", "block_lstm_grad_v2"]

"""The sample that trains in JAX learns, and IREE gives JAX's results."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import processes
import pytest

from rnn_compiler.runtime import load

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "samples" / "train_jax"


def test_the_script_prints_what_the_readme_shows(tmp_path: Path) -> None:
    """But for the errors, which depend on the machine's rounding."""
    pytest.importorskip("jax", minversion="0.10")
    pytest.importorskip("matplotlib")
    done = processes.run(sys.executable, SAMPLE / "train_jax.py", tmp_path)
    shown = (SAMPLE / "README.md").read_text().split("```")[-2].strip()
    assert re.sub(r"error 0\.\d+", "error", done.stdout.strip()) == re.sub(
        r"error 0\.\d+", "error", shown
    )
    assert "below 0.01: True" in shown
    program = load(tmp_path / "predict.vmfb")
    assert [spec.op for spec in program.manifest.linked] == ["BlockLSTMV2"]
    assert (tmp_path / "train_jax.png").read_bytes().startswith(b"\x89PNG")

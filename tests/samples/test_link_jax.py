"""The sample that links into a JAX model runs as in its README."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rnn_compiler.runtime import load

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "samples" / "link_jax"


def test_the_script_prints_what_the_readme_shows(tmp_path: Path) -> None:
    pytest.importorskip("jax", minversion="0.10")
    command = [sys.executable, str(SAMPLE / "link_jax.py"), str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    shown = (SAMPLE / "README.md").read_text().split("```")[-2].strip().splitlines()
    printed = done.stdout.splitlines()
    assert len(shown) == len(printed) == 4
    assert [line for line in printed if "bytes" not in line] == [
        line for line in shown if "bytes" not in line
    ]
    program = load(tmp_path / "new" / "train_step.vmfb")
    assert [spec.op for spec in program.manifest.linked] == ["BlockLSTMV2", "BlockLSTMGradV2"]

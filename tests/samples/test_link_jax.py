"""The sample that links into a JAX model runs as in its README."""

from __future__ import annotations

import sys
from pathlib import Path

import processes
import pytest

from rnn_compiler.runtime import load

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "samples" / "link_jax"


def test_the_script_prints_what_the_readme_shows(tmp_path: Path) -> None:
    pytest.importorskip("jax", minversion="0.10")
    done = processes.run(sys.executable, SAMPLE / "link_jax.py", tmp_path / "new")
    shown = (SAMPLE / "README.md").read_text().split("```")[-2].strip().splitlines()
    printed = done.stdout.splitlines()
    assert len(shown) == len(printed) == 4
    assert [line for line in printed if "bytes" not in line] == [
        line for line in shown if "bytes" not in line
    ]
    program = load(tmp_path / "new" / "train_step.vmfb")
    assert [spec.op for spec in program.manifest.linked] == ["BlockLSTMV2", "BlockLSTMGradV2"]

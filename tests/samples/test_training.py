"""The samples that train in PyTorch run as in their READMEs."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import processes
import pytest

pytest.importorskip("torch", reason="trains")

SAMPLES = Path(__file__).parents[2] / "samples"


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(SAMPLES / script), *arguments]
    quiet = {**os.environ, "RNN_COMPILER_LOG": "error"}  # of compilations on a slow machine
    done = processes.run(*command, env=quiet)
    assert done.stderr == ""
    return done.stdout


def shown(sample: str) -> str:
    text = (SAMPLES / sample / "README.md").read_text()
    (block,) = re.findall(r"prints:\n\n```\n(.*?)```", text, re.DOTALL)
    return block


def without_figures(lines: str) -> list[str]:
    return re.sub(r"\d\.\d+", "...", lines).split("\n")


@pytest.mark.slow
def test_two_ranks_train_as_one_process() -> None:
    printed = run("data_parallel/train.py")
    assert without_figures(printed) == without_figures(shown("data_parallel"))
    assert "less than 1e-6: True" in printed
    assert "differ by 0 after" in printed


@pytest.mark.slow
def test_a_network_learns_to_write(tmp_path: Path) -> None:
    """With a checkpoint in safetensors, a module of it, and a picture."""
    pytest.importorskip("safetensors", reason="keeps the checkpoint")
    printed = run("train_char_rnn/train.py", str(tmp_path / "new"))
    verdict = printed.strip().splitlines()[-2:]
    assert verdict == shown("train_char_rnn").strip().splitlines()[-2:]
    (loss,) = re.findall(r"steps (\d\.\d+)$", printed, re.MULTILINE)
    assert float(loss) < 1
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert {"char_rnn.safetensors", "char_rnn.vmfb", "char_rnn.irpa", "char_rnn.vmfb.json"} <= names
    if importlib_has("matplotlib"):
        assert "loss.png" in names


def importlib_has(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None

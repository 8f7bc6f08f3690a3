"""The streaming sample runs as in its README."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import processes
import pytest

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "samples" / "streaming"


def test_the_script_prints_what_the_readme_shows(tmp_path: Path) -> None:
    plot = tmp_path / "latency.png"
    command = [sys.executable, "-W", "error", str(SAMPLE / "streaming.py"), "--chunks", "40"]
    done = processes.run(*command, "--plot", plot)
    shown = (SAMPLE / "README.md").read_text().split("```")[-2].strip().splitlines()

    def words(line: str) -> str:
        return re.sub(r"[\d.]+", "N", " ".join(line.split()))

    has_matplotlib = find_spec("matplotlib") is not None
    last = f"written to {plot}" if has_matplotlib else "no plot: matplotlib is not installed"
    assert [words(line) for line in done.stdout.splitlines()] == [*map(words, [*shown, last])]
    assert plot.exists() == has_matplotlib

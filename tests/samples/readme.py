"""The commands that a sample's README shows, run in order."""

from __future__ import annotations

import glob
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from rnn_compiler.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"


def blocks(sample: str) -> list[str]:
    """The fenced blocks of commands and of their output, without those that are not run."""
    text = re.sub(r"<!-- not run: .*?^```.*?^```$", "", read(sample), flags=re.S | re.M)
    return re.findall(r"^```(?:sh|)\n(.*?)^```$", text, re.S | re.M)


def read(sample: str) -> str:
    return (SAMPLES / sample / "README.md").read_text()


def follow(commands: Sequence[str], folder: Path, more: Sequence[str] = ()) -> str:
    """Runs commands in a folder; returns the output of the last one.

    Args:
        commands: Blocks of them. Where a download fails, the test skips.
        folder: The working directory, of this process too.
        more: Flags of C compilers.
    """
    printed = ""
    for line in "".join(commands).replace("\\\n", "").splitlines():
        words = shlex.split(line)
        if words[0] == "rnn-compiler":
            assert main(words[1:]) == 0
        else:
            printed = _run(words, folder, more)
    return printed


def _run(words: list[str], folder: Path, more: Sequence[str]) -> str:
    words = [each for word in words for each in (sorted(glob.glob(word)) or [word])]
    words += more if words[0] == "cc" else ()
    first = {"python": [sys.executable], "pip": [sys.executable, "-m", "pip"]}
    command = [*first.get(words[0], words[:1]), *words[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if words[0] == "pip" and done.returncode:
        pytest.skip(f"{words[-1]} cannot be downloaded here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    return done.stdout

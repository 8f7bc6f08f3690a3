"""The programs in C run as in their README, and give the reference's numbers."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import processes
import pytest
import reference

from rnn_compiler.cli import main

SAMPLE = Path(__file__).parents[2] / "samples" / "c"
BLOCKS = re.findall(r"^```(sh|)\n(.*?)^```$", (SAMPLE / "README.md").read_text(), re.S | re.M)
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def run_block(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the commands of a block next to a copy of the programs; returns the last output."""
    monkeypatch.chdir(folder)
    for program in SAMPLE.glob("*.c"):
        shutil.copy(program, folder)
    printed = ""
    for line in text.replace("\\\n", "").splitlines():
        name, *arguments = shlex.split(line)
        if name == "rnn-compiler":
            assert main(arguments) == 0
            continue
        strict = STRICT if name in ("cc", CROSS[0]) else []
        done = processes.run(name, *strict, *arguments)
        assert done.stderr == ""
        printed = done.stdout
    return printed


@pytest.mark.slow
def test_the_program_prints_what_the_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, commands), (_, shown), *_ = BLOCKS
    assert run_block(commands, tmp_path, monkeypatch) == shown


def test_what_it_prints_is_right() -> None:
    T, B, I, H = 4, 1, 2, 8  # noqa: E741
    rows, gates, units = np.meshgrid(np.arange(I + H), np.arange(4), np.arange(H), indexing="ij")
    w = 0.1 * ((7 * rows + 3 * gates + units) % 11 - 5)
    x = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], np.float64).reshape(T, B, I)
    zero, none = np.zeros((B, H)), np.zeros(H)
    results = reference.block_lstm(
        gate_order="IFCO", seq_len_max=np.int64(T), x=x, cs_prev=zero, h_prev=zero,
        w=w.reshape(I + H, 4 * H), wci=none, wcf=none, wco=none, b=np.zeros(4 * H), cell_clip=0.0,
        use_peephole=False,
    )  # fmt: skip
    printed = [[float(word) for word in line.split()[2:]] for line in BLOCKS[1][1].splitlines()]
    np.testing.assert_allclose(results["h"][:, 0, :3], printed, atol=1e-4)


CROSS = ("aarch64-linux-gnu-gcc", "qemu-aarch64")


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, CROSS)), reason=f"needs {' and '.join(CROSS)}")
def test_for_another_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_block(BLOCKS[3][1], tmp_path, monkeypatch) == BLOCKS[1][1]


@pytest.mark.slow
def test_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They change no number, and do not race.

    Neither in the sample nor in the source file; the object's own atomics are seen by nobody.
    """
    assert "-O2" in BLOCKS[2][1]
    text = BLOCKS[2][1].replace("-O2", "-O1 -g -fsanitize=thread")
    printed = run_block(text, tmp_path, monkeypatch).splitlines()
    assert re.fullmatch(r"1 thread: [\d.]+ ms", printed[0])
    assert re.fullmatch(r"2 threads: [\d.]+ ms", printed[1])
    assert printed[2:] == ["the same bits"]

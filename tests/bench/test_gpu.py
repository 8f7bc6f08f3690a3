"""`python -m benchmarks.gpu`: shows on a CPU that it works; reports a missing GPU."""

from __future__ import annotations

import pytest

import rnn_compiler as rc
from benchmarks import gpu_counts
from benchmarks.gpu import main

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("without_gpu")
def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "device 'cuda' could not be opened" in err


def test_a_row(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.gpu.time_cudnn", lambda case, options: (float("nan"), None))
    options = ["--target", "cpu", "--device", "local-sync", "--size", "3,2,4,4"]
    assert main([*options, "--seconds", "0.01"]) == 0
    out = capsys.readouterr().out
    assert sum(line.split()[:3:2] == ["inference", "float16"] for line in out.splitlines()) == 1
    assert sum(line.split()[:3:2] == ["training", "float32"] for line in out.splitlines()) == 1


def test_counts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is two dispatches in each direction, three in a gradient with lengths; no copies."""
    monkeypatch.setattr(gpu_counts, "ROWS", gpu_counts.ROWS[::2])  # the others differ in sizes
    assert main(["--counts", "--size", "4,2,8,8"]) == 0
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head[-5:] == ["copies", "MB", "copied", "MB", "allocated"]
    steps = [row[row.index("4x2x8x8") + 2] for row in rows]
    assert steps == ["2", "2", "4", "4", "2", "3"]
    assert all(row[-3].isdecimal() for row in rows)
    assert {row[row.index("4x2x8x8") - 1] for row in rows} == {"strong", "weak"}


def test_bytes_are_those_of_the_commands() -> None:
    """Of known arrays: results are cleared before the loop, and the states copied."""
    module = rc.build(
        "BlockLSTMV2", dtype="float32", seq_length=4, batch_size=16, input_size=32, num_units=64
    )
    counts = gpu_counts.count(module, "cuda", 4)
    state, sequence = 16 * 64 * 4, 4 * 16 * 64 * 4
    assert counts.step == 2
    assert counts.copied == 7 * sequence + 2 * state + 2 * 3 * state + 8
    assert counts.allocated >= 7 * sequence + 2 * 3 * state

"""The demo trains, verifies and draws its network, and fails if there is nothing to show."""

from __future__ import annotations

import contextlib
import io
import math
import re
import struct
import sys
from pathlib import Path

import pytest

from rnn_compiler.cli import demo

pytestmark = pytest.mark.slow


def run(output: Path, steps: int) -> tuple[int, str]:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        code = demo.run_demo(output, steps=steps)
    return code, text.getvalue()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, Path]:
    output = tmp_path_factory.mktemp("demo") / "demo.png"
    return *run(output, steps=1000), output


def test_the_loss_falls_below_the_bounds(trained: tuple[int, str, Path]) -> None:
    code, text, _ = trained
    assert code == 0, text
    start, end = (float(number) for number in re.findall(r"(\d\.\d{4}) at the", text))
    assert end < start / 20


def test_the_summary_is_all_that_a_file_gets(trained: tuple[int, str, Path]) -> None:
    _, text, output = trained
    names = [line.split("  ")[0] for line in text.splitlines()]
    assert names[0].strip() == "BlockLSTMV2 + BlockLSTMGradV2"
    assert names[1:-1] == [
        "compiled in",
        "artifact",
        "trained",
        "loss",
        "next sample, held out",
        "alone, held out",
    ]
    assert text.splitlines()[-1] == f"see {output}"


def test_the_picture_is_a_png_of_sane_size(trained: tuple[int, str, Path]) -> None:
    data = trained[2].read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[-8:-4] == b"IEND"
    width, height = struct.unpack(">II", data[16:24])
    assert 1000 <= width <= 2000
    assert 500 <= height <= 1500
    assert len(data) < 500_000


def test_the_same_seed_gives_the_same_network(tmp_path: Path) -> None:
    first, second = (
        re.findall(
            r"^(?:loss|alone|next).*$", run(tmp_path / "demo.png", steps=20)[1], re.MULTILINE
        )
        for _ in range(2)
    )
    assert len(first) == 3
    assert first == second


def test_an_untrained_network_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(tmp_path / "demo.png", steps=1)
    assert code == 1
    assert "cache hit" in text or "cache miss" in text
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("rnn-compiler: error: training did not reach")


def test_without_matplotlib_there_is_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(demo, "NEXT_SAMPLE_BOUND", math.inf)
    monkeypatch.setattr(demo, "ALONE_BOUND", math.inf)
    code, text = run(tmp_path / "demo.png", steps=1)
    assert code == 0
    assert text.splitlines()[-1].endswith("it needs matplotlib, which the extra plot installs")
    assert not (tmp_path / "demo.png").exists()


@pytest.mark.parametrize("name", ["missing/demo.png", "."])
def test_a_bad_output_is_found_before_the_work(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="not a file name in a folder that exists"):
        run(tmp_path / name, steps=1)

"""Figures by release: the last record agrees with the page of benchmarks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import releases

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def test_the_last_release_is_what_the_page_says() -> None:
    figures_of_layers = PAGE.read_text().partition("## Figures")[2]
    rows = re.findall(r"^\| geometric mean \| (.*) \|$", figures_of_layers, re.MULTILINE)
    cudnn, _, others, _, chunks, *_ = ([cell.strip() for cell in row.split("|")] for row in rows)
    inference, bfloat16, training, _ = cudnn
    block, block_training, gru, gru_training, *_ = others
    said = {
        "CudnnRNN lstm, inference": inference,
        "CudnnRNN lstm, inference in bfloat16": bfloat16,
        "CudnnRNN lstm with its gradient": training,
        "CudnnRNN gru, inference": gru,
        "CudnnRNN gru with its gradient": gru_training,
        "BlockLSTMV2": block,
        "BlockLSTMV2 with its gradient": block_training,
        "a chunk of a stream": chunks[-1],
    }
    figures = releases.read()[-1]["figures"]
    assert figures.keys() == said.keys()
    for group, cell in said.items():
        assert [float(each) for each in cell.split(", ")] == [
            each for each in figures[group] if each is not None
        ], group
    assert set(releases.BARS) <= set(figures)


@pytest.mark.slow
def test_the_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for draw in (releases.draw_last, releases.draw_over_time):
        draw(tmp_path / f"{draw.__name__}.png")
        assert (tmp_path / f"{draw.__name__}.png").stat().st_size > 10_000

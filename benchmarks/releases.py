"""The figures of each release, and two pictures of them.

    python -m benchmarks.releases

draws samples/speed.png, five figures of the last release, and samples/releases.png, all figures
over the releases. `releases.json` has a record for each release: for each group of rows the
geometric mean of the fastest peer's time over ours, on one and on two threads, from
docs/benchmarks.md of that release.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["BARS", "draw_last", "draw_over_time", "read"]

_RECORDS = Path(__file__).with_name("releases.json")
_SAMPLES = Path(__file__).parents[1] / "samples"

BARS = {
    "a chunk of a stream": "a chunk of a stream\nagainst ONNX Runtime",
    "CudnnRNN lstm, inference": "LSTM inference\nagainst the best of four",
    "CudnnRNN lstm, inference in bfloat16": "the same in bfloat16",
    "CudnnRNN lstm with its gradient": "LSTM training\nagainst the best of two",
    "BlockLSTMV2 with its gradient": "BlockLSTMV2 training\nagainst TensorFlow",
}
"""The five groups on the front page, with their titles there."""

_INK, _FAINT, _OURS = "#3d4852", "#9aa5b1", "#1f4e79"


def read() -> list[dict[str, Any]]:
    """The record of each release, in order."""
    return json.loads(_RECORDS.read_text())


def draw_last(path: Path) -> None:
    """Draws five figures of the last release, on one thread, as bars."""
    from matplotlib.figure import Figure

    values = [read()[-1]["figures"][group][0] for group in BARS]
    figure: Any = Figure(figsize=(7.2, 2.9), dpi=150, layout="constrained")
    axis = figure.subplots()
    heights = range(len(values), 0, -1)
    axis.barh(heights, [value - 1 for value in values], left=1, color=_OURS, height=0.6)
    for height, value in zip(heights, values, strict=True):
        axis.text(value * 1.02, height, f"{value:.2f}".rstrip("0"), va="center", color=_INK)
    axis.set_yticks(heights, BARS.values(), fontsize=9)
    axis.set_xscale("log")
    axis.set_xlim(1, 12)
    axis.set_xticks([1, 1.5, 2, 3, 5, 10], ["as fast", "1.5", "2", "3", "5", "10"], fontsize=9)
    axis.minorticks_off()
    axis.set_xlabel("times as fast as the fastest peer: geometric mean over all sizes, one thread")
    axis.xaxis.label.set(fontsize=9, color=_INK)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(left=False, colors=_INK)
    figure.savefig(path)


def draw_over_time(path: Path) -> None:
    """Draws every figure over the releases, a panel for one thread and one for two."""
    from matplotlib.figure import Figure

    records = read()
    versions = [each["version"] for each in records]
    figure: Any = Figure(figsize=(9, 4), dpi=150, layout="constrained")
    for number, axis in enumerate(figure.subplots(1, 2, sharey=True)):
        for group in records[-1]["figures"]:
            values = [each["figures"].get(group, (None, None))[number] for each in records]
            if any(values):
                known = [value if value else float("nan") for value in values]
                axis.plot(versions, known, marker="o", label=group)
        axis.axhline(1, color=_FAINT, linewidth=1)
        axis.set_yscale("log")
        axis.set_yticks([1, 1.5, 2, 3, 5, 10], ["1", "1.5", "2", "3", "5", "10"])
        axis.minorticks_off()
        axis.set_title(("one thread", "two threads")[number], fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    figure.supylabel("fastest peer's time over ours", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=8, frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    draw_last(_SAMPLES / "speed.png")
    draw_over_time(_SAMPLES / "releases.png")

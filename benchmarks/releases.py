"""The figures of each release, and two pictures of them.

    python -m benchmarks.releases

draws samples/speed.png, five figures of the last release, and samples/releases.png, all figures
over the releases. `releases.json` has a record for each release: for each group of rows the
geometric mean of the fastest peer's time over ours, on one and on two threads, from
docs/benchmarks.md of that release. `other_processors` of a record has what was measured on
other machines than `machine`.
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

_INK, _FAINT = "#76808c", "#9aa5b1"  # both can be read on white and on black
_PROCESSORS = ("#2f7fc1", "#c98a1b")


def read() -> list[dict[str, Any]]:
    """The record of each release, in order."""
    return json.loads(_RECORDS.read_text())


def draw_last(path: Path) -> None:
    """Draws five figures of the last release, on one thread, with a bar for each processor."""
    from matplotlib.figure import Figure

    record = read()[-1]
    processors = [record, *record["other_processors"]]
    figure: Any = Figure(figsize=(6, 4), dpi=200, layout="constrained")
    axis = figure.subplots()
    for number, (processor, colour) in enumerate(zip(processors, _PROCESSORS, strict=True)):
        values = {group: processor["figures"].get(group, (None,))[0] for group in BARS}
        at = [-place - 0.36 * number for place, value in enumerate(values.values()) if value]
        known = [value for value in values.values() if value]
        axis.barh(
            *(at, [value - 1 for value in known]),
            **{"left": 1, "color": colour, "height": 0.34, "label": processor["machine"]},
        )
        for height, value in zip(at, known, strict=True):
            side, step = ("left", 1.04) if value >= 1 else ("right", 1 / 1.04)
            beside = {"x": value * step, "y": height, "s": f"{value:.2f}", "ha": side}
            axis.text(**beside, va="center", color=_INK, fontsize=10)
    axis.set_yticks([-place - 0.1 for place in range(len(BARS))], BARS.values(), fontsize=10)
    axis.set_xscale("log")
    axis.set_xlim(0.24, 14)
    ticks = {0.33: "a third", 0.5: "half", 1: "as fast", 2: "2", 5: "5", 10: "10"}
    axis.set_xticks([*ticks], ticks.values(), fontsize=10)
    axis.minorticks_off()
    axis.axvline(1, color=_INK, linewidth=1)
    axis.set_xlabel("times as fast as the fastest peer", fontsize=10, color=_INK)
    axis.spines[:].set_visible(False)
    axis.tick_params(left=False, colors=_INK)
    figure.legend(loc="outside lower left", fontsize=9, frameon=False, labelcolor=_INK)
    figure.savefig(path, transparent=True)


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

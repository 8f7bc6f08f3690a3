"""The picture: the best peer's time relative to ours in every row, and those of the other peers.

There is one panel per group and one row per size, with a logarithmic axis around the line of equal
speed. Many panels are arranged in two columns.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.contests import Outcome
from benchmarks.figures import best_peer, ratio, reached, summaries
from benchmarks.groups import GROUPS, title_of
from benchmarks.results import Results
from benchmarks.rows import OURS

__all__ = ["draw"]

_THREADS = {1: ("#1f4e79", "o"), 2: ("#d1495b", "D")}
_OTHER = ("#6b4c9a", "s")
_PEERS = {"torch": "T", "onnxruntime": "O", "openvino": "V", "jax": "J", "tensorflow": "F"}
_INK, _FAINT = "#3d4852", "#9aa5b1"
_WIN, _LOSS = "#eaf5ec", "#fbeeee"


def draw(results: Results, stem: Path) -> list[Path]:
    """Writes the picture as PNG and SVG.

    Returns:
        The files; none if no row has both us and a peer.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: A file cannot be written.
    """
    import matplotlib
    from matplotlib.figure import Figure

    panels: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        if outcome.section == "peers" and best_peer(outcome) is not None:
            panels.setdefault(outcome.group, []).append(outcome)
    if not panels:
        return []
    columns = columns_of({group: _height(outcomes) for group, outcomes in panels.items()})
    limits = _limits(outcome for group in panels.values() for outcome in group)
    height = max(sum(_height(panels[group]) for group in column) for column in columns)
    figure: Any = Figure(figsize=(6.8 * len(columns), 1.4 + height), dpi=150, layout="constrained")
    for part, column in zip(
        figure.subfigures(1, len(columns), squeeze=False)[0], columns, strict=True
    ):
        rows = [len({outcome.name for outcome in panels[group]}) for group in column]
        axes = part.subplots(len(column), 1, squeeze=False, height_ratios=rows)[:, 0]
        for axis, group in zip(axes, column, strict=True):
            _panel(axis, group, panels[group], limits)
            axis.tick_params(labelbottom=axis is axes[-1])
    figure.suptitle(
        textwrap.fill(_TITLE, 44 * len(columns)),
        fontsize=14,
        fontweight="bold",
        color=_INK,
    )
    caption = [textwrap.fill(line, 95 * len(columns)) for line in _caption(results)]
    _legend(figure, panels, "\n".join(caption))
    files = [stem.with_suffix(suffix) for suffix in (".png", ".svg")]
    with matplotlib.rc_context({"svg.hashsalt": "rnn-compiler", "svg.fonttype": "none"}):
        for file in files:
            figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    return files


_TITLE = "The fastest peer's time over ours: right of the line, rnn-compiler is faster"

_ROW, _HEAD = 0.34, 0.35
"""Inches of height for a row, and for the title of a panel."""


_HIGH = 6.0
"""The maximum height of a single column in inches."""


def _height(outcomes: Sequence[Outcome]) -> float:
    """The height of a panel, in inches."""
    return _HEAD + _ROW * len({outcome.name for outcome in outcomes})


def columns_of(heights: dict[str, float]) -> list[list[str]]:
    """Panels in one column, or in two of similar height if one would be too high; in order."""
    names = list(heights)
    total = sum(heights.values())
    if total <= _HIGH:
        return [names]

    def uneven(cut: int) -> float:
        return abs(total - 2 * sum(heights[name] for name in names[:cut]))

    cut = min(range(1, max(2, len(names))), key=uneven)
    return [part for part in (names[:cut], names[cut:]) if part]


def _limits(outcomes: Any) -> tuple[float, float]:
    """The same axis for all panels, with 1 well inside and nothing cut off."""
    values: list[float] = []
    for outcome in outcomes:
        found = [ratio(outcome, label, OURS) for label in outcome.tracks if label != OURS]
        values += [x for each in found if each for x in (each.low, each.high)]
    return min(0.5, min(values) / 1.25), max(2.0, max(values) * 1.25)


def _panel(axis: Any, group: str, outcomes: Sequence[Outcome], limits: tuple[float, float]) -> None:
    names = list(dict.fromkeys(outcome.name for outcome in outcomes))
    axis.set_xscale("log")
    axis.set_xlim(*limits)
    axis.axvspan(limits[0], 1, color=_LOSS, zorder=0)
    axis.axvspan(1, limits[1], color=_WIN, zorder=0)
    axis.axvline(1, color=_INK, lw=1.5, zorder=2)
    for row in range(len(names) - 1):
        axis.axhline(row + 0.5, color="white", lw=1.5, zorder=1)
    counts = sorted({outcome.threads for outcome in outcomes})
    for number, threads in enumerate(counts):
        color, marker = _THREADS.get(threads, _OTHER)
        offset = (number - (len(counts) - 1) / 2) * 0.44
        for outcome in outcomes:
            if outcome.threads == threads:
                _row(axis, outcome, names.index(outcome.name) + offset, color, marker)
    _heading(axis, group, outcomes)
    axis.set_yticks(range(len(names)), [name.replace("x", " x ") for name in names])
    axis.set_ylim(len(names) - 0.5, -0.5)
    steps = _WIDE_TICKS if limits[1] / limits[0] > 400 else _TICKS
    ticks = [t for t in steps if limits[0] <= t <= limits[1]]
    axis.set_xticks(ticks, [f"{t:g}x" for t in ticks])
    axis.minorticks_off()
    axis.tick_params(colors=_INK, length=0, labelsize=8.5)
    axis.grid(axis="x", color="white", lw=0.8, zorder=1)
    for side in axis.spines.values():
        side.set_visible(False)


def _heading(axis: Any, group: str, outcomes: Sequence[Outcome]) -> None:
    """The title of a panel above the sizes; the means, and the aim, above the numbers."""
    means = ", ".join(f"{each.mean:.2f}" for each in summaries(outcomes))
    aim = GROUPS[group].aim if group in GROUPS else None
    texts = ((title_of(group), -0.36, "left"), (f"mean {means}", 1.01, "left"))
    for text, x, side in texts:
        axis.text(
            x,
            1.02,
            text,
            transform=axis.transAxes,
            ha=side,
            va="bottom",
            fontsize=9.5,
            fontweight="bold",
            color=_INK,
        )
    if aim:
        axis.axvline(aim, color=_FAINT, lw=1, ls=":", zorder=2)


_TICKS = (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128)
_WIDE_TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)


def _row(axis: Any, outcome: Outcome, y: float, color: str, marker: str) -> None:
    """The best peer as a mark with its quartiles, the others as letters; numbers at the right.

    The mark is hollow if other processes disturbed the measurement.
    """
    best = best_peer(outcome)
    assert best is not None
    label, found = best
    axis.plot([1, found.median], [y, y], color=color, lw=1, alpha=0.45, zorder=3)
    axis.plot([found.low, found.high], [y, y], color=color, lw=3.5, alpha=0.5, zorder=4)
    fill, edge = ("white", color) if outcome.disturbed else (color, "white")
    axis.plot(found.median, y, marker, mfc=fill, mec=edge, ms=6.5, mew=0.9, zorder=5)
    for other in outcome.tracks:
        against = ratio(outcome, other, OURS)
        if other not in (label, OURS) and against is not None:
            letter = f"${_PEERS.get(other, other[0])}$"
            axis.plot(against.median, y, marker=letter, color=color, alpha=0.6, ms=5.5, mew=0.3)
    text = f"{found.median:.2f} {label}"
    part = reached(outcome)
    if part is not None:
        text += f", {part:.0%}"
    axis.annotate(
        text,
        (1.01, y),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=8,
        color=color,
        annotation_clip=False,
    )


def _legend(figure: Any, panels: dict[str, list[Outcome]], caption: str) -> None:
    from matplotlib.lines import Line2D

    outcomes = [outcome for group in panels.values() for outcome in group]
    counts = sorted({outcome.threads for outcome in outcomes})
    peers = {label for outcome in outcomes for label in outcome.tracks} - {OURS}
    handles = [
        Line2D([], [], color=color, marker=marker, lw=3.5, alpha=0.8, label=f"best peer, {text}")
        for threads in counts
        for color, marker in [_THREADS.get(threads, _OTHER)]
        for text in [f"{threads} thread{'s' * (threads > 1)} (median, quartiles)"]
    ]
    handles += [
        Line2D([], [], color=_FAINT, marker=f"${letter}$", lw=0, ms=6, label=peer)
        for peer, letter in _PEERS.items()
        if peer in peers
    ]
    if any(outcome.disturbed for outcome in outcomes):
        hollow = {"marker": "o", "mfc": "white", "mec": _FAINT, "lw": 0, "ms": 6.5}
        handles.append(Line2D([], [], label="hollow: disturbed by other processes", **hollow))
    legend = figure.legend(
        handles=handles,
        title=caption,
        title_fontsize=8,
        loc="outside lower center",
        ncols=len(handles) if len(handles) < 6 else -(-len(handles) // 2),
        frameon=False,
        fontsize=8.5,
        labelcolor=_INK,
    )
    legend.get_title().set_color(_FAINT)


def _caption(results: Results) -> list[str]:
    """How to read the picture, and what was measured on which machine."""
    versions = results.versions
    names = (OURS, "torch", "onnxruntime", "openvino", "jax", "tensorflow", "tensorflow-cpu")
    shown = [f"{name} {versions[name]}" for name in names if name in versions]
    machine = results.machine
    return [
        "rows: T x B x I x H; at the right: peer's time over ours, that peer, and how much of the "
        "machine's limit we reach; dotted: the aim of the mean",
        f"{machine['cpu']}; {', '.join(shown)}; {results.created[:10]}",
    ]

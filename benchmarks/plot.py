"""The picture: how many times our time the best peer takes, on every row; and every other peer's.

One panel a workload, one line a size, a logarithmic axis around the line of equal speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.contests import Outcome
from benchmarks.figures import best_peer, geometric_mean, ratio
from benchmarks.results import Results
from benchmarks.rows import OURS, WORKLOADS

__all__ = ["draw"]

_THREADS = {1: ("#1f4e79", "o"), 2: ("#d1495b", "D")}
_OTHER = ("#6b4c9a", "s")
_PEERS = {"torch": "T", "onnxruntime": "O", "jax": "J", "tensorflow": "F"}
_INK, _FAINT = "#3d4852", "#9aa5b1"
_WIN, _LOSS = "#eaf5ec", "#fbeeee"


def draw(results: Results, stem: Path) -> list[Path]:
    """Writes the picture as PNG and SVG beside each other.

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
    names = list(dict.fromkeys(o.name for group in panels.values() for o in group))
    figure: Any = Figure(
        figsize=(2.2 + 3.3 * len(panels), 2.6 + 0.62 * len(names)), dpi=150, layout="constrained"
    )
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    limits = _limits(outcome for group in panels.values() for outcome in group)
    for axis, (group, outcomes) in zip(axes, panels.items(), strict=True):
        _panel(axis, group, outcomes, names, limits)
    axes[0].set_yticks(range(len(names)), [name.replace("x", " x ") for name in names])
    axes[0].set_ylim(len(names) - 0.4, -0.9)
    axes[0].set_ylabel("T x B x I x H", color=_INK)
    figure.suptitle(
        "The fastest peer's time over ours: right of the line, rnn-compiler is faster",
        fontsize=14,
        fontweight="bold",
        color=_INK,
    )
    _legend(figure, panels, _caption(results))
    files = [stem.with_suffix(suffix) for suffix in (".png", ".svg")]
    with matplotlib.rc_context({"svg.hashsalt": "rnn-compiler", "svg.fonttype": "none"}):
        for file in files:
            figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    return files


def _limits(outcomes: Any) -> tuple[float, float]:
    """The same axis for all panels, with 1 well inside and nothing cut off."""
    values: list[float] = []
    for outcome in outcomes:
        found = [ratio(outcome, label, OURS) for label in outcome.tracks if label != OURS]
        values += [x for each in found if each for x in (each.low, each.high)]
    return min(0.5, min(values) / 1.25), max(2.0, max(values) * 1.25)


def _panel(
    axis: Any,
    group: str,
    outcomes: Sequence[Outcome],
    names: Sequence[str],
    limits: tuple[float, float],
) -> None:
    axis.set_xscale("log")
    axis.set_xlim(*limits)
    axis.axvspan(limits[0], 1, color=_LOSS, zorder=0)
    axis.axvspan(1, limits[1], color=_WIN, zorder=0)
    axis.axvline(1, color=_INK, lw=2, zorder=2)
    for row in range(len(names) - 1):
        axis.axhline(row + 0.5, color="white", lw=1.5, zorder=1)
    counts = sorted({outcome.threads for outcome in outcomes})
    means: list[str] = []
    for place, threads in enumerate(counts):
        color, marker = _THREADS.get(threads, _OTHER)
        offset = (place - (len(counts) - 1) / 2) * 0.36
        same = [outcome for outcome in outcomes if outcome.threads == threads]
        for outcome in same:
            _row(axis, outcome, names.index(outcome.name) + offset, color, marker)
        bests = [best_peer(outcome) for outcome in same]
        mean = geometric_mean(best[1].median for best in bests if best)
        means.append(f"{mean:.2f}x on {threads}" if mean else "")
    noun = "thread" if counts == [1] else "threads"
    axis.set_title(
        f"{WORKLOADS[group].title.replace(' + ', chr(10) + '+ ')}\n", fontsize=10.5, color=_INK
    )
    axis.text(
        0.5,
        1.015,
        f"geometric mean {', '.join(means)} {noun}",
        transform=axis.transAxes,
        ha="center",
        fontsize=8,
        color=_INK,
    )
    steps = _WIDE_TICKS if limits[1] / limits[0] > 50 else _TICKS
    ticks = [t for t in steps if limits[0] <= t <= limits[1]]
    axis.set_xticks(ticks, [f"{t:g}x" for t in ticks])
    axis.minorticks_off()
    axis.tick_params(colors=_INK, length=0, labelsize=8.5)
    axis.grid(axis="x", color="white", lw=0.8, zorder=1)
    for side in axis.spines.values():
        side.set_visible(False)


_TICKS = (0.125, 0.25, 0.5, 1, 2, 4, 8)
_WIDE_TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)


def _row(axis: Any, outcome: Outcome, y: float, color: str, marker: str) -> None:
    """The best peer as a mark with its quartiles and number, the others as letters.

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
            axis.plot(against.median, y, marker=letter, color=color, alpha=0.6, ms=5, mew=0.3)
    axis.annotate(
        f"{found.median:.2f} {_PEERS.get(label, label[0])}",
        (found.median, y),
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        fontsize=6.5,
        color=color,
        bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75},
        zorder=6,
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
        ncols=len(handles),
        frameon=False,
        fontsize=8.5,
        labelcolor=_INK,
    )
    legend.get_title().set_color(_FAINT)


def _caption(results: Results) -> str:
    versions = results.versions
    names = (OURS, "torch", "onnxruntime", "jax", "tensorflow", "tensorflow-cpu")
    shown = [f"{name} {versions[name]}" for name in names if name in versions]
    machine = results.machine
    return f"{machine['cpu']}, float32; {', '.join(shown)}; {results.created[:10]}"

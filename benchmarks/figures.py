"""Statistics of rounds. Entrants are compared within a round, under the same conditions.

A ratio is an entrant's time over that of the base, above 1 if the base is faster. The fraction
reached is the limit over the time, 1 if the machine allows no faster.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.contests import Outcome
from benchmarks.rows import OURS

__all__ = [
    "Spread",
    "Summary",
    "best_peer",
    "geometric_mean",
    "ratio",
    "reached",
    "spread",
    "summaries",
]


@dataclass(frozen=True)
class Spread:
    """The median and the quartiles of some numbers.

    Attributes:
        median: The median.
        low: The lower quartile.
        high: The upper quartile.
    """

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Median and quartiles.

    Example:
        >>> spread([1, 2, 3, 4, 5])
        Spread(median=3, low=2.0, high=4.0)
    """
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(statistics.median(values), low, high)


def ratio(outcome: Outcome, label: str, base: str) -> Spread | None:
    """The ratio of an entrant's time to the base's, round by round; None if one is missing."""
    if base not in outcome.tracks or label not in outcome.tracks:
        return None
    pairs = zip(outcome.tracks[label].seconds, outcome.tracks[base].seconds, strict=True)
    return spread([theirs / ours for theirs, ours in pairs])


def best_peer(outcome: Outcome) -> tuple[str, Spread] | None:
    """The fastest peer and its ratio to us; None if we or all peers are missing."""
    ratios = {label: ratio(outcome, label, OURS) for label in outcome.tracks if label != OURS}
    known = [(label, found) for label, found in ratios.items() if found is not None]
    return min(known, key=lambda pair: pair[1].median, default=None)


def geometric_mean(values: Iterable[float]) -> float | None:
    """The geometric mean; None if there are no values.

    Example:
        >>> geometric_mean([0.5, 2.0])
        1.0
    """
    logarithms = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logarithms)) if logarithms else None


def reached(outcome: Outcome, label: str = OURS) -> float | None:
    """The fraction of the machine's limit that an entrant reaches; None if either is missing."""
    if outcome.limit is None or label not in outcome.tracks:
        return None
    return outcome.limit.seconds / spread(outcome.tracks[label].seconds).median


@dataclass(frozen=True)
class Summary:
    """The summary of a group's rows for one number of threads.

    Attributes:
        group: Its name.
        threads: That number.
        rows: The number of rows with both us and a peer.
        mean: The geometric mean of the best peers' times over ours.
        least: The least ratio.
        least_row: The row with the least ratio.
        least_peer: The best peer in that row.
        disturbed: The number of disturbed rows.
    """

    group: str
    threads: int
    rows: int
    mean: float
    least: float
    least_row: str
    least_peer: str
    disturbed: int


def summaries(outcomes: Iterable[Outcome]) -> list[Summary]:
    """A summary for each group and number of threads among the rows against peers."""
    parts: dict[tuple[str, int], list[tuple[Outcome, str, float]]] = {}
    for outcome in outcomes:
        best = best_peer(outcome) if outcome.section in ("peers", "wasm") else None
        if best is not None:
            part = parts.setdefault((outcome.group, outcome.threads), [])
            part.append((outcome, best[0], best[1].median))
    found: list[Summary] = []
    for (group, threads), rows in parts.items():
        row, peer, least = min(rows, key=lambda each: each[2])
        mean = geometric_mean(value for _, _, value in rows)
        assert mean is not None
        disturbed = sum(outcome.disturbed for outcome, _, _ in rows)
        found.append(Summary(group, threads, len(rows), mean, least, row.name, peer, disturbed))
    order = list(dict.fromkeys(each.group for each in found))
    return sorted(found, key=lambda each: (order.index(each.group), each.threads))

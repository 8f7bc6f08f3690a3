"""Figures drawn from rounds. Entrants of a round met the same machine: they are compared there.

A ratio is an entrant's time over that of the base, above 1 where the base is faster.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.contests import Outcome
from benchmarks.rows import OURS

__all__ = ["Spread", "best_peer", "geometric_mean", "ratio", "spread"]


@dataclass(frozen=True)
class Spread:
    """The middle of some numbers, and the middle half of them.

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
    """How many times the base's time an entrant takes, round by round; None if one is missing."""
    if base not in outcome.tracks or label not in outcome.tracks:
        return None
    pairs = zip(outcome.tracks[label].seconds, outcome.tracks[base].seconds, strict=True)
    return spread([theirs / ours for theirs, ours in pairs])


def best_peer(outcome: Outcome) -> tuple[str, Spread] | None:
    """The fastest peer and its ratio to us; None where we or all of them are missing."""
    ratios = {label: ratio(outcome, label, OURS) for label in outcome.tracks if label != OURS}
    known = [(label, found) for label, found in ratios.items() if found is not None]
    return min(known, key=lambda pair: pair[1].median, default=None)


def geometric_mean(values: Iterable[float]) -> float | None:
    """The geometric mean; None of nothing.

    Example:
        >>> geometric_mean([0.5, 2.0])
        1.0
    """
    logarithms = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logarithms)) if logarithms else None

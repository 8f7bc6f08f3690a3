"""Ratios are taken inside a round, and the best peer is the one that costs us most."""

from __future__ import annotations

import pytest

from benchmarks.contests import Outcome, Track
from benchmarks.figures import best_peer, geometric_mean, ratio, spread
from benchmarks.rows import OURS


def outcome(**seconds: list[float]) -> Outcome:
    tracks = {
        name.replace("ours", OURS): Track(values, "", {}, 1.0) for name, values in seconds.items()
    }
    return Outcome("peers", "block", "1x1x1x1", 1, tracks)


def test_a_drift_that_meets_all_does_not_show() -> None:
    """The machine gets ten times slower: the ratio of the medians would be off, this is not."""
    drift = [1.0, 1.0, 4.0, 10.0, 10.0]
    found = ratio(outcome(ours=drift, torch=[3 * d for d in drift]), "torch", OURS)
    assert found is not None
    assert (found.low, found.median, found.high) == (3.0, 3.0, 3.0)


def test_the_ratio_is_of_each_round_not_of_the_medians() -> None:
    found = ratio(outcome(ours=[1.0, 2.0, 4.0], torch=[4.0, 2.0, 1.0]), "torch", OURS)
    assert found is not None
    assert found.median == 1.0
    assert (found.low, found.high) == (0.625, 2.5)


def test_the_best_peer() -> None:
    best = best_peer(outcome(ours=[1.0, 1.0], torch=[2.0, 2.0], jax=[0.5, 0.5]))
    assert best is not None
    assert (best[0], best[1].median) == ("jax", 0.5)


def test_without_us_or_without_peers_there_is_none() -> None:
    assert best_peer(outcome(torch=[1.0])) is None
    assert best_peer(outcome(ours=[1.0])) is None
    assert ratio(outcome(ours=[1.0]), "torch", OURS) is None


def test_rounds_that_do_not_match_are_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        ratio(outcome(ours=[1.0, 1.0], torch=[1.0]), "torch", OURS)


def test_spread_and_mean() -> None:
    assert spread([5.0]).median == spread([5.0]).low == 5.0
    assert spread([4.0, 1.0, 2.0, 3.0]).median == 2.5
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None

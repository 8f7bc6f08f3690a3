"""Ratios are taken within a round, and the best peer is the one with the least ratio."""

from __future__ import annotations

import pytest

from benchmarks.contests import Outcome, Track
from benchmarks.figures import best_peer, geometric_mean, ratio, reached, spread, summaries
from benchmarks.rows import OURS
from benchmarks.work import Limit


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


def test_what_is_reached_is_the_limit_over_the_time() -> None:
    row = outcome(ours=[2.0, 4.0, 5.0], torch=[8.0, 8.0, 8.0])
    assert reached(row) is None
    row.limit = Limit(1.0, "products", 1e9)
    assert (reached(row), reached(row, "torch"), reached(row, "jax")) == (0.25, 0.125, None)


def test_a_summary_has_the_mean_and_the_least_row() -> None:
    rows = [
        Outcome("peers", "block", "one", 2, outcome(ours=[1.0], torch=[2.0], jax=[4.0]).tracks),
        Outcome("peers", "block", "two", 2, outcome(ours=[1.0], torch=[9.0], jax=[0.5]).tracks),
        Outcome("peers", "block", "all alone", 2, outcome(ours=[1.0]).tracks),
        Outcome("peers", "training", "one", 1, outcome(ours=[1.0], jax=[3.0]).tracks),
        Outcome("peers", "block", "one", 1, outcome(ours=[1.0], torch=[0.8]).tracks),
        Outcome("scaling", "block", "T", 1, outcome(ours=[1.0], torch=[0.1]).tracks),
    ]
    rows[0].elsewhere.append(1e3)
    first, second, third = summaries(rows)
    assert (first.group, first.threads, first.rows, first.mean) == ("block", 1, 1, 0.8)
    assert (second.group, second.threads, second.rows) == ("block", 2, 2)
    assert second.mean == pytest.approx(1.0)
    assert (second.least, second.least_row, second.least_peer) == (0.5, "two", "jax")
    assert (first.disturbed, second.disturbed) == (0, 1)
    assert (third.group, third.least) == ("training", 3.0)

"""Running a contest: its entrants take turns, round after round, and every round is kept.

A round of an entrant is the median of some calls, after one that is not counted. How many calls
and rounds there are follows from what a call takes and how much time there is.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.inputs import Arrays
from benchmarks.processes import WorkerError, Workers
from benchmarks.rows import Contest
from benchmarks.worker import Prepared

__all__ = ["Effort", "Outcome", "Track", "run_contest"]

TOLERANCE = 1e-4
"""Of the largest element, or of 1: what float32 results of the same formulas may differ by."""

_MIN_ROUNDS = 3
_MAX_CALLS = 1000
_SETTLE_SECONDS = 0.005
"""Between two entrants, so that the threads of the one before have stopped spinning."""


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        rounds: At most so many rounds.
        turn_seconds: About what an entrant's calls of one round take together.
        contest_seconds: About what a contest takes; slow ones have fewer rounds, at least three.
    """

    rounds: int = 15
    turn_seconds: float = 0.1
    contest_seconds: float = 10.0


@dataclass(frozen=True)
class Track:
    """What was seen of an entrant.

    Attributes:
        seconds: Of one call, in each round.
        configuration: The variant that was measured.
        tried: What a call of each variant took when it was chosen, or why it failed.
        gflops: Operations of the matrix products of a call, in units of 10**9.
    """

    seconds: list[float]
    configuration: str
    tried: dict[str, float | str]
    gflops: float


@dataclass(frozen=True)
class Outcome:
    """What came out of a contest.

    Attributes:
        section: As in the contest.
        group: As in the contest.
        name: As in the contest.
        threads: How many threads everybody had.
        tracks: By entrant's label; the first is what the others are compared with.
        failures: Why the others have none, by label.
    """

    section: str
    group: str
    name: str
    threads: int
    tracks: dict[str, Track] = field(default_factory=dict[str, Track])
    failures: dict[str, str] = field(default_factory=dict[str, str])


def run_contest(
    contest: Contest,
    threads: int,
    workers: Workers,
    effort: Effort,
    report: Callable[[str], None] = lambda state: None,
) -> Outcome:
    """Prepares all entrants, compares what they compute, and lets them take turns."""
    outcome = Outcome(contest.section, contest.group, contest.name, threads)
    ready: dict[str, Prepared] = {}
    entrants = {entrant.label: entrant for entrant in contest.entrants}
    results: Arrays | None = None
    for label, entrant in entrants.items():
        report(f"prepare {label}")
        try:
            prepared = workers.get(entrant.peer).prepare(label, entrant.case)
            if contest.same_results:
                results = results or prepared.results
                check_equal(prepared.results, results)
        except WorkerError as failure:
            outcome.failures[label] = str(failure)
        else:
            ready[label] = prepared
    seconds: dict[str, list[float]] = {label: [] for label in ready}
    calls = {
        label: max(1, min(_MAX_CALLS, int(effort.turn_seconds / prepared.seconds)))
        for label, prepared in ready.items()
    }
    total = sum((calls[label] + 1) * prepared.seconds for label, prepared in ready.items())
    rounds = min(effort.rounds, int(effort.contest_seconds / max(total, 1e-9)))
    for number in range(max(rounds, min(_MIN_ROUNDS, effort.rounds))):
        report(f"round {number + 1}")
        for label in list(seconds):
            time.sleep(_SETTLE_SECONDS)
            try:
                turn = workers.get(entrants[label].peer).time(label, calls[label])
            except WorkerError as failure:
                outcome.failures[label] = str(failure)
                del seconds[label]
            else:
                seconds[label].append(statistics.median(turn))
    for label, turns in seconds.items():
        prepared = ready[label]
        gflops = entrants[label].case.flops / 1e9
        outcome.tracks[label] = Track(turns, prepared.configuration, prepared.tried, gflops)
        workers.get(entrants[label].peer).forget(label)
    return outcome


def check_equal(results: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Checks that two entrants computed the same, so that nobody is measured on something else.

    Raises:
        WorkerError: They did not; says where and by how much.
    """
    if set(results) != set(expected):
        raise WorkerError(f"computes {', '.join(results)} instead of {', '.join(expected)}")
    for name, want in expected.items():
        got = results[name]
        if got.shape != want.shape:
            raise WorkerError(f"{name}: shape {got.shape} instead of {want.shape}")
        scale = max(1.0, float(np.abs(want).max(initial=0)))
        error = float(np.abs(got - want).max(initial=0)) / scale
        if not error <= TOLERANCE:  # also if it is NaN
            raise WorkerError(f"{name} differs from the first entrant's by {error:.2g}")

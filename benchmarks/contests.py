"""Runs a contest: its entrants take turns, round after round, and every round is recorded.

A round of an entrant is the median and the 99th percentile of some calls, after a warm-up call. The
number of calls and rounds depends on the duration of a call and on the time available. Rounds that
other processes disturbed (`quiet`) are discarded if there are enough without them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.inputs import Arrays
from benchmarks.processes import WorkerError, Workers
from benchmarks.quiet import Elsewhere, is_quiet, wait_until_quiet
from benchmarks.rows import MACHINE, Contest
from benchmarks.work import Limit, work_of
from benchmarks.worker import Prepared

__all__ = ["Effort", "Outcome", "Track", "run_contest"]

TOLERANCES = {"float32": 1e-4, "bfloat16": 1.6e-2, "int8": 6e-2}
"""How much results of the same formulas may differ, relative to the largest element or 1; in
bfloat16, four roundings of a number below 1; in int8, the error of the least exact peer."""

_MIN_ROUNDS = 3
_MAX_CALLS = 1000
_SETTLE_SECONDS = 0.005
"""The pause between two entrants, in which the previous one's threads stop spinning."""


@dataclass(frozen=True)
class Effort:
    """How much to measure.

    Attributes:
        rounds: The maximum number of rounds.
        patience: Seconds to spend on waiting for idle processors and on discarded rounds.
        turn_seconds: The approximate duration of an entrant's calls in one round.
        contest_seconds: The approximate duration of a contest; slow ones have fewer rounds, at
            least three.
        trial_seconds: The time to try each variant of an entrant; the fastest takes part.
    """

    rounds: int = 15
    patience: float = 20.0
    turn_seconds: float = 0.1
    contest_seconds: float = 6.0
    trial_seconds: float = 0.2


@dataclass(frozen=True)
class Track:
    """The measurements of an entrant.

    Attributes:
        seconds: The median duration of a call, in each round.
        configuration: The variant that was measured.
        tried: The duration of each variant when it was chosen, or why it failed.
        gflops: Operations of the matrix products of a call, in units of 10**9.
        tails: As `seconds`, but the 99th percentile.
    """

    seconds: list[float]
    configuration: str
    tried: dict[str, float | str]
    gflops: float
    tails: list[float] = field(default_factory=list[float])


@dataclass
class Outcome:
    """The outcome of a contest.

    Attributes:
        section: As in the contest.
        group: As in the contest.
        name: As in the contest.
        threads: The number of threads of each entrant.
        tracks: The measurements by label; the others are compared with the first.
        failures: The reasons for missing tracks, by label.
        elsewhere: The number of processors busy with other work, in each round.
        limit: The shortest possible time on this machine; None if the entrants' work differs, or it
            is unknown.
    """

    section: str
    group: str
    name: str
    threads: int
    tracks: dict[str, Track] = field(default_factory=dict[str, Track])
    failures: dict[str, str] = field(default_factory=dict[str, str])
    elsewhere: list[float] = field(default_factory=list[float])
    limit: Limit | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Identifies it among the outcomes of a run."""
        return self.section, self.group, self.name, self.threads

    @property
    def disturbed(self) -> bool:
        """Whether other work used the processors in most of the rounds."""
        loads = self.elsewhere
        return bool(loads) and not is_quiet(statistics.median(loads), self.threads)


@dataclass
class Round:
    """One turn of every entrant.

    Attributes:
        seconds: The median of the calls of each, by label.
        tails: Their 99th percentile.
        elsewhere: The number of processors busy with other work meanwhile.
    """

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    tails: dict[str, float] = field(default_factory=dict[str, float])
    elsewhere: float = 0.0


def run_contest(
    contest: Contest,
    threads: int,
    workers: Workers,
    effort: Effort,
    report: Callable[[str], None] = lambda state: None,
) -> Outcome:
    """Prepares all entrants, compares their results, and lets them take turns."""
    outcome = Outcome(contest.section, contest.group, contest.name, threads)
    ready = _prepare(contest, workers, outcome, effort, report)
    if contest.same_results and work_of(contest.entrants[0].case).operations:
        _measure_limit(contest, workers, outcome, effort, report)
    calls = {
        label: max(1, min(_MAX_CALLS, int(effort.turn_seconds / prepared.seconds)))
        for label, prepared in ready.items()
    }
    total = sum((calls[label] + 1) * prepared.seconds for label, prepared in ready.items())
    affordable = int(effort.contest_seconds / max(total, 1e-9))
    wanted = max(min(effort.rounds, affordable), min(_MIN_ROUNDS, effort.rounds))
    peers = {entrant.label: entrant.peer for entrant in contest.entrants}

    def take_turns() -> Round:
        one = Round()
        watch = Elsewhere(workers.processes)
        for label in [label for label in ready if label not in outcome.failures]:
            time.sleep(_SETTLE_SECONDS)
            try:
                turn = workers.get(peers[label]).time(label, calls[label])
            except WorkerError as failure:
                outcome.failures[label] = str(failure)
            else:
                one.seconds[label], one.tails[label] = np.percentile(turn, (50, 99)).tolist()
        one.elsewhere = watch.processors()
        return one

    rounds = (
        undisturbed_rounds(take_turns, wanted, threads, workers, effort, report) if ready else []
    )
    outcome.elsewhere.extend(one.elsewhere for one in rounds)
    for label, prepared in ready.items():
        if label not in outcome.failures:
            case = next(entrant.case for entrant in contest.entrants if entrant.label == label)
            outcome.tracks[label] = Track(
                [one.seconds[label] for one in rounds],
                prepared.configuration,
                prepared.tried,
                work_of(case).operations / 1e9,
                [one.tails[label] for one in rounds],
            )
            workers.get(peers[label]).forget(label)
    return outcome


def _prepare(
    contest: Contest,
    workers: Workers,
    outcome: Outcome,
    effort: Effort,
    report: Callable[[str], None],
) -> dict[str, Prepared]:
    """The entrants that can take part; the reasons for the others are recorded in the outcome."""
    ready: dict[str, Prepared] = {}
    results: Arrays | None = None
    for entrant in contest.entrants:
        report(f"prepare {entrant.label}")
        wait_until_quiet(workers.processes, outcome.threads, effort.patience / 4)
        try:
            worker = workers.get(entrant.peer)
            prepared = worker.prepare(entrant.label, entrant.case, effort.trial_seconds)
            if contest.same_results:
                results = results or prepared.results
                check_equal(prepared.results, results, TOLERANCES[entrant.case.dtype])
        except WorkerError as failure:
            outcome.failures[entrant.label] = str(failure)
        else:
            ready[entrant.label] = prepared
    return ready


def _measure_limit(
    contest: Contest,
    workers: Workers,
    outcome: Outcome,
    effort: Effort,
    report: Callable[[str], None],
) -> None:
    """The machine's limit; if it cannot be measured, the outcome records the reason."""
    report("measure the machine")
    wait_until_quiet(workers.processes, outcome.threads, effort.patience / 4)
    try:
        outcome.limit = workers.get(MACHINE).measure("limit", contest.entrants[0].case)
    except WorkerError as failure:
        outcome.failures[MACHINE] = str(failure)


def undisturbed_rounds(
    take_turns: Callable[[], Round],
    wanted: int,
    threads: int,
    workers: Workers,
    effort: Effort,
    report: Callable[[str], None],
) -> list[Round]:
    """The given number of undisturbed rounds, or fewer if patience runs out."""
    quiet: list[Round] = []
    disturbed: list[Round] = []
    patience = effort.patience
    while len(quiet) < wanted:
        report(f"round {len(quiet) + 1} of {wanted}")
        patience -= wait_until_quiet(workers.processes, threads, patience)
        start = time.perf_counter()
        one = take_turns()
        if is_quiet(one.elsewhere, threads):
            quiet.append(one)
            continue
        disturbed.append(one)
        patience -= time.perf_counter() - start
        if patience <= 0 and len(quiet) + len(disturbed) >= wanted:
            break
    return quiet if len(quiet) >= min(_MIN_ROUNDS, wanted) else quiet + disturbed


def check_equal(
    results: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    tolerance: float = TOLERANCES["float32"],
) -> None:
    """Checks that two entrants computed the same.

    Raises:
        WorkerError: Results differ; the message says where and by how much.
    """
    if set(results) != set(expected):
        raise WorkerError(f"computes {', '.join(results)} instead of {', '.join(expected)}")
    for name, want in expected.items():
        got = results[name]
        if got.shape != want.shape:
            raise WorkerError(f"{name}: shape {got.shape} instead of {want.shape}")
        scale = max(1.0, float(np.abs(want).max(initial=0)))
        error = float(np.abs(got - want).max(initial=0)) / scale
        if not error <= tolerance:  # also if it is NaN
            raise WorkerError(f"{name} differs from the first entrant's by {error:.2g}")

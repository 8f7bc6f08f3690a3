"""Disturbed rounds are discarded if there are enough undisturbed ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from benchmarks import contests, quiet
from benchmarks.contests import Effort, Round
from benchmarks.quiet import Elsewhere, is_quiet, wait_until_quiet


class NoWorkers:
    processes: tuple[int, ...] = ()


def undisturbed(
    loads: Iterator[float], wanted: int, patience: float, monkeypatch: pytest.MonkeyPatch
) -> list[float]:
    """The loads of the rounds that are kept, of some that come one after another, a second each."""
    clock = [0.0]

    def take_turns() -> Round:
        clock[0] += 1
        return Round(elsewhere=next(loads))

    monkeypatch.setattr(contests.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(contests, "wait_until_quiet", lambda own, threads, patience: 0.0)
    monkeypatch.setattr(contests, "is_quiet", lambda elsewhere, threads: elsewhere < 1)
    rounds = contests.undisturbed_rounds(
        take_turns,
        wanted,
        1,
        NoWorkers(),  # type: ignore[arg-type]
        Effort(patience=patience),
        lambda state: None,
    )
    return [one.elsewhere for one in rounds]


def test_disturbed_rounds_are_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([0.0, 9.0, 0.1, 9.0, 9.0, 0.2, 0.3, 7.0])
    assert undisturbed(loads, 4, 100, monkeypatch) == [0.0, 0.1, 0.2, 0.3]
    assert next(loads) == 7.0  # no more rounds than it takes


def test_when_patience_ends_three_quiet_rounds_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([0.0, 9.0, 0.1, 9.0, 0.2, 9.0, 9.0, 9.0])
    assert undisturbed(loads, 6, 3, monkeypatch) == [0.0, 0.1, 0.2]


def test_with_fewer_all_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([9.0, 0.0, 8.0, 7.0, 6.0, 5.0])
    assert undisturbed(loads, 4, 2, monkeypatch) == [0.0, 9.0, 8.0, 7.0]


def test_others_may_have_the_processors_that_are_not_measured_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert is_quiet(0.05, 4)
    assert not is_quiet(0.5, 4)
    assert is_quiet(3.05, 1)
    assert not is_quiet(3.5, 1)


def test_what_others_use_is_what_is_used_beyond_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, others = [0.0], [50.0]
    monkeypatch.setattr(quiet.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(Elsewhere, "used_by_others", lambda self: others[0])
    watch = Elsewhere([])
    clock[0], others[0] = 0.05, 50.05
    assert watch.processors() == 0.0  # too short to tell
    clock[0], others[0] = 2.0, 53.0
    assert watch.processors() == 1.5
    others[0] = 49.99  # counters that are read one after another do not quite agree
    assert watch.processors() == 0.0


def test_our_own_work_does_not_count() -> None:
    """Of the same moment, with and without this process."""
    assert quiet.seconds_of(os.getpid()) > 0
    assert quiet.seconds_of(2**22 + 1) == 0  # no such process


def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([5.0, 5.0, 0.0])
    clock = [0.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    monkeypatch.setattr(quiet.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(quiet.time, "sleep", sleep)
    monkeypatch.setattr(Elsewhere, "processors", lambda self: next(loads, 5.0))
    threads = os.cpu_count() or 1
    assert wait_until_quiet([], threads, 10) == pytest.approx(0.45)
    assert wait_until_quiet([], threads, 1) == pytest.approx(1.05)
    assert wait_until_quiet([], threads, 0) == 0.0

"""Workers and contests, with our own worker: its answers, and the messages of failures."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import contests, worker
from benchmarks.contests import Effort, check_equal, run_contest
from benchmarks.peers import PEERS, Peer, Variant
from benchmarks.processes import Worker, WorkerError, Workers, processors
from benchmarks.rows import OURS, TINY, WORKLOADS, Case, Contest, Entrant, Workload
from rnn_compiler import raw_ops

pytestmark = pytest.mark.slow

BLOCK = Case(WORKLOADS["block"], TINY)
NO_SUCH_OP = Case(Workload("none", "none", ("NoSuchOp",), "block", 1), TINY)
EFFORT = Effort(rounds=3, patience=0, turn_seconds=0.002, contest_seconds=0.1, trial_seconds=0.0)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(1, tmp_path_factory.mktemp("workers")) as workers:
        yield workers


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else runs here, as other tests may."""
    monkeypatch.setattr(contests, "is_quiet", lambda elsewhere, threads: True)


@pytest.fixture(scope="module")
def ours(workers: Workers) -> Worker:
    return workers.get(OURS)


@pytest.mark.parametrize(("holds", "said"), [(True, "one way, AMX permitted"), (False, "one way")])
def test_a_configuration_tells_whether_amx_was_permitted(
    holds: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the calls: frameworks ask when they first multiply."""
    called = list[bool]()
    variant = Variant("one way", lambda: called.append(True), lambda _: {"h": np.zeros(1)})
    peer = SimpleNamespace(variants=lambda _: [variant])
    monkeypatch.setattr(worker, "holds_tiles", lambda: holds and bool(called))
    assert worker.Bench(peer).prepare("a", BLOCK, 0).configuration == said


def test_it_computes_the_case_and_times_calls(ours: Worker) -> None:
    from benchmarks.inputs import draw

    prepared = ours.prepare("a", BLOCK)
    drawn = {k: v for k, v in draw(BLOCK).items() if not k.endswith("_grad")}
    expected = raw_ops.BlockLSTMV2(seq_len_max=TINY.T, **drawn)._asdict()
    assert list(prepared.results) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(prepared.results[name], array)
    assert prepared.configuration == "local-sync"
    assert prepared.tried == {"local-sync": prepared.seconds}
    seconds = ours.time("a", 5)
    assert len(seconds) == 5
    assert min(seconds) > 0
    ours.forget("a")
    with pytest.raises(WorkerError, match="KeyError"):
        ours.time("a", 1)


def test_a_failure_is_an_answer_and_the_worker_goes_on(ours: Worker) -> None:
    with pytest.raises(WorkerError, match="NoSuchOp"):
        ours.prepare("b", NO_SUCH_OP)
    assert ours.alive


def test_a_contest_keeps_every_round_of_every_entrant(workers: Workers) -> None:
    sizes = (TINY, TINY._replace(T=4 * TINY.T))
    entrants = tuple(
        Entrant(label, OURS, Case(WORKLOADS["block"], size))
        for label, size in zip(("1x", "4x"), sizes, strict=True)
    )
    said: list[str] = []
    outcome = run_contest(Contest("s", "g", "n", entrants), 1, workers, EFFORT, said.append)
    assert {label: len(track.seconds) for label, track in outcome.tracks.items()} == {
        "1x": 3,
        "4x": 3,
    }
    assert outcome.failures == {}
    assert said == ["prepare 1x", "prepare 4x", "round 1 of 3", "round 2 of 3", "round 3 of 3"]


def test_whoever_fails_is_named_and_the_others_are_measured(workers: Workers) -> None:
    entrants = (Entrant("bad", OURS, NO_SUCH_OP), Entrant("good", OURS, BLOCK))
    outcome = run_contest(Contest("s", "g", "n", entrants), 1, workers, EFFORT)
    assert list(outcome.tracks) == ["good"]
    assert "NoSuchOp" in outcome.failures["bad"]


def test_whoever_computes_something_else_is_not_measured(workers: Workers) -> None:
    clipped = replace(BLOCK.workload, attributes={"use_peephole": False, "cell_clip": 0.1})
    entrants = (Entrant("a", OURS, BLOCK), Entrant("b", OURS, Case(clipped, TINY)))
    outcome = run_contest(Contest("s", "g", "n", entrants, True), 1, workers, EFFORT)
    assert list(outcome.tracks) == ["a"]
    assert "differs from the first entrant's" in outcome.failures["b"]


def test_a_worker_that_dies_is_reported_and_replaced(workers: Workers) -> None:
    worker = workers.get(OURS)
    os.kill(worker.process, signal.SIGKILL)
    with pytest.raises(WorkerError, match="its process ended with -9"):
        worker.time("a", 1)
    again = workers.get(OURS)
    assert again is not worker
    assert again.prepare("a", BLOCK).seconds > 0


def test_a_worker_that_hangs_is_given_up(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = workers.start(OURS)
    monkeypatch.setattr("benchmarks.processes.PATIENCE", 0.05)
    with pytest.raises(WorkerError, match="no answer within"):
        worker.prepare("a", BLOCK, trial_seconds=1.0)
    assert not worker.alive
    worker.close()


def test_a_peer_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: Workers
) -> None:
    monkeypatch.setitem(PEERS, "torch", Peer("benchmarks.peers.none", (), ("no_such_module",)))
    entrants = (Entrant(OURS, OURS, BLOCK), Entrant("torch", "torch", BLOCK))
    outcome = run_contest(Contest("s", "g", "n", entrants), 1, workers, EFFORT)
    assert outcome.failures == {"torch": "not installed: no_such_module"}
    assert list(outcome.tracks) == [OURS]


def test_a_peer_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PEERS, "jax", Peer("benchmarks.peers.nowhere", (), ()))
    monkeypatch.setattr(contests.time, "sleep", lambda seconds: None)
    # the worker's own table still has the real one, whose package may or may not be here
    with Workers(1, tmp_path) as workers:
        (tmp_path / "jax.log").write_text("")
        monkeypatch.setattr("sys.executable", "/bin/false")
        with pytest.raises(WorkerError, match="its process ended with 1"):
            workers.get("jax")


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({"h": np.zeros((2, 3))}, "computes h instead of h, c"),
        ({"h": np.zeros((2, 3)), "c": np.zeros(3)}, r"c: shape \(3,\) instead of \(2,\)"),
        ({"h": np.full((2, 3), 2e-4), "c": np.zeros(2)}, "h differs .* by 0.0002"),
        ({"h": np.full((2, 3), np.nan), "c": np.zeros(2)}, "h differs .* by nan"),
    ],
)
def test_results_are_compared(results: dict[str, Any], message: str) -> None:
    expected = {"h": np.zeros((2, 3)), "c": np.zeros(2)}
    check_equal(expected, expected)
    check_equal({"h": np.full((2, 3), 5e-5), "c": np.zeros(2)}, expected)
    with pytest.raises(WorkerError, match=message):
        check_equal(results, expected)


def test_threads_are_processors_of_this_process() -> None:
    assert processors(1) == sorted(os.sched_getaffinity(0))[:1]
    with pytest.raises(ValueError, match="this process has"):
        processors(10**6)

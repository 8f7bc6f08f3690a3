"""A caller that waits for workers does not preempt them."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.runtime.device import devices, waiting
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.device.waiting import GivingWay, wait

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="Linux's policies")


def test_inside_and_afterwards() -> None:
    with GivingWay():
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
    with pytest.raises(KeyError), GivingWay():
        raise KeyError
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_another_policy_stays() -> None:
    found: list[int] = []

    def work() -> None:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        with GivingWay():
            pass
        found.append(os.sched_getscheduler(0))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [os.SCHED_BATCH]


def test_a_system_that_forbids_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with GivingWay():
        pass


@pytest.mark.parametrize(
    ("device", "policy"), [("local-task", "SCHED_BATCH"), ("local-sync", None)]
)
def test_only_calls_that_wait_for_workers(
    device: str, policy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    set_policy = os.sched_setscheduler

    def note(thread: int, to: int, parameter: os.sched_param) -> None:
        seen.append(to)
        set_policy(thread, to, parameter)

    monkeypatch.setenv("RNN_COMPILER_CALLS", "iree")
    sizes = {"seq_length": 2, "batch_size": 1, "input_size": 3, "num_units": 4}
    program = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", **sizes)), device)
    given = {a.name: np.zeros(a.shape, a.dtype) for a in program.block_lstm_v2.spec.arguments}
    monkeypatch.setattr(os, "sched_setscheduler", note)
    program(**given)
    assert seen == ([getattr(os, policy), waiting.NORMAL_POLICY] if policy else [])


@pytest.mark.parametrize("patience", [0.0, 0.05])
@pytest.mark.parametrize("seconds", [0, 0.3])
def test_wait(seconds: float, patience: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """For short and long waits: awake for a while, giving way, then asleep."""
    yields, policies = list[int](), list[int]()
    set_policy, give_way = os.sched_setscheduler, waiting.give_way
    monkeypatch.setattr(waiting, "give_way", lambda: (yields.append(1), give_way()))
    monkeypatch.setattr(
        os, "sched_setscheduler", lambda *given: (policies.append(given[1]), set_policy(*given))
    )
    semaphore = get_device("local-task").hal.create_semaphore(0)
    timer = threading.Timer(seconds, semaphore.signal, (1,))
    begin, used = time.monotonic(), time.thread_time()
    timer.start()
    wait(semaphore, 1, patience)
    assert semaphore.query() == 1
    assert time.monotonic() - begin >= seconds
    if seconds:
        assert bool(yields) == bool(patience)
        assert policies == [os.SCHED_BATCH, os.SCHED_OTHER]
        assert time.thread_time() - used < patience + 0.1
    timer.join()


def test_no_waiting_for_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "give_way", pytest.fail)
    wait(get_device("local-task").hal.create_semaphore(1), 1, 1.0)


@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_wait_for_what_fails(patience: float) -> None:
    semaphore = get_device("local-task").hal.create_semaphore(0)
    timer = threading.Timer(0.05, semaphore.fail, ("out of paper",))
    timer.start()
    with pytest.raises(RuntimeError, match="out of paper"):
        wait(semaphore, 1, patience)
    timer.join()


def test_who_stays_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers of a pool, unless their time is taken from the workers'."""
    monkeypatch.setattr(devices, "processors", lambda: 2)
    monkeypatch.setattr(devices, "throttled", lambda: False)
    assert devices.Device("local-sync").patience == 0
    assert devices.Device("local-task").patience == waiting.PATIENCE
    monkeypatch.setattr(devices, "throttled", lambda: True)
    assert devices.Device("local-task").patience == 0
    monkeypatch.setattr(devices, "throttled", lambda: False)
    monkeypatch.setattr(devices, "processors", lambda: 1)
    assert devices.Device("local-task").patience == 0


def test_others_run_while_one_waits() -> None:
    """A waiting thread holds Python's lock only for a moment."""
    semaphore = get_device("local-task").hal.create_semaphore(0)
    done = threading.Thread(target=wait, args=(semaphore, 1, 60.0))
    done.start()
    end = time.monotonic() + 30
    for _ in range(20):
        time.sleep(0)
    assert time.monotonic() < end
    semaphore.signal(1)
    done.join()

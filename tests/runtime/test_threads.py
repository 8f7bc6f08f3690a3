"""Direct calls on threads have the bits of those on one, also between signals and in a fork."""

from __future__ import annotations

import platform
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import processes
import pytest
from cases import assert_same_bits
from linking import stateful
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.runtime import memo
from rnn_compiler.runtime.direct import prepared
from rnn_compiler.runtime.direct.stepping import CODE, assembled, machine_code
from rnn_compiler.runtime.direct.threads import Threads, Trial

pytestmark = pytest.mark.skipif(
    machine_code() is None or sys.platform != "linux", reason="no direct calls on threads here"
)

LSTM = {"seq_length": 5, "batch_size": 3, "input_size": 9, "num_units": 33}
OPS: dict[str, dict[str, Any]] = {
    "BlockLSTMV2": {**LSTM, "use_peephole": True},
    "BlockLSTMGradV2": {**LSTM, "use_peephole": True},
    "CudnnRNNV3": {**LSTM, "num_layers": 2, "is_training": False, "direction": "bidirectional"},
}


class Always:
    """Instead of a trial."""

    with_threads = True

    def note(self, *_: object) -> None:
        pass


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Has three threads run all direct calls of local-task; lists whether they were free."""
    code, taken = machine_code(), list[bool]()
    assert code is not None
    those = Threads(3, code)
    take = those.take

    def noted() -> bool:
        taken.append(take())
        return taken[-1]

    monkeypatch.setattr(those, "take", noted)
    monkeypatch.setattr(memo, "threads", lambda: those)
    monkeypatch.setattr(memo, "is_for_threads", lambda spec: True)
    monkeypatch.setattr(prepared, "Trial", Always)
    return taken


def loaded(op: str) -> tuple[rc.Program, rc.Program]:
    """A program that runs in the calling thread, and on several."""
    artifact = rc.compile(rc.build(op, **OPS[op]), "cpu")
    return tuple(rc.runtime.load(artifact, each) for each in ("local-sync", "local-task"))


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS)
def test_the_same_bits(op: str, taken: list[bool]) -> None:
    given = draw(op, "float32", OPS[op])
    alone, together = loaded(op)
    wanted = alone(**given)
    for _ in range(5):
        assert_same_bits(together(**given), wanted)
    there = {name: together.to_device(array) for name, array in given.items()}
    for _ in range(5):
        assert_same_bits(together(**there), wanted)
    assert len(taken) > 5
    assert all(taken)


def test_sessions(taken: list[bool]) -> None:
    artifact = rc.compile(rc.link_module(stateful.TEXT, stateful.INFER), "cpu")
    sessions = [
        rc.runtime.load(artifact, each).session(**stateful.states())
        for each in ("local-sync", "local-task")
    ]
    for step in range(5):
        first, second = (each.train(**stateful.arguments(step)) for each in sessions)
        assert_same_bits(second, first)
    assert_same_bits(*(tuple(each.state.values()) for each in sessions))
    assert taken


@pytest.mark.slow
def test_several_callers_at_once(taken: list[bool]) -> None:
    """One has the threads; others run alone."""
    given = draw("BlockLSTMV2", "float32", OPS["BlockLSTMV2"])
    alone, together = loaded("BlockLSTMV2")
    wanted, wrong = alone(**given), list[Exception]()

    def call() -> None:
        try:
            for _ in range(200):
                assert_same_bits(together(**given), wanted)
        except Exception as error:
            wrong.append(error)

    callers = [threading.Thread(target=call) for _ in range(3)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert not wrong
    assert any(taken)


def ways_of_calls(calls: int, seconds: Callable[[int, bool], float]) -> list[bool]:
    """Whether each of some calls had threads, if it takes so long with and without."""
    trial, ways = Trial(), list[bool]()
    for number in range(calls):
        ways.append(trial.with_threads)
        trial.note(ways[-1], seconds(number, ways[-1]))
    return ways


ALONE, TOGETHER = [False], [True]


def test_a_trial_chooses_the_faster_way_and_is_repeated() -> None:
    """After 500 calls, of which five at half the speed are a hundredth; after 20 at least."""
    ways = ways_of_calls(520, lambda number, together: 2e-6 if together == (number < 500) else 4e-6)
    trial = [*5 * ALONE, *5 * TOGETHER]
    assert ways == [*trial, *500 * TOGETHER, *trial]
    ways = ways_of_calls(50, lambda number, together: 2e-6 + 1e-8 * (together == (number < 30)))
    assert ways == [*trial, *20 * ALONE, *trial, *10 * TOGETHER]


def test_long_calls_are_tried_twice() -> None:
    ways = ways_of_calls(10, lambda _, together: 0.02 if together else 0.04)
    assert ways == [*2 * ALONE, *8 * TOGETHER]


def test_without_them_a_trial_chooses_none() -> None:
    """They are taken by others, or the system starts none."""
    trial = Trial()
    for _ in range(20):
        trial.note(False, 1.0)
    assert not trial.with_threads


def test_lists_signals_and_forks() -> None:
    done = processes.run(sys.executable, "-m", "tests.runtime.on_threads")
    assert done.stdout == "right\n"


_COMPILERS = {"x86_64": ["gcc"], "aarch64": ["aarch64-linux-gnu-gcc", "-static"]}


@pytest.mark.slow
@pytest.mark.parametrize("processor", CODE)
def test_machine_code(processor: str, tmp_path: Path) -> None:
    """On this processor, or an emulated one."""
    compiler, *options = _COMPILERS[processor]
    emulator = [] if processor == platform.machine() else [f"qemu-{processor}"]
    for each in (compiler, *emulator):
        if shutil.which(each) is None:
            pytest.skip(f"needs {each}")
    data, starts = assembled(CODE[processor])
    lines = [f"#define CODE {','.join(map(str, data))}"]
    lines += [f"#define {name.upper()} {start}" for name, start in starts.items()]
    (tmp_path / "code.h").write_text("\n".join(lines) + "\n")
    source, program = Path(__file__).with_name("machine_code.c"), tmp_path / "program"
    options += ["-std=c11", "-D_GNU_SOURCE", "-O1", "-pthread", f"-I{tmp_path}"]
    processes.run(compiler, *options, '-DCODE_H="code.h"', source, "-o", program)
    assert processes.run(*emulator, program).stdout == "right\n"

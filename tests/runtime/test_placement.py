"""The default device of functions: small work runs in this thread, large work in several."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest
from cases import CASES, sizes
from numeric.harness import draw, module

import rnn_compiler as rc
from rnn_compiler.chosen_target import current_device
from rnn_compiler.cli.flops import matmul_flops
from rnn_compiler.runtime.device.placement import WORK_FOR_THREADS, default_device, work
from rnn_compiler.schema.specs import FunctionSpec

SMALL = {"batch_size": 2, "input_size": 3, "num_units": 4}
LARGE = {"batch_size": 64, "input_size": 256, "num_units": 256}


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    processors(monkeypatch, 2)


def processors(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Sets the number of processors of this process."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)), raising=False)


def cell(dims: dict[str, int], op: str = "LSTMBlockCell") -> rc.Module:
    return module(op, "float32", dims)


def sequence(**dims: int) -> FunctionSpec:
    """A function of one step of one row, unless otherwise said."""
    lstm = {"seq_length": 1, "batch_size": 1, "input_size": 10, "num_units": 10, **dims}
    (spec,) = module("BlockLSTMV2", "float32", lstm).functions
    return spec


@pytest.fixture(scope="module")
def large() -> rc.Artifact:
    return rc.compile(cell(LARGE), "cpu")


@pytest.mark.parametrize("op", [op for op, case in CASES.items() if not case.only_copies])
def test_the_work_is_known_without_the_compiler(op: str) -> None:
    """Within half of the module's products; one op only seems to have any."""
    built = module(op, "float32", sizes(2, 40, 48, 64, num_layers=2, use_peephole=False))
    (spec,) = built.functions
    flops = matmul_flops(built.text, built.functions)[spec.function]
    if op != "LSTMBlockCellGrad":
        assert flops / 1.5 <= work(spec) <= flops * 1.5


@pytest.mark.parametrize(
    "attributes",
    [{}, {"is_training": False}, {"rnn_mode": "gru", "dropout": 0.5, "time_major": False}],
)
@pytest.mark.parametrize("op", [op for op, case in CASES.items() if not case.only_copies])
def test_the_manifest_says_what_grows_with_the_batch(op: str, attributes: dict[str, Any]) -> None:
    """Which tells weights from the rest."""
    given = {"num_layers": 2, "use_peephole": False, **attributes}
    (two,), (three,) = (module(op, "float32", sizes(4, B, 3, 5, **given)).functions for B in (2, 3))
    pairs = zip(two.arguments + two.results, three.arguments + three.results, strict=True)
    for one, other in pairs:
        assert one.batched == other.batched == (one.shape != other.shape), one.name


@pytest.mark.slow
def test_the_work_of_a_call_decides(tiny: rc.Artifact, large: rc.Artifact) -> None:
    assert rc.runtime.load(tiny).device.uri == "local-sync"
    assert rc.runtime.load(large).device.uri == "local-task"
    none, one = work(sequence(seq_length=0)), work(sequence())
    steps = -((none - WORK_FOR_THREADS) // (one - none))  # rounded up
    assert default_device([sequence(seq_length=steps)]) == "local-task"
    assert default_device([sequence(batch_size=steps)]) == "local-task"
    assert default_device([sequence(seq_length=steps - 1)]) == "local-sync"


def test_reading_many_weights_is_work() -> None:
    """Of a single row as of eight."""
    (spec,) = cell({"batch_size": 1, "input_size": 512, "num_units": 512}).functions
    assert default_device([spec]) == "local-task"


@pytest.mark.slow
def test_an_artifact_has_one_device(tiny: rc.Artifact, large: rc.Artifact) -> None:
    """That of its largest function, and of a bundle's."""
    functions = (*tiny.manifest.functions, *large.manifest.functions)
    assert default_device(functions) == default_device(functions[::-1]) == "local-task"
    assert rc.runtime.load(rc.Bundle((large,))).device.uri == "local-task"


@pytest.mark.slow
def test_who_names_a_device_gets_it(large: rc.Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rc.runtime.load(large, "local-sync").device.uri == "local-sync"
    with rc.target("cpu", device="local-sync"):
        assert current_device(large.manifest.functions) == "local-sync"
    monkeypatch.setenv("RNN_COMPILER_DEVICE", "local-sync")
    assert rc.runtime.load(large).device.uri == "local-sync"
    assert rc.runtime.load(large, "local-task").device.uri == "local-task"
    assert default_device(large.manifest.functions, "cuda") == "local-sync"
    monkeypatch.delenv("RNN_COMPILER_DEVICE")
    assert default_device(large.manifest.functions, "cuda") == "cuda"


@pytest.mark.slow
def test_one_processor_needs_no_threads(
    large: rc.Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    processors(monkeypatch, 1)
    assert rc.runtime.load(large).device.uri == "local-sync"
    monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS
    for count, device in ((1, "local-sync"), (None, "local-sync"), (8, "local-task")):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert rc.runtime.load(large).device.uri == device


def test_raw_ops_choose_by_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    call = rc.raw_ops.LSTMBlockCell
    small_inputs, inputs = (draw("LSTMBlockCell", "float32", dims) for dims in (SMALL, LARGE))
    assert call(**small_inputs, to_host=False).h.device.uri == "local-sync"
    there = call(**inputs, to_host=False)
    assert there.h.device.uri == "local-task"
    monkeypatch.setenv("RNN_COMPILER_DEVICE", "local-sync")
    assert call(**inputs, to_host=False).h.device.uri == "local-sync"
    with rc.target("cpu", device="local-task"):
        assert call(**small_inputs, to_host=False).h.device.uri == "local-task"


def test_raw_ops_run_where_their_arguments_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a device is named: then these are copied to it."""
    call = rc.raw_ops.LSTMBlockCell
    inputs: dict[str, npt.NDArray[Any]] = draw("LSTMBlockCell", "float32", LARGE)
    for device in ("local-sync", "local-task"):
        with rc.target("cpu", device=device):
            first = call(**inputs, to_host=False)
        second = call(**(inputs | {"h_prev": first.h, "cs_prev": first.cs}), to_host=False)
        assert second.h.device.uri == device
    with rc.target("cpu", device="local-sync"):
        again = call(**(inputs | {"h_prev": first.h, "cs_prev": first.cs}), to_host=False)
    assert again.h.device.uri == "local-sync"
    np.testing.assert_allclose(again.h.to_host(), second.h.to_host(), rtol=1e-6)


FORK = """
import os, signal, sys
os.sched_getaffinity = lambda _: {0, 1}
import numpy as np
import rnn_compiler as rc

path, sizes = sys.argv[1], dict(batch_size=64, input_size=256, num_units=256)
program = rc.runtime.load(path)
spec = program.lstm_block_cell.spec
arguments = {a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments}
state = program(**arguments, to_host=False)
def call():
    given = arguments | {"h_prev": state.h}
    return rc.raw_ops.LSTMBlockCell(**given, to_host=False).h.device.uri
print(program.device.uri, call(), flush=True)
if os.fork() == 0:
    signal.alarm(200)
    print(rc.runtime.load(path).device.uri, call(), flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.slow
def test_after_a_fork_threads_are_not_the_default(large: rc.Artifact, tmp_path: Path) -> None:
    """They stay with the parent."""
    path = str(large.save(tmp_path / "large.vmfb"))
    done = processes.python(FORK, path, flags=["-W", "ignore"])
    expected = ["local-task local-task", "local-sync local-sync", "0"]
    assert done.stdout.splitlines() == expected, done.stderr


def test_the_command_line_says_where_it_ran(large: rc.Artifact, tmp_path: Path, cli: Any) -> None:
    path = str(large.save(tmp_path / "large.vmfb"))
    for options, device in (([], "local-task"), (["--device", "local-sync"], "local-sync")):
        assert f"on {device}" in cli("run", path, "--random", *options).out
    cli("check", path)

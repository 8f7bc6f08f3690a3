"""Calls from forked and other processes, and calls with wrong arguments."""

from __future__ import annotations

import inspect
import os
import pickle
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from cases import assert_same_bits
from quick import first, only

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, DeviceError, InvalidArgumentError

Arrays = dict[str, Any]

FORK = """
import os, signal, sys
import numpy as np
import rnn_compiler as rc

program = rc.runtime.load({path!r}, {device!r})
spec = program.block_lstm_v2.spec
arguments = {{a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments}}
weights = {{k: arguments[k] for k in ("w", "wci", "wcf", "wco", "b")}}
stream = program.block_lstm_v2.stream(**weights)
for _ in range(4):  # the last ones are repeated, and directly called
    program.block_lstm_v2(**arguments)
    stream(arguments["x"])
calls = (
    lambda: program.block_lstm_v2(**arguments),
    lambda: stream(arguments["x"]),
    lambda: rc.runtime.load({path!r}, {device!r}),
)
if os.fork() == 0:
    signal.alarm(200)
    for call in calls:
        try:
            call()
            print("ran", flush=True)
        except rc.errors.DeviceError as error:
            print(error, flush=True)
    {end}(0)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.parametrize("end", only(["os._exit", "sys.exit"], "sys.exit"))
@pytest.mark.parametrize(
    ("device", "said"), [("local-sync", "ran"), ("local-task", "do not survive a fork")]
)
def test_after_a_fork(
    artifact: rc.Artifact, tmp_path: Any, device: str, said: str, end: str
) -> None:
    """IREE's threads stay with the parent: the child is told, instead of waiting for ever.

    Nor does it wait for them when it ends.
    """
    path = str(artifact.save(tmp_path / "lstm.vmfb"))
    script = FORK.format(path=path, device=device, end=end)
    done = processes.python(script, flags=["-W", "ignore"])
    lines = done.stdout.splitlines()
    assert (len(lines), done.stderr) == (4, "")
    assert all(said in line for line in lines[:3])
    assert lines[3] == "0"


EXIT = """
import sys, threading, time
import numpy as np
import rnn_compiler as rc

program = rc.runtime.load(sys.argv[1], sys.argv[2])
spec = program.block_lstm_v2.spec
arguments = {a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments}
large = np.zeros((256, 1024), np.float32)

def call():
    while True:
        program.block_lstm_v2(**arguments)

def put():
    while True:
        program.to_device(large)

for work in (call, put) * 2:
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "device", [pytest.param("local-sync", marks=pytest.mark.slow), "local-task"]
)
def test_the_interpreter_exits_while_daemon_threads_call(
    artifact: rc.Artifact, tmp_path: Any, device: str
) -> None:
    """Python would unwind them inside IREE, which aborts the process."""
    path = artifact.save(tmp_path / "lstm.vmfb")
    for _ in range(2):
        done = processes.python(EXIT, path, device)
        assert done.stderr == ""


def test_results_and_raw_ops_travel_between_processes(
    artifact: rc.Artifact, forward: Arrays
) -> None:
    program = rc.runtime.load(artifact)
    results = program.block_lstm_v2(**forward)
    copies = pickle.loads(pickle.dumps(results))
    assert type(copies) is type(results) is type(rc.runtime.load(artifact).block_lstm_v2(**forward))
    assert_same_bits(copies, results)
    assert pickle.loads(pickle.dumps(rc.raw_ops.BlockLSTMV2)) is rc.raw_ops.BlockLSTMV2


def test_arguments_have_names(forward: Arrays) -> None:
    """A common mistake of users of other functions."""
    with pytest.raises(
        TypeError, match=r"BlockLSTMV2\(\) takes no positional arguments: pass its 9"
    ):
        rc.raw_ops.BlockLSTMV2(3, forward["x"])


@pytest.mark.parametrize("what", [None, 5, b"lstm.vmfb", rc], ids=repr)
def test_what_is_no_artifact(what: Any) -> None:
    with pytest.raises(ArtifactError, match="expected an artifact, a bundle or a path, got"):
        rc.runtime.load(what)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "a\0b/manifest.json"])
def test_names_that_no_file_can_have(name: str) -> None:
    with pytest.raises(ArtifactError, match="no such artifact"):
        rc.runtime.load(name)


@pytest.mark.parametrize("which", ["payload", "manifest"])
def test_what_may_never_end_is_not_read(tiny: rc.Artifact, which: str, tmp_path: Path) -> None:
    """A pipe without a writer, or a device such as /dev/zero."""
    path = tiny.save(tmp_path / "tiny.vmfb")
    place = path if which == "payload" else Path(f"{path}.json")
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(ArtifactError, match=rf"{place.name}: cannot be read \(not a regular file"):
        rc.runtime.load(path)
    with pytest.raises(ArtifactError, match=r"/dev/null: cannot be read \(not a regular file"):
        rc.runtime.load("/dev/null")


@pytest.mark.parametrize("device", ["gpu", 5, ["x"]], ids=repr)
def test_what_is_no_device(tiny: rc.Artifact, device: Any) -> None:
    with pytest.raises(DeviceError, match="no device"):
        rc.runtime.load(tiny, device)
    with pytest.raises(DeviceError, match="no device"), rc.target("cpu", device):
        pass


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), "x", None], ids=repr)
def test_what_is_no_timeout(tiny_module: rc.Module, timeout: Any) -> None:
    with pytest.raises(
        InvalidArgumentError, match="compile: 'timeout': expected a positive number"
    ):
        rc.compile(tiny_module, timeout=timeout)


def test_each_target_once(tiny_module: rc.Module) -> None:
    """They would be the same file of a bundle."""
    with pytest.raises(InvalidArgumentError, match="expected each target once"):
        rc.compile(tiny_module, ["cpu:+avx2", "cpu: avx2"])


@pytest.mark.slow
def test_compiling_a_loop_is_deterministic(monkeypatch: pytest.MonkeyPatch) -> None:
    """IREE writes uninitialized memory where a source location has no line."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    dims = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
    payloads = {rc.compile(rc.build("BlockLSTMV2", **dims)).payload for _ in range(2)}
    assert len(payloads) == 1


@pytest.mark.slow
def test_the_log_is_for_everybody() -> None:
    """Not only for the command line."""
    script = "import rnn_compiler.runtime, logging; print(logging.getLogger('rnn_compiler').level)"
    environment = os.environ | {"RNN_COMPILER_LOG": "debug"}
    done = processes.python(script, env=environment)
    assert done.stdout == "10\n"


WARM_CALLS = 80
"""Python functions that a warm call of a raw op may enter, each some 50 to 100 nanoseconds.

It is a count, so no other work on the machine changes it. Each of eight or nine arrays needs five,
to be checked and copied to where it is read. What a call finds out again though an earlier one knew
it shows here: it was 150 when calls of the same types did not find their function by them.
"""


@pytest.mark.parametrize(
    "op", first(["BlockLSTMV2", "CudnnRNNV3", "LSTMBlockCell", "GRUBlockCell"])
)
def test_a_warm_raw_op_enters_few_python_functions(op: str) -> None:
    dims = {"batch_size": 2, "input_size": 3, "num_units": 4}
    dims |= {"seq_length": 2, "batch_size": 1} if op in ("BlockLSTMV2", "CudnnRNNV3") else {}
    dims |= {"num_layers": 1} if op == "CudnnRNNV3" else {}
    (spec,) = rc.build(op, **dims).functions
    arguments = {a.name: np.full(a.shape, a.maximum or 0, a.dtype)[()] for a in spec.arguments}
    raw_op = getattr(rc.raw_ops, op)
    for _ in range(5):
        raw_op(**arguments)
    entered: list[str] = []

    def count(frame: Any, event: str, argument: object) -> None:
        if event == "call":
            entered.append(frame.f_code.co_name)

    sys.setprofile(count)
    try:
        raw_op(**arguments)
    finally:
        sys.setprofile(None)
    assert len(entered) <= WARM_CALLS, Counter(entered).most_common(20)


def test_a_raw_op_says_what_it_takes() -> None:
    signature = inspect.signature(rc.raw_ops.GRUBlockCell)
    assert str(signature) == "(*, x, h_prev, w_ru, w_c, b_ru, b_c, name=None, to_host=True)"


def test_a_raw_op_of_one_result_gives_the_array() -> None:
    size = rc.raw_ops.CudnnRNNParamsSize(
        num_layers=1, num_units=2, input_size=3, T="float32", S="int32"
    )
    assert (type(size), size.tolist()) == (np.ndarray, [4 * 2 * (2 + 3) + 8 * 2])
    assert "A named tuple" not in (rc.raw_ops.CudnnRNNParamsSize.__doc__ or "")

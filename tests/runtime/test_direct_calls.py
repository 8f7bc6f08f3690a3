"""Direct calls: the same bits from any thread; IREE is used where they are not possible."""

from __future__ import annotations

import ctypes
import gc
import io
import logging
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest
from cases import assert_same_bits
from goldens.golden import Golden
from numeric.harness import draw
from numeric.test_goldens import GOLDENS, compiled
from quick import first, only

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.runtime import memo
from rnn_compiler.runtime.direct import executable, functions, stepping
from rnn_compiler.runtime.direct.prepared import PreparedCall
from rnn_compiler.runtime.direct.threads import threads
from rnn_compiler.runtime.program import Program
from rnn_compiler.schema.schedule import SCHEDULES_FILE, Schedules

Load = Callable[..., Program]

DIMS = {"seq_length": 2, "batch_size": 1, "input_size": 3, "num_units": 4}


@pytest.fixture
def through_iree(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads a program that IREE calls."""

    def load(artifact: rc.Artifact, device: str = "local-sync") -> Program:
        with monkeypatch.context() as patch:
            patch.setenv("RNN_COMPILER_CALLS", "iree")
            return rc.runtime.load(artifact, device)

    return load


@pytest.fixture
def direct_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that were called directly, once for each call."""
    calls: list[str] = []
    original = PreparedCall.run

    def run(each: PreparedCall) -> None:
        calls.append(each.plan.function)
        original(each)

    monkeypatch.setattr(PreparedCall, "run", run)
    return calls


@pytest.fixture(scope="module")
def cell() -> rc.Artifact:
    return rc.compile(rc.build("LSTMBlockCell", batch_size=2, input_size=3, num_units=4), "cpu")


def cell_arguments() -> dict[str, npt.NDArray[Any]]:
    dims = {"batch_size": 2, "input_size": 3, "num_units": 4}
    return draw("LSTMBlockCell", "float32", dims)


QUICK = ("37_GRUBlockCell_B2I3H4_f32", "31_BlockLSTMGradV2_T5B2I3H4_f32")


@pytest.mark.parametrize(
    "golden",
    only(GOLDENS, *(each for each in GOLDENS if each.path.stem in QUICK)),
    ids=lambda golden: golden.path.stem,
)
def test_goldens_have_the_same_bits(
    golden: Golden, through_iree: Load, direct_calls: list[str]
) -> None:
    """Of numpy's arrays and of arrays on the device, before their weights are packed and after."""
    artifact, name = compiled(golden, "cpu")
    program = rc.runtime.load(artifact, "local-sync")
    function = program.functions[name]
    wanted = through_iree(artifact).functions[name](**golden.inputs)
    assert direct_calls == []
    assert artifact.manifest.calls[name] == "direct"
    assert_same_bits(function(**golden.inputs), wanted)
    there = {name: program.to_device(array) for name, array in golden.inputs.items()}
    for _ in range(3):
        assert_same_bits(function(**there), wanted)
        assert_same_bits(function(**there, to_host=False), wanted)
    assert len(direct_calls) == 7


@pytest.mark.slow
def test_open_sizes_have_the_same_bits(through_iree: Load, direct_calls: list[str]) -> None:
    """At several sizes of one function, from the second call at a size on."""
    sizes = {"seq_length": None, "batch_size": None, "input_size": 3, "num_units": 4}
    built = rc.build("CudnnRNNV3", **sizes, num_layers=1, is_training=False)
    artifact = rc.compile(built, "cpu")
    program, other = rc.runtime.load(artifact, "local-sync"), through_iree(artifact)
    seen: list[tuple[int, int]] = []
    for steps, rows in ((1, 1), (5, 2), (70, 3), (1, 1), (5, 0)):
        dims = {**DIMS, "seq_length": steps, "batch_size": rows, "num_layers": 1}
        given = draw("CudnnRNNV3", "float32", dims)
        direct_calls.clear()
        for _ in range(2):
            assert_same_bits(program(**given), other(**given))
        again = (steps, rows) in seen
        assert direct_calls == ["cudnn_rnn_v3"] * (1 + again if rows else 0)  # IREE takes size 0
        seen.append((steps, rows))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "names"),
    first([("LSTMBlockCell", ["w", "b"]), ("BlockLSTMV2", ["w"]), ("CudnnRNNV3", ["params"])]),
)
def test_frozen_weights_have_the_same_bits(
    op: str, names: list[str], through_iree: Load, direct_calls: list[str]
) -> None:
    """Those that are packed when a module is loaded, and those that are read as they are."""
    dims: dict[str, Any] = {k: v for k, v in DIMS.items() if op[0] != "L" or k != "seq_length"}
    if op == "CudnnRNNV3":
        dims |= {"num_units": 64, "num_layers": 1, "is_training": False}
    given = draw(op, "float32", {"use_peephole": False, **dims})
    weights = {name: given.pop(name) for name in names}
    artifact = rc.compile(rc.freeze(rc.build(op, **dims), weights), "cpu")
    assert {*artifact.manifest.calls.values()} == {"direct"}
    program, other = rc.runtime.load(artifact, "local-sync"), through_iree(artifact)
    for _ in range(3):
        assert_same_bits(program(**given), other(**given))
    assert len(direct_calls) == 3


def test_small_numbers_are_zero_as_in_iree(cell: rc.Artifact, through_iree: Load) -> None:
    """Where they are not taken for zero, other bits come."""
    tiny = {name: array * np.float32(1e-38) for name, array in cell_arguments().items()}
    before = np.float32(1e-30) * np.float32(1e-12)
    found = rc.runtime.load(cell, "local-sync")(**tiny)
    assert_same_bits(found, through_iree(cell)(**tiny))
    assert np.count_nonzero(found.cs) == 0
    assert np.float32(1e-30) * np.float32(1e-12) == before > 0, "only there"


def test_results_are_arrays_of_their_own(cell: rc.Artifact) -> None:
    program, given = rc.runtime.load(cell, "local-sync"), cell_arguments()
    first = program(**given)
    kept = [array.copy() for array in first]
    program(**{name: array + 1 for name, array in given.items()})
    assert_same_bits(first, kept)
    for array in first:
        array[...] = 7
    assert_same_bits(program(**given), kept)
    assert not any(np.shares_memory(a, b) for a in first for b in first if a is not b)


def test_arrays_of_any_layout(cell: rc.Artifact, through_iree: Load) -> None:
    """Of another order, at any address, not to be written."""
    given = cell_arguments()
    wanted = through_iree(cell)(**given)
    program = rc.runtime.load(cell, "local-sync")
    odd = {name: np.asfortranarray(array) for name, array in given.items()}
    assert_same_bits(program(**odd), wanted)
    for array in odd.values():
        array.setflags(write=False)
    assert_same_bits(program(**odd), wanted)


def test_threads_at_once(cell: rc.Artifact) -> None:
    """Each has separate memory."""
    program, given = rc.runtime.load(cell, "local-sync"), cell_arguments()
    wanted = {k: program(**{**given, "x": given["x"] * k}) for k in range(4)}
    wrong: list[int] = []

    def call(k: int) -> None:
        for _ in range(200):
            found = program(**{**given, "x": given["x"] * k})
            if any(a.tobytes() != b.tobytes() for a, b in zip(found, wanted[k], strict=True)):
                wrong.append(k)

    threads = [threading.Thread(target=call, args=(k,)) for k in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of JAX in this process
def test_a_forked_child(cell: rc.Artifact) -> None:
    program, given = rc.runtime.load(cell, "local-sync"), cell_arguments()
    wanted = program(**given)
    child = os.fork()
    if not child:
        try:
            assert_same_bits(program(**given), wanted)
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("own_garbage")
def test_programs_that_come_and_go(cell: rc.Artifact) -> None:
    """The loader does not confuse libraries whose files had the same descriptor."""

    def mapped() -> int:
        with open("/proc/self/maps") as maps:
            return maps.read().count("memfd:rnn-compiler")

    before = mapped()
    other = rc.compile(rc.build("GRUBlockCell", batch_size=2, input_size=3, num_units=4), "cpu")
    given = draw("GRUBlockCell", "float32", {"batch_size": 2, "input_size": 3, "num_units": 4})
    wanted = rc.runtime.load(cell, "local-sync")(**cell_arguments())
    programs: list[Program] = []
    for _ in range(3):
        programs += [rc.runtime.load(cell, "local-sync"), rc.runtime.load(other, "local-sync")]
        programs[-1](**given)
        assert_same_bits(programs[-2](**cell_arguments()), wanted)
    del programs
    gc.collect()
    assert mapped() - before < 12, "libraries that nobody has are closed"


@pytest.mark.slow
def test_memory_stays_the_same(cell: rc.Artifact) -> None:
    program, given = rc.runtime.load(cell, "local-sync"), cell_arguments()

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(5_000):
        program(**given)
    before = resident()
    for _ in range(40_000):
        program(**given)
    assert resident() - before < 400_000


@pytest.mark.slow
def test_long_work_is_shared_by_threads(
    direct_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On local-task; short work is done in the calling thread."""
    asked = list[Any]()

    def noted() -> Any:
        asked.append(threads())
        return asked[-1]

    monkeypatch.setattr(memo, "threads", noted)
    dims = {"batch_size": 4, "input_size": 128, "num_units": 128}
    built = rc.build("LSTMBlockCell", **dims)
    given = draw("LSTMBlockCell", "float32", dims)
    rc.runtime.load(rc.compile(built, "cpu"), "local-task")(**given)
    assert (direct_calls, asked) == (["lstm_block_cell"], [])
    big = rc.build("BlockLSTMV2", **{**dims, "seq_length": 50})
    given = draw("BlockLSTMV2", "float32", {**dims, "seq_length": 50})
    rc.runtime.load(rc.compile(big, "cpu"), "local-task")(**given)
    assert len(asked) == 1
    assert len(direct_calls) == 1 + (asked[0] is not None)


# Streams.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dims", "fixed"),
    first(
        [
            ("CudnnRNNV3", {**DIMS, "num_layers": 1, "is_training": False}, ["params"]),
            ("LSTMBlockCell", {**DIMS, "use_peephole": True}, ["w", "wci", "wcf", "wco", "b"]),
            ("BlockLSTMV2", {**DIMS, "use_peephole": True}, ["w", "wci", "wcf", "wco", "b"]),
            ("CudnnRNNV3", {**DIMS, "seq_length": None, "num_layers": 1}, ["params"]),
        ],
    ),
)
def test_streams_have_the_same_bits(
    op: str, dims: dict[str, Any], fixed: list[str], through_iree: Load
) -> None:
    """With chunks of several sizes, some of which go through IREE, and states taken and set."""
    dims = {k: v for k, v in dims.items() if op != "LSTMBlockCell" or k != "seq_length"}
    artifact = rc.compile(rc.build(op, **dims), "cpu")
    given = draw(op, "float32", {**dims, **({"seq_length": 2} if "seq_length" in dims else {})})
    weights = {name: given[name] for name in fixed}
    direct = rc.runtime.load(artifact, "local-sync").stream(**weights)
    other = through_iree(artifact).stream(**weights)
    rng = np.random.default_rng(0)
    shape = given["input" if "input" in given else "x"].shape
    first = dict(other.state)
    seen: list[Any] = []
    for steps in (2, 2, 2, 1, 2, 5, 2, 2, 0, 2, 2):
        size = shape if op == "LSTMBlockCell" else (steps, *shape[1:])
        chunk = rng.standard_normal(size).astype(np.float32)
        seen.append((direct(chunk), [array.copy() for array in other(chunk)]))
        if steps == 5:
            assert_same_bits(direct.state.values(), other.state.values())
            kept = direct.state
            direct.reset(**first)
            other.reset(**first)
        if steps == 0:
            direct.reset(**kept)
            other.reset(**kept)
    for found, wanted in seen:  # no later chunk changes results
        assert_same_bits(found, wanted)
    assert_same_bits(direct.state.values(), other.state.values())


@pytest.mark.parametrize("steps", first([None, 2]))
def test_a_stream_is_called_directly(steps: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second chunk of a size on."""
    artifact = rc.compile(rc.build("BlockLSTMV2", **{**DIMS, "seq_length": steps}), "cpu")
    program = rc.runtime.load(artifact, "local-sync")
    given = draw("BlockLSTMV2", "float32", {**DIMS, "use_peephole": False})
    stream = program.stream(**given_weights(given))
    stream(given["x"])
    stream(given["x"])

    def fail(*_: object) -> Any:
        raise AssertionError("through IREE")

    monkeypatch.setattr(program.block_lstm_v2, "launch", fail)
    stream(x=given["x"])
    with pytest.raises(AssertionError, match="through IREE"):
        stream(given["x"][:1])


def test_weights_that_somebody_may_write_to(through_iree: Load) -> None:
    """Exported by DLPack after direct calls of chunks: later writes count."""
    artifact = rc.compile(rc.build("BlockLSTMV2", **DIMS), "cpu")
    program = rc.runtime.load(artifact, "local-sync")
    given = draw("BlockLSTMV2", "float32", {**DIMS, "use_peephole": False})
    weights = {name: program.to_device(value) for name, value in given_weights(given).items()}
    stream = program.stream(**weights)
    for _ in range(3):
        stream(given["x"])
    np.from_dlpack(weights["w"])
    memory: Any = np.ctypeslib.as_array(
        (ctypes.c_float * given["w"].size).from_address(weights["w"].address)
    )
    memory[:] = 0
    stream.reset()
    wanted = through_iree(artifact).stream(**{**given_weights(given), "w": given["w"] * 0})
    assert_same_bits(stream(given["x"]), wanted(given["x"]))


def given_weights(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("w", "wci", "wcf", "wco", "b")}


@pytest.mark.parametrize(
    ("op", "sizes"),
    [
        ("CudnnRNNParamsToCanonical", {"num_layers": 1, "num_params": 8}),
        ("BlockLSTMV2", {"seq_length": 0, "batch_size": 2}),
    ],
)
def test_modules_without_code(
    op: str, sizes: dict[str, int], through_iree: Load, direct_calls: list[str]
) -> None:
    """Calls that only copy, or whose results have no elements; the former return lists."""
    dims = {**sizes, "input_size": 3, "num_units": 4}
    artifact = rc.compile(rc.build(op, **dims), "cpu")
    program, other = rc.runtime.load(artifact, "local-sync"), through_iree(artifact)
    more = {} if "seq_length" not in sizes else {"use_peephole": False}
    given = draw(op, "float32", {**dims, **more})
    for to_host in (True, True, True, False, False):
        found, wanted = program(**given, to_host=to_host), other(**given)
        assert found._fields == wanted._fields
        for one, another in zip(found, wanted, strict=True):
            pairs = ([one], [another]) if not isinstance(one, list) else (one, another)
            assert_same_bits(*pairs)
            assert_same_bits([np.from_dlpack(each) for each in pairs[0]], pairs[1])
    assert len(direct_calls) == 5
    assert [*artifact.manifest.calls.values()] == ["direct"]


# Where it cannot be.


def test_it_can_be_switched_off(
    cell: rc.Artifact, through_iree: Load, direct_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = through_iree(cell)
    program(**cell_arguments())
    assert not program.lstm_block_cell.is_direct
    assert direct_calls == []
    monkeypatch.setenv("RNN_COMPILER_CALLS", "quick")
    with pytest.raises(InvalidArgumentError, match=r"RNN_COMPILER_CALLS.*direct or iree.*'quick'"):
        rc.runtime.load(cell)


def refuse(*_: object, **__: object) -> Any:
    raise PermissionError(1, "Operation not permitted")


def test_a_system_that_refuses_memory_files(
    cell: rc.Artifact,
    direct_calls: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Calls go through IREE, and a log gives the reason."""
    monkeypatch.setattr(os, "memfd_create", refuse)
    with caplog.at_level(logging.DEBUG, "rnn_compiler"):
        program = rc.runtime.load(cell, "local-sync")
    assert "does not load code from memory" in caplog.text
    program(**cell_arguments())
    assert not program.lstm_block_cell.is_direct
    assert direct_calls == []


def test_no_temporary_folder_is_needed(cell: rc.Artifact, tmp_path: Any) -> None:
    """Nor an executable one, because the code is not loaded from a folder."""
    path = cell.save(tmp_path / "cell.vmfb")
    script = (
        "import rnn_compiler as rc, os\n"
        f"program = rc.runtime.load({str(path)!r}, 'local-sync')\n"
        "assert program.lstm_block_cell.is_direct\n"
    )
    environment = {**os.environ, "TMPDIR": "/nowhere", "RNN_COMPILER_CALLS": "direct"}
    processes.python(script, env=environment)


NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc"]
"""Where a user may mount folders, and forbid files in memory that may be executed."""


@pytest.mark.parametrize(
    ("option", "command"),
    [("noexec", "./true"), pytest.param("ro", "touch file", marks=pytest.mark.slow)],
)
def test_folders_of_which_nothing_is_executed(
    option: str, command: str, cell: rc.Artifact, tmp_path: Path
) -> None:
    """Artifact, temporary folder and home are on such a file system, or on one without writing."""
    if shutil.which("unshare") is None or subprocess.run([*NAMESPACE, "true"]).returncode:
        pytest.skip("no namespace can be made here")
    folder = tmp_path / "mounted"
    folder.mkdir()
    cell.save(tmp_path / "cell.vmfb")
    script = (
        "import rnn_compiler as rc, os\n"
        "os.environ['RNN_COMPILER_CALLS'] = 'direct'\n"
        "program = rc.runtime.load('cell.vmfb', 'local-sync')\n"
        "assert program.lstm_block_cell.is_direct\n"
    )
    commands = [
        f"mount -t tmpfs -o size=16m tmpfs '{folder}'",
        f"cp '{tmp_path}'/cell.vmfb* '{folder}' && cp /bin/true '{folder}'",
        f"mount -o remount,{option} '{folder}'",
        f"cd '{folder}'; export TMPDIR=$PWD HOME=$PWD",
        f"if {command} 2>/dev/null; then echo '{command} works'; exit 1; fi",
        "! test -e /proc/sys/vm/memfd_noexec || echo 2 > /proc/sys/vm/memfd_noexec",
        f'exec {sys.executable} -B -c "{script}"',
    ]
    processes.run(*NAMESPACE, "sh", "-ec", "\n".join(commands))


def with_member(artifact: rc.Artifact, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """A payload with another member."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(artifact.payload)) as old, zipfile.ZipFile(file, "w") as new:
        for each in old.namelist():
            data = old.read(each)
            new.writestr(each, change(data) if each.endswith(name) else data)
    return file.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: b"{}",
        lambda data: data.replace(b'"version":1', b'"version":2'),
        lambda data: data[:-3],
        lambda data: data.replace(b'["s",0', b'["s",9'),
        lambda data: data.replace(b'"dispatch","', b'"dispatch","no_'),
        lambda data: data.replace(b'"arguments":[', b'"arguments":["x",'),
    ],
)
def test_damaged_schedules(cell: rc.Artifact, change: Any) -> None:
    """The payload's digest is right, but its origin may not be trustworthy."""
    found = functions.direct_functions(with_member(cell, SCHEDULES_FILE, change))
    spec = cell.manifest.functions[0]
    assert not found or found["lstm_block_cell"].at(spec, {}) is None


@pytest.mark.parametrize(
    "change", [lambda data: b"", lambda data: data[:100], lambda data: b"x" * 99]
)
def test_damaged_code(cell: rc.Artifact, change: Any) -> None:
    assert functions.direct_functions(with_member(cell, ".so", change)) == {}


def test_a_damaged_payload_is_not_loaded(cell: rc.Artifact) -> None:
    """Its digest is verified before anything of it is read."""
    damaged = replace(cell, payload=cell.payload[:-1] + bytes([cell.payload[-1] ^ 1]))
    with pytest.raises(rc.errors.ArtifactError, match="damaged"):
        rc.runtime.load(damaged)


def test_without_schedules(cell: rc.Artifact) -> None:
    """A payload of an older version or of another compiler."""
    assert functions.direct_functions(b"") == {}
    assert functions.direct_functions(cell.payload[:200]) == {}


def test_schedules_are_read_as_they_are_written(cell: rc.Artifact) -> None:
    with zipfile.ZipFile(io.BytesIO(cell.payload)) as archive:
        text = archive.read(SCHEDULES_FILE).decode()
    assert Schedules.from_json(text).to_json() == text


def test_calls_one_by_one(
    cell: rc.Artifact, through_iree: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a processor without machine code for the loop."""
    wanted = through_iree(cell)(**cell_arguments())
    monkeypatch.setattr(stepping, "machine_code", lambda: None)
    stepping.runner.cache_clear()
    assert_same_bits(rc.runtime.load(cell, "local-sync")(**cell_arguments()), wanted)
    stepping.runner.cache_clear()


def test_paths_of_descriptors_differ() -> None:
    """And lead to the same."""
    with executable.memory_file(b"abc") as descriptor:
        paths = {executable.unique_path(descriptor) for _ in range(100)}
        assert len(paths) == 100
        for path in paths:
            with open(path, "rb") as file:
                assert os.read(file.fileno(), 3) == b"abc"
                os.lseek(descriptor, 0, 0)

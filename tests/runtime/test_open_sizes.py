"""Open sizes in manifests, errors, streams, the cache and commands; and where they are refused."""

from __future__ import annotations

import functools
import gc
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.errors import (
    ArtifactError,
    DeviceError,
    InvalidArgumentError,
    UnsupportedError,
)
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.schema.manifest import Manifest
from rnn_compiler.schema.open_sizes import bound, open_dimension, parse, written

SIZES = {"batch_size": 2, "input_size": 3, "num_units": 4}
OPEN = {**SIZES, "seq_length": None}
ANY: dict[str, Any] = {**OPEN, "batch_size": None}
RNN = {**OPEN, "num_layers": 1}


@functools.cache
def artifact() -> rc.runtime.Artifact:
    return rc.compile(rc.build("BlockLSTMV2", **OPEN))


@functools.cache
def of_any_batch() -> rc.runtime.Artifact:
    return rc.compile(rc.build("BlockLSTMV2", **ANY))


def arguments(steps: int, **sizes: int) -> dict[str, Any]:
    return draw("BlockLSTMV2", "float32", {**SIZES, **sizes, "seq_length": steps})


@contextmanager
def refused(argument: str, text: str) -> Generator[None, None, None]:
    """Expects an error that names an argument and has some text."""
    with pytest.raises(InvalidArgumentError, match=text) as error:
        yield
    assert error.value.argument == argument


def test_sizes_compute_as_numbers_do() -> None:
    T, B = open_dimension("seq_length"), open_dimension("batch_size")
    for steps, rows in ((1, 1), (3, 5), (100, 7)):
        size = 2 * (T + 1) * B * 3 - B + 4 - T * 0
        assert bound(size, {"seq_length": steps, "batch_size": rows}) == (
            2 * (steps + 1) * rows * 3 - rows + 4
        )
        assert parse(written(size)) == size
    assert T - T == 0
    assert T * B == B * T
    assert T != B
    with pytest.raises(TypeError):
        assert T < 3
    with pytest.raises(TypeError):
        range(T)


@pytest.mark.parametrize("text", ["", "T.", "seq_length**2", "2 +", "__import__('os')"])
def test_text_of_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse(text)


@pytest.mark.slow
def test_manifest_has_null(tmp_path: Path) -> None:
    path = artifact().save(tmp_path / "lstm.vmfb")
    data = json.loads(path.with_name("lstm.vmfb.json").read_text())
    (function,) = data["functions"]
    assert function["dims"]["seq_length"] is None
    x = next(row for row in function["arguments"] if row["name"] == "x")
    assert x["shape"] == [None, 2, 3]
    assert x["sizes"] == ["seq_length", 2, 3]
    assert Manifest.from_json(data) == artifact().manifest
    assert str(artifact().manifest.functions[0].arguments[1]) == "float32[?,2,3]"
    both = of_any_batch().manifest
    assert Manifest.from_json(both.to_json()) == both
    assert str(both.functions[0].arguments[1]) == "float32[?,?,3]"
    x["sizes"][0] = 7
    with pytest.raises(ArtifactError, match="damaged"):
        Manifest.from_json(data, check_digest=False)


@pytest.mark.slow
def test_iree_run_module_runs_it(tmp_path: Path, iree_tools: Path) -> None:
    """The command in the manifest, at sizes of 1; and at another."""
    artifact().save(tmp_path / "lstm.vmfb")
    (function,) = artifact().manifest.functions
    command = artifact().manifest.run_command(function, "lstm.vmfb")
    for length in (1, 5):
        text = f"{iree_tools}/{command}".replace("1x2x3xf32", f"{length}x2x3xf32")
        done = processes.run("sh", "-c", text, cwd=tmp_path)
        assert f"{length}x2x4xf32=" in done.stdout


@pytest.mark.slow
def test_iree_run_module_checks_sizes(tmp_path: Path, iree_tools: Path) -> None:
    """Calls from outside a program fail too, and read nothing out of bounds."""
    rc.compile(rc.build("BlockLSTMGradV2", use_peephole=False, **OPEN)).save(tmp_path / "g.vmfb")
    manifest = rc.runtime.read_artifact(tmp_path / "g.vmfb").manifest
    command = f"{iree_tools}/" + manifest.run_command(manifest.functions[0], "g.vmfb")
    processes.run("sh", "-c", command, cwd=tmp_path)
    last = command.rindex("1x2x4xf32")
    wrong = f"{command[:last]}900000x2x4xf32{command[last + 9 :]}"
    done = processes.run("sh", "-c", wrong, code=1, cwd=tmp_path)
    assert "BlockLSTMGradV2: h_grad: expected a size of seq_length" in done.stderr


@functools.cache
def of_packed_weights() -> rc.runtime.Artifact:
    """A function whose weights IREE packs when it loads the module."""
    module = rc.build("BlockLSTMV2", **{**ANY, "num_units": 64})
    return rc.compile(rc.freeze(module, {"w": np.ones((67, 256), "f")}))


@pytest.mark.slow
@pytest.mark.parametrize(("made", "units"), [(of_any_batch, 4), (of_packed_weights, 64)])
def test_iree_run_module_checks_batches(
    made: Callable[[], rc.runtime.Artifact], units: int, tmp_path: Path, iree_tools: Path
) -> None:
    """At another size it runs, and where arguments disagree it fails."""
    artifact = made()
    artifact.save(tmp_path / "lstm.vmfb")
    (function,) = artifact.manifest.functions
    command = artifact.manifest.run_command(function, "lstm.vmfb", "lstm.irpa")
    text = f"{iree_tools}/{command}".replace("1x1x3xf32", "5x7x3xf32")
    right = text.replace(f"1x{units}xf32", f"7x{units}xf32")
    for each, code in ((right, 0), (text, 1)):
        done = processes.run("sh", "-c", each, code=code, cwd=tmp_path)
    assert "BlockLSTMV2: cs_prev: expected a size of batch_size" in done.stderr


@pytest.mark.slow
def test_functions_check_batches_themselves() -> None:
    """For any caller, and also with packed weights, from the second call on."""
    sizes = {**ANY, "num_units": 64}
    program = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", **sizes)), "local-sync")
    given = draw("BlockLSTMV2", "float32", {**sizes, "seq_length": 5, "batch_size": 2}, steps=5)
    right = {name: program.to_device(array) for name, array in given.items()}
    wrong = {**right, "cs_prev": program.to_device(np.zeros((9, 64), "f"))}
    (function,) = program.functions.values()
    for _ in range(3):
        with pytest.raises(DeviceError, match="cs_prev: expected a size of batch_size"):
            function.launch([*wrong.values()])
    assert all(entry.packed for entry in function.prepacking.entries.values())
    function.launch([*right.values()])


@pytest.mark.parametrize(
    ("change", "argument", "expected"),
    [
        ({"x": np.zeros((5, 0, 3), "f")}, "cs_prev", r"\[0, 4\]"),
        ({"x": np.zeros((5, 3, 3), "f")}, "cs_prev", r"\[3, 4\]"),
        ({"h_prev": np.zeros((3, 4), "f")}, "h_prev", r"\[2, 4\]"),
        ({"h_prev": np.zeros((0, 4), "f")}, "h_prev", r"\[2, 4\]"),
    ],
)
def test_batches_that_do_not_fit(change: dict[str, Any], argument: str, expected: str) -> None:
    program = rc.runtime.load(of_any_batch(), "local-sync")
    with refused(argument, expected):
        program(**{**arguments(5), **change})


@pytest.mark.parametrize(
    ("change", "argument", "expected"),
    [
        ({"x": np.zeros((5, 3, 3), "f")}, "x", "shape"),
        ({"x": np.zeros((5, 2), "f")}, "x", "rank 3"),
        ({"x": np.zeros((0, 2, 3), "f")}, "seq_len_max", r"a value in 0\.\.0"),
        ({"x": np.zeros((5, 2, 3), "d")}, "x", "dtype float32"),
        ({"seq_len_max": 6}, "seq_len_max", r"a value in 0\.\.5"),
        ({"h_prev": np.zeros((3, 4), "f")}, "h_prev", "shape"),
    ],
)
def test_arguments_that_do_not_fit(change: dict[str, Any], argument: str, expected: str) -> None:
    program = rc.runtime.load(artifact(), "local-sync")
    with refused(argument, expected):
        program(**{**arguments(5), **change})


@pytest.mark.parametrize("size", ["batch_size", "input_size", "num_units"])
def test_other_sizes_are_not_empty(size: str) -> None:
    with refused(size, "1 or more, as seq_length is open"):
        rc.build("BlockLSTMV2", **{**OPEN, size: 0})


@pytest.mark.slow
def test_arguments_that_disagree() -> None:
    """Two sequences of other lengths, two batches of other sizes."""
    grad = rc.runtime.load(rc.compile(rc.build("BlockLSTMGradV2", use_peephole=False, **OPEN)))
    given = draw("BlockLSTMGradV2", "float32", {**SIZES, "seq_length": 5, "use_peephole": False})
    given["h_grad"] = given["h_grad"][:4]
    with refused("h_grad", r"\[5, 2, 4\]"):
        grad(**given)
    cell = rc.runtime.load(rc.compile(rc.build("LSTMBlockCell", **{**SIZES, "batch_size": None})))
    given = draw("LSTMBlockCell", "float32", {**SIZES, "batch_size": 3})
    given["h_prev"] = given["h_prev"][:2]
    with refused("h_prev", r"\[3, 4\]"):
        cell(**given)


def test_results_stay_on_the_device() -> None:
    program = rc.runtime.load(artifact(), "local-sync")
    for steps in (4, 9):
        given = arguments(steps)
        held = {name: program.to_device(value) for name, value in given.items()}
        results = program(**held, to_host=False)
        assert results.h.shape == (steps, 2, 4)
        np.testing.assert_array_equal(np.asarray(results.h), program(**given).h)


def test_stream_takes_chunks_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """One program for chunks of any length, none of them padded."""
    outputs = ("h", "cs_last", "h_last")
    program = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", outputs=outputs, **OPEN)))
    given = arguments(11)
    whole = program(**given)
    rest = {name: value for name, value in given.items() if name not in ("x", "seq_len_max")}
    stream = program.stream(**rest)
    moved: list[tuple[int, ...]] = []
    put = Device.put
    monkeypatch.setattr(
        Device, "put", lambda self, a, spec: moved.append(a.shape) or put(self, a, spec)
    )
    chunks = [stream(x=given["x"][a:b]).h for a, b in ((0, 1), (1, 8), (8, 8), (8, 11))]
    np.testing.assert_array_equal(np.concatenate(chunks), whole.h)
    np.testing.assert_array_equal(np.asarray(stream.state["h_prev"]), whole.h_last)
    assert [shape for shape in moved if shape] == [(1, 2, 3), (7, 2, 3), (3, 2, 3)]


def test_stream_of_any_batch() -> None:
    """The first state tells the batch; streams of one program may have others."""
    program = rc.runtime.load(of_any_batch(), "local-sync")
    for rows in (1, 3):
        given = arguments(11, batch_size=rows)
        whole = program(**given)
        rest = {name: value for name, value in given.items() if name not in ("x", "seq_len_max")}
        stream = program.stream(**rest)
        chunks = [stream(x=given["x"][a:b]).h for a, b in ((0, 4), (4, 11))]
        np.testing.assert_array_equal(np.concatenate(chunks), whole.h)
        with refused("x", rf"{rows}, 3\]"):
            stream(x=np.zeros((2, rows + 1, 3), "f"))
    del rest["h_prev"], rest["cs_prev"]
    with refused("cs_prev", "nothing else determines batch_size"):
        program.stream(**rest)


@pytest.mark.slow
def test_stream_of_many_lengths_keeps_few_arrays() -> None:
    program = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", **OPEN)), "local-sync")
    given = arguments(150)
    rest = {name: value for name, value in given.items() if name not in ("x", "seq_len_max")}
    stream = program.stream(**rest)

    def arrays() -> int:
        gc.collect()
        return sum(type(each) is DeviceArray for each in gc.get_objects())

    before = arrays()
    for length in range(1, 150):
        stream(x=given["x"][:length])
    assert arrays() - before < 100


@pytest.mark.slow
def test_stream_of_a_cell_of_any_batch() -> None:
    module = rc.build("GRUBlockCell", **{**SIZES, "batch_size": None})
    program = rc.runtime.load(rc.compile(module), "local-sync")
    given = draw("GRUBlockCell", "float32", {**SIZES, "batch_size": 5})
    x = given.pop("x")
    stream = program.stream(**given)
    once = program(x=x, **given).h
    np.testing.assert_array_equal(stream(x=x).h, once)
    np.testing.assert_array_equal(stream(x=x).h, program(x=x, **{**given, "h_prev": once}).h)
    del given["h_prev"]
    with refused("h_prev", "nothing else determines batch_size"):
        program.stream(**given)


def test_commands(tmp_path: Path, cli: Any) -> None:
    """compile with a golden, inspect, check, run and verify; bench reports missing sizes."""
    sizes = "seq_length=?,batch_size=?,input_size=3,num_units=4"
    file = str(tmp_path / "lstm.vmfb")
    cli("compile", "BlockLSTMV2", "--dim", sizes, "--golden", "-o", file)
    assert "? x ? x 3" in cli("inspect", file).out
    cli("check", file)
    cli("verify", file)
    np.save(tmp_path / "x.npy", np.zeros((6, 2, 3), "f"))
    given = f"x={tmp_path / 'x.npy'}"
    rows = json.loads(cli("run", file, "--input", given, "--random", "--json").out)["results"]
    assert [row["shape"] for row in rows] == [[6, 2, 4]] * 7
    drawn = ["run", file, "--random", "--json", "--dim"]
    rows = json.loads(cli(*drawn, "seq_length=3,batch_size=9").out)["results"]
    assert [row["shape"] for row in rows] == [[3, 9, 4]] * 7
    for dims, part in {
        "seq_length=?": "expected an integer",
        "seq_length=0": "expected 1 to ",
        "num_units=4": "no open size of block_lstm_v2",
        "seq_lenght=4": "did you mean seq_length?",
    }.items():
        assert part in cli(*drawn, dims, code=2).err
    assert "only with --random" in cli("run", file, "--dim", "seq_length=3", code=2).err
    assert "--dim seq_length=N" in cli("bench", "BlockLSTMV2", "--dim", sizes, code=2).err


def test_a_cached_function_is_not_one_of_a_length() -> None:
    from rnn_compiler.compilation import cache_key
    from rnn_compiler.lowering.targets.names import resolve_target

    target = resolve_target("cpu")
    sizes = [(None, 1), (1, 1), (5, 1), (None, None), (1, None)]
    keys = {
        cache_key(
            rc.build("BlockLSTMV2", **{**OPEN, "seq_length": steps, "batch_size": rows}), target
        ).digest
        for steps, rows in sizes
    }
    assert len(keys) == len(sizes)


@pytest.mark.parametrize(
    ("target", "strategy", "why"),
    [
        ("cuda", None, "cuda is not one: give it a value, or choose a target such as cpu"),
        ("cpu", "portable", "IREE rejects the ops that portable leaves unchanged; give it a value"),
        ("cpu", "pinned", "IREE rejects the ops that pinned leaves unchanged; give it a value"),
    ],
)
def test_what_cannot_be_open(target: str, strategy: str | None, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        rc.compile(rc.build("BlockLSTMV2", **OPEN), target, strategy=strategy)


def test_more_that_cannot_be_open() -> None:
    with pytest.raises(UnsupportedError, match=r"a unit axis.*: give it a value"):
        rc.compile(rc.build("BlockLSTMV2", **{**OPEN, "num_units": 1}))
    ops = [
        ("BlockLSTMV2", OPEN),
        ("BlockLSTMGradV2", {**OPEN, "num_units": 1, "use_peephole": False}),
    ]
    with pytest.raises(UnsupportedError, match=r"^BlockLSTMGradV2: .* \(block_lstm_grad_v2\."):
        rc.compile(rc.build(ops))  # of several functions, it names the one
    with pytest.raises(UnsupportedError, match="rejects the ops that portable leaves unchanged"):
        rc.compile_c(rc.build("BlockLSTMV2", **OPEN), "cpu", strategy="portable")
    with pytest.raises(UnsupportedError, match=r"a unit axis.*: give it a value"):
        rc.compile_c(rc.build("BlockLSTMV2", **{**OPEN, "num_units": 1}), "cpu")
    with refused("num_units", r"an int in 0\.\."):
        rc.build("BlockLSTMV2", **{**OPEN, "num_units": None})

"""Streams: chunks give the numbers of one long call, bit for bit; errors change nothing."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from errors.expect import invalid_argument
from numeric.harness import Arrays, draw, module, renamed

import rnn_compiler as rc
from rnn_compiler.errors import DeviceError, UnsupportedError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device, get_device
from rnn_compiler.runtime.function import Function
from rnn_compiler.runtime.stream_ops import stream_parts
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import TensorSpec

LONG = 11
"""Steps of the long call."""

SIZES = {"batch_size": 3, "input_size": 24, "num_units": 40}
RNN = {**SIZES, "is_training": False}
LENGTHS = ("seq_len_max", "sequence_lengths", "sequence_lens")


CHUNK = 4
"""Steps of the function that is streamed."""


@functools.cache
def programs(op: str, dtype: str, items: tuple[tuple[str, Any], ...]) -> dict[int, Function]:
    """An op of as many steps as a chunk has, and of those of the long call."""
    variant, counts = dict(items), (CHUNK, LONG)
    parts = [module(op, dtype, {**variant, "seq_length": steps}) for steps in counts]
    loaded = rc.runtime.load(rc.compile(renamed(*parts)), "local-sync")
    return dict(zip(counts, loaded.functions.values(), strict=True))


def function(op: str, dtype: str, variant: dict[str, Any], steps: int = CHUNK) -> Function:
    return programs(op, dtype, tuple(variant.items()))[steps]


def long_call(op: str, dtype: str, variant: dict[str, Any]) -> tuple[Arrays, dict[str, Any]]:
    """The arguments of a long call, and its results."""
    arguments = draw(op, dtype, {**variant, "seq_length": LONG})
    for name in LENGTHS:
        if name in arguments:
            arguments[name] = np.full_like(arguments[name], LONG)
    results = function(op, dtype, variant, LONG)(**arguments)
    return arguments, results._asdict()


def started(op: str, dtype: str, variant: dict[str, Any], arguments: Arrays) -> Any:
    """A stream of a function of four steps, and the array that its chunks are taken from."""
    name = next(name for name in ("x", "input", "X") if name in arguments)
    rest = {k: v for k, v in arguments.items() if k != name and k not in LENGTHS}
    stream = function(op, dtype, variant).stream(**rest)
    axis = 0 if variant.get("time_major", not variant.get("layout")) else 1
    return stream, name, axis


def streamed(stream: Any, name: str, x: Any, axis: int, chunks: Iterable[int]) -> dict[str, Any]:
    """The results of chunks of some lengths, joined."""
    start, results = 0, list[Any]()
    for count in chunks:
        part = (slice(None),) * axis + (slice(start, start + count),)
        results.append(stream(**{name: x[part]}))
        start += count
    assert start == LONG
    joined: dict[str, Any] = {}
    for key in results[0]._fields:
        arrays = [getattr(each, key) for each in results]
        rows = key in ("output", "Y", "i", "cs", "f", "o", "ci", "co", "h")
        joined[key] = np.concatenate(arrays, axis) if rows else arrays[-1]
    return joined


CASES = [
    ("BlockLSTMV2", "float32", {**SIZES, "use_peephole": True}),
    ("CudnnRNNV3", "float32", {**RNN, "num_layers": 2}),
    ("CudnnRNNV3", "float16", {**RNN, "rnn_mode": "gru", "time_major": False}),
    ("CudnnRNNV3", "bfloat16", {**RNN, "rnn_mode": "rnn_tanh", "batch_size": 1}),
    ("BlockLSTM", "bfloat16", {**SIZES, "use_peephole": True}),
    ("onnx.GRU", "float32", {**SIZES, "layout": 1}),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype", "variant"),
    [
        pytest.param(*case, marks=() if number == 0 else pytest.mark.slow)
        for number, case in enumerate(CASES)
    ],
)
def test_chunks_are_one_long_call(op: str, dtype: str, variant: dict[str, Any]) -> None:
    arguments, expected = long_call(op, dtype, variant)
    stream, name, axis = started(op, dtype, variant, arguments)
    for chunks in ((LONG,), (1,) * LONG, (4, 4, 3), (3, 0, 8), (5, 6)):
        stream.reset()
        found = streamed(stream, name, arguments[name], axis, chunks)
        assert_same_bits(found, {name: expected[name] for name in found}, chunks)
        assert any(np.any(array) for array in found.values())


def test_the_state_is_that_after_the_last_step() -> None:
    """It starts another stream, or a call; `reset` goes back."""
    op, dtype, variant = CASES[0]
    arguments, expected = long_call(op, dtype, variant)
    stream, _, _ = started(op, dtype, variant, arguments)
    first = stream(x=arguments["x"][:5]).h
    assert stream.state.keys() == {"cs_prev", "h_prev"}
    assert all(isinstance(each, DeviceArray) for each in stream.state.values())
    np.testing.assert_array_equal(stream.state["cs_prev"], expected["cs"][4])
    np.testing.assert_array_equal(stream.state["h_prev"], expected["h"][4])
    other, _, _ = started(op, dtype, variant, {**arguments, **stream.state})
    np.testing.assert_array_equal(other(x=arguments["x"][5:]).h, expected["h"][5:])
    saved = stream.state
    stream.reset()
    np.testing.assert_array_equal(stream(x=arguments["x"][:5]).h, first)
    stream.reset(**saved)
    np.testing.assert_array_equal(stream(x=arguments["x"][5:]).h, expected["h"][5:])
    assert repr(stream) == "Stream(case_0, x=float32[4,3,24])"


def test_no_state_is_zeros() -> None:
    op, dtype, variant = CASES[0]
    arguments, _ = long_call(op, dtype, variant)
    zeros = {name: np.zeros_like(arguments[name]) for name in ("cs_prev", "h_prev")}
    one, _, _ = started(op, dtype, variant, arguments | zeros)
    rest = {k: v for k, v in arguments.items() if k not in ("x", "seq_len_max", *zeros)}
    other = function(op, dtype, variant).stream(**rest)
    np.testing.assert_array_equal(one(x=arguments["x"]).h, other(x=arguments["x"]).h)


@pytest.mark.slow
def test_a_chunk_comes_by_position() -> None:
    op, dtype, variant = CASES[0]
    arguments, _ = long_call(op, dtype, variant)
    stream, _, _ = started(op, dtype, variant, arguments)
    assert str(inspect.signature(stream)) == "(x, *, seq_len_max=None)"
    by_position, x = [], arguments["x"]
    for part in (x[:3], x[3:]):
        by_position.append(stream(part).h)
    stream.reset()
    np.testing.assert_array_equal(np.concatenate(by_position), stream(x=x).h)
    with pytest.raises(TypeError, match=r"^case_0.stream\(\) got multiple values .* 'x'"):
        stream(x, x=x)
    with pytest.raises(TypeError, match="takes only 'x' by position; 2"):
        stream(x, len(x))


@pytest.mark.slow
def test_rows_of_different_lengths() -> None:
    """The missing steps of a row in a chunk are padding of any content."""
    op, dtype, variant = CASES[1]
    arguments, _ = long_call(op, dtype, variant)
    lengths = np.array([7, 0, 11], np.int32)
    long = function(op, dtype, variant, LONG)
    expected = long(**{**arguments, "sequence_lengths": lengths})
    stream, name, _ = started(op, dtype, variant, arguments)
    padded = arguments[name].copy()
    padded[7:, 0], padded[:, 1] = np.nan, np.nan
    found = stream(input=padded, sequence_lengths=lengths)
    np.testing.assert_array_equal(found.output, expected.output)
    np.testing.assert_array_equal(found.output_c, expected.output_c)


@pytest.mark.slow
def test_a_step_at_a_time() -> None:
    """The cells take no more."""
    arguments = draw("LSTMBlockCell", "float32", SIZES)
    function = rc.runtime.load(rc.compile(rc.build("LSTMBlockCell", **SIZES)), "local-sync")
    stream = function.stream(**{k: v for k, v in arguments.items() if k != "x"})
    one = stream(x=arguments["x"])
    two = stream(x=arguments["x"])
    expected = function(**{**arguments, "cs_prev": one.cs, "h_prev": one.h})
    np.testing.assert_array_equal(two.h, expected.h)
    assert np.any(two.h != one.h)


@pytest.mark.slow
def test_only_chunks_and_results_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights and state stay, and of BlockLSTM its last state where it is asked for.

    That is so through IREE; a direct call puts nothing on a device.
    """
    monkeypatch.setenv("RNN_COMPILER_CALLS", "iree")
    sizes = {**SIZES, "seq_length": 4, "outputs": ["h", "cs_last", "h_last"]}
    loaded = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", **sizes)), "local-sync")
    arguments = draw("BlockLSTMV2", "float32", {**SIZES, "seq_length": 4, "use_peephole": False})
    x = arguments.pop("x")
    del arguments["seq_len_max"]
    stream = loaded.stream(**arguments)
    put: list[str] = []
    real = Device.put

    def watched(self: Device, array: Any, spec: Any) -> DeviceArray:
        put.append(spec.name)
        return real(self, array, spec)

    monkeypatch.setattr(Device, "put", watched)
    for _ in range(3):
        stream(x=x)
    assert put == ["x", "seq_len_max", "x", "x"]
    stream(x=x[:2])
    assert put[4:] == ["x", "seq_len_max"]
    stream(x=x[:2])
    assert put[6:] == ["x"]


@pytest.mark.parametrize("device", ["local-sync", "local-task"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_row_is_copied_on_the_device(device: str, dtype: str) -> None:
    values = np.arange(24).reshape(3, 2, 4).astype(DTYPES[dtype].numpy)
    array = get_device(device).put(values, TensorSpec("cs", dtype, values.shape))
    for number in range(3):
        row = array.row(number)
        np.testing.assert_array_equal(row.fetch(), values[number])
        assert not row.shares_memory([array])
    for number in (-1, 3):
        with pytest.raises(IndexError):
            array.row(number)
    empty = get_device(device).put(values[:0], TensorSpec("cs", dtype, (0, 2, 4)))
    assert empty.fetch().shape == (0, 2, 4)


@pytest.mark.slow
def test_frozen_weights_and_several_functions() -> None:
    layers = [("BlockLSTMV2", {"function": name, "input_size": 24}) for name in ("one", "two")]
    sizes = {"batch_size": 3, "num_units": 40, "seq_length": 4}
    variant = {**SIZES, "seq_length": 4, "use_peephole": False}
    arguments = draw("BlockLSTMV2", "float32", variant)
    fixed = {name: arguments[name] for name in ("w", "b", "wci", "wcf", "wco")}
    frozen = rc.freeze(rc.build(layers, **sizes), {"one": fixed})
    loaded = rc.runtime.load(rc.compile(frozen), "local-sync")
    expected = loaded.two.stream(**fixed)(x=arguments["x"])
    np.testing.assert_array_equal(loaded.one.stream()(x=arguments["x"]).h, expected.h)
    with pytest.raises(TypeError, match=r"stream one of them: program\.one\.stream\(\.\.\.\), "):
        loaded.stream()


@pytest.mark.parametrize(
    ("op", "variant", "part"),
    [
        ("CudnnRNNParamsSize", {"num_layers": 1, "S": "int32"}, "no state to continue from"),
        ("BlockLSTMV2", {"seq_length": 0}, "built for zero steps"),
        ("BlockLSTMGradV2", {"use_peephole": False}, "no state to continue from"),
        ("CudnnRNN", {"direction": "bidirectional", "num_layers": 1}, "the backward direction"),
        ("CudnnRNN", {"dropout": 0.5, "num_layers": 2}, "a dropout mask of its own"),
        (
            "BlockLSTMV2",
            {"outputs": ["h"]},
            "no result has cs_prev after .* that include 'cs_last'",
        ),
        ("BlockLSTMV2", {"outputs": ["h", "cs"]}, "h_prev: frozen"),
    ],
)
def test_what_cannot_go_on(op: str, variant: dict[str, Any], part: str) -> None:
    small = {"seq_length": 2, "batch_size": 1, "input_size": 1, "num_units": 1}
    dims = {k: v for k, v in small.items() if k in OPS[op].signature.dimensions}
    built = rc.build(op, **{**dims, **variant})
    if "frozen" in part:
        built = rc.freeze(built, {"h_prev": np.zeros((1, 1), np.float32)})
    with pytest.raises(UnsupportedError, match=f"^{op}: .*{part}"):
        stream_parts(built.functions[0])


def test_a_program_says_what_cannot_go_on(tiny: rc.Artifact) -> None:
    with pytest.raises(UnsupportedError, match=r"^BlockLSTMV2: built for zero steps"):
        rc.runtime.load(tiny, "local-sync").stream()


@pytest.mark.slow
def test_without_lengths_chunks_are_whole() -> None:
    """CudnnRNN counts all steps that it is given."""
    variant = {**RNN, "num_layers": 1, "seq_length": 4}
    arguments = draw("CudnnRNN", "float32", {**variant, "seq_length": 8})
    loaded = rc.runtime.load(rc.compile(rc.build("CudnnRNN", **variant)), "local-sync")
    x = arguments.pop("input")
    stream = loaded.stream(**arguments)
    whole = stream(input=x)
    stream.reset()
    for start in (0, 4):
        found = stream(input=x[start : start + 4]).output
        np.testing.assert_array_equal(found, whole.output[start : start + 4])
    before = stream.state
    with invalid_argument("CudnnRNN", "input", "a multiple of 4 steps", "3 steps"):
        stream(input=x[:3])
    assert stream.state is before


@pytest.mark.parametrize(
    ("change", "argument", "expected"),
    [
        (lambda x: {"x": x[:, :2]}, "x", "shape"),
        (lambda x: {"x": x[0]}, "x", "shape"),
        (lambda x: {"x": x.astype(np.float64)}, "x", "dtype float32"),
        (lambda x: {"x": x, "seq_len_max": 12}, "seq_len_max", "a value in 0..11"),
        (lambda x: {"x": x, "seq_len_max": -1}, "seq_len_max", "a value in 0..11"),
        (lambda x: {"x": x, "seq_len_max": [1]}, "seq_len_max", "a scalar"),
    ],
)
def test_a_chunk_that_is_none_changes_nothing(change: Any, argument: str, expected: str) -> None:
    op, dtype, variant = CASES[0]
    arguments, _ = long_call(op, dtype, variant)
    stream, _, _ = started(op, dtype, variant, arguments)
    before = stream.state
    with invalid_argument(op, argument, expected, ""):
        stream(**change(arguments["x"]))
    for wrong in ({}, {"y": 0}, {"x": arguments["x"], "w": 0}):
        with pytest.raises(TypeError):
            stream(**wrong)
    assert stream.state is before


def test_a_device_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even in the middle of a chunk."""
    op, dtype, variant = CASES[0]
    arguments, expected = long_call(op, dtype, variant)
    stream, _, _ = started(op, dtype, variant, arguments)
    real, calls = Device.put, list[str]()

    def failing(self: Device, array: Any, spec: Any) -> DeviceArray:
        calls.append(spec.name)
        if calls.count("x") == 2:
            raise DeviceError("full")
        return real(self, array, spec)

    with monkeypatch.context() as patch:
        patch.setattr(Device, "put", failing)
        with pytest.raises(DeviceError, match="full"):
            stream(x=arguments["x"])
    np.testing.assert_array_equal(stream(x=arguments["x"]).h, expected["h"])


@pytest.mark.parametrize(
    "given", [{"w": np.zeros(3, np.float32)}, {"h_prev": 1.0}, {"cs_prev": "a"}]
)
def test_arguments_are_checked_at_once(given: dict[str, Any]) -> None:
    op, dtype, variant = CASES[0]
    arguments, _ = long_call(op, dtype, variant)
    ((name, _),) = given.items()
    with invalid_argument(op, name, "", ""):
        started(op, dtype, variant, arguments | given)
    stream, _, _ = started(op, dtype, variant, arguments)
    for wrong in ({"x": arguments["x"]}, {"w": 0}):
        with pytest.raises(TypeError):
            stream.reset(**wrong)
    with pytest.raises(TypeError, match="missing required keyword arguments: 'w', "):
        function(op, dtype, variant).stream()

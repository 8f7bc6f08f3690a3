"""Whole networks of TensorFlow Lite, against numpy's values."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_import import test_tflite_loops
from model_import.bounds import bounded
from model_import.test_tflite import formula, sigmoid
from model_import.test_tflite_loops import (
    gru,
    gru_before,
    gru_before_step,
    gru_step,
    model,
    opposite,
    run,
    with_open_length,
)
from model_import.test_tflite_loops import lstm as lstm_body
from model_import.test_tflite_loops import lstm_step as lstm_formula
from model_import.tflite_files import Writer, both_lstm, gates, lstm
from quick import first, marked_slow

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.network_import.tflite import onnx_model

STEPS, BATCH, INPUTS, UNITS = 5, 2, 3, 4
X, Y = (BATCH, STEPS, INPUTS), (BATCH, STEPS, UNITS)


def imported(writer: Writer, folder: Path) -> Any:
    return rc.import_network(writer.save(folder / "model.tflite"))


def called(module: Any, *arrays: Any) -> Any:
    names = [each.name for each in module.functions[0].arguments]
    program: Any = rc.runtime.load(rc.compile(module, "cpu"))
    return program(**dict(zip(names, arrays, strict=True)))


def floats(*shape: int) -> Any:
    return np.random.default_rng(shape).normal(0, 1, shape).astype(np.float32)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=0, atol=2e-6)


def test_a_loop_whose_rows_nobody_reads() -> None:
    """As Keras 3 writes it: it is a layer all the same."""
    file = Path(__file__).parents[1] / "model_files" / "keras3_lstm.tflite"
    assert [each.op for each in rc.import_network(file).linked] == ["CudnnRNNV3"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "step", "count", "op"),
    [
        (lstm_body, lstm_formula(sigmoid, np.tanh), 2, "CudnnRNNV3"),
        marked_slow((gru, gru_step, 1, "CudnnRNNV3")),
        marked_slow((gru_before, gru_before_step, 1, "onnx.GRU")),
    ],
)
def test_loops(body: Any, step: Any, count: int, op: str, tmp_path: Path) -> None:
    """A loop of a cell is a layer; its result here is the last state."""
    module = imported(model(body, count=count, is_reversed=True), tmp_path)
    assert [spec.op for spec in module.linked] == [op]
    x = floats(*X)
    expected = run(step, count, x.swapaxes(0, 1)[::-1])[-1]
    close(called(module, x)[0], expected)


@pytest.mark.slow
@pytest.mark.parametrize("cast", ["", "float32"])
def test_states_of_all_steps(cast: str, tmp_path: Path) -> None:
    """Older converters cast the list in each step, to the type that it has."""
    module = imported(model(gru_before, rows=True, cast=cast), tmp_path)
    assert [spec.op for spec in module.linked] == ["onnx.GRU"]
    x = floats(*X)
    close(called(module, x)[0], run(gru_before_step, 1, x.swapaxes(0, 1)))


@pytest.mark.parametrize(("items", "masks"), first([(STEPS, 1), (1, 0), (STEPS, 0), (1, 1)]))
def test_lists_of_tensorflow(items: int, masks: int, tmp_path: Path) -> None:
    """Of all steps, or of the last one, as the converter writes them with SELECT_TF_OPS."""
    writer = model(gru, items=items, masks=masks)
    writer.graphs[0]["inputs"] = [*writer.graphs[0]["inputs"], *writer.graphs[0]["masks"]]
    module = imported(writer, tmp_path)
    assert [spec.op for spec in module.linked] == ["CudnnRNNV3"]
    x, chosen = floats(*X), [np.ones((STEPS, BATCH, 1), bool)] * masks
    if masks:
        chosen[0][3:, 0] = False
    h: Any = np.zeros((BATCH, UNITS))
    rows: list[Any] = []
    for k, step in enumerate(x.swapaxes(0, 1)):
        new = gru_step(step.astype(np.float64), h)[0]
        h = np.where(chosen[0][k], new, h) if masks else new
        rows.append(h)
    close(called(module, x, *chosen)[0], np.stack(rows)[-items:])


@pytest.mark.slow
def test_zeros_in_masked_steps(tmp_path: Path) -> None:
    """As Keras' Bidirectional has them."""
    writer = model(gru, rows=True, masks=1, zeros=True)
    writer.graphs[0]["inputs"] = [*writer.graphs[0]["inputs"], *writer.graphs[0]["masks"]]
    module = imported(writer, tmp_path)
    assert [spec.op for spec in module.linked] == ["CudnnRNNV3"]
    x = floats(*X)
    chosen: Any = np.random.default_rng(2).random((STEPS, BATCH, 1)) > 0.4
    h: Any = np.zeros((BATCH, UNITS))
    rows: list[Any] = []
    for step, is_valid in zip(x.swapaxes(0, 1), chosen, strict=True):
        new = gru_step(step.astype(np.float64), h)[0]
        h = np.where(is_valid, new, h)
        rows.append(np.where(is_valid, new, 0))
    close(called(module, x, chosen)[0], np.stack(rows))


@pytest.mark.slow
@pytest.mark.parametrize("steps", [STEPS, 3, 9])
def test_masked_loops(steps: int, tmp_path: Path) -> None:
    """Masks may have holes, and the length may be open."""
    writer = model(gru, masks=1)
    (mask,) = writer.graphs[0]["masks"]
    writer.graphs[0]["inputs"] = [*writer.graphs[0]["inputs"], mask]
    if steps != STEPS:
        with_open_length(writer)
    module = imported(writer, tmp_path)
    x = floats(BATCH, steps, INPUTS)
    chosen = np.random.default_rng(2).random((steps, BATCH, 1)) > 0.4
    h: Any = np.zeros((BATCH, UNITS))
    for step, is_valid in zip(x.swapaxes(0, 1), chosen, strict=True):
        h = np.where(is_valid, gru_step(step.astype(np.float64), h)[0], h)
    close(called(module, x, chosen)[0], h)


@pytest.mark.slow
def test_reversed_with_an_open_batch(tmp_path: Path) -> None:
    """What replaces the reversal has other names than its result."""
    writer = Writer()
    x = writer.tensor(X, signature=(-1, STEPS, INPUTS))
    turned = writer.op("REVERSE_V2", [x, integers(writer, 1)], X)
    writer.ends([x], [writer.op("TANH", [turned], X)])
    given = floats(7, STEPS, INPUTS)
    close(called(imported(writer, tmp_path), given)[0], np.tanh(given[:, ::-1]))


@pytest.mark.parametrize(("clip", "op"), first([(0.4, "BlockLSTMV2"), (10.0, "CudnnRNNV3")]))
def test_fused(clip: float, op: str, tmp_path: Path) -> None:
    """A limit that no cell reaches in so few steps is none."""
    writer, weights = Writer(), gates(INPUTS, UNITS)
    x = writer.tensor(X)
    writer.ends([x], [lstm(writer, x, weights, Y, clip=clip)])
    module = imported(writer, tmp_path)
    assert [spec.op for spec in module.linked] == [op]
    given = 2 * floats(*X)
    close(called(module, given)[0], formula(weights, given.swapaxes(0, 1), clip).swapaxes(0, 1))


@pytest.mark.slow
def test_both_directions(tmp_path: Path) -> None:
    writer = Writer()
    x = writer.tensor(X)
    weights = [gates(INPUTS, UNITS, seed=seed, peepholes=seed == 0) for seed in range(2)]
    writer.ends([x], [both_lstm(writer, x, weights, (BATCH, STEPS, 2 * UNITS))])
    given = floats(*X)
    time_major = given.swapaxes(0, 1)
    expected = [formula(weights[0], time_major, 0), formula(weights[1], time_major[::-1], 0)[::-1]]
    found = called(imported(writer, tmp_path), given)[0]
    close(found, np.concatenate(expected, 2).swapaxes(0, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "step", "op"),
    [
        (lstm_body, lstm_formula(sigmoid, np.tanh), "CudnnRNNV3"),
        marked_slow((gru_before, gru_before_step, "onnx.GRU")),
    ],
)
def test_both_directions_in_loops(
    body: Any, step: Any, op: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are one op, as in the ONNX file of the same network."""
    count = 2 if body is lstm_body else 1
    writer = model(body, count=count, rows=True, backward=opposite(body))
    module = imported(writer, tmp_path)
    assert [(spec.op, spec.attributes["direction"]) for spec in module.linked] == [
        (op, "bidirectional")
    ]
    x = floats(*X)
    forward, backward = called(module, x)
    close(forward, run(step, count, x.swapaxes(0, 1)))
    for name in "WR":
        monkeypatch.setattr(test_tflite_loops, name, -getattr(test_tflite_loops, name))
    close(backward, run(step, count, x.swapaxes(0, 1)[::-1])[::-1])


@pytest.mark.slow
def test_limited_cells_in_both_directions(tmp_path: Path) -> None:
    """ONNX's LSTM has no such limit, so they are not joined; the first axes are the steps."""
    writer, shape = Writer(), (STEPS, BATCH, UNITS)
    x = writer.tensor((STEPS, BATCH, INPUTS))
    axis = integers(writer, 0)
    weights = [gates(INPUTS, UNITS, seed=seed) for seed in range(2)]
    forward = lstm(writer, x, weights[0], shape, clip=0.4, time_major=True)
    turned = writer.op("REVERSE_V2", [x, axis], (STEPS, BATCH, INPUTS))
    backward = lstm(writer, turned, weights[1], shape, clip=0.4, time_major=True)
    writer.ends([x], [forward, writer.op("REVERSE_V2", [backward, axis], shape)])
    module = imported(writer, tmp_path)
    assert [spec.op for spec in module.linked] == ["BlockLSTMV2"]
    given = 2 * floats(STEPS, BATCH, INPUTS)
    found = called(module, given)
    close(found[0], formula(weights[0], given, 0.4))
    close(found[1], formula(weights[1], given[::-1], 0.4)[::-1])
    writer.graphs[0]["tensors"][x][7] = np.array([-1, BATCH, INPUTS], "<i4")
    with pytest.raises(
        UnsupportedError, match=r"limited to 0\.4, and needs the sizes of its input"
    ):
        imported(writer, tmp_path)


@pytest.mark.slow
def test_states(tmp_path: Path) -> None:
    """A variable that the network assigns is an input, and an output for the next call.

    The state of random numbers, which no output needs, is none.
    """
    writer = Writer()
    seed = writer.op("VAR_HANDLE", [], (), "int32")
    drawn = writer.op("READ_VARIABLE", [seed], (2,), "int64")
    writer.op("ASSIGN_VARIABLE", [seed, writer.op("ADD", [drawn, drawn], (2,))], outputs=[])
    x, one = writer.tensor((2,)), writer.tensor(data=np.ones(2, np.float32))
    named = (111, {1: np.frombuffer(b"h", np.uint8)})
    handle = writer.op("VAR_HANDLE", [], (), "int32", options=named)
    writer.op("CALL_ONCE", [], outputs=[])
    before = writer.op("READ_VARIABLE", [handle], (2,))
    after = writer.op("ADD", [before, x], (2,))
    writer.op("ASSIGN_VARIABLE", [handle, after], outputs=[])
    writer.ends([x], [writer.op("ADD", [after, one], (2,))])
    writer.graph()
    handle = writer.op("VAR_HANDLE", [], (), "int32", options=named)
    zeros = writer.tensor(data=np.zeros(2, np.float32))
    writer.op("ASSIGN_VARIABLE", [handle, zeros], outputs=[])
    path = writer.save(tmp_path / "model.tflite")
    module = rc.import_network(path, states={"state_0": "state_0_next"})
    program: Any = rc.runtime.load(rc.compile(module, "cpu"))
    given, state = floats(2), np.array([1, 2], np.float32)
    found = program(input=given, state_0=state)
    close(found.output, given + state + 1)
    close(found.state_0_next, given + state)


def relu6(x: Any) -> Any:
    return np.minimum(np.maximum(x, 0), 6)


def erf(x: Any) -> Any:
    from math import erf

    return np.vectorize(erf)(x)


A, B = 2 * floats(2, 3), 2 * floats(3, 2).T
ELEMENTWISE: Mapping[str, tuple[Callable[..., Any], int]] = {
    **{"ADD": (np.add, 2), "SUB": (np.subtract, 2), "MUL": (np.multiply, 2)},
    **{"DIV": (np.divide, 2), "MAXIMUM": (np.maximum, 2), "MINIMUM": (np.minimum, 2)},
    **{"SQUARED_DIFFERENCE": (lambda x, y: (x - y) ** 2, 2), "NEG": (np.negative, 1)},
    **{"ABS": (np.abs, 1), "EXP": (np.exp, 1), "SIN": (np.sin, 1), "COS": (np.cos, 1)},
    **{"FLOOR": (np.floor, 1), "CEIL": (np.ceil, 1), "ROUND": (np.round, 1)},
    **{"SQUARE": (np.square, 1), "TANH": (np.tanh, 1), "LOGISTIC": (sigmoid, 1)},
    **{"RELU": (lambda x: np.maximum(x, 0), 1), "RELU6": (relu6, 1)},
    **{"RELU_N1_TO_1": (lambda x: np.minimum(np.maximum(x, -1), 1), 1)},
    **{"HARD_SWISH": (lambda x: x * relu6(x + 3) / 6, 1)},
    **{"ELU": (lambda x: np.where(x > 0, x, np.exp(x) - 1), 1)},
    **{"GELU": (lambda x: x * (1 + erf(x / 2**0.5)) / 2, 1)},
    **{"SOFTMAX": (lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True), 1)},
}
"""Operators on floats: numpy's function, and how many inputs."""


@pytest.mark.slow
def test_elementwise(tmp_path: Path) -> None:
    """All in one network, and those that take positive numbers alone."""
    writer = Writer()
    inputs = [writer.tensor((2, 3)) for _ in range(2)]
    outputs = [writer.op(name, inputs[:n], (2, 3)) for name, (_, n) in ELEMENTWISE.items()]
    positive = writer.op("ABS", inputs[:1], (2, 3))
    others = {"SQRT": np.sqrt, "LOG": np.log, "RSQRT": lambda x: 1 / np.sqrt(x)}
    outputs += [writer.op(name, [positive], (2, 3)) for name in others]
    comparisons = {
        **{"LESS": np.less, "GREATER": np.greater, "EQUAL": np.equal},
        **{"NOT_EQUAL": np.not_equal, "LESS_EQUAL": np.less_equal},
        "GREATER_EQUAL": np.greater_equal,
    }
    outputs += [writer.op(name, inputs, (2, 3), "bool") for name in comparisons]
    writer.ends(inputs, outputs)
    found = called(imported(writer, tmp_path), A, B)
    expected = [function(*(A, B)[:n]) for function, n in ELEMENTWISE.values()]
    expected += [function(np.abs(A)) for function in others.values()]
    expected += [function(A, B) for function in comparisons.values()]
    assert len(found) == len(expected)
    for each, values in zip(found, expected, strict=True):
        close(each, values)


def integers(writer: Writer, *values: int, shape: Sequence[int] | None = None) -> int:
    return writer.tensor(data=np.array(values, np.int32).reshape(shape or (len(values),)))


@pytest.mark.slow
def test_shapes(tmp_path: Path) -> None:
    """Operators that move elements."""
    writer, given = Writer(), floats(2, 3, 4)
    x = writer.tensor(given.shape)
    masks = (32, {0: np.int32(2), 1: np.int32(4), 4: np.int32(1)})
    places = [integers(writer, *each) for each in ((1, 9, 1), (2, -1, 9), (1, 1, 2))]
    axis = integers(writer, 1, shape=())
    halves = [writer.tensor((2, 3, 2)) for _ in range(2)]
    writer.op("SPLIT", [integers(writer, 2, shape=()), x], outputs=halves)
    parts = [writer.tensor((2, 1, 4)), writer.tensor((2, 2, 4))]
    writer.op("SPLIT_V", [x, integers(writer, 1, -1), axis], outputs=parts)
    rows = [writer.tensor((2, 4)) for _ in range(3)]
    writer.op("UNPACK", [x], outputs=rows, options=(64, {0: np.int32(3), 1: np.int32(1)}))
    last = (10, {0: np.int32(2)})
    spans = [integers(writer, *each) for each in ((0, 1, 0), (-1, 2, 3))]
    pads = [(0, 0), (1, 2), (0, 1)]
    table = {
        "STRIDED_SLICE": ([x, *places], masks, given[1, :2, 1::2]),
        "SLICE": ([x, *spans], None, given[:, 1:3, :3]),
        "TRANSPOSE": ([x, integers(writer, 2, 0, 1)], None, given.transpose(2, 0, 1)),
        "RESHAPE": ([x, integers(writer, 4, 6)], None, given.reshape(4, 6)),
        "REVERSE_V2": ([x, integers(writer, 1)], None, given[:, ::-1]),
        "CONCATENATION": (halves[::-1], last, np.concatenate([given[..., 2:], given[..., :2]], 2)),
        "PACK": (rows[::-1], (59, {0: np.int32(3), 1: np.int32(1)}), given[:, ::-1]),
        "GATHER": ([x, integers(writer, 2, 0)], (23, {0: np.int32(1)}), given[:, [2, 0]]),
        "PAD": ([x, integers(writer, *sum(pads, ()), shape=(3, 2))], None, np.pad(given, pads)),
        "TILE": ([x, integers(writer, 1, 2, 1)], None, np.tile(given, (1, 2, 1))),
        "EXPAND_DIMS": ([x, axis], None, given[:, None]),
        "MEAN": ([x, integers(writer, 1)], (27, {0: np.bool_(True)}), given.mean(1, keepdims=True)),
        "SUM": ([x, integers(writer, 0, 2)], None, given.sum((0, 2))),
        "REDUCE_MAX": ([x, axis], None, given.max(1)),
        "ARG_MAX": ([x, integers(writer, 2, shape=())], None, given.argmax(2)),
    }
    outputs = [
        writer.op(
            name, inputs, values.shape, "int32" if name == "ARG_MAX" else "float32", options=options
        )
        for name, (inputs, options, values) in table.items()
    ]
    writer.ends([x], [*outputs, *parts])
    found = called(imported(writer, tmp_path), given)
    expected = [*(values for _, _, values in table.values()), given[:, :1], given[:, 1:]]
    for each, values in zip(found, expected, strict=True):
        close(each, values)


def windows(x: Any, size: tuple[int, int], strides: tuple[int, int]) -> Any:
    """The windows of an image [B, H, W, C], [B, h, w, kh, kw, C]."""
    views = np.lib.stride_tricks.sliding_window_view(x, size, (1, 2))
    return views[:, :: strides[0], :: strides[1]].transpose(0, 1, 2, 4, 5, 3)


def test_images(tmp_path: Path) -> None:
    """Convolutions and pools, whose channels are last, and a layer behind them."""
    image, kernel, by_channel = floats(1, 6, 8, 2), floats(3, 2, 3, 2) / 3, floats(1, 3, 3, 6) / 3
    dense, bias = floats(5, 18), floats(5)
    writer = Writer()
    x = writer.tensor(image.shape)
    held = [writer.tensor(data=each) for each in (kernel, bias[:3])]
    valid = {0: np.int8(1), 1: np.int32(1), 2: np.int32(2)}
    y = writer.op("CONV_2D", [x, *held], (1, 3, 6, 3), options=(1, {**valid, 3: np.int8(1)}))
    held = [writer.tensor(data=each) for each in (by_channel, floats(6) * 0)]
    same = {0: np.int8(0), 1: np.int32(1), 2: np.int32(1), 3: np.int32(2), 4: np.int8(3)}
    y = writer.op("DEPTHWISE_CONV_2D", [y, *held], (1, 3, 6, 6), options=(2, same))
    pool = {0: np.int8(1), 1: np.int32(2), 2: np.int32(3), 3: np.int32(2), 4: np.int32(3)}
    most = writer.op("MAX_POOL_2D", [y], (1, 1, 3, 6), options=(5, pool))
    mean = writer.op("AVERAGE_POOL_2D", [y], (1, 1, 3, 6), options=(5, pool))
    flat = writer.op("RESHAPE", [most, integers(writer, 1, 18)], (1, 18))
    held = [writer.tensor(data=each) for each in (dense, bias)]
    last = writer.op("FULLY_CONNECTED", [flat, *held], (1, 5), options=(8, {0: np.int8(4)}))
    writer.ends([x], [y, mean, last])
    found = called(imported(writer, tmp_path), image)
    first = np.einsum("bhwijc,oijc->bhwo", windows(image, (2, 3), (2, 1)), kernel) + bias[:3]
    padded = np.pad(np.maximum(first, 0), [(0, 0), (1, 1), (1, 1), (0, 0)])
    kernels = by_channel[0].reshape(3, 3, 3, 2)
    second = np.einsum("bhwijc,ijcm->bhwcm", windows(padded, (3, 3), (1, 1)), kernels)
    second = relu6(second.reshape(1, 3, 6, 6))
    pools = windows(second, (3, 2), (3, 2))
    close(found[0], second)
    close(found[1], pools.mean((3, 4)))
    close(found[2], np.tanh(pools.max((3, 4)).reshape(1, 18) @ dense.T + bias))


def integer_network() -> Writer:
    writer = Writer()
    x = writer.tensor((2,), "int8", scale=[0.1])
    writer.ends([x], [writer.op("ADD", [x, x], (2,), "int8")])
    return writer


def integer_lstm() -> Writer:
    writer = integer_network()
    lstm(writer, writer.tensor(X, "int8", scale=[0.1]), gates(INPUTS, UNITS), Y)
    return writer


def unknown() -> Writer:
    writer = Writer()
    x = writer.tensor((2,))
    writer.ends([x], [writer.op("SVDF", [x], (2,))])
    return writer


def doubled_loop() -> Writer:
    """A loop that counts by two."""
    return model(gru, by=2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (integer_network, "a result of int8: a network in integers; convert the model without"),
        (integer_lstm, "a network in integers; import its LSTM alone, .* or convert the model"),
        (
            unknown,
            "operator_27_0: TensorFlow Lite's operator number 27 is .*; Keras writes",
        ),
        (doubled_loop, "WHILE_1: a loop with .*a condition on what is no counter"),
    ],
)
def test_refused(make: Callable[[], Writer], message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        imported(make(), tmp_path)


@pytest.mark.slow
def test_damaged(tmp_path: Path) -> None:
    """Bytes of a network replaced: a model, or an error that is expected."""
    content, draw = model(lstm_body, count=2, masks=2).content(), random.Random(3)
    path, outcomes = tmp_path / "model.tflite", set[str]()
    with bounded():
        for _ in range(300):
            changed = bytearray(content)
            for _ in range(draw.choice((1, 1, 3))):
                changed[draw.randrange(8, len(changed))] = draw.choice((0, 1, 5, 127, 255))
            path.write_bytes(changed)
            try:
                onnx_model(path)
            except (ArtifactError, UnsupportedError) as error:
                outcomes.add(type(error).__name__)
    assert outcomes == {"ArtifactError", "UnsupportedError"}

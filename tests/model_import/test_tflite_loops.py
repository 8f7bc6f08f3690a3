"""Loops of TensorFlow Lite files: Keras' layers are recognised by what a step computes.

Expected values are Keras' formulas in float64.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.bounds import bounded
from model_import.files import onnx_arrays, onnx_results
from model_import.tflite_files import Writer

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import import DEFECT

STEPS, BATCH, INPUTS, UNITS = 5, 2, 3, 4
DRAW = np.random.default_rng(5)
COUNTS = {"lstm": 4, "gru": 3, "gru before": 3, "rnn": 1}
W, R, B, B2 = (
    DRAW.normal(0, 0.5, shape).astype(np.float32)
    for shape in ((4 * UNITS, INPUTS), (4 * UNITS, UNITS), (4 * UNITS,), (4 * UNITS,))
)
STATE, ROWS = (BATCH, UNITS), (STEPS, BATCH, UNITS)


@dataclass
class Step:
    """Writes the body of a loop."""

    writer: Writer
    x: int
    states: Sequence[int]

    def op(self, name: str, *inputs: int, fused: int | None = None) -> int:
        options = None if fused is None else (11, {0: np.int8(fused)})
        return self.writer.op(name, inputs, STATE, options=options)

    def constant(self, array: Any) -> int:
        return self.writer.tensor(data=np.asarray(array, np.float32))

    def product(self, source: int, matrix: Any, bias: Any = None) -> int:
        inputs = [source, self.constant(matrix), -1 if bias is None else self.constant(bias)]
        return self.writer.op("FULLY_CONNECTED", inputs, (BATCH, len(matrix)))

    def split(self, value: int, count: int) -> list[int]:
        parts = [self.writer.tensor(STATE) for _ in range(count)]
        axis = self.writer.tensor(data=np.array(1, np.int32))
        self.writer.op("SPLIT", [axis, value], outputs=parts)
        return parts

    def sliced(self, value: int, k: int) -> int:
        places = [(0, k * UNITS), (0, (k + 1) * UNITS), (1, 1)]
        numbers = [self.writer.tensor(data=np.array(each, np.int32)) for each in places]
        options = (32, {0: np.int32(1), 1: np.int32(1)})
        return self.writer.op("STRIDED_SLICE", [value, *numbers], STATE, options=options)


def lstm(step: Step, activation: str = "TANH", gate: str = "LOGISTIC") -> list[int]:
    """Fused matrices, whose sum is split."""
    h, c = step.states
    sums = step.op("ADD", step.product(step.x, W), step.product(h, R))
    i, f, g, o = step.split(step.op("ADD", sums, step.constant(B)), 4)
    i, f, o = (step.op(gate, each) for each in (i, f, o))
    g = step.op(activation, g)
    new = step.op("ADD", step.op("MUL", f, c), step.op("MUL", g, i))
    return [step.op("MUL", step.op(activation, new), o), new]


def hard_lstm(step: Step) -> list[int]:
    """Keras 3's hard_sigmoid: relu6(x + 3) / 6."""
    h, c = step.states
    sums = step.op("ADD", step.product(step.x, W, B), step.product(h, R))
    i, f, g, o = (step.sliced(sums, k) for k in range(4))
    three, sixth = step.constant(3), step.constant(1 / 6)
    i, f, o = (step.op("MUL", step.op("ADD", each, three, fused=3), sixth) for each in (i, f, o))
    new = step.op("ADD", step.op("MUL", f, c), step.op("MUL", step.op("TANH", g), i))
    return [step.op("MUL", step.op("TANH", new), o), new]


def gru(step: Step) -> list[int]:
    """The reset gate after the product, whose bias stays apart."""
    (h,) = step.states
    xs = step.split(step.product(step.x, W[: 3 * UNITS], B[: 3 * UNITS]), 3)
    hs = [step.sliced(step.product(h, R[: 3 * UNITS], B2[: 3 * UNITS]), k) for k in range(3)]
    z, r = (step.op("LOGISTIC", step.op("ADD", xs[k], hs[k])) for k in range(2))
    g = step.op("TANH", step.op("ADD", xs[2], step.op("MUL", r, hs[2])))
    rest = step.op("SUB", step.constant(1), z)
    return [step.op("ADD", step.op("MUL", z, h), step.op("MUL", rest, g))]


def gru_before(step: Step) -> list[int]:
    """Keras 2's reset before the product, with a matrix for each gate and its hard_sigmoid.

    The converter writes the maximum with 0 in two ways.
    """
    (h,) = step.states
    parts = [slice(k * UNITS, (k + 1) * UNITS) for k in range(3)]
    xs = [step.product(step.x, W[part], B[part]) for part in parts]

    def hard(value: int) -> int:
        line = step.op("ADD", step.op("MUL", value, step.constant(0.2)), step.constant(0.5))
        return step.op("MINIMUM", line, step.constant(1))

    upper = (hard(step.op("ADD", xs[k], step.product(h, R[parts[k]]))) for k in range(2))
    z, r = step.op("MAXIMUM", next(upper), step.constant(0)), step.op("RELU", next(upper))
    g = step.op("ADD", xs[2], step.product(step.op("MUL", r, h), R[parts[2]]))
    rest = step.op("SUB", step.constant(1), z)
    return [step.op("ADD", step.op("MUL", rest, g), step.op("MUL", z, h))]


def rnn(step: Step) -> list[int]:
    """With relu, which the converter fuses into the sum."""
    (h,) = step.states
    one, other = step.product(step.x, W[:UNITS], B[:UNITS]), step.product(h, R[:UNITS])
    return [step.op("ADD", one, other, fused=1)]


def stacked(step: Step) -> list[int]:
    """Two cells in one loop, as Keras writes RNN([cell, cell])."""
    first = gru(Step(step.writer, step.x, step.states[:1]))
    sums = step.op(
        "ADD", step.product(first[0], R[:UNITS]), step.product(step.states[1], R[:UNITS])
    )
    return [*first, step.op("TANH", sums)]


def model(
    body: Callable[[Step], list[int]],
    *,
    count: int = 1,
    first: int = 0,
    by: int = 1,
    limit: int = STEPS,
    initial: float | None = 0.0,
    is_reversed: bool = False,
    masks: int = 0,
    rows: bool = False,
    cast: str = "",
    items: int = 0,
    zeros: bool = False,
    backward: Callable[[Step], list[int]] | None = None,
) -> Writer:
    """A model of one loop, batch-major, as Keras' are; masks tells how many states have one.

    With rows, its result is a list of h after each step, which may be cast to a type; with items,
    one of TensorFlow's lists, of all steps or the last one; with zeros, masked steps have zeros
    there. With `backward`, there is a second
    loop, which reads the steps in reverse, and both results.
    """
    writer = Writer()
    x = writer.tensor((BATCH, STEPS, INPUTS))
    order = writer.tensor(data=np.array([1, 0, 2], np.int32))
    bodies = [body] if backward is None else [body, backward]
    sequences: list[int] = []
    for k in range(len(bodies)):
        source = x
        if is_reversed or k:
            axis = writer.tensor(data=np.array([1], np.int32))
            source = writer.op("REVERSE_V2", [x, axis], (BATCH, STEPS, INPUTS))
        sequences.append(writer.op("TRANSPOSE", [source, order], (STEPS, BATCH, INPUTS)))
    start = writer.tensor(data=np.array(first, np.int32))
    given = [
        writer.tensor(STATE, data=None if initial is None else np.full(STATE, initial, np.float32))
        for _ in range(count)
    ]

    def arguments() -> list[int]:
        states = [writer.tensor(STATE) for _ in range(count)]
        mask = [writer.tensor((STEPS, BATCH, 1), "bool")] if masks else []
        held = [writer.tensor(ROWS)] if rows else []
        held += [writer.tensor((), "variant")] if items else []
        sequence = writer.tensor((STEPS, BATCH, INPUTS))
        return [writer.tensor((), "int32"), *states, *mask, *held, sequence]

    results = arguments()
    mask = results[1 + count : 1 + count + bool(masks)]
    given += mask
    if rows:
        given.append(writer.tensor(data=np.zeros(ROWS, np.float32)))
    if items:
        sizes = [writer.tensor(data=np.array(n, np.int32)) for n in ([-1, UNITS], items)]
        given.append(writer.op("FlexTensorListReserve", sizes, (), "variant"))
    writer.graphs[0]["masks"] = mask
    ends: list[int] = []
    for k, sequence in enumerate(sequences):
        results = arguments()
        options = (92, {0: np.int32(1), 1: np.int32(2 + k)})
        writer.op("WHILE", [start, *given, sequence], outputs=results, options=options)
        ends.append(results[-2 if rows or items else 1])
        if items:
            stacked = [ends[k], writer.tensor(data=np.array([-1, UNITS], np.int32))]
            ends[k] = writer.op("FlexTensorListStack", stacked, (items, BATCH, UNITS))
        if rows and k:
            axis = writer.tensor(data=np.array([0], np.int32))
            ends[k] = writer.op("REVERSE_V2", [ends[k], axis], ROWS)
    writer.ends([x], ends)
    writer.graph()
    held = arguments()
    end = writer.tensor(data=np.array(limit, np.int32))
    writer.ends(held, [writer.op("LESS", [held[0], end], (), "bool")])
    for each in bodies:
        writer.graph()
        held = arguments()
        one = writer.tensor(data=np.array(by, np.int32))
        after = writer.op("ADD", [held[0], one], (), "int32")
        taken = writer.op("GATHER", [held[-1], held[0]], (BATCH, INPUTS))
        states, mask = held[1 : 1 + count], held[1 + count : 1 + count + bool(masks)]
        new = each(Step(writer, taken, states))
        row = new[0]
        if masks:
            chosen = writer.op("GATHER", [mask[0], held[0]], (BATCH, 1), "bool")
            for k in range(masks):
                new[k] = writer.op("SELECT_V2", [chosen, new[k], states[k]], STATE)
            zero = writer.tensor(data=np.array(0, np.float32))
            row = writer.op("SELECT_V2", [chosen, row, zero], STATE) if zeros else new[0]
        lists = [written(writer, held[-2], held[0], after, row)] if rows else []
        if rows and cast:
            lists = [writer.op("CAST", lists, ROWS, cast)]
        if items:
            place = held[0] if items > 1 else writer.tensor(data=np.array(0, np.int32))
            item = [held[-2], place, row]
            lists = [writer.op("FlexTensorListSetItem", item, (), "variant")]
        writer.ends(held, [after, *new, *mask, *lists, held[-1]])
    return writer


class Opposite(Step):
    """A step with the negatives of the matrices."""

    def product(self, source: int, matrix: Any, bias: Any = None) -> int:
        return super().product(source, -matrix, bias)


def opposite(body: Callable[[Step], list[int]]) -> Callable[[Step], list[int]]:
    """A body with the negatives of the matrices."""
    return lambda step: body(Opposite(step.writer, step.x, step.states))


def written(writer: Writer, before: int, index: int, after: int, row: int) -> int:
    """A list with a row at an index, the one before the index after it."""

    def integers(*values: int) -> int:
        return writer.tensor(data=np.array(values, np.int32))

    def at(place: int, *rest: int) -> int:
        place = writer.op("RESHAPE", [place, integers(1)], (1,), "int32")
        return writer.op("CONCATENATION", [place, integers(*rest)], (3,), "int32")

    first = writer.op("SLICE", [before, integers(0, 0, 0), at(index, -1, -1)], ROWS)
    rest = writer.op("SLICE", [before, at(after, 0, 0), integers(-1, -1, -1)], ROWS)
    row = writer.op("EXPAND_DIMS", [row, integers(0)], (1, *STATE))
    return writer.op("CONCATENATION", [first, row, rest], ROWS)


def moved_gru(step: Step) -> list[int]:
    """Its input is multiplied by ones, as for dropout, and sums are cut by other operators."""
    (h,) = step.states
    write, sizes = step.writer, (BATCH, 3 * UNITS)

    def integers(*values: int) -> int:
        return write.tensor(data=np.array(values, np.int32))

    ones = write.op("FILL", [integers(BATCH, INPUTS), step.constant(1)], (BATCH, INPUTS))
    x = write.op("MUL", [ones, step.x], (BATCH, INPUTS))
    sums = step.product(x, W[: 3 * UNITS], B[: 3 * UNITS])
    sums = write.op("EXPAND_DIMS", [sums, integers(0)], (1, *sizes))
    sums = write.op("RESHAPE", [sums, integers(*sizes)], sizes)
    xs = [write.tensor(STATE) for _ in range(3)]
    axis = write.tensor(data=np.array(1, np.int32))
    write.op("SPLIT_V", [sums, integers(UNITS, UNITS, -1), axis], outputs=xs)
    numbers = (np.sign(R[: 3 * UNITS]) * 2).astype(np.int8)
    scales = np.abs(R[: 3 * UNITS]).max(1) / 2
    matrix = write.tensor(data=numbers, scale=scales.tolist())
    product = write.op("FULLY_CONNECTED", [h, matrix, step.constant(B2[: 3 * UNITS])], sizes)
    hs = [
        write.op("SLICE", [product, integers(0, k * UNITS), integers(-1, UNITS)], STATE)
        for k in range(3)
    ]
    z, r = (step.op("LOGISTIC", step.op("ADD", xs[k], hs[k])) for k in range(2))
    g = step.op("TANH", step.op("ADD", xs[2], step.op("MUL", r, hs[2])))
    rest = step.op("SUB", step.constant(1), z)
    return [step.op("ADD", step.op("MUL", z, h), step.op("MUL", rest, g))]


def test_other_ways_to_cut_and_int8(tmp_path: Path) -> None:
    """A matrix in int8 with a scale for each row."""
    (layer,) = rc.import_model(model(moved_gru).save(tmp_path / "model.tflite"))
    (plain,) = rc.import_model(model(gru).save(tmp_path / "plain.tflite"))
    assert layer.notes[0].startswith("weights are int8 in the file, and float32 here")
    rows = R[: 3 * UNITS]
    matrix: Any = (np.sign(rows) * np.abs(rows).max(1)[:, None]).astype(np.float32)
    x: Any = np.random.default_rng(1).normal(0, 1, (BATCH, STEPS, INPUTS)).astype(np.float32)
    found, arrays = (
        rc.weights.to_onnx(
            each.weights["params"], rnn_mode="gru", num_units=UNITS, input_size=INPUTS
        )
        for each in (layer, plain)
    )
    np.testing.assert_array_equal(found.W, arrays.W)
    np.testing.assert_array_equal(found.B, arrays.B)
    np.testing.assert_allclose(found.R[0], matrix, rtol=1e-6)
    assert onnx_results(layer, {"X": x})["Y"].shape == (BATCH, STEPS, 1, UNITS)


def with_open_length(writer: Writer, begin: int = 0, turns: bool = False) -> Writer:
    """A model whose loop ends after as many steps as an axis of its input has.

    The loop may read in reverse what is not reversed where its steps are counted.
    """
    graph = writer.graphs[0]
    writer.graphs.append(graph)  # further tensors and ops are of the main graph
    (transpose, loop), sequence = graph["ops"], 2
    shape = writer.op("SHAPE", [sequence], (3,), "int32")
    places = [writer.tensor(data=np.array([k], np.int32)) for k in (begin, begin + 1, 1)]
    options = (32, {4: np.int32(1)})  # which drops the axis
    length = writer.op("STRIDED_SLICE", [shape, *places], (), "int32", options=options)
    same = writer.tensor((), "int32")
    writer.graphs.pop()
    graph["tensors"][0][7] = np.array([BATCH, -1, INPUTS], "<i4")
    graph["tensors"][2][7] = np.array([-1, BATCH, INPUTS], "<i4")
    for mask in graph["masks"]:
        graph["tensors"][mask][7] = np.array([-1, BATCH, 1], "<i4")
    if turns:
        writer.graphs.append(graph)
        axis = writer.tensor(data=np.array([0], np.int32))
        turned = writer.op("REVERSE_V2", [sequence, axis], (STEPS, BATCH, INPUTS))
        writer.graphs.pop()
        graph["tensors"][turned][7] = np.array([-1, BATCH, INPUTS], "<i4")
        loop[1][-1] = turned
    graph["ops"] = [transpose, *graph["ops"][2:], loop]
    loop[1] = np.array([*loop[1], length], "<i4")
    loop[2] = np.array([*loop[2], same], "<i4")
    for inner in writer.graphs[1:]:
        inner["tensors"].append({1: np.int8(2)})
        inner["inputs"] = [*inner["inputs"], len(inner["tensors"]) - 1]
    writer.graphs[2]["outputs"].append(writer.graphs[2]["inputs"][-1])
    less = writer.graphs[1]["ops"][0]
    less[1] = np.array([less[1][0], writer.graphs[1]["inputs"][-1]], "<i4")
    return writer


@pytest.mark.parametrize("turns", [False, True])
def test_open_length(turns: bool, tmp_path: Path) -> None:
    path = with_open_length(model(gru), turns=turns).save(tmp_path / "model.tflite")
    (layer,) = rc.import_model(path)
    assert (layer.dims["seq_length"], layer.dims["batch_size"]) == (None, BATCH)
    assert turns == any("the model reverses the input" in note for note in layer.notes)


def test_as_many_steps_as_rows(tmp_path: Path) -> None:
    path = with_open_length(model(gru), begin=1).save(tmp_path / "model.tflite")
    with pytest.raises(UnsupportedError, match="a number of steps that is not its input's"):
        rc.import_model(path)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def hard(alpha: float) -> Callable[[Any], Any]:
    return lambda x: np.minimum(np.maximum(alpha * x + 0.5, 0), 1)


def run(step: Callable[..., Any], states: int, x: Any) -> Any:
    """The h of each step, from states of zeros."""
    held: Any = [np.zeros(STATE) for _ in range(states)]
    found: list[Any] = []
    for row in x.astype(np.float64):
        held = step(row, *held)
        found.append(held[0])
    return np.stack(found)


def parts(array: Any, count: int) -> list[Any]:
    return [array[k * UNITS : (k + 1) * UNITS].astype(np.float64) for k in range(count)]


def lstm_step(gate: Any, activation: Any) -> Callable[..., Any]:
    def step(x: Any, h: Any, c: Any) -> Any:
        sums = [
            x @ w.T + h @ r.T + b for w, r, b in zip(*(parts(a, 4) for a in (W, R, B)), strict=True)
        ]
        c = gate(sums[1]) * c + gate(sums[0]) * activation(sums[2])
        return gate(sums[3]) * activation(c), c

    return step


def gru_step(x: Any, h: Any) -> Any:
    xs = [x @ w.T + b for w, b in zip(parts(W, 3), parts(B, 3), strict=True)]
    hs = [h @ r.T + b for r, b in zip(parts(R, 3), parts(B2, 3), strict=True)]
    z, r = sigmoid(xs[0] + hs[0]), sigmoid(xs[1] + hs[1])
    return (z * h + (1 - z) * np.tanh(xs[2] + r * hs[2]),)


def gru_before_step(x: Any, h: Any) -> Any:
    xs = [x @ w.T + b for w, b in zip(parts(W, 3), parts(B, 3), strict=True)]
    rs = parts(R, 3)
    z, r = (hard(0.2)(xs[k] + h @ rs[k].T) for k in range(2))
    return (z * h + (1 - z) * (xs[2] + (r * h) @ rs[2].T),)


def rnn_step(x: Any, h: Any) -> Any:
    return (np.maximum(x @ parts(W, 1)[0].T + h @ parts(R, 1)[0].T + parts(B, 1)[0], 0),)


def relu_lstm(step: Step) -> list[int]:
    return lstm(step, "RELU")


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


CELLS: list[tuple[Any, int, Any, str]] = [
    (lstm, 2, lstm_step(sigmoid, np.tanh), "CudnnRNNV3"),
    (relu_lstm, 2, lstm_step(sigmoid, relu), "onnx.LSTM"),
    (hard_lstm, 2, lstm_step(hard(1 / 6), np.tanh), "onnx.LSTM"),
    (gru, 1, gru_step, "CudnnRNNV3"),
    (gru_before, 1, gru_before_step, "onnx.GRU"),
    (rnn, 1, rnn_step, "CudnnRNNV3"),
]


@pytest.mark.parametrize(("body", "count", "step", "op"), CELLS)
def test_values(body: Any, count: int, step: Any, op: str, tmp_path: Path) -> None:
    path = model(body, count=count).save(tmp_path / "model.tflite")
    (layer,) = rc.import_model(path)
    assert layer.name == body.__name__.split("_")[-1 if "lstm" in body.__name__ else 0]
    assert (layer.op, layer.notes) == (op, ())
    sizes = [layer.dims[name] for name in ("seq_length", "batch_size", "input_size", "num_units")]
    assert sizes == [STEPS, BATCH, INPUTS, UNITS]
    x: Any = np.random.default_rng(1).normal(0, 1, (BATCH, STEPS, INPUTS)).astype(np.float32)
    found = onnx_results(layer, {"X": x})["Y"]  # the batch first, as in the file
    expected = run(step, count, x.swapaxes(0, 1)).swapaxes(0, 1)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    ("body", "count", "masks"), [(lstm, 2, 0), (gru_before, 1, 0), (gru, 1, 1)]
)
def test_both_directions(body: Any, count: int, masks: int, tmp_path: Path) -> None:
    """Two loops that read the same steps, one of them in reverse, are one layer."""
    path = tmp_path / "model.tflite"
    (one,) = rc.import_model(model(body, count=count, masks=masks).save(path))
    writer = model(body, count=count, masks=masks, rows=True, backward=opposite(body))
    (both,) = rc.import_model(writer.save(path))
    assert (both.name, both.op, both.dims) == (one.name, one.op, one.dims)
    assert both.attributes["direction"] == "bidirectional"
    (W, R, B), plain = onnx_arrays(both), onnx_arrays(one)
    assert_same_bits([W[:1], R[:1], B[:1]], plain)
    assert_same_bits([-W[1:], -R[1:], B[1:]], plain)
    assert both.notes[0].startswith("both directions of a layer, which are loops of their own")
    assert both.notes[1:] == one.notes


@pytest.mark.parametrize("items", [STEPS, 1])
def test_lists_of_tensorflow(items: int, tmp_path: Path) -> None:
    """As the converter writes layers whose batch is open, with SELECT_TF_OPS."""
    path = tmp_path / "model.tflite"
    (plain,) = rc.import_model(model(lstm, count=2).save(path))
    (layer,) = rc.import_model(model(lstm, count=2, items=items).save(path))
    assert (layer.op, layer.attributes, layer.notes) == (plain.op, plain.attributes, plain.notes)
    assert_same_bits(layer.weights["params"], plain.weights["params"])


def test_directions_that_differ(tmp_path: Path) -> None:
    """Loops of other cells, or that read the same way, are layers of their own."""
    path = tmp_path / "model.tflite"
    for backward in (gru_before, rnn):
        found = rc.import_model(model(gru, backward=backward).save(path))
        assert len(found) == 2
        assert "the model reverses the input" in found[1].notes[0]
    found = rc.import_model(model(gru, backward=gru, is_reversed=True).save(path))
    assert [len(each.notes) for each in found] == [1, 1]


def test_masks(tmp_path: Path) -> None:
    """Masked steps leave the states as they are, which lengths do too."""
    path = tmp_path / "model.tflite"
    (plain,) = rc.import_model(model(lstm, count=2).save(path))
    (layer,) = rc.import_model(model(lstm, count=2, masks=2, is_reversed=True).save(path))
    assert_same_bits(layer.weights["params"], plain.weights["params"])
    backwards, masked = layer.notes
    assert backwards.endswith("from its last to its first, masked ones at the end")
    assert masked.startswith(
        "the model masks steps: pass each row's number of steps as sequence_lengths, masked ones"
    )


def test_the_output_before_masked_steps(tmp_path: Path) -> None:
    """Keras' layers that return all steps keep it, in a state that is none of the cell."""

    def keeping(step: Step) -> list[int]:
        h, c = lstm(Step(step.writer, step.x, step.states[:2]))
        return [h, c, h]

    path = tmp_path / "model.tflite"
    (plain,) = rc.import_model(model(lstm, count=2, masks=2).save(path))
    (layer,) = rc.import_model(model(keeping, count=3, masks=3, rows=True).save(path))
    assert_same_bits(layer.weights["params"], plain.weights["params"])


def test_weights_that_are_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step is known by its other units."""
    changed = B.copy()
    changed[[0, 2]] = np.nan, np.inf
    monkeypatch.setattr(sys.modules[__name__], "B", changed)
    (layer,) = rc.import_model(model(lstm, count=2).save(tmp_path / "model.tflite"))
    assert layer.op == "CudnnRNNV3"
    assert layer.notes == ("params has 2 values that are NaN or infinite",)


def test_notes(tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    (layer,) = rc.import_model(model(gru, is_reversed=True).save(path))
    (note,) = layer.notes
    assert note.startswith("the model reverses the input: pass the steps of each row from its last")
    (layer,) = rc.import_model(model(lstm, count=2, initial=None).save(path))
    passes = "the model passes an initial state, which is"
    assert layer.notes == (f"{passes} input_h", f"{passes} input_c")
    (layer,) = rc.import_model(model(gru, initial=0.5).save(path))
    assert layer.notes == (f"{passes} input_h: always the same array",)


def no_cell(step: Step) -> list[int]:
    """A GRU whose z is not the same twice."""
    (h,) = step.states
    z = step.op("LOGISTIC", step.product(step.x, W[:UNITS]))
    other = step.op("LOGISTIC", step.product(h, R[:UNITS]))
    rest = step.op("SUB", step.constant(1), other)
    return [step.op("ADD", step.op("MUL", z, h), step.op("MUL", rest, step.op("TANH", z)))]


def doubled(step: Step) -> list[int]:
    """A GRU that mixes with 2 - z."""
    (h,) = step.states
    z = step.op(
        "LOGISTIC", step.op("ADD", step.product(step.x, W[:UNITS]), step.product(h, R[:UNITS]))
    )
    rest = step.op("SUB", step.constant(2), z)
    return [step.op("ADD", step.op("MUL", z, h), step.op("MUL", rest, z))]


def without_values(step: Step) -> list[int]:
    (h,) = step.states
    handle = step.writer.op("VAR_HANDLE", [], (1,), "int32")
    matrix = step.writer.op("READ_VARIABLE", [handle], (UNITS, UNITS))
    one = step.product(step.x, W[:UNITS])
    return [step.op("TANH", step.op("ADD", one, step.op("FULLY_CONNECTED", h, matrix)))]


@pytest.mark.parametrize(
    ("writer", "message"),
    [
        (model(no_cell), "a step that is not that of an LSTM, GRU or RNN.*\\.keras file"),
        (model(doubled), "a step that is not that of an LSTM, GRU or RNN"),
        (model(stacked, count=2), "states of several cells"),
        (model(gru, first=1), "a step that is not"),
        (model(gru, by=2), "a step that is not"),
        (model(gru, limit=STEPS - 1), "a number of steps that is not its input's"),
        (model(without_values), "weights in variables that nothing sets.*from_keras_model"),
    ],
)
def test_refused(writer: Writer, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        rc.import_model(writer.save(tmp_path / "model.tflite"))


def test_an_input_of_another_rank(tmp_path: Path) -> None:
    """The file gives the loop's input, before it is transposed, two axes."""
    writer = model(gru)
    writer.graphs[0]["tensors"][0][0] = np.array([BATCH, STEPS], "<i4")
    with pytest.raises(ArtifactError, match=r"the input of a loop has the shape \[2, 5\]"):
        rc.import_model(writer.save(tmp_path / "model.tflite"))


def test_loops_without_matrices_are_no_layers(tmp_path: Path) -> None:
    path = model(lambda step: [step.op("TANH", step.states[0])]).save(tmp_path / "model.tflite")
    with pytest.raises(InvalidArgumentError, match="none with recurrent weights"):
        rc.import_model(path)


@pytest.mark.slow
def test_damaged(tmp_path: Path) -> None:
    """Bytes of a loop replaced: layers, or an error that is expected."""
    content, draw = model(lstm, count=2).content(), random.Random(2)
    path = tmp_path / "model.tflite"
    outcomes: set[str] = set()
    with bounded():
        for _ in range(400):
            changed = bytearray(content)
            for _ in range(draw.choice((1, 1, 3))):
                changed[draw.randrange(8, len(changed))] = draw.choice((0, 1, 5, 127, 255))
            path.write_bytes(changed)
            outcome: object = "read"
            try:
                rc.import_model(path)
            except (ArtifactError, InvalidArgumentError, UnsupportedError) as error:
                outcome = error
            assert DEFECT not in str(outcome)
            outcomes.add(type(outcome).__name__)
    assert outcomes >= {"str", "ArtifactError", "UnsupportedError"}

"""TensorFlow Lite files: the fused LSTM, and what is refused.

Expected values are the interpreter's formulas in float64.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.bounds import bounded
from model_import.tflite_files import Writer, both_lstm, gates, lstm, table_bytes
from quick import first

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import import DEFECT

STEPS, BATCH, INPUTS, UNITS = 5, 2, 3, 4
X, Y = (BATCH, STEPS, INPUTS), (BATCH, STEPS, UNITS)


def one_layer(weights: Mapping[str, Any], **options: Any) -> Writer:
    """A file of one LSTM, batch-major."""
    writer = Writer()
    x = writer.tensor(X)
    writer.ends([x], [lstm(writer, x, weights, Y, **options)])
    return writer


def only_layer(writer: Writer, folder: Path) -> rc.Layer:
    (layer,) = rc.import_model(writer.save(folder / "model.tflite"))
    return layer


def joined(weights: Mapping[str, Any], kind: str) -> Any:
    return np.concatenate([weights[f"{kind}_{gate}"] for gate in "ifco"])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def formula(weights: Mapping[str, Any], x: Any, clip: float) -> Any:
    """The interpreter's LSTM: h of each step, for x [steps, batch, inputs], from states of zero."""
    held: dict[str, Any] = {name: np.asarray(array, np.float64) for name, array in weights.items()}
    h: Any = np.zeros((x.shape[1], len(held["b_o"])))
    c: Any = h
    found: list[Any] = []

    def gate(name: str, step: Any, cell: Any) -> Any:
        sums = held[f"b_{name}"] + step @ held[f"w_{name}"].T + h @ held[f"r_{name}"].T
        return sums + held.get(f"p_{name}", 0.0) * cell

    for step in x.astype(np.float64):
        f = sigmoid(gate("f", step, c))
        i = sigmoid(gate("i", step, c)) if "w_i" in held else 1 - f
        new = f * c + i * np.tanh(gate("c", step, c))
        new = np.minimum(np.maximum(new, -clip), clip) if clip else new
        h, c = sigmoid(gate("o", step, new)) * np.tanh(new), new
        found.append(h)
    return np.stack(found)


def close_to_formula(layer: rc.Layer, weights: Mapping[str, Any], clip: float) -> None:
    """Judges a layer by numbers large enough for the cell's limit to matter."""
    x = np.random.default_rng(3).normal(0, 2, (STEPS, BATCH, INPUTS)).astype(np.float32)
    zeros = np.zeros((BATCH, UNITS), np.float32)
    program: Any = rc.runtime.load(rc.compile(layer.build(frozen=False, outputs=["h"]), "cpu"))
    found = program(seq_len_max=STEPS, x=x, cs_prev=zeros, h_prev=zeros, **layer.weights)
    np.testing.assert_allclose(found.h, formula(weights, x, clip), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("cifg", "peepholes", "clip"),
    first([(False, False, 0.4), (False, True, 0.0), (True, False, 0.0), (True, True, 0.4)]),
)
def test_values(cifg: bool, peepholes: bool, clip: float, tmp_path: Path) -> None:
    weights = gates(INPUTS, UNITS, cifg=cifg, peepholes=peepholes)
    layer = only_layer(one_layer(weights, clip=clip), tmp_path)
    assert (layer.name, layer.op, layer.dtype) == ("lstm", "BlockLSTMV2", "float32")
    assert layer.attributes == {"cell_clip": np.float32(clip), "use_peephole": peepholes}
    assert list(layer.dims.items()) == [
        *(("seq_length", STEPS), ("batch_size", BATCH)),
        *(("input_size", INPUTS), ("num_units", UNITS)),
    ]
    close_to_formula(layer, weights, clip)


def test_notes(tmp_path: Path) -> None:
    layer = only_layer(one_layer(gates(INPUTS, UNITS)), tmp_path)
    first, clipped, kept = layer.notes
    assert first == (
        "the model has the batch first: transpose x to [steps, batch, inputs], and h back"
    )
    assert clipped == "it keeps the cell within 10, as the converter adds to Keras' layers"
    assert kept.startswith("in TensorFlow Lite, the last h and cs of a call are h_prev and cs_prev")
    assert kept.endswith("; program.stream does this")


def test_time_major_with_open_sizes(tmp_path: Path) -> None:
    writer = Writer()
    x = writer.tensor((1, 1, INPUTS), signature=(-1, 1, INPUTS))
    lstm(writer, x, gates(INPUTS, UNITS), (1, 1, UNITS), time_major=True, clip=0)
    layer = only_layer(writer, tmp_path)
    assert (layer.dims["seq_length"], layer.dims["batch_size"]) == (None, 1)
    assert len(layer.notes) == 1


def test_both_directions(tmp_path: Path) -> None:
    """As the converter writes Bidirectional, before a layer that goes backwards."""
    writer = Writer()
    axis, x = writer.tensor(data=np.array([1], np.int32)), writer.tensor(X)
    weights = [gates(INPUTS, UNITS, seed=seed) for seed in range(2)]
    turned = writer.op("REVERSE_V2", [x, axis], X)
    backward = lstm(writer, turned, weights[1], Y)
    forward = lstm(writer, x, weights[0], Y)
    back = writer.op("REVERSE_V2", [backward, axis], Y)
    both = writer.op("CONCATENATION", [forward, back], (BATCH, STEPS, 2 * UNITS))
    turned = writer.op("REVERSE_V2", [both, axis], (BATCH, STEPS, 2 * UNITS))
    lstm(writer, turned, gates(2 * UNITS, UNITS), Y)
    layers = {each.name: each for each in rc.import_model(writer.save(tmp_path / "model.tflite"))}
    assert list(layers) == ["backward", "forward", "lstm"]
    for name, held in (("forward", weights[0]), ("backward", weights[1])):
        assert_same_bits(layers[name].weights["b"], joined(held, "b"))
        assert_same_bits(layers[name].weights["w"][:INPUTS], joined(held, "w").T)
        assert_same_bits(layers[name].weights["w"][INPUTS:], joined(held, "r").T)
    reversed_input = "the model reverses the input: pass the steps of each row from its last"
    told = {name: [note for note in layers[name].notes if "reverse" in note] for name in layers}
    assert [len(notes) for notes in told.values()] == [2, 0, 1]
    assert told["backward"][0].startswith(reversed_input)
    assert told["lstm"][0].startswith(reversed_input)
    assert "the model appends the output of backward to its output" in layers["forward"].notes


def test_layer_after_layer(tmp_path: Path) -> None:
    """With the empty slots of a normalization, which older converters write."""
    writer = Writer()
    x = writer.tensor(X)
    norms = {f"norm_{gate}": -1 for gate in "ifco"}
    below = lstm(writer, x, gates(INPUTS, UNITS), Y, norms=norms)
    writer.ends([x], [lstm(writer, below, gates(UNITS, UNITS, seed=1), Y, norms=norms)])
    layers = rc.import_model(writer.save(tmp_path / "model.tflite"))
    assert [each.dims["input_size"] for each in layers] == [INPUTS, UNITS]
    assert not any("reverse" in note for each in layers for note in each.notes)


def test_both_directions_in_one_operator(tmp_path: Path) -> None:
    writer = Writer()
    x = writer.tensor(X)
    weights = [gates(INPUTS, UNITS, seed=seed) for seed in range(2)]
    writer.ends([x], [both_lstm(writer, x, weights, (BATCH, STEPS, 2 * UNITS))])
    forward, backward = rc.import_model(writer.save(tmp_path / "model.tflite"))
    assert (forward.name, backward.name) == ("forward", "backward")
    for layer, held in ((forward, weights[0]), (backward, weights[1])):
        close_to_formula(layer, held, 0)
    reverses = "the model reverses the input: pass the steps of each row from its last"
    assert [any(note.startswith(reverses) for note in each.notes) for each in (forward, backward)]
    assert not any(note.startswith(reverses) for note in forward.notes)
    assert "the model appends the output of backward to its output" in forward.notes


def test_one_step(tmp_path: Path) -> None:
    """The operator LSTM, whose input has no axis of steps."""
    writer, weights = Writer(), gates(INPUTS, UNITS, peepholes=True)
    x = writer.tensor((BATCH, INPUTS))
    writer.ends([x], [lstm(writer, x, weights, (BATCH, UNITS), step=True)])
    layer = only_layer(writer, tmp_path)
    assert (layer.dims["seq_length"], layer.dims["batch_size"]) == (1, BATCH)
    assert layer.notes[0] == "a single step: pass x as [1, batch, inputs]"
    assert layer.attributes["cell_clip"] == 10
    assert_same_bits(layer.weights["b"], joined(weights, "b"))


@pytest.mark.slow
@pytest.mark.parametrize("cifg", [False, True])
def test_projection(cifg: bool, tmp_path: Path) -> None:
    """As CudnnRNNV3, whose numbers are those of the formulas with h projected."""
    weights = gates(INPUTS, UNITS, cifg=cifg)
    draw = np.random.default_rng(4)
    for gate in "fco" if cifg else "ifco":
        weights[f"r_{gate}"] = draw.normal(0, 0.5, (UNITS, 2)).astype(np.float32)
    weights["projection"] = draw.normal(0, 0.5, (2, UNITS)).astype(np.float32)
    writer = Writer()
    x = writer.tensor(X)
    writer.ends([x], [lstm(writer, x, weights, (BATCH, STEPS, 2), clip=0)])
    layer = only_layer(writer, tmp_path)
    assert (layer.op, layer.attributes["num_proj"]) == ("CudnnRNNV3", 2)
    held: dict[str, Any] = {name: np.asarray(each, np.float64) for name, each in weights.items()}
    given: Any = draw.normal(0, 1, (STEPS, BATCH, INPUTS)).astype(np.float32)
    h: Any = np.zeros((BATCH, 2))
    c: Any = np.zeros((BATCH, UNITS))
    expected: list[Any] = []
    for step in given.astype(np.float64):
        sums = {
            gate: held[f"b_{gate}"] + step @ held[f"w_{gate}"].T + h @ held[f"r_{gate}"].T
            for gate in ("fco" if cifg else "ifco")
        }
        f = sigmoid(sums["f"])
        c = f * c + (1 - f if cifg else sigmoid(sums["i"])) * np.tanh(sums["c"])
        h = sigmoid(sums["o"]) * np.tanh(c) @ held["projection"].T
        expected.append(h)
    program: Any = rc.runtime.load(rc.compile(layer.build(frozen=False), "cpu"))
    found = program(
        input=given,
        input_h=np.zeros((1, BATCH, 2), np.float32),
        input_c=np.zeros((1, BATCH, UNITS), np.float32),
        sequence_lengths=np.full(BATCH, STEPS, np.int32),
        **layer.weights,
    )
    np.testing.assert_allclose(found.output, np.stack(expected), rtol=0, atol=1e-6)


def test_features_in_reverse_are_no_steps_in_reverse(tmp_path: Path) -> None:
    writer = Writer()
    x, axis = writer.tensor(X), writer.tensor(data=np.array([2], np.int32))
    lstm(writer, writer.op("REVERSE_V2", [x, axis], X), gates(INPUTS, UNITS), Y)
    assert not any("reverses" in note for note in only_layer(writer, tmp_path).notes)


def test_int8_weights(tmp_path: Path) -> None:
    """Dynamic-range files, in which small matrices stay float."""
    writer, weights = Writer(), gates(INPUTS, UNITS)
    x = writer.tensor(X)
    stored: dict[str, Any] = dict(weights)
    for slot in ("w_i", "r_o"):
        numbers = (weights[slot] * 64).astype(np.int8)
        stored[slot] = writer.tensor(data=numbers, scale=[1 / 64])
        weights[slot] = numbers / np.float32(64)
    lstm(writer, x, stored, Y, clip=0)
    layer = only_layer(writer, tmp_path)
    assert_same_bits(layer.weights["w"][:INPUTS, :UNITS], weights["w_i"].T)
    assert_same_bits(layer.weights["w"][INPUTS:, 3 * UNITS :], weights["r_o"].T)
    assert any("quantize='int8'" in note for note in layer.notes)


def test_float16_weights(tmp_path: Path) -> None:
    """They are stored before an operator that converts them."""
    writer, weights = Writer(), gates(INPUTS, UNITS)
    x = writer.tensor(X)
    half = {name: array.astype(np.float16) for name, array in weights.items()}
    lstm(
        writer,
        x,
        {
            name: writer.op("DEQUANTIZE", [writer.tensor(data=array)], array.shape)
            for name, array in half.items()
        },
        Y,
    )
    layer = only_layer(writer, tmp_path)
    assert_same_bits(layer.weights["w"][:INPUTS, :UNITS], half["w_i"].T.astype(np.float32))


def test_large_files_have_buffers_behind_the_tables(tmp_path: Path) -> None:
    weights = gates(INPUTS, UNITS)
    writer = one_layer(weights)
    length = len(writer.content())
    data = weights["w_i"].tobytes()
    number = next(k for k, each in enumerate(writer.buffers) if each and bytes(each[0]) == data)
    writer.buffers[number] = {1: np.uint64(10_000), 2: np.uint64(len(data))}
    assert length < 10_000
    path = tmp_path / "model.tflite"
    path.write_bytes(writer.content().ljust(10_000, b"\0") + data)
    (layer,) = rc.import_model(path)
    assert_same_bits(layer.weights["w"][:INPUTS, :UNITS], weights["w_i"].T)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ArtifactError, match="a buffer of 48 bytes at 10000 is not in the file"):
        rc.import_model(path)


def test_any_name_and_the_command_line(tmp_path: Path, capsys: Any) -> None:
    path = one_layer(gates(INPUTS, UNITS)).save(tmp_path / "model.bin")
    assert main(["import", str(path)]) == 0
    out = capsys.readouterr().out
    assert "BlockLSTMV2" in out
    assert "within 10" in out


# What is refused.


Slot = Callable[[Writer], int]
"""Makes a tensor, and returns its number."""


def with_weights(**changed: Slot) -> Callable[[], Writer]:
    """A file in which weights are other tensors, made by a function of the writer, or missing."""

    def make() -> Writer:
        writer = Writer()
        x = writer.tensor(X)
        made = {slot: value(writer) for slot, value in changed.items()}
        lstm(writer, x, {**gates(INPUTS, UNITS), **made}, Y)
        return writer

    return make


def with_options(**options: Any) -> Callable[[], Writer]:
    return lambda: one_layer(gates(INPUTS, UNITS), **options)


def unsigned() -> Writer:
    writer = Writer()
    x = writer.tensor(X, "int16", scale=[0.1])
    lstm(writer, x, gates(INPUTS, UNITS), Y)
    return writer


def single(name: str) -> Callable[[], Writer]:
    def make() -> Writer:
        writer = Writer()
        writer.op(name, [writer.tensor(X)], Y)
        return writer

    return make


def variable(writer: Writer) -> int:
    handle = writer.op("VAR_HANDLE", [], (1,), "int32")
    return writer.op("READ_VARIABLE", [handle], (UNITS, UNITS))


def array(shape: tuple[int, ...], dtype: str = "float32", **options: Any) -> Slot:
    return lambda writer: writer.tensor(data=np.ones(shape, dtype), **options)


def computed(writer: Writer) -> int:
    return writer.op("ADD", [0, 0], SQUARE)


def state(writer: Writer) -> int:
    return writer.tensor(SQUARE, variable=True)


def lacking(_: Writer) -> int:
    return 10_000


SQUARE = (UNITS, UNITS)
NORMS = {f"norm_{gate}": np.ones(UNITS, np.float32) for gate in "ifco"}
REFUSED = {
    "integers": (unsigned, "lstm has int16 as the type of its input.*--quantize int8"),
    "projection": (
        with_weights(projection=array(SQUARE)),
        "a projection of its output with peepholes or limits",
    ),
    "projection's bias": (
        with_weights(projection=array(SQUARE), projection_bias=array((UNITS,))),
        "a projection of its output with a bias",
    ),
    "normalization": (with_options(norms=NORMS), "layer normalization, which no op computes"),
    "diagonal": (with_options(diagonal=True), "diagonal recurrent matrices"),
    "relu": (with_options(activation=1), "an activation other than tanh"),
    "initial state": (with_options(state=np.ones((BATCH, UNITS), np.float32)), "a state h that"),
    "sparse": (with_weights(r_o=array(SQUARE, sparse=True)), r"sparse weights \(r_o\)"),
    "scales": (with_weights(r_o=array(SQUARE, "int8", scale=[1.0] * UNITS)), "without a single"),
    "zero point": (with_weights(r_o=array(SQUARE, "int8", scale=[1.0], zero=[1])), "single scale"),
    "int16": (with_weights(r_o=array(SQUARE, "int16")), "weights of int16"),
    "missing": (with_weights(r_o=variable), r"nothing sets \(r_o\).*from_keras_model"),
    "computed": (
        with_weights(r_o=computed),
        r"weights that are no constants of the model \(r_o\)",
    ),
    "zeros": (
        with_weights(r_o=state),
        r"a state as weights \(r_o\).*a matrix of zeros",
    ),
    "nothing": (single("LSTM"), "lstm has no h, so its file is damaged"),
    "SVDF": (single("SVDF"), "svdf has the operator SVDF, which filters over time"),
    "RNN": (single("UNIDIRECTIONAL_SEQUENCE_RNN"), "the operator UNIDIRECTIONAL_SEQUENCE_RNN"),
    "nothing twice": (single("BIDIRECTIONAL_SEQUENCE_LSTM"), "lstm has no h, so its file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    make, message = REFUSED[name]
    path = make().save(tmp_path / "model.tflite")
    with pytest.raises(UnsupportedError, match=message):
        rc.import_model(path)


def test_a_model_without_layers(tmp_path: Path) -> None:
    path = single("ADD")().save(tmp_path / "model.tflite")
    told = "1 operators of TensorFlow Lite, none with recurrent weights.*unrolled"
    with pytest.raises(InvalidArgumentError, match=told):
        rc.import_model(path)


# Damaged files.


INCONSISTENT: list[tuple[dict[str, Slot], str]] = [
    ({"r_o": array((UNITS, 3))}, r"r_o of an LSTM has the shape \[4, 3\], not \[4, 4\]"),
    ({"w_o": array((4,))}, "damaged: "),
    ({"b_f": array((1,))}, r"b_f of an LSTM has the shape \[1\]"),
    ({"p_i": array((UNITS,))}, "an LSTM has no p_f"),
    ({"w_f": lacking}, "it has no tensor 10000"),
]


@pytest.mark.parametrize(("changed", "message"), INCONSISTENT)
def test_inconsistent_weights(changed: dict[str, Slot], message: str, tmp_path: Path) -> None:
    path = with_weights(**changed)().save(tmp_path / "model.tflite")
    with pytest.raises(ArtifactError, match=message) as caught:
        rc.import_model(path)
    assert DEFECT not in str(caught.value)


def read_damaged(path: Path, content: bytes) -> str:
    """What becomes of some bytes: ``"read"``, or the name of an expected error."""
    path.write_bytes(content)
    found: Exception | None = None
    try:
        rc.import_model(path)
    except (ArtifactError, InvalidArgumentError, UnsupportedError) as error:
        found = error
    assert DEFECT not in str(found)
    return "read" if found is None else type(found).__name__


def test_truncated(tmp_path: Path) -> None:
    content = one_layer(gates(INPUTS, UNITS)).content()
    with bounded():
        for length in range(8, len(content) - 64, 7):
            read_damaged(tmp_path / "model.tflite", content[:length])
    assert read_damaged(tmp_path / "model.tflite", content[: len(content) // 2]) == "ArtifactError"


@pytest.mark.slow
@pytest.mark.parametrize("every", first([False, True]))
def test_changed_words(every: bool, tmp_path: Path) -> None:
    """Each word of the tables replaced by an extreme number or another offset, or by each."""
    content = one_layer(gates(2, 1)).content()
    draw = random.Random(0)
    outcomes: set[str] = set()
    with bounded():
        for at in range(0, len(content) - 4, 4):
            values = (0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, draw.randrange(len(content)))
            for value in values if every else (draw.choice(values),):
                changed = bytearray(content)
                struct.pack_into("<I", changed, at, value)
                if bytes(changed[4:8]) == b"TFL3":
                    outcomes.add(read_damaged(tmp_path / "model.tflite", bytes(changed)))
    assert outcomes >= {"read", "ArtifactError", "UnsupportedError"}


def test_tables_in_many_places_are_counted(tmp_path: Path) -> None:
    """Each of many graphs is the same table, with many ops: small, but much to read."""
    many = 2_000
    last = {3: [{0: np.uint32(0)}] * many}
    content = bytearray(table_bytes({1: [{0: np.int8(0)}], 2: [*[{}] * many, last]}))
    field = struct.unpack_from("<I", content)[0] + 8 + 8 * 2
    graphs = field + struct.unpack_from("<I", content, field)[0] + 4
    end = graphs + 4 * many
    target = end + struct.unpack_from("<I", content, end)[0]
    for at in range(graphs, end, 4):
        struct.pack_into("<I", content, at, target - at)
    path = tmp_path / "model.tflite"
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match="more tables than its size justifies"), bounded():
        rc.import_model(path)

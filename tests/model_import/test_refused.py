"""Unsupported features of a layer are refused by name; other layers can still be imported."""

from __future__ import annotations

import json
import re
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from model_import.files import FILES, path_of
from model_import.keras_files import as_layer, keras, options

import rnn_compiler as rc
from rnn_compiler.base import installation
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import.messages import parse

pytestmark = pytest.mark.usefixtures("hdf5_once")

# Keras.


@pytest.mark.parametrize(
    ("layer", "values", "reason"),
    [
        ("first", {"activation": "selu"}, "activation='selu'"),
        ("first", {"activation": {"class_name": "Mine"}}, "activation={'class_name': 'Mine'}"),
        (
            "first",
            {"activation": as_layer("ReLU", max_value=6.0)},
            "activation=ReLU(max_value=6.0)",
        ),
        (
            "first",
            {"activation": as_layer("ReLU", threshold=0.5)},
            "activation=ReLU(threshold=0.5)",
        ),
        ("first", {"activation": as_layer("Softmax", axis=-1)}, "activation=Softmax(axis=-1)"),
        ("first", {"activation": as_layer("ELU", alpha="x")}, "activation=ELU(alpha='x')"),
        (
            "first",
            {"activation": as_layer("Activation", activation="swish")},
            "activation=Activation(activation='swish')",
        ),
        ("first", {"recurrent_activation": "relu6"}, "recurrent_activation='relu6'"),
        ("second", {"recurrent_activation": ["tanh"]}, "recurrent_activation=['tanh']"),
        ("second", {"go_backwards": True}, "Bidirectional of go_backwards=True"),
        ("third", {"activation": "exponential"}, "activation='exponential'"),
    ],
)
def test_options_of_keras(layer: str, values: Any, reason: str, tmp_path: Path) -> None:
    path = keras(tmp_path, options(layer, **values))
    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(path)
    others = [name for name in ("first", "second", "third", "fourth") if name != layer]
    assert str(caught.value) == (
        f"import_model: {layer} has {reason}, which no op computes; select the others with "
        f"layers={others} (--layer NAME)"
    )
    assert [each.name for each in rc.import_model(path, layers=others)] == others


@pytest.mark.parametrize("kind", ["ConvLSTM2D", "ConvLSTM1D"])
def test_classes_of_keras(kind: str, tmp_path: Path) -> None:
    path = keras(tmp_path, lambda layers: layers["first"].update(class_name=kind))
    with pytest.raises(UnsupportedError, match=f"first has {kind}"):
        rc.import_model(path)


def test_cells_of_keras(tmp_path: Path) -> None:
    """RNN of a cell that is one of a layer's, and of another."""

    def wrap(cell: str) -> Callable[[dict[str, Any]], object]:
        def change(layers: dict[str, Any]) -> None:
            inner = {"class_name": cell, "config": dict(layers["first"]["config"])}
            layers["first"]["config"]["cell"] = inner
            layers["first"]["class_name"] = "RNN"

        return change

    known, whole = rc.import_model(keras(tmp_path, wrap("LSTMCell"))), path_of("keras3.keras")
    (layer, *_), (expected, *_) = known, rc.import_model(whole)
    np.testing.assert_array_equal(layer.weights["params"], expected.weights["params"])
    with pytest.raises(UnsupportedError, match="first has RNN of StackedRNNCells"):
        rc.import_model(keras(tmp_path, wrap("StackedRNNCells")))


def test_what_is_refused_need_not_have_weights(tmp_path: Path) -> None:
    """Keras keeps those of stacked cells elsewhere."""

    def change(layers: dict[str, Any]) -> None:
        layers["first"]["config"] |= {"name": "none", "cell": {"class_name": "StackedRNNCells"}}
        layers["first"]["class_name"] = "RNN"

    with pytest.raises(UnsupportedError, match="none has RNN of StackedRNNCells"):
        rc.import_model(keras(tmp_path, change))


TENSOR = {"class_name": "__keras_tensor__", "config": {"keras_history": ["other", 0, 0]}}
STATE = "the model passes an initial state, which is input_h and input_c"
MASK = "the model passes a mask of steps: pass each row's number of steps as sequence_lengths"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([{"args": [TENSOR], "kwargs": {"initial_state": [TENSOR, TENSOR]}}], [STATE]),
        ([{"args": [TENSOR, [TENSOR, TENSOR]], "kwargs": {}}], [STATE]),
        ([{"args": [TENSOR], "kwargs": {"mask": TENSOR, "initial_state": None}}], [MASK]),
        ([[["x", 0, 0, {}], ["enc", 0, 1, {}], ["enc", 0, 2, {}]]], [STATE]),
        ([[["x", 0, 0, {"mask": ["m", 0, 0]}]]], [MASK]),
        ([{"args": [TENSOR], "kwargs": {"mask": None, "training": False}}], []),
        ([[["x", 0, 0, {}]]], []),
        ([{"args": 3, "kwargs": []}, 5, None, [[]], [3]], []),
        ("x", []),
    ],
)
def test_what_a_call_passes(calls: Any, expected: list[str], tmp_path: Path) -> None:
    """As Keras 3 writes it, and Keras 2."""
    path = keras(tmp_path, lambda layers: layers["first"].update(inbound_nodes=calls))
    notes = rc.import_model(path)[0].notes
    found = [note for note in notes if note.startswith("the model passes")]
    assert [note[: len(text)] for note, text in zip(found, expected, strict=True)] == expected


def test_a_backward_layer_that_differs(tmp_path: Path) -> None:
    def change(layers: dict[str, Any]) -> None:
        config = layers["second"]["config"]
        backward = json.loads(json.dumps(config["layer"]))
        backward["config"]["units"] = 9
        config["backward_layer"] = backward

    with pytest.raises(UnsupportedError, match="second has a backward_layer with another units"):
        rc.import_model(keras(tmp_path, change))


def test_weights_of_another_shape(tmp_path: Path) -> None:
    """GRUs whose options and bias belong to different kinds."""
    path = keras(tmp_path, options("second", reset_after=False))
    with pytest.raises(ArtifactError, match=r"second: from_keras: 'weights\[2\]'"):
        rc.import_model(path)

    def change(layers: dict[str, Any]) -> None:
        (older,) = (x for x in layers["inner"]["config"]["layers"] if x["class_name"] == "GRU")
        older["config"]["reset_after"] = True

    with pytest.raises(ArtifactError, match=r"older: .* got the bias of reset_after=False"):
        rc.import_model(keras(tmp_path, change, "keras3_masked"))


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ({"stateful": True}, "stateful: pass the states"),
        ({"return_sequences": False}, "the last step alone: output_h"),
        ({"go_backwards": True}, "go_backwards: pass the steps"),
        ({"dtype": {"config": {"name": "mixed_float16"}}}, "mixed_float16: the model computes in"),
    ],
)
def test_what_is_a_note(values: dict[str, Any], note: str, tmp_path: Path) -> None:
    layer = rc.import_model(keras(tmp_path, options("first", **values)))[0]
    assert any(each.startswith(note) or note in each for each in layer.notes)


def test_the_precision_of_a_wrapper(tmp_path: Path) -> None:
    """Bidirectional(dtype="mixed_float16") of a layer in float32."""

    def change(layers: dict[str, Any]) -> None:
        layers["second"]["config"]["dtype"] = {"config": {"name": "mixed_float16"}}

    layer = rc.import_model(keras(tmp_path, change), layers=["second"])[0]
    expected = "mixed_float16: the model computes in 16 bits, the layer as its weights are"
    assert expected in layer.notes


def test_a_model_without_such_layers(tmp_path: Path) -> None:
    def change(layers: dict[str, Any]) -> None:
        for layer in layers.values():
            layer["class_name"] = "Dense"
            layer["config"]["name"] += "_dense"  # which has no weights in the file

    with pytest.raises(InvalidArgumentError, match="which has the layers Dense"):
        rc.import_model(keras(tmp_path, change))


def test_a_model_that_is_code(tmp_path: Path) -> None:
    path = keras(tmp_path, lambda layers: None)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("config.json", json.dumps({"class_name": "Mine", "config": {"a": 1}}))
    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(path)
    assert str(caught.value) == (
        f"import_model: {path}: the layers of Mine, a subclass of keras.Model, are only in code; "
        "convert each layer's layer.get_weights() with rc.weights.from_keras(weights, rnn_mode=...)"
    )


def test_a_model_of_keras_without_layers(tmp_path: Path) -> None:
    path = keras(tmp_path, lambda layers: None)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("config.json", json.dumps({"class_name": "Functional", "config": {"a": 1}}))
    with pytest.raises(ArtifactError, match="the configuration of its Functional lists no layers"):
        rc.import_model(path)


def parts(folder: Path, *names: str) -> None:
    """Puts the architecture and weights of keras3_parts into a folder, by other names."""
    for name in names:
        stored = "keras3_parts.json" if name.endswith(".json") else "keras3_parts.weights.h5"
        shutil.copy(FILES / stored, folder / name)


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("a.weights.h5", "a.json"),
        ("a.h5", "a.json"),
        ("a.hdf5", "b.json"),
        ("a.json", "b.weights.h5"),
    ],
)
def test_what_lies_beside(path: str, beside: str, tmp_path: Path) -> None:
    """The other file of a model in two: by its name, or as the only one of its kind."""
    parts(tmp_path, path, beside)
    (tmp_path / "tokenizer.json").write_text('{"class_name": [')
    (tmp_path / "settings.json").write_text("[1]")
    assert [layer.name for layer in rc.import_model(tmp_path / path)] == [
        *("first", "second", "third", "fourth")
    ]


def test_of_several_beside_the_one_of_the_same_name(tmp_path: Path) -> None:
    parts(tmp_path, "a.h5", "a.json", "b.h5", "b.json")
    assert len(rc.import_model(tmp_path / "a.json")) == len(rc.import_model(tmp_path / "b.h5")) == 4
    parts(tmp_path, "c.h5", "d.json")
    with pytest.raises(InvalidArgumentError, match=r"next to it are a\.json, b\.json, d\.json;"):
        rc.import_model(tmp_path / "c.h5")
    with pytest.raises(InvalidArgumentError, match=r"expected d\.h5 or d\.weights\.h5 next to it"):
        rc.import_model(tmp_path / "d.json")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("keras3_parts.weights.h5", "lstm (LSTM, 3 inputs, 5 units)"),
        ("keras3_parts.weights.h5", "bidirectional/forward_layer (GRU, 5 inputs, 5 units)"),
        ("keras1_parts.h5", "no recognisable recurrent layer"),
    ],
)
def test_weights_without_an_architecture(name: str, told: str, tmp_path: Path) -> None:
    shutil.copy(FILES / name, tmp_path / "weights.h5")
    with pytest.raises(InvalidArgumentError) as caught:
        rc.import_model(tmp_path / "weights.h5")
    assert told in str(caught.value)
    assert "model.to_json() to weights.json" in str(caught.value)
    assert "rc.weights.from_keras" in str(caught.value)


def test_an_architecture_without_weights(tmp_path: Path) -> None:
    parts(tmp_path, "model.json")
    with pytest.raises(InvalidArgumentError, match=r"next to which there is no \.h5 file"):
        rc.import_model(tmp_path / "model.json")
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(InvalidArgumentError, match="which is JSON without class_name and config;"):
        rc.import_model(tmp_path / "other.json")
    (tmp_path / "damaged.json").write_text('{"class_name": [')
    with pytest.raises(ArtifactError, match="its configuration is not JSON"):
        rc.import_model(tmp_path / "damaged.json")


def test_gates_of_other_shapes(tmp_path: Path) -> None:
    """Keras 1's weights by gate."""
    path = tmp_path / "model.h5"
    shutil.copy(FILES / "keras1.h5", path)
    with h5py.File(path, "a") as file:
        group = file["model_weights/gates"]
        del group["gates_W_c"]
        group["gates_W_c"] = np.zeros((3, 4), np.float32)
    with pytest.raises(ArtifactError, match="the gates of gates have the shapes"):
        rc.import_model(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "option", "slope"),
    [
        ("keras1.h5", "inner_activation", "0.2"),
        ("keras2.h5", "recurrent_activation", "0.2"),
        ("keras3.h5", "recurrent_activation", "0.16666667"),
    ],
)
def test_the_slope_of_the_keras_that_wrote_the_file(
    name: str, option: str, slope: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.h5"
    shutil.copy(FILES / name, path)
    with h5py.File(path, "a") as file:
        text = str(file.attrs["model_config"])
        assert f'"{option}": "sigmoid"' in text
        file.attrs["model_config"] = text.replace('"sigmoid"', '"hard_sigmoid"', 1)
    layer = rc.import_model(path)[0]
    assert layer.op == "onnx.LSTM"
    assert layer.attributes["activations"] == "HardSigmoid Tanh Tanh"
    assert layer.attributes["activation_alpha"] == slope
    assert layer.attributes["activation_beta"] == "0.5"


@pytest.mark.parametrize("values", [{"keras_version": "2.4.0"}, {}, {"module": "keras"}])
def test_the_slope_of_an_architecture(values: dict[str, str], tmp_path: Path) -> None:
    """Keras 3 writes no version into a .json file, and Keras 2 and 1 no module."""
    parts(tmp_path, "a.weights.h5", "a.json")
    config = json.loads((tmp_path / "a.json").read_text())
    config["config"]["layers"][1]["config"]["recurrent_activation"] = "hard_sigmoid"
    config = {name: config[name] for name in ("class_name", "config")} | values
    (tmp_path / "a.json").write_text(json.dumps(config))
    alpha = rc.import_model(tmp_path / "a.json")[0].attributes["activation_alpha"]
    assert alpha == ("0.16666667" if "module" in values else "0.2")


@pytest.mark.parametrize(
    ("activation", "name", "alpha", "beta"),
    [
        ("linear", "Affine", "1.0", "0.0"),
        (None, "Affine", "1.0", "0.0"),
        ("relu", "Relu", "", ""),
        ("leaky_relu", "LeakyRelu", "0.2", ""),
        ("elu", "Elu", "1.0", ""),
        ("softsign", "Softsign", "", ""),
        ("softplus", "Softplus", "", ""),
        (as_layer("LeakyReLU", negative_slope=0.1), "LeakyRelu", "0.1", ""),
        (as_layer("LeakyReLU", alpha=0.1), "LeakyRelu", "0.1", ""),  # as Keras 2 has it
        (as_layer("ELU", alpha=0.5), "Elu", "0.5", ""),
        (as_layer("ReLU", max_value=None, negative_slope=0.0, threshold=0.0), "Relu", "", ""),
        (as_layer("ReLU", negative_slope=0.4), "LeakyRelu", "0.4", ""),
        (as_layer("Activation", activation="softsign"), "Softsign", "", ""),
    ],
)
def test_activations_that_onnx_has(
    activation: Any, name: str, alpha: str, beta: str, tmp_path: Path
) -> None:
    layer = rc.import_model(keras(tmp_path, options("first", activation=activation)))[0]
    assert layer.op == "onnx.LSTM"
    assert layer.attributes["activations"] == f"Sigmoid {name} {name}"
    assert layer.attributes["activation_alpha"] == " ".join([alpha] * 2).strip()
    assert layer.attributes["activation_beta"] == " ".join([beta] * 2).strip()


# ONNX.


def onnx(folder: Path, node: str, change: Callable[[Any, Any], object]) -> Path:
    """An ONNX file with a changed node."""
    path = folder / "model.onnx"
    model = parse("OnnxModel", (FILES / "onnx_nodes.onnx").read_bytes(), path)
    change(next(each for each in model.graph.node if each.name == node), model.graph)
    path.write_bytes(model.SerializeToString())
    return path


def attribute(**values: Any) -> Callable[[Any, Any], object]:
    """Adds an attribute to a node."""

    def change(node: Any, graph: Any) -> None:
        for name, value in values.items():
            for each in [each for each in node.attr if each.name == name]:
                node.attr.remove(each)
            made = node.attr.add(name=name)
            if isinstance(value, list):
                made.floats.extend([x for x in value if isinstance(x, float)])
                made.strings.extend([x for x in value if isinstance(x, bytes)])
            else:
                kind = {int: "i", float: "f", bytes: "s"}[type(value)]
                setattr(made, kind, value)

    return change


def peephole(value: float) -> Callable[[Any, Any], object]:
    def change(node: Any, graph: Any) -> None:
        made = graph.initializer.add(name="P", dtype=1, dims=[1, 15])
        made.raw = np.full(15, value, np.float32).tobytes()
        node.input.extend(["", "", "P"])

    return change


@pytest.mark.parametrize(
    ("node", "change", "reason"),
    [
        ("reversed", attribute(activations=[b"Sigmoid", b"Tanh", b"Mish"]), "activations='Mish'"),
        ("newer", attribute(activations=[b"Tanh"]), "activations=1, Tanh"),
        ("reversed", attribute(clip=-3.0), "clip=-3.0"),
        ("reversed", attribute(clip=float("nan")), "clip=nan"),
        ("newer", attribute(activation_alpha=[0.5, 0.5, 0.5]), "activation_alpha=0.5 0.5 0.5"),
        ("reversed", attribute(input_forget=2), "input_forget=2"),
        ("reversed", attribute(direction=b"sideways"), "direction='sideways'"),
    ],
)
def test_attributes_of_onnx(node: str, change: Any, reason: str, tmp_path: Path) -> None:
    path = onnx(tmp_path, node, change)
    with pytest.raises(
        UnsupportedError, match=f"{node} has {re.escape(reason)}.*, where .* is exp"
    ):
        rc.import_model(path)
    assert [layer.name for layer in rc.import_model(path, layers=["older"])] == ["older"]


def changed(node: str, change: Any, folder: Path) -> rc.Layer:
    """A node of `onnx_nodes` that is changed."""
    return rc.import_model(onnx(folder, node, change), layers=[node])[0]


@pytest.mark.parametrize(
    ("node", "change", "attributes"),
    [
        ("newer", attribute(clip=3.0), {"clip": 3.0}),
        ("newer", attribute(clip=745.0), {"clip": 745.0}),
        ("newer", attribute(direction=b"REVERSE"), {"direction": "reverse"}),
        ("newer", attribute(linear_before_reset=0), {"linear_before_reset": 0}),
        (
            "newer",
            attribute(
                activations=[b"hardsigmoid", b"tanh"], activation_alpha=[0.25],
                activation_beta=[0.5],
            ),
            {
                "activations": "HardSigmoid Tanh", "activation_alpha": "0.25",
                "activation_beta": "0.5",
            },
        ),
        ("reversed", attribute(direction=b"forward", input_forget=1), {"input_forget": 1}),
        ("reversed", attribute(layout=1), {"layout": 1, "direction": "reverse"}),
    ],
)  # fmt: skip
def test_nodes_that_are_onnx_ops(
    node: str, change: Any, attributes: dict[str, Any], tmp_path: Path
) -> None:
    layer = changed(node, change, tmp_path)
    assert layer.op == ("onnx.LSTM" if node == "reversed" else "onnx.GRU")
    assert {name: layer.attributes[name] for name in attributes} == attributes
    assert list(layer.weights) == ["W", "R", "B"]
    assert layer.dims.keys() == {"seq_length", "batch_size", "input_size", "num_units"}


def test_peepholes(tmp_path: Path) -> None:
    layer = changed("reversed", peephole(0.5), tmp_path)
    assert layer.op == "onnx.LSTM"
    assert layer.attributes["inputs"] == "B sequence_lens initial_h initial_c P"
    np.testing.assert_array_equal(layer.weights["P"], np.full((1, 15), 0.5, np.float32))
    results = [each.name for each in layer.build(seq_length=2, batch_size=1).functions[0].results]
    assert results == ["Y", "Y_h", "Y_c"]


@pytest.mark.parametrize("clip", [746.0, 9999.0, 3e38])
def test_a_clip_that_cannot_act(clip: float, tmp_path: Path) -> None:
    """sigmoid and tanh are 0 or 1 there; relu is not."""
    layer = changed("newer", attribute(clip=clip), tmp_path)
    assert (layer.op, layer.attributes["rnn_mode"]) == ("CudnnRNNV3", "gru")

    def relu(node: Any, graph: Any) -> None:
        attribute(clip=clip, activations=[b"Sigmoid", b"Relu"])(node, graph)

    layer = changed("newer", relu, tmp_path)
    assert (layer.op, layer.attributes["clip"]) == ("onnx.GRU", float(str(np.float32(clip))))


def as_inputs(*names: str, shaped: bool = True) -> Callable[[Any, Any], object]:
    """Makes weights inputs of the graph."""

    def change(node: Any, graph: Any) -> None:
        for tensor in [each for each in graph.initializer if each.name in names]:
            value = graph.input.add(name=tensor.name)
            value.type.tensor.dtype = tensor.dtype
            if shaped:
                for size in tensor.dims:
                    value.type.tensor.shape.dim.add(value=size)
            graph.initializer.remove(tensor)

    return change


@pytest.mark.parametrize("shaped", [True, False])
@pytest.mark.parametrize("names", [("gru_W", "gru_R", "gru_B"), ("gru_R",)])
def test_weights_that_are_inputs_of_the_graph(
    names: tuple[str, ...], shaped: bool, tmp_path: Path
) -> None:
    """They are arguments by ONNX's names; the others are weights."""
    layer = changed("newer", as_inputs(*names, shaped=shaped), tmp_path)
    assert (layer.op, layer.attributes["linear_before_reset"]) == ("onnx.GRU", 1)
    assert list(layer.weights) == [name for name in "WRB" if f"gru_{name}" not in names]
    assert layer.dims["num_units"] == 5
    assert (layer.dims["input_size"] is None) == (not shaped and "gru_W" in names)
    assert ("stay arguments" if len(names) > 1 else "stays an argument") in layer.notes[0]
    assert all(f"({name!r})" in layer.notes[0] for name in names)
    module = layer.build(batch_size=2, seq_length=4, input_size=3)
    arguments = [each.name for each in module.functions[0].arguments]
    assert [name for name in arguments if name in "WRB"] == [each[-1] for each in names]


def test_a_node_without_weights(tmp_path: Path) -> None:
    def change(node: Any, graph: Any) -> None:
        node.input[2] = ""

    with pytest.raises(ArtifactError, match="newer: GRU without W or R"):
        rc.import_model(onnx(tmp_path, "newer", change))


@pytest.mark.parametrize("size", [-1, 2**62])
def test_a_size_that_there_cannot_be(size: int, tmp_path: Path) -> None:
    """As weights are inputs, nothing but hidden_size tells it."""

    def change(node: Any, graph: Any) -> None:
        as_inputs("gru_W", "gru_R", "gru_B", shaped=False)(node, graph)
        attribute(hidden_size=size)(node, graph)

    with pytest.raises(ArtifactError, match="newer: num_units is"):
        rc.import_model(onnx(tmp_path, "newer", change))


def states(name: str, shape: list[int], value: float, broadcast: bool) -> Any:
    """Gives a node states: those of one, or such as PyTorch makes for any number of rows."""

    def change(node: Any, graph: Any) -> None:
        made = graph.initializer.add(name="given", dtype=1, dims=shape)
        made.raw = np.full(shape, value, np.float32).tobytes()
        if broadcast:
            graph.node.add(op="Expand", input=["given", "sizes"], output=["wide"])
            graph.node.add(op="Slice", input=["wide", "begin", "end"], output=["cut"])
            graph.node.add(op="Concat", input=["cut", "cut"], output=["states"])
        names = list(node.input) + [""] * 7
        names[5 if name == "initial_h" else 6] = "states" if broadcast else "given"
        node.ClearField("input")
        node.input.extend(names[:7])

    return change


@pytest.mark.parametrize(
    ("value", "broadcast", "text"),
    [
        (0.0, False, ": always zeros"),
        (0.0, True, ": always zeros"),
        (0.5, False, ": always the same array"),
        (0.5, True, ""),
    ],
)
def test_states_that_are_zeros(value: float, broadcast: bool, text: str, tmp_path: Path) -> None:
    change = states("initial_h", [1, 2, 5], value, broadcast)
    assert f"the model passes initial_h{text}" in changed("reversed", change, tmp_path).notes
    change = states("initial_h", [2, 2, 5], value, broadcast)
    layer = changed("newer", change, tmp_path)
    assert f"the model passes initial_h, which is input_h{text}" in layer.notes


def test_a_projection_that_the_exporter_has_lost(tmp_path: Path) -> None:
    path = onnx(tmp_path, "reversed", states("initial_c", [1, 2, 9], 0.0, False))
    part = "initial_c of 9 units and weights of 5, .* proj_size: its projection is not in the file"
    with pytest.raises(UnsupportedError, match=part):
        rc.import_model(path)


def test_a_model_whose_layers_are_written_as_others(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model = parse("OnnxModel", (FILES / "torch_rnn.onnx").read_bytes(), path)
    assert model.producer == "pytorch"
    for node in model.graph.node:
        node.op = "MatMul" if node.op == "RNN" else node.op
    path.write_bytes(model.SerializeToString())
    with pytest.raises(
        InvalidArgumentError, match=r"dynamo=False, or import the file of torch\.export\.save"
    ):
        rc.import_model(path)


def test_peepholes_of_zeros_and_default_activations(tmp_path: Path) -> None:
    given, forward = [b"sigmoid", b"Tanh", b"TANH"], attribute(direction=b"forward")
    for change in (peephole(0.0), attribute(activations=given), attribute(layout=0)):

        def both(node: Any, graph: Any, change: Any = change) -> None:
            change(node, graph)
            forward(node, graph)

        layer = changed("reversed", both, tmp_path)
        assert (layer.op, list(layer.weights)) == ("CudnnRNNV3", ["params"])


def test_batch_wise_layout(tmp_path: Path) -> None:
    layer = rc.import_model(onnx(tmp_path, "newer", attribute(layout=1)), layers=["newer"])[0]
    assert layer.attributes["time_major"] is False


def test_directions_that_do_not_go_with_the_weights(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="for direction='bidirectional'"):
        rc.import_model(onnx(tmp_path, "newer", attribute(direction=b"bidirectional")))


# Names.


def test_sizes_that_the_model_leaves_open() -> None:
    layer = rc.import_model(FILES / "keras3.keras")[0]
    remedy = "got none; pass batch_size=N"
    with pytest.raises(InvalidArgumentError, match=f"which the model leaves open, {remedy}"):
        layer.build()


def test_layers_that_there_are_not() -> None:
    with pytest.raises(InvalidArgumentError, match="'layers': expected one of first, second"):
        rc.import_model(FILES / "keras3.keras", layers=["fith"])
    with pytest.raises(
        InvalidArgumentError, match="'layers': expected a list of names, got 'first"
    ):
        rc.import_model(FILES / "keras3.keras", layers="first")


# Packages.


def test_without_protobuf(monkeypatch: pytest.MonkeyPatch) -> None:
    from rnn_compiler.model_import import messages

    messages.message_classes.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "google.protobuf.descriptor_pb2", None)
    versions = {"onnx": "1.17"}
    monkeypatch.setattr(installation, "version", versions.get)
    command = r"install the extra import: pip install 'google-crc32c>=\S+' 'protobuf>=\S+'$"
    with pytest.raises(UnsupportedError, match=f"need the package protobuf, .*; {command}"):
        rc.import_model(FILES / "torch_rnn.onnx")


def test_without_crc32c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which only checkpoints need."""
    from rnn_compiler.model_import import checkpoint

    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    checkpoint.load_crc32c.cache_clear()
    with pytest.raises(
        UnsupportedError, match=r"checkpoints need .*import: pip install .?google-crc32c"
    ):
        rc.import_model(path_of("speech_v1"))
    checkpoint.load_crc32c.cache_clear()
    assert rc.import_model(FILES / "speech_frozen.pb")


def test_without_h5py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "h5py.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    with pytest.raises(UnsupportedError, match=r"pip install 'h5py>="):
        rc.import_model(FILES / "keras3.h5")

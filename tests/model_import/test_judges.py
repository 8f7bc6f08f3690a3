"""Cases of other projects: the onnx package's node tests, and configurations of Keras' layers.

They need onnx and keras, and are skipped without. docs/import.md has the table of differences.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_import.files import compute, cudnn_arguments, onnx_results
from onnx_node_tests import node_tests

import rnn_compiler as rc
from rnn_compiler.model_import.onnx_layers import INPUTS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of those packages


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6)


# ONNX.


def test_node_tests_of_onnx(tmp_path: Path) -> None:
    """Weights are inputs of the graph there: once they are arguments, once made constants."""
    for case in node_tests().values():
        for constant in (False, True):
            layer, given, expected = of_case(case, tmp_path, constant)
            assert bool(layer.weights) == constant
            assert constant or layer.op.startswith("onnx.")
            found = onnx_results(layer, given)
            for name, array in expected.items():
                close(found[name], array)


def of_case(
    case: Any, place: Path, constant: bool
) -> tuple[rc.Layer, dict[str, Any], dict[str, Any]]:
    """The layer of a case, its arguments and the outputs that it expects, by ONNX's names."""
    onnx: Any = pytest.importorskip("onnx")
    numpy_helper: Any = pytest.importorskip("onnx.numpy_helper")
    model: Any = onnx.ModelProto()
    model.CopyFrom(case.model)
    ((inputs, results),) = case.data_sets
    (node,) = model.graph.node
    called = dict(zip(node.input, INPUTS, strict=False))
    given: dict[str, Any] = {}
    for value, array in zip(case.model.graph.input, inputs, strict=True):
        if constant and called[value.name] in ("W", "R", "B", "P"):
            model.graph.initializer.append(numpy_helper.from_array(array, value.name))
        else:
            given[called[value.name]] = array
    used = [name for name, text in zip(("Y", "Y_h", "Y_c"), node.output, strict=False) if text]
    onnx.save(model, str(place / "model.onnx"))
    (layer,) = rc.import_model(place / "model.onnx")
    return layer, given, dict(zip(used, results, strict=True))


# Keras.

UNITS, STEPS, ROWS, SIZE = 5, 4, 2, 3

PLAIN = ("tanh", "sigmoid")
CONFIGURATIONS = [
    (kind, wrapped, merge, sequences, backwards, bias, after, PLAIN)
    for kind in ("LSTM", "GRU", "SimpleRNN")
    for wrapped, merge in ((False, ""), (True, "concat"), (True, "sum"), (True, "ave"))
    for sequences, backwards, bias in itertools.product((True, False), repeat=3)
    for after in ((True, False) if kind == "GRU" else (True,))
    if not (wrapped and backwards)
]
ACTIVATIONS = [
    *(("linear", "sigmoid"), ("relu", "hard_sigmoid"), ("leaky_relu", "relu"), ("elu", "tanh")),
    *(("softsign", "softplus"), ("softplus", "softsign"), ("hard_sigmoid", "linear")),
    *(("tanh", "hard_sigmoid"), (None, "elu")),
]
CONFIGURATIONS += [
    (kind, wrapped, "concat", True, False, True, after, functions)
    for kind in ("LSTM", "GRU", "SimpleRNN")
    for functions in ACTIVATIONS
    for wrapped in (False, True)
    for after in ((True, False) if kind == "GRU" else (True,))
]


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_configurations_of_keras(suffix: str, tmp_path: Path) -> None:
    """Those arguments of the constructors that change numbers or weights, in one model."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    keras: Any = pytest.importorskip("keras", reason="saves the models that are compared")
    layers = keras.layers
    keras.utils.set_random_seed(1)
    x = keras.Input((STEPS, SIZE))
    outputs: list[Any] = []
    for k, configuration in enumerate(CONFIGURATIONS):
        kind, wrapped, merge, sequences, backwards, bias, after, functions = configuration
        options: dict[str, Any] = {"reset_after": after} if kind == "GRU" else {}
        options["activation"] = functions[0]
        options |= {"recurrent_activation": functions[1]} if kind != "SimpleRNN" else {}
        inner = getattr(layers, kind)(
            UNITS, return_sequences=sequences, go_backwards=backwards, use_bias=bias,
            bias_initializer="random_normal", name=f"layer{k}", **options,
        )  # fmt: skip
        made = layers.Bidirectional(inner, merge_mode=merge, name=f"layer{k}") if wrapped else inner
        outputs.append(made(x))
    model = keras.Model(x, outputs)
    path = tmp_path / f"model{suffix}"
    model.save(path)
    given = np.random.default_rng(2).normal(size=(ROWS, STEPS, SIZE)).astype(np.float32)
    expected = [np.asarray(each) for each in model.predict(given, verbose=0)]
    found = {layer.name: layer for layer in rc.import_model(path)}
    assert len(found) == len(CONFIGURATIONS)
    for k, configuration in enumerate(CONFIGURATIONS):
        output = keras_output(found[f"layer{k}"], given, configuration)
        close(output, expected[k])


def test_activations_of_keras_that_are_layers(tmp_path: Path) -> None:
    os.environ.setdefault("KERAS_BACKEND", "torch")
    keras: Any = pytest.importorskip("keras", reason="saves the model that is compared")
    layers = keras.layers
    keras.utils.set_random_seed(1)
    x = value = keras.Input((STEPS, SIZE))
    made = {
        "lstm": layers.LSTM(UNITS, activation=layers.LeakyReLU(negative_slope=0.1)),
        "gru": layers.GRU(UNITS, activation=layers.ELU(0.7), reset_after=False),
        "rnn": layers.SimpleRNN(UNITS, activation=layers.ReLU()),
    }
    outputs: list[Any] = []
    for name, layer in made.items():
        layer.name, layer.return_sequences = name, True
        value = layer(value)
        outputs.append(value)
    model = keras.Model(x, outputs)
    model.save(tmp_path / "model.keras")
    value = np.random.default_rng(2).normal(size=(ROWS, STEPS, SIZE)).astype(np.float32)
    expected = [np.asarray(each) for each in model.predict(value, verbose=0)]
    for layer, wanted in zip(rc.import_model(tmp_path / "model.keras"), expected, strict=True):
        out = compute(
            layer,
            **({"X": value} if layer.op.startswith("onnx.") else cudnn_arguments(layer, value)),
        )
        found = out["Y"][:, :, 0] if "Y" in out else out["output"]
        close(found, wanted)
        value = wanted


def keras_output(layer: rc.Layer, x: Any, configuration: tuple[Any, ...]) -> Any:
    """Keras' results in the form of the layer and its notes."""
    _, wrapped, merge, sequences, backwards, *_ = configuration
    x = x[:, ::-1] if backwards else x
    if layer.op.startswith("onnx."):
        out = compute(layer, X=x)
        parts = list(np.moveaxis(out["Y"], 2, 0) if sequences else np.moveaxis(out["Y_h"], 1, 0))
    else:
        out = compute(layer, **cudnn_arguments(layer, x))
        halves = np.split(out["output"], 2, -1) if wrapped else [out["output"]]
        parts = halves if sequences else list(np.moveaxis(out["output_h"], 1, 0))
    if merge in ("sum", "ave"):
        return sum(parts) / (2 if merge == "ave" else 1)
    return np.concatenate(parts, -1)

"""Others' own cases: the onnx package's node tests, and configurations of Keras' layers.

They need onnx and keras, and are skipped without. docs/import.md has the table of what differs.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_import.files import compute, cudnn_arguments

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of those packages


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6)


def steps(layer: rc.Layer, x: Any, h: Any) -> Any:
    """What a GRUBlockCell gives at each step of ``[T, B, I]``."""
    found: list[Any] = []
    for step in x:
        h = compute(layer, x=step, h_prev=h)["h"]
        found.append(h)
    return np.stack(found)


# ONNX.


def onnx_cases() -> dict[str, Any]:
    """The node tests of the recurrent operators by name."""
    pytest.importorskip("onnx", reason="has the node tests of ONNX")
    loader: Any = pytest.importorskip("onnx.backend.test.loader")
    prefixes = ("test_lstm_", "test_gru_", "test_rnn_", "test_simple_rnn_")
    cases = loader.load_model_tests(kind="node")
    return {case.name: case for case in cases if case.name.startswith(prefixes)}


def test_node_tests_of_onnx(tmp_path: Path) -> None:
    """All but peepholes; weights are inputs of the graph there, and are made constants here."""
    cases = onnx_cases()
    assert len(cases) == 18
    refused: list[str] = []
    for name, case in cases.items():
        try:
            layers, given, expected = of_case(case, tmp_path)
        except UnsupportedError as error:
            refused.append(f"{name}: {error}")
            continue
        time = 1 if given["layout"] else 0
        x, reverse = given["X"], given["direction"] == "reverse"
        x = np.flip(x, time) if reverse else x
        if layers[0].op == "GRUBlockCell":
            x = x.transpose(1, 0, 2) if given["layout"] else x
            zeros = np.zeros((x.shape[1], expected["Y_h"].shape[-1]))
            rows = zip(layers, (x, x[::-1]), strict=False)
            y_h = np.stack([steps(layer, each, zeros)[-1] for layer, each in rows])
            y_h = y_h.transpose(1, 0, 2) if given["layout"] else y_h
        else:
            arguments = cudnn_arguments(layers[0], x, given.get("sequence_lens"))
            out = compute(layers[0], **arguments)
            y_h = out["output_h"]
            if "Y" in expected:
                y = expected["Y"]  # [T, D, B, H], or with layout=1 [B, T, D, H]
                y = y if given["layout"] else y.transpose(0, 2, 1, 3)
                output = np.flip(out["output"], time) if reverse else out["output"]
                close(output, y.reshape(output.shape))
            if "Y_c" in expected:
                close(out["output_c"], expected["Y_c"])
        close(y_h.reshape(expected["Y_h"].shape), expected["Y_h"])
    assert [each.split(":")[0] for each in refused] == ["test_lstm_with_peepholes"]
    assert "BlockLSTM with use_peephole=True" in refused[0]


def of_case(case: Any, place: Path) -> tuple[list[rc.Layer], dict[str, Any], dict[str, Any]]:
    """The layers of a case, its inputs and the outputs that it expects, by ONNX' names."""
    onnx: Any = pytest.importorskip("onnx")
    numpy_helper: Any = pytest.importorskip("onnx.numpy_helper")
    model: Any = case.model
    ((inputs, results),) = case.data_sets
    (node,) = model.graph.node
    names = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
    called = dict(zip(node.input, names, strict=False))
    given: dict[str, Any] = {"layout": 0, "direction": "forward"}
    for each in node.attribute:
        given[each.name] = each.s.decode() if each.name == "direction" else each.i
    path = place / "model.onnx"
    onnx.save(model, str(path))
    with_arguments = rc.import_model(path) if "P" not in called.values() else []
    for value, array in zip(model.graph.input, inputs, strict=True):
        given[called[value.name]] = array
        if called[value.name] in ("W", "R", "B", "P"):
            model.graph.initializer.append(numpy_helper.from_array(array, value.name))
    used = [name for name, text in zip(("Y", "Y_h", "Y_c"), node.output, strict=False) if text]
    onnx.save(model, str(path))
    layers = rc.import_model(path)
    assert not any(layer.weights for layer in with_arguments)
    assert not with_arguments or [each.op for each in with_arguments] == [x.op for x in layers]
    return layers, given, dict(zip(used, results, strict=True))


# Keras.

UNITS, STEPS, ROWS, SIZE = 5, 4, 2, 3

CONFIGURATIONS = [
    (kind, wrapped, merge, sequences, backwards, bias, after)
    for kind in ("LSTM", "GRU", "SimpleRNN")
    for wrapped, merge in ((False, ""), (True, "concat"), (True, "sum"), (True, "ave"))
    for sequences, backwards, bias in itertools.product((True, False), repeat=3)
    for after in ((True, False) if kind == "GRU" else (True,))
    if not (wrapped and backwards)
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
    for k, (kind, wrapped, merge, sequences, backwards, bias, after) in enumerate(CONFIGURATIONS):
        options = {"reset_after": after} if kind == "GRU" else {}
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
    found: dict[str, list[rc.Layer]] = {}
    for layer in rc.import_model(path):
        found.setdefault(layer.name.split("/")[0], []).append(layer)
    assert len(found) == len(CONFIGURATIONS)
    for k, configuration in enumerate(CONFIGURATIONS):
        output = keras_output(found[f"layer{k}"], given, configuration)
        close(output, expected[k])


def keras_output(layers: list[rc.Layer], x: Any, configuration: tuple[Any, ...]) -> Any:
    """What Keras gives, of the layers and their notes."""
    _, wrapped, merge, sequences, backwards, _, _ = configuration
    x = x[:, ::-1] if backwards else x
    if layers[0].op == "GRUBlockCell":
        turned = [x, x[:, ::-1]][: len(layers)]
        zeros = np.zeros((len(x), UNITS))
        halves = [
            steps(layer, each.transpose(1, 0, 2), zeros).transpose(1, 0, 2)
            for layer, each in zip(layers, turned, strict=True)
        ]
        last = [each[:, -1] for each in halves]
        halves = [halves[0], *(each[:, ::-1] for each in halves[1:])]
    else:
        out = compute(layers[0], **cudnn_arguments(layers[0], x))
        halves = np.split(out["output"], 2, -1) if wrapped else [out["output"]]
        last = list(np.moveaxis(out["output_h"], 1, 0))
    parts = halves if sequences else last
    if merge in ("sum", "ave"):
        return sum(parts) / (2 if merge == "ave" else 1)
    return np.concatenate(parts, -1)

"""`from_cell`: every cell gives its framework's numbers, and what does not fit is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cudnn_reference
import numpy as np
import onnx_reference
import pytest
from weights.cell_formulas import FORMULAS, H, I, inputs, outputs, parameters

import rnn_compiler as rc

GOLDENS = sorted((Path(__file__).parents[1] / "goldens" / "cells").glob("*.npz"))


def computed(layer: rc.Layer, x: Any) -> Any:
    """The outputs of the layer's op as the references define it, ``[T, B, D * H]`` in float64."""
    attributes, x = layer.attributes, np.asarray(x, np.float64)
    weights = {name: np.asarray(array, np.float64) for name, array in layer.weights.items()}
    rows = x.shape[1]
    if layer.op == "CudnnRNNV3":
        units, mode = layer.dims["num_units"], attributes["rnn_mode"]
        both = attributes["direction"] == "bidirectional"
        layers, proj = (layer.dims["num_layers"] or 0) * (1 + both), attributes["num_proj"]
        return cudnn_reference.cudnn_rnn(
            version=3,
            input=x,
            input_h=np.zeros((layers, rows, proj or units)),
            input_c=np.zeros((layers, rows, units) if mode == "lstm" else ()),
            sequence_lengths=np.full(rows, len(x), np.int32),
            params=weights["params"],
            rnn_mode=mode,
            direction=attributes["direction"],
            input_mode="linear_input",
            num_proj=proj,
            dropout=0.0,
            is_training=False,
        )["output"]
    Y = onnx_reference.forward(layer.op.removeprefix("onnx."), X=x, **weights, **attributes)["Y"]
    return Y.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1)


def nested(flat: dict[str, Any], separator: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path, array in flat.items():
        *names, last = path.split(separator)
        inner = tree
        for name in names:
            inner = inner.setdefault(name, {})
        inner[last] = array
    return tree


def test_each_cell_has_a_formula() -> None:
    """The formulas are the list of what is tested; Bi is tested through its own golden file."""
    assert set(rc.weights.cells()) == set(FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name: str) -> None:
    arrays, x = parameters(name), inputs()
    layer = rc.weights.from_cell(name, nested(arrays, "."))
    assert layer.dtype == "float64"
    assert (layer.dims["input_size"], layer.dims["num_units"]) == (I, H)
    np.testing.assert_allclose(computed(layer, x), outputs(name, arrays, x), rtol=0, atol=1e-13)


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_frameworks(path: Path) -> None:
    """The framework's own outputs, recorded from it in float32; MindSpore's tanh is less exact."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    cases = json.loads(str(arrays.pop("meta")))["cases"]
    for number, case in enumerate(cases):
        trees = [
            nested(
                {
                    name.split("|", 2)[2]: array
                    for name, array in arrays.items()
                    if name.startswith(f"{number}|{k}|")
                },
                "|",
            )
            for k in range(case["trees"])
        ]
        given = trees if len(trees) > 1 else trees[0]
        layer = rc.weights.from_cell(case["name"], given, **case["options"])
        assert layer.dtype == "float32"
        found = computed(layer, arrays[f"{number}|x"])
        assert np.abs(found - arrays[f"{number}|y"]).max() < 1e-6, case


def test_each_framework_is_recorded() -> None:
    """But for DL4J and CNTK, which no longer install; TensorFlow's Keras 2 is older and newer."""
    recorded: set[str] = set()
    for path in GOLDENS:
        with np.load(path) as file:
            recorded |= {case["name"] for case in json.loads(str(file["meta"]))["cases"]}
    missing = {name for name in rc.weights.cells() if name not in recorded}
    known = ("dl4j.", "cntk.", "tf_keras.", "chainer.links.NStepBiRNN")
    assert {name for name in missing if not name.startswith(known)} == set()

"""Recurrent layers of one unit: loops with an axis of size 1 would stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from execution import ways

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import by_runtime, model, weight

SIZE, STEPS = 3, 5

LAYERS: dict[str, tuple[int, dict[str, Any]]] = {
    "LSTM": (4, {"direction": "bidirectional"}),
    "GRU": (3, {"direction": "reverse", "linear_before_reset": 1}),
    "RNN": (1, {"activations": ["Relu"]}),
    "Softplus": (1, {"activations": ["Softplus"]}),
}
"""The gates and attributes of each layer; that of another function than Tanh is an RNN."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes",
    [(STEPS, 2), ("time", "batch")],
    ids=["known", "open"],
)
@ways("direct", "c", "js")
def test_one_unit(sizes: Any, agree: Any) -> None:
    """With lengths, states and peepholes; other results than the last step are read, too."""
    batches = (2, 1) if "time" in sizes else (2,)
    cases = [(layer(name, sizes), [_given(name, B) for B in batches]) for name in LAYERS]
    agree(cases, judge=by_runtime)


def layer(name: str, sizes: Any) -> Any:
    gates, attributes = LAYERS[name]
    operator = name if name in ("LSTM", "GRU") else "RNN"
    D = _directions(name)
    weights = {"W": weight(D, gates, SIZE), "R": weight(D, gates, 1), "B": weight(D, 2 * gates)}
    names, results = ["x", *weights, "n", "h"], ["y", "y_h"]
    if operator == "LSTM":
        weights["P"] = weight(D, 3)
        names, results = [*names, "h", "P"], [*results, "y_c"]
    node = helper.make_node(operator, names, results, "one", hidden_size=1, **attributes)
    inputs = {"x": [*sizes, SIZE], "n": [sizes[1]], "h": [D, sizes[1], 1]}
    return model([node], inputs, results, weights, dtypes={"n": TensorProto.INT32})


@ways("direct", "c", "js", quick=("direct",))
def test_steps_of_one_unit(agrees: Any) -> None:
    """Steps are taken from the output, whose second unit is cut off."""
    weights = {"W": weight(1, 4, SIZE), "R": weight(1, 4, 1), "axis": np.array([1])}
    nodes = [
        helper.make_node("LSTM", ["x", "W", "R"], ["all"], "one", hidden_size=1),
        helper.make_node("Squeeze", ["all", "axis"], ["steps"]),
        helper.make_node("Gather", ["steps", "i"], ["y"]),
    ]
    inputs, kinds = {"x": ["time", "batch", SIZE], "i": ["count"]}, {"i": TensorProto.INT64}
    made = model(nodes, inputs, ["y"], weights, dtypes=kinds)
    agrees(made, {"x": weight(STEPS, 2, SIZE), "i": np.array([1, -1, 0])}, judge=by_runtime)


def _directions(name: str) -> int:
    return 2 if LAYERS[name][1].get("direction") == "bidirectional" else 1


def _given(name: str, B: int) -> dict[str, Any]:
    D = _directions(name)
    lengths = np.array([STEPS, 2][:B], np.int32)
    return {"x": weight(STEPS, B, SIZE), "n": lengths, "h": weight(D, B, 1)}

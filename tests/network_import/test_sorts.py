"""Networks with several sorts: each has its own values and indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import each_language, ways
from onnx import TensorProto, helper
from quick import first

from tests.network_import.graphs import by_runtime, lstm_weights, model, weight


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("rows", [2, "n"])
def test_the_second_of_two_topk(rows: int | str, agrees: Any) -> None:
    """It sorts the first one's input, or its values, or another array."""
    nodes, outputs = [], []
    for k, second in enumerate(("x0", "values1", "negative2")):
        nodes += [
            helper.make_node("TopK", [f"x{k}", "four"], [f"values{k}", f"indices{k}"]),
            helper.make_node("Neg", [f"x{k}"], [f"negative{k}"]),
            helper.make_node("TopK", [second, "three"], [f"least{k}", f"places{k}"], largest=0),
        ]
        names = ("values", "indices", "negative", "least", "places")
        outputs += [f"{name}{k}" for name in names]
    counts = {"four": np.array([4], np.int64), "three": np.array([3], np.int64)}
    dtypes = dict.fromkeys(
        (name for name in outputs if name.startswith(("indices", "places"))), TensorProto.INT64
    )
    inputs = {f"x{k}": weight(2, 9) for k in range(3)}
    shapes = {name: [rows, 9] for name in inputs}
    agrees(model(nodes, shapes, outputs, counts, dtypes=dtypes), inputs, rtol=0, atol=0)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("output", first(["places", "values"]))
def test_a_sort_of_an_open_axis(output: str, agrees: Any) -> None:
    """Without the values, or without the places, as exporters write it to sort rows by length."""
    nodes = [
        helper.make_node("Shape", ["x"], ["size"]),
        helper.make_node("TopK", ["x", "size"], ["values", "places"], axis=0),
    ]
    dtypes = {"places": TensorProto.INT64}
    made = model(nodes, {"x": ["rows"]}, [output], {}, dtypes=dtypes)
    agrees(made, *({"x": weight(rows)} for rows in (1, 6)), rtol=0, atol=0)


@pytest.mark.slow
@ways("direct", "c", "js")
def test_rows_in_the_order_of_others_before_a_layer(agrees: Any) -> None:
    """Nothing reads the values that are sorted, whose number is open."""
    nodes = [
        helper.make_node("Shape", ["scores"], ["count"], start=1, end=2),
        helper.make_node("TopK", ["scores", "count"], ["values", "places"], axis=1),
        helper.make_node("Unsqueeze", ["places", "last"], ["column"]),
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("Expand", ["column", "sizes"], ["indices"]),
        helper.make_node("GatherElements", ["x", "indices"], ["rows"], axis=1),
        helper.make_node("Transpose", ["rows"], ["steps"], perm=[1, 0, 2]),
        helper.make_node("LSTM", ["steps", "W", "R", "B"], ["y"], hidden_size=5),
    ]
    shapes = {"x": [2, "time", 3], "scores": [2, "time"]}
    made = model(nodes, shapes, ["y"], {**lstm_weights(), "last": np.array([2])})
    calls = ({"x": weight(2, n, 3), "scores": weight(2, n)} for n in (1, 6))
    agrees(made, *calls, judge=by_runtime)

"""Known values of a graph, before its nodes are replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import each_language
from onnx import TensorProto, helper

from rnn_compiler.network_import.graph import Graph, shape_of
from rnn_compiler.network_import.graph.folding import fold
from tests.network_import.graphs import B, H, I, T, lstm_weights, model, saved, weight


def test_the_units_of_a_node_follow_from_its_weights(tmp_path: Path) -> None:
    """So do the shapes behind it, which the next recurrent node needs."""
    second = {name: array for name, array in lstm_weights("s", size=H).items() if name != "sB"}
    nodes = [
        helper.make_node("LSTM", ["x", "W", "R", "B"], ["Y", "Yh"], name="first"),
        helper.make_node("Squeeze", ["Y", "one"], ["y"], name="squeeze"),
        helper.make_node("LSTM", ["y", "sW", "sR"], ["Z"], name="second"),
    ]
    weights = {**lstm_weights(), **second, "one": np.array([1])}
    made = model(nodes, {"x": [T, B, I]}, ["Z", "Yh"], weights)
    graph = Graph.read(saved(made, tmp_path / "m.onnx"))
    fold(graph)
    found = {name: shape_of(kind) for name, kind in graph.types().items()}
    assert found["y"] == [T, B, H]
    assert found["Z"] == [T, 1, B, H]
    assert found["Yh"] == [1, B, H]


def loop(most: list[int]) -> Any:
    """Sums the rows of an array up to a limit, as tf2onnx writes `while`; gives each sum too."""
    int64, boolean, float32 = TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT

    def value(name: str, kind: int, shape: list[int]) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    inside = [
        helper.make_node("Gather", ["x", "k"], ["row"], axis=0),
        helper.make_node("Add", ["row", "sum"], ["next"]),
        helper.make_node("Add", ["k", "one"], ["k+1"]),
        helper.make_node("Less", ["k+1", "limit"], ["below"]),
        helper.make_node("And", ["below", "c"], ["on"]),
        helper.make_node("Identity", ["next"], ["each"]),
    ]
    given = [value("i", int64, []), value("c", boolean, []), value("k", int64, [])]
    made = [value("on", boolean, []), value("k+1", int64, []), value("next", float32, [3])]
    body = helper.make_graph(
        inside,
        "body",
        [*given, value("sum", float32, [3])],
        [*made, value("each", float32, [3])],
        [helper.make_tensor("one", int64, [], [1])],
    )
    inputs, outputs = ["most", "true", "first", "zero"], ["", "total", "sums"]
    node = helper.make_node("Loop", inputs, outputs, name="again", body=body)
    weights = {"most": np.array(most), "true": np.array(True), "first": np.array(1)}
    weights |= {"limit": np.array(5), "zero": np.zeros(3, np.float32)}
    return model([node], {"x": [6, 3]}, ["total", "sums"], weights)


@pytest.mark.parametrize(("most", "count"), [(100, 4), (2, 2)])
def test_iterations_that_can_be_counted_are_written_out(
    most: int, count: int, tmp_path: Path
) -> None:
    graph = Graph.read(saved(loop([most]), tmp_path / "m.onnx"))
    fold(graph)
    assert [node.op_type for node in graph.proto.node].count("Gather") == count
    assert "Loop" not in graph.operators()


@pytest.mark.slow
@each_language
def test_a_loop_that_is_written_out_computes_the_same(agrees: Any) -> None:
    agrees(loop([100]), {"x": weight(6, 3)}, rtol=1e-6, atol=0)

"""What is known of a graph before its nodes are replaced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper

from rnn_compiler.network_import.graph import Graph, shape_of
from rnn_compiler.network_import.graph.folding import fold
from tests.network_import.graphs import B, H, I, T, lstm_weights, model, saved


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

"""Layers that exporters write as loops are trained as layers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import helper, numpy_helper
from quick import every

import rnn_compiler as rc
from rnn_compiler.network_import.graph import Graph, folding, subgraphs
from rnn_compiler.network_import.graph.folding import fold
from rnn_compiler.network_import.graph.training.trained import take_trained
from tests.network_import import graphs
from tests.network_import.graphs import B, I, T, by_runtime, model, saved, weight
from tests.network_import.step_loops import GATES, gru, keras_loop, lstm, rnn, stepped
from tests.network_import.test_loops import MASK, OPERATORS, layer


def folded(path: Path) -> tuple[Graph, dict[str, Any]]:
    """The graph of a file whose weights are trained, and these."""
    graph = Graph.read(path)
    weights = take_trained(graph, None)
    fold(graph)
    return graph, weights


@pytest.mark.parametrize("mask", ["", "keep"])
@pytest.mark.parametrize("cell", GATES)
def test_a_loop_becomes_a_layer(cell: Any, mask: str, tmp_path: Path) -> None:
    """Whose weights are made of the numbers of the file's, wherever the cell has them."""
    made = layer(cell, mask=mask, start=True)
    graph, weights = folded(saved(made, tmp_path / "m.onnx"))
    kinds = [node.op_type for node in graph.proto.node]
    assert kinds.count(OPERATORS[GATES[cell]]) == 1
    assert not {"Loop", "Tanh", "Sigmoid"} & {*kinds}
    assert {"W", "R"} <= {*weights}
    inputs = {"x": weight(B, T, I)} | ({"mask": MASK} if mask else {})
    inputs |= {f"s{k}": weight(B, graphs.H) for k in range(2 if GATES[cell] == 4 else 1)}
    changed = {name: array + weight(*array.shape) for name, array in weights.items()}
    got = by_runtime(graph.model, {**inputs, **changed})
    for each in (made.graph, *subgraphs(made.graph)):
        for tensor in (one for one in each.initializer if one.name in changed):
            tensor.CopyFrom(numpy_helper.from_array(changed[tensor.name], tensor.name))
    for one, other in zip(got, stepped(made, inputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "mask"),
    every(itertools.product((gru, lstm, rnn), ("", "keep")), (gru, "keep"), (lstm, ""), (rnn, "")),
)
def test_training_through_the_layer(
    cell: Any, mask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives the weights that training through the steps of the loop gives.

    That a mask becomes lengths of whatever cell is shown above.
    """
    made = keras_loop(
        cell, (B, T), gates=GATES[cell], states=2 if GATES[cell] == 4 else 1, mask=mask
    )
    path = saved(made, tmp_path / "m.onnx")
    given = {"x": weight(B, T, I)} | ({"mask": MASK} if mask else {})
    output = made.graph.output[0].name
    found: list[dict[str, Any]] = []
    for is_layer in (True, False):
        if not is_layer:
            monkeypatch.setattr(folding, "replace_trained_loops", lambda *_: False)
        module = rc.training_step(path, loss="mean_squared_error", optimizer="sgd", output=output)
        ops = {each.op for each in module.linked}
        assert (f"onnx.{OPERATORS[GATES[cell]]}Grad" in ops) == is_layer
        session = rc.runtime.load(rc.compile(module)).session()
        target = np.ones(module.functions[0].arguments[len(given)].shape, np.float32)
        for _ in range(3):
            session.train(**given, target=target, learning_rate=np.float32(0.5))
        found.append(dict(session.state))
    assert found[0].keys() == found[1].keys()
    for name, array in found[0].items():
        np.testing.assert_allclose(array, found[1][name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.slow
def test_weights_inside_a_body(tmp_path: Path) -> None:
    """A loop may store them itself. They are trained, and saved, like others."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["goes_on"]),
            helper.make_node("MatMul", ["h", "inner"], ["product"]),
            helper.make_node("Tanh", ["product"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("k", onnx.TensorProto.INT64, []),
            helper.make_tensor_value_info("going", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("h", onnx.TensorProto.FLOAT, [2, 3]),
        ],
        [
            helper.make_tensor_value_info("goes_on", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", onnx.TensorProto.FLOAT, [2, 3]),
        ],
        [numpy_helper.from_array(weight(3, 3), "inner")],
    )
    nodes = [
        helper.make_node("Mul", ["x", "outer"], ["z"]),
        helper.make_node("Loop", ["count", "", "z"], ["y"], body=body, name="loop"),
    ]
    weights = {"outer": weight(3), "count": np.array(4)}
    path = saved(model(nodes, {"x": [2, 3]}, ["y"], weights), tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error", optimizer="sgd")
    assert [*module.initial] == ["outer", "inner"]
    session = rc.runtime.load(rc.compile(module)).session()
    given = {"x": weight(2, 3), "target": weight(2, 3)}
    before = {name: array.copy() for name, array in session.state.items()}
    losses = [session.train(**given, learning_rate=np.float32(0.3)).loss for _ in range(20)]
    assert losses[-1] < losses[0]
    for name, array in session.state.items():
        assert np.abs(array - before[name]).max() > 1e-3, name
    (y,) = by_runtime(onnx.load(session.save_onnx(tmp_path / "t.onnx")), {"x": given["x"]})
    np.testing.assert_allclose(y, session.infer(x=given["x"]).y, rtol=1e-5, atol=1e-6)

"""Models whose nodes are in no order, or read values that do not exist."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import expected, lstm_weights, model, saved, weight

X = weight(6, 2, 3)
HEAD = weight(5, 4)


def network(*more: Any, outputs: tuple[str, ...] = ("y",)) -> Any:
    nodes = [
        helper.make_node("LSTM", ["x", "W", "R", "B"], ["h"], "enc", hidden_size=5),
        helper.make_node("MatMul", ["h", "V"], ["p"], "head"),
        *(more or [helper.make_node("Relu", ["p"], ["y"], "relu")]),
    ]
    return model(nodes, {"x": [6, 2, 3]}, outputs, {**lstm_weights(), "V": HEAD})


def chosen() -> Any:
    """A node with two branches that read results of nodes outside."""
    branches: dict[str, Any] = {}
    for name, operator in (("then_branch", "Neg"), ("else_branch", "Abs")):
        nodes = [
            helper.make_node("Relu", ["p"], ["r"], f"relu_{operator}"),
            helper.make_node(operator, ["r"], ["s"], operator),
        ]
        result = helper.make_tensor_value_info("s", TensorProto.FLOAT, None)
        branches[name] = helper.make_graph(nodes, name, [], [result])
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    return network(
        helper.make_node("Constant", [], ["condition"], "yes", value=yes),
        helper.make_node("If", ["condition"], ["y"], "if", **branches),
    )


def reverse(nodes: Any) -> None:
    copies = [type(each).FromString(each.SerializeToString()) for each in nodes][::-1]
    del nodes[:]
    nodes.extend(copies)


def is_right(made: Any, wanted: Any, path: Path) -> None:
    results = rc.runtime.load(rc.compile(rc.import_network(saved(made, path))))(x=X)
    for got, want in zip(results, expected(wanted, {"x": X}), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("build", [network, chosen])
def test_nodes_in_another_order(build: Callable[[], Any], tmp_path: Path) -> None:
    """Also those of branches."""
    made = build()
    wanted = copy.deepcopy(made)
    for node in made.graph.node:
        for attribute in node.attribute:
            reverse(attribute.g.node)
    reverse(made.graph.node)
    is_right(made, wanted, tmp_path / "m.onnx")


@pytest.mark.slow
def test_a_constant_that_is_returned_and_read(tmp_path: Path) -> None:
    relu = helper.make_node("Relu", ["p"], ["y"])
    made = network(relu, outputs=("V", "y", "x", "y"))
    is_right(made, made, tmp_path / "m.onnx")


@pytest.mark.slow
def test_the_longer_name_of_onnx(tmp_path: Path) -> None:
    """Operators of the domain `ai.onnx` are those of the domain without a name."""
    made = chosen()
    wanted = copy.deepcopy(made)
    for node in made.graph.node:
        node.domain = "ai.onnx"
        for attribute in node.attribute:
            for inner in attribute.g.node:
                inner.domain = "ai.onnx"
    is_right(made, wanted, tmp_path / "m.onnx")


def again(made: Any, name: str) -> None:
    made.graph.node.append(helper.make_node("Neg", ["h"], [name], "again"))


def inside(made: Any) -> None:
    (node,) = (each for each in made.graph.node if each.op_type == "If")
    node.attribute[0].g.node[0].input[0] = "none"


DAMAGES: dict[str, Callable[[Any], object]] = {
    "node 'head' (MatMul) reads 'none', which no node makes": lambda made: made.graph.node[
        1
    ].input.__setitem__(1, "none"),
    "node 'relu_Abs' (Relu) reads 'none', which no node makes": inside,
    "it returns 'none', which no node makes": lambda made: setattr(
        made.graph.output[0], "name", "none"
    ),
    "node 'enc' (LSTM) reads a value that depends on its result": lambda made: made.graph.node[
        0
    ].input.__setitem__(0, "y"),
    "node 'again' (Neg) makes 'p', as another value is called": lambda made: again(made, "p"),
    "node 'again' (Neg) makes 'V', as another value is called": lambda made: again(made, "V"),
    "node 'again' (Neg) makes 'x', as another value is called": lambda made: again(made, "x"),
    "it has two inputs of the name 'x'": lambda made: made.graph.input.append(made.graph.input[0]),
}


@pytest.mark.parametrize("told", DAMAGES)
def test_values_that_do_not_fit(told: str, tmp_path: Path) -> None:
    made = chosen()
    DAMAGES[told](made)
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    with pytest.raises(ArtifactError) as caught:
        rc.import_network(tmp_path / "m.onnx")
    assert str(caught.value) == f"{tmp_path / 'm.onnx'}: damaged: {told}"


@pytest.mark.parametrize("shape", [[6, 2, 4], [6, 3]])
def test_an_input_that_weights_do_not_fit(shape: list[int], tmp_path: Path) -> None:
    made = network()
    del made.graph.input[0].type.tensor_type.shape.dim[:]
    for size in shape:
        made.graph.input[0].type.tensor_type.shape.dim.add().dim_value = size
    path = saved(made, tmp_path / "m.onnx")
    for read in (rc.import_network, rc.import_model):
        with pytest.raises(ArtifactError, match=r"enc: X has the shape \[6, .*the 3 inputs of W"):
            read(path)

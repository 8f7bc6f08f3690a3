"""Linear layers of networks give the results of onnx's reference implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

import onnx
from execution import each_language, ways
from onnx import helper

from rnn_compiler.compilation import lowered_text
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.folding import fold
from tests.network_import.graphs import by_runtime, expected, loaded, model, saved, weight


def network() -> tuple[Any, dict[str, Any]]:
    """Products of a sequence and of rows, with weights as they lie and transposed; its inputs."""
    inputs = {"x": weight(20, 3, 40), "r": weight(30, 40), "one": weight(1, 64)}
    weights = {"w": weight(40, 64), "t": weight(64, 40), "b": weight(64), "u": weight(64, 96)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y0"], name="sequence"),
        helper.make_node("Gemm", ["r", "t", "b"], ["y1"], name="linear", transB=1),
        helper.make_node("Gemm", ["r", "t"], ["y2"], name="shared", transB=1, alpha=0.5),
        helper.make_node("MatMul", ["one", "u"], ["y3"], name="row"),
        helper.make_node("MatMul", ["x", "xt"], ["y4"], name="of_inputs"),
        helper.make_node("Transpose", ["x"], ["xt"], name="transpose", perm=[0, 2, 1]),
    ]
    nodes[4:] = nodes[:3:-1]
    outputs = [f"y{number}" for number in range(5)]
    return model(nodes, {name: a.shape for name, a in inputs.items()}, outputs, weights), inputs


MODEL, INPUTS = network()


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    return rc.import_network(saved(MODEL, tmp_path_factory.mktemp("models") / "m.onnx"))


@pytest.mark.slow
def test_linear_layers(module: rc.Module) -> None:
    artifact = rc.compile(module, "cpu:generic")
    out = rc.runtime.load(artifact, device="local-sync")(**INPUTS)
    for got, wanted in zip(out, expected(MODEL, INPUTS), strict=True):
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-5)


@pytest.mark.slow
def test_weights_are_multiplied_as_they_are(module: rc.Module) -> None:
    """Not a copy for each step, and not transposed at every call."""
    (spec,) = module.functions
    shapes = {each.name: each.shape for each in spec.frozen}
    assert shapes == {"w": (40, 64), "t_transposed": (40, 64), "b": (64,), "u": (64, 96)}
    text = lowered_text(module, "cpu:generic", last="linalg_to_products")
    assert text.count("stablehlo.dot_general") == 3  # two layers are the same product
    assert "tensor<20x40x64xf32>" not in text
    assert text.count("rnn_compiler.packed") == 2  # w and u; two layers share t, one row needs none


@pytest.mark.slow
@pytest.mark.parametrize("turned", [True, False])
def test_transposed_products(turned: bool, tmp_path: Path) -> None:
    """Of transposed factors, in every combination, and transposed themselves."""
    inputs = {"a": weight(40, 36), "at": weight(36, 40), "b": weight(36, 44), "bt": weight(44, 36)}
    nodes = [
        helper.make_node("Transpose", [each], [f"{each}.turned"], name=each, perm=[1, 0])
        for each in ("at", "bt")
    ]
    pairs = [(left, right) for left in ("a", "at.turned") for right in ("b", "bt.turned")]
    for number, pair in enumerate(pairs):
        name, made = f"y{number}", f"made{number}" if turned else f"y{number}"
        nodes.append(helper.make_node("MatMul", [*pair], [made], name=made))
        if turned:
            nodes.append(helper.make_node("Transpose", [made], [name], name=name, perm=[1, 0]))
    outputs = [f"y{number}" for number in range(len(pairs))]
    made = model(nodes, {name: a.shape for name, a in inputs.items()}, outputs, {})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    text = lowered_text(module, "cpu:generic", last="linalg_to_products")
    assert text.count("stablehlo.dot_general") == 4
    found = rc.runtime.load(rc.compile(module))(**inputs)
    for got, wanted in zip(found, expected(made, inputs), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-5)


def written_out() -> tuple[Any, dict[str, Any]]:
    """A recurrent layer of six steps, a node for each operation of each step; its inputs.

    A branch that is chosen has a node of the name of one of these.
    """
    inputs = {"x": weight(6, 2, 40)}
    weights = {"W": weight(32, 40), "b": weight(32), "R": weight(32, 32), "h": weight(2, 32)}
    nodes: list[Any] = []
    for k, before in enumerate(["h", *(f"h{step}" for step in range(5))]):
        weights[f"i{k}"] = np.array(k)
        nodes += [
            helper.make_node("Gather", ["x", f"i{k}"], [f"x{k}"], name=f"gather{k}", axis=0),
            helper.make_node("Gemm", [f"x{k}", "W", "b"], [f"z{k}"], name=f"in{k}", transB=1),
            helper.make_node("Gemm", [before, "R", f"z{k}"], [f"s{k}"], name=f"on{k}", transB=1),
            helper.make_node("Tanh", [f"s{k}"], [f"h{k}"], name=f"tanh{k}"),
        ]
    negated = helper.make_node("Neg", ["z1"], ["negated"], name="in1")
    kind = helper.make_tensor_value_info("negated", onnx.TensorProto.FLOAT, None)
    branch = helper.make_graph([negated], "branch", [], [kind])
    branches = {"then_branch": branch, "else_branch": branch}
    nodes.append(helper.make_node("If", ["yes"], ["chosen"], name="choice", **branches))
    weights["yes"] = np.array(True)
    shapes = {name: array.shape for name, array in inputs.items()}
    return model(nodes, shapes, ["h5", "z0", "chosen"], weights), inputs


def test_nodes_of_a_branch_get_names_of_their_own(tmp_path: Path) -> None:
    graph = Graph.read(saved(written_out()[0], tmp_path / "m.onnx"))
    fold(graph)
    names = [node.name for node in graph.proto.node]
    assert "If" not in graph.operators()
    assert len({*names}) == len(names)


@pytest.mark.slow
def test_rows_that_are_gathered_one_by_one_are_multiplied_at_once(tmp_path: Path) -> None:
    onnx_model, inputs = written_out()
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
    assert module.located_text.count("linalg.matmul") == 1 + 6
    out = loaded(module)(**inputs)
    for got, wanted in zip(out, expected(onnx_model, inputs), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-5)


def test_rows_are_multiplied_at_once_by_trained_weights(tmp_path: Path) -> None:
    """So there is one gradient of W, not one of each step."""
    path = saved(written_out()[0], tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error", output="h5", train=["W", "R"])
    train, _, infer = module.located_text.partition("func.func @infer")
    assert infer.count("linalg.matmul") == 1 + 6
    assert train.count("linalg.matmul") == 1 + 6 + 1 + 6 + 5


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("opset", [18, 13])
def test_products_of_all_elements_of_axes(opset: int, agrees: Any) -> None:
    """Beside an open axis."""
    nodes, outputs = list[Any](), list[str]()
    axes, weights = ([1], [0 - 1, 2], [3]), dict[str, Any]()
    for k, each in enumerate(axes):
        outputs.append(f"y{k}")
        weights[f"axes{k}"] = np.array(each)
        inputs, how = (["x", f"axes{k}"], {}) if opset >= 18 else (["x"], {"axes": each})
        node = helper.make_node("ReduceProd", inputs, [f"y{k}"], keepdims=k % 2, **how)
        nodes.append(node)
    made = model(nodes, {"x": ["batch", 5, 3, 2]}, outputs, weights, opset=opset)
    agrees(made, {"x": weight(4, 5, 3, 2, scale=1)}, judge=by_runtime)


@pytest.mark.slow
def test_products_of_an_open_axis_are_refused(tmp_path: Path) -> None:
    node = helper.make_node("ReduceProd", ["x"], ["y"], name="mine", axes=[0])
    path = saved(model([node], {"x": ["rows", 2]}, ["y"], {}), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'mine' \(ReduceProd\) .* axis 'rows' cannot be"):
        rc.import_network(path)


@pytest.mark.slow
@ways("direct")
def test_products_of_three_factors(agrees: Any) -> None:
    """A letter stays until no other factor has it, and without a result there are the single ones.

    IREE's importer would sum over j before it multiplies by the last factor.
    """
    equations = {"scaled": "bj,ji,j->bi", "rows": "bj, bi, ji -> j", "implied": "bj,ji,ik"}
    shapes = {"bj": (2, 4), "ji": (4, 3), "j": (4,), "bi": (2, 3), "ik": (3, 5)}
    nodes: list[Any] = []
    for name, equation in equations.items():
        factors = equation.partition("->")[0].replace(" ", "").split(",")
        nodes.append(helper.make_node("Einsum", factors, [name], name=name, equation=equation))
    made = model(nodes, shapes, [*equations], {})
    agrees(made, {name: weight(*shape) for name, shape in shapes.items()})

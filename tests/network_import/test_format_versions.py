"""Files in older versions of ONNX's format become the same modules as newer ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import marked_slow

pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper

import rnn_compiler as rc
from tests.network_import.graphs import RNG, expected, loaded, model, saved


def with_constants_as_inputs(graph: Any) -> None:
    """Makes each constant of a graph an input too, as files before version 4 have it."""
    for tensor in graph.initializer:
        kind = helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        graph.input.append(kind)


def repeated_product() -> tuple[Any, Any]:
    """A product with a matrix, three times with another one; the body of the repetition."""
    first, second = RNG.standard_normal((2, 3, 3)).astype(np.float32)
    kinds = {"i": TensorProto.INT64, "c": TensorProto.BOOL, "d": TensorProto.BOOL}

    def value(name: str) -> Any:
        shape = [] if name in kinds else [2, 3]
        return helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), shape)

    step = [
        helper.make_node("MatMul", ["s", "second"], ["t"]),
        helper.make_node("Tanh", ["t"], ["next"]),
        helper.make_node("Identity", ["c"], ["d"]),
    ]
    matrix = numpy_helper.from_array(second, "second")
    body = helper.make_graph(step, "body", [*map(value, "ics")], [*map(value, ["d", "next"])])
    body.initializer.append(matrix)
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["p"], name="product"),
        helper.make_node("Loop", ["count", "true", "p"], ["y"], name="again", body=body),
    ]
    weights = {"first": first, "count": np.array(3), "true": np.array(True)}
    made = model(nodes, {"x": [2, 3]}, ["y"], weights, opset=11)
    return made, made.graph.node[1].attribute[0].g


@pytest.mark.slow
def test_constants_that_are_inputs_too(tmp_path: Path) -> None:
    made, body = repeated_product()
    newer = rc.import_network(saved(made, tmp_path / "m.onnx"))
    made.ir_version = 3
    with_constants_as_inputs(made.graph)
    with_constants_as_inputs(body)
    older = rc.import_network(saved(made, tmp_path / "m.onnx"))
    assert [each.name for each in older.functions[0].arguments] == ["x"]
    assert str(older) == str(newer)


@pytest.mark.slow
def test_older_images_are_read_from_their_corners(tmp_path: Path) -> None:
    """Until version 10, Resize and Upsample find pixels by their corners; later, by their centres.

    The expected numbers are those of the newer operator that says so.
    """
    sizes, x = np.array([1, 1, 1.7, 2.5], np.float32), RNG.standard_normal((1, 2, 7, 4))
    given = {"x": x.astype(np.float32)}
    corners = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    for mode in ("nearest", "linear"):
        node = helper.make_node("Resize", ["x", "", "sizes"], ["y"], mode=mode, **corners)
        newer = model([node], {"x": x.shape}, ["y"], {"sizes": sizes})
        (wanted,) = expected(newer, given)
        for version, name in ((9, "Upsample"), (10, "Resize")):
            node = helper.make_node(name, ["x", "sizes"], ["y"], mode=mode)
            older = model([node], {"x": x.shape}, ["y"], {"sizes": sizes}, opset=version)
            module = rc.import_network(saved(older, tmp_path / "m.onnx"))
            found = loaded(module)(**given)
            np.testing.assert_allclose(found.y, wanted, atol=1e-5, err_msg=f"{name} {mode}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "places", [marked_slow([1, 5]), [[0, 1], [1, 1]]], ids=["positions", "coordinates"]
)
def test_sparse_constants(places: Any, tmp_path: Path) -> None:
    dense = np.zeros((3, 4), np.float32)
    dense[[0, 1], [1, 1]] = 2, 3
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.float32([2, 3]), "w"),
        numpy_helper.from_array(np.array(places), "places"),
        [3, 4],
    )
    product = helper.make_node("MatMul", ["x", "w"], ["y"])
    weight = model([product], {"x": [2, 3]}, ["y"], {})
    weight.graph.sparse_initializer.append(sparse)
    constant = helper.make_node("Constant", [], ["w"], sparse_value=sparse)
    x = RNG.standard_normal((2, 3)).astype(np.float32)
    for made in (weight, model([constant, product], {"x": [2, 3]}, ["y"], {})):
        module = rc.import_network(saved(made, tmp_path / "m.onnx"))
        found = loaded(module)(x=x).y
        np.testing.assert_allclose(found, x.astype(np.float64) @ dense, rtol=1e-6, atol=1e-6)

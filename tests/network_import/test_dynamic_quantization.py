"""Networks that are quantized when they are called: scales and zero points are computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, each_language, ways

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import expected, model, saved

OUTPUTS = ("y", "product")


def network() -> Any:
    """An array that is quantized and read back, and its product with quantized weights."""
    rng = np.random.default_rng(0)
    weights = {"w": rng.integers(-127, 127, (32, 4), np.int8), "zw": np.array(0, np.int8)}
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"]),
        helper.make_node("MatMulInteger", ["q", "w", "z", "zw"], ["product"]),
    ]
    dtypes = {"product": TensorProto.INT32}
    return model(nodes, {"x": [5, 32]}, OUTPUTS, weights, dtypes=dtypes, opset=19)


@pytest.mark.slow
@each_language
def test_scales_and_zero_points(execute: Execute, tmp_path: Path) -> None:
    """With numbers of both signs, and with zero points at both ends: 255 and 0."""
    made = network()
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    x = np.random.default_rng(1).standard_normal((5, 32)).astype(np.float32)
    for given in (x, abs(x), -abs(x)):
        results = execute(module, {"x": given})
        for name, wanted in zip(OUTPUTS, expected(made, {"x": given}), strict=True):
            np.testing.assert_allclose(results[name], wanted, rtol=1e-6, atol=1e-6)


CONVOLUTIONS: dict[str, tuple[str, tuple[int, ...], dict[str, Any]]] = {
    "image": ("x", (4, 2, 3, 3), {"pads": [1, 1, 1, 1]}),
    "whole": ("x", (4, 2, 3, 2), {"strides": [2, 1]}),
    "groups": ("x", (4, 1, 3, 3), {"group": 2, "pads": [2] * 4, "dilations": [2, 2]}),
    "uneven": ("x", (4, 2, 3, 3), {"pads": [0, 1, 2, 0]}),
    "upper": ("x", (4, 2, 4, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "lower": ("x", (4, 2, 4, 3), {"auto_pad": "SAME_LOWER"}),
    "sequence": ("row", (4, 2, 3), {"pads": [1, 1], "strides": [2]}),
    "behind": ("row", (4, 2, 3), {"pads": [0, 2], "dilations": [2]}),
    "grouped": ("row", (4, 1, 3), {"group": 2}),
}
"""The array, the shape of the filters, and the attributes of each convolution."""


def convolutions(batch: int | str) -> tuple[Any, Any]:
    """A model of convolutions of integers, and one that computes the same in float32."""
    rng = np.random.default_rng(0)
    weights: dict[str, Any] = {"zero": np.array(121, np.uint8), "rows": np.array([0, 2, 42])}
    node, shared, theirs, ours = helper.make_node, list[Any](), list[Any](), list[Any]()
    shared.append(node("Reshape", ["x", "rows"], ["row"]))
    ours.append(node("Cast", ["zero"], ["zero_f"], to=TensorProto.FLOAT))
    for name in ("x", "row"):
        shared.append(
            node("DynamicQuantizeLinear", [name], [f"{name}_q", f"{name}_s", f"{name}_z"])
        )
        ours += [node("Cast", [f"{name}_{e}"], [f"{name}_{e}_f"], to=1) for e in "qz"]
        ours.append(node("Sub", [f"{name}_q_f", f"{name}_z_f"], [f"{name}_d"]))
    for name, (source, shape, attributes) in CONVOLUTIONS.items():
        weights[f"w_{name}"] = rng.integers(0, 255, shape, np.uint8)
        given = [f"{source}_q", f"w_{name}", f"{source}_z", "zero"]
        theirs.append(node("ConvInteger", given, [name], **attributes))
        ours.append(node("Cast", [f"w_{name}"], [f"w_{name}_f"], to=TensorProto.FLOAT))
        ours.append(node("Sub", [f"w_{name}_f", "zero_f"], [f"w_{name}_d"]))
        ours.append(node("Conv", [f"{source}_d", f"w_{name}_d"], [name], **attributes))
    inputs, outputs = {"x": [batch, 2, 7, 6]}, [*CONVOLUTIONS]
    dtypes = dict.fromkeys(outputs, TensorProto.INT32)
    return (
        model(shared + theirs, inputs, outputs, weights, dtypes=dtypes),
        model(shared + ours, inputs, outputs, weights),
    )


def are_right(execute: Execute, made: Any, floats: Any, path: Path, batch: int) -> None:
    module = rc.import_network(saved(made, path))
    x = np.random.default_rng(1).standard_normal((batch, 2, 7, 6)).astype(np.float32)
    for given in (x, abs(x), -abs(x)):
        results = execute(module, {"x": given})
        for name, wanted in zip(CONVOLUTIONS, expected(floats, {"x": given}), strict=True):
            np.testing.assert_array_equal(results[name], wanted, err_msg=name)


@ways("direct", "c", "js", quick=())
def test_convolutions_of_integers(execute: Execute, tmp_path: Path) -> None:
    """With numbers of both signs: padding is the zero point, which is 0 and 255 at the ends."""
    are_right(execute, *convolutions(2), tmp_path / "m.onnx", 2)


@pytest.mark.slow
@ways("direct", "c")
def test_convolutions_of_integers_with_an_open_batch(execute: Execute, tmp_path: Path) -> None:
    are_right(execute, *convolutions("batch"), tmp_path / "m.onnx", 3)


@pytest.mark.slow
@ways("direct", "c", "js")
def test_numbers_that_a_graph_computes(execute: Execute, tmp_path: Path) -> None:
    """As the value of padding, as bounds, and as a scale."""
    node = helper.make_node
    nodes = [
        node("ReduceMax", ["x"], ["top"], keepdims=0),
        node("Mul", ["top", "tenth"], ["scale"]),
        node("Neg", ["scale"], ["low"]),
        node("Pad", ["x", "pads", "top"], ["padded"]),
        node("Clip", ["x", "low", "scale"], ["clipped"]),
        node("QuantizeLinear", ["x", "scale", "zero"], ["quantized"]),
    ]
    weights = {
        "tenth": np.array(0.1, np.float32),
        "zero": np.array(100, np.uint8),
        "pads": np.array([1, 0, 0, 2]),
    }
    outputs = ["padded", "clipped", "quantized"]
    made = model(nodes, {"x": [3, 4]}, outputs, weights, dtypes={"quantized": TensorProto.UINT8})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    results = execute(module, {"x": x})
    for name, wanted in zip(outputs, expected(made, {"x": x}), strict=True):
        np.testing.assert_allclose(results[name], wanted, rtol=1e-6, err_msg=name)


def test_operators_of_onnx_runtimes_own_format(tmp_path: Path) -> None:
    """The error names the format that has ONNX's operators."""
    node = helper.make_node("QLinearAdd", ["x"], ["y"], "sum", domain="com.microsoft")
    with pytest.raises(UnsupportedError, match=r"'sum' .*QLinearAdd.*: .*QuantFormat\.QDQ$"):
        rc.import_network(saved(model([node], {"x": [3]}, ["y"], {}), tmp_path / "m.onnx"))

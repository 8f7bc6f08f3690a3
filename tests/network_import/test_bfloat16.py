"""Networks in bfloat16, which numpy's files store without its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import each_language
from onnx import TensorProto, helper
from onnx_reference import forward

import rnn_compiler as rc
from tests.network_import.graphs import loaded, model, saved, weight

BFLOAT16 = ml_dtypes.bfloat16
H = 5


def run(nodes: list[Any], weights: dict[str, Any], outputs: list[str], x: Any, path: Path) -> Any:
    """The results of a network whose floats are all of bfloat16, as float32."""
    dtypes = dict.fromkeys(["x", *outputs], TensorProto.BFLOAT16)
    stored = {name: array.astype(BFLOAT16) for name, array in weights.items()}
    made = model(nodes, {"x": x.shape}, outputs, stored, dtypes=dtypes, opset=22)
    made.ir_version = 10
    module = rc.import_network(saved(made, path))
    found = loaded(module)(x=x)
    return [np.asarray(each).astype(np.float32) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "gates", "attributes"),
    [
        ("LSTM", 4, {}),
        ("GRU", 3, {"linear_before_reset": 1}),
        ("GRU", 3, {}),
    ],
)
def test_recurrent_layers(kind: str, gates: int, attributes: Any, tmp_path: Path) -> None:
    """CudnnRNNV3, whose weights are one buffer, and ONNX's own ops; a matrix as another weight."""
    weights = {"W": (1, gates * H, 3), "R": (1, gates * H, H), "B": (1, 2 * gates * H)}
    arrays = {name: weight(*shape).astype(BFLOAT16) for name, shape in weights.items()}
    arrays["P"] = np.eye(H, 16).astype(BFLOAT16)
    x = weight(4, 2, 3).astype(BFLOAT16)
    nodes = [
        helper.make_node(
            kind, ["x", "W", "R", "B"], ["Y"], name="layer", hidden_size=H, **attributes
        ),
        helper.make_node("MatMul", ["Y", "P"], ["y"], name="product"),
    ]
    (y,) = run(nodes, arrays, ["y"], x, tmp_path / "m.onnx")
    given = {name: arrays[name].astype(np.float32) for name in "WRB"}
    wanted = forward(kind, X=x.astype(np.float32), **given, **attributes)["Y"]
    np.testing.assert_allclose(y[..., :H], wanted, atol=0.02)
    assert not np.any(y[..., H:])


@pytest.mark.slow
def test_nan_passes(tmp_path: Path) -> None:
    weights = {"low": np.float32(-0.5), "high": np.float32(0.5)}
    operators = {"Clip": ["low", "high"], "Max": ["low"], "Min": ["high"], "Sign": []}
    nodes = [helper.make_node(n, ["x", *given], [n], n) for n, given in operators.items()]
    arrays = {name: np.asarray(value) for name, value in weights.items()}
    x = np.array([np.nan, 2, -2], BFLOAT16)
    found = run(nodes, arrays, [*operators], x, tmp_path / "m.onnx")
    wanted = {"Clip": (0.5, -0.5), "Max": (2, -0.5), "Min": (0.5, -2), "Sign": (1, -1)}
    for name, got in zip(operators, found, strict=True):
        np.testing.assert_array_equal(got, [np.nan, *wanted[name]], err_msg=name)


@pytest.mark.slow
@each_language
def test_integers_become_bfloat16(agrees: Any) -> None:
    """Rounded to the nearest, of two to the even one."""
    given: dict[str, Any] = {}
    for kind in ("int32", "int64", "int8", "uint8", "bool"):
        x = np.array([0, 1, 2, 100, 127, 257, 258, 259, 16777217, 1000001] * 2)
        x[10:] *= -1
        if kind in ("int8", "uint8", "bool"):
            x %= 2 if kind == "bool" else 128
        given[f"of_{kind}"] = x.astype(kind)
    nodes: list[Any] = []
    for name in given:
        nodes.append(helper.make_node("Cast", [name], [f"b_{name}"], to=TensorProto.BFLOAT16))
        nodes.append(helper.make_node("Cast", [f"b_{name}"], [f"y_{name}"], to=TensorProto.FLOAT))
    dtypes = {name: helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in given.items()}
    shapes = {name: x.shape for name, x in given.items()}
    made = model(nodes, shapes, [f"y_{name}" for name in given], {}, dtypes=dtypes)
    wanted = [x.astype("f").astype(BFLOAT16).astype("f") for x in given.values()]
    agrees(made, given, judge=lambda *_: wanted, rtol=0, atol=0)

"""Functions of one number, at all magnitudes, and normalization of groups of channels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import Execute, each_language
from onnx import TensorProto, helper

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError
from tests.network_import.graphs import expected, folded, model, saved, weight

SIZES = [0.0, 1e-20, 1e-4, 0.001, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 3.0, 9.0, 100.0, 1e10, 3e20, 1e30]
X = np.array([*SIZES, *(-x for x in SIZES), math.inf, -math.inf, math.nan], np.float32)


def gelu(x: Any) -> Any:
    with np.errstate(over="ignore"):
        inside = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return x / (1 + np.exp(-2 * inside))


def softsign(x: Any) -> Any:
    return x / (1 + np.abs(x))


FUNCTIONS: Mapping[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "Asinh": (np.arcsinh, {}),
    "Acosh": (np.arccosh, {}),
    "Atanh": (np.arctanh, {}),
    "Erfc": (np.vectorize(math.erfc), {}),
    "Gelu": (gelu, {"approximate": "tanh"}),
    "Softsign": (softsign, {}),
}


def network(kind: int) -> Any:
    nodes = [
        helper.make_node(name, ["x"], [name], name=f"{name} node", **attributes)
        for name, (_, attributes) in FUNCTIONS.items()
    ]
    outputs = [node.output[0] for node in nodes]
    dtypes = dict.fromkeys(["x", *outputs], kind)
    return model(nodes, {"x": [len(X)]}, outputs, {}, dtypes=dtypes, opset=20)


def close(name: str, got: Any, *, rtol: float, least: float = 1e-37) -> None:
    """Whether values are a function's, apart from tiny numbers, and infinities of products."""
    with np.errstate(all="ignore"):
        x = X.astype(got.dtype).astype(np.float64)
        wanted = FUNCTIONS[name][0](x).astype(got.dtype)
    plain = np.isfinite(x) if name in ("Gelu", "Softsign") else np.full(x.shape, True)
    np.testing.assert_allclose(got[plain], wanted[plain], rtol=rtol, atol=least, err_msg=name)


def test_they_are_exact_at_all_magnitudes(tmp_path: Path) -> None:
    graph = folded(network(TensorProto.FLOAT), tmp_path / "m.onnx")
    assert not set(graph.operators()).intersection(FUNCTIONS)
    with np.errstate(all="ignore"):
        found = expected(graph.model, {"x": X})
    for name, got in zip(FUNCTIONS, found, strict=True):
        close(name, got, rtol=4e-6)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize(
    ("kind", "dtype", "rtol"),
    [
        (TensorProto.FLOAT, np.float32, 5e-6),
        (TensorProto.FLOAT16, np.float16, 1e-3),
        (TensorProto.DOUBLE, np.float64, 1e-14),
    ],
)
def test_compiled(kind: int, dtype: Any, rtol: float, execute: Execute, tmp_path: Path) -> None:
    module = rc.import_network(saved(network(kind), tmp_path / "m.onnx"))
    with np.errstate(over="ignore"):
        x = X.astype(dtype)
    for name, got in execute(module, {"x": x}).items():
        close(name, got, rtol=rtol, least=1e-37 if dtype != np.float16 else 1e-4)


def test_an_operator_that_onnx_does_not_have(tmp_path: Path) -> None:
    """It is named at once, and not a node whose sizes are unknown because of it."""
    nodes = [
        helper.make_node("Lgamma", ["x"], ["l"], name="mine"),
        helper.make_node("Mul", ["l", "x"], ["y"], name="product"),
    ]
    path = saved(model(nodes, {"x": ["batch", 3]}, ["y"], {}), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"node 'mine' \(Lgamma\): expected an operator of"):
        rc.import_network(path)


def normalized(x: Any, groups: int, scale: Any, bias: Any) -> Any:
    apart = x.reshape(x.shape[0], groups, -1)
    centred = apart - apart.mean(-1, keepdims=True)
    whole = (centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)).reshape(x.shape)
    ones = [1] * (x.ndim - 2)
    scale, bias = (np.repeat(a, x.shape[1] // len(a)).reshape(-1, *ones) for a in (scale, bias))
    return whole * scale + bias


@pytest.mark.parametrize("opset", [18, 21])
@pytest.mark.parametrize("shape", [(2, 4, 5), (2, 4, 3, 2)])
def test_groups_are_normalized(opset: int, shape: tuple[int, ...], tmp_path: Path) -> None:
    """As the last node, too. Until version 21, a scale is one of a group."""
    count = 4 if opset > 18 else 2
    weights = {"s": weight(count), "b": weight(count)}
    node = helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], "groups", num_groups=2)
    made = model([node], {"x": shape}, ["y"], weights, opset=opset)
    graph = folded(made, tmp_path / "m.onnx")
    assert "GroupNormalization" not in graph.operators()
    x = weight(*shape)
    (got,) = expected(graph.model, {"x": x})
    np.testing.assert_allclose(got, normalized(x, 2, *weights.values()), rtol=1e-5, atol=1e-5)
    if shape == (2, 4, 5) and opset == 21:
        assert [*rc.import_network(tmp_path / "m.onnx").functions[0].results[0].shape] == [*shape]


@pytest.mark.slow
@each_language
def test_negative_integers(agrees: Any) -> None:
    """All bits count, and the least number is its own negative."""
    given: dict[str, Any] = {}
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        given[dtype.__name__] = np.array([least, least + 1, most, most - 1, 0, 5, -5], dtype)
    kinds = {name: helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in given.items()}
    kinds |= {f"minus_{name}": kind for name, kind in kinds.items()}
    nodes = [helper.make_node("Neg", [name], [f"minus_{name}"]) for name in given]
    shapes = {name: x.shape for name, x in given.items()}
    made = model(nodes, shapes, [f"minus_{name}" for name in given], {}, dtypes=kinds)
    agrees(made, given, judge=lambda *_: [-x for x in given.values()], rtol=0, atol=0)

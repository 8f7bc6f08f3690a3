"""Operators of which IREE's importer takes only some forms, or computes others wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, each_language, ways

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import expected, model, saved, weight

_NODE: Any = helper.make_node


def _integers(*shape: int, dtype: Any = np.uint8) -> Any:
    return np.random.default_rng(1).integers(0, 60, shape).astype(dtype)


@each_language
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(
    ("x", "w", "columns"),
    [((2, 3, 4), (2, 4, 5), 1), ((2, 3, 4), (4, 5), 5), ((3, 4), (4, 5), 1)],
    ids=["stacks", "one matrix", "matrices"],
)
def test_products_of_quantized_matrices(
    x: Any, w: Any, columns: int, dtype: Any, agrees: Any
) -> None:
    """Of stacks the importer computed other numbers."""
    several = (columns,) if columns > 1 else ()
    numbers = {
        **{"s": np.float32(0.02), "z": np.array(3, dtype), "w": _integers(*w, dtype=dtype)},
        "ws": np.linspace(0.01, 0.05, columns, dtype=np.float32).reshape(several),
        **{"wz": np.full(several, 2, dtype), "ys": np.float32(0.0731), "yz": np.array(9, dtype)},
    }
    nodes = [
        _NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
        _NODE("QLinearMatMul", ["q", "s", "z", "w", "ws", "wz", "ys", "yz"], ["r"]),
        _NODE("DequantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    agrees(model(nodes, {"x": x}, ["y"], numbers, opset=21), {"x": weight(*x, scale=1)}, atol=1e-4)


@each_language
def test_quantization_in_16_bits_without_sign(agrees: Any) -> None:
    parameters = {"s": np.linspace(3e-4, 9e-4, 4, dtype=np.float32)}
    parameters["z"] = np.array([0, 5, 3000, 65535], np.uint16)
    nodes = [
        _NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
        _NODE("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    made = model(nodes, {"x": ["rows", 4]}, ["y"], parameters, opset=21)
    agrees(made, {"x": weight(3, 4, scale=30)}, {"x": weight(1, 4)})


@each_language
@pytest.mark.parametrize("operator", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize(("axis", "keepdims"), [(0, 0), (-1, 1)])
def test_the_last_of_equal_extremes(operator: str, axis: int, keepdims: int, agrees: Any) -> None:
    node = _NODE(operator, ["x"], ["y"], axis=axis, keepdims=keepdims, select_last_index=1)
    made = model([node], {"x": ["a", "b"]}, ["y"], {}, dtypes={"y": TensorProto.INT64})
    calls = [{"x": np.round(weight(*shape, scale=2))} for shape in ((4, 9), (1, 2))]
    agrees(made, *calls, judge=lambda _, given: [_last(operator, given["x"], axis, keepdims)])


def _last(operator: str, x: Any, axis: int, keepdims: int) -> Any:
    turned = np.flip(x, axis)
    index = x.shape[axis] - 1 - getattr(np, operator.lower())(turned, axis)
    return np.expand_dims(index, axis) if keepdims else index


@each_language
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("rank", [2, 4])
def test_local_responses(size: int, rank: int, agrees: Any) -> None:
    """Windows may be wider than the channels."""
    attributes = {"size": size, "alpha": 0.3, "beta": 0.6, "bias": 2.0}
    names = ["n", "c", "h", "w"][:rank]
    made = model([_NODE("LRN", ["x"], ["y"], **attributes)], {"x": names}, ["y"], {})

    def judged(_: Any, given: Any) -> list[Any]:
        x, sums = given["x"], np.zeros_like(given["x"])
        for c in range(x.shape[1]):
            window = x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1]
            sums[:, c] = (window**2).sum(1)
        return [x / (2 + 0.3 / size * sums) ** 0.6]

    calls = [{"x": weight(*shape[:rank], scale=2)} for shape in ((2, 3, 2, 3), (1, 1, 1, 1))]
    agrees(made, *calls, judge=judged)


@ways("direct")
@pytest.mark.parametrize("p", [1, 2])
def test_vectors_of_zeros_are_normalized(p: int, agrees: Any) -> None:
    x = weight(2, 3, 4)
    x[0, 1] = 0
    made = model([_NODE("LpNormalization", ["x"], ["y"], p=p)], {"x": ["n", 3, 4]}, ["y"], {})
    norm = np.abs(x).sum(-1, keepdims=True) if p == 1 else np.linalg.norm(x, axis=-1, keepdims=True)
    agrees(made, {"x": x}, judge=lambda *_: [np.where(norm == 0, 0, x / np.maximum(norm, 1e-30))])


@pytest.mark.parametrize("axis", [0, -1])
def test_backward_slices_of_open_axes_in_c(axis: int, tmp_path: Path) -> None:
    bounds = {name: np.array([n]) for name, n in zip("abcd", (-1, -(2**31), axis, -1), strict=True)}
    made = model([_NODE("Slice", ["x", *bounds], ["y"])], {"x": ["t", "b", "i"]}, ["y"], bounds)
    execute, module = Execute("c", tmp_path), rc.import_network(saved(made, tmp_path / "m.onnx"))
    for shape in ((4, 2, 3), (1, 1, 1)):
        x = weight(*shape)
        assert np.array_equal(execute(module, {"x": x})["y"], expected(made, {"x": x})[0])


@ways("direct", "c")
def test_rows_of_a_single_column(agrees: Any) -> None:
    """IREE does not compile gathers from slices whose last axis has a size of 1."""
    bounds = {"first": np.array([7]), "end": np.array([8]), "last": np.array([-1])}
    nodes = [
        _NODE("Slice", ["x", "first", "end", "last"], ["column"]),
        _NODE("Gather", ["column", "rows"], ["y"], axis=0),
    ]
    made = model(nodes, {"x": [6, 3, 8]}, ["y"], bounds | {"rows": np.array([5, 3, 1])})
    agrees(made, {"x": weight(6, 3, 8)})


_EQUATIONS = {
    "...i,ij->...j": [("t", "b", 4), (4, 3)],
    "tbi,ij->tbj": [("t", "b", 4), (4, 3)],
    "tbi,sbi->bts": [("t", "b", 4), ("s", "b", 4)],
    "bqhd,bkhd->bhqk": [("b", "q", 2, 4), ("b", "k", 2, 4)],
    "bhqk,bkhd->bqhd": [("b", 2, "q", "k"), ("b", "k", 2, 4)],
    "btd,dhe->bthe": [("b", "t", 4), (4, 2, 3)],
    "bthe,hed->btd": [("b", "t", 2, 3), (2, 3, 4)],
    "...ij,...jk->...ik": [("b", 3, "t", 4), ("b", 3, 4, 2)],
    "b...,b...->...": [("b", 3, "t"), ("b", 3, "t")],
    "abc,ad->bcd": [("a", "b", 2), ("a", 3)],
    "ij,k->k": [("i", 3), ("k",)],
    "i,i->": [("i",), ("i",)],
    "i,j->ij": [("i",), ("j",)],
    "tbi->bti": [("t", "b", "i")],
    "tbi->b": [("t", "b", 4)],
    "ij,ki": [("i", "j"), ("k", "i")],
    "bj,ji,j->bi": [("b", "j"), ("j", 3), ("j",)],
}
"""Equations, and the shapes of their factors."""


@pytest.mark.parametrize("equation", _EQUATIONS)
@ways("direct", "c", quick=("direct",))
def test_sums_of_products_of_open_axes(equation: str, agrees: Any) -> None:
    """The importer takes no ellipses over open axes, and joins no two of them."""
    shapes = {f"x{k}": shape for k, shape in enumerate(_EQUATIONS[equation])}
    made = model([_NODE("Einsum", [*shapes], ["y"], equation=equation)], shapes, ["y"], {})
    for sizes in ((5, 3, 2, 4), (1, 2, 1, 3)):
        names = dict.fromkeys(n for s in shapes.values() for n in s if isinstance(n, str))
        axes = dict(zip(names, sizes, strict=False))
        given = {name: weight(*(axes.get(n, n) for n in shape)) for name, shape in shapes.items()}
        agrees(made, given, judge=lambda _, a: [np.einsum(equation, *a.values())])

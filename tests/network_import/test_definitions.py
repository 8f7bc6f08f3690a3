"""Operators that are replaced by the functions that define them in ONNX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from execution import each_language
from onnx import TensorProto, helper
from quick import first

from tests.network_import.graphs import by_runtime, expected, model, weight

OPEN, FIXED = ["batch", 3, "steps", 8], [2, 3, 4, 8]


def made(
    operator: str, opset: int, shapes: Mapping[str, Any], weights: Any, **attributes: Any
) -> Any:
    """A node between two others."""
    dtypes = {"positions": TensorProto.INT64}
    nodes = [
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node(
            operator, ["z", *weights, *[*shapes][1:]], ["n"], name="mine", **attributes
        ),
        helper.make_node("Neg", ["n"], ["y"]),
    ]
    return model(nodes, shapes, ["y"], weights, dtypes=dtypes, opset=opset)


@pytest.mark.slow
@each_language
def test_swish(agree: Any) -> None:
    shapes, attributes = (OPEN, FIXED), ({"alpha": 0.7}, {})
    cases = [made("Swish", 24, {"x": shape}, {}, **a) for shape in shapes for a in attributes]
    agree([(each, [{"x": weight(2, 3, 4, 8)}]) for each in cases])


@pytest.mark.slow
@each_language
def test_swiglu(agrees: Any) -> None:
    if onnx.defs.onnx_opset_version() < 28:
        pytest.skip("needs an onnx with SwiGLU")
    shapes = {"x": OPEN, "gate": OPEN}
    agrees(made("SwiGLU", 28, shapes, {}), {name: weight(2, 3, 4, 8) for name in shapes})


@each_language
@pytest.mark.slow
@pytest.mark.parametrize("shape", [OPEN, FIXED], ids=["open", "fixed"])
def test_rotary_embedding(shape: Any, agree: Any) -> None:
    given = {"x": weight(2, 3, 4, 8), "positions": np.array([[3, 0, 19, 7], [1, 2, 3, 4]])}
    cases: list[Any] = []
    for attributes in ({}, {"interleaved": 1}, {"rotary_embedding_dim": 4}):
        half = attributes.get("rotary_embedding_dim", 8) // 2
        angles = np.arange(20)[:, None] * 10.0 ** -np.arange(half)
        weights = {"cos": np.cos(angles).astype("f"), "sin": np.sin(angles).astype("f")}
        shapes = {"x": shape, "positions": [shape[0], shape[2]]}
        cases.append((made("RotaryEmbedding", 23, shapes, weights, **attributes), [given]))
    agree(cases, judge=by_runtime)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("batch", first(["batch", 2]))
def test_centres(batch: int | str, agrees: Any) -> None:
    """Cut along one axis, and padded along the other."""
    onnx_model = made(
        "CenterCropPad", 18, {"x": [batch, 5, 6]}, {"k": np.array([3, 8])}, axes=[1, 2]
    )
    agrees(onnx_model, {"x": weight(2, 5, 6)}, judge=expected)

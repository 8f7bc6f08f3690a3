"""ReduceLogSumExp of large and infinite numbers, in every form of its axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from execution import Execute, each_language
from onnx import TensorProto, helper

from tests.network_import.graphs import model, saved

INFINITY = float("inf")
ROWS = [
    *([1000.0, 1000, -1000], [-1000, -1001, -1002], [0, 1, 2], [INFINITY, 1, 2]),
    *([-INFINITY, -INFINITY, -INFINITY], [-INFINITY, INFINITY, 0]),
]
SLOW = pytest.mark.slow


@pytest.mark.slow
@each_language
@pytest.mark.parametrize(
    ("opset", "dtype", "keepdims"),
    [
        (17, "float32", 0),
        *(pytest.param(opset, "float32", 1, marks=SLOW) for opset in (11, 18)),
        *(pytest.param(17, dtype, 0, marks=SLOW) for dtype in ("float64", "float16")),
    ],
)
def test_log_sums(opset: int, dtype: str, keepdims: int, execute: Execute, tmp_path: Path) -> None:
    """The result is near the largest number; of infinities, it is one."""
    kind = getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, "FLOAT16"))
    node = helper.make_node
    if opset < 18:
        nodes = [node("ReduceLogSumExp", ["x"], ["y"], axes=[1], keepdims=keepdims)]
        weights: dict[str, Any] = {}
    else:
        nodes = [node("ReduceLogSumExp", ["x", "axes"], ["y"], keepdims=keepdims)]
        weights = {"axes": np.array([1])}
    made = model(
        nodes, {"x": ["rows", 3]}, ["y"], weights, dtypes={"x": kind, "y": kind}, opset=opset
    )
    x = np.array(ROWS, dtype)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    with np.errstate(invalid="ignore"):
        wanted: Any = np.logaddexp.reduce(x.astype(np.float64), axis=1, keepdims=bool(keepdims))
    tolerance = 1e-3 if dtype == "float16" else 1e-6
    np.testing.assert_allclose(execute(module, {"x": x})["y"], wanted, rtol=tolerance)

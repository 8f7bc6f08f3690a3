"""Networks that are quantized when they are called: scales and zero points are computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc

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


@ways("direct", "c", "js")
def test_scales_and_zero_points(execute: Execute, tmp_path: Path) -> None:
    """With numbers of both signs, and with zero points at both ends: 255 and 0."""
    made = network()
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    x = np.random.default_rng(1).standard_normal((5, 32)).astype(np.float32)
    for given in (x, abs(x), -abs(x)):
        results = execute(module, {"x": given})
        for name, wanted in zip(OUTPUTS, expected(made, {"x": given}), strict=True):
            np.testing.assert_allclose(results[name], wanted, rtol=1e-6, atol=1e-6)

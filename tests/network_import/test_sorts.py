"""Networks with several sorts: each has values and indices of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import expected, model, saved

X = np.random.default_rng(0).standard_normal((2, 9)).astype(np.float32)


@pytest.mark.parametrize("second", ["x", "values", "negative"])
@pytest.mark.parametrize("rows", [2, "n"])
def test_the_second_of_two_topk(second: str, rows: int | str, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("TopK", ["x", "four"], ["values", "indices"]),
        helper.make_node("Neg", ["x"], ["negative"]),
        helper.make_node("TopK", [second, "three"], ["least", "places"], largest=0),
    ]
    outputs = ["values", "indices", "negative", "least", "places"]
    counts = {"four": np.array([4], np.int64), "three": np.array([3], np.int64)}
    dtypes = dict.fromkeys(("indices", "places"), TensorProto.INT64)
    onnx_model = model(nodes, {"x": [rows, 9]}, outputs, counts, dtypes=dtypes)
    program = rc.runtime.load(rc.compile(rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))))
    for got, want in zip(program(x=X), expected(onnx_model, {"x": X}), strict=True):
        np.testing.assert_array_equal(got, want)

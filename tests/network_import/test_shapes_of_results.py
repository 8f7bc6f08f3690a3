"""IREE computes the shapes of results only where one is unknown: that takes a tenth of a second."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import helper

from rnn_compiler.lowering.mlir.bindings import run_passes
from rnn_compiler.lowering.networks import from_onnx
from tests.network_import.graphs import model, weight

PASS = "torch-reify-shape-calculations"
OF_SIZES = [
    helper.make_node("Shape", ["x"], ["size"], end=1),
    helper.make_node("Concat", ["size", "other"], ["shape"], axis=0),
    helper.make_node("Expand", ["v", "shape"], ["t"]),
]
"""A shape that is computed from a size."""


@pytest.mark.parametrize(("rows", "more", "times"), [(2, [], 0), ("n", [], 1), ("n", OF_SIZES, 2)])
def test_the_same_text(
    rows: int | str, more: list[Any], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if they were computed before and after sizes become numbers."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["z"]),
        helper.make_node("Tanh", ["z"], ["s"]),
        *more,
        helper.make_node("Concat", ["s", "t" if more else "x"], ["y"], axis=1),
    ]
    arrays = {"w": weight(3, 4), "v": weight(1, 3), "other": np.array([3])}
    made = onnx.shape_inference.infer_shapes(model(nodes, {"x": [rows, 3]}, ["y"], arrays))
    ran = list[str]()

    def observed(module: Any, pipeline: str) -> None:
        ran.append(pipeline)
        run_passes(module, pipeline)

    def always(module: Any, pipeline: str) -> None:
        run_passes(module, pipeline.replace("(inline", f"({PASS},inline"))
        if pipeline == "builtin.module(func.func(torch-scalarize-shapes))":
            run_passes(module, f"builtin.module({PASS},{','.join(from_onnx.SHAPES)})")

    texts = list[str]()
    for run in (observed, always):
        monkeypatch.setattr(from_onnx, "run_passes", run)
        own = copy.deepcopy(made)  # whose nodes get other names
        texts.append(from_onnx.linalg_of_onnx({"main": own}, "m", is_open=True))
    assert sum(PASS in each for each in ran) == times
    assert texts[0] == texts[1]

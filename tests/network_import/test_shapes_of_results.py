"""IREE computes the shapes of results only where one is unknown: that takes a tenth of a second."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("onnx")

import onnx
from onnx import helper

from rnn_compiler.lowering.mlir.bindings import run_passes
from rnn_compiler.lowering.networks import from_onnx
from tests.network_import.graphs import model, weight


@pytest.mark.parametrize(("rows", "times"), [(2, 0), ("n", 2)])
def test_the_same_text(rows: int | str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["z"]),
        helper.make_node("Tanh", ["z"], ["s"]),
        helper.make_node("Concat", ["s", "x"], ["y"], axis=1),
    ]
    made = onnx.shape_inference.infer_shapes(
        model(nodes, {"x": [rows, 3]}, ["y"], {"w": weight(3, 4)})
    )
    pass_, ran = "torch-reify-shape-calculations", list[str]()

    def observed(module: Any, pipeline: str) -> None:
        ran.append(pipeline)
        run_passes(module, pipeline)

    def always(module: Any, pipeline: str) -> None:
        run_passes(module, pipeline.replace("(inline", f"({pass_},inline"))

    texts = list[str]()
    for run in (observed, always):
        monkeypatch.setattr(from_onnx, "run_passes", run)
        texts.append(from_onnx.linalg_of_onnx({"main": made}, "m", is_open=True))
    assert sum(pass_ in each for each in ran) == times
    assert sum("(inline" in each for each in ran) == 2 - times
    assert texts[0] == texts[1]

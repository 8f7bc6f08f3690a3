"""Norms of gradients in the training steps of networks: sums of squares in several registers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from ir.rewriting import edited, rewritten
from onnx import helper

import rnn_compiler as rc
from rnn_compiler.lowering.passes.sums import sums
from tests.network_import.graphs import model

SQUARES = """
#array = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#sum = affine_map<(d0, d1) -> ()>
func.func @f(%g: tensor<20x20xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %array = tensor.empty() : tensor<20x20xf32>
  %squares = linalg.generic {indexing_maps = [#array, #array, #array],
      iterator_types = ["parallel", "parallel"]}
      ins(%g, %g : tensor<20x20xf32>, tensor<20x20xf32>) outs(%array : tensor<20x20xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %made = arith.mulf %a, %b : f32
      linalg.yield %made : f32
  } -> tensor<20x20xf32>
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#array, #sum],
      iterator_types = ["reduction", "reduction"]}
      ins(%squares : tensor<20x20xf32>) outs(%start : tensor<f32>) {
    ^bb0(%a: f32, %out: f32):
      %made = arith.addf %a, %out : f32
      linalg.yield %made : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
"""


def test_a_sum_of_squares_is_a_dispatch() -> None:
    """Of the numbers themselves; their squares are not stored."""
    after, _ = rewritten(SQUARES, sums, is_users=True)
    assert "call @sum_0(%arg0)" in after
    assert "linalg.generic" not in after


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(("%zero = arith.constant 0.0", "%zero = arith.constant 1.0"), id="from 1"),
        pytest.param(("arith.addf %a, %out", "arith.addf %a, %a"), id="twice the last number"),
        pytest.param(("maps = [#array, #sum]", "maps = [#turned, #sum]"), id="another order"),
        pytest.param(("20x20", "5x5"), id="few numbers"),
    ],
)
def test_others_are_left(edit: tuple[str, str]) -> None:
    after, _ = rewritten(edited(SQUARES, edit), sums, is_users=True)
    assert after.count("linalg.generic") == 2


def test_products_of_two_arrays_are_stored() -> None:
    after, _ = rewritten(edited(SQUARES, ("mulf %a, %b", "addf %a, %b")), sums, is_users=True)
    assert after.count("linalg.generic") == 1


@pytest.mark.slow
def test_a_step_with_a_clipped_norm(tmp_path: Path) -> None:
    """Of more numbers than all registers, and some that are left, and of a few."""
    rng = np.random.default_rng(0)
    weights = {"v": rng.standard_normal(5), "w": rng.standard_normal((19, 5, 7))}
    weights = {name: each.astype(np.float32) for name, each in weights.items()}
    nodes = [
        helper.make_node("ReduceSum", ["v"], ["s"], keepdims=0),
        helper.make_node("Sub", ["w", "s"], ["d"]),
        helper.make_node("Mul", ["x", "d"], ["y"]),
    ]
    path = tmp_path / "model.onnx"
    onnx.save(model(nodes, {"x": [1]}, ["y"], weights), path)
    made = rc.training_step(
        path, loss="mean_squared_error", optimizer={"name": "sgd", "clip_norm": 0.25}
    )
    session = rc.runtime.load(rc.compile(made)).session()
    target = rng.standard_normal((19, 5, 7)).astype(np.float32)
    session.train(x=np.ones(1, np.float32), target=target, learning_rate=np.float32(1))
    w, v = weights["w"].astype(np.float64), weights["v"].astype(np.float64)
    of_w = 2 * (w - v.sum() - target) / w.size
    of_v = np.full(5, -of_w.sum())
    factor = 0.25 / np.sqrt((of_w**2).sum() + (of_v**2).sum())
    assert factor < 1
    np.testing.assert_allclose(session.state["w"], w - factor * of_w, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(session.state["v"], v - factor * of_v, rtol=1e-5, atol=1e-6)

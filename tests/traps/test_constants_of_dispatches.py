"""IREE creates a separate dispatch for each constant operand of a dispatch."""

from __future__ import annotations

import pytest
from traps.iree import phase, trap

_CALLS = """
#row = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  NUMBERS
  %a = func.call @scaled(%x, %three) : (tensor<8xf32>, i32) -> tensor<8xf32>
  %b = func.call @scaled(%x, %five) : (tensor<8xf32>, i32) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
func.func private @scaled(%x: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %r = flow.dispatch.region -> (tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %f = arith.sitofp %n : i32 to f32
    %g = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %old: f32):
      %s = arith.mulf %a, %f : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    flow.return %g : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}"""
_CONSTANTS = """%three = arith.constant 3 : i32
  %five = arith.constant 5 : i32"""
_OPAQUE = """%k3 = arith.constant 3 : i32
  %k5 = arith.constant 5 : i32
  %three = util.optimization_barrier %k3 : i32
  %five = util.optimization_barrier %k5 : i32"""


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(
            _CONSTANTS, marks=trap("`opaque` in lowering/rewriting/edits.py"), id="constant"
        ),
        pytest.param(_OPAQUE, id="opaque"),
    ],
)
def test_dispatches_that_differ_in_a_number_are_one(numbers: str) -> None:
    text = phase("flow", _CALLS.replace("NUMBERS", numbers))
    assert text.count("flow.executable private") == 1

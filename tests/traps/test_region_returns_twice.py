"""A region that returns one value twice gives its first result in place of the second."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap


@trap("`Plan` in lowering/gpu/pinned_loop.py, which writes each value once")
def test_the_second_place_has_the_value() -> None:
    text = """
#row = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %r:3 = flow.dispatch.region -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %g:2 = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %s = arith.addf %a, %a : f32
      %t = arith.mulf %s, %a : f32
      linalg.yield %s, %t : f32, f32
    } -> (tensor<8xf32>, tensor<8xf32>)
    flow.return %g#0, %g#1, %g#1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}"""
    x = np.arange(8, dtype=np.float32)
    first, second, third = called(text, x)
    np.testing.assert_array_equal(first, 2 * x)
    np.testing.assert_array_equal(second, 2 * x * x)
    np.testing.assert_array_equal(third, 2 * x * x)

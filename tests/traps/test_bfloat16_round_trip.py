"""A number that is rounded to bfloat16 and widened again keeps its original value, unrounded."""

from __future__ import annotations

import numpy as np
import pytest
from traps.iree import called, trap

_DISPATCH = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = flow.dispatch.region -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]
    } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %old: f32):
      %narrow = arith.truncf %a : f32 to bf16
      WIDEN
      linalg.yield %wide : f32
    } -> tensor<4xf32>
    flow.return %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}"""
_EXTF = "%wide = arith.extf %narrow : bf16 to f32"
_BITS = """%bits = arith.bitcast %narrow : bf16 to i16
      %low = arith.extui %bits : i16 to i32
      %sixteen = arith.constant 16 : i32
      %high = arith.shli %low, %sixteen : i32
      %wide = arith.bitcast %high : i32 to f32"""


@pytest.mark.parametrize(
    "widening",
    [
        pytest.param(_EXTF, marks=trap("`_widened` in lowering/codegen/body.py"), id="extf"),
        pytest.param(_BITS, id="bits"),
    ],
)
def test_rounding_stays(widening: str) -> None:
    x = np.array([1.0001, 1.1, 3.14159, 7], np.float32)
    (y,) = called(_DISPATCH.replace("WIDEN", widening), x)
    np.testing.assert_array_equal(y, np.float32([1, 1.1015625, 3.140625, 7]))

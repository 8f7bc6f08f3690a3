"""Two arrays with equal initial values become one buffer, to which both are written."""

from __future__ import annotations

import numpy as np
import pytest
from traps.iree import called, trap

_LOOP = """
#row = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4x8xf32>, %n: tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n0 = tensor.extract %n[] : tensor<i32>
  %steps = arith.index_cast %n0 : i32 to index
  BEGIN
  %r:2 = scf.for %t = %zero to %steps step %one iter_args(%a = %a0, %b = %b0)
      -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %pa = flow.tensor.barrier %a : tensor<4x8xf32> on #hal.device.promise<@__device_0>
    %pb = flow.tensor.barrier %b : tensor<4x8xf32> on #hal.device.promise<@__device_0>
    %o:2 = flow.dispatch.region -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %row = tensor.extract_slice %x[%t, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
      %e = tensor.empty() : tensor<8xf32>
      %g:2 = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
          ins(%row : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
      ^bb0(%i: f32, %j: f32, %k: f32):
        %s = arith.addf %i, %i : f32
        %u = arith.mulf %s, %s : f32
        linalg.yield %s, %u : f32, f32
      } -> (tensor<8xf32>, tensor<8xf32>)
      %a1 = tensor.insert_slice %g#0 into %pa[%t, 0] [1, 8] [1, 1]
        : tensor<8xf32> into tensor<4x8xf32>
      %b1 = tensor.insert_slice %g#1 into %pb[%t, 0] [1, 8] [1, 1]
        : tensor<8xf32> into tensor<4x8xf32>
      flow.return %a1, %b1 : tensor<4x8xf32>, tensor<4x8xf32>
    }
    scf.yield %o#0, %o#1 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}"""
_EQUAL = """%a0 = flow.tensor.splat %z : tensor<4x8xf32>
  %b0 = flow.tensor.splat %z : tensor<4x8xf32>"""
_OWN = """%az = util.optimization_barrier %z : f32
  %bz = util.optimization_barrier %z : f32
  %a0 = flow.tensor.splat %az : tensor<4x8xf32>
  %b0 = flow.tensor.splat %bz : tensor<4x8xf32>"""


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param(_EQUAL, marks=trap("`own_zeros` in lowering/codegen/body.py"), id="equal"),
        pytest.param(_OWN, id="own"),
    ],
)
def test_each_array_has_its_own_numbers(begin: str) -> None:
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    twice, squared = called(_LOOP.replace("BEGIN", begin), x, np.int32(4))
    np.testing.assert_array_equal(twice, 2 * x)
    np.testing.assert_array_equal(squared, 4 * x * x)

"""IREE fuses a sum with an op that reads it twice, along different axes."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap

TEXT = """
func.func @main(%x: tensor<2x5x3xf32>) -> tensor<2x5x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2]
    : (tensor<2x5x3xf32>, tensor<f32>) -> tensor<2x5xf32>
  %a = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x5xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0, 2] : (tensor<2x5xf32>) -> tensor<2x5x5xf32>
  %y = stablehlo.subtract %a, %b : tensor<2x5x5xf32>
  return %y : tensor<2x5x5xf32>
}"""


@trap("lowering/passes/iree_faults/part_from_reductions.py")
def test_each_row_is_read_as_a_column_too() -> None:
    x = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    s = x.sum(2)
    np.testing.assert_array_equal(called(TEXT, x)[0], s[:, :, None] - s[:, None])

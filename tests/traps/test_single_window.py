"""If a single window leaves part of its input unread, IREE takes the whole input as the window."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap


@trap("lowering/passes/iree_faults/crop_inputs.py")
def test_a_single_window_reads_its_own_size() -> None:
    text = """
func.func @main(%x: tensor<1x4x3xf32>) -> tensor<1x4x1xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<1x4x1xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %y = linalg.pooling_ncw_max {dilations = dense<1> : vector<1xi64>,
      strides = dense<2> : vector<1xi64>}
    ins(%x, %window : tensor<1x4x3xf32>, tensor<2xf32>)
    outs(%start : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}"""
    x = np.array([[[1, 2, 9]] * 4], np.float32)
    np.testing.assert_array_equal(called(text, x)[0], [[[2]] * 4])

"""`flow.tensor.update` assumes that the part it writes is contiguous."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap


@trap("`put_row` in lowering/codegen/body.py, which updates whole rows alone")
def test_columns_are_updated() -> None:
    text = """
func.func @main(%x: tensor<2x4xf32>, %y: tensor<2x2xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = flow.tensor.update %y, %x[%zero, %one] : tensor<2x2xf32> -> %x as tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}"""
    y = np.float32([[1, 2], [3, 4]])
    (r,) = called(text, np.zeros((2, 4), np.float32), y)
    np.testing.assert_array_equal(r, [[0, 1, 2, 0], [0, 3, 4, 0]])

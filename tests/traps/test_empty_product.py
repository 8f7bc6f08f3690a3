"""A product over an axis of size 0 makes the compiler divide by zero."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap


@trap("`Builder.op` and `Value.dot` in lowering/builder, which write constants instead")
def test_a_sum_of_nothing_is_zero() -> None:
    text = """
func.func @main(%x: tensor<3x0xf32>, %y: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<3x0xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}"""
    (z,) = called(text, np.zeros((3, 0), np.float32), np.zeros((0, 5), np.float32))
    np.testing.assert_array_equal(z, np.zeros((3, 5)))

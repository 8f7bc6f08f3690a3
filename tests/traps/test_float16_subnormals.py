"""Processors without an instruction that rounds to float16 lose its subnormal numbers."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap

_ROUND = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf16> {
  %y = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}"""


@trap("lowering/passes/iree_faults/round_to_float16.py")
def test_subnormal_numbers_stay() -> None:
    x = np.array([5e-5, -3e-5, 6e-8, 1], np.float32)
    (y,) = called(_ROUND, x)
    np.testing.assert_array_equal(y, x.astype(np.float16))

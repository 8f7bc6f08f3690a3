"""Conversions of integers to bfloat16 call a function that nothing links."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from traps.iree import called, trap

_CONVERT = """
func.func @main(%x: tensor<16xi32>) -> tensor<16xbf16> {
  %y = stablehlo.convert %x : (tensor<16xi32>) -> tensor<16xbf16>
  return %y : tensor<16xbf16>
}"""


@trap("lowering/passes/iree_faults/round_to_bfloat16.py")
def test_integers_are_converted() -> None:
    x = np.arange(250, 266, dtype=np.int32)
    (y,) = called(_CONVERT, x)
    np.testing.assert_array_equal(y, x.astype(ml_dtypes.bfloat16))

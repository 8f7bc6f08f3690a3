"""A power of floats is computed as exp(y * log(x)), which is NaN for negative x."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap


@trap("lowering/passes/iree_faults/powers.py and network_import/graph/powers.py")
def test_the_square_of_a_negative_number_is_positive() -> None:
    text = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.power %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}"""
    (z,) = called(text, np.float32([-2, -3]), np.float32([2, 3]))
    np.testing.assert_allclose(z, [4, -27], rtol=1e-5)

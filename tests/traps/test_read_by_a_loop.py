"""An array that a loop reads, and a dispatch that is submitted with those behind the loop."""

from __future__ import annotations

import pytest
from traps.iree import compiled, trap

_LOOP = """
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = stablehlo.dot %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %start = BARRIER
  %b = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %start) -> (tensor<8x8xf32>) {
    %t = stablehlo.dot %s, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %t : tensor<8x8xf32>
  }
  %y = stablehlo.dot %a, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = stablehlo.dot %b, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}"""


@pytest.mark.parametrize(
    "barrier",
    [
        pytest.param(
            "stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<8x8xf32>",
            marks=trap("lowering/passes/iree_faults/compute_before_loops.py"),
            id="none",
        ),
        pytest.param("util.optimization_barrier %a : tensor<8x8xf32>", id="barrier"),
    ],
)
def test_the_array_is_computed_before_the_loop(barrier: str) -> None:
    assert compiled(_LOOP.replace("BARRIER", barrier))

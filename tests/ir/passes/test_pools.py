"""Networks with pools before and after `pools`; their numbers: network_import/test_convolutions."""

from __future__ import annotations

from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.pools import pools

BEFORE = """
func.func @main(%x: tensor<1x3x8x16xf32>) -> tensor<1x3x4x8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<1x3x4x8xf32>
  %start = linalg.fill ins(%least : f32) outs(%empty : tensor<1x3x4x8xf32>) -> tensor<1x3x4x8xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>,
      strides = dense<2> : vector<2xi64>}
      ins(%x, %window : tensor<1x3x8x16xf32>, tensor<2x2xf32>)
      outs(%start : tensor<1x3x4x8xf32>) -> tensor<1x3x4x8xf32>
  return %y : tensor<1x3x4x8xf32>
}
"""


def test_small_windows_are_a_dispatch() -> None:
    after, _ = rewritten(BEFORE, pools)
    assert "linalg.pooling" not in after
    assert after.count("call @pool_") == 1
    assert after.count("arith.maximumf") == 3


def test_pools_that_stay() -> None:
    """Another first number, numbers of 64 bits."""
    for change in (("0xFF800000", "1.0"), ("f32", "f64")):
        text = edited(BEFORE, change)
        if change[1] == "f64":
            text = edited(text, ("0xFF800000 :", "0xFFF0000000000000 :"))
        after, _ = rewritten(text, pools)
        assert after.count("linalg.pooling_nchw_max") == 1

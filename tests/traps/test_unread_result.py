"""An array that a region writes but nothing reads is put on the stack."""

from __future__ import annotations

import pytest
from traps.iree import compiled, trap

_LOOP = """
#row = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<64x512xf32>) -> RESULT {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 64 : index
  %r:2 = flow.dispatch.region -> (tensor<64x512xf32>, tensor<64x512xf32>) {
    %ea = tensor.empty() : tensor<64x512xf32>
    %eb = tensor.empty() : tensor<64x512xf32>
    %l:2 = scf.for %t = %zero to %n step %one iter_args(%a = %ea, %b = %eb)
        -> (tensor<64x512xf32>, tensor<64x512xf32>) {
      %row = tensor.extract_slice %x[%t, 0] [1, 512] [1, 1]
        : tensor<64x512xf32> to tensor<512xf32>
      %e = tensor.empty() : tensor<512xf32>
      %g = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
          ins(%row : tensor<512xf32>) outs(%e : tensor<512xf32>) {
      ^bb0(%i: f32, %old: f32):
        %s = arith.addf %i, %i : f32
        linalg.yield %s : f32
      } -> tensor<512xf32>
      %a1 = tensor.insert_slice %g into %a[%t, 0] [1, 512] [1, 1]
        : tensor<512xf32> into tensor<64x512xf32>
      %h = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
          ins(%g : tensor<512xf32>) outs(%e : tensor<512xf32>) {
      ^bb0(%i: f32, %old: f32):
        %s = arith.mulf %i, %i : f32
        linalg.yield %s : f32
      } -> tensor<512xf32>
      %b1 = tensor.insert_slice %h into %b[%t, 0] [1, 512] [1, 1]
        : tensor<512xf32> into tensor<64x512xf32>
      scf.yield %a1, %b1 : tensor<64x512xf32>, tensor<64x512xf32>
    }
    flow.return %l#0, %l#1 : tensor<64x512xf32>, tensor<64x512xf32>
  }
  return READ
}"""
_ONE = "%r#1 : tensor<64x512xf32>"
_BOTH = "%r#0, %r#1 : tensor<64x512xf32>, tensor<64x512xf32>"


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(_ONE, marks=trap("lowering/cpu/fused_loop/fused_loop.py"), id="one"),
        pytest.param(_BOTH, id="both"),
    ],
)
def test_a_loop_compiles_whichever_result_is_read(read: str) -> None:
    types = read.partition(" : ")[2]
    text = _LOOP.replace("RESULT", f"({types})").replace("READ", read)
    assert compiled(text, "--iree-llvmcpu-disable-distribution")

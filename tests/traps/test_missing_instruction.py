"""An instruction that the target lacks crashes the compiler."""

from __future__ import annotations

import pytest
from traps.iree import CPU, CompileError, compiled, trap

_PAIRS = """
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = flow.dispatch.region -> (tensor<16xf32>) {
    %e = tensor.empty() : tensor<16xf32>
    %z = arith.constant 0 : index
    %f = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%z], %f {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>
    %b = vector.bitcast %v : vector<16xf32> to vector<32xbf16>
    %o = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%v, %b, %b)
      : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    %w = vector.transfer_write %o, %e[%z] {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>
    flow.return %w : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}"""


@trap("the features in lowering/targets/weight_formats.py, which say who gets the instruction")
def test_the_compiler_says_what_it_cannot_do() -> None:
    with pytest.raises(CompileError) as raised:
        compiled(_PAIRS, target=CPU)
    assert "exit status 1:" in str(raised.value)  # not a signal


@pytest.mark.parametrize("features", ["+avx512f,+avx512vl,+avx512bf16"])
def test_with_its_features_it_compiles(features: str) -> None:
    triple = "--iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu"
    target = (*CPU, triple, f"--iree-llvmcpu-target-cpu-features={features}")
    assert compiled(_PAIRS, target=target)

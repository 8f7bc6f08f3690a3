"""IREE's faults in int8 arithmetic: signs of bytes, rounding to even, two roundings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from traps.iree import CPU, Loaded, called, compiled, trap

WIDENED = """
func.func @main(%words: tensor<4xi32>) -> tensor<16xi32> {
  %r = flow.dispatch.region -> (tensor<16xi32>) {
    %zero = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %v = vector.transfer_read %words[%zero], %pad {in_bounds = [true]} : tensor<4xi32>, vector<4xi32>
    %b = vector.bitcast %v : vector<4xi32> to vector<16xi8>
    %w = arith.extsi %b : vector<16xi8> to vector<16xi32>
    %e = tensor.empty() : tensor<16xi32>
    %o = vector.transfer_write %w, %e[%zero] {in_bounds = [true]} : vector<16xi32>, tensor<16xi32>
    flow.return %o : tensor<16xi32>
  }
  return %r : tensor<16xi32>
}"""  # noqa: E501

ROUNDED = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.round_nearest_even %x : tensor<4xf32>
  return %r : tensor<4xf32>
}"""

MULTIPLIED_AND_ADDED = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %p = stablehlo.multiply %x, %y : tensor<4xf32>
  %r = stablehlo.add %p, %z : tensor<4xf32>
  return %r : tensor<4xf32>
}"""

AARCH64 = (*CPU[:2], "--iree-llvmcpu-target-triple=aarch64-linux-gnu", CPU[2])
FUSING = (*CPU[:2], "--iree-llvmcpu-target-cpu=x86-64-v3")


@trap("bytes that are read as bytes in lowering/cpu/tiles.py")
def test_bytes_of_a_register_keep_their_signs() -> None:
    words = np.array([-1, -256, 127, 128], np.int32)
    (wide,) = called(WIDENED, words)
    np.testing.assert_array_equal(wide, words.view(np.int8))


@trap("rounding of integers in lowering/builder/int8.py")
def test_ties_are_rounded_to_even(tmp_path: Path) -> None:
    """aarch64's `frintn` does so, `frinta` away from 0; on x86-64 the result is right."""
    compiled(ROUNDED, f"--iree-hal-dump-executable-intermediates-to={tmp_path}", target=AARCH64)
    (code,) = tmp_path.glob("*.s")
    assert "frintn" in code.read_text()


@trap("rounding of integers in lowering/builder/int8.py")
def test_a_product_is_rounded_before_it_is_added_to() -> None:
    x = np.full(4, 1 + 2**-12, np.float32)
    (found,) = Loaded(compiled(MULTIPLIED_AND_ADDED, target=FUSING))(x, x, -x * x)
    np.testing.assert_array_equal(found, np.zeros(4, np.float32))

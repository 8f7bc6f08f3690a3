"""CUDA targets for which the compiler has no code."""

from __future__ import annotations

import pytest
from traps.iree import compiled, trap

_PRODUCT = """
func.func @main(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}"""
_CURE = "the table in lowering/targets/gpu.py"


@pytest.mark.parametrize(
    "name",
    [*(pytest.param(name, marks=trap(_CURE)) for name in ("sm_90", "sm_100")), "sm_60", "sm_80"],
)
def test_a_float16_product_compiles(name: str) -> None:
    target = ("--iree-hal-target-device=cuda", f"--iree-cuda-target={name}")
    assert compiled(_PRODUCT, target=target)

"""Only one op of a dispatch may carry `compilation_info`."""

from __future__ import annotations

import pytest
from traps.iree import compiled, trap

_PRODUCTS = """
#tiles = #iree_cpu.lowering_config<distribution = [0, 0, 0],
  vector_common_parallel = [4, 8, 0], vector_reduction = [0, 0, 1]>
#info = #iree_codegen.compilation_info<lowering_config = #tiles, translation_info =
  #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %z = arith.constant 0.0 : f32
  %r = flow.dispatch.region -> (tensor<4x8xf32>) {
    %e = tensor.empty() : tensor<4x8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %a = linalg.matmul {FIRST} ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>)
      outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    %b = linalg.matmul {compilation_info = #info} ins(%a, %w : tensor<4x8xf32>, tensor<8x8xf32>)
      outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    flow.return %b : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}"""


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(
            "compilation_info = #info",
            marks=trap("`cpu_tiles` in lowering/codegen/attributes.py, `lowering_config` alone"),
            id="info",
        ),
        pytest.param("lowering_config = #tiles", id="config"),
    ],
)
def test_two_products_of_a_dispatch_have_tiles(first: str) -> None:
    assert compiled(_PRODUCTS.replace("FIRST", first))

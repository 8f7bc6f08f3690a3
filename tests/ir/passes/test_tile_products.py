"""A matrix product before and after `tile_products`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import AVX512, edited, rewritten

from rnn_compiler.lowering.passes.tile_products import tile_products
from rnn_compiler.lowering.rewriting.context import Processor
from rnn_compiler.lowering.targets.gpu import Gpu

BEFORE = """
func.func @f(%x: tensor<64x96xf32>, %w: tensor<96x32xf32>) -> tensor<64x32xf32> {
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  return %xw : tensor<64x32xf32>
}
"""
"""``x @ w``: 64 rows, 96 summed, 32 columns."""


def shared(text: str, processor: Processor | None = None) -> str:
    return rewritten(text, tile_products, processor=processor or Gpu())[0]


def test_a_product_says_how_it_is_shared_out() -> None:
    """A workgroup takes 64 rows and 32 columns; each of its 128 threads 4 rows and 4 columns."""
    check(
        shared(BEFORE),
        """
        CHECK: #translation = {{.*}} workgroup_size = [128, 1, 1]
        CHECK: reduction = [0, 0, 32], thread = [4, 4, 0], workgroup = [64, 32, 0]
        CHECK: func.func private @shared_product_0([[X:%arg0]]: {{.*}}, [[W:%arg1]]:
        CHECK-NEXT: [[ZERO:%.+]] = arith.constant 0.0{{.*}} : f32
        CHECK-NEXT: [[EMPTY:%[0-9]+]] = tensor.empty() : tensor<64x32xf32>
        CHECK-NEXT: [[ZEROS:%[0-9]+]] = linalg.fill ins([[ZERO]] : f32) outs([[EMPTY]] :
        CHECK-NEXT: [[XW:%[0-9]+]] = linalg.matmul {compilation_info = #compilation} \
ins([[X]], [[W]] : {{.*}}) outs([[ZEROS]] :
        CHECK-NEXT: return [[XW]]
        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[W:%arg1]]:
        CHECK-NEXT: [[XW:%[0-9]+]] = call @shared_product_0([[X]], [[W]])
        CHECK-NEXT: return [[XW]]
        """,
    )


@pytest.mark.parametrize(
    ("axes", "x", "w", "maps"),
    [
        ("[0] x [0]", "96x64", "96x32", ["(d2, d0)", "(d2, d1)"]),
        ("[1] x [1]", "64x96", "32x96", ["(d0, d2)", "(d1, d2)"]),
        ("[0] x [1]", "96x64", "32x96", ["(d2, d0)", "(d1, d2)"]),
    ],
)
def test_operands_are_read_as_they_lie(axes: str, x: str, w: str, maps: list[str]) -> None:
    """Transposed ones by the maps of the product."""
    after = shared(edited(BEFORE, ("[1] x [0]", axes), ("64x96", "X"), ("96x32", w), ("X", x)))
    check(
        after,
        f"""
        CHECK: [[LHS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> {maps[0]}>
        CHECK: [[RHS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> {maps[1]}>
        CHECK: [[OUT:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
        CHECK: linalg.matmul indexing_maps = {{{{\\[}}}}[[LHS]], [[RHS]], [[OUT]]]
        """,
    )


def test_products_that_are_alike_share_a_function() -> None:
    after = shared(BEFORE + edited(BEFORE, ("@f", "@g")))
    assert after.count("call @shared_product_0(") == 2
    assert after.count("linalg.matmul") == 1


@pytest.mark.parametrize(
    "text",
    [
        edited(BEFORE, ("f32", "f16")),
        edited(BEFORE, ("64x", "1x")),
        edited(BEFORE, ("96", "4")),
        edited(BEFORE, ("func.func @f", "func.func private @f")),
        edited(
            BEFORE,
            (
                "contracting_dims = [1] x [0]",
                "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
            ),
            ("tensor<", "tensor<2x"),
        ),
    ],
    ids=["16_bits", "one_row", "narrow", "of_a_private_function", "of_several_matrices"],
)
def test_what_is_left_to_iree(text: str) -> None:
    assert shared(text) == rewritten(text)[0]


def test_a_row_is_padded_with_zeros() -> None:
    """Not with the next row's numbers: a product that IREE shares out, of rows of 7."""
    check(
        shared(edited(BEFORE, ("96", "7"))),
        """
        CHECK: stablehlo.pad %arg0, {{.*}} high = [0, 1]{{.*}} -> tensor<64x8xf32>
        CHECK: stablehlo.pad %arg1, {{.*}} high = [1, 0]{{.*}} -> tensor<8x32xf32>
        CHECK: stablehlo.dot_general {{.*}} (tensor<64x8xf32>, tensor<8x32xf32>)
        """,
    )


def test_on_a_cpu_nothing_changes() -> None:
    assert shared(BEFORE, AVX512) == rewritten(BEFORE)[0]

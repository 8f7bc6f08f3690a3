"""Products over padded sequences before and after `padded_products`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.large_products import large_products
from rnn_compiler.lowering.passes.padded_products import padded_products
from rnn_compiler.lowering.passes.tile_products import tile_products
from rnn_compiler.lowering.targets.gpu import Gpu

PRODUCT = """
func.func @f(%x: tensor<16x16x40xf32>, %w: tensor<40x32xf32>, %lengths: tensor<16xi64>)
    -> tensor<16x16x32xf32> {
  %0 = stablehlo.composite "rnn_compiler.padded_product" %x, %w, %lengths {
    composite_attributes = {axis = 0 : i64, start = 0 : i64}, decomposition = @product,
    version = 1 : i32
  } : (tensor<16x16x40xf32>, tensor<40x32xf32>, tensor<16xi64>) -> tensor<16x16x32xf32>
  return %0 : tensor<16x16x32xf32>
}
func.func private @product(
  %x: tensor<16x16x40xf32>, %w: tensor<40x32xf32>, %lengths: tensor<16xi64>
) -> tensor<16x16x32xf32> {
  %flat = stablehlo.reshape %x : (tensor<16x16x40xf32>) -> tensor<256x40xf32>
  %xw = stablehlo.dot_general %flat, %w, contracting_dims = [1] x [0]
    : (tensor<256x40xf32>, tensor<40x32xf32>) -> tensor<256x32xf32>
  %result = stablehlo.reshape %xw : (tensor<256x32xf32>) -> tensor<16x16x32xf32>
  return %result : tensor<16x16x32xf32>
}
"""
"""``x @ w`` of 16 steps of 16 rows."""

SUM = """
func.func @f(%t: tensor<2000xf32>, %x: tensor<256x40xf32>, %d: tensor<256x32xf32>,
    %lengths: tensor<16xi64>) -> tensor<2000xf32> {
  %0 = stablehlo.composite "rnn_compiler.add_outer_sum" %t, %d, %x, %lengths {
    composite_attributes = {offset = 7 : i64, start = 3 : i64}, decomposition = @sum,
    version = 1 : i32
  } : (tensor<2000xf32>, tensor<256x32xf32>, tensor<256x40xf32>, tensor<16xi64>) -> tensor<2000xf32>
  %1 = stablehlo.composite "rnn_compiler.add_outer_sum" %0, %d, %d, %lengths {
    composite_attributes = {offset = 9 : i64, start = 3 : i64}, decomposition = @other,
    version = 1 : i32
  } : (tensor<2000xf32>, tensor<256x32xf32>, tensor<256x32xf32>, tensor<16xi64>) -> tensor<2000xf32>
  return %1 : tensor<2000xf32>
}
func.func private @sum(%t: tensor<2000xf32>, %d: tensor<256x32xf32>, %x: tensor<256x40xf32>,
    %lengths: tensor<16xi64>) -> tensor<2000xf32> { return %t : tensor<2000xf32> }
func.func private @other(%t: tensor<2000xf32>, %d: tensor<256x32xf32>, %x: tensor<256x32xf32>,
    %lengths: tensor<16xi64>) -> tensor<2000xf32> { return %t : tensor<2000xf32> }
"""
"""Two sums over the same rows, from the third step on."""


def padded(text: str) -> str:
    after, left = rewritten(text, padded_products)
    assert left == {}
    return after


def test_a_product_lists_the_rows_that_count() -> None:
    """Copies of 128 rows for each of two workgroups; tiles of 8 rows."""
    check(
        padded(PRODUCT),
        """
        CHECK: vector_common_parallel = [8, 32, 0]
        CHECK: func.func private @[[PRODUCT:padded_product_0_1]](
        CHECK: [[MADE:%[0-9]+]]:2 = flow.dispatch @[[PRODUCT]]_product::{{.*}} \
-> (tensor<256x32xf32>, tensor<256x40xf32>)
        CHECK: tensor.expand_shape [[MADE]]#0
        CHECK: stream.executable private @[[PRODUCT]]_product
        CHECK: linalg.matmul {{.*}} ins({{.*}} : tensor<8x40xf32>, tensor<40x32xf32>)
        CHECK: func.func private @[[ROWS:valid_rows_16_0]](
        CHECK: flow.dispatch @[[ROWS]]_rows::{{.*}} -> (tensor<256xi32>, tensor<2xi32>)
        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[W:%arg1]]: {{.*}}, [[LENGTHS:%arg2]]:
        CHECK: [[LISTED:%[0-9]+]]:2 = call @[[ROWS]]([[LENGTHS]], {{.*}})
        CHECK: call @[[PRODUCT]]([[X]], [[W]], [[LISTED]]#0, [[LISTED]]#1)
        """,
    )


@pytest.mark.parametrize(
    "edit",
    [
        (("16x16x", "15x16x"), ("256x", "240x")),
        (("x40x", "x2x"), ("<40x", "<2x"), ("x32x", "x2x")),
        (("16x16x", "256x1x"), ("<16xi64", "<1xi64")),
    ],
    ids=["few rows", "few numbers", "one row"],
)
def test_a_small_product_is_a_plain_one(edit: tuple[tuple[str, str], ...]) -> None:
    text = padded(edited(PRODUCT, *edit))
    assert "stablehlo.dot_general" in text
    assert "call @" not in text
    assert "composite" not in text
    assert "@product" not in text


def test_on_a_gpu_it_is_a_plain_one() -> None:
    text, _ = rewritten(PRODUCT, tile_products, processor=Gpu())
    assert "composite" not in text
    assert "linalg.matmul" in text


def test_sums_share_rows_and_what_is_gathered() -> None:
    text = padded(SUM)
    assert text.count("call @valid_rows_16") == 1
    assert text.count("call @gathered_16") == 1  # d, in panels of a left-hand side
    assert text.count("call @gathered_32") == 2  # x and d
    assert text.count("call @padded_sum") == 2
    assert "composite" not in text


def test_a_sum_of_few_rows_stays_for_large_products() -> None:
    few = edited(SUM, ("tensor<256x", "tensor<240x"))
    assert padded(few).count("stablehlo.composite") == 2
    assert "call @padded_sum" not in rewritten(few, padded_products, large_products)[0]

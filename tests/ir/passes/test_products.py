"""Matrix products before and after `products`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.products import products
from rnn_compiler.lowering.passes.tile_products import tile_products
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, weight_formats

PRODUCT = """
func.func @f(%x: tensor<64x40xf32>, %w: tensor<40x32xf32>) -> tensor<64x32xf32> {
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<64x40xf32>, tensor<40x32xf32>) -> tensor<64x32xf32>
  return %xw : tensor<64x32xf32>
}
"""
"""``x @ w``: 64 rows, 40 summed, 32 columns."""


def blocked(text: str) -> str:
    after, left = rewritten(text, products)
    assert left == {}
    return after


def test_a_product_is_a_call_of_one_dispatch() -> None:
    """One block of 64 rows, one panel of 32 columns, tiles of 8 rows."""
    after = blocked(PRODUCT)
    assert after.count("flow.dispatch @") == 1
    check(
        after,
        """
        CHECK: vector.transfer_read {{.*}} tensor<40x32xf32>, vector<32xf32>
        CHECK-COUNT-32: vector.fma {{.*}} : vector<32xf32>
        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[W:%arg1]]:
        CHECK-NEXT: [[XW:%[0-9]+]] = call @rows_product_0([[X]], [[W]])
        CHECK-NEXT: return [[XW]]
        """,
    )


def test_a_transposed_matrix_is_packed_and_16_bits_widened() -> None:
    """Before: ``w [32, 40]``, and both in float16, summed in float32."""
    transposed = edited(
        PRODUCT,
        ("tensor<64x40xf32>", "tensor<64x40xf16>"),
        ("tensor<40x32xf32>", "tensor<32x40xf16>"),
        ("[1] x [0]", "[1] x [1]"),
    )
    after = blocked(transposed)
    assert "flow.dispatch @rows_product_0_pack::" in after
    assert "-> tensor<1x40x32xf32>" in after
    assert after.count("stablehlo.convert") == 2


SUM = """
func.func @f(%total: tensor<5000xf32>, %x: tensor<5x8x32xf32>, %g: tensor<5x8x64xf32>)
    -> tensor<5000xf32> {
  %0 = stablehlo.composite "rnn_compiler.product" %x, %g, %total {
    composite_attributes = {
      form = "outer_sums", operands = "lhs rhs into", start = 0 : i64, offset0 = 100 : i64,
      is_added = true
    }, decomposition = @f.add, version = 1 : i32
  } : (tensor<5x8x32xf32>, tensor<5x8x64xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  return %0 : tensor<5000xf32>
}
func.func private @f.add(%x: tensor<5x8x32xf32>, %g: tensor<5x8x64xf32>, %total: tensor<5000xf32>)
    -> tensor<5000xf32> { return %total : tensor<5000xf32> }
"""
"""``total[100 : 100 + 32*64] += x^T @ g``"""


def test_sums_are_added_to_a_vector_in_place() -> None:
    """Panels of 8 and 32 columns; the result is tied to the vector; the offset is not known."""
    check(
        blocked(SUM),
        """
        CHECK: func.func private @outer_sum_1({{.*}}, [[TOTAL:%arg3]]: tensor<5000xf32>, \
[[OFFSET:%arg4]]: index)
        CHECK: [[HELD:%[0-9]+]] = flow.tensor.clone [[TOTAL]]
        CHECK: flow.dispatch {{.*}}, [[HELD]], [[OFFSET]]) : {{.*}} -> [[HELD]]
        CHECK: func.func private @gathered_0(
        CHECK: flow.dispatch {{.*}} -> (tensor<4x40x8xf32>, tensor<2x40x32xf32>)
        """,
    )


def test_a_constant_vector_becomes_an_array_of_its_own() -> None:
    """Before: the product is added to zeros. Parts of a constant would fold."""
    zeros = "%zeros = stablehlo.constant dense<0.0> : tensor<5000xf32>\n  %0 ="
    check(
        blocked(edited(SUM, ("%0 =", zeros), ("%g, %total {", "%g, %zeros {"))),
        """
        CHECK: func.func @f(
        CHECK: [[ZERO:%.+]] = arith.constant 0.0{{.*}} : f32
        CHECK: [[TOTAL:%[0-9]+]] = flow.tensor.splat [[ZERO]] : tensor<5000xf32>
        CHECK: call @outer_sum_1(%arg1, {{.*}}, [[TOTAL]],
        """,
    )


def test_products_that_are_alike_share_a_function() -> None:
    """Of equal sizes; the offset of one that is added is an operand."""
    _, again = SUM.split("%0 = ")
    again, _ = again.split("  return")
    again = "%1 = " + edited(again, ("%total {", "%0 {"), ("100 :", "2500 :")) + "  return %1"
    after = blocked(edited(SUM, ("return %0", again)))
    assert after.count("call @outer_sum_1(") == 2
    assert after.count("stream.executable private @outer_sum") == 1
    both = PRODUCT + edited(PRODUCT, ("@f", "@g"))
    assert blocked(both).count("call @rows_product_0(") == 2


def test_a_single_row() -> None:
    """It gets a separate dispatch without unit axes, from fewer multiplications on."""
    text = edited(PRODUCT, ("64x", "1x"), ("40x32", "40x128"), ("<1x32", "<1x128"))
    check(
        blocked(text),
        """
        CHECK: func.func private @rows_product_0(
        CHECK: tensor.collapse_shape {{.*}} tensor<1x40xf32> into tensor<40xf32>
        CHECK: flow.dispatch @rows_product_0_product
        CHECK: tensor.expand_shape {{.*}} tensor<128xf32> into tensor<1x128xf32>
        CHECK: stream.executable private @rows_product_0_product
        CHECK: scf.for {{.*}} -> (vector<16xf32>
        CHECK: vector.fma {{.*}} vector<16xf32>
        CHECK: func.func @f(
        CHECK: call @rows_product_0(
        """,
    )


@pytest.mark.parametrize(
    "text",
    [
        edited(PRODUCT, ("64x", "25x")),  # 25 * 40 * 32 multiplications are fewer than 1 << 15
        edited(PRODUCT, ("64x", "1x")),  # and 40 * 32 of a single row fewer than 1 << 12
        edited(PRODUCT, ("func.func @f", "func.func private @f")),
        edited(
            PRODUCT,
            (
                "contracting_dims = [1] x [0]",
                "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
            ),
            ("tensor<", "tensor<2x"),
        ),
        edited(
            PRODUCT,
            ("stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]", "call @g(%x, %w)"),
        )
        + "func.func private @g(tensor<64x40xf32>, tensor<40x32xf32>) -> tensor<64x32xf32>",
    ],
    ids=["small", "one_row", "of_a_private_function", "of_several_matrices", "no_product"],
)
def test_what_is_left(text: str) -> None:
    assert blocked(text) == rewritten(text)[0]


def test_26_rows_are_enough() -> None:
    """One more than the small product above has."""
    assert "call @rows_product_0" in blocked(edited(PRODUCT, ("64x", "26x")))


OPEN_SUM = """
func.func @f(%x: tensor<?x40xf32>, %d: tensor<?x96xf32>) -> tensor<40x96xf32> {
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0]
    : (tensor<?x40xf32>, tensor<?x96xf32>) -> tensor<40x96xf32>
  return %0 : tensor<40x96xf32>
}
"""
"""``x^T @ d``."""


def test_a_sum_is_a_gathering_and_a_dispatch() -> None:
    """Panels of 8 and 32 columns, 16 registers of sums, four rows a turn and then one."""
    check(
        blocked(OPEN_SUM),
        """
        CHECK: func.func private @[[SUM:outer_sum_1]](
        CHECK: flow.dispatch @[[SUM]]_sum::{{.*}} -> tensor<3840xf32>
        CHECK: stream.executable private @[[SUM]]_sum
        CHECK: scf.for {{.*}} -> ({{(vector<16xf32>(, )?)+}}) {
        CHECK: vector.fma
        CHECK: func.func private @[[GATHERED:gathered_0]](
        CHECK: flow.dispatch @[[GATHERED]]_gather::{{.*}} -> (tensor<5x?x8xf32>{{.*}}, \
tensor<3x?x32xf32>
        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[D:%arg1]]:
        CHECK: [[PANELS:%[0-9]+]]:2 = call @[[GATHERED]]([[X]], [[D]])
        CHECK: call @[[SUM]]([[X]], [[PANELS]]#0, [[PANELS]]#1)
        """,
    )


def test_bfloat16_is_gathered_in_pairs() -> None:
    """Rows that are not multiplied as pairs are widened as they are gathered."""
    text = edited(
        OPEN_SUM,
        ("x40xf32>, %d", "x40xbf16>, %d"),
        ("%d: tensor<?x96xf32>", "%d: tensor<?x96xbf16>"),
        ("(tensor<?x40xf32>, tensor<?x96xf32>)", "(tensor<?x40xbf16>, tensor<?x96xbf16>)"),
    )
    assert "tensor<5x?x8x" in blocked(text)
    assert "tensor<3x?x32xbf16>" not in blocked(text)


def test_an_open_sum_of_a_single_column_is_left() -> None:
    text = blocked(edited(OPEN_SUM, ("x96x", "x1x")))
    assert "stablehlo.dot_general" in text
    assert "call @" not in text


PADDED = """
func.func @f(%x: tensor<16x16x40xf32>, %w: tensor<40x32xf32>, %lengths: tensor<16xi64>)
    -> tensor<16x16x32xf32> {
  %0 = stablehlo.composite "rnn_compiler.product" %x, %w, %lengths {
    composite_attributes = {
      form = "rows", operands = "lhs rhs lengths", axis = 0 : i64, start = 0 : i64
    }, decomposition = @product,
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

PADDED_SUMS = """
func.func @f(%t: tensor<9000xf32>, %x: tensor<16x16x40xf32>, %d: tensor<16x16x32xf32>,
    %lengths: tensor<16xi64>) -> tensor<9000xf32> {
  %0 = stablehlo.composite "rnn_compiler.product" %d, %d, %x, %d, %t, %lengths {
    composite_attributes = {
      form = "outer_sums", operands = "lhs lhs rhs rhs into lengths", start = 3 : i64,
      offset0 = 7 : i64, offset1 = 3000 : i64, is_added = true
    }, decomposition = @sums, version = 1 : i32
  } : (tensor<16x16x32xf32>, tensor<16x16x32xf32>, tensor<16x16x40xf32>, tensor<16x16x32xf32>,
       tensor<9000xf32>, tensor<16xi64>) -> tensor<9000xf32>
  return %0 : tensor<9000xf32>
}
func.func private @sums(%d: tensor<16x16x32xf32>, %e: tensor<16x16x32xf32>,
    %x: tensor<16x16x40xf32>, %f: tensor<16x16x32xf32>, %t: tensor<9000xf32>,
    %lengths: tensor<16xi64>) -> tensor<9000xf32> { return %t : tensor<9000xf32> }
"""
"""Two sums over the same rows, from the third step on."""


def test_a_product_lists_the_rows_that_count() -> None:
    """Copies of 128 rows for each of two workgroups; tiles of 8 rows."""
    check(
        blocked(PADDED),
        """
        CHECK: func.func private @[[PRODUCT:rows_product_1]](
        CHECK: [[MADE:%[0-9]+]]:2 = flow.dispatch @[[PRODUCT]]_product::{{.*}} \
-> (tensor<256x32xf32>, tensor<256x40xf32>)
        CHECK: tensor.expand_shape [[MADE]]#0
        CHECK: stream.executable private @[[PRODUCT]]_product
        CHECK: tensor<8x40xf32>
        CHECK: vector.transfer_read {{.*}} tensor<40x32xf32>, vector<32xf32>
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
    ],
    ids=["few rows", "few numbers"],
)
def test_a_small_product_is_a_plain_one(edit: tuple[tuple[str, str], ...]) -> None:
    """It is replaced by its decomposition, which may be worth a separate dispatch."""
    text = blocked(edited(PADDED, *edit))
    assert "call @valid_rows" not in text
    assert ("stablehlo.dot_general" in text) != ("call @rows_product" in text)
    assert "composite" not in text
    assert "@product" not in text


def test_on_a_gpu_it_is_a_plain_one() -> None:
    text, _ = rewritten(PADDED, tile_products, processor=Gpu())
    assert "composite" not in text
    assert "linalg.matmul" in text


def test_sums_list_rows_once_and_gather_each_matrix_once() -> None:
    """The rows that both share are panels of a left-hand side, and of a right-hand side."""
    text = blocked(PADDED_SUMS)
    assert text.count("call @valid_rows_16") == 1
    assert "tensor<4x256x8xf32>, tensor<2x256x32xf32>, tensor<1x256x32xf32>" in text
    assert "composite" not in text


def test_padding_of_few_rows_is_multiplied() -> None:
    text = blocked(edited(PADDED_SUMS, ("tensor<16x16x", "tensor<15x16x")))
    assert "call @valid_rows" not in text
    assert "call @outer_sum" in text


PUT = """
func.func @f(%y: tensor<?x4x40xf32>, %d: tensor<?x4x96xf32>, %w: tensor<96x40xf32>,
    %start: tensor<i64>, %count: tensor<i64>, %lengths: tensor<4xi64>) -> tensor<?x4x40xf32> {
  %0 = stablehlo.composite "rnn_compiler.product" %d, %w, %y, %start, %count, %lengths {
    composite_attributes = {
      form = "rows", operands = "lhs rhs into start count lengths", axis = 0 : i64
    }, decomposition = @put, version = 1 : i32
  } : (tensor<?x4x96xf32>, tensor<96x40xf32>, tensor<?x4x40xf32>, tensor<i64>, tensor<i64>,
       tensor<4xi64>) -> tensor<?x4x40xf32>
  return %0 : tensor<?x4x40xf32>
}
func.func private @put(%d: tensor<?x4x96xf32>, %w: tensor<96x40xf32>, %y: tensor<?x4x40xf32>,
    %start: tensor<i64>, %count: tensor<i64>, %lengths: tensor<4xi64>) -> tensor<?x4x40xf32> {
  return %y : tensor<?x4x40xf32>
}
"""
"""``y[start:] = d @ w``"""


def test_a_block_of_open_length_is_put_in_place() -> None:
    """In float32 without its padding; as pairs of bfloat16, which is twice as fast, with it."""
    assert "call @valid_rows_open" in blocked(PUT)
    sixteen = edited(PUT, ("x96xf32", "x96xbf16"), ("96x40xf32", "96x40xbf16"))
    paired = VectorUnit(
        512, 32, weight_formats("x86_64", ["avx512f", "avx512bf16", "avx512vl"], 512)
    )
    text, _ = rewritten(sixteen, products, processor=paired)
    assert "call @valid_rows" not in text
    assert "call @rows_product" in text
    assert "composite" not in text

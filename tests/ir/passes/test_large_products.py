"""Matrix products before and after `large_products`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.large_products import large_products

PRODUCT = """
func.func @f(%x: tensor<64x40xf32>, %w: tensor<40x32xf32>) -> tensor<64x32xf32> {
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<64x40xf32>, tensor<40x32xf32>) -> tensor<64x32xf32>
  return %xw : tensor<64x32xf32>
}
"""
"""``x @ w``: 64 rows, 40 summed, 32 columns."""


def blocked(text: str) -> str:
    after, left = rewritten(text, large_products)
    assert left == {}
    return after


def test_a_product_is_a_call_of_one_dispatch() -> None:
    """One block of 64 rows, one panel of 32 columns, tiles of 8 rows."""
    check(
        blocked(PRODUCT),
        """
        CHECK: vector_common_parallel = [8, 32, 0], vector_reduction = [0, 0, 4]
        CHECK: func.func private @blocked_product_0([[X:%arg0]]: {{.*}}, [[W:%arg1]]:
        CHECK: [[XHELD:%[0-9]+]] = flow.tensor.clone [[X]]
        CHECK: [[WHELD:%[0-9]+]] = flow.tensor.clone [[W]]
        CHECK: [[MADE:%[0-9]+]] = flow.dispatch @[[NAME:blocked_product_0_product]]::@[[NAME]](\
[[XHELD]], [[WHELD]])
        CHECK: return [[MADE]]

        CHECK: stream.executable private @[[NAME]]
        CHECK: [[X:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} -> tensor<64x40xf32>
        CHECK: [[W:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} -> tensor<40x32xf32>
        CHECK: [[OUT:%[0-9]+]] = stream.binding.subspan {{.*}}<readwrite:tensor<64x32xf32>>
        CHECK: [[ZERO:%.+]] = arith.constant 0 : index
        CHECK: [[COLUMNS:%.+]] = arith.constant 32 : index
        CHECK: [[PANEL:%.+]] = arith.constant 32 : index
        CHECK: scf.for [[N:%.+]] = [[ZERO]] to [[COLUMNS]] step [[PANEL]]
        CHECK: [[RHS:%.+]] = tensor.extract_slice [[W]][0, [[N]]] [40, 32]
        CHECK: [[ZERO:%.+]] = arith.constant 0 : index
        CHECK: [[ROWS:%.+]] = arith.constant 64 : index
        CHECK: [[TILE:%.+]] = arith.constant 8 : index
        CHECK: scf.for [[M:%.+]] = [[ZERO]] to [[ROWS]] step [[TILE]] iter_args([[PART:%.+]] =
        CHECK: [[ROW:%[0-9]+]] = arith.addi {{.*}}, [[M]]
        CHECK: [[LHS:%.+]] = tensor.extract_slice [[X]]{{\\[}}[[ROW]], 0] [8, 40]
        CHECK: [[SUMS:%[0-9]+]] = linalg.matmul {lowering_config = {{[^}]*}}} ins([[LHS]], [[RHS]] :
        CHECK: tensor.insert_slice [[SUMS]] into [[PART]]{{\\[}}[[M]], [[N]]] [8, 32]
        CHECK: iree_tensor_ext.dispatch.tensor.store {{.*}}, [[OUT]]

        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[W:%arg1]]:
        CHECK-NEXT: [[XW:%[0-9]+]] = call @blocked_product_0([[X]], [[W]])
        CHECK-NEXT: return [[XW]]
        """,
    )


def test_transposed_operands_are_packed_and_16_bits_widened() -> None:
    """Before: ``x [40, 64]`` and ``w [32, 40]`` in float16, summed in float32."""
    transposed = edited(
        PRODUCT,
        ("tensor<64x40xf32>", "tensor<40x64xf16>"),
        ("tensor<40x32xf32>", "tensor<32x40xf16>"),
        ("[1] x [0]", "[0] x [1]"),
    )
    check(
        blocked(transposed),
        """
        CHECK: func.func private @blocked_product_0([[X:%arg0]]: tensor<40x64xf32>, \
[[W:%arg1]]: tensor<32x40xf32>)
        CHECK: [[WHELD:%[0-9]+]] = flow.tensor.clone [[W]]
        CHECK: [[WPACKED:%[0-9]+]] = flow.dispatch @blocked_product_0_pack::{{.*}}([[WHELD]]) \
{{.*}} -> tensor<1x40x32xf32>
        CHECK: [[XPACKED:%.+]] = linalg.pack [[X]] outer_dims_perm = [1, 0] inner_dims_pos = [1] \
inner_tiles = [16] {{.*}} -> tensor<4x40x16xf32>
        CHECK: [[LHS:%[0-9]+]] = flow.tensor.clone [[XPACKED]]
        CHECK: [[RHS:%[0-9]+]] = flow.tensor.clone [[WPACKED]]
        CHECK: flow.dispatch @blocked_product_0_product::{{.*}}([[LHS]], [[RHS]])

        CHECK: func.func @f([[X:%arg0]]: tensor<40x64xf16>, [[W:%arg1]]: tensor<32x40xf16>)
        CHECK-NEXT: [[XWIDE:%[0-9]+]] = stablehlo.convert [[X]]
        CHECK-NEXT: [[WWIDE:%[0-9]+]] = stablehlo.convert [[W]]
        CHECK-NEXT: call @blocked_product_0([[XWIDE]], [[WWIDE]])
        """,
    )


SUM = """
func.func @f(%total: tensor<5000xf32>, %x: tensor<40x32xf32>, %g: tensor<40x64xf32>)
    -> tensor<5000xf32> {
  %0 = stablehlo.composite "rnn_compiler.add_outer_sum" %total, %x, %g {
    composite_attributes = {offset = 100 : i64}, decomposition = @f.add, version = 1 : i32
  } : (tensor<5000xf32>, tensor<40x32xf32>, tensor<40x64xf32>) -> tensor<5000xf32>
  return %0 : tensor<5000xf32>
}
func.func private @f.add(%total: tensor<5000xf32>, %x: tensor<40x32xf32>, %g: tensor<40x64xf32>)
    -> tensor<5000xf32> {
  %xg = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0]
    : (tensor<40x32xf32>, tensor<40x64xf32>) -> tensor<32x64xf32>
  %part = stablehlo.reshape %xg : (tensor<32x64xf32>) -> tensor<2048xf32>
  %at = stablehlo.constant dense<100> : tensor<i64>
  %with = stablehlo.dynamic_update_slice %total, %part, %at
    : (tensor<5000xf32>, tensor<2048xf32>, tensor<i64>) -> tensor<5000xf32>
  return %with : tensor<5000xf32>
}
"""
"""``total[100 : 100 + 32*64] += x^T @ g``"""


def test_a_product_is_added_to_a_vector_in_place() -> None:
    """The dispatch's result is tied to the vector; the offset is a number that is not known."""
    check(
        blocked(SUM),
        """
        CHECK: func.func private @blocked_product_0({{.*}}, [[TOTAL:%arg2]]: tensor<5000xf32>, \
[[OFFSET:%arg3]]: index)
        CHECK: [[HELD:%[0-9]+]] = flow.tensor.clone [[TOTAL]]
        CHECK: [[MADE:%[0-9]+]] = flow.dispatch {{.*}}, [[HELD]], [[OFFSET]]) : {{.*}} -> [[HELD]]
        CHECK-NEXT: return [[MADE]]

        CHECK: stream.executable private @blocked_product_0_product
        CHECK: func.func @{{.*}}, [[FIRST:%arg3]]: index)
        CHECK: arith.addi [[FIRST]],
        CHECK: [[MADE:%[0-9]+]] = linalg.matmul
        CHECK: [[NEW:%[0-9]+]] = vector.transfer_read [[MADE]]
        CHECK: [[OLD:%[0-9]+]] = vector.transfer_read [[PART:%arg[0-9]+]]{{\\[}}[[PLACE:%[0-9]+]]]
        CHECK: [[SUM:%[0-9]+]] = arith.addf [[OLD]], [[NEW]]
        CHECK: vector.transfer_write [[SUM]], [[PART]]{{\\[}}[[PLACE]]]

        CHECK: func.func @f([[TOTAL:%arg0]]: {{.*}}, [[X:%arg1]]: {{.*}}, [[G:%arg2]]:
        CHECK-NEXT: [[NUMBER:%.+]] = arith.constant 100 : index
        CHECK-NEXT: [[OFFSET:%[0-9]+]] = util.optimization_barrier [[NUMBER]]
        CHECK-NEXT: [[MADE:%[0-9]+]] = call @blocked_product_0([[X]], [[G]], [[TOTAL]], [[OFFSET]])
        CHECK-NEXT: return [[MADE]]
        """,
    )


def test_a_constant_vector_becomes_an_array_of_its_own() -> None:
    """Before: the product is added to zeros. Parts of a constant would fold."""
    zeros = "%zeros = stablehlo.constant dense<0.0> : tensor<5000xf32>\n  %0 ="
    check(
        blocked(edited(SUM, ("%0 =", zeros), ('sum" %total', 'sum" %zeros'))),
        """
        CHECK: func.func @f(
        CHECK: [[ZERO:%.+]] = arith.constant 0.0{{.*}} : f32
        CHECK: [[TOTAL:%[0-9]+]] = flow.tensor.splat [[ZERO]] : tensor<5000xf32>
        CHECK: call @blocked_product_0(%arg1, %arg2, [[TOTAL]],
        """,
    )


def test_products_that_are_alike_share_a_function() -> None:
    """Of equal sizes; the offset of one that is added is an operand."""
    again = """%1 = stablehlo.composite "rnn_compiler.add_outer_sum" %0, %x, %g {
        composite_attributes = {offset = 2500 : i64}, decomposition = @f.add, version = 1 : i32
      } : (tensor<5000xf32>, tensor<40x32xf32>, tensor<40x64xf32>) -> tensor<5000xf32>
      return %1"""
    after = blocked(edited(SUM, ("return %0", again)))
    assert after.count("call @blocked_product_0(") == 2
    assert after.count("stream.executable private") == after.count("@blocked_product_0(%arg0:") == 1
    both = PRODUCT + edited(PRODUCT, ("@f", "@g"))
    assert blocked(both).count("call @blocked_product_0(") == 2
    assert "call @blocked_product_1(" in blocked(PRODUCT + edited(SUM, ("@f", "@g")))


def test_a_single_row() -> None:
    """It gets a dispatch of its own, without unit axes, from fewer multiplications on."""
    text = edited(PRODUCT, ("64x", "1x"), ("40x32", "40x128"), ("<1x32", "<1x128"))
    check(
        blocked(text),
        """
        CHECK: func.func private @row_product_0(
        CHECK: tensor.collapse_shape {{.*}} tensor<1x40xf32> into tensor<40xf32>
        CHECK: flow.dispatch @row_product_0_row_product
        CHECK: tensor.expand_shape {{.*}} tensor<128xf32> into tensor<1x128xf32>
        CHECK: stream.executable private @row_product_0_row_product
        CHECK: scf.for {{.*}} -> (vector<16xf32>
        CHECK: vector.fma {{.*}} vector<16xf32>
        CHECK: func.func @f(
        CHECK: call @row_product_0(
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
    assert "call @blocked_product_0" in blocked(edited(PRODUCT, ("64x", "26x")))

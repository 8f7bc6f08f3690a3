"""Functions before and after `linalg_to_products`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import rewritten

from rnn_compiler.lowering.passes.linalg_to_products import linalg_to_products

ONE = """
func.func @f(%x: tensor<Nx8x11xf32>, %w: tensor<32x8x3xf32>, %b: tensor<Nx32x5xf32>)
    -> tensor<Nx32x5xf32> {
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>,
      strides = dense<2> : vector<1xi64>} ins(%x, %w : tensor<Nx8x11xf32>, tensor<32x8x3xf32>)
      outs(%b : tensor<Nx32x5xf32>) -> tensor<Nx32x5xf32>
  return %y : tensor<Nx32x5xf32>
}
"""

TWO = """
func.func @f(%x: tensor<1x8x9xNxf32>, %w: tensor<64x8x3x3xf32>, %b: tensor<1x64x7xMxf32>)
    -> tensor<1x64x7xMxf32> {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : vector<2xi64>,
      strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x8x9xNxf32>, tensor<64x8x3x3xf32>)
      outs(%b : tensor<1x64x7xMxf32>) -> tensor<1x64x7xMxf32>
  return %y : tensor<1x64x7xMxf32>
}
"""


def test_a_convolution_is_a_product_of_its_windows() -> None:
    after, _ = rewritten(ONE.replace("N", "9"), linalg_to_products)
    check(
        after,
        """
        CHECK: [[WINDOWS:#map[0-9]*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 2 + d3)>
        CHECK: func.func @f([[X:%arg0]]: tensor<9x8x11xf32>, [[W:%arg1]]: {{.*}}, [[B:%arg2]]:
        CHECK: tensor.collapse_shape [[W]] {{.*}} into tensor<32x24xf32>
        CHECK: linalg.generic {indexing_maps = {{.}}[[WINDOWS]], {{.*}} ins([[X]] :
        CHECK: tensor.collapse_shape {{.*}} tensor<9x5x8x3xf32> into tensor<45x24xf32>
        CHECK: stablehlo.dot_general {{.*}} contracting_dims = [1] x [1]
        CHECK: tensor.expand_shape {{.*}} into tensor<9x5x32xf32>
        CHECK: linalg.generic {{.*}}, [[B]] : tensor<9x5x32xf32>, tensor<9x32x5xf32>
        """,
    )
    assert "linalg.conv" not in after


def test_windows_move_along_two_axes() -> None:
    after, _ = rewritten(TWO.replace("N", "6").replace("M", "2"), linalg_to_products)
    check(
        after,
        """
        CHECK: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 + d4, d2 + d5 * 2)>
        CHECK: into tensor<64x72xf32>
        CHECK: into tensor<14x72xf32>
        """,
    )


def test_many_windows_of_images_are_made_some_at_a_time() -> None:
    after, _ = rewritten(TWO.replace("N", "14").replace("M", "10"), linalg_to_products)
    check(
        after,
        """
        CHECK: func.func private @[[CONVOLUTION:convolution_0]](
        CHECK: func.func @f(
        CHECK: [[IMAGES:%.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<8x9x14xf32>
        CHECK: [[MADE:%.*]] = call @[[CONVOLUTION]]([[IMAGES]], {{.*}} -> tensor<64x70xf32>
        CHECK: tensor.expand_shape [[MADE]] {{.*}} into tensor<1x64x7x10xf32>
        """,
    )


def test_many_other_windows_are_columns() -> None:
    """In the order of the input, so that neither they nor the product are transposed."""
    text = TWO.replace("strides = dense<1>", "strides = dense<[1, 3]>")
    after, _ = rewritten(text.replace("N", "32").replace("M", "10"), linalg_to_products)
    check(
        after,
        """
        CHECK: affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1 + d4, d5 * 3 + d2 * 2)>
        CHECK: into tensor<64x72xf32>
        CHECK: into tensor<72x70xf32>
        CHECK: stablehlo.dot_general {{.*}} contracting_dims = [1] x [0]
        CHECK: tensor.expand_shape {{.*}} into tensor<64x1x7x10xf32>
        """,
    )


ONES = """
func.func @f(%x: tensor<1x8x9x8xf32>, %w: tensor<64x8x1x1xf32>, %b: tensor<1x64x9x8xf32>)
    -> tensor<1x64x9x8xf32> {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>,
      strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x8x9x8xf32>, tensor<64x8x1x1xf32>)
      outs(%b : tensor<1x64x9x8xf32>) -> tensor<1x64x9x8xf32>
  return %y : tensor<1x64x9x8xf32>
}
"""


def test_windows_of_one_number_are_read_in_place() -> None:
    after, _ = rewritten(ONES, linalg_to_products)
    check(
        after,
        """
        CHECK: func.func private @[[CONVOLUTION:convolution_0]]([[GIVEN:%.*]]: tensor<8x72xf32>
        CHECK: flow.dispatch {{.*}} -> (tensor<64x72xf32>, tensor<64x48xf32>)
        CHECK: [[IMAGE:%.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<8x72xf32>
        CHECK: call @[[CONVOLUTION]]([[IMAGE]],
        """,
    )
    assert "linalg.generic" not in after  # what is added


def test_many_windows_of_sequences_are_made_some_at_a_time() -> None:
    """Of several sequences: those of a single one are columns, which threads share."""
    text = ONE.replace("11xf32", "139xf32").replace("5xf32", "69xf32")
    after, _ = rewritten(text.replace("N", "3"), linalg_to_products)
    check(
        after,
        """
        CHECK: func.func private @[[CONVOLUTION:convolution_0]](
        CHECK: [[LINES:%.*]] = tensor.expand_shape {{.*}} into tensor<24x1x139xf32>
        CHECK: [[MADE:%.*]] = call @[[CONVOLUTION]]([[LINES]], {{.*}} -> tensor<96x69xf32>
        CHECK: tensor.expand_shape [[MADE]] {{.*}} into tensor<3x32x69xf32>
        """,
    )
    after, _ = rewritten(text.replace("N", "1"), linalg_to_products)
    assert "stablehlo.dot_general" in after


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ONE.replace("N", "2"), id="fewer multiplications than products takes"),
        pytest.param(ONE.replace("N", "9").replace("f32", "f64"), id="float64"),
        pytest.param(ONE.replace("N", "?"), id="open batch"),
    ],
)
def test_others_are_left(text: str) -> None:
    after, _ = rewritten(text, linalg_to_products)
    assert "linalg.conv" in after
    assert "dot_general" not in after


PRODUCT = """
func.func @f(%x: tensor<48x24xf32>, %w: tensor<24x48xf32>, %b: tensor<48x48xf32>)
    -> tensor<48x48xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<48x24xf32>, tensor<24x48xf32>)
      outs(%b : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %y : tensor<48x48xf32>
}
"""


def test_a_product_is_added_to_what_it_starts_from() -> None:
    after, _ = rewritten(PRODUCT, linalg_to_products)
    check(
        after,
        """
        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[W:%arg1]]: {{.*}}, [[B:%arg2]]:
        CHECK: [[MADE:%[0-9]+]] = stablehlo.dot_general [[X]], [[W]], contracting_dims = [1] x [0]
        CHECK: linalg.generic {{.*}} ins([[MADE]], [[B]] :
        """,
    )
    assert "linalg.matmul" not in after


def product_of(*turned: str) -> str:
    """A product of 48 x 24 and 24 x 40, of which `lhs`, `rhs` and the result may be transposed."""

    def turn(name: str, source: str, rows: int, columns: int) -> str:
        return (
            f"%{name}_empty = tensor.empty() : tensor<{columns}x{rows}xf32>\n"
            f"%{name} = linalg.transpose ins(%{source} : tensor<{rows}x{columns}xf32>) "
            f"outs(%{name}_empty : tensor<{columns}x{rows}xf32>) permutation = [1, 0]\n"
        )

    x, w = ("24x48" if "lhs" in turned else "48x24"), ("40x24" if "rhs" in turned else "24x40")
    lhs, rhs = ("lhs" if "lhs" in turned else "x"), ("rhs" if "rhs" in turned else "w")
    result, made = ("result", "40x48") if "result" in turned else ("y", "48x40")
    return (
        f"func.func @f(%x: tensor<{x}xf32>, %w: tensor<{w}xf32>) -> tensor<{made}xf32> {{\n"
        "%zero = arith.constant 0.0 : f32\n"
        "%empty = tensor.empty() : tensor<48x40xf32>\n"
        "%start = linalg.fill ins(%zero : f32) outs(%empty : tensor<48x40xf32>)"
        " -> tensor<48x40xf32>\n"
        + (turn("lhs", "x", 24, 48) if "lhs" in turned else "")
        + (turn("rhs", "w", 40, 24) if "rhs" in turned else "")
        + f"%y = linalg.matmul ins(%{lhs}, %{rhs} : tensor<48x24xf32>, tensor<24x40xf32>)\n"
        "outs(%start : tensor<48x40xf32>) -> tensor<48x40xf32>\n"
        + (turn("result", "y", 48, 40) if "result" in turned else "")
        + f"return %{result} : tensor<{made}xf32>\n}}"
    )


@pytest.mark.parametrize(
    ("turned", "product"),
    [
        ((), "%arg0, %arg1, contracting_dims = [1] x [0]"),
        (("lhs",), "%arg0, %arg1, contracting_dims = [0] x [0]"),
        (("rhs",), "%arg0, %arg1, contracting_dims = [1] x [1]"),
        (("rhs", "result"), "%arg1, %arg0, contracting_dims = [1] x [1]"),
        (("lhs", "result"), "%arg1, %arg0, contracting_dims = [0] x [0]"),
        (("lhs", "rhs"), ", %arg1, contracting_dims = [1] x [1]"),
        (("lhs", "rhs", "result"), "%arg1, %arg0, contracting_dims = [1] x [0]"),
    ],
)
def test_transposes_are_a_choice_of_axes(turned: tuple[str, ...], product: str) -> None:
    after, _ = rewritten(product_of(*turned), linalg_to_products)
    assert product in after
    assert "linalg.matmul" not in after
    assert "linalg.generic" not in after  # nothing is added to zeros

"""Functions before and after `crop_inputs`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import rewritten

from rnn_compiler.lowering.passes.iree_faults.crop_inputs import crop_inputs


def convolution(length: int, pad: str) -> str:
    """A convolution with windows of 3 at every second place, of which there is one."""
    return f"""
func.func @f(%x: tensor<1x{length}x8xf32>, %w: tensor<3x8x4xf32>) -> tensor<1x1x4xf32> {{
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {{stride = [2], pad = [{pad}]}}
      {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : (tensor<1x{length}x8xf32>, tensor<3x8x4xf32>) -> tensor<1x1x4xf32>
  return %y : tensor<1x1x4xf32>
}}
"""


def test_padding_is_made_smaller_first() -> None:
    after, _ = rewritten(convolution(2, "[1, 1]"), crop_inputs)
    assert "pad = [[1, 0]]" in after
    assert "extract_slice" not in after


def test_then_the_input_is_cut() -> None:
    after, _ = rewritten(convolution(4, "[0, 0]"), crop_inputs)
    check(after, "CHECK: tensor.extract_slice %arg0[0, 0, 0] [1, 3, 8] [1, 1, 1] :")


def test_windows_that_reach_the_end_are_left() -> None:
    before = convolution(3, "[0, 0]")
    assert rewritten(before, crop_inputs)[0] == rewritten(before, lambda context: None)[0]


@pytest.mark.parametrize(
    ("op", "kinds", "cut"),
    [
        ("conv_1d_ncw_fcw", ("1x4x6", "8x4x2", "1x8x2"), "[1, 4, 4]"),
        ("conv_1d_nwc_wcf", ("1x6x4", "2x4x8", "1x2x8"), "[1, 4, 4]"),
        ("depthwise_conv_1d_nwc_wc", ("1x6x4", "2x4", "1x2x4"), "[1, 4, 4]"),
        ("pooling_ncw_max", ("1x4x6", "2", "1x4x2"), "[1, 4, 4]"),
    ],
)
def test_ops_of_linalg(op: str, kinds: tuple[str, str, str], cut: str) -> None:
    """Their stride is 2, and the last two of six columns are not read."""
    x, w, y = (f"tensor<{kind}xf32>" for kind in kinds)
    text = f"""
func.func @f(%x: {x}, %w: {w}, %b: {y}) -> {y} {{
  %y = linalg.{op} {{dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>}}
      ins(%x, %w : {x}, {w}) outs(%b : {y}) -> {y}
  return %y : {y}
}}
"""
    after, _ = rewritten(text, crop_inputs)
    assert f"tensor.extract_slice %arg0[0, 0, 0] {cut} [1, 1, 1]" in after


@pytest.mark.parametrize(
    ("op", "kinds", "cut"),
    [
        ("pooling_nchw_max", ("3x3x?x3", "1x2", "3x3x?x1"), "[3, 3, %dim, 2]"),
        ("conv_1d_ncw_fcw", ("?x4x6", "8x4x2", "?x8x2"), "[%dim, 4, 4]"),
        ("pooling_ncw_max", ("1x4x?", "2", "1x4x?"), ""),
    ],
)
def test_axes_of_known_sizes_beside_open_ones(
    op: str, kinds: tuple[str, str, str], cut: str
) -> None:
    x, w, y = (f"tensor<{kind}xf32>" for kind in kinds)
    strides = [1, 2] if kinds[1] == "1x2" else [2]
    list_of = f"vector<{len(strides)}xi64>"
    text = f"""
func.func @f(%x: {x}, %w: {w}, %b: {y}) -> {y} {{
  %y = linalg.{op} {{dilations = dense<1> : {list_of}, strides = dense<{strides}> : {list_of}}}
      ins(%x, %w : {x}, {w}) outs(%b : {y}) -> {y}
  return %y : {y}
}}
"""
    after, _ = rewritten(text, crop_inputs)
    assert after.count("tensor.extract_slice") == bool(cut)
    assert cut in after

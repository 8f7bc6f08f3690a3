"""Ops on open sizes before and after `open_sizes`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.passes.open_sizes import open_sizes
from rnn_compiler.lowering.passes.products import products

DOUBLED = """
func.func @f(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %T = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %size = stablehlo.multiply %T, %four : tensor<i32>
  %sizes = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %doubled = stablehlo.add %x, %x : tensor<?x4xf32>
  %flat = stablehlo.dynamic_reshape %doubled, %sizes
    : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %flat : tensor<?xf32>
}
"""
"""``x + x`` as a vector."""

SUM = """
func.func @f(%n: tensor<i64>, %y: tensor<?x2x4xf32>, %x: tensor<?x2x8xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.composite "rnn_compiler.product" %x, %y, %n {
    composite_attributes = {form = "outer_sums", operands = "lhs rhs count", start = 0 : i64},
    decomposition = @sum, version = 1 : i32
  } : (tensor<?x2x8xf32>, tensor<?x2x4xf32>, tensor<i64>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @sum(%x: tensor<?x2x8xf32>, %y: tensor<?x2x4xf32>, %n: tensor<i64>)
    -> tensor<8x4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<8x4xf32>
  return %zeros : tensor<8x4xf32>
}
"""
"""A composite that a later pass replaces, and the function that it calls until then."""

PLAIN = """
func.func @f(%x: tensor<?x4xf32>, %n: tensor<i64>) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.while(%k = %zero, %rows = %x) : tensor<i64>, tensor<?x4xf32>
    cond {
    %more = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    stablehlo.return %n, %rows : tensor<i64>, tensor<?x4xf32>
  }
  return %0#1 : tensor<?x4xf32>
}
"""


def opened(text: str) -> str:
    return rewritten(text, open_sizes)[0]


def test_shapes_are_read_off_the_arguments() -> None:
    """An elementwise op, and an op that is told its result's shape."""
    after = opened(DOUBLED)
    check(
        after,
        """
        CHECK: func.func @f([[X:%arg0]]: tensor<?x4xf32>) -> tensor<?xf32> {
        CHECK: [[T:%[a-z0-9_]+]] = tensor.dim [[X]], {{.*}} : tensor<?x4xf32>
        CHECK: [[DOUBLED:%[0-9]+]] = linalg.generic {{.*}} ins([[X]], [[X]] :
        CHECK: arith.addf
        CHECK: [[FLAT:%[0-9]+]] = flow.tensor.reshape [[DOUBLED]] : tensor<?x4xf32>{{.*}} \
-> tensor<?xf32>
        CHECK: return [[FLAT]]
        """,
    )
    assert "stablehlo" not in after


def test_known_sizes_are_left() -> None:
    known = """
    func.func @f(%x: tensor<3x4xf32>) -> tensor<12xf32> {
      %doubled = stablehlo.add %x, %x : tensor<3x4xf32>
      %flat = stablehlo.reshape %doubled : (tensor<3x4xf32>) -> tensor<12xf32>
      return %flat : tensor<12xf32>
    }
    """
    assert opened(known) == rewritten(known)[0]


def test_the_decompositions_of_what_a_later_pass_replaces_go() -> None:
    """Those of other composites stay."""
    other = opened(edited(SUM, ("rnn_compiler.product", "acme.product")))
    assert "func.func private @sum" in other
    replaced, _ = rewritten(SUM, open_sizes, products)
    assert "@sum(" not in replaced
    kept, _ = rewritten(SUM, products)
    assert "@sum(" in kept


def test_a_plain_loop_over_open_sizes_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="a plain loop"):
        opened(PLAIN)

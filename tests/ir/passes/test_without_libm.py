"""Functions with roundings and maxima before and after `without_libm`."""

from __future__ import annotations

import re

from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.without_libm import without_libm

BEFORE = """
func.func @f(%x: f32, %v: vector<4xf32>, %d: f64) -> (f32, f32, vector<4xf32>, f64) {
  %even = math.roundeven %x : f32
  %low = math.floor %x : f32
  %up = math.ceil %v : vector<4xf32>
  %low_d = math.floor %d : f64
  return %even, %low, %up, %low_d : f32, f32, vector<4xf32>, f64
}
"""

MAXIMA = """
func.func @f(%x: tensor<4xf32>, %m: tensor<f32>, %i: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>,
      affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%m, %i : tensor<f32>, tensor<i64>) {
    ^bb0(%a: f32, %b: f32, %k: i64):
      %max = arith.maximumf %a, %b : f32
      linalg.yield %max, %k : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#0, %r#1 : tensor<f32>, tensor<i64>
}
"""


def test_roundings_are_sums() -> None:
    """The floor of a float32 stays: C modules have a function of their own for it."""
    after, _ = rewritten(BEFORE, without_libm)
    check(
        after,
        """
        CHECK: [[LARGE:%[a-z0-9_]+]] = arith.constant 0x4B000000 : f32
        CHECK: [[SIZE:%[a-z0-9_]+]] = math.absf %arg0 : f32
        CHECK: [[SUM:%[a-z0-9_]+]] = arith.addf [[SIZE]], [[LARGE]] : f32
        CHECK: arith.subf [[SUM]], [[LARGE]] : f32
        CHECK: math.floor %arg0 : f32
        """,
    )
    assert re.findall(r"math\.(?:roundeven|ceil|floor|trunc|round)\b.*", after) == [
        "math.floor %arg0 : f32"
    ]


def test_maxima_of_numbers_with_their_positions() -> None:
    after, _ = rewritten(MAXIMA, without_libm)
    assert "maximumf" not in after
    assert after.count("arith.select") == 2


def test_maxima_that_ignore_nan() -> None:
    after, _ = rewritten(MAXIMA.replace("maximumf", "maxnumf"), without_libm)
    assert "maxnumf" not in after
    assert after.count("arith.select") == 2


def test_maxima_that_become_vectors_stay() -> None:
    one = edited(
        MAXIMA,
        ("%r:2 = linalg", "%r = linalg"),
        ("outs(%m, %i : tensor<f32>, tensor<i64>)", "outs(%m : tensor<f32>)"),
        (",\n      affine_map<(d0) -> ()>], it", "], it"),
        ("%b: f32, %k: i64", "%b: f32"),
        ("linalg.yield %max, %k : f32, i64", "linalg.yield %max : f32"),
        ("} -> (tensor<f32>, tensor<i64>)", "} -> tensor<f32>"),
        ("return %r#0, %r#1 :", "return %r, %i :"),
    )
    after, _ = rewritten(one, without_libm)
    assert after.count("arith.maximumf") == 1


def test_the_differences_of_softmax_are_sums() -> None:
    """Others stay."""
    after, _ = rewritten(
        """
        func.func @f(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
          %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %max = stablehlo.reduce(%x init: %least) applies stablehlo.maximum
              across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
          %each = stablehlo.broadcast_in_dim %max, dims = [0]
              : (tensor<2xf32>) -> tensor<2x4xf32>
          %shifted = stablehlo.subtract %x, %each : tensor<2x4xf32>
          %other = stablehlo.subtract %each, %x : tensor<2x4xf32>
          return %shifted, %other : tensor<2x4xf32>, tensor<2x4xf32>
        }
        """,
        without_libm,
    )
    check(
        after,
        """
        CHECK: [[EACH:%[a-z0-9_]+]] = stablehlo.broadcast_in_dim
        CHECK: [[LESS:%[a-z0-9_]+]] = stablehlo.negate [[EACH]]
        CHECK: stablehlo.add %arg0, [[LESS]]
        CHECK: stablehlo.subtract [[EACH]], %arg0
        """,
    )

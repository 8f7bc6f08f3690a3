"""Modules before and after `keep_nan`, halfway through the compiler."""

from __future__ import annotations

from ir.filecheck import check

from rnn_compiler.lowering.passes.iree_faults.keep_nan import keep_nan

CHANGED = """
func.func @changed(%x: vector<4xf32>, %y: vector<4xf32>, %h: f16)
    -> (vector<4xi1>, vector<4xi1>, vector<4xf32>, f16, vector<4xbf16>) {
  %less = arith.cmpf olt, %x, %y : vector<4xf32>
  %not_less = arith.cmpf uge, %x, %y : vector<4xf32>
  %max = arith.maximumf %x, %y : vector<4xf32>
  %exp = math.exp %h : f16
  %narrow = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %less, %not_less, %max, %exp, %narrow
    : vector<4xi1>, vector<4xi1>, vector<4xf32>, f16, vector<4xbf16>
}
"""

LEFT = """
func.func @left(%x: vector<4xf32>, %d: f64, %h: vector<4xf16>)
    -> (vector<4xf32>, f64, vector<4xf32>) {
  %floor = math.floor %x : vector<4xf32>
  %exp = math.exp %d : f64
  %wide = arith.extf %h : vector<4xf16> to vector<4xf32>
  return %floor, %exp, %wide : vector<4xf32>, f64, vector<4xf32>
}
"""

REDUCTION = """
func.func @reduction(%a: tensor<4xKxf32>, %least: tensor<4xf32>) -> tensor<4xf32> {
  %max = linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : tensor<4xKxf32>) outs(%least : tensor<4xf32>) {
  ^bb0(%new: f32, %old: f32):
    %larger = arith.maximumf %old, %new : f32
    linalg.yield %larger : f32
  } -> tensor<4xf32>
  return %max : tensor<4xf32>
}
"""


def test_vectors_and_scalars() -> None:
    check(
        keep_nan(CHANGED),
        """
        CHECK: [[A:%[0-9]+]] = arith.cmpf olt, %arg0, %arg1
        CHECK: [[BITS:%[0-9]+]] = arith.bitcast %arg0 : vector<4xf32> to vector<4xi32>
        CHECK: [[MOST:%.+]] = arith.constant dense<2147483647>
        CHECK: [[SIZE:%[0-9]+]] = arith.andi [[BITS]], [[MOST]]
        CHECK: [[INFINITY:%.+]] = arith.constant dense<2139095040>
        CHECK: [[IS_NUMBER:%[0-9]+]] = arith.cmpi sle, [[SIZE]], [[INFINITY]]
        CHECK: [[B:%[0-9]+]] = arith.andi [[A]], [[IS_NUMBER]]
        CHECK: arith.bitcast %arg1
        CHECK: [[LESS:%[0-9]+]] = arith.andi [[B]]
        CHECK: [[C:%[0-9]+]] = arith.cmpf uge, %arg0, %arg1
        CHECK: [[IS_NAN:%[0-9]+]] = arith.cmpi sgt
        CHECK: [[D:%[0-9]+]] = arith.ori [[C]], [[IS_NAN]]
        CHECK: [[NOT_LESS:%[0-9]+]] = arith.ori [[D]]
        CHECK: [[E:%[0-9]+]] = arith.maxnumf %arg0, %arg1
        CHECK: [[F:%[0-9]+]] = arith.select %{{.*}}, %arg0, [[E]]
        CHECK: [[MAX:%[0-9]+]] = arith.select %{{.*}}, %arg1, [[F]]
        CHECK: [[G:%[0-9]+]] = math.exp %arg2 : f16
        CHECK: arith.bitcast %arg2 : f16 to i16
        CHECK: arith.constant 31744 : i16
        CHECK: [[EXP:%[0-9]+]] = arith.select %{{.*}}, %arg2, [[G]]
        CHECK: [[H:%[0-9]+]] = arith.truncf %arg0
        CHECK: [[NAN:%.+]] = arith.constant dense<0x7FC0>
        CHECK: [[NARROW:%[0-9]+]] = arith.select %{{.*}}, [[NAN]], [[H]]
        CHECK: return [[LESS]], [[NOT_LESS]], [[MAX]], [[EXP]], [[NARROW]]
        """,
    )


def test_what_keeps_nan() -> None:
    """Single instructions, float64, conversions to wider types."""
    after = keep_nan(LEFT)
    assert "cmpi" not in after
    assert "math.floor" in after


def test_maxima_of_reductions() -> None:
    """One over an axis of size 1 is left to compare with a constant, after IREE has folded it."""
    after = keep_nan(REDUCTION.replace("K", "8"))
    assert "arith.maximumf" in after
    assert "cmpi" not in after
    after = keep_nan(REDUCTION.replace("K", "1"))
    assert "arith.maximumf" not in after
    assert "cmpi" in after

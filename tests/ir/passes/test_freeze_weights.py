"""A module with a frozen weight before and after `freeze_weights`, and then `pack_at_load`."""

from __future__ import annotations

from dataclasses import replace

from ir.filecheck import check
from ir.passes.test_prepack_weights import SPEC
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.freeze_weights import freeze_weights
from rnn_compiler.lowering.passes.pack_at_load import pack_at_load
from rnn_compiler.lowering.passes.prepack_weights import prepack_weights

BEFORE = """
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = call @f.w() : () -> tensor<3x4xf32>
  %xw = call @product(%x, %w) : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return %xw : tensor<2x3xf32>
}
func.func private @f.w() -> tensor<3x4xf32>
func.func private @product(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {
  %transposed = stablehlo.transpose %w, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %packed = flow.tensor.clone %transposed : tensor<4x3xf32>
  %held = flow.tensor.clone %x : tensor<2x4xf32>
  %xw = stablehlo.dot_general %held, %packed, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %xw : tensor<2x3xf32>
}
"""

FROZEN = replace(SPEC, arguments=SPEC.arguments[:1], frozen=SPEC.arguments[1:], weights=())


def frozen(text: str) -> str:
    passes = freeze_weights, prepack_weights, pack_at_load
    return rewritten(text, *passes, functions=[FROZEN])[0]


def test_a_call_becomes_a_parameter() -> None:
    after, _ = rewritten(BEFORE, freeze_weights, functions=[FROZEN])
    check(
        after,
        """
        CHECK: util.global private @f.w = #flow.parameter.named<"model"::"f.w"> : tensor<3x4xf32>
        CHECK: func.func @f([[X:%arg0]]: tensor<2x4xf32>)
        CHECK-NEXT: [[W:%f.w]] = util.global.load @f.w : tensor<3x4xf32>
        CHECK-NEXT: call @product([[X]], [[W]])
        """,
    )
    assert "func.func private @f.w" not in after


def test_what_is_packed_is_stored_once() -> None:
    check(
        frozen(BEFORE),
        """
        CHECK: util.global private @f.w =
        CHECK: util.global private @f.packed.0 : tensor<4x3xf32>
        CHECK: func.func private @f.pack() -> tensor<4x3xf32> {
        CHECK-NEXT: [[W:%f.w]] = util.global.load @f.w
        CHECK-NEXT: [[TRANSPOSED:%[0-9]+]] = stablehlo.transpose [[W]]
        CHECK-NEXT: [[PACKED:%[0-9]+]] = flow.tensor.clone [[TRANSPOSED]]
        CHECK-NEXT: return [[PACKED]]
        CHECK: util.initializer {
        CHECK-NEXT: [[PACKED:%[0-9]+]] = func.call @f.pack()
        CHECK-NEXT: util.global.store [[PACKED]], @f.packed.0 : tensor<4x3xf32>
        CHECK-NEXT: util.return
        CHECK: util.func public @f_prepacked([[X:%arg0]]: tensor<2x4xf32>) -> tensor<2x3xf32> \
attributes {iree.abi.model = "coarse-fences"} {
        CHECK-NEXT: [[READY:%f.packed.0]] = util.global.load @f.packed.0
        CHECK-NEXT: [[READ:%[0-9]+]] = flow.tensor.clone [[READY]]
        CHECK-NEXT: [[HELD:%[0-9]+]] = flow.tensor.clone [[X]]
        CHECK-NEXT: [[XW:%[0-9]+]] = stablehlo.dot_general [[HELD]], [[READ]]
        CHECK-NEXT: util.return [[XW]]
        CHECK: func.func @f_prepack() -> tensor<4x3xf32> {
        CHECK-NEXT: [[READY:%f.packed.0]] = util.global.load @f.packed.0
        CHECK-NEXT: return [[READY]]
        CHECK: func.func @f([[X:%arg0]]: tensor<2x4xf32>) -> tensor<2x3xf32> {
        CHECK-NEXT: [[READY:%f.packed.0]] = util.global.load @f.packed.0
        CHECK-NOT: transpose
        CHECK: return
        """,
    )


def test_nothing_is_packed() -> None:
    """What only looks at weights stays where it is."""
    edit = "stablehlo.transpose %w, dims = [1, 0] :", "stablehlo.reshape %w :"
    after = frozen(edited(BEFORE, edit))
    assert "util.global.load @f.w" in after
    assert "util.initializer" not in after
    assert "f_prepack" not in after

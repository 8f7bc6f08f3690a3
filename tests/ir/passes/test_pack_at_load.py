"""A module with a frozen weight that it packs, before and after `hoist_weights`."""

from __future__ import annotations

from ir.filecheck import check
from ir.passes.test_freeze_weights import BEFORE, FROZEN
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.freeze_weights import freeze_weights
from rnn_compiler.lowering.passes.hoist_weights import hoist_weights


def frozen(text: str) -> str:
    passes = freeze_weights, hoist_weights
    return rewritten(text, *passes, functions=[FROZEN])[0]


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

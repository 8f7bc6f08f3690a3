"""A module with a frozen weight before and after `freeze_weights`."""

from __future__ import annotations

from dataclasses import replace

from ir.filecheck import check
from ir.passes.test_hoist_weights import PRODUCT, SPEC
from ir.rewriting import rewritten

from rnn_compiler.lowering.passes.freeze_weights import freeze_weights

BEFORE = f"""
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {{
  %w = call @f.w() : () -> tensor<3x4xf32>
  %xw = call @product(%x, %w) : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return %xw : tensor<2x3xf32>
}}
func.func private @f.w() -> tensor<3x4xf32>
{PRODUCT}"""

FROZEN = replace(SPEC, arguments=SPEC.arguments[:1], frozen=SPEC.arguments[1:], weights=())


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

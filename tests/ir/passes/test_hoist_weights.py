"""A function that packs its weights before and after `hoist_weights`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.hoist_weights import hoist_weights
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

PRODUCT = """
func.func private @product(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {
  %transposed = stablehlo.transpose %w, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %packed = flow.tensor.clone %transposed : tensor<4x3xf32>
  %held = flow.tensor.clone %x : tensor<2x4xf32>
  %xw = stablehlo.dot_general %held, %packed, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %xw : tensor<2x3xf32>
}
"""
"""``x @ w^T``, by way of ``w^T``."""

BEFORE = f"""
func.func @f(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {{
  %xw = call @product(%x, %w) : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return %xw : tensor<2x3xf32>
}}
{PRODUCT}"""

AFTER = """
CHECK: func.func @f_prepack([[W:%arg0]]: tensor<3x4xf32>) -> tensor<4x3xf32> {
CHECK-NEXT: [[TRANSPOSED:%[0-9]+]] = stablehlo.transpose [[W]], dims = [1, 0]
CHECK-NEXT: [[PACKED:%[0-9]+]] = flow.tensor.clone [[TRANSPOSED]]
CHECK-NEXT: return [[PACKED]]

CHECK: util.func public @f_prepacked([[X:%arg0]]: tensor<2x4xf32>, %arg1: tensor<3x4xf32>, \
[[PACKED:%arg2]]: tensor<4x3xf32>) -> tensor<2x3xf32> \
attributes {iree.abi.model = "coarse-fences"} {
CHECK-NEXT: [[READ:%[0-9]+]] = flow.tensor.clone [[PACKED]]
CHECK-NEXT: [[HELD:%[0-9]+]] = flow.tensor.clone [[X]]
CHECK-NEXT: [[XW:%[0-9]+]] = stablehlo.dot_general [[HELD]], [[READ]]
CHECK-NEXT: util.return [[XW]]

CHECK: func.func @f([[X:%arg0]]: tensor<2x4xf32>, [[W:%arg1]]: tensor<3x4xf32>)
CHECK-NEXT: [[XW:%[0-9]+]] = call @product([[X]], [[W]])
CHECK-NEXT: return [[XW]]
CHECK: func.func private @product
"""

SPEC = FunctionSpec(
    "Product",
    "f",
    "float32",
    {},
    {},
    (TensorSpec("x", "float32", (2, 4)), TensorSpec("w", "float32", (3, 4))),
    (TensorSpec("xw", "float32", (2, 3)),),
    weights=("w",),
)


def prepacked(text: str, spec: FunctionSpec = SPEC) -> str:
    return rewritten(text, hoist_weights, functions=[spec])[0]


def test_companions() -> None:
    """One packs, one takes packed weights; the function itself stays unchanged."""
    check(prepacked(BEFORE), AFTER)


def test_several_clones_of_the_packed_weights() -> None:
    """Only those that something reads that needs more than weights are handed over, in order."""
    head, private = BEFORE.split("func.func private")
    twice = edited(
        private,
        (
            "%transposed = stablehlo.transpose %w",
            """%once = flow.tensor.clone %w : tensor<3x4xf32>
            %negative = stablehlo.negate %once : tensor<3x4xf32>
            %other = flow.tensor.clone %negative : tensor<3x4xf32>
            %transposed = stablehlo.transpose %negative""",
        ),
        (
            "return %xw",
            """%again = stablehlo.dot_general %held, %other, contracting_dims = [1] x [1]
              : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
            %sum = stablehlo.add %xw, %again : tensor<2x3xf32>
            return %sum""",
        ),
    )
    check(
        prepacked(f"{head}func.func private{twice}"),
        """
        CHECK: func.func @f_prepack(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>)
        CHECK: util.func public @f_prepacked(%arg0: {{.*}}, %arg1: {{.*}}, \
[[OTHER:%arg2]]: tensor<3x4xf32>, [[PACKED:%arg3]]: tensor<4x3xf32>)
        CHECK-NEXT: flow.tensor.clone [[OTHER]]
        CHECK-NEXT: flow.tensor.clone [[PACKED]]
        CHECK-NOT: negate
        CHECK: util.return
        """,
    )


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        (BEFORE, FunctionSpec(**{**vars(SPEC), "weights": ()})),
        (
            edited(
                BEFORE,
                ("stablehlo.transpose %w, dims = [1, 0] :", "stablehlo.reshape %w :"),
            ),
            SPEC,
        ),
        (
            edited(
                BEFORE,
                ("%packed = flow.tensor.clone %transposed : tensor<4x3xf32>", ""),
                ("%held, %packed", "%held, %transposed"),
            ),
            SPEC,
        ),
        (BEFORE, FunctionSpec(**{**vars(SPEC), "weights": ("bias",)})),
    ],
    ids=["no_weights", "only_looked_at", "no_dispatch_reads_them", "another_name"],
)
def test_functions_without_companions(text: str, spec: FunctionSpec) -> None:
    assert prepacked(text, spec) == rewritten(text)[0]

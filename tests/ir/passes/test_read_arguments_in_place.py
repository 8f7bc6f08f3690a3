"""Functions before and after `read_arguments_in_place`."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import rewritten

from rnn_compiler.lowering.passes.iree_faults.read_arguments_in_place import read_arguments_in_place

BEFORE = """
func.func @f(%params: tensor<8xf32>, %unread: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %part = stablehlo.slice %params [4:8] : (tensor<8xf32>) -> tensor<4xf32>
  %kept = call @kept(%params) : (tensor<8xf32>) -> tensor<8xf32>
  return %part, %kept : tensor<4xf32>, tensor<8xf32>
}
func.func private @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
"""


def test_every_use_of_an_argument_is_one_of_its_barrier() -> None:
    """Those that are not read, and those of private functions, have none."""
    after, _ = rewritten(BEFORE, read_arguments_in_place)
    check(
        after,
        """
        CHECK: func.func @f([[PARAMS:%arg0]]: tensor<8xf32>, %arg1: tensor<8xf32>)
        CHECK-NEXT: [[READ:%[0-9]+]] = util.optimization_barrier [[PARAMS]] : tensor<8xf32>
        CHECK-NEXT: [[PART:%[0-9]+]] = stablehlo.slice [[READ]] [4:8]
        CHECK-NEXT: [[KEPT:%[0-9]+]] = call @kept([[READ]])
        CHECK-NEXT: return [[PART]], [[KEPT]]
        CHECK: func.func private @kept([[X:%arg0]]:
        CHECK-NEXT: return [[X]]
        """,
    )
    assert after.count("util.optimization_barrier") == 1

"""Functions before and after `linalg_to_updates`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.linalg_to_updates import linalg_to_updates
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

STATE = TensorSpec("w", "float32", (1, 4))
SPEC = FunctionSpec("f", "f", "float32", {}, {}, (STATE,), (STATE,), states=("w",))

UPDATE = """
#same = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (0, d1)>
#number = affine_map<(d0, d1) -> ()>
func.func @f(%w: tensor<1x4xf32>, %g: tensor<1x4xf32>, %rate: tensor<f32>) -> tensor<1x4xf32> {
  %half = arith.constant dense<0.5> : tensor<f32>
  %to = tensor.empty() : tensor<1x4xf32>
  %e = linalg.generic {indexing_maps = [#first, #same], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<1x4xf32>) outs(%to : tensor<1x4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %made = math.exp %a : f32
      linalg.yield %made : f32
  } -> tensor<1x4xf32>
  %s = linalg.generic {indexing_maps = [#first, #number, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%e, %half : tensor<1x4xf32>, tensor<f32>) outs(%to : tensor<1x4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %made = arith.mulf %a, %b : f32
      linalg.yield %made : f32
  } -> tensor<1x4xf32>
  %t = linalg.generic {indexing_maps = [#number, #first, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%rate, %s : tensor<f32>, tensor<1x4xf32>) outs(%to : tensor<1x4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %made = arith.divf %b, %a : f32
      linalg.yield %made : f32
  } -> tensor<1x4xf32>
  %next = linalg.generic {indexing_maps = [#same, #first, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%w, %t : tensor<1x4xf32>, tensor<1x4xf32>) outs(%to : tensor<1x4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %made = arith.subf %a, %b : f32
      linalg.yield %made : f32
  } -> tensor<1x4xf32>
  return %next : tensor<1x4xf32>
}
"""


def test_arithmetic_of_an_update() -> None:
    """Operands in the order in which the body reads them; what has no equal is left."""
    after, _ = rewritten(UPDATE, linalg_to_updates, functions=[SPEC])
    check(
        after,
        """
        CHECK: func.func @f([[W:%arg0]]: {{.*}}, {{.*}}, [[RATE:%arg2]]:
        CHECK: [[E:%[0-9]+]] = linalg.generic
        CHECK: math.exp
        CHECK: [[HALF:%.*]] = stablehlo.constant dense<5.000000e-01> : tensor<1x4xf32>
        CHECK: [[S:%[0-9]+]] = stablehlo.multiply [[E]], [[HALF]]
        CHECK: [[R:%[0-9]+]] = stablehlo.broadcast_in_dim [[RATE]], dims = []
        CHECK: [[T:%[0-9]+]] = stablehlo.divide [[S]], [[R]]
        CHECK: [[NEXT:%[0-9]+]] = stablehlo.subtract [[W]], [[T]]
        CHECK: return [[NEXT]]
        """,
    )


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(("1x4", "2x4"), id="an array whose first row is repeated"),
        pytest.param(("arith.subf %a, %b", "arith.subf %a, %out"), id="the result's own memory"),
        pytest.param(("arith.subf", "arith.remf"), id="an operation that is not among them"),
    ],
)
def test_others_are_left(edit: tuple[str, str]) -> None:
    after, _ = rewritten(edited(UPDATE, edit), linalg_to_updates, functions=[SPEC])
    assert "stablehlo.subtract" not in after


def test_a_value_that_is_read_twice() -> None:
    after, _ = rewritten(
        edited(UPDATE, ("ins(%w, %t :", "ins(%s, %s :")), linalg_to_updates, functions=[SPEC]
    )
    check(
        after,
        """
        CHECK: [[S:%[0-9]+]] = stablehlo.multiply
        CHECK: stablehlo.subtract [[S]], [[S]]
        """,
    )


def test_functions_without_states_are_left() -> None:
    after, _ = rewritten(UPDATE, linalg_to_updates)
    assert "stablehlo" not in after

"""Functions before and after `leave_undefined`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import rewritten

from rnn_compiler.lowering.passes.leave_undefined import leave_undefined

UPDATES = """
func.func @f(%a: tensor<3xf32>, %b: tensor<5xf32>, %n: tensor<i64>) -> tensor<8xf32> {{
  %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
  %three = stablehlo.constant dense<{first}> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %some = stablehlo.dynamic_update_slice %zeros, %b, {place}
      : (tensor<8xf32>, tensor<5xf32>, tensor<i64>) -> tensor<8xf32>
  %all = stablehlo.dynamic_update_slice %some, %a, %zero
      : (tensor<8xf32>, tensor<3xf32>, tensor<i64>) -> tensor<8xf32>
  %end = stablehlo.add %all, {read} : tensor<8xf32>
  return %end : tensor<8xf32>
}}
"""


def test_a_vector_that_is_written_whole_is_undefined_at_first() -> None:
    """In any order."""
    after, _ = rewritten(UPDATES.format(first=3, place="%three", read="%all"), leave_undefined)
    check(
        after,
        """
        CHECK: [[EMPTY:%[0-9]+]] = flow.tensor.empty : tensor<8xf32>
        CHECK: [[SOME:%[0-9]+]] = stablehlo.dynamic_update_slice [[EMPTY]], %arg1
        CHECK: stablehlo.dynamic_update_slice [[SOME]], %arg0
        """,
    )


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"first": 2}, id="not covered"),
        pytest.param({"place": "%n"}, id="a computed place"),
        pytest.param({"read": "%some"}, id="read before it is whole"),
    ],
)
def test_others_are_filled(changes: dict[str, object]) -> None:
    """Each number that may be read is defined."""
    text = UPDATES.format(**{"first": 3, "place": "%three", "read": "%all"} | changes)
    after, _ = rewritten(text, leave_undefined)
    assert "flow.tensor.empty" not in after

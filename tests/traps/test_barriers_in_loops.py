"""For a barrier on a value that a loop carries, IREE drops the wait for the previous iteration."""

from __future__ import annotations

import re

import pytest
from traps.iree import phase, trap

_LOOP = """
func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%t = %zero, %y = %x) : tensor<i32>, tensor<16x16xf32> cond {
    %c = stablehlo.compare LT, %t, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %read = BARRIER %y : tensor<16x16xf32>
    %z = stablehlo.dot_general %read, %w, contracting_dims = [1] x [0]
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %t1 = stablehlo.add %t, %one : tensor<i32>
    stablehlo.return %t1, %z : tensor<i32>, tensor<16x16xf32>
  }
  return %r#1 : tensor<16x16xf32>
}"""


@pytest.mark.parametrize(
    "barrier",
    [
        pytest.param(
            f"{dialect}.optimization_barrier",
            marks=trap("passes/iree_faults/read_arguments_in_place.py, linking/iree_faults.py"),
        )
        for dialect in ("util", "stablehlo")
    ]
    + ["stablehlo.negate"],
)
def test_each_iteration_waits_for_the_last(barrier: str) -> None:
    text = phase("stream", _LOOP.replace("BARRIER", barrier))
    head = re.search(r"\^bb1\(.*?(%\w+): !stream.timepoint\)", text)
    assert head is not None
    _, _, iteration = text.partition("^bb2:")
    assert f"await({head[1]})" in iteration.partition("^bb3:")[0]

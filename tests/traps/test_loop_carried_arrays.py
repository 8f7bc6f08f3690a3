"""An array that a loop carries is copied whole at each step."""

from __future__ import annotations

from traps.iree import phase, trap

_LOOP = """
func.func @main(%n: tensor<i32>, %x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %init = stablehlo.constant dense<0.0> : tensor<8x16xf32>
  %r:2 = stablehlo.while(%t = %zero, %y = %init) : tensor<i32>, tensor<8x16xf32> cond {
    %c = stablehlo.compare LT, %t, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %t, %zero, sizes = [1, 16]
      : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %e = stablehlo.exponential %row : tensor<1x16xf32>
    %y1 = stablehlo.dynamic_update_slice %y, %e, %t, %zero
      : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %t1 = stablehlo.add %t, %one : tensor<i32>
    stablehlo.return %t1, %y1 : tensor<i32>, tensor<8x16xf32>
  }
  return %r#1 : tensor<8x16xf32>
}"""


@trap("lowering/cpu/fused_loop, one dispatch, and the barriers in lowering/gpu/pinned_loop.py")
def test_a_step_writes_its_row_in_place() -> None:
    _, _, loop = phase("stream", _LOOP).partition("^bb2:")
    assert "stream.cmd.dispatch" in loop  # what is looked at is the step
    assert "stream.cmd.copy" not in loop

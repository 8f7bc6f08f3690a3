"""Two sorts that begin with the same array share its memory, which the first one changes."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap


@trap("_copy_operands in lowering/passes/iree_faults/copy_updated_values.py")
def test_the_second_sort_begins_with_the_indices_in_order() -> None:
    sort = """= "stablehlo.sort"({}, %i) ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}) {{dimension = 0 : i64}}
      : (tensor<3xf32>, tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>)"""
    text = f"""
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xi32>) {{
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %0:2 {sort.format("%x")}
  %1:2 {sort.format("%y")}
  return %0#1, %1#1 : tensor<3xi32>, tensor<3xi32>
}}"""
    first, second = called(text, np.float32([3, 2, 1]), np.float32([2, 3, 1]))
    np.testing.assert_array_equal(first, [2, 1, 0])
    np.testing.assert_array_equal(second, [2, 0, 1])

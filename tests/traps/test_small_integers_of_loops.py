"""Conditions of loops that compare small integers lose their signs."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap

_COUNT = """
func.func @main(%n: tensor<i8>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %one = stablehlo.constant dense<1> : tensor<i8>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %more = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%k = %zero, %s = %first) : tensor<i8>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %k, %one : tensor<i8>
      %sum = stablehlo.add %s, %more : tensor<i32>
      stablehlo.return %next, %sum : tensor<i8>, tensor<i32>
    }
  return %r#1 : tensor<i32>
}"""


@trap("lowering/linking/iree_faults.py")
def test_no_iteration() -> None:
    (count,) = called(_COUNT, np.array(-1, np.int8))
    assert count == 0

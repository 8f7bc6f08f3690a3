"""Integers of 8 and 16 bits that say how often a loop runs, or which branch is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from linking.modules import function
from quick import first

import rnn_compiler as rc

TEXT = """
  func.func public @counted(%x: tensor<f32> loc("x"), %n: tensor<KIND> loc("n"))
      -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0> : tensor<KIND>
    %one = stablehlo.constant dense<1> : tensor<KIND>
    %minus = stablehlo.negate %n : tensor<KIND>
    %up:2 = stablehlo.while(%k = %zero, %s = %x) : tensor<KIND>, tensor<f32>
      cond {
        %go = stablehlo.compare LT, %k, %n, SIGNED : (tensor<KIND>, tensor<KIND>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %next = stablehlo.add %k, %one : tensor<KIND>
        %sum = stablehlo.add %s, %x : tensor<f32>
        stablehlo.return %next, %sum : tensor<KIND>, tensor<f32>
      }
    %down:2 = stablehlo.while(%k = %minus, %s = %x) : tensor<KIND>, tensor<f32>
      cond {
        %go = stablehlo.compare GT, %k, %zero, SIGNED : (tensor<KIND>, tensor<KIND>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %next = stablehlo.subtract %k, %one : tensor<KIND>
        %sum = stablehlo.add %s, %x : tensor<f32>
        stablehlo.return %next, %sum : tensor<KIND>, tensor<f32>
      }
    %is_less = stablehlo.compare LT, %n, %zero, SIGNED : (tensor<KIND>, tensor<KIND>) -> tensor<i1>
    %sign = "stablehlo.if"(%is_less) ({
      %negative = stablehlo.negate %x : tensor<f32>
      stablehlo.return %negative : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %up#1, %down#1, %sign : tensor<f32>, tensor<f32>, tensor<f32>
  }
"""


@pytest.mark.parametrize("kind", first(["i8", "i16", "i32", "i64"]))
def test_numbers_below_zero(kind: str) -> None:
    cell = rc.build("GRUBlockCell", batch_size=1, input_size=1, num_units=1).functions[0]
    text = f"module {{{TEXT.replace('KIND', kind)}{function(cell, name='cell')}\n}}"
    counted: Any = rc.runtime.load(rc.link(text)).functions["counted"]
    dtype = np.dtype(kind.replace("i", "int"))
    for n in (-5, -1, 0, 3):
        found = counted(x=np.float32(1), n=np.array(n, dtype))
        assert [float(each) for each in found] == [
            1 + max(n, 0),
            1 + max(-n, 0),
            1 if n >= 0 else -1,
        ]

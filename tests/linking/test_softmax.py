"""Softmax in a user's module: a program that depends on libc alone, or on nothing, has it too."""

from __future__ import annotations

import numpy as np
from execution import Execute, ways

import rnn_compiler as rc

SOFTMAX = """
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1]
      : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  %largest = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
  %shifted = stablehlo.subtract %x, %largest : tensor<6x5xf32>
  %e = stablehlo.exponential %shifted : tensor<6x5xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  %total = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
  %y = stablehlo.divide %e, %total : tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}
"""


@ways("direct", "c", "js", "cortex-m4", "riscv32", quick=("direct",))
def test_softmax(execute: Execute) -> None:
    x = np.random.default_rng(0).normal(0, 3, (6, 5)).astype(np.float32)
    e = np.exp(x - x.max(1, keepdims=True))
    (found,) = execute(rc.link_module(SOFTMAX), {"x": x}).values()
    np.testing.assert_allclose(found, e / e.sum(1, keepdims=True), rtol=1e-5)

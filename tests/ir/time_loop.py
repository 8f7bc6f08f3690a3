"""A time loop of 3 steps of 2 rows of 4 units, for tests of the passes that rewrite loops."""

from __future__ import annotations

LOOP = """
func.func @rnn(%n: tensor<i64>, %x: tensor<3x2x4xf32>, %w: tensor<4x4xf32>, %h0: tensor<2x4xf32>)
    -> (tensor<3x2x4xf32>, tensor<2x4xf32>) {
  %0:2 = stablehlo.composite "rnn_compiler.time_loop" %n, %x, %w, %h0 {
    composite_attributes = {
      operands = "count read read state", reverse = false, step = @rnn.loop.step
    }, decomposition = @rnn.loop, version = 1 : i32
  } : (tensor<i64>, tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>)
    -> (tensor<3x2x4xf32>, tensor<2x4xf32>)
  return %0#0, %0#1 : tensor<3x2x4xf32>, tensor<2x4xf32>
}
func.func private @rnn.loop(
  %n: tensor<i64>, %x: tensor<3x2x4xf32>, %w: tensor<4x4xf32>, %h0: tensor<2x4xf32>
) -> (tensor<3x2x4xf32>, tensor<2x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x2x4xf32>
  %done:3 = stablehlo.while(%k = %zero, %y = %zeros, %h = %h0)
      : tensor<i64>, tensor<3x2x4xf32>, tensor<2x4xf32>
  cond {
    %more = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %new:2 = func.call @rnn.loop.step(%k, %x, %w, %h)
      : (tensor<i64>, tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>)
      -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %y_t = stablehlo.reshape %new#1 : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
    %written = stablehlo.dynamic_update_slice %y, %y_t, %k, %zero, %zero
      : (tensor<3x2x4xf32>, tensor<1x2x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> tensor<3x2x4xf32>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %k1 = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %k1, %written, %new#0 : tensor<i64>, tensor<3x2x4xf32>, tensor<2x4xf32>
  }
  return %done#1, %done#2 : tensor<3x2x4xf32>, tensor<2x4xf32>
}
func.func private @rnn.loop.step(
  %t: tensor<i64>, %x: tensor<3x2x4xf32>, %w: tensor<4x4xf32>, %h: tensor<2x4xf32>
) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %row = stablehlo.dynamic_slice %x, %t, %zero, %zero, sizes = [1, 2, 4]
    : (tensor<3x2x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x4xf32>
  %x_t = stablehlo.reshape %row : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
  %hw = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %sum = stablehlo.add %x_t, %hw : tensor<2x4xf32>
  %next = stablehlo.tanh %sum : tensor<2x4xf32>
  return %next, %next : tensor<2x4xf32>, tensor<2x4xf32>
}
"""
"""``h = tanh(x[t] + h @ w)``, ``y[t] = h``, for t in 0..n-1."""

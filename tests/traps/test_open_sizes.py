"""Ops of open sizes that IREE rewrites into ops that it then rejects."""

from __future__ import annotations

from traps.iree import compiled, phase, trap

_THIN = """
func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x1xf32>) -> tensor<?x1xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<?x4xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}"""
_RESHAPED = """
func.func @main(%x: tensor<?x4xf16>) -> tensor<?xf16> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf16>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %m = stablehlo.multiply %n, %four : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<?x4xf16>, tensor<1xi32>) -> tensor<?xf16>
  return %r : tensor<?xf16>
}"""
_DIFFERENCE = """
func.func @main(%n: tensor<i32>, %x: tensor<?x4xf32>) -> tensor<4xf32> {
  %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %d = stablehlo.subtract %s, %n : tensor<i32>
  %f = stablehlo.convert %d : (tensor<i32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}"""


@trap("`_multiplied` in lowering/passes/open_sizes.py")
def test_a_product_with_one_column_compiles() -> None:
    assert compiled(_THIN)


@trap("lowering/passes/open_sizes.py, which reshapes by `flow.tensor.reshape`")
def test_a_reshape_compiles() -> None:
    assert compiled(_RESHAPED)


@trap("`valid_steps` in lowering/ops/cells, a maximum over rows instead of a scalar")
def test_the_host_does_not_wait_for_a_number_less_a_size() -> None:
    assert "stream.resource.load" not in phase("stream", _DIFFERENCE)

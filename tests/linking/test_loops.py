"""Loops whose initial values are read elsewhere too, alone, in functions and in other loops."""

from __future__ import annotations

import numpy as np
import pytest

import rnn_compiler as rc

X, N = "tensor<8x8xf32>", "tensor<i32>"


def loop(start: str, body: str, result: str) -> str:
    """A loop of three steps over a matrix ``%s``."""
    return f"""
    %{result}:2 = stablehlo.while(%k = %zero, %s = {start}) : {N}, {X} cond {{
      %end = stablehlo.constant dense<3> : {N}
      %less = stablehlo.compare LT, %k, %end : ({N}, {N}) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : {N}
      %next = stablehlo.add %k, %one : {N}
      {body}
      stablehlo.return %next, %t : {N}, {X}
    }}"""


def product(left: str, right: str) -> str:
    return f"stablehlo.dot {left}, {right} : ({X}, {X}) -> {X}"


@pytest.mark.slow
def test_arrays_that_a_loop_and_other_ops_read() -> None:
    step = f"%t = {product('%s', '%w')}"
    text = f"""
  func.func @main(%x: {X}, %w: {X}) -> ({X}, {X}, {X}, tensor<1xi32>) {{
    %zero = stablehlo.constant dense<0> : {N}
    %a = {product("%x", "%w")}
    {loop("%a", step, "b")}
    %y = {product("%a", "%x")}
    %c = {product("%b#1", "%w")}
    %d = call @again(%c) : ({X}) -> {X}
    %e = {product("%d", "%c")}
    %size1 = stablehlo.constant dense<1> : {N}
    %size = stablehlo.custom_call @rnn_compiler.CudnnRNNParamsSize(%size1, %size1, %size1)
        {{mhlo.backend_config = {{T = "float32", S = "int32"}}}} : ({N}, {N}, {N}) -> tensor<1xi32>
    return %y, %c, %e, %size : {X}, {X}, {X}, tensor<1xi32>
  }}
  func.func private @again(%w: {X}) -> {X} {{
    %zero = stablehlo.constant dense<0> : {N}
    {loop("%w", step, "r")}
    return %r#1 : {X}
  }}"""
    program = rc.runtime.load(rc.link(text, target="cpu:generic"), device="local-sync")
    x, w = np.random.default_rng(0).standard_normal((2, 8, 8)).astype(np.float32) / 3
    y, c, e, _ = program(x=x, w=w)
    a = x @ w
    wanted_c = np.linalg.multi_dot([a, w, w, w, w])
    np.testing.assert_allclose(y, a @ x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(c, wanted_c, rtol=1e-4, atol=1e-5)
    d = np.linalg.matrix_power(wanted_c, 4)
    np.testing.assert_allclose(e, d @ wanted_c, rtol=1e-4, atol=1e-5)


DECLARED = """
func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>, tensor<7x8xf32>,
    tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
func.func @main(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
    %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%k = %zero, %s = %h) : tensor<i32>, tensor<2x4xf32> cond {
    %end = stablehlo.constant dense<2> : tensor<i32>
    %less = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %c:4 = func.call @rnn_compiler.GRUBlockCell(%x, %s, %w, %wc, %b, %bc)
        : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>,
           tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    stablehlo.return %next, %c#3 : tensor<i32>, tensor<2x4xf32>
  }
  return %r#1 : tensor<2x4xf32>
}"""


def test_a_loop_that_calls_a_declared_op() -> None:
    """It is neither written out nor taken for a cell."""
    module = rc.link_module(DECLARED)
    assert str(module).count("stablehlo.while") == 1
    assert [each.op for each in module.linked] == ["GRUBlockCell"]
    assert module.left == ()


@pytest.mark.slow
def test_short_loops_are_written_out() -> None:
    """Those on some numbers, and not one longer than eight iterations."""
    step = "%t = stablehlo.multiply %s, %w : tensor<8x8xf32>"
    for length, loops in ((3, 0), (8, 0), (9, 1)):
        text = f"""func.func @main(%x: {X}, %w: {X}) -> {X} {{
          %zero = stablehlo.constant dense<0> : {N}
          {loop("%x", step, "b").replace("dense<3>", f"dense<{length}>")}
          return %b#1 : {X}
        }}"""
        module = rc.link_module(text)
        assert str(module).count("stablehlo.while") == loops
        x, w = np.random.default_rng(0).uniform(0.5, 1, (2, 8, 8)).astype(np.float32)
        (found,) = rc.runtime.load(rc.compile(module, "cpu:generic"), device="local-sync")(x=x, w=w)
        np.testing.assert_allclose(found, x * w**length, rtol=1e-5)

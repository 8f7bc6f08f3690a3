"""Sorts that begin with the same array each sort a copy of it; equal elements keep their order."""

from __future__ import annotations

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc

FLOATS, NUMBERS = "tensor<2x9xf32>", "tensor<2x9xi32>"


def text() -> str:
    """Two sorts of one argument and its indices, the second in a loop."""

    def sort(order: str) -> str:
        return f""""stablehlo.sort"(%x, %i) ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %c = stablehlo.compare {order}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}) {{dimension = 1 : i64, is_stable = true}}
      : ({FLOATS}, {NUMBERS}) -> ({FLOATS}, {NUMBERS})"""

    return f"""
  func.func @main(%x: {FLOATS}) -> ({FLOATS}, {NUMBERS}, {FLOATS}, {NUMBERS}, tensor<1xi32>) {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %i = stablehlo.iota dim = 1 : {NUMBERS}
    %down:2 = {sort("GT")}
    %up:3 = stablehlo.while(%v = %x, %n = %i, %k = %one) : {FLOATS}, {NUMBERS}, tensor<i32>
      cond {{
        %less = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }} do {{
        %r:2 = {sort("LT")}
        %next = stablehlo.add %k, %one : tensor<i32>
        stablehlo.return %r#0, %r#1, %next : {FLOATS}, {NUMBERS}, tensor<i32>
      }}
    %size = stablehlo.custom_call @rnn_compiler.CudnnRNNParamsSize(%one, %one, %one)
        {{mhlo.backend_config = {{T = "float32", S = "int32"}}}}
        : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
    return %down#0, %down#1, %up#0, %up#1, %size
        : {FLOATS}, {NUMBERS}, {FLOATS}, {NUMBERS}, tensor<1xi32>
  }}"""


@pytest.mark.slow
def test_two_sorts_of_one_array_and_its_indices() -> None:
    program = rc.runtime.load(rc.link(text()))
    x = np.random.default_rng(0).standard_normal((2, 9)).astype(np.float32)
    given = x.copy()
    for _ in range(2):
        down, falling, up, rising, _ = program(x=given)
        np.testing.assert_array_equal(falling, np.argsort(-x, 1))
        np.testing.assert_array_equal(rising, np.argsort(x, 1))
        np.testing.assert_array_equal(down, np.take_along_axis(x, falling, 1))
        np.testing.assert_array_equal(up, np.take_along_axis(x, rising, 1))
        np.testing.assert_array_equal(given, x)


_INT, _FLOAT = "tensor<12xi32>", "tensor<12xf32>"

COMPARISONS = {
    "up": "%c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "down": "%c = stablehlo.compare GT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>",
    "by two keys": """
        %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %equal = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %then = stablehlo.compare LT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %second = stablehlo.and %equal, %then : tensor<i1>
        %c = stablehlo.or %less, %second : tensor<i1>""",
}


@pytest.mark.slow
@pytest.mark.parametrize("order", COMPARISONS)
@ways("direct", "c", "js", quick=("direct",))
def test_equal_elements_stay_in_order(order: str, execute: Execute) -> None:
    text = f"""
  func.func @main(%x: {_INT}, %y: {_FLOAT}) -> ({_INT}, {_FLOAT}, {_INT}) {{
    %i = stablehlo.iota dim = 0 : {_INT}
    %r:3 = "stablehlo.sort"(%x, %y, %i) ({{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %s: tensor<f32>, %t: tensor<f32>,
           %p: tensor<i32>, %q: tensor<i32>):
        {COMPARISONS[order]}
        stablehlo.return %c : tensor<i1>
      }}) {{dimension = 0 : i64, is_stable = true}}
      : ({_INT}, {_FLOAT}, {_INT}) -> ({_INT}, {_FLOAT}, {_INT})
    return %r#0, %r#1, %r#2 : {_INT}, {_FLOAT}, {_INT}
  }}"""
    x = np.array([0, 2, 1, 1, 2, 0, 1, 1, 0, 2, 1, 0], np.int32)
    y = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1], np.float32)
    keys = {"up": (x,), "down": (-y,), "by two keys": (y, x)}[order]
    *_, found = execute(rc.link_module(text), {"x": x, "y": y}).values()
    np.testing.assert_array_equal(found, np.lexsort(keys))

"""A unit axis in a loop within a dispatch is folded, and the loop with it."""

from __future__ import annotations

import numpy as np
import pytest
from traps.iree import called, trap


def _doubling(row: str, zeros: str) -> str:
    """A loop that makes each row of an array twice the one before, `row` being a row's sizes."""
    array, one = f"tensor<5x{row}xf32>", f"tensor<{row}xf32>"
    sizes = f"[1, {row.replace('x', ', ')}] [1, {', '.join('1' for _ in row.split('x'))}]"
    rank = row.count("x") + 1
    axes = ", ".join(f"d{axis}" for axis in range(rank))
    kinds = ", ".join(['"parallel"'] * rank)
    return f"""
#row = affine_map<({axes}) -> ({axes})>
func.func @main(%h0: {one}) -> {array} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %r = flow.dispatch.region -> ({array}) {{
    %ea = tensor.empty() : {array}
    %y0 = tensor.insert_slice %h0 into %ea[0, {zeros}] {sizes} : {one} into {array}
    %l = scf.for %t = %zero to %n step %one iter_args(%y = %y0) -> ({array}) {{
      %row = tensor.extract_slice %y[%t, {zeros}] {sizes} : {array} to {one}
      %e = tensor.empty() : {one}
      %g = linalg.generic {{indexing_maps = [#row, #row], iterator_types = [{kinds}]}}
          ins(%row : {one}) outs(%e : {one}) {{
      ^bb0(%a: f32, %old: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      }} -> {one}
      %t1 = arith.addi %t, %one : index
      %h1 = tensor.insert_slice %g into %y[%t1, {zeros}] {sizes} : {one} into {array}
      scf.yield %h1 : {array}
    }}
    flow.return %l : {array}
  }}
  return %r : {array}
}}"""


@pytest.mark.parametrize(
    ("row", "zeros"),
    [
        pytest.param(
            *("1x8", "0, 0"),
            marks=trap("arrays without a batch axis in lowering/cpu/fused_loop/plan.py"),
            id="unit",
        ),
        pytest.param("8", "0", id="none"),
    ],
)
def test_each_row_is_twice_the_one_before(row: str, zeros: str) -> None:
    h = np.ones(tuple(map(int, row.split("x"))), np.float32)
    (y,) = called(_doubling(row, zeros), h, flags=["--iree-llvmcpu-disable-distribution"])
    np.testing.assert_array_equal(y, np.stack([h * 2**t for t in range(5)]))

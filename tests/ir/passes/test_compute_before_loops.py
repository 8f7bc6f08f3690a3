"""Functions with loops before and after `compute_before_loops`."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.iree_faults.compute_before_loops import compute_before_loops

BEFORE = """
func.func @f(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %a = stablehlo.tanh %x : tensor<4xf32>
  %b = stablehlo.negate %a : tensor<4xf32>
  %view = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
  %out:3 = stablehlo.while(%k = %n, %s = %view, %o = %zero)
      : tensor<i32>, tensor<2x2xf32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %o, %b : tensor<4xf32>
    stablehlo.return %k, %s, %next : tensor<i32>, tensor<2x2xf32>, tensor<4xf32>
  }
  %y = stablehlo.add %a, %zero : tensor<4xf32>
  return %y, %out#1 : tensor<4xf32>, tensor<2x2xf32>
}
"""


def test_a_view_of_an_array_that_is_read_elsewhere() -> None:
    """Only that has a barrier: arguments, constants, and what the loop alone reads have none."""
    after, _ = rewritten(BEFORE, compute_before_loops)
    check(
        after,
        """
        CHECK: [[A:%[0-9]+]] = stablehlo.tanh
        CHECK: [[B:%[0-9]+]] = stablehlo.negate [[A]]
        CHECK: [[VIEW:%[0-9]+]] = stablehlo.reshape [[A]]
        CHECK-NEXT: [[START:%[0-9]+]] = util.optimization_barrier [[VIEW]] : tensor<2x2xf32>
        CHECK-NEXT: stablehlo.while({{.*}} = [[START]],
        CHECK: stablehlo.add %{{.*}}, [[B]]
        CHECK: stablehlo.add [[A]]
        """,
    )
    assert after.count("util.optimization_barrier") == 1


def test_an_array_that_is_read_in_the_loop() -> None:
    text = edited(BEFORE, ("%y = stablehlo.add %a", "%y = stablehlo.add %b"))
    text = edited(text, ("= %view,", "= %other,"), ("%view = stablehlo", "%other = stablehlo"))
    text = edited(text, ("reshape %a", "reshape %zero"))
    after, _ = rewritten(text, compute_before_loops)
    check(
        after,
        """
        CHECK: [[B:%[0-9]+]] = stablehlo.negate
        CHECK: [[READ:%[0-9]+]] = util.optimization_barrier [[B]] : tensor<4xf32>
        CHECK-NEXT: stablehlo.while
        CHECK: stablehlo.add %{{.*}}, [[READ]]
        CHECK: stablehlo.add [[B]]
        """,
    )
    assert after.count("util.optimization_barrier") == 1


def test_a_call_of_a_function_with_a_loop() -> None:
    """As JAX writes loops; the function itself may be called in loops, so it is left alone."""
    text = edited(BEFORE, ("func.func @f", "func.func private @loop"))
    text += """
    func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
      %a = stablehlo.tanh %x : tensor<4xf32>
      %out:2 = call @loop(%a, %n) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<2x2xf32>)
      %y = stablehlo.add %out#0, %a : tensor<4xf32>
      return %y, %out#1 : tensor<4xf32>, tensor<2x2xf32>
    }
    """
    after, _ = rewritten(text, compute_before_loops)
    check(
        after,
        """
        CHECK: func.func @main
        CHECK: [[A:%[0-9]+]] = stablehlo.tanh
        CHECK-NEXT: [[READ:%[0-9]+]] = util.optimization_barrier [[A]] : tensor<4xf32>
        CHECK-NEXT: call @loop([[READ]]
        """,
    )

"""A plain time loop before and after `separate_buffers`."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import AVX512, rewritten

from rnn_compiler.lowering.passes.iree_faults.separate_buffers import separate_buffers
from rnn_compiler.lowering.rewriting.context import Processor
from rnn_compiler.lowering.targets.gpu import Gpu

BEFORE = """
func.func private @loop(%n: tensor<i64>, %h0: tensor<2x3xf32>)
    -> (tensor<4x2x3xf32>, tensor<2x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %y0 = stablehlo.constant dense<0.0> : tensor<4x2x3xf32>
  %out:3 = stablehlo.while(%k = %zero, %y = %y0, %h = %h0)
      : tensor<i64>, tensor<4x2x3xf32>, tensor<2x3xf32>
  cond {
    %more = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.tanh %h : tensor<2x3xf32>
    stablehlo.return %k, %y, %next : tensor<i64>, tensor<4x2x3xf32>, tensor<2x3xf32>
  }
  return %out#1, %out#2 : tensor<4x2x3xf32>, tensor<2x3xf32>
}
"""


def separated(processor: Processor) -> str:
    return rewritten(BEFORE, separate_buffers, processor=processor)[0]


def test_each_array_begins_in_a_buffer_of_its_own() -> None:
    """Zeros are a splat that IREE knows nothing of; a state is the first row of two such."""
    check(
        separated(Gpu()),
        """
        CHECK: [[A:%[0-9]+]] = util.optimization_barrier %{{.*}} : i32
        CHECK: [[Y:%[0-9]+]] = flow.tensor.splat [[A]] : tensor<4x2x3xi32>
        CHECK: [[Y0:%[0-9]+]] = flow.tensor.bitcast [[Y]]
        CHECK: [[B:%[0-9]+]] = util.optimization_barrier %{{.*}} : i32
        CHECK: [[ROWS:%[0-9]+]] = flow.tensor.splat [[B]] : tensor<2x2x3xi32>
        CHECK: flow.tensor.reshape %arg1
        CHECK: [[PUT:%[0-9]+]] = flow.tensor.update
        CHECK: [[H0:%.+]] = tensor.extract_slice [[PUT]][0, 0, 0] [1, 2, 3]
        CHECK: stablehlo.while({{.*}} = [[Y0]], {{.*}} = [[H0]])
        """,
    )


def test_on_a_cpu_nothing_changes() -> None:
    assert separated(AVX512) == rewritten(BEFORE)[0]

"""A sum of many single numbers before and after `limit_operands`."""

from __future__ import annotations

from ir.rewriting import rewritten
from traps.test_many_operands import COUNT, total

from rnn_compiler.lowering.passes.iree_faults.limit_operands import limit_operands


def test_a_barrier_for_each_23_numbers() -> None:
    after, _ = rewritten(total(), limit_operands)
    assert after.count("util.optimization_barrier") == (COUNT - 2) // 23


def test_sums_of_few_numbers_are_left() -> None:
    few = (
        "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n%s = stablehlo.add %a, %a : tensor<f32>\n"
    )
    after, _ = rewritten(few + "return %s : tensor<f32>\n}", limit_operands)
    assert "barrier" not in after

"""The maximum number of steps of a time loop, from its types."""

from __future__ import annotations

from rnn_compiler.lowering.analysis.time_loop import max_steps
from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of

_TEXT = """
func.func @loop(%n: tensor<i64>, %w: tensor<3x2x2xf32>, %x: tensor<7x2x2xf32>) {
  return
}"""


def test_an_output_or_the_longest_sequence_has_it() -> None:
    with new_context():
        module = ir.Module.parse(_TEXT)
        (function,) = ops_of(module.body)
        arguments = [*block_of(function).arguments]
        assert max_steps([(5, 2, 2)], arguments) == 5
        assert max_steps([], arguments) == 7
        assert max_steps([], arguments[:1]) == 1

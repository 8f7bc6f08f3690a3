"""Counts the operations of a module's matrix products.

The count comes from the portable StableHLO, so ops need not declare any. A time loop counts with
its maximum number of steps, `seq_length` or a block of it; any other loop, as in a user's module,
with one step. Elementwise work is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.analysis.time_loop import is_time_loop, max_steps
from rnn_compiler.lowering.analysis.values import shape, static_shape, summed_axes
from rnn_compiler.lowering.mlir.bindings import (
    callee_of,
    ir,
    nested_ops,
    new_context,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.composites import decomposition_of, loop_attributes
from rnn_compiler.schema.open_sizes import static_size

if TYPE_CHECKING:
    from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["matmul_flops"]


def matmul_flops(text: str, functions: Sequence[FunctionSpec]) -> dict[str, int]:
    """The operations in the matrix products of one call, by function name.

    A multiplication and an addition count as two.

    Args:
        text: The module, portable StableHLO.
        functions: Its functions.

    Raises:
        TypeError: A size of a product or of a time loop is open.

    Example:
        >>> from rnn_compiler.modules import build
        >>> module = build("LSTMBlockCell", batch_size=2, input_size=3, num_units=5)
        >>> matmul_flops(module.text, module.functions)
        {'lstm_block_cell': 640}
    """
    with new_context():
        module = ir.Module.parse(text)
        known = {symbol_of(op): op for op in ops_of(module.body)}
        return {spec.function: _count(spec.function, known) for spec in functions}


def _count(symbol: str, functions: Mapping[str, ir.Operation]) -> int:
    """The operations in a function and those that it refers to."""
    total = 0
    for op in nested_ops(functions[symbol]):
        if op.name == "stablehlo.dot_general":
            total += _product(op)
        elif is_time_loop(op):
            total += _steps(op) * _count(loop_attributes(op).step, functions)
        elif op.name == "stablehlo.composite":
            total += _count(decomposition_of(op), functions)
        elif op.name == "func.call":
            total += _count(callee_of(op), functions)
    return total


def _steps(loop: ir.Operation) -> int:
    """The maximum number of steps of a time loop."""
    results = [shape(result) for result in loop.results]
    outputs = results[: len(results) - loop_attributes(loop).roles.count("state")]
    return static_size(max_steps(outputs, [*loop.operands]))


def _product(op: ir.Operation) -> int:
    """Two operations for each element of the result and each index of the contracted axes."""
    lhs = static_shape(op.operands[0])
    summed = [lhs[axis] for axis in summed_axes(op)[0]]
    return 2 * math.prod(static_shape(op.results[0])) * math.prod(summed)

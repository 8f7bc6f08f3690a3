"""Counts the operations of a module's matrix products.

The count comes from the portable StableHLO, so ops need not declare any. A loop over time counts
with its maximum number of steps, `seq_length` or a block of it; elementwise work is not counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rnn_compiler.lowering import mlir
from rnn_compiler.schema.open_sizes import Size, static_size

if TYPE_CHECKING:
    from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["matmul_flops"]


def matmul_flops(text: str, functions: Sequence[FunctionSpec]) -> dict[str, int]:
    """The operations in the matrix products of one call, by function name.

    A multiplication and an addition count as two.

    Args:
        text: The module, portable StableHLO.
        functions: Its functions.

    Example:
        >>> from rnn_compiler.modules import build
        >>> module = build("LSTMBlockCell", batch_size=2, input_size=3, num_units=5)
        >>> matmul_flops(module.text, module.functions)
        {'lstm_block_cell': 640}
    """
    ir: Any = mlir.ir
    with mlir.new_context():
        operations: Any = ir.Module.parse(text).body.operations
        bodies: dict[str, Any] = {
            function.attributes["sym_name"].value: function for function in operations
        }
        return {
            spec.function: _count(bodies[spec.function], bodies, spec.dims) for spec in functions
        }


def _count(operation: Any, functions: dict[str, Any], dims: Mapping[str, Size]) -> int:
    """The operations in an op, its regions and the function it calls."""
    name: str = operation.operation.name
    if name == "stablehlo.dot_general":
        return _product(operation)
    called = {"stablehlo.composite": "decomposition", "func.call": "callee"}.get(name)
    if called is not None:
        return _count(functions[operation.attributes[called].value], functions, dims)
    inner = sum(_count(child, functions, dims) for child in _children(operation))
    return inner * _steps(operation, dims) if name == "stablehlo.while" else inner


def _steps(loop: Any, dims: Mapping[str, Size]) -> int:
    """The maximum number of steps of a loop over time: the rows of its output arrays."""
    shapes: list[list[int]] = [result.type.shape for result in loop.results]
    steps = [shape[0] for shape in shapes if len(shape) == 3]
    return max(steps) if steps else static_size(dims["seq_length"])


def _children(operation: Any) -> Iterator[Any]:
    for region in operation.regions:
        for block in region:
            yield from block.operations


def _product(operation: Any) -> int:
    """Two operations for each element of the result and each index of the contracted axis."""
    lhs = operation.operands[0].type.shape
    numbers = str(operation.attributes["dot_dimension_numbers"])
    found = re.search(r"lhs_contracting_dimensions = \[([\d, ]*)\]", numbers)
    summed = [lhs[int(axis)] for axis in found[1].split(",")] if found else []
    return 2 * math.prod(operation.results[0].type.shape) * math.prod(summed)

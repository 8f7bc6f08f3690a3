"""StableHLO on whole arrays: outside of a dispatch, IREE compiles them as it sees fit."""

from __future__ import annotations

from rnn_compiler.lowering.kernel.attributes import integers
from rnn_compiler.lowering.kernel.body import Array, ArrayType, Body

__all__ = ["converted", "transposed"]


def converted(body: Body, array: Array, element: str) -> Array:
    """Emits an array's conversion to an element type, if it has another."""
    if array.element == element:
        return array
    return body.array("stablehlo.convert", [array], ArrayType(array.shape, element))


def transposed(body: Body, matrix: Array) -> Array:
    """Emits a matrix's transpose."""
    type = ArrayType(matrix.shape[::-1], matrix.element)
    order = {"permutation": integers([1, 0])}
    return body.array("stablehlo.transpose", [matrix], type, order)

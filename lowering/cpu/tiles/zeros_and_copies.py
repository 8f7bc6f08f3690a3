"""Fills arrays with zeros in place, and copies rows one by one, in vectors."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import cpu_tiles
from rnn_compiler.lowering.codegen.body import Array, Body, known
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

__all__ = ["copy_row", "zeros_in_place"]


def copy_row(
    body: Body,
    vectors: VectorUnit,
    source: tuple[Array, Sequence[Index]],
    target: tuple[Array, Sequence[Index]],
    column: Index = 0,
    width: int | None = None,
) -> None:
    """Emits a copy of a row of an array to a row of another.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        source: An array, and the indices of the row along all axes but the last.
        target: The same for the destination.
        column: The first column of the destination.
        width: The number of columns; None for the whole row.
    """
    width = width or known(source[0].shape[-1:])[0]
    lanes = vectors.columns(width, source[0].element)

    def vector(number: Number) -> None:
        value = body.read(source[0], [*source[1], number], lanes)
        body.write(value, target[0], [*target[1], number + column])

    body.loop(0, width, lanes, [target[0]], vector)


def zeros_in_place(body: Body, vectors: VectorUnit, array: Array) -> Array:
    """Emits zeros in place of an array.

    The op is marked as distributed, which has no effect on itself. If another op were the only one
    with that mark, IREE would repeat the loops that produce its operands, including their writes,
    in each of its tiles.
    """
    zero = body.constant(0, array.element)
    columns = divisor(known(array.shape)[-1], vectors.width(array.element))
    rank = len(array.shape)
    tiles = cpu_tiles([1] * (rank - 1) + [columns], [0] * rank)
    return linalg.pointwise(body, [], array, lambda _, __: zero, tiles)

"""Rows of arrays copied one by one, in vectors."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.kernel.body import Array, Body, known
from rnn_compiler.lowering.kernel.number import Index, Number
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["copy_row"]


def copy_row(
    body: Body,
    vectors: VectorUnit,
    source: tuple[Array, Sequence[Index]],
    target: tuple[Array, Sequence[Index]],
    column: Index = 0,
    width: int | None = None,
) -> None:
    """Emits the copying of a row of an array to one of another.

    Args:
        body: Where to.
        vectors: The vector unit.
        source: An array, and where in it the row is: places along all axes but the last.
        target: The same of where it goes.
        column: Where in the target's row it begins.
        width: How many numbers there are; None for the whole row.
    """
    width = width or known(source[0].shape[-1:])[0]
    lanes = vectors.columns(width, source[0].element)

    def vector(number: Number) -> None:
        value = body.read(source[0], [*source[1], number], lanes)
        body.write(value, target[0], [*target[1], number + column])

    body.loop(0, width, lanes, [target[0]], vector)

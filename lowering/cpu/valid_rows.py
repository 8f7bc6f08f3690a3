"""Which rows of a padded sequence count: those of steps that the row of the batch has.

    rows = the numbers t*B + b with start + t < lengths[b], in order; then zeros
    count = how many these are

Products read their rows by these numbers, so that padding costs nothing. Listing them is a dispatch
of T*B steps, a nanosecond or two each.
"""

from __future__ import annotations

from dataclasses import dataclass

from rnn_compiler.lowering.cpu.matmul import zeros_in_place
from rnn_compiler.lowering.kernel.body import Array, ArrayType, Body
from rnn_compiler.lowering.kernel.executable import Executable
from rnn_compiler.lowering.kernel.function import Function
from rnn_compiler.lowering.kernel.number import Index, Number
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["AllRows", "ValidRows", "valid_rows"]


@dataclass
class ValidRows:
    """The rows that count.

    Attributes:
        rows: Their numbers, int32 ``[T * B]``.
        counted: How many they are, int32 ``[2]``: there, and nothing.
        few: How many of the last rows a sum takes at once, most first.
    """

    rows: Array
    counted: Array
    few = (64,)

    def inside(self, executable: Executable) -> ValidRows:
        """The same in a dispatch that reads it."""
        return ValidRows(executable.read(self.rows), executable.read(self.counted))

    def count(self, body: Body) -> Number:
        """How many rows there are."""
        return body.element(self.counted, [0]).to_index()

    def row(self, body: Body, place: Index) -> Number:
        """The number of the row at a place."""
        return body.element(self.rows, [place]).to_index()


@dataclass
class AllRows:
    """Rows that all count, as many as there are.

    Attributes:
        number: How many.
        few: How many of the last rows a sum takes at once, most first.
    """

    number: Index
    few = (64, 32, 16, 8)

    def inside(self, executable: Executable) -> AllRows:
        """The same in a dispatch."""
        return AllRows(executable.size(self.number))

    def count(self, body: Body) -> Number:
        """How many rows there are."""
        return body.index(self.number)

    def row(self, body: Body, place: Index) -> Number:
        """The number of the row at a place: that place."""
        return body.index(place)


def valid_rows(
    outside: Function, vectors: VectorUnit, lengths: Array, start: Number, steps: int
) -> ValidRows:
    """Emits the listing of the rows that count.

    Args:
        outside: Where to.
        vectors: The vector unit.
        lengths: How many steps each row of the batch has, int64 ``[B]``.
        start: The time of the first step, an int64.
        steps: How many steps there are.
    """
    (batch,) = lengths.shape
    executable = Executable(outside, "rows", 1)
    body = executable.body
    lengths, first = executable.read(outside.held(lengths)), executable.given(start)
    rows = executable.make(ArrayType((steps * batch,), "i32"))
    counted = executable.make(ArrayType((2,), "i32"))
    rows.value = zeros_in_place(body, vectors, rows).value
    counted.value = zeros_in_place(body, vectors, counted).value

    def step(time: Number) -> None:
        before = first + time.to_integer("i64")

        def row(number: Number) -> None:
            place = body.element(counted, [0])
            is_valid = before < body.element(lengths, [number])
            here = (time * batch + number).to_integer("i32")
            stays = body.element(rows, [place.to_index()])
            body.put(body.select(is_valid, here, stays), rows, [place.to_index()])
            more = is_valid.to_index().to_integer("i32")
            body.put(place + more, counted, [0])

        body.loop(0, batch, 1, [rows, counted], row)

    body.loop(0, steps, 1, [rows, counted], step)
    executable.dispatch()
    return ValidRows(rows, counted)

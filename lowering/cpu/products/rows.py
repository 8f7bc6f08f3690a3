"""The rows of its operands that a product reads: all, the first ones, or a list.

For a padded sequence, its valid rows are listed:

    rows = the numbers t*B + b with start + t < lengths[b], in order; then undefined
    count = the number of these

Products look up their rows in this list, so padding costs nothing. A dispatch makes the list in T*B
steps of a nanosecond or two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import zeros_in_place
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["FirstRows", "ListedRows", "Rows", "listed_rows"]


@dataclass
class ListedRows:
    """The valid rows of a padded sequence, listed.

    Attributes:
        rows: Their numbers, int32 ``[T * B]``.
        how_many: Their number, the first element of int32 ``[2]``.
    """

    rows: Array
    how_many: Array

    def inside(self, executable: Executable) -> ListedRows:
        """The same list, inside a dispatch that reads it."""
        return ListedRows(executable.read(self.rows), executable.read(self.how_many))

    def count(self, body: Body) -> Number:
        """The number of rows."""
        return body.element(self.how_many, [0]).to_index()

    def row(self, body: Body, index: Index) -> Number:
        """The number of the row at an index of the list."""
        return body.element(self.rows, [index]).to_index()


@dataclass
class FirstRows:
    """The first rows of a sequence: those of some steps.

    Attributes:
        number: The number of rows of the whole sequence.
        steps: The number of steps to read, an int64 scalar; None for all.
        batch: The rows of a step.
    """

    number: Index
    steps: Array | None = None
    batch: Index = 1

    def inside(self, executable: Executable) -> FirstRows:
        """The same rows, inside a dispatch that reads them."""
        steps = None if self.steps is None else executable.read(self.steps)
        return FirstRows(executable.size(self.number), steps, executable.size(self.batch))

    def count(self, body: Body) -> Number:
        """The number of rows."""
        number = body.index(self.number)
        if self.steps is None:
            return number
        steps = body.element(self.steps).at_least(0).to_index()
        return (steps * self.batch).at_most(number)

    def row(self, body: Body, index: Index) -> Number:
        """The number of the row at an index, which is the index."""
        return body.index(index)


Rows: TypeAlias = FirstRows | ListedRows
"""The rows that a product reads."""


def listed_rows(
    outside: Function, vectors: VectorUnit, lengths: Array, start: Number | Array, steps: Index
) -> ListedRows:
    """Emits the listing of the valid rows.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        lengths: The number of steps of each row of the batch, int64 ``[B]``.
        start: The time of the first step, an int64 or an array of one.
        steps: The number of steps.
    """
    (batch,) = lengths.shape
    executable = Executable(outside, "rows", 1)
    body = executable.body
    lengths = executable.read(outside.materialized(lengths))
    if isinstance(start, Array):
        first = body.element(executable.read(outside.materialized(start)))
    else:
        first = executable.given(start)
    rows = executable.make(ArrayType((steps * batch,), "i32"))
    batch = executable.size(batch)
    how_many = executable.make(ArrayType((2,), "i32"))
    if isinstance(rows.shape[0], int):
        rows.value = zeros_in_place(body, vectors, rows).value
    how_many.value = zeros_in_place(body, vectors, how_many).value

    def step(time: Number) -> None:
        before = first + time.to_integer("i64")

        def row(number: Number) -> None:
            end = body.element(how_many, [0])
            is_valid = before < body.element(lengths, [number])
            here = (time * batch + number).to_integer("i32")
            stays = body.element(rows, [end.to_index()])
            body.put(body.select(is_valid, here, stays), rows, [end.to_index()])
            more = is_valid.to_index().to_integer("i32")
            body.put(end + more, how_many, [0])

        body.loop(0, batch, 1, [rows, how_many], row)

    body.loop(0, executable.size(steps), 1, [rows, how_many], step)
    executable.dispatch()
    return ListedRows(rows, how_many)

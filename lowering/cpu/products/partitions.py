"""The product of rows whose number is computed, or that are copied first.

A workgroup has a partition of the rows, and multiplies it in chunks: as many rows as fit a cache.
If fewer rows than a tile has can be read, they are multiplied one by one.

| rows | a tile is |
|---|---|
| the first ones | read in place |
| listed | gathered into a buffer that stays in a second-level cache, and written row by row |
| quantized | quantized, and scaled |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.products.blocking import COPIES_AT_ONCE, ROWS_AT_ONCE
from rnn_compiler.lowering.cpu.products.panel_product import PanelProduct
from rnn_compiler.lowering.cpu.products.quantized_rows import QuantizedRows
from rnn_compiler.lowering.cpu.products.rows import Rows
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import copy_row

__all__ = ["GatheredPartition", "Partition", "QuantizedPartition"]


class _Chunk(NamedTuple):
    """Rows that are multiplied together: the first one, and their number."""

    first: Number
    size: Number


class Partition(PanelProduct):
    """A workgroup's partition of the first rows, of an open number.

    Attributes:
        rows: The rows.
        count: Their number.
        whole: The destination.
        base: Its row for the first row.
        at_once: The most rows of a chunk.
        copies: The arrays that rows are copied to.
    """

    at_once = ROWS_AT_ONCE
    copies: Sequence[Array] = ()

    def emit(self, rows: Rows) -> Array:
        """Emits the dispatch; returns its result."""
        body, executable, plan, height = self.body, self.executable, self.plan, self.vectors.rows
        self.rows = rows.inside(executable)
        self.whole, self.base = self.store.inside(self.outside, executable)
        self.count = self.rows.count(body)
        step = plan.count * height
        size = ((self.count + (step - 1)) // step * height).at_least(plan.least)
        part, column_part = executable.workgroup(), 0
        if plan.across > 1:
            part, column_part = part // plan.across, part % plan.across
        low = (part * size).at_most(self.count)
        high = (low + size).at_most(self.count)
        self.prepare()

        def chunk(first: Number) -> None:
            self._multiply(_Chunk(first, (high - first).at_most(self.at_once)), column_part)

        body.loop(low, high, self.at_once, [self.whole, *self.copies], chunk)
        executable.dispatch()
        return self.whole

    def _multiply(self, chunk: _Chunk, column_part: Index) -> None:
        """Emits the product of a chunk, panel by panel and tile by tile."""
        body, height, carried = self.body, self.vectors.rows, [self.whole]
        self.copy(chunk)
        tiles, singles = (chunk.size + (height - 1)) // height, None
        readable = self.readable(chunk)
        if readable is not None:
            is_few, none = readable < body.index(height), body.index(0)
            tiles = body.select(is_few, none, tiles)
            singles = body.select(is_few, chunk.size, none)

        def panel(column: Number, width: int) -> None:
            rhs = self.panel(column)

            def tile(number: Number) -> None:
                row = number * height
                last = row if readable is None else row.at_most(readable - height)
                self.multiply(chunk, last, height, rhs, column, width)

            def single(row: Number) -> None:
                self.multiply(chunk, row, 1, rhs, column, width)

            body.loop(0, tiles, 1, carried, tile)
            if singles is not None:
                body.loop(0, singles, 1, carried, single)

        self.panels(self.plan.columns, carried, panel, column_part, self.plan.across)

    def prepare(self) -> None:
        """Emits what the rows are copied to."""

    def copy(self, chunk: _Chunk) -> None:
        """Emits the copies of a chunk's rows."""

    def readable(self, chunk: _Chunk) -> Number | None:
        """Emits the number of rows that can be read, from the first on; None for whole tiles."""
        return self.count - chunk.first

    def multiply(
        self, chunk: _Chunk, row: Number, rows: int, rhs: Array, column: Number, width: int
    ) -> None:
        """Emits the product of some rows of a chunk, from `row` on, and a panel."""
        at, sizes = chunk.first + row, [rows] if rows > 1 else []
        lhs = self.body.extract(self.lhs, [at, 0], (*sizes, self.plan.inner))
        self.body.insert(self.product(lhs, rhs, width), self.whole, [at + self.base, column])


class GatheredPartition(Partition):
    """Listed rows; a workgroup gathers all chunks into the same part of a buffer.

    Attributes:
        first: The workgroup's first row of the buffer.
    """

    at_once = COPIES_AT_ONCE

    def prepare(self) -> None:
        """Emits the buffer."""
        shape = self.plan.workgroups * self.at_once, self.plan.inner
        self.copies = [self.executable.make(ArrayType(shape, self.lhs.element))]
        self.first = self.executable.workgroup() * self.at_once

    def copy(self, chunk: _Chunk) -> None:
        """Emits the gathering of a chunk."""

        def row(number: Number) -> None:
            source = self.lhs, [self.rows.row(self.body, chunk.first + number)]
            copy_row(self.body, self.vectors, source, (self.copies[0], [self.first + number]))

        self.body.loop(0, chunk.size, 1, self.copies, row)

    def readable(self, chunk: _Chunk) -> None:
        """The buffer has whole tiles."""

    def multiply(
        self, chunk: _Chunk, row: Number, rows: int, rhs: Array, column: Number, width: int
    ) -> None:
        """Emits a tile, and scatters its rows to the destination."""
        body, inner = self.body, self.plan.inner
        lhs = body.extract(self.copies[0], [self.first + row, 0], (rows, inner))
        made = self.product(lhs, rhs, self.plan.panel)

        def write(line: Number) -> None:
            to = (self.whole, [self.rows.row(body, chunk.first + row + line) + self.base])
            copy_row(body, self.vectors, (made, [line]), to, column, width)

        body.loop(0, (chunk.size - row).at_most(rows), 1, [self.whole], write)


class QuantizedPartition(Partition):
    """Rows that workgroups quantize; several may share the columns.

    Attributes:
        quantized: The rows in int8.
    """

    def prepare(self) -> None:
        """Emits the arrays of the rows in int8."""
        assert self.scale is not None
        self.quantized = QuantizedRows(self.executable, self.plan, self.lhs, self.scale)
        self.at_once, self.copies = self.quantized.at_once, self.quantized.rows.arrays

    def copy(self, chunk: _Chunk) -> None:
        """Emits a chunk in int8."""

        def row(number: Number) -> None:
            self.quantized.quantize([chunk.first + number], [number])

        self.body.loop(0, chunk.size, 1, self.copies, row)

    def readable(self, chunk: _Chunk) -> Number:
        """Only the rows of the chunk are there."""
        return chunk.size

    def multiply(
        self, chunk: _Chunk, row: Number, rows: int, rhs: Array, column: Number, width: int
    ) -> None:
        """Emits the product of some rows of a chunk, from `row` on, and a panel."""
        to = (self.whole, [chunk.first + row + self.base, column])
        self.quantized.multiply([row], rows, rhs, to, width)

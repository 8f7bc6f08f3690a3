"""The product of rows whose number is computed, or that are copied first.

A workgroup has a partition of the rows, and multiplies it in chunks: as many rows as fit a cache.

| rows | a tile is |
|---|---|
| the first ones | read in place |
| listed | gathered, and written row by row |
| quantized | quantized, and scaled |
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.products.blocking import WORKGROUPS
from rnn_compiler.lowering.cpu.products.panel_product import PanelProduct
from rnn_compiler.lowering.cpu.products.rows import Rows
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import copy_row

__all__ = ["ListedPartition", "Partition", "QuantizedPartition"]

_MIN_ROWS = 64
"""The fewest rows of a workgroup."""

_ROWS_AT_ONCE, _COPIES_AT_ONCE = 512, 128
"""Rows that a workgroup multiplies at a time, in place and gathered."""


class Partition(PanelProduct):
    """A workgroup's partition of the first rows, of an open number.

    Attributes:
        whole: The destination.
        base: Its row for the first row.
        count: The number of rows to multiply.
        column_part: The workgroup's part of the columns.
    """

    @property
    def across(self) -> int:
        """The number of parts into which the columns are divided."""
        return self.plan.across

    @property
    def at_once(self) -> int:
        """The rows that a workgroup multiplies at a time."""
        return _ROWS_AT_ONCE

    def emit(self, rows: Rows) -> Array:
        """Emits the dispatch; returns its result."""
        body, executable = self.body, self.executable
        self.rows = rows.inside(executable)
        self.whole, self.base = self.store.inside(self.outside, executable)
        self.count = self.rows.count(body)
        size, part = self.size(), executable.workgroup()
        self.column_part: Index = 0
        if self.across > 1:
            part, self.column_part = part // self.across, part % self.across
        low = (part * size).at_most(self.count)
        self.emit_rows(low, (low + size).at_most(self.count))
        executable.dispatch()
        return self.whole

    def size(self) -> Number:
        """Emits the number of rows of a partition."""
        return ((self.count + (self.workgroups - 1)) // self.workgroups).at_least(_MIN_ROWS)

    def emit_rows(self, low: Number, high: Number) -> None:
        """Emits the code of a workgroup; rows one by one if there are fewer than a tile has."""
        body, plan = self.body, self.plan
        is_few = self.count < body.index(self.vectors.rows)

        def one(row: Number) -> None:
            def panel(column: Number, width: int) -> None:
                self._insert_product(row, self.panel(column), column, width)

            self.panels(plan.columns, [self.whole], panel)

        self.emit_chunks(body.select(is_few, high, low), high, [self.whole])
        body.loop(low, body.select(is_few, high, low), 1, [self.whole], one)

    def emit_chunks(self, low: Number, high: Number, carried: Sequence[Array]) -> None:
        """Emits the products of some rows, chunk by chunk."""
        plan, body, height = self.plan, self.body, self.vectors.rows

        def chunk(first: Number) -> None:
            count = (high - first).at_most(self.at_once)
            tiles = (count + (height - 1)) // height
            self.prepare_chunk(first, count)

            def panel(column: Number, width: int) -> None:
                self.multiply_chunk(first, count, tiles, column, width)

            self.panels(plan.columns, [self.whole], panel, self.column_part, self.across)

        body.loop(low, high, self.at_once, carried, chunk)

    def prepare_chunk(self, first: Number, count: Number) -> None:
        """Emits code before the products of a chunk."""

    def multiply_chunk(
        self, first: Number, count: Number, tiles: Number, column: Number, width: int
    ) -> None:
        """Emits the product of a chunk and a panel, tile by tile."""
        rhs = self.panel(column)

        def tile(number: Number) -> None:
            self.emit_tile(first, number * self.vectors.rows, count, rhs, column, width)

        self.body.loop(0, tiles, 1, [self.whole], tile)

    def emit_tile(
        self, first: Number, row: Number, count: Number, rhs: Array, column: Number, width: int
    ) -> None:
        """Emits a tile: the rows from `row` on, of a chunk that begins at `first`."""
        last = (first + row).at_most(self.count - self.vectors.rows)
        self._insert_product(last, rhs, column, width, self.vectors.rows)

    def _insert_product(
        self, row: Number, rhs: Array, column: Number, width: int, *sizes: int
    ) -> None:
        """Emits the product of some rows, or of a single one, in its place."""
        lhs = self.body.extract(self.lhs, [row, 0], (*sizes, self.plan.inner))
        self.body.insert(self.product(lhs, rhs, width), self.whole, [row + self.base, column])


class ListedPartition(Partition):
    """Listed rows, gathered into a buffer that stays in a second-level cache.

    A workgroup reuses its part of the buffer for all rows that it gathers.

    Attributes:
        copies: The buffer of all workgroups.
        first: The first row of this workgroup's part.
    """

    @property
    def at_once(self) -> int:
        """The rows that a workgroup gathers at a time."""
        return _COPIES_AT_ONCE

    @property
    def is_packed(self) -> bool:
        """Whether the right-hand side is packed; no panel may overlap another."""
        return self.plan.packed or bool(self.plan.columns % self.plan.panel)

    @property
    def across(self) -> int:
        """The number of parts into which the columns are divided: each would gather all rows."""
        return 1

    @property
    def workgroups(self) -> int:
        """The number of workgroups."""
        return min(WORKGROUPS, -(-self.plan.rows // _COPIES_AT_ONCE))

    def emit_rows(self, low: Number, high: Number) -> None:
        """Emits the code of a workgroup."""
        rows, of = self.workgroups * _COPIES_AT_ONCE, self.lhs.element
        self.copies = self.executable.make(ArrayType((rows, self.plan.inner), of))
        self.first = self.executable.workgroup() * _COPIES_AT_ONCE
        self.emit_chunks(low, high, [self.whole, self.copies])

    def prepare_chunk(self, first: Number, count: Number) -> None:
        """Emits the gathering of a chunk."""

        def copy(number: Number) -> None:
            row = self.rows.row(self.body, first + number)
            to = (self.copies, [self.first + number])
            copy_row(self.body, self.vectors, (self.lhs, [row]), to)

        self.body.loop(0, count, 1, [self.copies], copy)

    def emit_tile(
        self, first: Number, row: Number, count: Number, rhs: Array, column: Number, width: int
    ) -> None:
        """Emits a tile, and scatters its rows to the destination."""
        body, height = self.body, self.vectors.rows
        lhs = body.extract(self.copies, [self.first + row, 0], (height, self.plan.inner))
        made = tile_matmul(body, self.vectors, self.plan.format, lhs, rhs)

        def write(line: Number) -> None:
            to = (self.whole, [self.rows.row(body, first + row + line) + self.base])
            copy_row(body, self.vectors, (made, [line]), to, column, width)

        body.loop(0, (count - row).at_most(height), 1, [self.whole], write)


class QuantizedPartition(Partition):
    """Rows that workgroups quantize; several may share the columns.

    If there are fewer rows than a tile has, or fewer are left, they are multiplied one by one.
    """

    @property
    def at_once(self) -> int:
        """The rows that a workgroup quantizes at a time."""
        return self.quantized.at_once

    def size(self) -> Number:
        """Emits the number of rows of a partition: whole tiles, except in the last one."""
        step = self.plan.count * self.vectors.rows
        return (self.count + (step - 1)) // step * self.vectors.rows

    def emit_rows(self, low: Number, high: Number) -> None:
        """Emits the code of a workgroup."""
        self.emit_chunks(low, high, [self.whole, *self.quantized.rows.arrays])

    def prepare_chunk(self, first: Number, count: Number) -> None:
        """Emits a chunk in int8."""
        self.body.loop(
            *(0, count, 1, self.quantized.rows.arrays),
            lambda number: self.quantized.quantize([first + number], [number]),
        )

    def multiply_chunk(
        self, first: Number, count: Number, tiles: Number, column: Number, width: int
    ) -> None:
        """Emits the product of a chunk and a panel, tile by tile."""
        body, height, rhs = self.body, self.vectors.rows, self.panel(column)
        is_few, zero = count < body.index(height), body.index(0)

        def multiply(row: Number, rows: int) -> None:
            to = (self.whole, [first + row + self.base, column])
            self.quantized.multiply([row], rows, rhs, to, width)

        def tile(number: Number) -> None:
            multiply((number * height).at_most(count - height), height)

        carried = [self.whole]
        body.loop(0, body.select(is_few, zero, tiles), 1, carried, tile)
        body.loop(0, body.select(is_few, count, zero), 1, carried, lambda row: multiply(row, 1))

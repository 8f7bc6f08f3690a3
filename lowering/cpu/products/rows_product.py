"""The product of rows with a matrix, `x @ w`, as one dispatch, blocked for the caches of CPUs.

    for partition of the rows, in parallel:
      for some of these rows, as many as fit a cache:
        for panel of columns:
          for tile of rows:
            result[tile, panel] = lhs[tile] @ rhs[panel]          # linalg.matmul, sums in registers

| rows | partitions | a tile is |
|---|---|---|
| all, of a known number | blocks (`blocking`), and parts of the columns | read in place |
| the first ones, or all of an open number | at least `_MIN_ROWS` rows | read in place |
| listed | at least `_MIN_ROWS` rows | gathered, and written row by row |
| a single one | parts of the columns | that row |

Remainders: the last tile of rows, the last block, and the last panel that is read in place overlap
the previous ones and compute some numbers again; two blocks may write these at once. If there are
fewer rows than a tile has, of an open number, they are multiplied one by one. Packed panels are
padded with zeros. The bits of a row's sums are the same in all these cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import first_only, partition
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.products.blocking import STREAM, WORKGROUPS, Blocking
from rnn_compiler.lowering.cpu.products.rows import FirstRows, ListedRows, Rows
from rnn_compiler.lowering.cpu.products.store import Store
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.row_dot import row_dot
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import copy_row, zeros_in_place

__all__ = ["rows_product"]

_MIN_ROWS = 64
"""The fewest rows of a workgroup if the number of rows is open."""
_ROWS_AT_ONCE, _COPIES_AT_ONCE = 512, 128
"""Rows that a workgroup multiplies at a time, in place and gathered."""


def rows_product(
    outside: Function,
    plan: Blocking,
    lhs: Array,
    rhs: Array,
    axis: int,
    rows: Rows | None = None,
    store: Store | None = None,
) -> Array:
    """Emits the product.

    Args:
        outside: The function that gets the dispatch.
        plan: The sizes of its tiles and panels.
        lhs: ``[M, K]``; M, if it is computed, at least 1.
        rhs: ``[K, N]``, or ``[N, K]`` if `axis` is 1; the element types are those of the format.
        axis: The contracted axis of `rhs`.
        rows: The rows to multiply; None for all. If M is known, the others may be computed too.
        store: The destination of the product; None for a new matrix, as for a single row.

    Returns:
        ``[M, N]``, or the destination; other rows are undefined.
    """
    number = lhs.shape[0]
    rows = rows or FirstRows(number)
    assert store is None or number != 1
    store = store or Store(ArrayType((number, plan.columns), plan.format.result))
    if number == 1:
        return _Row(outside, plan, collapse(outside, lhs, [[0, 1]]), rhs, axis, store).emit()
    if isinstance(rows, ListedRows):
        return _Listed(outside, plan, lhs, rhs, axis, store).emit(rows)
    if isinstance(number, int):
        return _Blocks(outside, plan, lhs, rhs, axis, store).emit()
    return _Partitioned(outside, plan, lhs, rhs, axis, store).emit(rows)


class _Product:
    """The common base of the cases.

    Attributes:
        plan: The sizes of tiles and panels.
        vectors: The vector unit.
        executable: The dispatch.
        body: Its body.
        lhs: The left-hand side.
        rhs: The right-hand side, packed or not.
        outside: The function that gets the dispatch.
        store: The destination of the product.
    """

    def __init__(
        self, outside: Function, plan: Blocking, lhs: Array, rhs: Array, axis: int, store: Store
    ) -> None:
        self.plan, self.vectors = plan, plan.vectors
        if self.is_packed:
            rhs = pack(outside, plan.vectors, plan.format, rhs, 1 - axis, plan.panel)
            if plan.columns <= plan.panel:
                rhs = collapse(outside, rhs, [[0, 1], [2]])
        self.executable = Executable(outside, "product", self.workgroups)
        self.body, self.outside, self.store = self.executable.body, outside, store
        sides = map(outside.materialized, (lhs, rhs))
        self.lhs, self.rhs = map(self.executable.read, sides)

    @property
    def is_packed(self) -> bool:
        """Whether the right-hand side is packed."""
        return self.plan.packed

    @property
    def workgroups(self) -> int:
        """The number of workgroups."""
        return self.plan.count * self.plan.across

    def panels(
        self,
        columns: int,
        carried: Sequence[Array],
        each: Callable[[Number, int], None],
        part: Index = 0,
        among: int = 1,
    ) -> None:
        """Emits a loop over the panels of some columns, given where each begins and its width.

        If several parts share the columns, the loop is over those of one; the first has the rest.
        """
        body, panel = self.body, self.plan.panel
        full, left = divmod(columns, panel)
        if among > 1:
            partition(
                body, full, among, part, carried, lambda n: each(body.index(n * panel), panel)
            )
        elif full:
            body.loop(0, full * panel, panel, carried, lambda column: each(column, panel))
        overlaps = full and not self.is_packed
        column, width = (columns - panel, panel) if overlaps else (full * panel, left)
        if left:
            first_only(body, part, among, carried, lambda: each(body.index(column), width))

    def panel(self, column: Number) -> Array:
        """Emits the panel of the right-hand side that begins at a column."""
        inner = known(self.rhs.shape)[-2]
        if len(self.rhs.shape) == 2:
            return self.body.extract(self.rhs, [0, column], (inner, self.plan.panel))
        start = [column // self.plan.panel, 0, 0]
        return self.body.extract(self.rhs, start, (inner, self.plan.panel))

    def product(self, lhs: Array, rhs: Array, width: int) -> Array:
        """Emits some columns of a tile, or of a row, of the product."""
        made = tile_matmul(self.body, self.vectors, self.plan.format, lhs, rhs)
        if width < self.plan.panel:
            sizes = (*made.shape[:-1], width)
            made = self.body.extract(made, [0] * len(sizes), sizes)
        return made


class _Row(_Product):
    """A single row: workgroups share the panels, and read the matrix once, in order.

    Arrays have no unit axis, which IREE would fold (`tests/traps/test_unit_axis_in_a_loop.py`).
    """

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        plan, executable = self.plan, self.executable
        part, type = executable.workgroup(), ArrayType((plan.columns,), plan.format.result)
        row = executable.make(type)

        def panel(column: Number, width: int) -> None:
            if plan.dotted:
                made = row_dot(self.body, self.vectors, self.lhs, self.rhs, column, width)
            else:
                made = self.product(self.lhs, self.panel(column), width)
            self.body.insert(made, row, [column])

        self.panels(plan.columns, [row], panel, part, plan.across)
        executable.dispatch()
        return expand(self.outside, row, [[0, 1]], (1, plan.columns))


class _Blocks(_Product):
    """All rows of a known number: a workgroup has a block of them, and a part of the columns.

    Attributes:
        first: The first row of the block.
        column: The first column of the part.
        part: The part of the product.
    """

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        plan, body = self.plan, self.body
        self.column: Index = 0
        block = self.executable.workgroup()
        if plan.across > 1:
            across = body.index(plan.across)
            self.column = block % across * plan.width
            block = block // across
        self.first = block * plan.block
        if plan.count * plan.block != plan.rows:
            self.first = self.first.at_most(plan.rows - plan.block)
        whole, _ = self.store.inside(self.outside, self.executable)
        starts = [self.first, self.column]
        self.part = body.extract(whole, starts, [plan.block, plan.width])
        if plan.streamed:
            self._stream()
        else:
            self.panels(plan.width, [self.part], self._rows_of)
        body.insert(self.part, whole, starts)
        self.executable.dispatch()
        return whole

    def _rows_of(self, column: Number, width: int) -> None:
        """Emits all tiles of a panel."""
        plan, body = self.plan, self.body
        rhs = self.panel(self.column + column)

        def tile(row: Number) -> None:
            lhs = body.extract(self.lhs, [self.first + row, 0], (plan.tile, plan.inner))
            body.insert(self.product(lhs, rhs, width), self.part, [row, column])

        full, rest = divmod(plan.block, plan.tile)
        body.loop(0, full * plan.tile, plan.tile, [self.part], tile)
        if rest:
            tile(body.index(plan.block - plan.tile))

    def _stream(self) -> None:
        """Emits the sums of all panels, some rows of the right-hand side at a time."""
        plan, body = self.plan, self.body
        self.part.value = zeros_in_place(body, plan.vectors, self.part).value
        full, rest = divmod(plan.inner, STREAM)
        body.loop(0, full * STREAM, STREAM, [self.part], lambda k: self._add(k, STREAM))
        if rest:
            self._add(body.index(full * STREAM), rest)
        if plan.columns % plan.panel:
            self._rows_of(body.index(plan.columns - plan.panel), plan.panel)

    def _add(self, k: Number, summed: int) -> None:
        """Emits the products with some rows of the right-hand side, added to the sums."""
        plan, body = self.plan, self.body
        full, rest = divmod(plan.block, plan.tile)
        end = plan.columns // plan.panel * plan.panel

        def tiles(row: Number, height: int) -> None:
            lhs = body.extract(self.lhs, [self.first + row, k], (height, summed))

            def each(column: Number) -> None:
                rhs = body.extract(self.rhs, [k, column], (summed, plan.panel))
                start = body.extract(self.part, [row, column], (height, plan.panel))
                made = tile_matmul(body, plan.vectors, plan.format, lhs, rhs, start)
                body.insert(made, self.part, [row, column])

            body.loop(0, end, plan.panel, [self.part], each)

        carried = [self.part]
        body.loop(0, full * plan.tile, plan.tile, carried, lambda row: tiles(row, plan.tile))
        if rest:
            tiles(body.index(full * plan.tile), rest)


class _Partitioned(_Product):
    """The first rows, of an open number: each workgroup computes a partition of them.

    Attributes:
        whole: The destination.
        base: Its row for the first row.
        count: The number of rows to multiply.
    """

    at_once = _ROWS_AT_ONCE

    @property
    def workgroups(self) -> int:
        """The number of workgroups."""
        return WORKGROUPS

    def emit(self, rows: Rows) -> Array:
        """Emits the dispatch; returns its result."""
        body, executable = self.body, self.executable
        self.rows = rows.inside(executable)
        self.whole, self.base = self.store.inside(self.outside, executable)
        self.count = self.rows.count(body)
        size = ((self.count + (self.workgroups - 1)) // self.workgroups).at_least(_MIN_ROWS)
        low = (executable.workgroup() * size).at_most(self.count)
        self.emit_rows(low, (low + size).at_most(self.count))
        executable.dispatch()
        return self.whole

    def emit_rows(self, low: Number, high: Number) -> None:
        """Emits the code of a workgroup; rows one by one if there are fewer than a tile has."""
        body, plan = self.body, self.plan
        is_few = self.count < body.index(self.vectors.rows)

        def one(row: Number) -> None:
            def panel(column: Number, width: int) -> None:
                self._tile(row, self.panel(column), column, width)

            self.panels(plan.columns, [self.whole], panel)

        self.some_rows(body.select(is_few, high, low), high, [self.whole])
        body.loop(low, body.select(is_few, high, low), 1, [self.whole], one)

    def some_rows(self, low: Number, high: Number, carried: Sequence[Array]) -> None:
        """Emits the products of some rows, as many at a time as fit a cache."""
        plan, body, height = self.plan, self.body, self.vectors.rows

        def some(first: Number) -> None:
            count = (high - first).at_most(self.at_once)
            tiles = (count + (height - 1)) // height
            self.begin(first, count)

            def panel(column: Number, width: int) -> None:
                rhs = self.panel(column)

                def tile(number: Number) -> None:
                    self.tile(first, number * height, count, rhs, column, width)

                body.loop(0, tiles, 1, [self.whole], tile)

            self.panels(plan.columns, [self.whole], panel)

        body.loop(low, high, self.at_once, carried, some)

    def begin(self, first: Number, count: Number) -> None:
        """Emits code before the products of some rows."""

    def tile(
        self, first: Number, row: Number, count: Number, rhs: Array, column: Number, width: int
    ) -> None:
        """Emits a tile: the rows from `row` on, of some that begin at `first`."""
        last = (first + row).at_most(self.count - self.vectors.rows)
        self._tile(last, rhs, column, width, self.vectors.rows)

    def _tile(self, row: Number, rhs: Array, column: Number, width: int, *sizes: int) -> None:
        """Emits a tile of some rows, or a single row."""
        lhs = self.body.extract(self.lhs, [row, 0], (*sizes, self.plan.inner))
        self.body.insert(self.product(lhs, rhs, width), self.whole, [row + self.base, column])


class _Listed(_Partitioned):
    """Listed rows, gathered into a buffer that stays in a second-level cache.

    A workgroup reuses its part of the buffer for all rows that it gathers.

    Attributes:
        copies: The buffer of all workgroups.
        first: The first row of this workgroup's part.
    """

    at_once = _COPIES_AT_ONCE

    @property
    def is_packed(self) -> bool:
        """Whether the right-hand side is packed; no panel may overlap another."""
        return self.plan.packed or bool(self.plan.columns % self.plan.panel)

    @property
    def workgroups(self) -> int:
        """The number of workgroups."""
        return min(WORKGROUPS, -(-self.plan.rows // _COPIES_AT_ONCE))

    def emit_rows(self, low: Number, high: Number) -> None:
        """Emits the code of a workgroup."""
        rows, of = self.workgroups * _COPIES_AT_ONCE, self.lhs.element
        self.copies = self.executable.make(ArrayType((rows, self.plan.inner), of))
        self.first = self.executable.workgroup() * _COPIES_AT_ONCE
        self.some_rows(low, high, [self.whole, self.copies])

    def begin(self, first: Number, count: Number) -> None:
        """Emits the gathering of some rows."""

        def copy(number: Number) -> None:
            row = self.rows.row(self.body, first + number)
            to = (self.copies, [self.first + number])
            copy_row(self.body, self.vectors, (self.lhs, [row]), to)

        self.body.loop(0, count, 1, [self.copies], copy)

    def tile(
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

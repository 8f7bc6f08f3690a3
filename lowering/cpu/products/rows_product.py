"""The product of rows with a matrix, `x @ w`, as one dispatch, blocked for the caches of CPUs.

    for partition of the rows, in parallel:
      for some of these rows, as many as fit a cache:
        for panel of columns:
          for tile of rows:
            result[tile, panel] = lhs[tile] @ rhs[panel]          # linalg.matmul, sums in registers

| rows | partitions | |
|---|---|---|
| all, of a known number | blocks of rows, and parts of the columns | `Blocks` |
| the first ones, or all of an open number | rows | `Partition` |
| listed | rows | `GatheredPartition` |
| to be quantized | rows, and parts of the columns | `QuantizedPartition` |
| a single one | parts of the columns | `_SingleRow` |

Remainders: the last tile of rows, the last block, and the last panel that is read in place overlap
the previous ones and compute some numbers again; two blocks may write these at once. If there are
fewer rows than a tile has, of an open number, they are multiplied one by one. Packed panels are
padded with zeros. The bits of a row's sums are the same in all these cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, bits, known
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.partition import one_only, partition
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand
from rnn_compiler.lowering.cpu.matrix_unit import COLUMNS as UNIT_COLUMNS
from rnn_compiler.lowering.cpu.matrix_unit import ROWS as UNIT_ROWS
from rnn_compiler.lowering.cpu.matrix_unit import MatrixUnit
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.row_copies import (
    copy_row,
    stream_rows,
    wait_for_streams,
    zeros_in_place,
)
from rnn_compiler.lowering.cpu.row_quantization import Int8Rows, int8_types, quantize_row, rescaled
from rnn_compiler.lowering.cpu.tiles import (
    min_columns,
    row_dot,
    starts_of,
    tile_matmul,
    unit_matmul,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat, divisor

# The tiling of a product of rows and a matrix: blocks of rows, panels of columns, tiles.
#
# A panel is loaded into the cache once per block, and the rows of a block once per panel. The
# right-hand side is packed into panels of columns, ``[N/P, K, P]``, if it is given as ``[N, K]``,
# if that is done once for many calls, or if it is large and there are many rows: in a wide matrix
# the rows of a panel are far apart, and if their distance is a power of two they compete for the
# same few cache lines. Otherwise packing does not pay for few rows; then a very large right-hand
# side is streamed, some of its rows at a time over all columns. For a single row, panels are four
# times as wide, for enough independent sums to hide the latency; and ``[N, K]`` that changes from
# call to call is read in place (`row_dot`), if it fills registers. Packed once, it is read 3 to 8
# % faster. A matrix unit reads panels only: for it, the right-hand side of a tile's rows is packed.

_BLOCK = range(64, 513)
"""The possible numbers of rows of a block."""

_MANY = 128
"""The fewest rows for which packing pays if the right-hand side is larger than the cache."""

_SMALL = 1 << 17
"""The most bytes of a right-hand side that needs no packing. Between this and the cache's size,
packing pays for at least twice `_MANY` rows."""

STREAM = 16
"""Rows of a streamed right-hand side that are read at a time, or as many as are summed apart."""

BYPASS = 4
"""How many times the size of a cache a matrix unit's results must be to bypass it. An ordinary
store reads its line first, which pays where the next reader still finds it."""

ROWS_AT_ONCE, COPIES_AT_ONCE = 512, 128
"""Rows that a workgroup multiplies at a time, in place and gathered."""

_MIN_ROWS = 64
"""The fewest rows of a workgroup, if their number is computed."""

WORKGROUPS = 15
"""The maximum number of workgroups if blocks have enough rows, and about the number to aim for.
IREE's threads take workgroups one by one if there are fewer than eight per thread, otherwise eight
at a time (`iree_task_dispatch_issue`), and then threads wait for the last."""


_MULTIPLICATIONS = 1 << 19
"""The fewest multiplications of a workgroup that quantizes rows, or has columns of its own."""

_STREAMED = 1 << 10
"""The fewest columns of a workgroup that streams the right-hand side."""

_MANY_ROWS = WORKGROUPS * 2 * _MANY
"""The number of rows to plan for if it is open."""


class Blocking:
    """The tiling of a product of two matrices.

    Attributes:
        rows: M; if open, `_MANY_ROWS`.
        listed: Whether the rows are listed, and each is written by itself: panels do not overlap.
        dotted: Whether it is ``[N, K]`` and read unpacked, by a single row.
        streamed: Whether the right-hand side is read some rows at a time.
        count: The number of parts into which the rows are divided.
        least: The fewest rows of a part of a computed number of rows.
        high: The rows of a tile, or more than those of the last one.
        bypasses: Whether a matrix unit's results bypass the caches.
        block: The rows of a part of a known number of rows: a block.
        across: The number of parts into which the columns are divided.
        is_even: Whether all parts have as many whole panels.
        width: The columns of a part, or of all parts together if these differ.
    """

    def __init__(
        self,
        vectors: VectorUnit,
        format: WeightFormat,
        rows: Index,
        rhs: ArrayType,
        axis: int,
        *,
        listed: bool = False,
        packed: bool = False,
        stays: bool = True,
    ) -> None:
        """Plans the product with a right-hand side.

        Packing is done in any case if `packed`, because that is done once for many calls; `stays`
        says that the right-hand side is the same at every call.
        """
        self.vectors, self.format, self.listed = vectors, format, listed
        self.rows = rows if isinstance(rows, int) else _MANY_ROWS
        self.inner, self.columns = known(rhs.shape)[:: -1 if axis else 1]
        widest = vectors.width(format.result) * (4 if self.rows == 1 else 1)
        self.panel = min(widest, max(self.columns, min_columns(format)))
        lanes = vectors.lanes(format.result)
        if self.rows > 1 and not format.is_grouped and self.panel > lanes > 2:
            self.panel = -(-self.panel // (lanes // 2)) * (lanes // 2)  # others are slow
        fills = vectors.fills_registers(self.inner, self.columns, element=format.result)
        is_read_once = self.rows == 1 and not stays
        self.dotted = axis == 1 and is_read_once and not format.is_grouped and fills
        size = self.inner * self.columns * bits(rhs.element) // 8
        many = self.rows >= _MANY
        pays = (many and size > vectors.cache) or (self.rows >= 2 * _MANY and size > _SMALL)
        is_transposed = axis == 1 and not self.dotted
        fits = self.panel <= self.columns
        overlaps = listed and self.columns % self.panel > 0
        needed = is_transposed or overlaps or not fits or format.is_quantized
        needed = needed or (format.tiles != "" and self.rows >= UNIT_ROWS)
        self.packed = packed or pays or needed
        self.streamed = size > 4 * vectors.cache and not (many or self.packed)
        self.high = min(self.rows, UNIT_ROWS) if format.tiles else vectors.rows
        self.count, self.across = self._parts(rows)
        self.least = self.high if format.is_quantized else _MIN_ROWS
        self.block = -(-self.rows // self.count)
        self.is_even = self.columns % (self.across * self.panel) == 0
        self.width = self.columns // self.across if self.is_even else self.columns
        self.tile = self._height()
        results = rows * self.columns * 4 if isinstance(rows, int) else 0
        is_aligned = self.columns % UNIT_COLUMNS == 0
        self.bypasses = bool(format.tiles) and is_aligned and results > BYPASS * vectors.cache

    @property
    def workgroups(self) -> int:
        """The number of workgroups."""
        return self.count * self.across

    def _parts(self, rows: Index) -> tuple[int, int]:
        """The numbers of parts into which the rows and the columns are divided.

        Listed rows are not divided by columns, because each part would gather them all.
        """
        panels, left_over = divmod(self.columns, self.panel)
        if self.listed:
            return min(WORKGROUPS, -(-self.rows // COPIES_AT_ONCE)), 1
        if self.rows == 1:
            weights = self.inner * self.columns // self.format.per_float32
            return 1, self.vectors.cut(1, max(panels, 1), weights)[0]
        if isinstance(rows, Number):
            if self.format.is_quantized:
                return WORKGROUPS, 1
            return WORKGROUPS, self._shares(panels, 4, self.vectors.rows)
        if self.format.is_quantized:
            return self._quantized_parts()
        blocks = self._blocks()
        most = max(1, WORKGROUPS // blocks)
        if not left_over:
            some = self.columns // _STREAMED if self.streamed else panels
            return blocks, divisor(panels, max(1, min(most, some)))
        if self.streamed:
            return blocks, 1
        return blocks, self._shares(panels, most // 2 * 2, self.rows)

    def _shares(self, panels: int, most: int, rows: int) -> int:
        """The number of parts of columns of different widths, for threads to share some rows."""
        if not self.vectors.has_threads:
            return 1
        work = rows * self.inner * self.columns
        return max(1, min(most, panels, work // _MULTIPLICATIONS))

    def _quantized_parts(self) -> tuple[int, int]:
        """The same for quantized rows; parts that share columns quantize the same rows."""
        work = self.rows * self.inner * self.columns
        parts = max(1, min(WORKGROUPS, work // _MULTIPLICATIONS))
        along = min(parts, -(-self.rows // self.high))
        return along, max(1, min(parts // along, -(-self.columns // self.panel)))

    def _blocks(self) -> int:
        """The number of blocks: the largest one for which the fewest rows are computed twice."""
        fewest = -(-self.rows // _BLOCK[-1])
        most = max(fewest, min(self.rows // _BLOCK[0], WORKGROUPS))
        height = self.vectors.tile_rows(self.format)

        def made(count: int) -> int:
            return count * -(-self.rows // count // height) * height

        return min(range(most, fewest - 1, -1), key=made)

    def _height(self) -> int:
        """The rows of a tile.

        As many as fill the registers, or fewer if that leaves a smaller remainder; reading a panel
        again costs about as much as another row.
        """
        if self.format.tiles and not self.streamed:
            return min(self.block, self.format.tile_rows)
        most = self.vectors.rows if self.format.tiles else self.vectors.tile_rows(self.format)
        sizes = range(min(most, self.block), most // 2, -1)
        return min(sizes, key=lambda size: -(-self.block // size) * (size + 1), default=self.block)


# The rows of its operands that a product reads: all, the first ones, or a list.
#
# For a padded sequence, its valid rows are listed:
#
#     rows = the numbers t*B + b with start + t < lengths[b], in order; then undefined
#     count = the number of these
#
# Products look up their rows in this list, so padding costs nothing. A dispatch makes the list in
# T*B steps of a nanosecond or two.


@dataclass
class ListedRows:
    """The valid rows of a padded sequence: their numbers, int32 ``[T * B]``, and their count.

    The count is the first element of int32 ``[2]``.
    """

    rows: Array
    how_many: Array

    def inside(self, executable: DispatchBuilder) -> ListedRows:
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
        steps: The number of steps to read, an int64 scalar; None for all.
    """

    number: Index
    steps: Array | None = None
    batch: Index = 1

    def inside(self, executable: DispatchBuilder) -> FirstRows:
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
    outside: FunctionBuilder,
    vectors: VectorUnit,
    lengths: Array,
    start: Number | Array,
    steps: Index,
) -> ListedRows:
    """Emits the listing of the valid rows, from the lengths of the batch's rows, int64 ``[B]``."""
    (batch,) = lengths.shape
    executable = DispatchBuilder(outside, "rows", 1)
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


# Rows of a product's left-hand side in int8, quantized by the workgroup that multiplies them.
#
# numbers, scale of the row = quantized(row)                    # in memory of the workgroup
# result[tile, panel] = float32(numbers[tile] @ panel) * (row scales * column scales)


class QuantizedRows:
    """The rows of all workgroups.

    Attributes:
        lhs: The left-hand side, ``[M, K]``, or ``[K]`` for a single row.
        at_once: The rows that a workgroup quantizes at a time.
        rows: The rows; the first axis of each array is that of workgroups.
    """

    def __init__(
        self,
        executable: DispatchBuilder,
        plan: Blocking,
        lhs: Array,
        scale: Array,
    ) -> None:
        self.plan, self.body, self.lhs, self.scale = plan, executable.body, lhs, scale
        vectors = plan.vectors
        self.at_once = max(plan.high, min(vectors.quantized_rows, plan.rows))
        # A single workgroup has rows for two: IREE folds unit axes, also those in a loop.
        leading = (max(2, plan.workgroups), *([self.at_once] if len(lhs.shape) > 1 else []))
        types = int8_types(plan.format, plan.inner, leading)
        self.rows, self.workgroup = Int8Rows(*map(executable.make, types)), executable.workgroup()
        self.unit = MatrixUnit(executable)

    def quantize(self, row: Sequence[Index], at: Sequence[Index]) -> None:
        """Emits a row in int8; both indices are empty if the left-hand side is a vector."""
        plan, index = self.plan, [self.workgroup, *at]
        source = (self.lhs, row)
        quantize_row(self.body, plan.vectors, plan.format, source, plan.inner, self.rows, index)

    def multiply(
        self,
        at: Sequence[Index],
        rows: int,
        rhs: Array,
        to: tuple[Array, Sequence[Index]],
        width: int,
    ) -> None:
        """Emits the product of some rows and a panel to a destination, from a position in it on."""
        body, plan, (made, position) = self.body, self.plan, to
        *lead, first = position
        lhs = self.rows.tile(body, [self.workgroup, *at], rows)
        sums = tile_matmul(body, plan.vectors, plan.format, lhs, rhs, unit=self.unit)
        lanes = min(plan.vectors.lanes("f32"), width)
        for start in starts_of(width, lanes):
            scale, column = body.read(self.scale, [first + start], lanes), first + start
            for row in range(rows):
                own = body.read(sums, [*([row] if rows > 1 else []), start], lanes)
                index = [self.workgroup, *(each + row for each in at)]
                numbers = rescaled(body, own, self.rows, index, scale)
                body.write(numbers, made, [*(each + row for each in lead), column])


# The destination of a product's rows: a new matrix, or a part of a larger one.


@dataclass(frozen=True)
class Store:
    """The destination of a product's rows.

    Attributes:
        whole: The matrix; the type of a new one, which is undefined where no product writes.
        steps: The step at which they begin, an int64 scalar; None for the first.
    """

    whole: Array | ArrayType
    steps: Array | None = None
    batch: Index = 1

    @classmethod
    def part(
        cls, body: Body, sequence: Array, steps: Array, columns: int, of: str, *, is_new: bool
    ) -> Store:
        """A part of a sequence ``[T, B, N]``, or of a new one with the same T and B."""
        T, batch, _ = sequence.shape
        if is_new:
            return cls(ArrayType((batch * T, columns), of), steps, batch)
        return cls(collapse(body, sequence, [[0, 1], [2]]), steps, batch)

    def inside(self, outside: FunctionBuilder, executable: DispatchBuilder) -> tuple[Array, Index]:
        """The matrix inside a dispatch that writes to it, and the number of the first row."""
        first: Index = 0
        if self.steps is not None:
            steps = executable.body.element(executable.read(outside.materialized(self.steps)))
            first = steps.to_index() * executable.size(self.batch)
        if isinstance(self.whole, ArrayType):
            return executable.make(self.whole), first
        return executable.change(outside.materialized(self.whole)), first


# A product by panels of columns: packs the right-hand side, and loops over its panels.


class PanelProduct:
    """The product of some rows, by panels of columns: the common base of all cases."""

    def __init__(
        self,
        outside: FunctionBuilder,
        plan: Blocking,
        lhs: Array,
        rhs: Array,
        axis: int,
        store: Store,
        scale: Array | None = None,
    ) -> None:
        self.plan, self.vectors = plan, plan.vectors
        if plan.packed:
            rhs = pack(outside, plan.vectors, plan.format, rhs, 1 - axis, plan.panel)
            if plan.columns <= plan.panel:
                rhs = collapse(outside, rhs, [[0, 1], [2]])
        self.executable = DispatchBuilder(outside, "product", plan.workgroups)
        self.unit = MatrixUnit(self.executable)
        self.body, self.outside, self.store = self.executable.body, outside, store
        sides = map(outside.materialized, (lhs, rhs))
        self.lhs, self.rhs = map(self.executable.read, sides)
        self.scale = None
        if scale is not None:
            self.scale = self.executable.read(outside.materialized(scale))

    def panels(
        self,
        columns: int,
        carried: Sequence[Array],
        each: Callable[[Number, int], None],
        part: Index = 0,
        among: int = 1,
    ) -> None:
        """Emits a loop over the panels of some columns, given where each begins and its width.

        If several parts share the columns, the loop is over those of one; the last has the rest.
        """
        body, panel = self.body, self.plan.panel
        full, left = divmod(columns, panel)
        if among > 1:
            partition(
                body, full, among, part, carried, lambda n: each(body.index(n * panel), panel)
            )
        elif full:
            body.loop(0, full * panel, panel, carried, lambda column: each(column, panel))
        overlaps = full and not self.plan.packed
        column, width = (columns - panel, panel) if overlaps else (full * panel, left)
        if left:
            last = among - 1
            one_only(body, part, among, carried, lambda: each(body.index(column), width), last)

    def panel(self, column: Number) -> Array:
        """Emits the panel of the right-hand side that begins at a column."""
        inner, width = known(self.rhs.shape)[-2], self.plan.panel
        if self.plan.packed:
            width = self.plan.format.width(width)
        if len(self.rhs.shape) == 2:  # unpacked, or a single panel
            return self.body.extract(self.rhs, [0, column], (inner, width))
        return self.body.extract(self.rhs, [column // self.plan.panel, 0, 0], (inner, width))

    def multiply_to(
        self, lhs: Array, rhs: Array, width: int, array: Array, at: Sequence[Index], base: Index = 0
    ) -> None:
        """Emits some columns of a tile, or of a row, of the product to a position of an array.

        It is `at`, counted from the row `base`.
        """
        body, how = self.body, (self.vectors, self.plan.format, lhs, rhs)
        if not self.unit.takes(self.plan.format, lhs, rhs):
            made = tile_matmul(body, *how)
            if width < self.plan.panel:
                sizes = (*made.shape[:-1], width)
                made = body.extract(made, [0] * len(sizes), sizes)
            body.insert(made, array, [at[0] + base, *at[1:]])
            return
        position = [at[0] + base, at[1]]
        if width == self.plan.panel and not self.plan.bypasses:
            unit_matmul(body, *how, self.unit, (array, position))
            return
        made, rows = tile_matmul(body, *how, unit=self.unit), known(lhs.shape)[0]
        if width == self.plan.panel:
            stream_rows(body, made, array, position)
        else:
            self.copy_rows(made, rows, width, array, position)

    def copy_rows(
        self, made: Array, rows: Index, width: int, array: Array, position: Sequence[Index]
    ) -> None:
        """Emits copies of the first columns of a product on the stack."""
        body, (first, column) = self.body, position

        def row(line: Number) -> None:
            to = array, [first + line]
            copy_row(body, self.vectors, (made, [line]), to, column, width)

        body.loop(0, rows, 1, [array], row)


# The product of all rows, of a known number: workgroups share blocks of rows and columns.


class Blocks(PanelProduct):
    """All rows of a known number: a workgroup has a block of them, and a part of the columns."""

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        plan, body = self.plan, self.body
        self.column: Index = 0
        self.base: Index = 0
        block, part = self.executable.workgroup(), 0
        if plan.across > 1:
            across = body.index(plan.across)
            block, part = block // across, block % across
        self.first = block * plan.block
        if plan.count * plan.block != plan.rows:
            self.first = self.first.at_most(plan.rows - plan.block)
        whole, _ = self.store.inside(self.outside, self.executable)
        if plan.across == 1 or plan.is_even:
            self._multiply(whole, part * plan.width)
        else:
            self.part, self.base = whole, self.first
            self.panels(plan.columns, [whole], self._rows_of, part, plan.across)
            self._wait()
        self.executable.dispatch()
        return whole

    def _multiply(self, whole: Array, column: Index) -> None:
        """Emits a block of rows, and columns from one on, which no other workgroup has."""
        plan, body, self.column = self.plan, self.body, column
        starts = [self.first, column]
        self.part = body.extract(whole, starts, [plan.block, plan.width])
        if plan.streamed:
            self._stream()
        else:
            self.panels(plan.width, [self.part], self._rows_of)
        self._wait()
        body.insert(self.part, whole, starts)

    def _wait(self) -> None:
        """Emits waiting for results that bypass the caches."""
        if self.plan.bypasses:
            wait_for_streams(self.body)

    def _rows_of(self, column: Number, width: int) -> None:
        """Emits all tiles of a panel."""
        plan, body = self.plan, self.body
        rhs = self.panel(self.column + column)

        def tile(row: Number) -> None:
            lhs = body.extract(self.lhs, [self.first + row, 0], (plan.tile, plan.inner))
            self.multiply_to(lhs, rhs, width, self.part, [row, column], self.base)

        full, rest = divmod(plan.block, plan.tile)
        body.loop(0, full * plan.tile, plan.tile, [self.part], tile)
        if rest:
            tile(body.index(plan.block - plan.tile))

    def _stream(self) -> None:
        """Emits the sums of all panels, some rows of the right-hand side at a time."""
        plan, body = self.plan, self.body
        self.part.value = zeros_in_place(body, plan.vectors, self.part).value
        some = max(STREAM, plan.format.summed)
        full, rest = divmod(plan.inner, some)
        body.loop(0, full * some, some, [self.part], lambda k: self._add(k, some))
        if rest:
            self._add(body.index(full * some), rest)
        if plan.columns % plan.panel:
            self._rows_of(body.index(plan.columns - plan.panel), plan.panel)

    def _add(self, k: Number, summed: int) -> None:
        """Emits the products with some rows of the right-hand side, added to the sums."""
        plan, body = self.plan, self.body
        full, rest = divmod(plan.block, plan.tile)
        end = plan.width // plan.panel * plan.panel

        def tiles(row: Number, height: int) -> None:
            lhs = body.extract(self.lhs, [self.first + row, k], (height, summed))

            def each(column: Number) -> None:
                rhs = body.extract(self.rhs, [k, self.column + column], (summed, plan.panel))
                start = body.extract(self.part, [row, column], (height, plan.panel))
                made = tile_matmul(body, plan.vectors, plan.format, lhs, rhs, start)
                body.insert(made, self.part, [row, column])

            body.loop(0, end, plan.panel, [self.part], each)

        carried = [self.part]
        body.loop(0, full * plan.tile, plan.tile, carried, lambda row: tiles(row, plan.tile))
        if rest:
            tiles(body.index(full * plan.tile), rest)


# The product of rows whose number is computed, or that are copied first.
#
# A workgroup has a partition of the rows, and multiplies it in chunks: as many rows as fit a
# cache. If fewer rows than a tile has can be read, they are multiplied one by one.
#
# | rows | a tile is |
# |---|---|
# | the first ones | read in place |
# | listed | gathered into a buffer that stays in a second-level cache, and written row by row |
# | quantized | quantized, and scaled |


class _Chunk(NamedTuple):
    """Rows that are multiplied together: the first one, and their number."""

    first: Number
    size: Number


class Partition(PanelProduct):
    """A workgroup's partition of the first rows, of an open number.

    Attributes:
        base: Its row for the first row.
        at_once: The most rows of a chunk.
        copies: The arrays that rows are copied to.
    """

    at_once = ROWS_AT_ONCE
    copies: Sequence[Array] = ()

    def emit(self, rows: Rows) -> Array:
        """Emits the dispatch; returns its result."""
        body, executable, plan, height = self.body, self.executable, self.plan, self.plan.high
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
        body, height, carried = self.body, self.plan.high, [self.whole]
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
        self.multiply_to(lhs, rhs, width, self.whole, [at, column], self.base)


class GatheredPartition(Partition):
    """Listed rows; a workgroup gathers all chunks into the same part of a buffer."""

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
        made = tile_matmul(body, self.vectors, self.plan.format, lhs, rhs, unit=self.unit)

        def write(line: Number) -> None:
            to = (self.whole, [self.rows.row(body, chunk.first + row + line) + self.base])
            copy_row(body, self.vectors, (made, [line]), to, column, width)

        body.loop(0, (chunk.size - row).at_most(rows), 1, [self.whole], write)


class QuantizedPartition(Partition):
    """Rows that workgroups quantize; several may share the columns."""

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


def rows_product(
    outside: FunctionBuilder,
    plan: Blocking,
    lhs: Array,
    rhs: Array,
    axis: int,
    rows: Rows | None = None,
    store: Store | None = None,
    scale: Array | None = None,
) -> Array:
    """Emits ``[M, K] @ [K, N]``, or with ``[N, K]`` if `axis` is 1; a computed M is at least 1.

    Only `rows` are multiplied, the others are undefined; if M is known, those may be computed too.
    `scale` has the scales of the columns, ``[N]``, of a format whose left-hand side is quantized.
    """
    number = lhs.shape[0]
    rows = rows or FirstRows(number)
    assert store is None or number != 1
    assert plan.listed == isinstance(rows, ListedRows)
    assert not plan.listed or scale is None
    store = store or Store(ArrayType((number, plan.columns), plan.format.result))
    if number == 1:
        row = collapse(outside, lhs, [[0, 1]])
        return _SingleRow(outside, plan, row, rhs, axis, store, scale).emit()
    if scale is not None:
        return QuantizedPartition(outside, plan, lhs, rhs, axis, store, scale).emit(rows)
    if plan.listed:
        return GatheredPartition(outside, plan, lhs, rhs, axis, store).emit(rows)
    if isinstance(number, int):
        return Blocks(outside, plan, lhs, rhs, axis, store).emit()
    return Partition(outside, plan, lhs, rhs, axis, store).emit(rows)


class _SingleRow(PanelProduct):
    """A single row: workgroups share the panels, and read the matrix once, in order.

    Arrays have no unit axis, which IREE would fold (`tests/traps/test_unit_axis_in_a_loop.py`).
    """

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        plan, executable = self.plan, self.executable
        part, type = executable.workgroup(), ArrayType((plan.columns,), plan.format.result)
        row = executable.make(type)
        numbers = None
        if self.scale is not None:
            numbers = QuantizedRows(executable, plan, self.lhs, self.scale)
            numbers.quantize([], [])

        def panel(column: Number, width: int) -> None:
            if numbers is not None:
                numbers.multiply([], 1, self.panel(column), (row, [column]), width)
            elif plan.dotted:
                made = row_dot(self.body, self.vectors, self.lhs, self.rhs, column, width)
                self.body.insert(made, row, [column])
            else:
                self.multiply_to(self.lhs, self.panel(column), width, row, [column])

        self.panels(plan.columns, [row], panel, part, plan.across)
        executable.dispatch()
        return expand(self.outside, row, [[0, 1]], (1, plan.columns))

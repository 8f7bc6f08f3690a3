"""A large matrix product as one dispatch that keeps to the caches.

    for block of rows (few of them: and of columns) of the result, in parallel:
      for panel of columns:
        for tile of rows in the block:
          result[tile, panel] (+)= lhs[tile] @ rhs[panel]         # linalg.matmul, sums in registers

so that a panel is read from afar once a block, and a block's rows once a panel. A left-hand side
``[M, K]`` is read where it lies; one that comes as ``[K, M]`` is packed into panels of rows first,
``[block/tile, K, tile]`` for each block. A right-hand side is packed into panels of columns,
``[N/P, K, P]``, if it comes as ``[N, K]``, or is large and multiplied with many rows: the rows of a
panel are far apart in a wide matrix, and where their distance is a power of two they contend for
the same few lines of a cache. A very large one for few rows, which packing does not pay for, is
streamed: some of its rows at a time, side by side, and the sums are added up in the result.

What tiles do not divide: the last tile of rows, the last block and the last panel that is read
where it lies overlap the ones before and make the same numbers again; two blocks may write these at
the same time. Packed operands have zeros after the last row or column, and products with those are
left out; so a product may also be added to a part of a larger vector, in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number, bits
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.tiles.bfloat16_pairs import MIN_COLUMNS, PAIRED
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import zeros_in_place
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

__all__ = ["Blocking", "blocked_product", "panel_of"]

BLOCK = range(64, 513)
"""How many rows a block may have."""

MANY = 128
"""Rows from which the packing of a right-hand side is made up for, if it is larger than `CACHE`."""

CACHE = 2 << 20
"""Bytes of a right-hand side that fit into a second-level cache, about."""

SMALL = 1 << 17
"""Bytes of one that needs no packing. Those between are packed for twice `MANY` rows."""

STREAM = 16
"""Rows of a right-hand side of several such caches that are read side by side for fewer than `MANY`
rows, which are a single block: its sums may be cut."""

WORKGROUPS = 15
"""How many workgroups there are at most, where blocks have rows enough, and about how many there
should be. IREE's threads take them one by one where they are fewer than eight for each thread, else
eight at a time (`iree_task_dispatch_issue` in 3.13), which leaves threads waiting for the last."""


class Blocking:
    """How the product of two matrices is cut up.

    Attributes:
        vectors: The vector unit.
        rows: M.
        inner: K.
        columns: N.
        axes: The axis of each that is summed over.
        is_added: Whether the product is added to a vector. Only with `axes` ``(0, 0)``: what tiles
            and blocks do not divide is made twice otherwise.
        by_columns: Whether the left-hand side comes as ``[K, M]``, and is packed.
        packed: Whether the right-hand side is packed.
        paired: Whether it is of bfloat16, multiplied as pairs.
        streamed: Whether some rows of the right-hand side are read at a time.
        count: How many blocks of rows there are.
        block: How many rows each has.
        tile: How many rows a tile has.
        panel: How many columns a panel has.
        across: Into how many parts the columns are cut.
        width: How many columns each has.
    """

    def __init__(
        self,
        vectors: VectorUnit,
        lhs: ArrayType,
        rhs: ArrayType,
        axes: tuple[int, int],
        *,
        is_added: bool,
    ) -> None:
        if is_added and axes[0]:
            raise ValueError("a product is added only where no row is made twice")
        self.vectors, self.axes, self.is_added = vectors, axes, is_added
        left, right = known(lhs.shape), known(rhs.shape)
        self.paired = rhs.element in PAIRED
        self.rows, self.inner = left[1 - axes[0]], left[axes[0]]
        self.columns = right[1 - axes[1]]
        self.by_columns = axes[0] == 0
        self.panel = min(vectors.width(rhs.element), self.columns)
        size = self.inner * self.columns * bits(rhs.element) // 8
        many = self.rows >= MANY
        cut = is_added and self.columns % self.panel
        if self.paired and self.columns < MIN_COLUMNS:
            self.panel, cut = MIN_COLUMNS, True
        pays = (many and size > CACHE) or (self.rows >= 2 * MANY and size > SMALL)
        self.packed = bool(axes[1] == 1 or pays or cut)
        self.streamed = size > 4 * CACHE and not (many or self.packed or self.by_columns)
        self.count = self._count()
        self.block = -(-self.rows // self.count)
        self.tile = 2 * vectors.rows if self.by_columns else self._height()
        panels, left_over = divmod(self.columns, self.panel)
        whole = is_added or self.streamed or left_over
        self.across = 1 if whole else divisor(panels, max(1, WORKGROUPS // self.count))
        self.width = self.columns // self.across

    def _count(self) -> int:
        """How many blocks there are: the most that repeat the fewest rows."""
        fewest = -(-self.rows // BLOCK[-1])
        most = max(fewest, min(self.rows // BLOCK[0], WORKGROUPS))
        counts = [*range(fewest, most + 1)]
        if self.by_columns:
            counts = [count for count in counts if self.rows % count == 0]
        height = self.vectors.rows

        def made(count: int) -> int:
            return count * -(-self.rows // count // height) * height

        return min(reversed(counts), key=made, default=1)

    def _height(self) -> int:
        """How many rows of a left-hand side that is read where it lies make a tile.

        As many as fill the registers, or somewhat fewer if less is left over; reading a panel
        again costs about as much as another row.
        """
        sizes = range(min(self.vectors.rows, self.block), self.vectors.rows // 2, -1)
        return min(sizes, key=lambda size: -(-self.block // size) * (size + 1), default=self.block)


def blocked_product(
    outside: Function,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    axes: tuple[int, int],
    total: Array | None = None,
    offset: Number | None = None,
) -> Array:
    """Emits the product of two matrices, summed in float32 or float64.

    Their element types are those that the vector unit reads (`VectorUnit.operands`).

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        lhs: ``[M, K]`` or ``[K, M]``.
        rhs: ``[K, N]`` or ``[N, K]``.
        axes: The axis of each that is summed over.
        total: The vector that the product is added to; None if there is none.
        offset: Where in it the product's first element goes, an index.

    Returns:
        The product, or the vector that it was added to.
    """
    plan = Blocking(vectors, lhs.type, rhs.type, axes, is_added=total is not None)
    if plan.packed:
        rhs = pack(outside, vectors, rhs, 1 - axes[1], plan.panel)
    if plan.by_columns:
        lhs = pack(outside, vectors, lhs, 1, plan.tile, plan.count, interleaved=False)
    executable = Executable(outside, "product", plan.count * plan.across)
    body = executable.body
    lhs, rhs = (executable.read(outside.held(each)) for each in (lhs, rhs))
    column: Index = 0
    block = executable.workgroup()
    if plan.across > 1:
        across = body.index(plan.across)
        column = block % across * plan.width
        block = block // across
    first = block * plan.block
    if plan.count * plan.block != plan.rows:
        first = body.smaller(first, plan.rows - plan.block)
    starts: Sequence[Index]
    if total is not None and offset is not None:
        whole = executable.change(outside.held(total))
        start = executable.given(offset)
        starts, sizes = [start + first * plan.columns], [plan.block * plan.columns]
    else:
        sums = "f32" if plan.paired else rhs.element
        whole = executable.make(ArrayType((plan.rows, plan.columns), sums))
        starts, sizes = [first, column], [plan.block, plan.width]
    part = body.extract(whole, starts, sizes)
    _Block(plan, executable, lhs, rhs, part, block, first, column).emit()
    body.insert(part, whole, starts)
    executable.dispatch()
    return whole


def panel_of(body: Body, rhs: Array, column: Number, panel: int) -> Array:
    """Emits the panel of a right-hand side, packed or not, that begins at a column."""
    inner = known(rhs.shape)[-2]
    if len(rhs.shape) == 2:
        return body.extract(rhs, [0, column], (inner, panel))
    return body.extract(rhs, [column // panel, 0, 0], (inner, panel))


class _Block:
    """Emits what a workgroup does: a block of the result.

    Attributes:
        plan: How the product is cut up.
        lhs: The left-hand side, packed if it comes by columns.
        rhs: The right-hand side, packed if the plan says so.
        part: The block: ``[block, width]``, or that many elements of the vector it is added to.
        block: The number of the block.
        first: Its first row.
        base: Its first column.
    """

    def __init__(
        self,
        plan: Blocking,
        executable: Executable,
        lhs: Array,
        rhs: Array,
        part: Array,
        block: Number,
        first: Number,
        base: Index,
    ) -> None:
        self.plan, self.body = plan, executable.body
        self.lhs, self.rhs, self.part = lhs, rhs, part
        self.block, self.first, self.base = block, first, base

    def emit(self) -> None:
        """Emits all tiles."""
        plan, body = self.plan, self.body
        panels, left = divmod(plan.width, plan.panel)
        if plan.streamed:
            self._stream()
        else:
            self._for(panels * plan.panel, plan.panel, lambda n: self._rows_of(n, plan.panel))
        if left and plan.packed:
            self._rows_of(body.index(panels * plan.panel), left)
        elif left:
            self._rows_of(body.index(plan.width - plan.panel), plan.panel)

    def _rows_of(self, column: Number, width: int) -> None:
        """Emits all tiles of a panel."""
        plan, body = self.plan, self.body
        rhs = self._panel(column)
        full, rest = divmod(plan.block, plan.tile)

        def tile(row: Number, height: int) -> None:
            self._tile(self._rows(row, height), rhs, row, column, (height, width))

        self._for(full * plan.tile, plan.tile, lambda row: tile(row, plan.tile))
        if rest and plan.by_columns:
            tile(body.index(full * plan.tile), rest)
        elif rest:
            tile(body.index(plan.block - plan.tile), plan.tile)

    def _stream(self) -> None:
        """Emits the sums of all whole panels, some rows of the right-hand side after the others."""
        plan, body = self.plan, self.body
        self.part.value = zeros_in_place(body, plan.vectors, self.part).value
        full, rest = divmod(plan.inner, STREAM)
        self._for(full * STREAM, STREAM, lambda k: self._add(k, STREAM))
        if rest:
            self._add(body.index(full * STREAM), rest)

    def _add(self, k: Number, summed: int) -> None:
        """Emits what some rows of the right-hand side add to the sums."""
        plan, body = self.plan, self.body
        full, rest = divmod(plan.block, plan.tile)

        def tiles(row: Number, height: int) -> None:
            lhs = body.extract(self.lhs, [self.first + row, k], (height, summed))

            def each(column: Number) -> None:
                rhs = body.extract(self.rhs, [k, column], (summed, plan.panel))
                start = body.extract(self.part, [row, column], (height, plan.panel))
                made = tile_matmul(body, plan.vectors, lhs, rhs, start)
                body.insert(made, self.part, [row, column])

            self._for(plan.columns // plan.panel * plan.panel, plan.panel, each)

        self._for(full * plan.tile, plan.tile, lambda row: tiles(row, plan.tile))
        if rest:
            tiles(body.index(full * plan.tile), rest)

    # Operands.

    def _rows(self, row: Number, height: int) -> Array:
        """Emits the left-hand side of a tile; zeros follow a packed one, up to a power of two."""
        plan, body = self.plan, self.body
        if not plan.by_columns:
            return body.extract(self.lhs, [self.first + row, 0], (height, plan.inner))
        number, inner = row // plan.tile, known(self.lhs.shape)[-2]
        leads = [self.block, number] if plan.count > 1 else [number]
        high = min(plan.tile, max(2, 1 << (height - 1).bit_length()))
        return body.extract(self.lhs, [*leads, 0, 0], (inner, high))

    def _panel(self, column: Number) -> Array:
        """Emits a panel of the right-hand side."""
        plan, body = self.plan, self.body
        if plan.across > 1:
            column = self.base + column
        return panel_of(body, self.rhs, column, plan.panel)

    # Tiles.

    def _tile(
        self, lhs: Array, rhs: Array, row: Number, column: Number, shape: tuple[int, int]
    ) -> None:
        """Emits the sums of a tile."""
        plan, body = self.plan, self.body
        made = tile_matmul(body, plan.vectors, lhs, rhs, lhs_transposed=plan.by_columns)
        if made.shape != shape:
            made = body.extract(made, [0, 0], shape)
        if not plan.is_added:
            body.insert(made, self.part, [row, column])
            return
        height, width = shape
        lanes = plan.vectors.columns(width, made.element)

        def line(number: Number) -> None:
            start = (row + number) * plan.columns + column
            body.loop(0, width, lanes, [self.part], lambda k: add(number, start, k))

        def add(number: Number, start: Number, k: Number) -> None:
            place = [start + k]
            new, old = body.read(made, [number, k], lanes), body.read(self.part, place, lanes)
            body.write(old + new, self.part, place)

        body.loop(0, height, 1, [self.part], line)

    def _for(self, high: int, step: int, body: Callable[[Number], None]) -> None:
        """Emits a loop from 0 that carries the block of the result, unless it has no iteration."""
        if high:
            self.body.loop(0, high, step, [self.part], body)

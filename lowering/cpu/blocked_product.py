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
where it lies overlap the ones before and make the same numbers again; both blocks may be at it at
once. Packed operands have zeros after the last row or column, and products with those are left out;
so a product may also be added to a part of a larger vector, in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.kernel.body import Array, Text, divisor, tile_matmul, vector, zeros
from rnn_compiler.lowering.kernel.executable import Executable
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["BlockedProduct"]

BLOCK = range(64, 513)
"""How many rows a block may have."""

MANY = 128
"""Rows from which the packing of a right-hand side is made up for."""

CACHE = 2 << 20
"""Bytes of a right-hand side that need no packing: about a second-level cache."""

STREAM = 16
"""Rows of a right-hand side of several such caches that are read side by side for fewer than `MANY`
rows, which are a single block: its sums may be cut."""

WORKGROUPS = 15
"""How many workgroups there are at most, where blocks have rows enough, and about how many there
should be. IREE's threads take them one by one where they are fewer than eight for each thread, else
eight at a time (`iree_task_dispatch_issue` in 3.13), which leaves threads waiting for the last."""


@dataclass
class BlockedProduct:
    """Emits the product of two matrices of one element type.

    Attributes:
        text: Where to; from `emit` on, what a workgroup does.
        vectors: The vector unit.
        lhs: ``[M, K]`` or ``[K, M]``; from `emit` on, the latter packed.
        rhs: ``[K, N]`` or ``[N, K]``; from `emit` on packed, if `packed`.
        axes: The axis of each that is summed over.
        total: The vector that the product is added to; None if there is none. Only with `axes`
            ``(0, 0)``: what tiles and blocks do not divide is made twice otherwise.
        offset: The name of an index: where in it the product's first element goes.
        part: The block of the result that is being made: ``[block, width]``, or that many elements
            of `total`.
        base: Its first column, if it has not all of them.
    """

    text: Text
    vectors: VectorUnit
    lhs: Array
    rhs: Array
    axes: tuple[int, int]
    total: Array | None = None
    offset: str = ""
    part: Array = field(init=False)
    base: str = field(init=False)

    def __post_init__(self) -> None:
        if self.total and self.axes[0]:
            raise ValueError("a product is added only where no row is made twice")
        self.rows, self.inner = self.lhs.shape[1 - self.axes[0]], self.lhs.shape[self.axes[0]]
        self.columns, element = self.rhs.shape[1 - self.axes[1]], self.rhs.element
        self.by_columns = self.axes[0] == 0
        self.panel = min(self.vectors.width(element), self.columns)
        size = 4 * self.inner * self.columns * self.vectors.lanes("f32")
        size //= self.vectors.lanes(element)
        many = self.rows >= MANY
        cut = self.total and self.columns % self.panel
        self.packed = bool(self.axes[1] == 1 or (many and size > CACHE) or cut)
        self.streamed = size > 4 * CACHE and not (many or self.packed or self.by_columns)
        self.count = self._count()
        self.block = -(-self.rows // self.count)
        self.tile = 2 * self.vectors.rows if self.by_columns else self._height()
        panels, left = divmod(self.columns, self.panel)
        whole = self.total or self.streamed or left
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

    def emit(self) -> Array:
        """Emits the dispatch; gives the product, or the vector that it was added to."""
        text, block = self.text, self.block
        if self.packed:
            self.rhs = pack(text, self.vectors, self.rhs, 1 - self.axes[1], self.panel)
        if self.by_columns:
            self.lhs = pack(text, self.vectors, self.lhs, 1, self.tile, self.count, together=False)
        executable = Executable(text, "product", self.count * self.across)
        self.text = inside = executable.text
        self.lhs, self.rhs = (executable.read(text.held(each)) for each in (self.lhs, self.rhs))
        column, group = "0", executable.workgroup()
        if self.across > 1:
            across = inside.index(self.across)
            column = inside.times(inside(f"arith.remui {group}, {across} : index"), self.width)
            group = inside(f"arith.divui {group}, {across} : index")
        self.base = column
        first = inside.times(group, block)
        if self.count * block != self.rows:
            first = inside(f"arith.minsi {first}, {inside.index(self.rows - block)} : index")
        if self.total:
            whole = executable.change(text.held(self.total))
            offset = executable.given(self.offset, "index")
            starts = [inside.plus(offset, inside.times(first, self.columns))]
            sizes: tuple[int, ...] = (block * self.columns,)
        else:
            whole = executable.make((self.rows, self.columns), self.rhs.element)
            starts, sizes = [first, column], (block, self.width)
        self.part = inside.extract(whole, starts, sizes)
        self._tiles(group, first)
        inside.insert(self.part, whole, starts)
        executable.dispatch()
        return whole

    def _tiles(self, group: str, first: str) -> None:
        """Emits all tiles of a block of rows."""
        text, tile = self.text, self.tile
        full, rest = divmod(self.block, tile)

        def rows(column: str, width: int) -> None:
            rhs = self._panel(column)

            def each(row: str, height: int) -> None:
                lhs = self._rows(group, first, row, height)
                self._tile(lhs, rhs, row, column, (height, width))

            self._for(full * tile, tile, lambda row: each(row, tile))
            if rest and self.by_columns:
                each(text.index(full * tile), rest)
            elif rest:
                each(text.index(self.block - tile), tile)

        panels, left = divmod(self.width, self.panel)
        if self.streamed:
            self._stream(first)
        else:
            self._for(panels * self.panel, self.panel, lambda column: rows(column, self.panel))
        if left and self.packed:
            rows(text.index(panels * self.panel), left)
        elif left:
            rows(text.index(self.width - self.panel), self.panel)

    def _stream(self, first: str) -> None:
        """Emits the sums of all whole panels, some rows of the right-hand side after the others."""
        text, tile = self.text, self.tile
        self.part = zeros(text, self.vectors, self.part)

        def add(k: str, summed: int) -> None:
            def tiles(row: str, height: int) -> None:
                at = text(f"arith.addi {first}, {row} : index")
                lhs = text.extract(self.lhs, [at, k], (height, summed))

                def each(column: str) -> None:
                    rhs = text.extract(self.rhs, [k, column], (summed, self.panel))
                    start = text.extract(self.part, [row, column], (height, self.panel))
                    made = tile_matmul(text, self.vectors, lhs, rhs, start)
                    text.insert(made, self.part, [row, column])

                self._for(self.columns // self.panel * self.panel, self.panel, each)

            full, rest = divmod(self.block, tile)
            self._for(full * tile, tile, lambda row: tiles(row, tile))
            if rest:
                tiles(text.index(full * tile), rest)

        full, rest = divmod(self.inner, STREAM)
        self._for(full * STREAM, STREAM, lambda k: add(k, STREAM))
        if rest:
            add(text.index(full * STREAM), rest)

    # Operands.

    def _rows(self, group: str, first: str, row: str, height: int) -> Array:
        """Emits the left-hand side of a tile; zeros follow a packed one, up to a power of two."""
        text = self.text
        if not self.by_columns:
            at = text(f"arith.addi {first}, {row} : index")
            return text.extract(self.lhs, [at, "0"], (height, self.inner))
        number = text(f"arith.divui {row}, {text.index(self.tile)} : index")
        leads = [group, number] if self.count > 1 else [number]
        high = min(self.tile, max(2, 1 << (height - 1).bit_length()))
        return text.extract(self.lhs, [*leads, "0", "0"], (self.inner, high))

    def _panel(self, column: str) -> Array:
        """Emits a panel of the right-hand side."""
        text = self.text
        if self.across > 1:
            column = text(f"arith.addi {self.base}, {column} : index")
        if not self.packed:
            return text.extract(self.rhs, ["0", column], (self.inner, self.panel))
        number = text(f"arith.divui {column}, {text.index(self.panel)} : index")
        return text.extract(self.rhs, [number, "0", "0"], (self.inner, self.panel))

    # Tiles.

    def _tile(self, lhs: Array, rhs: Array, row: str, column: str, shape: tuple[int, int]) -> None:
        """Emits the sums of a tile."""
        text = self.text
        made = tile_matmul(text, self.vectors, lhs, rhs, lhs_transposed=self.by_columns)
        if made.shape != shape:
            made = text.extract(made, ["0", "0"], shape)
        if not self.total:
            text.insert(made, self.part, [row, column])
            return
        height, width = shape
        lanes = self.vectors.columns(width, made.element)
        kind = vector(lanes, made.element)

        def line(number: str) -> None:
            at = text(f"arith.addi {row}, {number} : index")
            start = text.plus(text.times(at, self.columns), column)
            text.loop(0, width, lanes, [self.part], lambda k: add(number, start, k))

        def add(number: str, start: str, k: str) -> None:
            place = [text.plus(start, k)]
            new, old = text.read(made, [number, k], lanes), text.read(self.part, place, lanes)
            both = text(f"arith.addf {old}, {new} : {kind}")
            text.write(both, lanes, self.part, place)

        text.loop(0, height, 1, [self.part], line)

    def _for(self, high: int, step: int, body: Callable[[str], None]) -> None:
        """Emits a loop from 0 that carries the block of the result, unless it takes no turn."""
        if high:
            self.text.loop(0, high, step, [self.part], body)

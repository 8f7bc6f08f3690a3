"""A large matrix product as one dispatch that keeps to the caches.

    for block of rows of the result, in parallel:
      for block of the summed axis:
        for tile of rows in the block, for panel of columns:
          result[tile, panel] += lhs[tile] @ rhs[panel]           # linalg.matmul, sums in registers

A left-hand side ``[M, K]`` and a right-hand side ``[K, N]`` are read where they lie; what a block
of the summed axis reads stays in the second-level cache. A left-hand side that comes as ``[K, M]``
is packed into panels of rows first, ``[M/tile, K, tile]``; a right-hand side that comes as
``[N, K]`` into panels of columns, ``[N/P, K, P]``: as such a panel is contiguous, its sums are not
cut, and all rows of a block take their turn with it.

Where no block of a fitting size divides the rows, the last block overlaps the one before and makes
the same numbers again. Sums are not cut then either: both blocks may be at it at once.

A product may be added to a part of a larger vector, in place; blocks always divide the rows then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rnn_compiler.lowering.dispatch import (
    Array,
    Text,
    divisor,
    lowering_config,
    tile_matmul,
    zeros,
)
from rnn_compiler.lowering.packing import pack
from rnn_compiler.lowering.vectors import VectorUnit

__all__ = ["BlockedProduct"]

BLOCK = range(64, 513)
"""How many rows a block may have."""

SUMMED = 512
"""How much of the summed axis a block has, at most; half of it if both operands are ``[K, ...]``,
where every step along that axis is a jump in both."""


@dataclass
class BlockedProduct:
    """Emits the product of two matrices of one element type.

    Attributes:
        text: Where to.
        vectors: The vector unit.
        lhs: ``[M, K]`` or ``[K, M]``; from `emit` on, the latter packed, if tiles divide it.
        rhs: ``[K, N]`` or ``[N, K]``; from `emit` on, the latter packed.
        axes: The axis of each that is summed over.
        total: The vector that the product is added to; None if there is none.
        offset: Where in it the product's first element goes.
        part: The block of the result that is being made: ``[block, N]``, or that many of `total`.
    """

    text: Text
    vectors: VectorUnit
    lhs: Array
    rhs: Array
    axes: tuple[int, int]
    total: Array | None = None
    offset: int = 0
    part: Array = field(init=False)

    def __post_init__(self) -> None:
        self.rows, self.inner = self.lhs.shape[1 - self.axes[0]], self.lhs.shape[self.axes[0]]
        self.columns = self.rhs.shape[1 - self.axes[1]]
        self.by_columns, self.packed = self.axes[0] == 0, self.axes[1] == 1
        tallest = (2 if self.by_columns or self.packed else 1) * self.vectors.rows
        self.tile = divisor(self.rows, tallest) if self.total else min(tallest, self.rows)
        fitting = [
            self.tile * count
            for count in range(1, self.rows // self.tile + 1)
            if self.rows % (self.tile * count) == 0 and self.tile * count in BLOCK
        ]
        self.exact = bool(self.total or fitting or self.rows in range(self.tile, BLOCK.start))
        self.exact = self.exact and self.rows % self.tile == 0
        about = min(2 * BLOCK.start, self.rows) // self.tile * self.tile
        self.block = min(fitting, default=self.rows if self.exact else about)
        self.panel = self.vectors.width(self.rhs.element)

    def emit(self) -> Array:
        """Emits the dispatch."""
        text, block = self.text, self.block
        if self.packed:
            self.panel = self.vectors.panel(self.columns, 4, self.rhs.element)
            self.rhs = pack(text, self.vectors, self.rhs, 0, self.panel)
        if self.by_columns and self.rows % self.tile == 0:
            self.lhs = pack(text, self.vectors, self.lhs, 1, self.tile)
        self.lhs, self.rhs = text.held(self.lhs), text.held(self.rhs)
        if self.total:
            self.total = text.held(self.total)
        whole = self.total or Array("", (self.rows, self.columns), self.rhs.element)
        result = Array("%result", whole.shape, whole.element)
        text.lines.append(f"{result.name} = flow.dispatch.region -> ({result.type}) {{")
        if self.total:
            made = text.extract(whole, [str(self.offset)], (self.rows * self.columns,))
            sizes: tuple[int, ...] = (block * self.columns,)
        else:
            made = Array(text(f"tensor.empty() : {whole.type}"), whole.shape, whole.element)
            sizes = (block, self.columns)

        def each(group: str, shared: Array) -> tuple[Array, list[str]]:
            first = text(f"arith.muli {group}, {text.index(block)} : index")
            if not self.exact:
                first = text(f"arith.minsi {first}, {text.index(self.rows - block)} : index")
            if self.total:
                starts = [text(f"arith.muli {first}, {text.index(self.columns)} : index")]
            else:
                starts = [first, "0"]
            self.part = text.extract(shared, starts, sizes)
            self._block(first)
            return self.part, starts

        text.in_parallel(-(-self.rows // block), made, each)
        if self.total:
            whole = Array(whole.name, whole.shape, whole.element)
            text.insert(made, whole, [str(self.offset)])
            made = whole
        text.lines.append(f"flow.return {made.name} : {result.type}\n}}")
        return result

    def _block(self, first: str) -> None:
        """Emits all sums of a block of rows."""
        most = SUMMED // 2 if self.by_columns else SUMMED
        summed = divisor(self.inner, most)
        if summed < most // 4:
            summed = most
        if self.packed or not self.exact or self.inner <= most:
            self._tiles(first, "0", self.inner, cut=False)
            return
        if not self.total:
            self.part = zeros(self.text, self.vectors, self.part)
        full, rest = divmod(self.inner, summed)
        self._for(full * summed, summed, lambda k: self._tiles(first, k, summed, cut=True))
        if rest:
            self._tiles(first, str(full * summed), rest, cut=True)

    def _tiles(self, first: str, k: str, summed: int, *, cut: bool) -> None:
        """Emits the sums over a part of the summed axis, for all tiles of a block."""
        full, rest = divmod(self.columns, self.panel)

        def panels(body: Callable[[str, str, int], None]) -> None:
            if (full, rest) in ((0, rest), (1, 0)):
                body("0", "0", self.columns)
                return

            def each(column: str) -> None:
                number = column
                if self.packed:
                    number = self.text(
                        f"arith.divui {column}, {self.text.index(self.panel)} : index"
                    )
                body(number, column, self.panel)

            self._for(full * self.panel, self.panel, each)
            if rest:
                body(str(full), str(full * self.panel), rest)

        def rows(body: Callable[[str], None]) -> None:
            self._for(self.block, self.tile, body)

        if self.packed:
            panels(
                lambda number, column, width: rows(
                    lambda row: self._tile(
                        self._lhs(first, row, k, summed),
                        self._panel(number),
                        row,
                        column,
                        width,
                        cut=cut,
                    )
                )
            )
            return

        def row_of_tiles(row: str) -> None:
            lhs = self._lhs(first, row, k, summed)
            panels(
                lambda _, column, width: self._tile(
                    lhs, self._columns(k, summed, column, width), row, column, width, cut=cut
                )
            )

        rows(row_of_tiles)

    # Operands.

    def _lhs(self, first: str, row: str, k: str, summed: int) -> Array:
        """Emits the left-hand side of a tile."""
        at = self.text(f"arith.addi {first}, {row} : index")
        if len(self.lhs.shape) == 3:
            at = self.text(f"arith.divui {at}, {self.text.index(self.tile)} : index")
            return self.text.extract(self.lhs, [at, k, "0"], (summed, self.tile))
        if self.by_columns:
            return self.text.extract(self.lhs, [k, at], (summed, self.tile))
        return self.text.extract(self.lhs, [at, k], (self.tile, summed))

    def _panel(self, number: str) -> Array:
        """Emits a packed panel."""
        if len(self.rhs.shape) == 2:
            return self.rhs
        return self.text.extract(self.rhs, [number, "0", "0"], self.rhs.shape[1:])

    def _columns(self, k: str, summed: int, column: str, width: int) -> Array:
        """Emits some columns of the right-hand side."""
        return self.text.extract(self.rhs, [k, column], (summed, width))

    # Tiles.

    def _tile(
        self, lhs: Array, rhs: Array, row: str, column: str, width: int, *, cut: bool
    ) -> None:
        """Emits the sums of a tile."""
        start = None
        if cut and not self.total:
            start = self.text.extract(self.part, [row, column], (self.tile, width))
        made = tile_matmul(self.text, self.vectors, lhs, rhs, start, lhs_transposed=self.by_columns)
        if made.shape[1] != width:
            made = self.text.extract(made, ["0", "0"], (self.tile, width))
        if not self.total:
            self.text.insert(made, self.part, [row, column])
            return
        for number in range(self.tile):
            line = self.text.extract(made, [str(number), "0"], (width,))
            place = [self._place(row, number, column)]
            total = self.text.extract(self.part, place, (width,))
            self.text.insert(self._sum(line, total), self.part, place)

    def _sum(self, line: Array, total: Array) -> Array:
        """Emits the sum of two vectors, in the place of the second."""
        config = lowering_config([self.vectors.columns(line.shape[0], line.element)])
        text, row = self.text, "affine_map<(d0) -> (d0)>"
        new, old, both = text.name(), text.name(), text.name()
        name = text(
            f'linalg.generic {{indexing_maps = [{row}, {row}], iterator_types = ["parallel"], '
            f"lowering_config = {config}}} ins({line.name} : {line.type}) "
            f"outs({total.name} : {total.type}) {{\n"
            f"^bb0({new}: {line.element}, {old}: {line.element}):\n"
            f"{both} = arith.addf {old}, {new} : {line.element}\n"
            f"linalg.yield {both} : {line.element}\n}} -> {total.type}"
        )
        return Array(name, total.shape, total.element)

    def _place(self, row: str, number: int, column: str) -> str:
        """Emits where in a vector an element of the tile is."""
        text = self.text
        line = text(f"arith.muli {text.add(row, number)}, {text.index(self.columns)} : index")
        if column.isdigit():
            return text.add(line, int(column))
        return text(f"arith.addi {line}, {column} : index")

    def _for(self, high: int, step: int, body: Callable[[str], None]) -> None:
        """Emits a loop from 0 that carries the block of the result."""
        self.text.loop(0, high, step, [self.part], body)

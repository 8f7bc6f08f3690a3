"""The tiling of a product of rows and a matrix: blocks of rows, panels of columns, tiles.

A panel is loaded into the cache once per block, and the rows of a block once per panel. The
right-hand side is packed into panels of columns, ``[N/P, K, P]``, if it is given as ``[N, K]``, if
that is done once for many calls, or if it is large and there are many rows: in a wide matrix the
rows of a panel are far apart, and if their distance is a power of two they compete for the same few
cache lines. Otherwise packing does not pay for few rows; then a very large right-hand side is
streamed, some of its rows at a time over all columns. For a single row, panels are four times as
wide, for enough independent sums to hide the latency; and ``[N, K]`` that changes from call to call
is read in place (`row_dot`), if it fills registers. Packed once, it is read 3 to 8 % faster.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import ArrayType, known
from rnn_compiler.lowering.codegen.number import Index, Number, bits
from rnn_compiler.lowering.cpu.tiles.register_tiles import min_columns
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["COPIES_AT_ONCE", "ROWS_AT_ONCE", "STREAM", "WORKGROUPS", "Blocking"]

_BLOCK = range(64, 513)
"""The possible numbers of rows of a block."""

_MANY = 128
"""The fewest rows for which packing pays if the right-hand side is larger than the cache."""

_SMALL = 1 << 17
"""The most bytes of a right-hand side that needs no packing. Between this and the cache's size,
packing pays for at least twice `_MANY` rows."""

STREAM = 16
"""Rows of a streamed right-hand side that are read at a time."""

ROWS_AT_ONCE, COPIES_AT_ONCE = 512, 128
"""Rows that a workgroup multiplies at a time, in place and gathered."""

_MIN_ROWS = 64
"""The fewest rows of a workgroup, if their number is computed."""

WORKGROUPS = 15
"""The maximum number of workgroups if blocks have enough rows, and about the number to aim for.
IREE's threads take workgroups one by one if there are fewer than eight per thread, otherwise eight
at a time (`iree_task_dispatch_issue`), and then threads wait for the last."""


_MULTIPLICATIONS = 1 << 19
"""The fewest multiplications of a workgroup that quantizes rows."""

_MANY_ROWS = WORKGROUPS * 2 * _MANY
"""The number of rows to plan for if it is open."""


class Blocking:
    """The tiling of a product of two matrices.

    Attributes:
        vectors: The vector unit.
        format: The format of the right-hand side.
        rows: M; if open, `_MANY_ROWS`.
        inner: K.
        columns: N.
        listed: Whether the rows are listed, and each is written by itself: panels do not overlap.
        packed: Whether the right-hand side is packed.
        dotted: Whether it is ``[N, K]`` and read unpacked, by a single row.
        streamed: Whether the right-hand side is read some rows at a time.
        count: The number of parts into which the rows are divided.
        least: The fewest rows of a part of a computed number of rows.
        block: The rows of a part of a known number of rows: a block.
        tile: The rows of a tile.
        panel: The columns of a panel.
        across: The number of parts into which the columns are divided.
        width: The columns of a part; for a single row, parts may differ.
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

        Args:
            vectors: The vector unit.
            format: The format of the right-hand side.
            rows: M.
            rhs: The right-hand side.
            axis: Its contracted axis.
            listed: Whether the rows are listed.
            packed: Whether it is packed in any case, because that is done once for many calls.
            stays: Whether it stays the same from call to call.
        """
        self.vectors, self.format, self.listed = vectors, format, listed
        self.rows = rows if isinstance(rows, int) else _MANY_ROWS
        self.inner, self.columns = known(rhs.shape)[:: -1 if axis else 1]
        widest = vectors.width(format.result) * (4 if self.rows == 1 else 1)
        self.panel = min(widest, max(self.columns, min_columns(format)))
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
        self.packed = packed or pays or needed
        self.streamed = size > 4 * vectors.cache and not (many or self.packed)
        self.count, self.across = self._parts(rows)
        self.least = vectors.rows if format.is_quantized else _MIN_ROWS
        self.block, self.width = -(-self.rows // self.count), self.columns // self.across
        self.tile = self._height()

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
            return WORKGROUPS, 1
        if self.format.is_quantized:
            return self._quantized_parts()
        blocks = self._blocks()
        if self.streamed or left_over:
            return blocks, 1
        return blocks, divisor(panels, max(1, WORKGROUPS // blocks))

    def _quantized_parts(self) -> tuple[int, int]:
        """The same for quantized rows; parts that share columns quantize the same rows."""
        work = self.rows * self.inner * self.columns
        parts = max(1, min(WORKGROUPS, work // _MULTIPLICATIONS))
        along = min(parts, -(-self.rows // self.vectors.rows))
        return along, max(1, min(parts // along, -(-self.columns // self.panel)))

    def _blocks(self) -> int:
        """The number of blocks: the largest one for which the fewest rows are computed twice."""
        fewest = -(-self.rows // _BLOCK[-1])
        most = max(fewest, min(self.rows // _BLOCK[0], WORKGROUPS))
        height = self.vectors.rows

        def made(count: int) -> int:
            return count * -(-self.rows // count // height) * height

        return min(range(most, fewest - 1, -1), key=made)

    def _height(self) -> int:
        """The rows of a tile.

        As many as fill the registers, or fewer if that leaves a smaller remainder; reading a panel
        again costs about as much as another row.
        """
        sizes = range(min(self.vectors.rows, self.block), self.vectors.rows // 2, -1)
        return min(sizes, key=lambda size: -(-self.block // size) * (size + 1), default=self.block)

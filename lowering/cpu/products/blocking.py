"""How the product of rows with a matrix is cut up: blocks of rows, panels of columns, tiles.

A panel is read from afar once a block, and a block's rows once a panel. The right-hand side is
packed into panels of columns, ``[N/P, K, P]``, if it comes as ``[N, K]``, or is large and
multiplied with many rows: the rows of a panel are far apart in a wide matrix, and where their
distance is a power of two they contend for the same few lines of a cache. A very large one for few
rows, which packing does not pay for, is streamed: some of its rows at a time, side by side. Of a
single row, panels are four times as wide, so that there are sums enough to hide the latency.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import ArrayType, known
from rnn_compiler.lowering.codegen.number import Index, bits
from rnn_compiler.lowering.cpu.tiles.bfloat16_pairs import MIN_COLUMNS, PAIRED
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

__all__ = ["STREAM", "WORKGROUPS", "Blocking"]

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


_MANY_ROWS = WORKGROUPS * 2 * MANY
"""What an open number of rows is taken for."""


class Blocking:
    """How the product of two matrices is cut up.

    Attributes:
        vectors: The vector unit.
        rows: M; of an open number, `_MANY_ROWS`.
        inner: K.
        columns: N.
        packed: Whether the right-hand side is packed.
        sums: The element type of the product.
        streamed: Whether some rows of the right-hand side are read at a time.
        count: How many blocks of rows there are.
        block: How many rows each has.
        tile: How many rows a tile has.
        panel: How many columns a panel has.
        across: Into how many parts the columns are cut.
        width: How many columns each has; those of a single row may differ.
    """

    def __init__(self, vectors: VectorUnit, rows: Index, rhs: ArrayType, axis: int) -> None:
        """Decides, for a right-hand side of which an axis is summed over."""
        self.vectors = vectors
        self.rows = rows if isinstance(rows, int) else _MANY_ROWS
        self.inner, self.columns = known(rhs.shape)[:: -1 if axis else 1]
        self.sums = "f32" if bits(rhs.element) == 16 else rhs.element
        widest = vectors.width(rhs.element) * (4 if self.rows == 1 else 1)
        self.panel = min(widest, max(self.columns, MIN_COLUMNS if rhs.element in PAIRED else 0))
        size = self.inner * self.columns * bits(rhs.element) // 8
        many = self.rows >= MANY
        pays = (many and size > CACHE) or (self.rows >= 2 * MANY and size > SMALL)
        self.packed = axis == 1 or pays or self.panel > self.columns
        self.streamed = size > 4 * CACHE and not (many or self.packed)
        self.count = self._count()
        self.block = -(-self.rows // self.count)
        self.tile = self._height()
        panels, left_over = divmod(self.columns, self.panel)
        if self.rows == 1:
            self.across, _ = vectors.cut(1, max(panels, 1), self.inner * self.columns)
        elif self.streamed or left_over:
            self.across = 1
        else:
            self.across = divisor(panels, max(1, WORKGROUPS // self.count))
        self.width = self.columns // self.across

    def _count(self) -> int:
        """How many blocks there are: the most that repeat the fewest rows."""
        fewest = -(-self.rows // BLOCK[-1])
        most = max(fewest, min(self.rows // BLOCK[0], WORKGROUPS))
        height = self.vectors.rows

        def made(count: int) -> int:
            return count * -(-self.rows // count // height) * height

        return min(range(most, fewest - 1, -1), key=made)

    def _height(self) -> int:
        """How many rows make a tile.

        As many as fill the registers, or somewhat fewer if less is left over; reading a panel
        again costs about as much as another row.
        """
        sizes = range(min(self.vectors.rows, self.block), self.vectors.rows // 2, -1)
        return min(sizes, key=lambda size: -(-self.block // size) * (size + 1), default=self.block)

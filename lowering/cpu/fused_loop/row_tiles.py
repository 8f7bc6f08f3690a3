"""How the rows of a step are divided into tiles.

If the batch size is known, all tiles have one height. The last is moved back to end with the
batch: it overlaps the previous one, and computes some numbers again.

An open batch has tiles of several heights, each half of the one before, down to one row:

    for height in 8, 4, 2, 1, if the batch has as many rows:
      as many tiles as fit into the rows that are left,
      and one more if it is more than half full, moved back to end with the batch

So 3 rows are split into 2 and 1; 7 into 4 and 4, which overlap; 12 into 8 and 4; 15 into 8 and
8. For a matrix unit, the heights begin with 32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Body, Index, Number
from rnn_compiler.lowering.targets.vector_unit import VectorUnit


def heights(vectors: VectorUnit, batch: Index, most: int = 0) -> Sequence[int]:
    """The heights of tiles for a batch, highest first: at most `most`, or as many as registers."""
    if isinstance(batch, int):
        return [vectors.tile_height(batch, most)]
    return [1 << power for power in reversed(range((most or vectors.rows).bit_length()))]


_INTEGER = "i64"
"""The type of numbers computed from open batches, instead of index. IREE compares the indices of
each pair of writes through all ops that compute them, which can take minutes."""


@dataclass(frozen=True)
class RowTiles:
    """The tiles of one height.

    Attributes:
        before: The number of rows of an open batch before the first, an integer.
    """

    height: int
    count: Index
    batch: Index
    before: Number | None = None

    def first(self, body: Body, number: Index) -> Index:
        """The first row of a tile."""
        if isinstance(self.batch, int):
            row = number * self.height
            if self.batch % self.height == 0 or isinstance(row, int):
                return row
            return row.at_most(self.batch - self.height)
        assert self.before is not None
        row = body.index(number).to_integer(_INTEGER) * self.height + self.before
        return row.at_most(self.batch.to_integer(_INTEGER) - self.height).to_index()


def row_tiles(
    body: Body, batch: Index, heights: Sequence[int], active: Number | None
) -> list[RowTiles]:
    """Emits the number of tiles of each height."""
    if isinstance(batch, int):
        (height,) = heights
        last = height - 1
        count = -(-batch // height) if active is None else (active + last) // height
        return [RowTiles(height, count, batch)]
    tiles: list[RowTiles] = []
    size, rows = (number.to_integer(_INTEGER) for number in (batch, active or batch))
    left, none = rows, body.constant(0, _INTEGER)
    for height in heights:
        count = left
        if height > 1:
            is_higher = size < body.constant(height, _INTEGER)
            count = body.select(is_higher, none, (left + (height // 2 - 1)) // height)
        tiles.append(RowTiles(height, count.to_index(), batch, rows - left))
        left = (left - count * height).at_least(none)
    return tiles

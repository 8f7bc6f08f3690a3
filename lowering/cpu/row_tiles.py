"""Into which tiles the rows of a step are cut.

Of a batch whose size is known, all tiles have one height. The last is moved back until it ends with
the batch: it overlaps the one before, and makes the same numbers again.

An open batch has tiles of several heights, each half of the one before, down to one row:

    for height in 8, 4, 2, 1, if the batch has as many rows:
      as many tiles as fit into the rows that are left,
      and one more if that is more than half full, moved back until it ends with the batch

So 3 rows are 2 and 1; 7 are 4 and 4, which overlap; 12 are 8 and 4; 15 are 8 and 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.kernel.body import Body
from rnn_compiler.lowering.kernel.number import Index, Number
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["OpenRowTiles", "RowTiles", "open_heights"]


def open_heights(vectors: VectorUnit) -> Sequence[int]:
    """The heights of the tiles of an open batch, highest first."""
    return [1 << power for power in reversed(range(vectors.rows.bit_length()))]


@dataclass(frozen=True)
class RowTiles:
    """The tiles of a batch whose size is known.

    Attributes:
        height: How many rows each has.
        count: How many there are.
        batch: The batch size.
    """

    height: int
    count: Index
    batch: int

    @classmethod
    def of(cls, vectors: VectorUnit, batch: int, active: Number | None) -> RowTiles:
        """Emits those of a batch, all of whose rows take part, or only so many."""
        height = vectors.row_block(batch)
        last = height - 1
        return cls(
            height, -(-batch // height) if active is None else (active + last) // height, batch
        )

    def first(self, body: Body, number: Index) -> Index:
        """The first row of a tile."""
        row = number * self.height
        if self.batch % self.height == 0 or isinstance(row, int):
            return row
        return body.smaller(row, self.batch - self.height)


class OpenRowTiles:
    """The tiles of an open batch.

    They are computed as integers, not indices: IREE 3.13 asks whether tiles overlap, and looks
    through all that an index is made of for the answer, which takes it minutes.

    Attributes:
        heights: Their heights.
        count: How many there are of all heights.
    """

    def __init__(
        self, body: Body, heights: Sequence[int], batch: Number, active: Number | None
    ) -> None:
        """Emits how many there are of each height.

        Args:
            body: Where to.
            heights: The heights.
            batch: The batch size.
            active: How many rows take part, if not all do.
        """
        self._body, self.heights = body, heights
        self._batch, rows = batch.to_integer("i64"), (active or batch).to_integer("i64")
        tiles, left = body.constant(0, "i64"), rows
        self._before = list[tuple[Number, Number]]()
        for height in heights:
            self._before.append((tiles, rows - left))
            count = left
            if height > 1:
                is_higher = self._batch < body.constant(height, "i64")
                count = (left + (height // 2 - 1)) // height
                count = body.select(is_higher, body.constant(0, "i64"), count)
            tiles, left = tiles + count, body.larger(left - count * height, 0)
        self.count = tiles.to_index()

    def tile(self, number: Number) -> tuple[Number, Number]:
        """Emits the first row of a tile, and its height."""
        body, number = self._body, number.to_integer("i64")
        chosen = (*self._before[0], body.constant(self.heights[0], "i64"))
        for (tiles, rows), height in zip(self._before[1:], self.heights[1:], strict=True):
            is_before = number < tiles
            chosen = tuple(
                body.select(is_before, old, new)
                for old, new in zip(
                    chosen, (tiles, rows, body.constant(height, "i64")), strict=True
                )
            )
        tiles, rows, height = chosen
        first = body.smaller(rows + (number - tiles) * height, self._batch - height)
        return first.to_index(), height.to_index()

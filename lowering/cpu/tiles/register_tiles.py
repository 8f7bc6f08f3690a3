"""The tiles that a product of few rows is divided into, each with its sums in registers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["MIN_COLUMNS", "Tile", "starts_of", "tiles_of"]

MIN_COLUMNS = 4
"""The fewest columns of a panel that `tiles_of` divides."""


class Tile(NamedTuple):
    """Some rows of a product, and as many columns as fit into registers.

    Attributes:
        rows: The rows.
        columns: The panel and the first column of each vector.
        lanes: The columns of a vector.
    """

    rows: range
    columns: list[tuple[int, int]]
    lanes: int

    @property
    def coordinates(self) -> list[tuple[int, int, int]]:
        """The row, the panel and the column of each vector of sums."""
        return [(row, *column) for row in self.rows for column in self.columns]


def starts_of(width: int, lanes: int) -> list[int]:
    """Where the vectors of some columns start; the last may overlap the previous one.

    Example:
        >>> starts_of(20, 8)
        [0, 8, 12]
    """
    return [*range(0, width - lanes, lanes), width - lanes]


def tiles_of(vectors: VectorUnit, rows: int, panels: int, width: int) -> Iterator[Tile]:
    """The tiles of a product that is summed in 32 bits.

    Args:
        vectors: The vector unit.
        rows: The rows of the product.
        panels: The number of panels.
        width: The columns of a panel, at least `MIN_COLUMNS`.
    """
    lanes = next(n for n in (vectors.lanes("f32"), 8, MIN_COLUMNS) if n <= width)
    columns = [(panel, start) for panel in range(panels) for start in starts_of(width, lanes)]
    for first in range(0, rows, vectors.rows):
        some = range(first, min(first + vectors.rows, rows))
        wide = max(1, 3 * vectors.registers // 4 // max(len(some), 3))
        for number in range(0, len(columns), wide):
            yield Tile(some, columns[number : number + wide], lanes)

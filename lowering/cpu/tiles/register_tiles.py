"""The tiles that a product of few rows is divided into, each with its sums in registers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["Tile", "TileProduct", "min_columns", "starts_of", "tiles_of"]

_MIN_COLUMNS = 4
"""The fewest columns of a panel that `tiles_of` divides."""


def min_columns(format: WeightFormat) -> int:
    """The fewest columns of a panel."""
    return _MIN_COLUMNS if format.is_grouped else 1


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
        width: The columns of a panel, at least `_MIN_COLUMNS`.
    """
    lanes = next(n for n in (vectors.lanes("f32"), 8, _MIN_COLUMNS) if n <= width)
    columns = [(panel, start) for panel in range(panels) for start in starts_of(width, lanes)]
    for first in range(0, rows, vectors.rows):
        some = range(first, min(first + vectors.rows, rows))
        wide = max(1, 3 * vectors.registers // 4 // max(len(some), 3))
        for number in range(0, len(columns), wide):
            yield Tile(some, columns[number : number + wide], lanes)


@dataclass(frozen=True)
class TileProduct(ABC):
    """The product of a tile, with panels of groups.

    Attributes:
        format: The format of the panels.
        lhs: The left-hand side, ``[K]`` or ``[rows, K]``.
        panels: The panels.
        tile: The rows and columns.
    """

    format: WeightFormat
    lhs: Array
    panels: Sequence[Array]
    tile: Tile

    @abstractmethod
    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products, added to the sums, row by row."""

    def at(self, row: int, k: Index) -> list[Index]:
        """The indices of a number of a row of the left-hand side."""
        return [row, k] if len(self.lhs.shape) > 1 else [k]

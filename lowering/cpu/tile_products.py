"""The products of a tile of a step: some rows of each left-hand side with some panels of weights.

A tile of a known height has an array for each gate, ``[rows, P]``; in a batch of one row ``[P]``.

Of an open batch, tiles have several heights, and one code for all else that they do. So there is an
array for the highest, the gates side by side, ``[rows, G*P]``, and one of several products fills it
from row 0 on, that of the tile's height:

    for height in 8, 4, 2:
      if it is the tile's, for gate: products[:height, gate] = lhs[first : first + height] @ panel
    if the tile is one row: products[0, :] = lhs[first] @ all panels, their sums under way at once
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rnn_compiler.lowering.analysis.values import defining, element, width
from rnn_compiler.lowering.analysis.walk import Step
from rnn_compiler.lowering.cpu.matmul import row_matmul, tile_matmul
from rnn_compiler.lowering.cpu.plan import Group, Panels
from rnn_compiler.lowering.kernel.body import Array, ArrayType, known
from rnn_compiler.lowering.kernel.number import Index, Number
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["Products", "TileProducts", "Units"]

Products: TypeAlias = Mapping[tuple[ir.Value, int], tuple[Array, int]]
"""The product that each column of a group is in, and where in it it begins."""


@dataclass(frozen=True)
class Units:
    """The units of one panel, or of some that adjoin.

    Attributes:
        start: The first unit.
        count: How many units there are.
        panel: The first panel's number; None if it is the only one.
        panels: How many panels there are.
    """

    start: Index
    count: int
    panel: Index | None
    panels: int = 1


@dataclass(frozen=True)
class TileProducts:
    """Emits the products of tiles of a group.

    Attributes:
        step: The step.
        vectors: The vector unit.
        group: The group.
        packed: The weights of its panels.
        units: The units of the tiles.
        batched: Whether arrays have an axis for rows.
    """

    step: Step
    vectors: VectorUnit
    group: Group
    packed: Sequence[Array]
    units: Units
    batched: bool

    def emit(self, first: Index, rows: int) -> Products:
        """Emits the products of so many rows."""
        made: dict[tuple[ir.Value, int], tuple[Array, int]] = {}
        for panels, packed in zip(self.group.panels, self.packed, strict=True):
            lhs = self._left(panels, first, rows if self.batched else 1)
            gates, apart = [[number] for number in range(len(panels.columns))], 0
            if len(packed.shape) < 4:
                gates, apart = [list[int]()], known(packed.shape)[-1] // len(panels.columns)
            with self._located(panels):
                products = [
                    tile_matmul(self.step.body, self.vectors, lhs, self._weight(packed, gate))
                    for gate in gates
                ]
            for number, column in enumerate(panels.columns):
                made[column] = products[number % len(products)], number * apart
        return made

    def emit_open(self, first: Index, height: Number, heights: Sequence[int]) -> Products:
        """Emits the products of as many rows as there turn out to be, one of some heights."""
        made: dict[tuple[ir.Value, int], tuple[Array, int]] = {}
        for panels, packed in zip(self.group.panels, self.packed, strict=True):
            gates = [[number] for number in range(len(panels.columns))]
            size = known(packed.shape)[-1]
            if len(packed.shape) < 4:
                gates = [list[int]()]
            columns = len(gates) * self.units.panels * size
            kind = element(panels.columns[0][0])
            whole = self.step.body.empty(ArrayType((heights[0], columns), kind))
            with self._located(panels):
                for rows in heights:
                    self._fill(whole, panels, packed, gates, (first, rows), height)
            for number, column in enumerate(panels.columns):
                made[column] = whole, number * (columns // len(panels.columns))
        return made

    def _fill(
        self,
        whole: Array,
        panels: Panels,
        packed: Array,
        gates: Sequence[Sequence[int]],
        tile: tuple[Index, int],
        height: Number,
    ) -> None:
        """Emits the product of a tile of one height, if it is that."""
        body, (first, rows) = self.step.body, tile

        def multiply(_: Number) -> None:
            lhs = self._left(panels, first, rows)
            weights = [
                self._weight(packed, gate, more)
                for gate in gates
                for more in range(self.units.panels)
            ]
            if rows == 1:
                products = row_matmul(body, self.vectors, lhs, weights)
            else:
                products = [tile_matmul(body, self.vectors, lhs, each) for each in weights]
            column = 0
            for product in products:
                body.insert(product, whole, [0, column])
                column += known(product.shape)[-1]

        is_so = body.compare("eq", height, body.index(rows)).to_index()
        body.loop(0, is_so, 1, [whole], multiply)

    def _left(self, panels: Panels, first: Index, rows: int) -> Array:
        """Some rows of a left-hand side; a single one without its axis."""
        step = self.step
        key, lead = step.rows[panels.lhs]
        starts = [first] if self.batched else []
        sizes = (*([rows] if rows > 1 else []), width(panels.lhs))
        return step.body.extract(step.arrays[key], [step.leads[lead], *starts, 0], sizes)

    def _weight(self, packed: Array, gate: Sequence[int], more: int = 0) -> Array:
        """A panel of a gate, or of all; so many after the first."""
        if len(packed.shape) == 2:
            return packed
        panel = self.units.panel or 0
        panel = panel + more if more else panel
        return self.step.body.extract(packed, [*gate, panel, 0, 0], known(packed.shape)[-2:])

    def _located(self, panels: Panels):
        return self.step.body.located(defining(panels.columns[0][0]).location)

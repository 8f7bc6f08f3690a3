"""One tile of one step of a time loop: some rows and units of one level's values.

A tile consists of a matrix product for each left-hand side, and of the step's elementwise
arithmetic on its rows, in vectors (`analysis.walk`) of as many columns as fill a register or two.

Vectors are read and written one by one, in place. A `linalg.generic` with many results would not
stay in place: IREE copies all but one of the results that are parts of one array (the gates), and
states that are also read, element by element (a fifth of the time of a step of 64 rows of 512
units).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.analysis.values import defining, element, width
from rnn_compiler.lowering.analysis.walk import Position, StepContext, Walk
from rnn_compiler.lowering.codegen.arithmetic import cast
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.number import Index, Number, bits
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.cpu.fused_loop.int8_steps import StepRows
from rnn_compiler.lowering.cpu.fused_loop.plan import Group, Panels
from rnn_compiler.lowering.cpu.fused_loop.rows_by_length import RowOrder
from rnn_compiler.lowering.cpu.fused_loop.step_weights import StepWeights
from rnn_compiler.lowering.cpu.tiles.matmul import row_matmul, tile_matmul
from rnn_compiler.lowering.cpu.tiles.row_dot import row_dot
from rnn_compiler.lowering.cpu.tiles.row_fma import row_fma
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["StepTile", "Units"]


@dataclass(frozen=True)
class Units:
    """The units of one panel, or of several adjacent ones.

    Attributes:
        start: The first unit.
        count: The number of units.
        panel: The number of the first panel; None if there is only one in all.
        panels: The number of panels.
    """

    start: Index
    count: int
    panel: Index | None
    panels: int = 1


@dataclass(frozen=True)
class _Row:
    """A row of a tile.

    Attributes:
        ring: Its number in the rings.
        tile: Its number in the tile; None if the tile has only one row.
        batch: Its number in the batch, for inputs and outputs.
    """

    ring: Index
    tile: Index | None
    batch: Index


_LINE = 64
"""The size of a cache line in bytes."""

_Products = Mapping[tuple[ir.Value, int], tuple[Array, int]]
"""For each column of the group, its product and its first column there."""


class StepTile:
    """Emits tiles of a group.

    Args:
        step: The step.
        vectors: The vector unit.
        group: The group.
        weights: Its weights.
        units: The units of the tiles.
        quantized: The rows of left-hand sides in int8.
        batched: Whether arrays have a batch axis.
        order: The rows' order in the rings; None if it is that of the batch.
    """

    def __init__(
        self,
        step: StepContext,
        vectors: VectorUnit,
        group: Group,
        weights: Sequence[StepWeights],
        units: Units,
        quantized: Mapping[ir.Value, StepRows],
        *,
        batched: bool,
        order: RowOrder | None = None,
    ) -> None:
        self.step, self.vectors, self.body = step, vectors, step.body
        self.group, self.weights, self.units, self.quantized = group, weights, units, quantized
        self.batched, self.order = batched, order
        self.lanes = vectors.step_lanes(units.count)

    def emit(self, first: Index, rows: int, end: Number | None = None) -> None:
        """Emits a tile.

        Args:
            first: Its first row in the rings.
            rows: The number of its rows.
            end: The first row that is not active; None if all are.
        """
        if self.order is not None:
            self._prefetch(first, rows, self.order)
        products = dict(
            pair for weights in self.weights for pair in self._multiply(weights, first, rows)
        )
        written = dict.fromkeys(write.array for write in self.group.writes)
        carried = [self.step.arrays[key] for key in written]

        def row(number: Index) -> None:
            position = self._row(first + number, number if rows > 1 else None)

            def vectors(number: Index) -> None:
                self._vectors(products, position, number * self.lanes)

            partition(self.body, self.units.count // self.lanes, 1, 0, carried, vectors)

        if end is None:
            partition(self.body, rows, 1, 0, carried, row)
        else:
            self.body.loop(0, (end - first).at_most(rows), 1, carried, row)

    def _prefetch(self, first: Index, rows: int, order: RowOrder) -> None:
        """Emits prefetches of the rows of sequences that the tile will read: they are far apart."""

        def row(number: Index) -> None:
            row = self._row(first + number)

            def vectors(number: Index) -> None:
                walk = _Hints(self, {}, row, number * self.lanes, order)
                for write in self.group.writes:
                    walk.emit(write.value, (("row", 0), ("column", write.column)))

            partition(self.body, self.units.count // self.lanes, 1, 0, [], vectors)

        partition(self.body, rows, 1, 0, [], row)

    def clear(self, position: Number) -> None:
        """Emits zeros in the outputs for an inactive row of the rings."""
        outputs: dict[str, list[int]] = {}
        for write in self.group.writes:
            if write.is_output:
                outputs.setdefault(write.array, []).append(write.column)
        carried = [self.step.arrays[key] for key in outputs]
        row = self._row(position).batch

        def vectors(number: Index) -> None:
            for array, starts in zip(carried, outputs.values(), strict=True):
                zero = self.body.constant(0, array.element, self.lanes)
                for start in starts:
                    column = self.units.start + (number * self.lanes + start)
                    self.body.write(zero, array, [self.step.leads["time"], row, column])

        partition(self.body, self.units.count // self.lanes, 1, 0, carried, vectors)

    def _row(self, position: Index, number: Index | None = None) -> _Row:
        batch = position if self.order is None else self.order.row(self.body, position)
        return _Row(position, number, batch)

    def _multiply(
        self, weights: StepWeights, first: Index, rows: int
    ) -> list[tuple[tuple[ir.Value, int], tuple[Array, int]]]:
        """Emits the product of these rows with this panel.

        Returns:
            For each column, its product and its first column there.
        """
        body, units, panels = self.body, self.units, weights.panels
        if panels.in_place:
            return self._multiply_in_place(panels, weights.array)
        times = self._times(panels, first, rows)

        def panel(part: int, more: int = 0) -> Array:
            number = units.panel or 0
            return weights.panel(body, part, number + more if more else number)

        with body.located(defining(panels.columns[0][0]).location):
            parts = range(weights.parts)
            if rows == 1 and self.batched:
                products = times([panel(part, k) for part in parts for k in range(units.panels)])
            else:
                products = [made for part in parts for made in times([panel(part)])]
        apart = units.panels * weights.width if len(products) == 1 else 0
        return [
            (column, (products[number % len(products)], number * apart))
            for number, column in enumerate(panels.columns)
        ]

    def _multiply_in_place(
        self, panels: Panels, weights: Array
    ) -> list[tuple[tuple[ir.Value, int], tuple[Array, int]]]:
        """The same for a single row, with unpacked weights."""
        step, body, units = self.step, self.body, self.units
        array, lead = step.lhs(panels.lhs)
        inner = width(panels.lhs)
        lhs = body.extract(array, [lead, 0], [inner])
        is_transposed = step.loop.products[panels.columns[0][0]].transposed

        def gate(number: int) -> Array:
            first = units.start + number * self.group.gate_width
            if is_transposed:
                return row_dot(body, self.vectors, lhs, weights, first, units.count)
            panel = body.extract(weights, [0, first], (inner, units.count))
            return row_fma(body, self.vectors, lhs, [panel])

        with body.located(defining(panels.columns[0][0]).location):
            return [(column, (gate(number), 0)) for number, column in enumerate(panels.columns)]

    def _times(
        self, panels: Panels, first: Index, rows: int
    ) -> Callable[[list[Array]], list[Array]]:
        """Emits reads of these rows of a left-hand side; returns the function to multiply them."""
        step, body, format = self.step, self.body, panels.format
        starts: list[Index] = [first] if self.batched else []
        if panels.lhs in self.quantized:
            lhs = self.quantized[panels.lhs].tile(starts, rows)
        else:
            array, lead = step.lhs(panels.lhs)
            row = (*([rows] if rows > 1 else []), width(panels.lhs))
            lhs = body.extract(array, [lead, *starts, 0], row)
        how = body, self.vectors, format, lhs
        if rows == 1:
            return lambda weights: row_matmul(*how, weights)
        return lambda weights: [tile_matmul(*how, each) for each in weights]

    def _vectors(self, products: _Products, row: _Row, column: Index) -> None:
        """Emits the writes of one row, for as many columns as a vector has lanes."""
        step = self.step
        walk = _Vectors(self, products, row, column)
        writes = self.group.writes
        values = [
            cast(
                self.body,
                walk.written(write, (("row", 0), ("column", write.column))),
                step.arrays[write.array].element,
            )
            for write in writes
        ]
        for write, value in zip(writes, values, strict=True):
            number = row.batch if write.is_output else row.ring
            position = walk.position(step.leads[write.lead], number, write.column)
            self.body.write(value, step.arrays[write.array], position)


class _Vectors(Walk):
    """Computes vectors of one row.

    Attributes:
        tile: The tile.
        products: The products of the tile.
        row: The row.
        column: The first column of the vectors within the panel.
    """

    def __init__(self, tile: StepTile, products: _Products, row: _Row, column: Index) -> None:
        super().__init__(tile.step, tile.body, tile.lanes)
        self.tile, self.products, self.row, self.column = tile, products, row, column

    def position(self, lead: Index | None, row: Index, column: int) -> list[Index]:
        """The position of the vector in a row of an array."""
        leads = [] if lead is None else [lead]
        rows = [row] if self.tile.batched else []
        return [*leads, *rows, self._column(column)]

    def _column(self, column: int) -> Index:
        """The position of the vector in a row of an array."""
        return self.tile.units.start + (self.column + column)

    def scalar(self, number: Number) -> Number:
        """A vector of a scalar."""
        return self.body.broadcast(number, self.lanes)

    def product(self, value: ir.Value, at: Position) -> Number:
        """The vector of a product of the tile."""
        product, start = self.products[value, at[1][1]]
        rows = [] if self.row.tile is None else [self.row.tile]
        made = self.body.read(product, [*rows, self.column + start], self.lanes)
        multiplied = self.step.loop.products[value]
        if multiplied.scale is None:
            return made
        row = [self.row.ring] if self.tile.batched else []
        scale = self.emit(multiplied.scale, at[1:])
        return self.tile.quantized[multiplied.lhs].rescaled(made, row, scale)

    def read(self, value: ir.Value, array: Array, lead: Index | None, at: Position) -> Number:
        """Reads the vector from an array; an array without columns gives a single number."""
        leads = [] if lead is None else [lead]
        row = self.row.ring if value in self.step.states else self.row.batch
        if len(at) == 2:
            return self.body.read(array, self.position(lead, row, at[1][1]), self.lanes)
        if at[0][0] == "column":
            return self.body.read(array, [*leads, self._column(at[0][1])], self.lanes)
        return self.scalar(self.body.element(array, [*leads, row]))


class _Hints(_Vectors):
    """Emits prefetches of sequences instead of reads.

    It puts zeros in place of what it would read; the code that computes with them is dead, and the
    compiler drops it.

    Attributes:
        order: The rows' order, which knows the sequences.
    """

    def __init__(
        self, tile: StepTile, products: _Products, row: _Row, column: Index, order: RowOrder
    ) -> None:
        super().__init__(tile, products, row, column)
        self.order = order

    def product(self, value: ir.Value, at: Position) -> Number:
        """Zeros."""
        return self.body.constant(0, element(value), self.lanes)

    def read(self, value: ir.Value, array: Array, lead: Index | None, at: Position) -> Number:
        """Zeros, and a prefetch of each cache line that they stand for."""
        for column in range(0, self.lanes if len(at) == 2 else 0, 8 * _LINE // bits(array.element)):
            position = self.position(lead, self.row.batch, at[1][1] + column)
            self.order.hint(self.body, array, position)
        return self.body.constant(0, array.element, self.lanes)

"""The loop over time of a dispatch on a CPU, and how workgroups share a step.

A step has a turn for each of its groups (`plan`). Each part of a turn is some panels and some rows
of the group. A part loops over its panels, and within a panel over its tiles (`heights`), each
of which is a `StepTile`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.analysis.time_loop import TimeLoop
from rnn_compiler.lowering.analysis.values import defining, element, width
from rnn_compiler.lowering.analysis.walk import Position, StepContext, Walk
from rnn_compiler.lowering.codegen.body import Array, Body, Index, Number, bits, known
from rnn_compiler.lowering.codegen.elementwise import cast
from rnn_compiler.lowering.codegen.executable import FunctionBuilder, Part
from rnn_compiler.lowering.codegen.partition import (
    bounds,
    one_only,
    partition,
    quotient,
    remainder,
)
from rnn_compiler.lowering.codegen.stablehlo import concatenated, converted, sliced, transposed
from rnn_compiler.lowering.cpu.fused_loop.int8_rows import StepRows
from rnn_compiler.lowering.cpu.fused_loop.plan import Group, LoopPlan, Panels, StateRing
from rnn_compiler.lowering.cpu.fused_loop.row_tiles import RowTiles, row_tiles
from rnn_compiler.lowering.cpu.fused_loop.work_sharing import RowOrder, Turns
from rnn_compiler.lowering.cpu.matrix_unit import MatrixUnit
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.row_copies import copy_row, zeros_in_place
from rnn_compiler.lowering.cpu.tiles import min_columns, row_dot, row_fma, row_matmul, tile_matmul
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

# The weights of a step: the columns that a group's products need, packed into panels.
#
# A step slices its products (the gates of one ``h @ w``) and may take columns from several
# matrices, but a tile needs the same few units of every gate. So the columns are concatenated, if
# necessary, and packed once per call, before the dispatch. If a step has a single row and there
# is only one step, it reads them once, unpacked.


@dataclass(frozen=True)
class StepWeights:
    """The weights of a group's products with one left-hand side.

    Attributes:
        array: ``[N/P, K, G*P]``, panels of all gates, or ``[G, N/P, K, P]``, panels of each gate;
            or the same of groups. Of single numbers, if there is a single panel, ``[K, G*N]``.
            Unpacked (`Panels.in_place`), ``[K, G*N]`` or ``[G*N, K]``.
    """

    panels: Panels
    array: Array

    @property
    def parts(self) -> int:
        """The number of arrays that a panel consists of: one, or one for each gate."""
        return known(self.array.shape)[0] if len(self.array.shape) == 4 else 1

    @property
    def width(self) -> int:
        """The columns of a gate in a panel."""
        columns = self.panels.format.columns(known(self.array.shape)[-1])
        return columns * self.parts // len(self.panels.columns)

    def panel(self, body: Body, part: int, number: Index) -> Array:
        """Emits one part of a panel, by their numbers."""
        if len(self.array.shape) == 2:
            return self.array
        gate = [part] if len(self.array.shape) == 4 else []
        return body.extract(self.array, [*gate, number, 0, 0], known(self.array.shape)[-2:])


def step_weights(
    outside: FunctionBuilder,
    vectors: VectorUnit,
    loop: TimeLoop,
    arguments: Mapping[ir.Value, Array],
    group: Group,
    panels: Panels,
    part: Part,
    *,
    interleaved: bool,
) -> StepWeights:
    """Emits the packing of the columns that products with one left-hand side need.

    A panel holds the columns of all gates if `interleaved`.
    """
    products = [loop.products[value] for value, _ in panels.columns]
    if len({product.transposed for product in products}) != 1:
        raise Refused("products of mixed orientation")
    axis = 0 if products[0].transposed else 1
    weights = [arguments[product.weight] for product in products]
    starts = [column for _, column in panels.columns]
    matrix = weights[0]
    whole = starts == list(range(0, known(matrix.shape)[axis], group.gate_width))
    if not whole or any(weight is not matrix for weight in weights):
        matrix = _side_by_side(outside, weights, starts, group.gate_width, axis)
    format = panels.format
    if matrix.element != format.weight:
        if not part.is_in_loop:  # each of several loops with these weights converts them
            matrix = outside.opaque(matrix)
        matrix = converted(outside, matrix, format.weight)
    if panels.in_place:
        return StepWeights(panels, outside.materialized(matrix))
    if group.panel < group.gate_width or format.is_grouped:
        panel = max(group.panel, min_columns(format))  # a panel that is the only one is padded
        gates = len(panels.columns)
        how = outside, vectors, format, matrix, axis, panel, gates
        matrix = pack(*how, interleaved=interleaved, overlaps=group.overlaps)
    elif axis == 0:
        matrix = transposed(outside, matrix)
    return StepWeights(panels, outside.materialized(matrix))


def _side_by_side(
    body: Body, weights: Sequence[Array], starts: Sequence[int], size: int, axis: int
) -> Array:
    """Emits some columns of several matrices as one matrix."""
    columns: list[Array] = []
    for weight, start in zip(weights, starts, strict=True):
        sizes, first = [*known(weight.shape)], [0, 0]
        first[axis], sizes[axis] = start, size
        columns.append(sliced(body, weight, first, sizes))
    return concatenated(body, columns, axis)


# One tile of one step of a time loop: some rows and units of one level's values.
#
# A tile consists of a matrix product for each left-hand side, and of the step's elementwise
# arithmetic on its rows, in vectors (`analysis.time_loop`) of as many columns as fill a register or
# two.
#
# Vectors are read and written one by one, in place. A `linalg.generic` with many results would
# not stay in place: IREE copies all but one of the results that are parts of one array (the
# gates), and states that are also read, element by element (a fifth of the time of a step of 64
# rows of 512 units).


@dataclass(frozen=True)
class Units:
    """The units of one panel, or of several adjacent ones.

    Attributes:
        panel: The number of the first panel; None if there is only one in all.
    """

    start: Index
    count: int
    panel: Index | None
    panels: int = 1


@dataclass(frozen=True)
class _TileRow:
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
    """Emits tiles of a group; the rows' order in the rings is `order`, or that of the batch."""

    def __init__(
        self,
        step: StepContext,
        vectors: VectorUnit,
        group: Group,
        weights: Sequence[StepWeights],
        units: Units,
        quantized: Mapping[ir.Value, StepRows],
        unit: MatrixUnit,
        *,
        batched: bool,
        order: RowOrder | None = None,
    ) -> None:
        self.step, self.vectors, self.body = step, vectors, step.body
        self.group, self.weights, self.units, self.quantized = group, weights, units, quantized
        self.unit, self.batched, self.order = unit, batched, order
        self.lanes = vectors.step_lanes(units.count)

    def emit(self, first: Index, rows: int, end: Number | None = None) -> None:
        """Emits a tile of rows of the rings; from `end` on, if given, rows are not active."""
        if self.order is not None:
            self._prefetch(first, rows, self.order)
        self.multiplied = 0
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

    def _row(self, position: Index, number: Index | None = None) -> _TileRow:
        batch = position if self.order is None else self.order.row(self.body, position)
        return _TileRow(position, number, batch)

    def _multiply(
        self, weights: StepWeights, first: Index, rows: int
    ) -> list[tuple[tuple[ir.Value, int], tuple[Array, int]]]:
        """Emits these rows times this panel: each column's product, and its first column there."""
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
        """Multiplies a single row by unpacked weights."""
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

        def times(weights: list[Array]) -> list[Array]:
            numbers = range(self.multiplied, self.multiplied + len(weights))
            self.multiplied += len(weights)
            return [
                tile_matmul(*how, each, unit=self.unit, number=number)
                for number, each in zip(numbers, weights, strict=True)
            ]

        return times

    def _vectors(self, products: _Products, row: _TileRow, column: Index) -> None:
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
    """Computes vectors of one row, from a column of the panel on."""

    def __init__(self, tile: StepTile, products: _Products, row: _TileRow, column: Index) -> None:
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
    """

    def __init__(
        self, tile: StepTile, products: _Products, row: _TileRow, column: Index, order: RowOrder
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


class LoopSteps:
    """Emits the loop over time.

    Attributes:
        order: The rows' order in the rings; None if it is that of the batch.
        count: The number of steps; set by `emit`.
        ring: The rows of the rings that have the states; set by `emit`.
        active: The number of active rows of the step being emitted; None if all are.
        turn: The number of the turn that is emitted.
    """

    def __init__(
        self,
        step: StepContext,
        plan: LoopPlan,
        vectors: VectorUnit,
        turns: Turns,
        cut: Sequence[Index],
        weights: Sequence[Sequence[StepWeights]],
        order: RowOrder | None,
        unit: MatrixUnit,
    ) -> None:
        self.step, self.plan, self.vectors, self.unit = step, plan, vectors, unit
        self.turns, self.cut, self.weights, self.order = turns, cut, weights, order
        self.loop, self.body, self.arrays = step.loop, step.body, step.arrays
        self.quantized = {
            lhs: StepRows(step, vectors, format, lhs, key, turns.workgroup)
            for lhs, (key, format) in plan.quantized.items()
        }

    def emit(self, initial: Sequence[Array]) -> None:
        """Emits the loop, with the initial states before it and the zeros after it."""
        body, turns = self.body, self.turns
        given = self.step.scalars[self.loop.arguments[0]]
        length, low = self.step.length, body.constant(0, "i64")
        high = body.integer(length, "i64")
        self.count = given.at_least(low).at_most(high).to_index()
        self.ring = StateRing(body, self.count)
        states = [self.arrays[self.plan.states[state.value]] for state in self.loop.states]

        def begin() -> None:
            if self.order:
                pairs = list(zip(initial, states, strict=True))
                self.order.enter(body, self.vectors, pairs, self.count)
                return
            for array, source in zip(states, initial, strict=True):
                self._copy(source, array, self.ring.first)

        turns.take(
            body.index(0), states, lambda part: one_only(body, part, turns.parts, states, begin)
        )
        if turns.parts != 1:
            for rows in self.quantized.values():
                rows.forget(self.cut[1])
        first = turns.over(len(self.plan.groups))
        body.loop(first, self.count, 1, list(self.arrays.values()), self._one_step)
        outputs = [self.arrays[key] for key in self.plan.outputs]
        first = self.count + turns.workgroup
        if outputs:
            body.loop(first, length, turns.parts, outputs, self._zero_row)
        if self.order:
            finals = [self.arrays[key] for key in self.plan.finals]
            pairs = list(zip(states, finals, strict=True))
            part = (turns.workgroup, turns.parts)
            self.order.leave(body, self.vectors, pairs, self.count, part)

    def _copy(self, source: Array, ring: Array, lead: Number) -> None:
        """Emits a copy of a state into a row of its ring."""
        body = self.body
        if isinstance(source.shape[0], int):
            body.insert(source, ring, [lead, *[0] * len(source.shape)])
            return

        def row(number: Number) -> None:
            copy_row(body, self.vectors, (source, [number]), (ring, [lead, number]))

        body.loop(0, source.shape[0], 1, [ring], row)

    def _zero_row(self, time: Number) -> None:
        """Emits zeros for one row of every output."""
        for key in self.plan.outputs:
            array = self.arrays[key]
            if isinstance(array.shape[1], int):
                self._clear(array, [time], array.shape[1:])
            else:
                body, columns = self.body, array.shape[2:]
                body.loop(
                    *(0, array.shape[1], 1, [array]),
                    lambda row, of=array, columns=columns: self._clear(of, [time, row], columns),
                )

    def _clear(self, array: Array, at: Sequence[Index], sizes: Sequence[Index]) -> None:
        """Emits zeros in a part of an array."""
        starts = [*at, *[0] * len(sizes)]
        row = self.body.extract(array, starts, sizes)
        self.body.insert(zeros_in_place(self.body, self.vectors, row), array, starts)

    def _one_step(self, number: Number) -> None:
        """Emits step k: its scalars, then a turn for each group."""
        step, groups = self.step, self.plan.groups
        step.begin(number.to_integer("i64"), self.ring.rows_at(number))
        self.active = self.order and self.order.count(self.body, step.leads["time"])
        turn = number * len(groups)
        for group, weights in zip(groups, self.weights, strict=True):
            keys = dict.fromkeys(write.array for write in group.writes)
            carried = [self.arrays[key] for key in keys]
            lefts = [panels.lhs for panels in group.panels if panels.lhs in self.quantized]
            carried += [array for lhs in lefts for array in self.quantized[lhs].arrays]
            self.turn = turn = turn + 1

            def part(
                number: Index,
                of: tuple[Group, Sequence[StepWeights]] = (group, weights),
                lefts: Sequence[ir.Value] = lefts,
            ) -> None:
                self._quantize(lefts, number)
                self._tiles(*of, number)

            self.turns.take(turn, carried, part)

    def _quantize(self, lefts: Sequence[ir.Value], part: Index) -> None:
        """Emits the rows in int8 that a part of a group multiplies."""

        def tiles() -> list[RowTiles]:
            return row_tiles(self.body, self.step.batch, self.plan.heights, self.active)

        turn = None if self.turns.parts == 1 else self.turn
        for lhs in lefts:
            rows = self._part_of_rows(part), self.cut[1]
            self.quantized[lhs].quantize(rows, turn, tiles if self.plan.batched else None)

    def _tiles(self, group: Group, weights: Sequence[StepWeights], part: Index) -> None:
        """Emits a part of a group: some panels, some rows.

        Tiles of a single row of an open batch are emitted separately: they may have several panels.
        """
        heights = self.plan.heights
        if len(heights) == 1:
            self._panels(group, weights, part, heights)
        else:
            self._panels(group, weights, part, heights[:-1])
            self._panels(group, weights, part, heights[-1:], group.panels_at_once)

    def _part_of_rows(self, part: Index) -> Index:
        """The part of the rows that a part of a group has."""
        return quotient(part, self.cut[0]) if isinstance(part, Number) else 0

    def _panels(
        self,
        group: Group,
        weights: Sequence[StepWeights],
        part: Index,
        heights: Sequence[int],
        panels_at_once: int = 1,
    ) -> None:
        """Emits the tiles of some heights in a part of a group, with a number of panels each."""
        body, (units, row_parts) = self.body, self.cut
        column: Index = 0
        row_part = self._part_of_rows(part)
        if isinstance(part, Number):
            column = remainder(part, units)
        carried = [self.arrays[key] for key in dict.fromkeys(w.array for w in group.writes)]
        full, rest = divmod(group.gate_width, group.panel)
        if group.overlaps:
            full, rest = full + 1, 0

        def all_rows(of: Units) -> None:
            tile = StepTile(
                self.step,
                self.vectors,
                group,
                weights,
                of,
                self.quantized,
                self.unit,
                batched=self.plan.batched,
                order=self.order,
            )
            for tiles in row_tiles(body, self.step.batch, self.plan.heights, self.active):
                if tiles.height in heights:
                    self._rows(tile, tiles, (row_part, row_parts), carried)
            if self.active is not None and self.plan.heights[0] in heights:
                low, high = bounds(row_part, row_parts, body.index(self.step.batch) - self.active)
                body.loop(self.active + low, self.active + high, 1, carried, tile.clear)

        def panel(number: Index) -> None:
            first = number if panels_at_once == 1 else number * panels_at_once
            start = first * group.panel
            if group.overlaps:
                start = body.index(start).at_most(group.gate_width - group.panel)
            all_rows(Units(start, panels_at_once * group.panel, first, panels_at_once))

        if (full, rest) == (1, 0):
            all_rows(Units(0, group.panel, None))
            return
        partition(body, full // panels_at_once, units, column, carried, panel)
        if rest:
            last = Units(full * group.panel, rest, full)
            one_only(body, column, units, carried, lambda: all_rows(last))

    def _rows(
        self,
        tile: StepTile,
        tiles: RowTiles,
        part: tuple[Index, Index],
        carried: Sequence[Array],
    ) -> None:
        """Emits a part of the tiles of one height."""
        body, (row_part, row_parts), active = self.body, part, self.active

        def each(number: Index) -> None:
            tile.emit(tiles.first(body, number), tiles.height, active)

        partition(body, tiles.count, row_parts, row_part, carried, each)

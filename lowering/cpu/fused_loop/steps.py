"""The loop over time of a dispatch on a CPU, and how workgroups share a step.

A step has a turn for each of its groups (`plan`). Each part of a turn is some panels and some rows
of the group. A part loops over its panels, and within a panel over its tiles (`tile_heights`), each
of which is a `step_tile`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import (
    bounds,
    first_only,
    partition,
    quotient,
    remainder,
)
from rnn_compiler.lowering.cpu.fused_loop.int8_steps import StepRows
from rnn_compiler.lowering.cpu.fused_loop.plan import Group, Plan
from rnn_compiler.lowering.cpu.fused_loop.rows_by_length import RowOrder
from rnn_compiler.lowering.cpu.fused_loop.state_ring import StateRing
from rnn_compiler.lowering.cpu.fused_loop.step_tile import StepTile, Units
from rnn_compiler.lowering.cpu.fused_loop.step_weights import StepWeights
from rnn_compiler.lowering.cpu.fused_loop.tile_heights import RowTiles, row_tiles
from rnn_compiler.lowering.cpu.fused_loop.work_sharing import Turns
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import copy_row, zeros_in_place
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["LoopSteps"]


class LoopSteps:
    """Emits the loop over time.

    Attributes:
        step: The context of a step.
        plan: The writes of a step.
        turns: How workgroups share its parts.
        cut: The numbers of parts into which units and rows are divided.
        weights: The weights of each group.
        quantized: The rows of left-hand sides in int8.
        order: The rows' order in the rings; None if it is that of the batch.
        count: The number of steps; set by `emit`.
        ring: The rows of the rings that have the states; set by `emit`.
        active: The number of active rows of the step being emitted; None if all are.
        turn: The number of the turn that is emitted.
    """

    def __init__(
        self,
        step: StepContext,
        plan: Plan,
        vectors: VectorUnit,
        turns: Turns,
        cut: Sequence[Index],
        weights: Sequence[Sequence[StepWeights]],
        order: RowOrder | None,
    ) -> None:
        self.step, self.plan, self.vectors = step, plan, vectors
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
            body.index(0), states, lambda part: first_only(body, part, turns.parts, states, begin)
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

        def all_rows(of: Units) -> None:
            tile = StepTile(
                self.step,
                self.vectors,
                group,
                weights,
                of,
                self.quantized,
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
            all_rows(
                Units(first * group.panel, panels_at_once * group.panel, first, panels_at_once)
            )

        if (full, rest) == (1, 0):
            all_rows(Units(0, group.panel, None))
            return
        partition(body, full // panels_at_once, units, column, carried, panel)
        if rest:
            last = Units(full * group.panel, rest, full)
            first_only(body, column, units, carried, lambda: all_rows(last))

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

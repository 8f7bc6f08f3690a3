"""Plans the writes of a time loop's dispatch on a CPU: their arrays, groups and parts.

A state is updated in place, in a ring of two rows (`StateRing`). A left-hand side that a step
computes is written to a scratch ring, or to the corresponding output, if there is one. Because a
level never reads what it writes, the last tile of rows may overlap the previous one, so may the
last panel of units, and two workgroups may write the same numbers to it.

Arrays of one row (batch size 1) have no batch axis, and those of a single step have space for two,
because IREE's folding of unit axes breaks loops in a dispatch. A loop with another unit axis is
refused.

If rows have lengths and fill more than one tile, rings store them in the order of their lengths
(`rows_by_length`) and all other arrays in batch order; so a left-hand side is never an output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rnn_compiler.lowering.analysis.time_loop import StepProduct, TimeLoop
from rnn_compiler.lowering.analysis.values import element, gate_width, shape, static_shape, width
from rnn_compiler.lowering.analysis.walk import Lead, Write
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number
from rnn_compiler.lowering.cpu.fused_loop.int8_rows import step_rows_arrays
from rnn_compiler.lowering.cpu.fused_loop.row_tiles import heights
from rnn_compiler.lowering.cpu.tiles import min_columns
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat, divisor

# States updated in place, as rings of two rows: a step reads one row and writes the other.
#
#     ring [2, B, N]        before the last m steps, the state is in row m % 2
#
# So of n steps, step k reads row ``(n-k) % 2``. The initial state is copied to row ``n % 2``, and
# the final state is in row 0 for any n. Nothing else is copied, and no tile overwrites data that
# another tile of the same step still reads.
#
# If rows have lengths (`rows_by_length`), the same holds for each row separately: a row that
# starts late has fewer steps left, and one that finishes early skips some.

ROWS = 2
"""The number of rows of a ring."""

LAST = 0
"""The row of the final state."""


def row_of(remaining: Number) -> Number:
    """Emits the row that has the state when a number of steps remain."""
    return remaining % ROWS


class StateRing:
    """The rows that steps read and write, the same in the rings of all states of a loop.

    `first` is the row that has the states before the first step.
    """

    def __init__(self, body: Body, count: Number) -> None:
        """Emits the values that are the same for all steps, before the loop."""
        self._count = count
        self._one, self._rows = body.index(1), body.index(ROWS)
        self.first = count % self._rows

    def rows_at(self, step: Number) -> dict[Lead, Index]:
        """Emits the rows that a step reads, "current", and writes, "next"."""
        current = (self._count - step) % self._rows
        return {"current": current, "next": self._one - current}

    @staticmethod
    def last(body: Body, ring: Array) -> Array:
        """Emits the state after the last step."""
        whole = ring.shape[1:]
        return body.extract(ring, [LAST, *(0 for _ in whole)], whole)


MIN_STEPS = 2
"""The fewest steps that arrays have rows for; a single step never writes the second row."""


@dataclass(frozen=True)
class Panels:
    """The products of a group with one left-hand side.

    Attributes:
        lhs: The left-hand side, ``[B, K]``.
        columns: The products, each with the first column that is needed.
        in_place: Whether weights are read unpacked: once, by a single row in a single step.
    """

    lhs: ir.Value
    format: WeightFormat
    columns: Sequence[tuple[ir.Value, int]]
    in_place: bool


@dataclass(frozen=True)
class Group:
    """The writes of one level whose gates have one width.

    Attributes:
        panel: The units of a panel.
        panels_at_once: The panels of a tile of a single row, for more independent sums.
        overlaps: Whether the last panel overlaps the one before it.
    """

    writes: Sequence[Write]
    panels: Sequence[Panels]
    gate_width: int
    panel: int
    panels_at_once: int = 1
    overlaps: bool = False


class LoopPlan:
    """The writes of a time loop's dispatch.

    Attributes:
        batched: Whether arrays have a batch axis: not if the batch size is known to be 1.
        finals: The key of each state's array after the last step, if rings hold rows by length.
        rows: The array of each left-hand side of a product, and the row of its first axis.
        cuts: The numbers of parts into which the units and the rows of a group are divided, each
            with the batch size from which on it applies, in order.
        by_length: Whether rings hold rows in the order of their lengths.
        quantized: The left-hand sides whose rows are quantized (`StepRows`), each with the key of
            its arrays and the format of its weights.
    """

    def __init__(
        self,
        loop: TimeLoop,
        vectors: VectorUnit,
        length: Index,
        batch: Index,
        *,
        weights_stay: bool,
    ) -> None:
        """Plans the dispatch of a loop; weights that stay from call to call are packed once."""
        self._loop, self._vectors = loop, vectors
        self._reads_once = (length, batch, weights_stay) == (1, 1, False)
        self.length, self.batch = length, batch
        self.batched = batch != 1
        self.heights = heights(vectors, batch)  # in registers
        self._formats = {each.lhs: self._format(each.lhs) for each in loop.products.values()}
        most = min((vectors.tile_rows(each) for each in self._formats.values()), default=0)
        self.heights = heights(vectors, batch, most)
        _check_axes(loop, batched=self.batched)
        one_tile = isinstance(batch, int) and batch <= self.heights[0]
        self.by_length = loop.lengths is not None and not one_tile and len(loop.outputs) > 0
        self.arrays: dict[str, ArrayType] = {}
        self.outputs = [f"output{number}" for number in range(len(loop.outputs))]
        self.states: dict[ir.Value, str] = {}
        self.finals = [f"final{k}" for k in range(len(loop.states))] if self.by_length else []
        self.rows: dict[ir.Value, tuple[str, Lead]] = {}
        writes = self._writes()
        self.groups = [self._group(some) for some in self._by_group(writes)]
        panels = min(-(-group.gate_width // group.panel) for group in self.groups)
        weights = self._weights()
        self.cuts: Sequence[tuple[int, tuple[int, int]]] = (
            [(batch, vectors.cut(batch, panels, weights, most))]
            if isinstance(batch, int)
            else vectors.cuts(panels, weights, most)
        )
        self.quantized: dict[ir.Value, tuple[str, WeightFormat]] = {}
        for lhs, format in self._formats.items():
            if format.is_quantized:
                key = f"int8_{len(self.quantized)}"
                self.quantized[lhs] = key, format
                rows = width(lhs), self._slots, self._rows_axis
                self.arrays |= step_rows_arrays(format, key, *rows)

    def _writes(self) -> list[Write]:
        """Plans the arrays of the dispatch and the writes to them."""
        loop, writes = self._loop, list[Write]()
        for key, output in zip(self.outputs, loop.outputs, strict=True):
            rows = max(self.length, MIN_STEPS) if isinstance(self.length, int) else self.length
            whole = self._array((rows,), width(output.row))
            self.arrays[key] = ArrayType(whole, output.element)
            writes.append(Write(output.row, key, "time"))
        for product in loop.products.values():
            if loop.is_computed(product) and product.lhs not in self.rows:
                self.rows[product.lhs] = self._left_hand_side(product, writes)
        for number, state in enumerate(loop.states):
            key = f"state{number}"
            of = element(state.value)
            if state.value in self._formats:
                self.rows[state.value] = (key, "current")
                of = self._formats[state.value].lhs
            self.arrays[key] = self._ring(state.value, of)
            self.states[state.value] = key
            if self.by_length:
                self.arrays[self.finals[number]] = self._final(key)
            writes.append(Write(state.next, key, "next", state=state.value))
        return writes

    def _format(self, lhs: ir.Value) -> WeightFormat:
        """The format of the weights that a left-hand side is multiplied by."""
        products = [each for each in self._loop.products.values() if each.lhs == lhs]
        types, *others = {(element(each.weight), element(each.value)) for each in products}
        if others:
            raise Refused("products of several types")
        of = element(lhs), *types
        format = self._vectors.format(*of, inner=width(lhs), rows=self._rows_at_once)
        if any((product.scale is not None) != format.is_quantized for product in products):
            raise Refused("scales of weights that are not in int8")
        return format

    def _weights(self) -> int:
        """The number of weights that a step reads, as many as take the same time in float32."""
        weights = {each.weight: each.lhs for each in self._loop.products.values()}
        return sum(
            math.prod(static_shape(weight)) // self._formats[lhs].per_float32
            for weight, lhs in weights.items()
        )

    @property
    def _rows_at_once(self) -> int:
        """The rows that weights are packed for; for an open batch, those of its highest tile."""
        return self.batch if isinstance(self.batch, int) else self.heights[0]

    @property
    def _slots(self) -> int:
        """The number of parts of a step with int8 rows of their own; never 1, see `MIN_STEPS`."""
        return max(MIN_STEPS, *(math.prod(cut) for _, cut in self.cuts))

    @property
    def _rows_axis(self) -> tuple[Index, ...]:
        return (self.batch,) if self.batched else ()

    def _array(self, lead: tuple[Index, ...], columns: int) -> tuple[Index, ...]:
        """The shape of an array ``[.., B, N]``."""
        return (*lead, *self._rows_axis, columns)

    def _ring(self, value: ir.Value, of: str) -> ArrayType:
        return ArrayType(self._array((ROWS,), width(value)), of)

    def _final(self, ring: str) -> ArrayType:
        """The array for the state after the last step, rows in batch order."""
        type = self.arrays[ring]
        return ArrayType(type.shape[1:], type.element)

    def _left_hand_side(self, product: StepProduct, writes: list[Write]) -> tuple[str, Lead]:
        """The array of a product's left-hand side that the step computes."""
        of = self._formats[product.lhs].lhs
        if not self.by_length:
            for key, output in zip(self.outputs, self._loop.outputs, strict=True):
                if (output.row, output.element) == (product.lhs, of):
                    return key, "time"
        key = f"scratch{len(self.arrays)}"
        self.arrays[key] = self._ring(product.lhs, of)
        writes.append(Write(product.lhs, key, "next"))
        return key, "next"

    def _by_group(self, writes: Sequence[Write]) -> list[list[Write]]:
        """The writes of single gates, by level and gate width, in order.

        A gate of an output goes to the group that already computes its products, which may be at a
        lower level than the row. With an open batch it stays with the row: IREE compiles the other
        form for minutes.
        """
        gates = [
            replace(write, column=column)
            for write in writes
            for column in range(0, width(write.value), gate_width(write.value))
        ]
        multiplied: dict[tuple[int, int], set[tuple[ir.Value, int]]] = {}
        for gate in gates:
            if not gate.is_output:
                multiplied.setdefault(self._key(gate), set()).update(self._products(gate))
        groups: dict[tuple[int, int], list[Write]] = {}
        for gate in gates:
            key, needed = self._key(gate), set(self._products(gate))
            if gate.is_output and needed and isinstance(self.batch, int):
                where = (k for k, of in multiplied.items() if k[1] == key[1] and needed <= of)
                key = min(where, default=key)
            groups.setdefault(key, []).append(gate)
        return [groups[key] for key in sorted(groups)]

    def _key(self, gate: Write) -> tuple[int, int]:
        return self._loop.level(gate.value), gate_width(gate.value)

    def _products(self, gate: Write) -> list[tuple[ir.Value, int]]:
        return self._loop.products_of_gate(gate.value, gate.column)

    def _group(self, writes: list[Write]) -> Group:
        """The products of a group, and its panels."""
        gate = gate_width(writes[0].value)
        columns: dict[ir.Value, dict[tuple[ir.Value, int], None]] = {}
        for write in writes:
            for product, column in self._products(write):
                lhs = self._loop.products[product].lhs
                columns.setdefault(lhs, {})[product, column] = None
        gates = sum(map(len, columns.values())) or len(writes)
        sums = [element(product) for found in columns.values() for product, _ in found]
        of = sums[0] if sums else element(writes[0].value)
        least = max((min_columns(self._formats[lhs]) for lhs in columns), default=1)
        panel = self._vectors.panel(gate, gates, of, self._rows_at_once, least)
        panels = [
            Panels(
                lhs,
                self._formats[lhs],
                sorted(found, key=lambda column: column[1]),
                self._is_in_place(lhs, gate, panel),
            )
            for lhs, found in columns.items()
        ]
        panels_at_once = 1
        if isinstance(self.batch, Number):
            panels_at_once = divisor(
                gate // panel, self._vectors.panel(gate, gates, of, 1) // panel or 1
            )
        overlaps = self._vectors.overlaps_panels and gate % panel > 0
        return Group(writes, panels, gate, panel, panels_at_once, overlaps)

    def _is_in_place(self, lhs: ir.Value, gate: int, panel: int) -> bool:
        """Whether the weights that a left-hand side is multiplied by stay unpacked."""
        format = self._formats[lhs]
        if not self._reads_once or format.is_grouped:
            return False
        return self._vectors.fills_registers(width(lhs), gate, panel, element=format.lhs)


def _check_axes(loop: TimeLoop, *, batched: bool) -> None:
    """Checks that no axis but the batch's, time's and that of a single input has size 1."""
    single = {
        factor
        for product in loop.products.values()
        if product.lhs in loop.arguments and width(product.lhs) == 1
        for factor in (product.lhs, product.weight)
    }
    for value in (*loop.arguments, *loop.roots()):
        if value in single:
            continue
        axes = shape(value)
        if len(axes) > 1 and (axes[-1] == 1 or (len(axes) == 2 and axes[0] == 1 and batched)):
            raise Refused("a unit axis")

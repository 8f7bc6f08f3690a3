"""The rows of a batch in the order of their lengths, longest first.

A row with fewer steps than others finishes early, or starts late if time runs backwards. In this
order the active rows of a step come first, and tiles without active rows need no product; inactive
rows are not written. Inputs and outputs are not reordered: only the rings (`state_ring`) store rows
in this order, and rows of other arrays are found by their number.

A separate dispatch counts and sorts in B + T steps, where T is the number of rows of the loop's
outputs.

    steps[b] = min(max(lengths[b] - start, 0), T)
    active[r] = number of rows that have more than r steps
    order = the rows b, by descending steps, equal ones in batch order

Initial states are copied to the ring row that a row's first step reads. Final states are read
from the ring row that its last step wrote, or from the same one if it has no steps (`state_ring`).
With n the number of steps that are run, at most n of which count for a row:

    leaving early   first step 0, last step min(steps[b], n) - 1
    starting late   first step n - min(steps[b], n), last step n - 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.fused_loop.state_ring import LAST, row_of
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import copy_row, zeros_in_place
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["RowOrder", "rows_by_length"]


@dataclass
class RowOrder:
    """The order of the rows, inside a dispatch.

    Attributes:
        order: The number in the batch of the row at each position, int32 ``[B]``.
        steps: The number of steps of the row at each position, int32 ``[B]``.
        active: The number of active rows, for each row of the loop's outputs, int32 ``[T + 1]``.
        reverse: Whether time runs backwards; short rows then start late, else they finish early.
        memories: The sequences that steps read, as memrefs, by the values of their arrays.
    """

    order: Array
    steps: Array
    active: Array
    reverse: bool
    memories: Mapping[ir.Value, ir.Value] = field(default_factory=dict[ir.Value, ir.Value])

    def inside(self, executable: Executable, sequences: Sequence[Array]) -> RowOrder:
        """The same order inside a dispatch that reads it, and some sequences."""
        order, steps, active = (
            executable.read(each) for each in (self.order, self.steps, self.active)
        )
        memories = {array.value: executable.memory(array) for array in sequences}
        return RowOrder(order, steps, active, self.reverse, memories)

    def row(self, body: Body, position: Index) -> Number:
        """The number in the batch of the row at a position."""
        return body.element(self.order, [position]).to_index()

    def count(self, body: Body, row: Index) -> Number:
        """The number of rows that are active in the step that writes a row of the outputs."""
        return body.element(self.active, [row]).to_index()

    def hint(self, body: Body, array: Array, positions: Sequence[Index]) -> None:
        """Emits a prefetch of a position, if the array is one of the sequences."""
        if array.value in self.memories:
            attributes: dict[str, ir.Attribute] = {
                "isWrite": ir.BoolAttr.get(False),
                "localityHint": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 3),
                "isDataCache": ir.BoolAttr.get(True),
            }
            operands = [self.memories[array.value], *map(body.index, positions)]
            body.op("memref.prefetch", operands, attributes=attributes)

    def enter(
        self,
        body: Body,
        vectors: VectorUnit,
        states: Sequence[tuple[Array, Array]],
        count: Number,
    ) -> None:
        """Emits copies of the initial states into their rings.

        Args:
            body: The body that gets the ops.
            vectors: The vector unit.
            states: Each initial state, and its ring.
            count: The number of steps.
        """
        rings = [ring for _, ring in states]

        def copy(number: Number) -> None:
            row = self.row(body, number)
            remaining = self._steps(body, number, count) if self.reverse else count
            for first, ring in states:
                copy_row(body, vectors, (first, [row]), (ring, [row_of(remaining), number]))

        body.loop(0, self.order.shape[0], 1, rings, copy)

    def leave(
        self,
        body: Body,
        vectors: VectorUnit,
        states: Sequence[tuple[Array, Array]],
        count: Number,
        part: tuple[Index, Index],
    ) -> None:
        """Emits copies of the final states out of their rings.

        Args:
            body: The body that gets the ops.
            vectors: The vector unit.
            states: Each ring, and the array for its final state.
            count: The number of steps.
            part: The rows: the first, and the stride to the next.
        """
        finals = [final for _, final in states]
        first, among = part

        def copy(number: Number) -> None:
            row = self.row(body, number)
            last = LAST if self.reverse else row_of(count - self._steps(body, number, count))
            for ring, final in states:
                copy_row(body, vectors, (ring, [last, number]), (final, [row]))

        body.loop(first, self.order.shape[0], among, finals, copy)

    def _steps(self, body: Body, position: Index, count: Number) -> Number:
        """The number of steps of the row at a position, of the given number that are run."""
        return body.element(self.steps, [position]).to_index().at_most(count)


def rows_by_length(
    outside: Function,
    vectors: VectorUnit,
    lengths: Array,
    start: Array | None,
    count: Index,
    *,
    reverse: bool,
) -> RowOrder:
    """Emits the sorting of rows.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        lengths: The number of steps of each row, int64 ``[B]``.
        start: The time of the loop's first step, an int64 scalar; None for 0.
        count: The maximum number of steps from then on.
        reverse: Whether time runs backwards; short rows then start late, else they finish early.

    Returns:
        The order.
    """
    (batch,) = lengths.shape
    executable = Executable(outside, "order", 1)
    body = executable.body
    lengths = executable.read(outside.materialized(lengths))
    first = executable.given(outside.element(start)) if start is not None else None
    order, steps = (executable.make(ArrayType((batch,), "i32")) for _ in range(2))
    active = executable.make(ArrayType((count + 1,), "i32"))
    batch, count = executable.size(batch), executable.size(count)
    end = count if isinstance(count, int) else count.to_integer("i64")
    one = body.constant(1, "i32")

    def steps_of(row: Number) -> Number:
        length = body.element(lengths, [row])
        length = length if first is None else length - first
        return length.at_least(0).at_most(end).to_index()

    def tally(row: Number) -> None:
        number = steps_of(row)
        body.put(body.element(active, [number]) + one, active, [number])

    def add(number: Number) -> None:
        position = count - 1 - number
        more = body.element(active, [position + 1])
        body.put(body.element(active, [position]) + more, active, [position])

    def sort(number: Number) -> None:
        row = batch - 1 - number
        number_of_steps = steps_of(row)
        position = body.element(active, [number_of_steps]) - one
        body.put(position, active, [number_of_steps])
        body.put(row.to_integer("i32"), order, [position.to_index()])
        body.put(number_of_steps.to_integer("i32"), steps, [position.to_index()])

    if isinstance(count, int):
        active.value = zeros_in_place(body, vectors, active).value
    else:
        none = body.constant(0, "i32")
        body.loop(0, count + 1, 1, [active], lambda row: body.put(none, active, [row]))
    body.loop(0, batch, 1, [active], tally)  # active[r] = number of rows with exactly r steps
    body.loop(0, count, 1, [active], add)  # with r or more
    body.loop(0, batch, 1, [active, order, steps], sort)  # with more than r
    executable.dispatch()
    return RowOrder(order, steps, active, reverse)

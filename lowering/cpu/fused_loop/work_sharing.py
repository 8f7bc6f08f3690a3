"""Work that the workgroups of a dispatch divide among themselves, one turn after the other.

The parts of a turn are independent; the next turn needs all of them done. Workgroups claim parts
and wait for those that others have claimed:

    for turn in turns:
      if done < parts * (turn + 1):                       # not over already
        for part in parts, each workgroup starting elsewhere:
          if atomic_max(claimed[part], turn + 1) <= turn: # no other workgroup was faster
            do it
            done += 1                                     # atomic, releases what was written
        until done >= parts * (turn + 1): load            # acquires what others wrote

No part waits for a workgroup that has not started: only running workgroups claim parts, and a
single one would do all parts of all turns. So any number of threads works, and workgroups need not
run at the same time. If they all do, each does the same parts in every turn, and their weights stay
in its cache. A turn costs two threads 0.1 to 0.2 microseconds (measured).

Workgroups wait by spinning, as in other libraries: if the system stops a thread within a part, the
others spin until it continues. With fewer processors than workers, fewer workers are faster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder, Part
from rnn_compiler.lowering.codegen.partition import quotient, remainder
from rnn_compiler.lowering.cpu.fused_loop.plan import LAST, row_of
from rnn_compiler.lowering.cpu.row_copies import copy_row, zeros_in_place
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_LINE = 16
"""Numbers in a cache line: each counter has a line of its own."""

_MOST = 8
"""The maximum number of parts of a turn."""

_POWERS = (1, 2, 4, 8)
"""The number of parts of a turn where it is computed."""

_ADD, _MAXIMUM = 1, 6
"""Kinds of `memref.atomic_rmw`: addi and maxs."""


class Turns:
    """The turns of a dispatch.

    Attributes:
        parts: The number of parts of each; a power of two if it is computed.
    """

    def __init__(self, executable: DispatchBuilder, parts: Index, part: Part) -> None:
        """Starts with no turn done; the dispatch has a workgroup for each part of one, at most 8.

        The module's time loops share a buffer of counters, of which `part` is the loop's part.
        """
        if isinstance(parts, int) and parts > _MOST:
            raise ValueError(f"{parts} parts: {_MOST} is the most")
        self._body, self.parts = executable.body, parts
        self._zero, self._one = (self._body.constant(n, "i32") for n in (0, 1))
        self.workgroup = executable.workgroup()
        if self._is_one:
            return
        self._counts, self._base = executable.shared(_LINE * (_MOST + 1), part)
        if isinstance(parts, int):
            many, position = (parts,), self.workgroup
        else:  # counters for 1 part come first, then those for 2, ...
            many, position = _POWERS, parts - 1 + self.workgroup
        orders = [part_order(workgroup, each) for each in many for workgroup in range(each)]
        self._first, self._step = (
            _choose(self._body, table, position) for table in zip(*orders, strict=True)
        )

    @property
    def _is_one(self) -> bool:
        return self.parts == 1

    def _atomic(self, kind: int, value: Number, position: Index) -> Number:
        """Emits an atomic operation on a counter; returns its old value."""
        operands = [value, self._counts, self._base + self._body.index(position)]
        attributes = {"kind": integer(kind)}
        return self._body.number("memref.atomic_rmw", operands, "i32", attributes=attributes)

    def _done(self, position: Index = 0) -> Number:
        """Emits a load of the number of parts that are done."""
        return self._atomic(_ADD, self._zero, position)

    def over(self, turns: int) -> Number:
        """Emits the number of complete groups of `turns` turns after the first turn."""
        if self._is_one:
            return self._body.index(0)
        return (quotient(self._done().to_index(), self.parts) - 1) // turns

    def take(self, turn: Number, carried: Sequence[Array], body: Callable[[Index], None]) -> None:
        """Emits a turn, numbered from 0; the body is given the number of a part."""
        if self._is_one:
            body(0)
            return
        at, zero = self._body, self._body.index(0)
        next_turn = turn.to_integer("i32") + self._one
        goal = next_turn * at.integer(self.parts, "i32")

        def part(index: Number) -> None:
            own = remainder(index * self._step + self._first, self.parts)
            before = self._atomic(_MAXIMUM, next_turn, (own + 1) * _LINE)

            def do(zero_here: Number) -> None:
                # The zero depends on the loop's index. Otherwise IREE would hoist the body's reads
                # and writes out of the loop, and run them whether or not the part was claimed.
                body(own + zero_here)
                self._atomic(_ADD, self._one, zero)

            at.loop(0, (before < next_turn).to_index(), 1, carried, do)

        is_open = self._done(zero) < goal
        last = at.select(is_open, at.index(self.parts), zero)
        at.loop(0, last, 1, carried, part)  # an scf.if would be repeated in the tiles of a reader
        at.wait_while(lambda: self._done(zero) < goal)


def _choose(body: Body, table: Sequence[int], index: Number) -> Number:
    """Emits a choice from a table of indices."""
    type = ir.RankedTensorType.get([len(table)], ir.IndexType.get())
    numbers = [ir.IntegerAttr.get(ir.IndexType.get(), number) for number in table]
    value = ir.DenseElementsAttr.get(numbers, type)
    constant = body.op("arith.constant", [], [type], {"value": value})
    return body.number("tensor.extract", [constant.results[0], index], "index")


def part_order(workgroup: int, parts: int) -> tuple[int, int]:
    """A workgroup's first part, and its stride from part to part, modulo their number.

    Two workgroups go towards each other from both ends, the next two from the middle, and so on.
    """
    pair, down = divmod(workgroup, 2)
    start, half = 0, parts // 2
    while pair and half:
        start += half * (pair % 2)
        pair, half = pair // 2, half // 2
    return ((start - down) % parts, parts - 1 if down else 1)


# The rows of a batch in the order of their lengths, longest first.
#
# A row with fewer steps than others finishes early, or starts late if time runs backwards. In
# this order the active rows of a step come first, and tiles without active rows need no product;
# inactive rows are not written. Inputs and outputs are not reordered: only the rings
# (`StateRing`) store rows in this order, and rows of other arrays are found by their number.
#
# A separate dispatch counts and sorts in B + T steps, where T is the number of rows of the loop's
# outputs.
#
#     steps[b] = min(max(lengths[b] - start, 0), T)
#     active[r] = number of rows that have more than r steps
#     order = the rows b, by descending steps, equal ones in batch order
#
# Initial states are copied to the ring row that a row's first step reads. Final states are read
# from the ring row that its last step wrote, or from the same one if it has no steps
# (`StateRing`). With n the number of steps that are run, at most n of which count for a row:
#
#     leaving early   first step 0, last step min(steps[b], n) - 1
#     starting late   first step n - min(steps[b], n), last step n - 1


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

    def inside(self, executable: DispatchBuilder, sequences: Sequence[Array]) -> RowOrder:
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
        """Emits copies of the initial states into their rings."""
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

        `part` has the first of the rows to copy, and the stride to the next.
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
    outside: FunctionBuilder,
    vectors: VectorUnit,
    lengths: Array,
    start: Array | None,
    count: Index,
    *,
    reverse: bool,
) -> RowOrder:
    """Emits the sorting of rows by their number of steps, int64 ``[B]``, from `start` on."""
    (batch,) = lengths.shape
    executable = DispatchBuilder(outside, "order", 1)
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

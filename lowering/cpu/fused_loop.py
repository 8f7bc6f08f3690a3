"""A time loop as a function that makes a single dispatch, for CPUs.

The dispatch (`kernel.executable`) is the loop over time and all that a step does. It reads the
number of steps at run time, keeps all state in place, and works in panels: P units (columns) of
every gate at once, for a block of rows,

    for t in 0..n-1:
      for group in the step's groups:                     # see plan.py
        for part in parts of the units and rows:           # shared among workgroups, see turns.py
          for panel, for block of rows:
            product[rows, P] = lhs[rows, K] @ packed[gate, panel][K, P]   # linalg.matmul, each gate
            for row: all else that the step computes of these units, in vectors
    rows n.. of the outputs = 0

so that what leaves registers is a tile of products (some KiB of stack) and what the step has to
write (`step_tile`). Weights are packed into panels ``[G, N/P, K, P]`` once per call, before the
dispatch; for a single row ``[N/P, K, G*P]``, so that it has enough sums under way at once.

What the dispatch reads is held by `flow.tensor.clone`, or IREE would put cheap ops that make it
elsewhere; no clone is left in the end.

16-bit types: bfloat16 is multiplied as pairs where the target can (`paired_product`), else products
run in the type that they are summed in; the state's copy is exact in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.time_loop import Output, State, TimeLoop
from rnn_compiler.lowering.analysis.values import defining, element, is_constant, rank, shape
from rnn_compiler.lowering.analysis.walk import Step
from rnn_compiler.lowering.cpu.matmul import zeros_in_place
from rnn_compiler.lowering.cpu.packed_columns import packed_columns
from rnn_compiler.lowering.cpu.plan import FEWEST, Group, Plan
from rnn_compiler.lowering.cpu.row_order import RowOrder, rows_by_length
from rnn_compiler.lowering.cpu.step_tile import StepTile, Units
from rnn_compiler.lowering.cpu.turns import Turns
from rnn_compiler.lowering.kernel.arithmetic import splat
from rnn_compiler.lowering.kernel.arrays import collapse, expand
from rnn_compiler.lowering.kernel.attributes import DYNAMIC
from rnn_compiler.lowering.kernel.body import Array
from rnn_compiler.lowering.kernel.executable import Executable
from rnn_compiler.lowering.kernel.function import Function
from rnn_compiler.lowering.kernel.number import Index, Number
from rnn_compiler.lowering.kernel.shares import first_only, share
from rnn_compiler.lowering.kernel.stablehlo import converted, repeated
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["FusedLoop"]


class FusedLoop:
    """A time loop as a function that makes one dispatch.

    Attributes:
        loop: The time loop.
        opaque: Its scalar arguments that are constants, but for the number of steps: the function
            takes them as numbers that it does not know, so that loops that differ in them alone
            share a dispatch.
        function: The function.
    """

    def __init__(
        self,
        symbol: str,
        loop: TimeLoop,
        vectors: VectorUnit,
        operands: Sequence[ir.Value],
        place: tuple[int, int],
        location: ir.Location,
    ) -> None:
        """Emits the function.

        Args:
            symbol: Its name.
            loop: The time loop.
            vectors: The vector unit of the target.
            operands: What the function is called with.
            place: Which of the module's time loops this is, and how many there are.
            location: The loop's source location.

        Raises:
            Refused: It is none that can be fused.
        """
        self.loop, self._vectors = loop, vectors
        self._operands = dict(zip(loop.arguments, operands, strict=True))
        self.opaque = {
            value
            for value, operand in list(self._operands.items())[1:]
            if rank(value) == 0 and is_constant(operand)
        }
        types = [value.type for value in loop.arguments]
        self.function = Function(symbol, types, location)
        self._length = self._steps_at_most()
        self._plan = Plan(loop, vectors, self._length)
        arguments = {
            value: self._argument(value, given)
            for value, given in zip(loop.arguments, self.function.arguments, strict=True)
        }
        self.function.finish(self._results(self._dispatch(arguments, place)))

    def _steps_at_most(self) -> Index:
        """How many steps there are at most; read off a sequence if that is open."""
        loop = self.loop
        if loop.seq_length != DYNAMIC:
            return loop.seq_length
        sequences = [value for value in loop.arguments if DYNAMIC in shape(value)[:1]]
        number = loop.arguments.index(loop.room or sequences[0])
        return self.function.size(self.function.arguments[number], 0)

    def _sizes(self, given: ir.Value) -> list[Index]:
        """The sizes of an argument; the time axis is the only one that may be open."""
        alike = self.loop.room is None
        return [
            size if size != DYNAMIC else self._length if alike else self.function.size(given, axis)
            for axis, size in enumerate(shape(given))
        ]

    def _argument(self, value: ir.Value, given: ir.Value) -> Array:
        """An argument of the function, without a batch axis of 1, of two steps at least."""
        array, batch = Array(given, self._sizes(given), element(value)), self._plan.batch
        if rank(value) == 3 and array.shape[0] == 1:
            array = repeated(self.function, array, FEWEST)
        weights = {product.weight for product in self.loop.products.values()}
        if value in weights or rank(value) == 0:
            return array
        if batch > 1 or rank(value) < 2 or array.shape[-2] != 1:
            return self.function.held(array)
        return self.function.held(collapse(self.function, array, _batch_groups(rank(value))))

    # The dispatch.

    def _dispatch(self, arguments: dict[ir.Value, Array], place: tuple[int, int]) -> Step:
        """Emits the dispatch; gives the arrays that it made."""
        loop, plan, function = self.loop, self._plan, self.function
        packed = [
            [
                packed_columns(
                    function,
                    self._vectors,
                    loop,
                    arguments,
                    group,
                    panels,
                    together=plan.batch == 1,
                )
                for panels in group.panels
            ]
            for group in plan.groups
        ]
        initial = [self._initial(state, arguments[state.initial]) for state in loop.states]
        order = self._order(arguments) if plan.by_length else None
        parts = plan.cut[0] * plan.cut[1]
        executable = Executable(function, "loop", parts)
        inside, scalars = self._bring_in(executable, arguments)
        packed = [[executable.read(each) for each in arrays] for arrays in packed]
        initial = [executable.read(array) for array in initial]
        arrays = {key: executable.make(type) for key, type in plan.arrays.items()}
        step = Step(loop, executable.body, inside, arrays, plan.states, plan.rows, {}, scalars)
        step.length = executable.size(self._length)
        turns = Turns(executable, parts, *place)
        if order:
            sequences = [inside[value] for value in arguments if rank(value) == 3]
            order = order.inside(executable, sequences)
        _Steps(step, plan, self._vectors, turns, packed, order).emit(initial)
        executable.dispatch()
        return step

    def _order(self, arguments: dict[ir.Value, Array]) -> RowOrder | None:
        """Emits the sorting of rows by length."""
        lengths, count = self.loop.lengths, self._length
        if lengths is None:
            return None
        start = None if lengths.start is None else arguments[lengths.start]
        steps = arguments[lengths.steps]
        late = lengths.late
        return rows_by_length(self.function, self._vectors, steps, start, count, late=late)

    def _initial(self, state: State, before: Array) -> Array:
        """The state before the first step, in the element type of the dispatch's array."""
        kind = self._plan.arrays[self._plan.states[state.value]].element
        return self.function.held(converted(self.function, before, kind))

    def _bring_in(
        self, executable: Executable, arguments: dict[ir.Value, Array]
    ) -> tuple[dict[ir.Value, Array], dict[ir.Value, Number]]:
        """Makes the arguments known inside the dispatch, the scalars among them as numbers."""
        loop, body = self.loop, executable.body
        apart = {product.weight for product in loop.products.values()}
        apart |= {state.initial for state in loop.states} | {loop.room}
        inside, scalars = dict(arguments), dict[ir.Value, Number]()
        for value, array in arguments.items():
            if value in self.opaque:
                scalars[value] = executable.given(self.function.element(array))
            elif value == loop.arguments[0] and is_constant(self._operands[value]):
                scalars[value] = splat(body, defining(self._operands[value]))
            elif value not in apart:
                inside[value] = executable.read(array)
                if rank(value) == 0:
                    scalars[value] = body.element(inside[value])
        return inside, scalars

    # Results.

    def _results(self, step: Step) -> list[Array]:
        """Emits the function's results from the dispatch's."""
        results = [
            self._restored(step.arrays[f"output{number}"], output)
            for number, output in enumerate(self.loop.outputs)
        ]
        for number, state in enumerate(self.loop.states):
            if self._plan.by_length:
                last = step.arrays[f"final{number}"]
            else:
                ring = step.arrays[self._plan.states[state.value]]
                last = self.function.extract(ring, [0] * len(ring.shape), ring.shape[1:])
            results.append(self._restored(last, state))
        return results

    def _restored(self, array: Array, of: Output | State) -> Array:
        """A result in the shape and element type that the decomposition has."""
        full: Sequence[Index]
        if isinstance(of, Output):
            full, kind = (self._length, *of.shape[1:]), of.element
            steps = (full[0], *array.shape[1:])
            if array.shape != steps:
                array = self.function.extract(array, [0] * len(steps), steps)
        else:
            full, kind = shape(of.value), element(of.value)
        array = converted(self.function, array, kind)
        if array.shape == full:
            return array
        return expand(self.function, array, _batch_groups(len(full)), full)


def _batch_groups(rank: int) -> list[list[int]]:
    """The axes of ``[T, 1, N]`` or ``[1, N]`` that are one without a batch axis."""
    return [[0, 1], [2]] if rank == 3 else [[0, 1]]


class _Steps:
    """Emits the loop over time.

    Attributes:
        step: What there is during a step.
        plan: What it writes.
        turns: How its parts are shared.
        packed: The weights of each group's panels.
        order: The rows' order in the rings; None if it is that of the batch.
    """

    def __init__(
        self,
        step: Step,
        plan: Plan,
        vectors: VectorUnit,
        turns: Turns,
        packed: Sequence[Sequence[Array]],
        order: RowOrder | None,
    ) -> None:
        self.step, self.plan, self.vectors = step, plan, vectors
        self.turns, self.packed, self.order = turns, packed, order
        self.loop, self.body, self.arrays = step.loop, step.body, step.arrays

    def emit(self, initial: Sequence[Array]) -> None:
        """Emits the loop, from the states before it to zeros in the rows after it."""
        body, turns = self.body, self.turns
        given = self.step.scalars[self.loop.arguments[0]]
        length, low = self.step.length, body.constant(0, "i64")
        high = body.constant(length, "i64") if isinstance(length, int) else length.to_integer("i64")
        self.count = body.smaller(body.larger(given, low), high).to_index()
        self.one, self.two = body.index(1), body.index(2)
        parity = self.count % self.two
        states = [self.arrays[self.plan.states[state.value]] for state in self.loop.states]

        def begin() -> None:
            if self.order:
                pairs = list(zip(initial, states, strict=True))
                self.order.enter(body, self.vectors, pairs, self.count)
                return
            for array, source in zip(states, initial, strict=True):
                body.insert(source, array, [parity, *[0] * len(source.shape)])

        turns.take(
            body.index(0), states, lambda part: first_only(body, part, turns.parts, states, begin)
        )
        first = turns.over(len(self.plan.groups))
        body.loop(first, self.count, 1, list(self.arrays.values()), self._one_step)
        outputs = [self.arrays[f"output{number}"] for number in range(len(self.loop.outputs))]
        first = self.count + turns.workgroup
        if outputs:
            body.loop(first, length, turns.parts, outputs, self._zero_row)
        if self.order:
            finals = [self.arrays[f"final{number}"] for number in range(len(states))]
            pairs = list(zip(states, finals, strict=True))
            part = (turns.workgroup, turns.parts)
            self.order.leave(body, self.vectors, pairs, self.count, part)

    def _zero_row(self, time: Number) -> None:
        """Emits zeros for one row of every output."""
        body = self.body
        for number in range(len(self.loop.outputs)):
            array = self.arrays[f"output{number}"]
            starts = [time, *[0] * len(array.shape[1:])]
            row = body.extract(array, starts, array.shape[1:])
            body.insert(zeros_in_place(body, self.vectors, row), array, starts)

    def _one_step(self, number: Number) -> None:
        """Emits step k: its scalars, then the turns that its groups are."""
        step, groups = self.step, self.plan.groups
        step.begin(number.to_integer("i64"))
        current = (self.count - number) % self.two
        step.leads = {"current": current, "next": self.one - current}
        for output in self.loop.outputs[:1]:
            step.leads["time"] = step.row_index(output.time, step.length)
        step.emit_scalars()
        self.active = self.order and self.order.count(self.body, step.leads["time"])
        turn = number * len(groups)
        for group, packed in zip(groups, self.packed, strict=True):
            keys = dict.fromkeys(write.array for write in group.writes)
            carried = [self.arrays[key] for key in keys]
            turn = turn + 1

            def part(number: Index, of: tuple[Group, Sequence[Array]] = (group, packed)) -> None:
                self._tiles(*of, number)

            self.turns.take(turn, carried, part)

    def _tiles(self, group: Group, packed: Sequence[Array], part: Index) -> None:
        """Emits a part of a group: some panels, some rows."""
        body, batch = self.body, self.plan.batch
        units, row_parts = self.plan.cut
        column: Index = 0
        row_part: Index = 0
        if isinstance(part, Number):
            column, row_part = part % units, part // units
        carried = [self.arrays[key] for key in dict.fromkeys(w.array for w in group.writes)]
        rows = self.vectors.row_block(batch)
        full, rest = divmod(group.unit, group.panel)

        def all_rows(of: Units) -> None:
            tile = StepTile(
                self.step,
                self.vectors,
                group,
                packed,
                of,
                rows,
                batched=batch > 1,
                order=self.order,
            )
            if self.active is not None:
                self._active_rows(tile, self.active, (row_part, row_parts), carried)
                return
            share(
                body,
                -(-batch // rows),
                row_parts,
                row_part,
                carried,
                lambda number: tile.emit(self._first_row(number, rows)),
            )

        def panel(number: Index) -> None:
            all_rows(Units(number * group.panel, group.panel, number))

        if (full, rest) == (1, 0):
            all_rows(Units(0, group.panel, None))
            return
        share(body, full, units, column, carried, panel)
        if rest:
            last = Units(full * group.panel, rest, full)
            first_only(body, column, units, carried, lambda: all_rows(last))

    def _active_rows(
        self, tile: StepTile, active: Number, part: tuple[Index, int], carried: Sequence[Array]
    ) -> None:
        """Emits a part of the blocks of rows that take part in a step; zeros for other rows."""
        body, (row_part, row_parts), rows = self.body, part, tile.rows

        def shared(count: Number) -> tuple[Index, Number]:
            if row_parts == 1:
                return 0, count
            return row_part * count // row_parts, (row_part * count + count) // row_parts

        def block(number: Number) -> None:
            tile.emit(self._first_row(number, rows), active)

        body.loop(*shared((active + (rows - 1)) // rows), 1, carried, block)
        low, high = shared(body.index(self.plan.batch) - active)
        body.loop(active + low, active + high, 1, carried, tile.clear)

    def _first_row(self, number: Index, rows: int) -> Index:
        """The first row of a block; the last overlaps the one before, and repeats its numbers."""
        row, batch = number * rows, self.plan.batch
        if batch % rows == 0 or isinstance(row, int):
            return row
        return self.body.smaller(row, batch - rows)

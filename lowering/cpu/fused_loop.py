"""A time loop as a function that makes a single dispatch, for CPUs.

The dispatch (`executable`) is the loop over time and all that a step does. It reads the number of
steps at run time, keeps all state in place, and works in panels: P units (columns) of every gate at
once, for a block of rows,

    for t in 0..n-1:
      for level in the step's levels:                      # see recurrence.py
        for part in parts of the units and rows:           # shared among workgroups, see turns.py
          for panel, for block of rows:
            product[rows, P] = lhs[rows, K] @ packed[gate, panel][K, P]   # linalg.matmul, each gate
            for row: all else that the step computes of these units, in vectors
    rows n.. of the outputs = 0

so that what leaves registers is a tile of products (some KiB of stack) and what the step has to
write (`step_tile`). Weights are packed into panels ``[G, N/P, K, P]`` once per call, before the
dispatch; for a single row ``[N/P, K, G*P]``, so that it has enough sums under way at once.

A state is a ring of two rows ``[2, B, N]``: step k reads row ``(n-k) % 2`` and writes the other, so
that the last is row 0, and no tile is written that another still has to read. A left-hand side that
a step computes is written to a scratch ring (or to the output that it is, if there is one). Since
nothing is read that the same level writes, the last block of rows may overlap the one before, and
two workgroups may write the same numbers to it.

What the dispatch reads is held by `flow.tensor.clone`, or IREE would put cheap ops that make it
elsewhere; no clone is left in the end.

Arrays of one row (batch size 1) are handled without their batch axis, since IREE's folding of unit
axes does not get along with loops in a dispatch; a loop with another unit axis is left as it is.

16-bit types: products run in the type they accumulate in; the state's copy is exact in it.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import math
from collections.abc import Sequence

from rnn_compiler.lowering.analysis.time_loop import (
    NotARecurrence,
    Output,
    Product,
    Recurrence,
    State,
    defining,
    element,
    is_constant,
    rank,
    shape,
    unit_of,
    width,
)
from rnn_compiler.lowering.cpu.packed_columns import packed_columns
from rnn_compiler.lowering.cpu.step_tile import Panels, Stage, Step, StepTile, Units, Write
from rnn_compiler.lowering.cpu.turns import Turns, first_only, share
from rnn_compiler.lowering.kernel.arithmetic import splat
from rnn_compiler.lowering.kernel.body import Array, Text, converted, zeros
from rnn_compiler.lowering.kernel.executable import Executable
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["FusedLoop"]


class FusedLoop:
    """Writes a time loop as a function that makes one dispatch.

    Attributes:
        loop: The time loop.
        opaque: Its scalar arguments that are constants, but for the number of steps: the function
            takes them as numbers that it does not know, so that loops that differ in them alone
            share a dispatch.
        outside: What the function is made of, its executable included, once `text` was called.
    """

    def __init__(
        self,
        symbol: str,
        loop: Recurrence,
        vectors: VectorUnit,
        operands: Sequence[ir.Value],
        place: tuple[int, int],
    ) -> None:
        """Starts one.

        Args:
            symbol: The name of the function.
            loop: The time loop.
            vectors: The vector unit of the target.
            operands: What the function is called with.
            place: Which of the module's time loops this is, and how many there are.

        Raises:
            NotARecurrence: It is none that can be fused.
        """
        self.symbol, self.loop, self.vectors, self.place = symbol, loop, vectors, place
        self.operands = dict(zip(loop.arguments, operands, strict=True))
        self.opaque = {
            value
            for value, operand in list(self.operands.items())[1:]
            if rank(value) == 0 and is_constant(operand)
        }
        self.batch = _batch_size(loop)
        self.outside = Text(symbol=symbol.replace(".", "_"))
        self.step = Step(loop, self.outside, vectors, batched=self.batch > 1)
        self.arrays = self.step.arrays

    def text(self) -> str:
        """The text of the function.

        Raises:
            NotARecurrence: It is none that can be fused.
        """
        arguments = self.loop.arguments
        parameters = [f"%arg{number}: {value.type}" for number, value in enumerate(arguments)]
        for number, value in enumerate(arguments):
            self.step.arguments[value] = self._argument(f"%arg{number}", value)
        writes = self._plan()
        self.stages = [self._stage(group) for group in self._by_stage(writes)]
        self._dispatch()
        results = self._results()
        names = ", ".join(array.name for array in results)
        types = ", ".join(array.type for array in results)
        body = "\n".join([*self.outside.lines, f"return {names} : {types}"])
        function = f'func.func private @"{self.symbol}"({", ".join(parameters)}) -> ({types})'
        return f"{function} {{\n{body}\n}}"

    def _without_batch(self, full: Sequence[int]) -> tuple[int, ...]:
        """A shape ``[..., B, N]`` without its batch axis if that is 1."""
        return (*full[:-2], full[-1]) if self.batch == 1 else tuple(full)

    def _argument(self, name: str, value: ir.Value) -> Array:
        """An argument of the function, without a batch axis of 1."""
        array = Array(name, shape(value), element(value))
        weights = {product.weight for product in self.loop.products.values()}
        if value in weights or rank(value) == 0:
            return array
        if self.batch > 1 or rank(value) < 2 or array.shape[-2] != 1:
            return self.outside.held(array)
        small = Array("", self._without_batch(array.shape), array.element)
        groups = "[[0, 1], [2]]" if rank(value) == 3 else "[[0, 1]]"
        small.name = self.outside(
            f"tensor.collapse_shape {name} {groups} : {array.type} into {small.type}"
        )
        return self.outside.held(small)

    # What a step writes, and where.

    def _plan(self) -> list[Write]:
        """Decides on the arrays of the dispatch and on what is written to them."""
        loop, step, writes = self.loop, self.step, list[Write]()
        for number, output in enumerate(loop.outputs):
            key = f"output{number}"
            self.arrays[key] = Array("", self._without_batch(output.shape), output.element)
            writes.append(Write(output.row, key, "time"))
        for product in loop.products.values():
            if loop.is_computed(product) and product.lhs not in step.lhs:
                step.lhs[product.lhs] = self._left_hand_side(product, writes)
        for number, state in enumerate(loop.states):
            key = f"state{number}"
            readers = [p.value for p in loop.products.values() if p.lhs == state.value]
            if readers:
                step.lhs[state.value] = (key, "current")
            ring = (2, *self._without_batch(shape(state.value)))
            self.arrays[key] = Array("", ring, element((readers or [state.value])[0]))
            step.states[state.value] = key
            writes.append(Write(state.next, key, "next"))
        return writes

    def _left_hand_side(self, product: Product, writes: list[Write]) -> tuple[str, str]:
        """Where the left-hand side of a product is, which the step computes."""
        for number, output in enumerate(self.loop.outputs):
            if output.row == product.lhs and output.element == element(product.value):
                return f"output{number}", "time"
        key = f"scratch{len(self.arrays)}"
        ring = (2, *self._without_batch(shape(product.lhs)))
        self.arrays[key] = Array("", ring, element(product.value))
        writes.append(Write(product.lhs, key, "next"))
        return key, "next"

    def _by_stage(self, writes: Sequence[Write]) -> list[list[Write]]:
        """What is written, by level and by the width of the parts, in order."""
        stages: dict[tuple[int, int], list[Write]] = {}
        for write in writes:
            key = (self.loop.level(write.value), unit_of(write.value))
            stages.setdefault(key, []).append(write)
        return [stages[key] for key in sorted(stages)]

    def _stage(self, writes: list[Write]) -> Stage:
        """Emits the packing of all weights that a stage needs."""
        unit, level = unit_of(writes[0].value), self.loop.level(writes[0].value)
        columns: dict[ir.Value, dict[tuple[ir.Value, int], None]] = {}
        pieces = 0
        for write in writes:
            for start in range(0, width(write.value), unit):
                pieces += 1
                for product, column in self.loop.parts(write.value, start):
                    if self.loop.level(product) != level:
                        raise NotARecurrence("a product is needed at a later level")
                    lhs = self.loop.products[product].lhs
                    columns.setdefault(lhs, {})[product, column] = None
        gates = sum(map(len, columns.values())) or pieces
        sums = [element(product) for found in columns.values() for product, _ in found]
        of = sums[0] if sums else element(writes[0].value)
        panel = self.vectors.panel(unit, gates, of, self.batch)
        panels = [
            Panels(lhs, ordered, packed_columns(self.step, ordered, unit, panel))
            for lhs, found in columns.items()
            for ordered in [sorted(found, key=lambda column: column[1])]
        ]
        return Stage(writes, panels, unit, panel)

    # The dispatch.

    def _dispatch(self) -> None:
        """Emits the dispatch."""
        loop, step = self.loop, self.step
        initial = [self._initial(state) for state in loop.states]
        panels = min(-(-stage.unit // stage.panel) for stage in self.stages)
        self.cut = self.vectors.cut(self.batch, panels, _weights(loop))
        executable = Executable(self.outside, "loop", self.cut[0] * self.cut[1])
        self.emit = step.text = executable.text
        self._bring_in(executable)
        initial = [executable.read(array) for array in initial]
        for key, array in self.arrays.items():
            self.arrays[key] = executable.make(array.shape, array.element)
        self.turns = Turns(executable, self.cut[0] * self.cut[1], *self.place)
        self._run(initial)
        executable.dispatch()

    def _bring_in(self, executable: Executable) -> None:
        """Makes the arguments and the packed weights known inside the dispatch."""
        loop, step = self.loop, self.step
        apart = {product.weight for product in loop.products.values()}
        apart |= {state.initial for state in loop.states}
        for value, array in step.arguments.items():
            if value in self.opaque:
                number = self.outside(f"tensor.extract {array.name}[] : {array.type}")
                step.scalars[value] = executable.given(number, array.element)
            elif value == loop.arguments[0] and is_constant(self.operands[value]):
                step.scalars[value] = splat(
                    self.emit, defining(self.operands[value]), array.element
                )
            elif value not in apart:
                step.arguments[value] = executable.read(array)
                if rank(value) == 0:
                    inside = step.arguments[value]
                    number = self.emit(f"tensor.extract {inside.name}[] : {inside.type}")
                    step.scalars[value] = number
        for stage in self.stages:
            for panels in stage.panels:
                panels.packed = executable.read(panels.packed)

    def _initial(self, state: State) -> Array:
        """The state before the first step, in the element type of the dispatch's array."""
        source = self.step.arguments[state.initial]
        kind = self.arrays[self.step.states[state.value]].element
        return self.outside.held(converted(self.outside, source, kind))

    def _run(self, initial: Sequence[Array]) -> None:
        """Emits the loop over time, from the states before it to zeros in the rows after it."""
        emit, arrays, turns = self.emit, self.arrays, self.turns
        given = self.step.scalars[self.loop.arguments[0]]
        ends = [emit(f"arith.constant {n} : i64") for n in (0, self.loop.outputs[0].shape[0])]
        given = emit(f"arith.maxsi {given}, {ends[0]} : i64")
        given = emit(f"arith.minsi {given}, {ends[1]} : i64")
        self.count = emit(f"arith.index_cast {given} : i64 to index")
        self.one, self.two = emit.index(1), emit.index(2)
        parity = emit(f"arith.remui {self.count}, {self.two} : index")
        states = [arrays[self.step.states[state.value]] for state in self.loop.states]

        def begin() -> None:
            for array, source in zip(states, initial, strict=True):
                emit.insert(source, array, [parity, *["0"] * len(source.shape)])

        def begin_once(part: str) -> None:
            first_only(emit, part, turns.parts, states, begin)

        turns.take(emit.index(0), states, begin_once)
        first = turns.over(len(self.stages))
        emit.loop(first, self.count, 1, list(arrays.values()), self._one_step)
        outputs = [arrays[f"output{number}"] for number in range(len(self.loop.outputs))]
        first = emit(f"arith.addi {self.count}, {turns.workgroup} : index")
        emit.loop(first, outputs[0].shape[0], turns.parts, outputs, self._zero_row)

    def _zero_row(self, time: str) -> None:
        """Emits zeros for one row of every output."""
        emit = self.emit
        for number in range(len(self.loop.outputs)):
            array = self.arrays[f"output{number}"]
            starts = [time, *["0"] * len(array.shape[1:])]
            row = emit.extract(array, starts, array.shape[1:])
            emit.insert(zeros(emit, self.vectors, row), array, starts)

    def _one_step(self, number: str) -> None:
        """Emits step k: its scalars, then the turns that its stages are."""
        emit, step, stages = self.emit, self.step, self.stages
        outside = dict(step.scalars)
        step.scalars[self.loop.counter] = emit(f"arith.index_cast {number} : index to i64")
        left = emit(f"arith.subi {self.count}, {number} : index")
        current = emit(f"arith.remui {left}, {self.two} : index")
        output = self.loop.outputs[0]
        step.leads = {
            "current": current,
            "next": emit(f"arith.subi {self.one}, {current} : index"),
            "time": step.row_index(output.time, output.shape[0]),
        }
        for value in self.loop.scalars():
            step.scalar(value)
        turn = emit(f"arith.muli {number}, {emit.index(len(stages))} : index")
        for stage in stages:
            keys = dict.fromkeys(write.array for write in stage.writes)
            carried = [self.arrays[key] for key in keys]
            turn = emit.add(turn, 1)
            self.turns.take(turn, carried, lambda part, of=(stage, carried): self._tiles(*of, part))
        step.scalars = outside

    def _tiles(self, stage: Stage, carried: Sequence[Array], part: str) -> None:
        """Emits a part of a stage: some panels, some rows."""
        emit = self.emit
        units, groups = self.cut
        column = group = "0"
        if part != "0":
            column = emit(f"arith.remui {part}, {emit.index(units)} : index")
            group = emit(f"arith.divui {part}, {emit.index(units)} : index")
        rows = self.vectors.row_block(self.batch)
        full, rest = divmod(stage.unit, stage.panel)

        def all_rows(of: Units) -> None:
            tile = StepTile(self.step, stage, of, rows)

            def block(number: str) -> None:
                tile.emit(self._first_row(number, rows))

            share(emit, -(-self.batch // rows), groups, group, carried, block)

        def panel(number: str) -> None:
            all_rows(Units(emit.times(number, stage.panel), stage.panel, number))

        if (full, rest) == (1, 0):
            all_rows(Units("0", stage.panel, None))
            return
        share(emit, full, units, column, carried, panel)
        if rest:
            last = Units(str(full * stage.panel), rest, str(full))
            first_only(emit, column, units, carried, lambda: all_rows(last))

    def _first_row(self, number: str, rows: int) -> str:
        """The first row of a block; the last overlaps the one before, and repeats its numbers."""
        row = self.emit.times(number, rows)
        if self.batch % rows == 0 or row.isdigit():
            return row
        return self.emit(f"arith.minsi {row}, {self.emit.index(self.batch - rows)} : index")

    # Results.

    def _results(self) -> list[Array]:
        """Emits the function's results from the dispatch's."""
        results = [
            self._restored(self.arrays[f"output{number}"], output)
            for number, output in enumerate(self.loop.outputs)
        ]
        for state in self.loop.states:
            ring = self.arrays[self.step.states[state.value]]
            last = self.outside.extract(ring, ["0"] * len(ring.shape), ring.shape[1:])
            results.append(self._restored(last, state))
        return results

    def _restored(self, array: Array, of: Output | State) -> Array:
        """A result in the shape and element type that the decomposition has."""
        if isinstance(of, Output):
            full, kind = of.shape, of.element
        else:
            full, kind = shape(of.value), element(of.value)
        array = converted(self.outside, array, kind)
        if array.shape == full:
            return array
        groups = "[[0, 1], [2]]" if len(full) == 3 else "[[0, 1]]"
        result = Array("", full, kind)
        result.name = self.outside(
            f"tensor.expand_shape {array.name} {groups} output_shape {list(full)} : "
            f"{array.type} into {result.type}"
        )
        return result


def _batch_size(loop: Recurrence) -> int:
    """The batch size of a loop.

    Raises:
        NotARecurrence: An axis other than the batch's is a unit axis, or there is no batch axis.
    """
    sizes = {shape(state.value)[0] for state in loop.states}
    if len(sizes) != 1 or any(len(output.shape) != 3 for output in loop.outputs):
        raise NotARecurrence("states of different batch sizes")
    (batch,) = sizes
    for value in (*loop.arguments, *loop.roots()):
        axes = shape(value)
        if len(axes) > 1 and (axes[-1] == 1 or (axes[0] == 1 and batch > 1)):
            raise NotARecurrence("a unit axis")
        if len(axes) == 3 and axes[0] == 1:
            raise NotARecurrence("a single step")
    if any(output.shape[0] == 1 for output in loop.outputs):
        raise NotARecurrence("a single step")
    return batch


def _weights(loop: Recurrence) -> int:
    """How many weights a step reads."""
    weights = {product.weight for product in loop.products.values()}
    return sum(math.prod(shape(weight)) for weight in weights)

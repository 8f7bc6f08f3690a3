"""A time loop as a function with a single dispatch, for CPUs.

The dispatch (`codegen.executable`) contains the loop over time and everything a step does. It reads
the number of steps at run time, updates all state in place, and works in panels: P units (columns)
of every gate at once, for a tile of rows,

    for t in 0..n-1:
      for group in the step's groups:                     # see `plan`
        for part in parts of the units and rows:           # a workgroup each, see `work_sharing`
          for panel, for tile of rows:
            product[rows, P] = lhs[rows, K] @ packed[gate, panel][K, P]   # linalg.matmul, each gate
            for row: the elementwise arithmetic of these units, in vectors
    rows n.. of the outputs = 0

so that only a tile of products (a few KiB of stack) and the results of the step leave registers
(`StepTile`). Weights are packed into panels ``[G, N/P, K, P]`` once per call, before the dispatch;
for a single row into ``[N/P, K, G*P]``, to have enough independent sums.

The dispatch's operands are materialized by `flow.tensor.clone`; otherwise IREE would fuse the cheap
ops that produce them into their readers. No clone remains in the compiled code.

Products of 16-bit types for which the target has no format (`targets.vector_unit`) are computed
in the type of their sums, which represents the state's copy exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rnn_compiler.lowering.analysis.time_loop import LoopOutput, LoopState, TimeLoop
from rnn_compiler.lowering.analysis.values import defining, element, is_constant, rank, shape, width
from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.body import Array, Index, Number, known
from rnn_compiler.lowering.codegen.elementwise import splat
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder, Part
from rnn_compiler.lowering.codegen.stablehlo import converted, repeat
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand
from rnn_compiler.lowering.cpu.fused_loop.plan import MIN_STEPS, LoopPlan, StateRing
from rnn_compiler.lowering.cpu.fused_loop.steps import LoopSteps, step_weights
from rnn_compiler.lowering.cpu.fused_loop.work_sharing import RowOrder, Turns, rows_by_length
from rnn_compiler.lowering.cpu.matrix_unit import MatrixUnit
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import Open, Size


class FusedLoop:
    """A time loop as a function with one dispatch.

    Attributes:
        opaque_arguments: Its constant scalar arguments, except for the number of steps. The
            function takes them as arguments, so that loops that differ only in them share a
            dispatch.
    """

    def __init__(
        self,
        symbol: str,
        loop: TimeLoop,
        vectors: VectorUnit,
        operands: Sequence[ir.Value],
        part: Part,
        location: ir.Location,
        *,
        weights_stay: bool,
    ) -> None:
        """Emits the function; `part` is its part of the counters, and says how it is called."""
        self.loop, self._vectors = loop, vectors
        self._operands = dict(zip(loop.arguments, operands, strict=True))
        self.opaque_arguments = {
            value
            for value, operand in list(self._operands.items())[1:]
            if rank(value) == 0 and is_constant(operand)
        }
        types = [value.type for value in loop.arguments]
        self.function = FunctionBuilder(symbol, types, location)
        self._length, self._batch = self._steps_at_most(), self._rows()
        self._plan = LoopPlan(loop, vectors, self._length, self._batch, weights_stay=weights_stay)
        arguments = {
            value: self._argument(value, given)
            for value, given in zip(loop.arguments, self.function.arguments, strict=True)
        }
        self.function.finish(self._results(self._dispatch(arguments, part)))

    def _steps_at_most(self) -> Index:
        """The maximum number of steps; read from a sequence if it is open."""
        loop = self.loop
        if isinstance(loop.seq_length, Open) and loop.like is not None:
            return self.function.size(self.function.arguments[loop.arguments.index(loop.like)], 0)
        return self._size(loop.seq_length, rank=3)

    def _rows(self) -> Index:
        """The batch size; read from a state if it is open."""
        return self._size(self.loop.batch_size, rank=2)

    def _size(self, size: Size, rank: int) -> Index:
        """A size; if it is open, that of the first axis of an argument of a given rank."""
        if isinstance(size, int):
            return size
        shapes = [shape(value) for value in self.loop.arguments]
        first = next(k for k, each in enumerate(shapes) if len(each) == rank and each[0] == size)
        return self.function.size(self.function.arguments[first], 0)

    def _sizes(self, value: ir.Value, length: Index | None = None) -> tuple[Index, ...]:
        """The sizes of an argument or a state: ``[T, B, N]``, ``[B, N]`` or ``[B]`` if open.

        If the loop has an operand for the outputs' length, each sequence has a length T of its own.
        """
        time = self._length if length is None else length
        is_timed = rank(value) == 3 or value in {self.loop.like}  # `==` does not accept None
        whole = (time, self._batch) if is_timed else (self._batch,)
        return tuple(
            size if isinstance(size, int) else whole[axis] for axis, size in enumerate(shape(value))
        )

    def _argument(self, value: ir.Value, given: ir.Value) -> Array:
        """An argument of the function, without a batch axis of 1, and with at least two steps."""
        own = self.loop.like is not None and rank(value) == 3
        length = self.function.size(given, 0) if own else None
        array = Array(given, self._sizes(value, length), element(value))
        if rank(value) == 3 and array.shape[0] == 1:
            array = repeat(self.function, array, MIN_STEPS)
        weights = {product.weight for product in self.loop.products.values()}
        if value in weights or rank(value) == 0:
            return array
        if not self._plan.batched and rank(value) >= 2 and array.shape[-2] == 1:
            array = collapse(self.function, array, _batch_groups(rank(value)))
        return array if value in self._joined else self.function.materialized(array)

    @property
    def _joined(self) -> set[ir.Value]:
        """The arguments with the arrays that outputs are columns of."""
        return {each.columns.array for each in self.loop.outputs if each.columns}

    # The dispatch.

    def _dispatch(self, arguments: dict[ir.Value, Array], part: Part) -> StepContext:
        """Emits the dispatch; returns its results."""
        loop, plan, function = self.loop, self._plan, self.function
        weights = [
            [
                step_weights(
                    function,
                    self._vectors,
                    loop,
                    arguments,
                    group,
                    panels,
                    part,
                    interleaved=not plan.batched,
                )
                for panels in group.panels
            ]
            for group in plan.groups
        ]
        initial = [self._initial(state, arguments[state.value]) for state in loop.states]
        order = self._order(arguments) if plan.by_length else None
        cut = (1, 1) if part.is_in_loop else self._cut()
        parts = math.prod(cut)
        executable = DispatchBuilder(function, "loop", parts)
        inside, scalars = self._bring_in(executable, arguments)
        weights = [
            [replace(each, array=executable.read(each.array)) for each in some] for some in weights
        ]
        initial = [executable.read(array) for array in initial]
        arrays = self._written(executable, arguments)
        step = StepContext(
            loop, executable.body, inside, arrays, plan.states, plan.rows, {}, scalars
        )
        step.length, step.batch = map(executable.size, (self._length, self._batch))
        step.lengths = None if order else loop.lengths
        turns = Turns(executable, executable.size(parts), part)
        if order:
            read = [value for value in arguments if value not in self._joined]
            sequences = [inside[value] for value in read if rank(value) == 3]
            order = order.inside(executable, sequences)
        cut = tuple(map(executable.size, cut))
        unit = MatrixUnit(executable)
        LoopSteps(step, plan, self._vectors, turns, cut, weights, order, unit).emit(initial)
        executable.dispatch()
        return step

    def _written(
        self, executable: DispatchBuilder, arguments: dict[ir.Value, Array]
    ) -> dict[str, Array]:
        """Binds the arrays that steps write to: new ones, and columns of arrays from outside."""
        outputs = dict(zip(self._plan.outputs, self.loop.outputs, strict=True))
        arrays: dict[str, Array] = {}
        for key, type in self._plan.arrays.items():
            if key in outputs and (of := outputs[key].columns):
                count = known(type.shape)[-1]
                arrays[key] = executable.change(arguments[of.array], (of.start, count))
            else:
                arrays[key] = executable.make(type)
        return arrays

    def _cut(self) -> tuple[Index, ...]:
        """The numbers of parts into which the units and the rows of a group are divided."""
        function, batch = self.function, self._batch
        (_, cut), *others = self._plan.cuts
        chosen = list[Index](cut)
        for least, cut in others:
            is_so = function.compare("sge", function.index(batch), least)
            chosen = [
                function.select(is_so, function.index(new), function.index(old))
                for new, old in zip(cut, chosen, strict=True)
            ]
        return tuple(chosen)

    def _order(self, arguments: dict[ir.Value, Array]) -> RowOrder | None:
        """Emits the sorting of rows by length."""
        loop = self.loop
        if loop.lengths is None:
            return None
        start = None if loop.start is None else arguments[loop.start]
        lengths, count = arguments[loop.lengths], self._length
        return rows_by_length(
            self.function, self._vectors, lengths, start, count, reverse=loop.reverse
        )

    def _initial(self, state: LoopState, before: Array) -> Array:
        """The state before the first step, in the element type of the dispatch's array."""
        kind = self._plan.arrays[self._plan.states[state.value]].element
        return self.function.materialized(converted(self.function, before, kind))

    def _bring_in(
        self, executable: DispatchBuilder, arguments: dict[ir.Value, Array]
    ) -> tuple[dict[ir.Value, Array], dict[ir.Value, Number]]:
        """Binds the arguments inside the dispatch, scalars as numbers."""
        loop, body = self.loop, executable.body
        apart = {product.weight for product in loop.products.values()}
        apart |= {state.value for state in loop.states} | {loop.like} | self._joined
        inside, scalars = dict(arguments), dict[ir.Value, Number]()
        for value, array in arguments.items():
            if value in self.opaque_arguments:
                scalars[value] = executable.given(self.function.element(array))
            elif value == loop.arguments[0] and is_constant(self._operands[value]):
                scalars[value] = splat(body, defining(self._operands[value]))
            elif value not in apart:
                inside[value] = executable.read(array)
                if rank(value) == 0:
                    scalars[value] = body.element(inside[value])
        return inside, scalars

    # Results.

    def _results(self, step: StepContext) -> list[Array]:
        """Emits the function's results from the dispatch's."""
        results = [
            self._restored(step.arrays[key], output)
            for key, output in zip(self._plan.outputs, self.loop.outputs, strict=True)
        ]
        for number, state in enumerate(self.loop.states):
            if self._plan.by_length:
                last = step.arrays[self._plan.finals[number]]
            else:
                ring = step.arrays[self._plan.states[state.value]]
                last = StateRing.last(self.function, ring)
            results.append(self._restored(last, state))
        return results

    def _restored(self, array: Array, of: LoopOutput | LoopState) -> Array:
        """A result in the shape and element type of the composite's result."""
        full: Sequence[Index]
        if isinstance(of, LoopOutput):
            columns = width(of.columns.array if of.columns else of.row)
            full, kind = (self._length, self._batch, columns), of.element
            steps = (full[0], *array.shape[1:])
            if array.shape != steps:
                array = self.function.extract(array, [0] * len(steps), steps)
        else:
            full, kind = self._sizes(of.value), element(of.value)
        array = converted(self.function, array, kind)
        if array.shape == full:
            return array
        return expand(self.function, array, _batch_groups(len(full)), full)


def _batch_groups(rank: int) -> list[list[int]]:
    """The groups of axes of ``[T, 1, N]`` or ``[1, N]`` that remain without a batch axis."""
    return [[0, 1], [2]] if rank == 3 else [[0, 1]]

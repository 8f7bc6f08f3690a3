"""Time loops as a function that updates in place and issues many steps at a time, for GPUs.

The function reads the number of steps n once, before the loop, and only issues work from then
on; K steps are a command buffer:

    for k in 0..n by K:
      for each of the steps k..k+K-1:
        for level in the step's levels:             # see recurrence.py
          each product of the level                 # a dispatch each
          all else that the level computes          # a dispatch, see step_dispatch.py

What a step computes is written into arrays that the loop carries: row t of an output, and the row
``(k+1) % 2`` of a state's ring ``[3, B, N]``, of which step k reads row ``k % 2``. Steps from n on
leave outputs as they are, and write row 2 of the rings, which nobody reads.

`flow.tensor.barrier` pins each array to the device at the top of the loop's body: else IREE 3.13
copies it whole in every iteration. Pinned arrays that begin with equal values it takes for one, and
writes them all into one buffer, without a word; so each begins as a splat of a zero of its own,
which `util.optimization_barrier` makes unlike the others until buffers have been assigned. So is n:
where IREE knew that all steps run, what an output and a ring get would be one value to it.

What must not be touched: the order of float operations, the element types of products and of their
sums, and what is in rows n.. of the outputs, which is 0.

On a GPU (`gpu.Gpu`) products are `linalg.matmul` with their shares, where that knows better than
IREE; one row is multiplied with transposed weights, which are made once per call.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.lowering.analysis.time_loop import (
    NotARecurrence,
    Output,
    Product,
    Recurrence,
    State,
    element,
    shape,
    unit_of,
    width,
)
from rnn_compiler.lowering.gpu.matmul_tiles import Gpu, shared_matmul
from rnn_compiler.lowering.gpu.pointwise import (
    Group,
    RowWrite,
    StepValues,
    emit_dispatch,
    gates_of,
    row_of,
)
from rnn_compiler.lowering.kernel.body import Array, Text, tensor, transposed
from rnn_compiler.lowering.mlir import ir

__all__ = ["PinnedLoops", "steps_together"]

_HERE = "#hal.device.promise<@__device_0>"
"""The only device there is, by the name that IREE will give it."""

_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}

_Add = Callable[[int, int, RowWrite], None]
"""Adds a write to the group of a unit and a number of gates."""


def steps_together(seq_length: int) -> int:
    """How many steps one iteration of the loop holds: about 32, such that few are left over.

    Example:
        >>> [steps_together(n) for n in (5, 32, 50, 127, 200)]
        [5, 32, 25, 42, 40]
    """
    if seq_length <= 48:
        return seq_length
    return min(range(48, 15, -1), key=lambda steps: seq_length % steps)


class PinnedLoops:
    """Writes some time loops of equal length as one function."""

    def __init__(self, loops: Sequence[Recurrence], gpu: Gpu | None) -> None:
        self.emit = Text()
        self.loops: list[_Loop] = []
        first = 0
        for loop in loops:
            self.loops.append(_Loop(loop, self.emit, gpu, first))
            first += len(loop.arguments)

    def text(self, symbol: str) -> str:
        """The function's text."""
        emit = self.emit
        count, *_ = [loop.begin() for loop in self.loops]
        together = steps_together(self.loops[0].recurrence.outputs[0].shape[0])
        self._for(count, together)
        results = [array for loop in self.loops for array in loop.results(count)]
        names = ", ".join(array.name for array in results)
        types = ", ".join(array.type for array in results)
        parameters = ", ".join(
            f"{array.name}: {array.type}"
            for loop in self.loops
            for array in loop.values.arguments.values()
        )
        body = "\n".join([*emit.lines, f"return {names} : {types}"])
        return f'func.func private @"{symbol}"({parameters}) -> ({types}) {{\n{body}\n}}'

    def _for(self, count: str, together: int) -> None:
        """Emits a loop of several steps an iteration."""
        emit = self.emit
        arrays = [array for loop in self.loops for array in loop.values.arrays.values()]

        def steps(first: str) -> None:
            for array in arrays:
                array.name = emit(f"flow.tensor.barrier {array.name} : {array.type} on {_HERE}")
            for number in range(together):
                step = emit.add(first, number)
                for loop in self.loops:
                    loop.step(step)

        emit.loop(0, count, together, arrays, steps)


class _Loop:
    """One of the loops that run together.

    Attributes:
        recurrence: The loop.
        values: What there is during a step.
        rows: The array and row in which the left-hand side of a product is.
        levels: What each level of a step writes.
    """

    def __init__(self, loop: Recurrence, emit: Text, gpu: Gpu | None, first: int) -> None:
        self.recurrence, self.emit, self.gpu = loop, emit, gpu
        arguments = {
            value: Array(f"%arg{number}", shape(value), element(value))
            for number, value in enumerate(loop.arguments, first)
        }
        batches = {shape(state.value)[0] for state in loop.states}
        if len(batches) != 1 or any(len(output.shape) != 3 for output in loop.outputs):
            raise NotARecurrence("states of different batch sizes")
        self.values = StepValues(loop, emit, batches.pop(), arguments)
        self.rows: dict[ir.Value, tuple[str, str]] = {}

    def begin(self) -> str:
        """Emits what comes before the loop; gives the number of steps."""
        emit, loop, values = self.emit, self.recurrence, self.values
        count = values.arguments[loop.arguments[0]]
        steps = emit(f"tensor.extract {count.name}[] : {count.type}")
        steps = emit(f"util.optimization_barrier {steps} : i64")
        values.scalars[loop.arguments[0]] = steps
        levels = 1 + max(map(loop.level, loop.roots()))
        self.levels = [self._plan(level) for level in range(levels)]
        for state in loop.states:
            ring, initial = (
                values.arrays[values.states[state.value]],
                values.arguments[state.initial],
            )
            self._put(ring, "0", initial)
        self.weights = {p.value: self._weight(p) for p in loop.products.values()}
        return emit(f"arith.index_cast {steps} : i64 to index")

    # The arrays.

    def _plan(self, level: int) -> list[Group]:
        """Decides on what a level writes in one dispatch, and on the arrays for it."""
        loop = self.recurrence
        groups: dict[tuple[int, int], Group] = {}
        multiplied = [
            p.lhs
            for p in loop.products.values()
            if loop.is_computed(p) and loop.level(p.lhs) == level
        ]
        gates = {unit_of(value): gates_of(value) for value in multiplied if gates_of(value) > 1}

        def add(unit: int, gates: int, write: RowWrite) -> None:
            if unit == 1:
                raise NotARecurrence("a unit axis, on which IREE 3.13 computes other numbers")
            groups.setdefault((unit, gates), Group(unit, gates)).writes.append(write)

        for number, output in enumerate(loop.outputs):
            if loop.level(output.row) == level:
                self._plan_output(f"output{number}", output, gates, add)
        for number, state in enumerate(loop.states):
            if loop.level(state.next) == level:
                self._plan_state(f"state{number}", state, gates, add)
        for value in multiplied:
            if value not in self.rows:
                key = f"scratch{len(self.values.arrays)}"
                self.values.arrays[key] = self._ring(value, gates_of(value))
                self.rows[value] = (key, "next")
                add(unit_of(value), gates_of(value), RowWrite(value, key, "next"))
        return list(groups.values())

    def _plan_output(self, key: str, output: Output, gates: Mapping[int, int], add: _Add) -> None:
        """An output that a product reads has its parts side by side, another an array for each."""
        steps, batch, _ = output.shape
        unit, count = unit_of(output.row), gates_of(output.row)
        if count > 1 and gates.get(unit) != count:
            for part in range(count):
                self.values.arrays[f"{key}.{part}"] = self._zeros(
                    (steps, batch, unit), output.element
                )
                write = RowWrite(output.row, f"{key}.{part}", "time", part * unit, kept=True)
                add(unit, 1, write)
            return
        sizes = (steps, batch, count, unit) if count > 1 else output.shape
        self.values.arrays[key] = self._zeros(sizes, output.element)
        self.rows.setdefault(output.row, (key, "time"))
        add(unit, count, RowWrite(output.row, key, "time", kept=True))

    def _plan_state(self, key: str, state: State, gates: Mapping[int, int], add: _Add) -> None:
        """A state is written in the dispatch that computes gates, if there is one, for each."""
        unit = unit_of(state.next)
        if unit != width(state.next):
            raise NotARecurrence("a state of several parts")
        copies = 1 if state.next in self.recurrence.products else gates.get(unit, 1)
        self.values.arrays[key] = self._ring(state.value, copies)
        self.values.states[state.value] = key
        self.rows[state.value] = (key, "current")
        add(unit, copies, RowWrite(state.next, key, "next"))

    def _ring(self, value: ir.Value, gates: int) -> Array:
        """Emits a ring: a row for now, one for then, and one for what is not to be kept."""
        batch, columns = shape(value)
        parts = (gates, unit_of(value)) if gates > 1 else (columns,)
        return self._zeros((3, batch, *parts), element(value))

    def _zeros(self, sizes: Sequence[int], of: str) -> Array:
        """Emits an array of zeros with a buffer of its own."""
        emit, bits = self.emit, f"i{_BITS[of]}"
        array, same = Array("", tuple(sizes), of), tensor(sizes, bits)
        zero = emit(f"util.optimization_barrier {emit(f'arith.constant 0 : {bits}')} : {bits}")
        splat = emit(f"flow.tensor.splat {zero} : {same}")
        array.name = emit(f"flow.tensor.bitcast {splat} : {same} -> {array.type}")
        return array

    def _row(self, array: Array, row: str, columns: int) -> Array:
        """Emits a row of an array as a matrix of so many columns."""
        part = Array("", (array.shape[1], columns), array.element)
        if array.shape[-1] != columns:  # parts side by side
            flat = Array("", (*array.shape[:2], columns), array.element)
            flat.name = self.emit(
                f"tensor.collapse_shape {array.name} [[0], [1], [2, 3]] : "
                f"{array.type} into {flat.type}"
            )
            array = flat
        part.name = self.emit(
            f"tensor.extract_slice {array.name}{row_of(array, row, gate=True)} : "
            f"{array.type} to {part.type}"
        )
        return part

    def _put(self, ring: Array, row: str, part: Array) -> None:
        """Emits the ring with a row replaced; of what is written for every gate, the first."""
        emit = self.emit
        if len(ring.shape) == 4:
            ring.name = emit(
                f"tensor.insert_slice {part.name} into {ring.name}{row_of(ring, row, gate=True)} : "
                f"{part.type} into {ring.type}"
            )
            return
        placed, zero = tensor((1, *part.shape), part.element), emit.index(0)
        name = emit(f"flow.tensor.reshape {part.name} : {part.type} -> {placed}")
        row = emit.index(int(row)) if row.isdigit() else row
        ring.name = emit(  # contiguous, so that what computes the part writes it in its place
            f"flow.tensor.update {name}, {ring.name}[{row}, {zero}, {zero}] : "
            f"{placed} -> {ring.type}"
        )

    def _weight(self, product: Product) -> tuple[Array, str | None]:
        """A product's weights as they are multiplied with, and its shares."""
        weight = self.values.arguments[product.weight]
        rows, columns = shape(product.value)
        shares = self.gpu and self.gpu.product(rows, columns, width(product.lhs), weight.element)
        if shares and rows == 1 and not product.transposed:
            weight = self.emit.held(transposed(self.emit, weight))
        return weight, shares

    def results(self, count: str) -> list[Array]:
        """Emits the function's results."""
        arrays = self.values.arrays
        last = self.emit(f"arith.remui {count}, {self.emit.index(2)} : index")
        outputs = [
            self._output(f"output{number}", output)
            for number, output in enumerate(self.recurrence.outputs)
        ]
        states = [
            self._row(arrays[key], last, width(value))
            for value, key in (
                (s.value, self.values.states[s.value]) for s in self.recurrence.states
            )
        ]
        return [*outputs, *states]

    def _output(self, key: str, output: Output) -> Array:
        """An output as the function returns it."""
        whole, arrays = Array("", output.shape, output.element), self.values.arrays
        if key not in arrays:
            parts = [arrays[f"{key}.{part}"] for part in range(gates_of(output.row))]
            whole.name = self.emit(
                f"stablehlo.concatenate {', '.join(part.name for part in parts)}, dim = 2 : "
                f"({', '.join(part.type for part in parts)}) -> {whole.type}"
            )
        elif arrays[key].shape == output.shape:
            whole.name = arrays[key].name
        else:
            whole.name = self.emit(
                f"tensor.collapse_shape {arrays[key].name} [[0], [1], [2, 3]] : "
                f"{arrays[key].type} into {whole.type}"
            )
        return whole

    # A step.

    def step(self, number: str) -> None:
        """Emits one step."""
        emit, loop, values = self.emit, self.recurrence, self.values
        outside = dict(values.scalars)
        counter = emit(f"arith.index_cast {number} : index to i64")
        values.scalars[loop.counter] = counter
        values.runs = emit(f"arith.cmpi slt, {counter}, {outside[loop.arguments[0]]} : i64")
        current = emit(f"arith.remui {number}, {emit.index(2)} : index")
        after = emit(f"arith.subi {emit.index(1)}, {current} : index")
        values.leads = {
            "current": current,
            "next": emit(f"arith.select {values.runs}, {after}, {emit.index(2)} : index"),
            "time": values.row_index(loop.outputs[0].time, loop.outputs[0].shape[0]),
        }
        for value in loop.scalars():
            values.scalar(value)
        values.products = {}
        for level, groups in enumerate(self.levels):
            for product in loop.products.values():
                if loop.level(product.value) == level:
                    values.products[product.value] = self._multiply(product)
            for group in groups:
                self._write(group)
        values.scalars = outside

    def _multiply(self, product: Product) -> Array:
        """Emits a product."""
        emit, (key, lead) = self.emit, self.rows[product.lhs]
        lhs = self._row(self.values.arrays[key], self.values.leads[lead], width(product.lhs))
        weight, shares = self.weights[product.value]
        result = Array("", shape(product.value), element(product.value))
        if shares is not None:
            axis = 1 if result.shape[0] == 1 else int(product.transposed)
            return shared_matmul(emit, lhs, weight, (1, axis), result.element, shares)
        result.name = emit(
            f"stablehlo.dot_general {lhs.name}, {weight.name}, contracting_dims = [1] x "
            f"[{int(product.transposed)}] : ({lhs.type}, {weight.type}) -> {result.type}"
        )
        return result

    def _write(self, group: Group) -> None:
        """Emits what computes and writes a group; a state that is a product is put in its row."""
        values, computed = self.values, list[RowWrite]()
        for write in group.writes:
            product = values.products.get(write.value)
            if product is None or write.kept:
                computed.append(write)
                continue
            ring = values.arrays[write.array]
            self._put(ring, values.leads[write.lead], product)
        if computed:
            emit_dispatch(values, Group(group.unit, group.gates, computed))

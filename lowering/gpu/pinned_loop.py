"""Time loops as functions that update in place and issue many steps at a time, for GPUs.

One function reads the number of steps n once, before the loop, and then only issues work. Several
steps (`steps_together`) form a command buffer:

    for k in 0..n by that number:
      that many times: call the step

The other is a step, which the compiler inlines at each call:

    for level in the step's levels:             # see analysis.time_loop
      each product of the level                 # a dispatch each
      the elementwise arithmetic of the level   # a dispatch

`flow.tensor.barrier` pins each array to the device at the top of the loop's body; otherwise IREE
copies it in full in every iteration (`tests/traps/test_loop_carried_arrays.py`). Each array has a
buffer of its own (`codegen.body`). The number of steps goes through `util.optimization_barrier`
too: if IREE knew that all steps run, it would merge the values written to an output and to a ring.

The following must be preserved: the order of float operations, the element types of products and of
their sums, and the zeros in rows n.. of the outputs.

On a GPU (`targets.gpu`) products are `linalg.matmul`, with explicit tiles where these are better
than IREE's. A single row is multiplied by transposed weights, which are computed once per call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from rnn_compiler.lowering.analysis.time_loop import LoopOutput, LoopState, StepProduct, TimeLoop
from rnn_compiler.lowering.analysis.values import (
    array_of,
    defining,
    element,
    gate_width,
    rank,
    shape,
    static_shape,
    width,
)
from rnn_compiler.lowering.analysis.walk import Lead, Position, StepContext, Walk, Write
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import gpu_tiles, integer, only_device, segments
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Index,
    Number,
    element_type,
    spare_block,
)
from rnn_compiler.lowering.codegen.elementwise import cast
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.stablehlo import concatenated, transposed
from rnn_compiler.lowering.codegen.whole_arrays import collapse, own_zeros, put_row
from rnn_compiler.lowering.mlir.bindings import contraction, ir, ops_of
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.targets.gpu import Gpu, Tiling
from rnn_compiler.schema.open_sizes import static, static_size

# States updated in place, as rings of three rows: a step reads one row and writes another.
#
#     ring [3, B, N]        the state after k steps is in row k % 2; row 2 is never read
#
# Step k reads row ``k % 2`` and writes the other of the first two rows. Steps are issued in
# batches, so more may be issued than the call has: those from n on write row 2. The initial state
# goes into row 0, and the last of n steps leaves its state in row ``n % 2``.
#
# For the rows to be written in place, each ring needs a buffer of its own (`codegen.body`), which
# a barrier pins to the device (`pinned_loop`).

RING_ROWS = 3
"""The number of rows of a ring."""

FIRST_ROW = 0
"""The row of the initial state."""

_UNREAD = 2
"""The row that is never read."""


def rows_at(body: Body, step: Number, active: Number) -> dict[Lead, Index]:
    """Emits the rows that a step reads, "current", and writes, "next"."""
    current = step % 2
    after = 1 - current
    return {"current": current, "next": body.select(active, after, body.index(_UNREAD))}


def last_row(count: Number) -> Number:
    """Emits the row that has the state after a number of steps."""
    return count % 2


# Plans the writes of a time loop's steps on a GPU: their arrays and dispatches.
#
# A step writes its results into arrays that the loop carries: row t of an output, and a row of a
# state's ring (`StateRing`). Steps from n on leave outputs unchanged and write a row of the
# rings that is never read.
#
# A dispatch writes one row of each of its arrays in place. IREE supports this for one slice of an
# array per dispatch, and not for a value that is written twice
# (`tests/traps/test_region_returns_twice.py`). So a value of several adjacent gates that is
# multiplied is an array ``[.., B, G, U]``; values that are only stored get one array per gate.


def gate_count(value: ir.Value) -> int:
    """The number of gates that lie side by side in a value."""
    return width(value) // gate_width(value)


@dataclass
class PinnedGroup:
    """The writes of one dispatch.

    Attributes:
        gate_width: The width of a gate, U.
        gates: The gates side by side, G; other values are written G times.
    """

    gate_width: int
    gates: int
    writes: list[Write] = field(default_factory=list[Write])


class PinnedPlan:
    """The writes of a time loop's steps.

    Attributes:
        arrays: The arrays that the loop carries, by key.
        outputs: The keys of each output's arrays: one, or one for each gate.
        states: The key of each state's array.
        rows: The array of each left-hand side of a product, and the row of its first axis.
        levels: The dispatches of each level of a step.
    """

    def __init__(self, loop: TimeLoop) -> None:
        """Plans the steps of a loop; Refused if they cannot write in place."""
        if any(product.scale is not None for product in loop.products.values()):
            raise Refused("weights in int8")
        self._loop, self.batch = loop, static_size(loop.batch_size)
        self.arrays: dict[str, ArrayType] = {}
        self.outputs: list[list[str]] = [[] for _ in loop.outputs]
        self.states: dict[ir.Value, str] = {}
        self.rows: dict[ir.Value, tuple[str, Lead]] = {}
        levels = 1 + max(map(loop.level, loop.roots()))
        self.levels = [self._level(level) for level in range(levels)]

    def _level(self, level: int) -> list[PinnedGroup]:
        """Plans the writes of a level, and their arrays."""
        loop = self._loop
        groups: dict[tuple[int, int], PinnedGroup] = {}
        multiplied = [
            p.lhs
            for p in loop.products.values()
            if loop.is_computed(p) and loop.level(p.lhs) == level
        ]
        gates = {
            gate_width(value): gate_count(value) for value in multiplied if gate_count(value) > 1
        }

        def add(wide: int, count: int, write: Write) -> None:
            if wide == 1:
                raise Refused("a unit axis, on which IREE computes other numbers")
            groups.setdefault((wide, count), PinnedGroup(wide, count)).writes.append(write)

        for number, output in enumerate(loop.outputs):
            if loop.level(output.row) == level:
                writes = self._output(f"output{number}", output, gates)
                self.outputs[number] = [write.array for _, _, write in writes]
                for each in writes:
                    add(*each)
        for number, state in enumerate(loop.states):
            if loop.level(state.next) == level:
                add(*self._state(f"state{number}", state, gates))
        for value in multiplied:
            if value not in self.rows:
                key = f"scratch{len(self.arrays)}"
                self.arrays[key] = self._ring(value, gate_count(value))
                self.rows[value] = (key, "next")
                add(gate_width(value), gate_count(value), Write(value, key, "next"))
        return list(groups.values())

    def _output(
        self, key: str, output: LoopOutput, gates: Mapping[int, int]
    ) -> list[tuple[int, int, Write]]:
        """Plans an output: one array if a product reads it, otherwise one for each gate."""
        steps, batch, _ = sizes = static(output.shape)
        wide, count = gate_width(output.row), gate_count(output.row)
        if count > 1 and gates.get(wide) != count:
            keys = [f"{key}.{gate}" for gate in range(count)]
            self.arrays |= {each: ArrayType((steps, batch, wide), output.element) for each in keys}
            return [
                (wide, 1, Write(output.row, each, "time", gate * wide))
                for gate, each in enumerate(keys)
            ]
        sizes = (steps, batch, count, wide) if count > 1 else sizes
        self.arrays[key] = ArrayType(sizes, output.element)
        self.rows.setdefault(output.row, (key, "time"))
        return [(wide, count, Write(output.row, key, "time"))]

    def _state(
        self, key: str, state: LoopState, gates: Mapping[int, int]
    ) -> tuple[int, int, Write]:
        """Plans a state: the dispatch that computes gates, if any, writes it once for each gate."""
        wide = gate_width(state.next)
        if wide != width(state.next):
            raise Refused("a state of several parts")
        is_put = state.next in self._loop.products and self._loop.lengths is None
        copies = 1 if is_put else gates.get(wide, 1)
        self.arrays[key] = self._ring(state.value, copies)
        self.states[state.value] = key
        self.rows[state.value] = (key, "current")
        return wide, copies, Write(state.next, key, "next", state=state.value)

    def _ring(self, value: ir.Value, gates: int) -> ArrayType:
        """The ring of a state, or of another left-hand side of a product."""
        batch, columns = static_shape(value)
        sizes = (gates, gate_width(value)) if gates > 1 else (columns,)
        return ArrayType((RING_ROWS, batch, *sizes), element(value))


# All elementwise arithmetic of a step at one level, as one dispatch.
#
# The dispatch holds a single `linalg.generic` over all rows and units, whose body is the step's
# arithmetic on scalars (`analysis.time_loop`); products, states and rows of arrays are its inputs.
# Values that are written for every gate (`plan`) have a third axis g in the generic: each of its
# points computes the values of all gates, and writes that of gate g.
#
# A single row has no axis b in the dispatch, because IREE mishandles the unit axis.


def row_of(array: Array, lead: Index, *, gate: bool = False) -> tuple[list[Index], list[Index]]:
    """The offsets and sizes of a row of an array; if written for every gate, those of one gate."""
    sizes: list[Index] = [1, *array.shape[1:]]
    if gate and len(sizes) == 4:
        sizes[2] = 1
    return [lead, *[0] * (len(sizes) - 1)], sizes


def pointwise(
    step: StepContext,
    batch: int,
    products: Mapping[ir.Value, Array],
    active: Number,
    group: PinnedGroup,
) -> None:
    """Emits a group's dispatch."""
    region = spare_block()
    inside, writes = Body(region, step.body.location), group.writes
    arrays = [step.arrays[write.array] for write in writes]
    leads = [step.leads[write.lead] for write in writes]
    targets = [
        _target(inside, array, lead, batch) for array, lead in zip(arrays, leads, strict=True)
    ]
    elements = _Elements(step, batch, products, group, inside, targets)
    values = [
        elements.result(write, number, active if write.is_output else None)
        for number, write in enumerate(writes)
    ]
    made = elements.generic(values)
    rows = [Array(array.value, array.shape, array.element) for array in arrays]
    for row, array, lead in zip(made, rows, leads, strict=True):
        inside.insert_as(row, array, *row_of(array, lead))
    inside.op("flow.return", rows)
    op = step.body.op(
        "flow.dispatch.region",
        [],
        [array.value.type for array in arrays],
        {"operandSegmentSizes": segments(0, 0)},
        regions=2,
    )
    region.append_to(op.regions[0])
    for array, value in zip(arrays, op.results, strict=True):
        array.value = value


def _target(inside: Body, array: Array, lead: Index, batch: int) -> Array:
    """Emits the row that a value is written to, with its old contents."""
    part = ArrayType(array.shape[1 if batch > 1 else 2 :], array.element)
    return inside.extract_as(array, *row_of(array, lead), part)


class _Elements(Walk):
    """Computes the scalars of each element that a dispatch writes."""

    def __init__(
        self,
        step: StepContext,
        batch: int,
        products: Mapping[ir.Value, Array],
        group: PinnedGroup,
        inside: Body,
        targets: Sequence[Array],
    ) -> None:
        self._block = spare_block([element_type(target.element) for target in targets])
        super().__init__(step, Body(self._block, step.body.location))
        self.batch, self.products, self.group = batch, products, group
        self.inside, self.targets = inside, targets
        rows = ["row"] if batch > 1 else []
        self.axes = [*rows, *(["gate"] if group.gates > 1 else []), "column"]
        self.inputs: dict[tuple[ir.Value, Position], tuple[Array, list[int], Number]] = {}

    def result(self, write: Write, number: int, active: Number | None) -> Number:
        """The scalar to write: if the step is inactive, the old one."""
        body, group, element = self.body, self.group, self.targets[number].element
        count = gate_count(write.value) if group.gates > 1 else 1
        columns = [write.column + gate * group.gate_width for gate in range(count)]
        gates = [
            cast(body, self.written(write, (("row", 0), ("column", column))), element)
            for column in columns
        ]
        result = gates[-1]
        for gate in reversed(range(count - 1)):
            here = body.index(gate)
            axis = {"dim": integer(self.axes.index("gate"))}
            position = body.number("linalg.index", [], "index", attributes=axis)
            result = body.select(body.compare("eq", position, here), gates[gate], result)
        if active is None:
            return result
        before = Number(body, self._block.arguments[number], element)
        return body.select(active, result, before)

    def generic(self, values: Sequence[Number]) -> list[Array]:
        """Emits the `linalg.generic` of the results; its inputs come before its outputs."""
        self.body.op("linalg.yield", values)
        inputs, outputs = list(self.inputs.values()), len(self.targets)
        before = list(self._block.arguments)
        block = spare_block([value.type for value in (*before[outputs:], *before[:outputs])])
        for old, new in zip((*before[outputs:], *before[:outputs]), block.arguments, strict=True):
            old.replace_all_uses_with(new)
        for op in ops_of(self._block):
            block.append(op)
        reads = [(array, axes) for array, axes, _ in inputs]
        return linalg.generic(self.inside, reads, self.targets, block)

    # The inputs of an element.

    def scalar(self, number: Number) -> Number:
        """A scalar of the step."""
        return number

    def product(self, value: ir.Value, at: Position) -> Number:
        """The scalar of a product."""
        return self.read(value, self.products[value], None, at)

    def read(self, value: ir.Value, array: Array, lead: Index | None, at: Position) -> Number:
        """The scalar of an array, which becomes an input."""
        key = (value, at)
        if key not in self.inputs:
            part = self._part(array, lead, at)
            if isinstance(part, Number):
                return part
            axes = [self.axes.index(axis) for axis, _ in at if axis in self.axes]
            given = self._block.add_argument(element_type(array.element), self.body.location)
            self.inputs[key] = (part, axes, Number(self.body, given, array.element))
        return self.inputs[key][-1]

    def _part(self, array: Array, lead: Index | None, at: Position) -> Array | Number:
        """Emits the part of an array that elements read; a number if it has none of their axes."""
        starts: list[Index] = [] if lead is None else [lead]
        sizes, shape = [1] * len(starts), list[int]()
        offsets = dict(at)
        if "row" in offsets:
            shape += [self.batch] if self.batch > 1 else []
            starts, sizes = [*starts, 0], [*sizes, self.batch]
        if len(array.shape) == 4:  # written for every gate
            starts, sizes = [*starts, 0], [*sizes, 1]
        if "column" in offsets:
            shape.append(self.group.gate_width)
            starts, sizes = [*starts, offsets["column"]], [*sizes, self.group.gate_width]
        if not shape:  # for a single row
            return self.inside.element(array, starts)
        return self.inside.extract_as(array, starts, sizes, ArrayType(tuple(shape), array.element))


# A matrix product in tiles for a GPU (`targets.gpu`).


def tiled_matmul(
    body: Body, lhs: Array, rhs: Array, axes: tuple[int, int], element: str, tiling: Tiling
) -> Array:
    """Emits a matrix product in the tiles of `Gpu.product`; `axes` are the contracted ones."""
    type = ArrayType((lhs.shape[1 - axes[0]], rhs.shape[1 - axes[1]]), element)
    attributes = gpu_tiles(tiling.pipeline, tiling.threads, tiling.warp, tiling.levels)
    return linalg.matmul(body, lhs, rhs, linalg.zeros(body, type), attributes, axes)


_Key = TypeVar("_Key")


def steps_together(seq_length: int) -> int:
    """The number of steps that one iteration issues: about 32, chosen to leave few steps over.

    Example:
        >>> [steps_together(n) for n in (5, 32, 50, 127, 200)]
        [5, 32, 25, 42, 40]
    """
    if seq_length <= 48:
        return seq_length
    return min(range(48, 15, -1), key=lambda steps: seq_length % steps)


def pinned_loops(
    symbol: str, loops: Sequence[TimeLoop], gpu: Gpu | None, location: ir.Location
) -> list[FunctionBuilder]:
    """Emits time loops of equal length as one function, and a step of all of them as another.

    `gpu` is None for a CPU.
    """
    types = [value.type for loop in loops for value in loop.arguments]
    function = FunctionBuilder(symbol, types, location)
    given = iter(function.arguments)
    pinned = [_PinnedLoop(loop, function, gpu, given) for loop in loops]
    count = pinned[0].values.scalars[loops[0].arguments[0]].to_index()
    values = [value for loop in pinned for value in loop.values.all()]
    step = FunctionBuilder(
        f"{symbol}.step", [ir.IndexType.get(), *(each.value.type for each in values)], location
    )
    number, *others = step.arguments
    inside = iter(others)
    k = Number(step, number, "index")
    written = [_PinnedStep(loop, loop.values.within(step, inside), step).emit(k) for loop in pinned]
    step.finish([array for arrays in written for array in arrays])
    arrays = [array for loop in pinned for array in loop.values.arrays.values()]
    together = steps_together(static_size(loops[0].seq_length))

    def steps(first: Number) -> None:
        for array in arrays:
            array.value = function.array(
                "flow.tensor.barrier", [array], array.type, only_device()
            ).value
        for number in range(together):
            function.call(step, [first + number, *values], arrays)

    function.loop(0, count, together, arrays, steps)
    function.finish([array for loop in pinned for array in loop.results(count)])
    return [function, step]


@dataclass(frozen=True)
class _StepValues:
    """The arguments of a step.

    Attributes:
        scalars: The number of steps, and the other scalars of the loop.
        weights: The weights of each product, in the layout of the product.
    """

    scalars: dict[ir.Value, Number] = field(default_factory=dict[ir.Value, Number])
    reads: dict[ir.Value, Array] = field(default_factory=dict[ir.Value, Array])
    weights: dict[ir.Value, Array] = field(default_factory=dict[ir.Value, Array])
    arrays: dict[str, Array] = field(default_factory=dict[str, Array])

    def all(self) -> list[Number | Array]:
        """The values, in order."""
        arrays = (*self.reads.values(), *self.weights.values(), *self.arrays.values())
        return [*self.scalars.values(), *arrays]

    def within(self, body: Body, values: Iterator[ir.Value]) -> _StepValues:
        """The same arguments as other SSA values of a body."""

        def arrays(of: Mapping[_Key, Array]) -> dict[_Key, Array]:
            return {key: Array(next(values), each.shape, each.element) for key, each in of.items()}

        numbers = {
            key: Number(body, next(values), number.element) for key, number in self.scalars.items()
        }
        return _StepValues(numbers, arrays(self.reads), arrays(self.weights), arrays(self.arrays))


class _PinnedLoop:
    """One of the loops that run together, around its steps.

    Attributes:
        tilings: The tiling of each product on a GPU; None to leave it to IREE.
    """

    def __init__(
        self, loop: TimeLoop, body: FunctionBuilder, gpu: Gpu | None, given: Iterator[ir.Value]
    ) -> None:
        """Emits the code before the loop."""
        self.loop, self.plan, self._body = loop, PinnedPlan(loop), body
        self.values = _StepValues()
        values, states = self.values, {state.value: state for state in loop.states}
        arguments = {value: array_of(body, next(given)) for value in loop.arguments}
        first = loop.arguments[0]
        count = body.element(arguments[first])
        values.scalars[first] = body.number("util.optimization_barrier", [count], count.element)
        for value, array in arguments.items():
            if rank(value) == 0 and value != first:  # such as the time at which a block starts
                values.scalars[value] = body.element(array)
            elif rank(value) and value not in states:
                values.reads[value] = self._read(array)
        for key, type in self.plan.arrays.items():
            values.arrays[key] = own_zeros(body, type)
        for value in states:
            ring = values.arrays[self.plan.states[value]]
            _put(body, ring, FIRST_ROW, arguments[value])
        self.tilings = {p.value: self._tiling(p, gpu) for p in loop.products.values()}
        for product in loop.products.values():
            values.weights[product.value] = self._weight(product)

    def _read(self, array: Array) -> Array:
        """An array that steps read, such as a bias.

        If a dispatch uses only some of a vector's gates, IREE moves the sum of two 16-bit biases
        into it, and then cannot compile it ("operations on global resources").
        """
        is_apart = len(self.plan.levels) > 1 and len(array.shape) == 1
        return self._body.materialized(array) if is_apart else array

    def _tiling(self, product: StepProduct, gpu: Gpu | None) -> Tiling | None:
        rows, columns = static_shape(product.value)
        if gpu is None:
            return None
        return gpu.product(rows, columns, width(product.lhs), element(product.weight))

    def _weight(self, product: StepProduct) -> Array:
        """A product's weights, in the layout of the product."""
        weight = self.values.reads[product.weight]
        is_row = self.tilings[product.value] and shape(product.value)[0] == 1
        if is_row and not product.transposed:
            return self._body.materialized(transposed(self._body, weight))
        return weight

    def results(self, count: Number) -> list[Array]:
        """Emits the function's results."""
        arrays, loop = self.values.arrays, self.loop
        last = last_row(count)
        outputs = [
            self._output([arrays[key] for key in keys], output)
            for keys, output in zip(self.plan.outputs, loop.outputs, strict=True)
        ]
        states = [
            _row(self._body, arrays[self.plan.states[state.value]], last, width(state.value))
            for state in loop.states
        ]
        return [*outputs, *states]

    def _output(self, arrays: Sequence[Array], output: LoopOutput) -> Array:
        """An output in the shape that the function returns, from its arrays."""
        array = concatenated(self._body, arrays, 2)
        if array.shape == output.shape:
            return array
        return collapse(self._body, array, [[0], [1], [2, 3]])


class _PinnedStep:
    """One step of one of the loops."""

    def __init__(self, pinned: _PinnedLoop, values: _StepValues, body: FunctionBuilder) -> None:
        self.pinned, self.values, self.body = pinned, values, body
        loop, plan = pinned.loop, pinned.plan
        self.step = StepContext(
            *(loop, body, values.reads, values.arrays, plan.states, plan.rows),
            scalars=values.scalars,
            length=static_size(loop.seq_length),
            lengths=loop.lengths,
        )

    def emit(self, number: Number) -> list[Array]:
        """Emits the step; returns the arrays that it has written to."""
        loop, step = self.pinned.loop, self.step
        counter = number.to_integer("i64")
        active = counter < step.scalars[loop.arguments[0]]
        step.begin(counter, rows_at(self.body, number, active))
        products: dict[ir.Value, Array] = {}
        for level, groups in enumerate(self.pinned.plan.levels):
            for product in loop.products.values():
                if loop.level(product.value) == level:
                    with self.body.located(defining(product.value).location):
                        products[product.value] = self._multiply(product)
            for group in groups:
                self._write(group, products, active)
        return list(step.arrays.values())

    def _multiply(self, product: StepProduct) -> Array:
        """Emits a product."""
        body, (key, lead) = self.body, self.step.rows[product.lhs]
        lhs = _row(body, self.step.arrays[key], self.step.leads[lead], width(product.lhs))
        weight, tiling = self.values.weights[product.value], self.pinned.tilings[product.value]
        type = ArrayType(static_shape(product.value), element(product.value))
        if tiling is not None:
            axis = 1 if type.shape[0] == 1 else int(product.transposed)
            return tiled_matmul(body, lhs, weight, (1, axis), type.element, tiling)
        axes = contraction((1, int(product.transposed)))
        return body.array("stablehlo.dot_general", [lhs, weight], type, axes)

    def _write(self, group: PinnedGroup, products: dict[ir.Value, Array], active: Number) -> None:
        """Emits the dispatch of a group; a state that is itself a product is put in its row."""
        step, computed = self.step, PinnedGroup(group.gate_width, group.gates)
        for write in group.writes:
            product = products.get(write.value)
            if product is None or write.is_output or step.loop.lengths is not None:
                computed.writes.append(write)
            else:
                _put(self.body, step.arrays[write.array], step.leads[write.lead], product)
        if computed.writes:
            pointwise(step, self.pinned.plan.batch, products, active, computed)


def _row(body: Body, array: Array, lead: Index, columns: int) -> Array:
    """Emits a row of an array as a matrix with a number of columns."""
    if array.shape[-1] != columns:  # gates side by side
        array = collapse(body, array, [[0], [1], [2, 3]])
    part = ArrayType((array.shape[1], columns), array.element)
    return body.extract_as(array, *row_of(array, lead, gate=True), part)


def _put(body: Body, ring: Array, lead: Index, part: Array) -> None:
    """Emits the ring with a row replaced; if written for every gate, by that of the first."""
    if len(ring.shape) == 4:
        body.insert_as(part, ring, *row_of(ring, lead, gate=True))
    else:
        put_row(body, ring, lead, part)

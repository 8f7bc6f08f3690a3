"""Time loops as functions that update in place and issue many steps at a time, for GPUs.

One function reads the number of steps n once, before the loop, and then only issues work. Several
steps (`steps_together`) form a command buffer:

    for k in 0..n by that number:
      that many times: call the step

The other is a step, which the compiler inlines at each call:

    for level in the step's levels:             # see analysis.time_loop
      each product of the level                 # a dispatch each
      the elementwise arithmetic of the level   # a dispatch, see pointwise

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

from rnn_compiler.lowering.analysis.size_sources import array_of
from rnn_compiler.lowering.analysis.time_loop import Output, StepProduct, TimeLoop
from rnn_compiler.lowering.analysis.values import (
    defining,
    element,
    rank,
    shape,
    static_shape,
    width,
)
from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.attributes import integer, only_device
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Index,
    Number,
    collapse,
    own_zeros,
    put_row,
)
from rnn_compiler.lowering.codegen.executable import Function
from rnn_compiler.lowering.codegen.stablehlo import transposed
from rnn_compiler.lowering.gpu import state_ring
from rnn_compiler.lowering.gpu.matmul_tiles import tiled_matmul
from rnn_compiler.lowering.gpu.plan import Group, Plan
from rnn_compiler.lowering.gpu.pointwise import pointwise, row_of
from rnn_compiler.lowering.mlir.bindings import contraction, ir
from rnn_compiler.lowering.targets.gpu import Gpu, Tiling
from rnn_compiler.schema.open_sizes import static, static_size

__all__ = ["pinned_loops", "steps_together"]

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
) -> list[Function]:
    """Emits time loops of equal length as one function, and a step of all of them as another.

    Args:
        symbol: The name of the first.
        loops: The time loops.
        gpu: The GPU; None for a CPU.
        location: Their source location.

    Raises:
        Refused: The steps of a loop cannot write in place.
    """
    types = [value.type for loop in loops for value in loop.arguments]
    function = Function(symbol, types, location)
    given = iter(function.arguments)
    pinned = [_PinnedLoop(loop, function, gpu, given) for loop in loops]
    count = pinned[0].values.scalars[loops[0].arguments[0]].to_index()
    values = [value for loop in pinned for value in loop.values.all()]
    step = Function(
        f"{symbol}.step", [ir.IndexType.get(), *(each.value.type for each in values)], location
    )
    number, *others = step.arguments
    inside = iter(others)
    k = Number(step, number, "index")
    written = [_Step(loop, loop.values.within(step, inside), step).emit(k) for loop in pinned]
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
class _Values:
    """The arguments of a step.

    Attributes:
        scalars: The number of steps, and the other scalars of the loop.
        reads: The arrays that it reads.
        weights: The weights of each product, in the layout of the product.
        arrays: The arrays that it writes to, by key.
    """

    scalars: dict[ir.Value, Number] = field(default_factory=dict[ir.Value, Number])
    reads: dict[ir.Value, Array] = field(default_factory=dict[ir.Value, Array])
    weights: dict[ir.Value, Array] = field(default_factory=dict[ir.Value, Array])
    arrays: dict[str, Array] = field(default_factory=dict[str, Array])

    def all(self) -> list[Number | Array]:
        """The values, in order."""
        arrays = (*self.reads.values(), *self.weights.values(), *self.arrays.values())
        return [*self.scalars.values(), *arrays]

    def within(self, body: Body, values: Iterator[ir.Value]) -> _Values:
        """The same arguments as other SSA values of a body."""

        def arrays(of: Mapping[_Key, Array]) -> dict[_Key, Array]:
            return {key: Array(next(values), each.shape, each.element) for key, each in of.items()}

        numbers = {
            key: Number(body, next(values), number.element) for key, number in self.scalars.items()
        }
        return _Values(numbers, arrays(self.reads), arrays(self.weights), arrays(self.arrays))


class _PinnedLoop:
    """One of the loops that run together, around its steps.

    Attributes:
        loop: The time loop.
        plan: The writes of its steps.
        tilings: The tiling of each product on a GPU; None to leave it to IREE.
        values: The arguments of a step.
    """

    def __init__(
        self, loop: TimeLoop, body: Function, gpu: Gpu | None, given: Iterator[ir.Value]
    ) -> None:
        """Emits the code before the loop."""
        self.loop, self.plan, self._body = loop, Plan(loop), body
        self.values = _Values()
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
            _put(body, ring, state_ring.FIRST, arguments[value])
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
        last = state_ring.last_row(count)
        outputs = [
            self._output([arrays[key] for key in keys], output)
            for keys, output in zip(self.plan.outputs, loop.outputs, strict=True)
        ]
        states = [
            _row(self._body, arrays[self.plan.states[state.value]], last, width(state.value))
            for state in loop.states
        ]
        return [*outputs, *states]

    def _output(self, arrays: Sequence[Array], output: Output) -> Array:
        """An output in the shape that the function returns, from its arrays."""
        if len(arrays) > 1:
            type, axis = ArrayType(static(output.shape), output.element), integer(2)
            return self._body.array("stablehlo.concatenate", arrays, type, {"dimension": axis})
        (array,) = arrays
        if array.shape == output.shape:
            return array
        return collapse(self._body, array, [[0], [1], [2, 3]])


class _Step:
    """One step of one of the loops.

    Attributes:
        pinned: The loop.
        values: Its arguments.
        body: The body that gets the ops.
        step: Its context.
    """

    def __init__(self, pinned: _PinnedLoop, values: _Values, body: Function) -> None:
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
        step.begin(counter, state_ring.rows_at(self.body, number, active))
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

    def _write(self, group: Group, products: dict[ir.Value, Array], active: Number) -> None:
        """Emits the dispatch of a group; a state that is itself a product is put in its row."""
        step, computed = self.step, Group(group.gate_width, group.gates)
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

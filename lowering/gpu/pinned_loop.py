"""Time loops as a function that updates in place and issues many steps at a time, for GPUs.

The function reads the number of steps n once, before the loop, and only issues work from then
on; some steps together (`steps_together`) are a command buffer:

    for k in 0..n by the steps together:
      for each of these:
        for level in the step's levels:             # see analysis.time_loop
          each product of the level                 # a dispatch each
          all else that the level computes          # a dispatch, see pointwise

`flow.tensor.barrier` pins each array to the device at the top of the loop's body: else IREE 3.13
copies it whole in every iteration. Each array has a buffer of its own (`codegen.arrays`). The
number of steps goes through `util.optimization_barrier` too: where IREE knew that all steps run,
what an output and a ring get would be one value to it.

What must not be touched: the order of float operations, the element types of products and of their
sums, and what is in rows n.. of the outputs, which is 0.

On a GPU (`targets.gpu`) products are `linalg.matmul` with their tiles, where that knows
better than IREE; one row is multiplied with transposed weights, which are made once per call.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.time_loop import Output, Product, TimeLoop
from rnn_compiler.lowering.analysis.values import defining, element, rank, shape, width
from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.arrays import collapse, own_zeros, put_row
from rnn_compiler.lowering.codegen.attributes import contraction, integer, only_device
from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.stablehlo import transposed
from rnn_compiler.lowering.gpu import state_ring
from rnn_compiler.lowering.gpu.matmul_tiles import tiled_matmul
from rnn_compiler.lowering.gpu.plan import Group, Plan, gate_count
from rnn_compiler.lowering.gpu.pointwise import pointwise, row_of
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.gpu import Gpu, Tiling

__all__ = ["pinned_loops", "steps_together"]


def steps_together(seq_length: int) -> int:
    """How many steps one iteration of the loop holds: about 32, such that few are left over.

    Example:
        >>> [steps_together(n) for n in (5, 32, 50, 127, 200)]
        [5, 32, 25, 42, 40]
    """
    if seq_length <= 48:
        return seq_length
    return min(range(48, 15, -1), key=lambda steps: seq_length % steps)


def pinned_loops(
    symbol: str, loops: Sequence[TimeLoop], gpu: Gpu | None, location: ir.Location
) -> Function:
    """Some time loops of equal length as one function.

    Args:
        symbol: Its name.
        loops: The time loops.
        gpu: The GPU; None for a CPU.
        location: Their source location.

    Raises:
        Refused: One of them is none whose steps can write in place.
    """
    plans = [Plan(loop) for loop in loops]
    types = [value.type for loop in loops for value in loop.arguments]
    function = Function(symbol, types, location)
    given, written = list(function.arguments), list[_Loop]()
    for loop, plan in zip(loops, plans, strict=True):
        arguments, given = given[: len(loop.arguments)], given[len(loop.arguments) :]
        written.append(_Loop(loop, plan, function, gpu, arguments))
    counts = [loop.begin() for loop in written]
    together = steps_together(loops[0].seq_length)
    arrays = [array for loop in written for array in loop.step.arrays.values()]

    def steps(first: Number) -> None:
        for array in arrays:
            array.value = function.array(
                "flow.tensor.barrier", [array], array.type, only_device()
            ).value
        for number in range(together):
            k = first + number
            for loop in written:
                loop.emit_step(k)

    function.loop(0, counts[0], together, arrays, steps)
    function.finish([array for loop in written for array in loop.results(counts[0])])
    return function


class _Loop:
    """One of the loops that run together.

    Attributes:
        loop: The time loop.
        plan: What its steps write.
        step: What there is during a step.
    """

    def __init__(
        self,
        loop: TimeLoop,
        plan: Plan,
        function: Function,
        gpu: Gpu | None,
        given: Sequence[ir.Value],
    ) -> None:
        self.loop, self.plan, self.body, self.gpu = loop, plan, function, gpu
        arguments = {
            value: Array.of(each) for value, each in zip(loop.arguments, given, strict=True)
        }
        self.step = StepContext(loop, function, arguments, {}, plan.states, plan.rows)

    def begin(self) -> Number:
        """Emits what comes before the loop; gives the number of steps."""
        body, loop, step = self.body, self.loop, self.step
        count = body.element(step.arguments[loop.arguments[0]])
        count = body.number("util.optimization_barrier", [count], count.element)
        step.scalars[loop.arguments[0]] = count
        for value in loop.arguments[1:]:
            if rank(value) == 0:  # such as the time at which a block of steps starts
                step.scalars[value] = body.element(step.arguments[value])
        for key, type in self.plan.arrays.items():
            step.arrays[key] = own_zeros(body, type)
        for state in loop.states:
            ring = step.arrays[step.states[state.value]]
            self._put(ring, state_ring.FIRST, step.arguments[state.initial])
        self._weights = {p.value: self._weight(p) for p in loop.products.values()}
        return count.to_index()

    # The arrays.

    def _row(self, array: Array, lead: Index, columns: int) -> Array:
        """Emits a row of an array as a matrix of so many columns."""
        if array.shape[-1] != columns:  # gates side by side
            array = collapse(self.body, array, [[0], [1], [2, 3]])
        part = ArrayType((array.shape[1], columns), array.element)
        return self.body.extract_as(array, *row_of(array, lead, gate=True), part)

    def _put(self, ring: Array, lead: Index, part: Array) -> None:
        """Emits the ring with a row replaced; of what is written for every gate, the first."""
        if len(ring.shape) == 4:
            self.body.insert_as(part, ring, *row_of(ring, lead, gate=True))
        else:
            put_row(self.body, ring, lead, part)

    def _weight(self, product: Product) -> tuple[Array, Tiling | None]:
        """A product's weights as they are multiplied with, and its tiling."""
        weight, tiling = self.step.arguments[product.weight], None
        rows, columns = shape(product.value)
        if self.gpu is not None:
            tiling = self.gpu.product(rows, columns, width(product.lhs), weight.element)
        if tiling and rows == 1 and not product.transposed:
            weight = self.body.held(transposed(self.body, weight))
        return weight, tiling

    def results(self, count: Number) -> list[Array]:
        """Emits the function's results."""
        arrays, step = self.step.arrays, self.step
        last = state_ring.last_row(count)
        outputs = [
            self._output(f"output{number}", output)
            for number, output in enumerate(self.loop.outputs)
        ]
        states = [
            self._row(arrays[step.states[state.value]], last, width(state.value))
            for state in self.loop.states
        ]
        return [*outputs, *states]

    def _output(self, key: str, output: Output) -> Array:
        """An output as the function returns it."""
        arrays = self.step.arrays
        if key not in arrays:
            gates = [arrays[f"{key}.{gate}"] for gate in range(gate_count(output.row))]
            type = ArrayType(output.shape, output.element)
            return self.body.array("stablehlo.concatenate", gates, type, {"dimension": integer(2)})
        if arrays[key].shape == output.shape:
            return arrays[key]
        return collapse(self.body, arrays[key], [[0], [1], [2, 3]])

    # A step.

    def emit_step(self, number: Number) -> None:
        """Emits one step."""
        body, loop, step = self.body, self.loop, self.step
        counter = number.to_integer("i64")
        step.begin(counter)
        runs = counter < step.scalars[loop.arguments[0]]
        step.leads = state_ring.rows_at(body, number, runs)
        for output in loop.outputs[:1]:
            step.leads["time"] = step.row_index(output.time, output.shape[0])
        step.emit_scalars()
        products: dict[ir.Value, Array] = {}
        for level, groups in enumerate(self.plan.levels):
            for product in loop.products.values():
                if loop.level(product.value) == level:
                    with body.located(defining(product.value).location):
                        products[product.value] = self._multiply(product)
            for group in groups:
                self._write(group, products, runs)

    def _multiply(self, product: Product) -> Array:
        """Emits a product."""
        key, lead = self.step.rows[product.lhs]
        lhs = self._row(self.step.arrays[key], self.step.leads[lead], width(product.lhs))
        weight, tiling = self._weights[product.value]
        type = ArrayType(shape(product.value), element(product.value))
        if tiling is not None:
            axis = 1 if type.shape[0] == 1 else int(product.transposed)
            return tiled_matmul(self.body, lhs, weight, (1, axis), type.element, tiling)
        axes = contraction((1, int(product.transposed)))
        return self.body.array("stablehlo.dot_general", [lhs, weight], type, axes)

    def _write(self, group: Group, products: dict[ir.Value, Array], runs: Number) -> None:
        """Emits what computes and writes a group; a state that is a product is put in its row."""
        step, computed = self.step, Group(group.gate_width, group.gates)
        for write in group.writes:
            product = products.get(write.value)
            if product is None or write.is_kept:
                computed.writes.append(write)
            else:
                self._put(step.arrays[write.array], step.leads[write.lead], product)
        if computed.writes:
            pointwise(step, self.plan.batch, products, runs, computed)

"""All elementwise arithmetic of a step at one level, as one dispatch.

The dispatch holds a single `linalg.generic` over all rows and units, whose body is the step's
arithmetic on scalars (`analysis.walk`); products, states and rows of arrays are its inputs. Values
that are written for every gate (`plan`) have a third axis g in the generic: each of its points
computes the values of all gates, and writes that of gate g.

A single row has no axis b in the dispatch, because IREE mishandles the unit axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.lowering.analysis.walk import Position, StepContext, Walk, Write
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import integer, segments
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Index,
    Number,
    cast,
    element_type,
    spare_block,
)
from rnn_compiler.lowering.gpu.plan import Group, gate_count
from rnn_compiler.lowering.mlir.bindings import ir, ops_of

__all__ = ["pointwise", "row_of"]


def row_of(array: Array, lead: Index, *, gate: bool = False) -> tuple[list[Index], list[Index]]:
    """The offsets and sizes of a row of an array; if written for every gate, those of one gate."""
    sizes: list[Index] = [1, *array.shape[1:]]
    if gate and len(sizes) == 4:
        sizes[2] = 1
    return [lead, *[0] * (len(sizes) - 1)], sizes


def pointwise(
    step: StepContext, batch: int, products: Mapping[ir.Value, Array], active: Number, group: Group
) -> None:
    """Emits a group's dispatch.

    Args:
        step: The step; its arrays are written to.
        batch: The number of rows.
        products: The products so far.
        active: Whether the step is active.
        group: The writes of the dispatch.
    """
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
    """Computes the scalars of each element that a dispatch writes.

    Attributes:
        batch: The number of rows.
        products: The products so far.
        group: The writes of the dispatch.
        inside: The dispatch, around the generic.
        targets: The rows that are written.
        inputs: The inputs of the generic with their axes, by source.
    """

    def __init__(
        self,
        step: StepContext,
        batch: int,
        products: Mapping[ir.Value, Array],
        group: Group,
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

"""Everything elementwise that a step computes at one level, as one dispatch.

The dispatch holds a single `linalg.generic` over all rows and units, whose body is the step's
arithmetic on scalars. As in `step_tile`, each value that is written is followed back through the
step: a slice moves the column, a concatenation chooses the operand, a broadcast drops an axis;
products, states and rows of arrays are inputs.

A result becomes one row of an array that the loop carries, in place. IREE 3.13 manages that for one
slice of an array and a dispatch, and not for a value that is written twice. So what consists of
several parts side by side (the gates) is an array ``[.., B, G, U]``, a third axis g of the generic:
each of its points computes all parts, and writes the one for g.

A single row has no axis b in the dispatch: IREE trips over the unit axis.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.time_loop import (
    NotARecurrence,
    Recurrence,
    defining,
    element,
    ints,
    is_constant,
    part_of,
    rank,
    unit_of,
    width,
)
from rnn_compiler.lowering.kernel.arithmetic import cast, elementwise, row_index, scalar, splat
from rnn_compiler.lowering.kernel.body import Array, Text, span
from rnn_compiler.lowering.mlir import ir

__all__ = ["Group", "RowWrite", "StepValues", "emit_dispatch", "gates_of", "row_of"]


def gates_of(value: ir.Value) -> int:
    """How many parts a value consists of."""
    return width(value) // unit_of(value)


@dataclass(frozen=True)
class RowWrite:
    """A value that a step computes, and the row that it becomes.

    Attributes:
        value: The value, ``[B, W]``.
        array: Key of the array.
        lead: Key of the row, of the array's first axis.
        column: The column of the value at which what is written begins.
        kept: Whether the row stays as it is if the step does not run.
    """

    value: ir.Value
    array: str
    lead: str
    column: int = 0
    kept: bool = False


@dataclass
class Group:
    """What one dispatch writes.

    Attributes:
        unit: The width of a part, U.
        gates: How many there are side by side, G; what is no such value is written G times.
        writes: What it writes.
    """

    unit: int
    gates: int
    writes: list[RowWrite] = field(default_factory=list)


@dataclass
class StepValues:
    """What there is during a step.

    Attributes:
        loop: The recurrence.
        text: Where ops go.
        batch: The number of rows.
        arguments: The function's arguments.
        arrays: What the loop carries, by key.
        states: The keys of the states' arrays.
        leads: Rows of first axes, by key; "current" is that of the states.
        products: The products so far.
        scalars: The step's scalars.
        runs: Whether the step runs, a scalar.
    """

    loop: Recurrence
    text: Text
    batch: int
    arguments: Mapping[ir.Value, Array]
    arrays: dict[str, Array] = field(default_factory=dict)
    states: dict[ir.Value, str] = field(default_factory=dict)
    leads: dict[str, str] = field(default_factory=dict)
    products: dict[ir.Value, Array] = field(default_factory=dict)
    scalars: dict[ir.Value, str] = field(default_factory=dict)
    runs: str = ""

    def scalar(self, value: ir.Value) -> str:
        """A scalar of the step, which is emitted where it is first needed."""
        return scalar(self.text, self.scalars, value)

    def row_index(self, value: ir.Value, length: int) -> str:
        """The index of a row, clamped to the array as `dynamic_slice` does."""
        return row_index(self.text, self.scalars, value, length)


def row_of(array: Array, row: str, *, gate: bool = False) -> str:
    """Where a row of an array is; of what is written for every gate, where one of them is."""
    sizes = [1, *array.shape[1:]]
    if gate and len(sizes) == 4:
        sizes[2] = 1
    return span([row, *["0"] * (len(sizes) - 1)], sizes)


def emit_dispatch(step: StepValues, group: Group) -> None:
    """Emits a group's dispatch."""
    _Dispatch(step, group).emit()


class _Dispatch:
    def __init__(self, step: StepValues, group: Group) -> None:
        self.step, self.group = step, group
        self.region, self.body = Text(step.text), Text(step.text)
        rows = ["b"] if step.batch > 1 else []
        self.axes = ", ".join([*rows, *(["g"] if group.gates > 1 else []), "u"])
        self.inputs: dict[object, tuple[Array, str, str]] = {}
        self.known: dict[tuple[ir.Value, str, int], str] = {}

    def emit(self) -> None:
        """Emits the region: the generic, and the writing of its results."""
        step, region, writes = self.step, self.region, self.group.writes
        arrays = [step.arrays[write.array] for write in writes]
        targets = [self._target(write) for write in writes]
        outs = [region.name() for _ in writes]
        results = [self._result(*each) for each in zip(writes, targets, outs, strict=True)]
        generic = self._generic(targets, outs, results)
        names = [
            region(
                f"tensor.insert_slice {generic}#{number} into {array.name}"
                f"{row_of(array, step.leads[write.lead])} : {target.type} into {array.type}"
            )
            for number, (write, array, target) in enumerate(
                zip(writes, arrays, targets, strict=True)
            )
        ]
        types, result = ", ".join(array.type for array in arrays), step.text.name()
        step.text.lines += [
            f"{result}:{len(arrays)} = flow.dispatch.region -> ({types}) {{",
            *region.lines,
            f"flow.return {', '.join(names)} : {types}\n}}",
        ]
        for number, array in enumerate(arrays):
            array.name = f"{result}#{number}"

    def _generic(
        self, targets: Sequence[Array], outs: Sequence[str], results: Sequence[str]
    ) -> str:
        """Emits the `linalg.generic`; gives its name."""
        region, inputs = self.region, list(self.inputs.values())
        axes = [*(axes for _, axes, _ in inputs), *[self.axes] * len(targets)]
        maps = ", ".join(f"affine_map<({self.axes}) -> ({each})>" for each in axes)
        iterators = ", ".join(['"parallel"'] * len(self.axes.split()))
        scalars = [f"{scalar}: {array.element}" for array, _, scalar in inputs]
        scalars += [f"{out}: {to.element}" for out, to in zip(outs, targets, strict=True)]
        read = (
            f"{', '.join(a.name for a, _, _ in inputs)} : {', '.join(a.type for a, _, _ in inputs)}"
        )
        types, name = ", ".join(target.type for target in targets), region.name()
        region.lines += [
            f"{name}:{len(targets)} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{iterators}]}} "
            + (f"ins({read}) " if inputs else "")
            + f"outs({', '.join(target.name for target in targets)} : {types}) {{",
            f"^bb0({', '.join(scalars)}):",
            *self.body.lines,
            f"linalg.yield {', '.join(results)} : {', '.join(to.element for to in targets)}\n"
            f"}} -> ({types})",
        ]
        return name

    def _target(self, write: RowWrite) -> Array:
        """Emits the row that a value is written to, as it is."""
        array, region = self.step.arrays[write.array], self.region
        row = Array("", array.shape[1 if self.step.batch > 1 else 2 :], array.element)
        where = row_of(array, self.step.leads[write.lead])
        row.name = region(f"tensor.extract_slice {array.name}{where} : {array.type} to {row.type}")
        return row

    def _result(self, write: RowWrite, target: Array, out: str) -> str:
        """The scalar to write."""
        emit, group = self.body, self.group
        count = gates_of(write.value) if group.gates > 1 else 1
        parts = [
            cast(
                emit,
                self._scalar(write.value, "bu", write.column + gate * group.unit),
                element(write.value),
                target.element,
            )
            for gate in range(count)
        ]
        result, axis = parts[-1], self.axes.split(", ").index("g") if count > 1 else 0
        for gate in reversed(range(count - 1)):
            number = emit.index(gate)
            here = emit(f"arith.cmpi eq, {emit(f'linalg.index {axis} : index')}, {number} : index")
            result = emit(f"arith.select {here}, {parts[gate]}, {result} : {target.element}")
        if write.kept:
            result = emit(f"arith.select {self.step.runs}, {result}, {out} : {target.element}")
        return result

    # Scalars.

    def _scalar(self, value: ir.Value, axes: str, column: int) -> str:
        """The scalar of a value at row b and column `column` + u, as far as it has such axes."""
        key = (value, axes, column)
        if key not in self.known:
            self.known[key] = self._compute(*key)
        return self.known[key]

    def _compute(self, value: ir.Value, axes: str, column: int) -> str:
        step = self.step
        if not axes and not is_constant(value):
            return step.scalars[value]
        if value in step.states:
            ring = step.arrays[step.states[value]]
            return self._input(value, ring, step.leads["current"], axes, column)
        if value in step.arguments:
            return self._input(value, step.arguments[value], None, axes, column)
        if value in step.products:
            return self._input(value, step.products[value], None, axes, column)
        op = defining(value)
        match op.name.removeprefix("stablehlo."):
            case "constant":
                return splat(self.body, op, element(value))
            case "convert":
                source = op.operands[0]
                scalar = self._scalar(source, axes, column)
                return cast(self.body, scalar, element(source), element(value))
            case "broadcast_in_dim":
                kept = "".join(axes[axis] for axis in ints(op, "broadcast_dimensions"))
                return self._scalar(op.operands[0], kept, column)
            case "slice":
                start = ints(op, "start_indices")[axes.index("u")] if "u" in axes else 0
                return self._scalar(op.operands[0], axes, column + start)
            case "concatenate":
                operand, column = part_of(op, column)
                return self._scalar(operand, axes, column)
            case "reshape":
                row = defining(op.operands[0])
                source = row.operands[0]
                if row.name != "stablehlo.dynamic_slice" or source not in step.arguments:
                    raise NotARecurrence("a reshape in a step")
                array = step.arguments[source]
                return self._input(
                    value, array, step.row_index(row.operands[1], array.shape[0]), axes, column
                )
            case _:
                operands = [self._scalar(x, axes if rank(x) else "", column) for x in op.operands]
                return elementwise(self.body, op, operands, element(op.operands[-1]))

    def _input(
        self, value: ir.Value, array: Array, lead: str | None, axes: str, column: int
    ) -> str:
        """The scalar of what there is in an array, or in one row of it."""
        key = (value, column)
        if key not in self.inputs:
            kind, batch = Array("", (), array.element), self.step.batch
            starts, sizes = ([], []) if lead is None else ([lead], [1])
            if "b" in axes:
                kind.shape += (batch,) if batch > 1 else ()
                starts, sizes = [*starts, "0"], [*sizes, batch]
            if len(array.shape) == 4:  # written for every gate
                starts, sizes = [*starts, "0"], [*sizes, 1]
            if "u" in axes:
                kind.shape += (self.group.unit,)
                starts, sizes = [*starts, str(column)], [*sizes, self.group.unit]
            if not kind.shape:  # of the only row
                index = self.region.index(0)
                return self.region(f"tensor.extract {array.name}[{index}] : {array.type}")
            kind.name = self.region(
                f"tensor.extract_slice {array.name}{span(starts, sizes)} : "
                f"{array.type} to {kind.type}"
            )
            on = ", ".join(axis for axis in axes if axis in self.axes)
            self.inputs[key] = (kind, on, self.region.name())
        return self.inputs[key][-1]

"""Traces the values of a step back to the arrays it reads, and emits code for them.

Each value that a step writes is traced back through the step: a slice moves the column, a
concatenation selects an operand, a broadcast drops an axis; products, states and rows of arrays
are read. So every value is computed once, without intermediate arrays.

How an element is read depends on the processor. `Walk` leaves that to its subclasses, one for
the tiles of a CPU (`cpu.fused_loop.steps`), one for the elements of a GPU's dispatch
(`gpu.pinned_loop`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rnn_compiler.lowering.analysis.time_loop import TimeLoop
from rnn_compiler.lowering.analysis.values import (
    defining,
    element,
    ints,
    is_constant,
    kind,
    operand_at,
    rank,
    row_number,
    starts,
)
from rnn_compiler.lowering.codegen.body import Array, Body, Index, Number
from rnn_compiler.lowering.codegen.elementwise import cast, elementwise, splat
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.refused import Refused

Coordinate: TypeAlias = tuple[str, int]
"""A position along an axis: ("row", 0), or ("column", offset from the tile's start)."""

Position: TypeAlias = tuple[Coordinate, ...]
"""The position of a number in a value."""

Lead: TypeAlias = Literal["time", "current", "next"]
"""Which row of an array's first axis a step uses:

    time        of an output or a sequence: the row of the step's time
    current     of a state's ring (`StateRing`): the row with the state before the step
    next        of a ring: the row that the step writes
"""


@dataclass(frozen=True)
class Write:
    """A value that a step stores, and its destination.

    Attributes:
        value: The value, ``[B, W]``.
        lead: The row of the array's first axis.
        state: The state that a row keeps past its end; None if it is 0 there.
    """

    value: ir.Value
    array: str
    lead: Lead
    column: int = 0
    state: ir.Value | None = None

    @property
    def is_output(self) -> bool:
        """Whether the array is an output of the loop, with a row for each time."""
        return self.lead == "time"


@dataclass
class StepContext:
    """The context of a step.

    Attributes:
        arrays: The arrays that steps write to, by key.
        rows: The array of each left-hand side of a product, and the row of its first axis.
        leads: The index of each `Lead` in the current step.
        length: The maximum number of steps; 0 where it is not needed.
        batch: The batch size; 0 where it is not needed.
        lengths: The number of steps of each row, if padding is computed too.
    """

    loop: TimeLoop
    body: Body
    arguments: dict[ir.Value, Array]
    arrays: dict[str, Array]
    states: Mapping[ir.Value, str]
    rows: Mapping[ir.Value, tuple[str, Lead]]
    leads: dict[Lead, Index] = field(default_factory=dict[Lead, Index])
    scalars: dict[ir.Value, Number] = field(default_factory=dict[ir.Value, Number])
    length: Index = 0
    batch: Index = 0
    lengths: ir.Value | None = None

    def begin(self, number: Number, leads: Mapping[Lead, Index]) -> None:
        """Begins a step: drops the scalars of the previous one, and emits its own."""
        loop = self.loop
        self.scalars = {
            value: self.scalars[value] for value in loop.arguments if value in self.scalars
        }
        row = self.scalars[loop.arguments[0]] - number - 1 if loop.reverse else number
        self.leads = dict(leads)
        if loop.outputs:
            self.leads["time"] = self.row_index(row, self.length)
        self.scalars[loop.time] = row if loop.start is None else row + self.scalars[loop.start]
        for value in loop.scalars():
            self.scalar(value)

    def lhs(self, value: ir.Value) -> tuple[Array, Index]:
        """The array of a left-hand side of products, and the row of its first axis to read."""
        if value not in self.rows:  # an argument with a row for each time
            return self.arguments[value], self.leads["time"]
        key, lead = self.rows[value]
        return self.arrays[key], self.leads[lead]

    def scalar(self, value: ir.Value) -> Number:
        """A scalar of the step, which is emitted where it is first needed."""
        if value not in self.scalars:
            op = defining(value)
            with self.body.located(op.location):
                if op.name == "stablehlo.constant":
                    self.scalars[value] = splat(self.body, op)
                elif op.name == "stablehlo.get_dimension_size":
                    axis = ir.IntegerAttr(op.attributes["dimension"]).value
                    size = self.arguments[op.operands[0]].shape[axis]
                    self.scalars[value] = self.body.index(size).to_integer("i32")
                elif kind(op) == "broadcast_in_dim":  # the broadcast of a scalar is the scalar
                    self.scalars[value] = self.scalar(op.operands[0])
                else:
                    operands = [self.scalar(operand) for operand in op.operands]
                    self.scalars[value] = elementwise(self.body, op, operands)
        return self.scalars[value]

    def row_index(self, number: Number, length: Index) -> Number:
        """The index of a row, clamped to the array as `dynamic_slice` does."""
        body = self.body
        index, end = cast(body, number, "i64"), length - 1
        zero = body.constant(0, "i64")
        last = body.integer(end, "i64")
        return index.at_least(zero).at_most(last).to_index()


class Walk(ABC):
    """Emits values of a step, one number (0 lanes) or one vector at a time."""

    def __init__(self, step: StepContext, body: Body, lanes: int = 0) -> None:
        self.step, self.body, self.lanes = step, body, lanes
        self._known: dict[tuple[ir.Value, Position], Number] = {}
        self._written: dict[tuple[ir.Value, ir.Value | None, Position], Number] = {}
        self._has_step: Number | None = None

    @abstractmethod
    def read(self, value: ir.Value, array: Array, lead: Index | None, at: Position) -> Number:
        """The numbers of a value, from position `at` in it, of an array or of its row `lead`."""

    @abstractmethod
    def product(self, value: ir.Value, at: Position) -> Number:
        """The numbers of a product."""

    @abstractmethod
    def scalar(self, number: Number) -> Number:
        """A scalar, broadcast to the lanes computed at once."""

    def emit(self, value: ir.Value, at: Position) -> Number:
        """The numbers of a value of the step at a position."""
        if (value, at) not in self._known:
            self._known[value, at] = self._compute(value, at)
        return self._known[value, at]

    def written(self, write: Write, at: Position) -> Number:
        """The numbers to write; past the end of a row, its state or 0."""
        lengths, key = self.step.lengths, (write.value, write.state, at)
        if lengths is None:
            return self.emit(write.value, at)
        if key not in self._written:
            if self._has_step is None:
                length, time = self.emit(lengths, (("row", 0),)), self.emit(self.step.loop.time, ())
                self._has_step = self.body.compare("sgt", length, time)
            new = self.emit(write.value, at)
            if write.state is None:
                before = self.body.constant(0, new.element, new.lanes)
            else:
                before = self.emit(write.state, at)
            self._written[key] = self.body.select(self._has_step, new, before)
        return self._written[key]

    def _compute(self, value: ir.Value, at: Position) -> Number:
        step = self.step
        if not at and not is_constant(value):
            return self.scalar(step.scalars[value])
        if value in step.states:
            ring = step.arrays[step.states[value]]
            before = self.read(value, ring, step.leads["current"], at)
            return cast(self.body, before, element(value))
        if value in step.arguments:
            return self.read(value, step.arguments[value], None, at)
        if value in step.loop.products:
            return self.product(value, at)
        op = defining(value)
        with self.body.located(op.location):
            return self._made(value, op, at)

    def _made(self, value: ir.Value, op: ir.Operation, at: Position) -> Number:
        match kind(op):
            case "constant":
                return splat(self.body, op, self.lanes)
            case "broadcast_in_dim":
                axes = ints(op, "broadcast_dimensions")
                return self.emit(op.operands[0], tuple(at[axis] for axis in axes))
            case "slice":
                return self.emit(op.operands[0], _moved(at, starts(op)))
            case "concatenate":
                operand, column = operand_at(op, at[1][1])
                return self.emit(operand, (at[0], ("column", column)))
            case "reshape":
                row, arguments = defining(op.operands[0]), self.step.arguments
                if kind(row) != "dynamic_slice" or row.operands[0] not in arguments:
                    raise Refused("a reshape in a step")
                array = arguments[row.operands[0]]
                lead = self.step.row_index(self.step.scalar(row_number(row)), array.shape[0])
                return self.read(value, array, lead, at)
            case _:
                operands = [self.emit(x, at if rank(x) else ()) for x in op.operands]
                return elementwise(self.body, op, operands)


def _moved(at: Position, starts: list[int]) -> Position:
    """Maps a position in a slice to one in the sliced value."""
    for (axis, _), start in zip(at, starts, strict=True):
        if axis == "row" and start:
            raise Refused("a slice of rows in a step")
    return tuple((axis, n + start) for (axis, n), start in zip(at, starts, strict=True))

"""One tile of one step of a recurrence: some rows and units of everything one level computes.

A tile is a matrix product for each left-hand side, and the step's arithmetic on its rows, as many
columns at a time as fill two registers, in vectors. To find that, each value that the tile has to
write is followed back through the step (`recurrence.Recurrence`), vector by vector: a slice moves
the column, a concatenation chooses the operand, a broadcast drops an axis; products, states and
rows of arrays are read. So whatever the step computes is computed once, without an array in
between.

Vectors are read and written one after the other, where they belong. As a `linalg.generic` of many
results the same would not stay in place: IREE 3.13 makes copies of all but one of those that are
parts of one array (the gates), and of a state that is read too, number by number (a fifth of the
time of a step of 64 rows of 512 units).
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence
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
    width,
)
from rnn_compiler.lowering.cpu.turns import share
from rnn_compiler.lowering.kernel.arithmetic import cast, elementwise, row_index, scalar, splat
from rnn_compiler.lowering.kernel.body import Array, Text, tile_matmul, vector
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["Panels", "Stage", "Step", "StepTile", "Units", "Write"]


@dataclass(frozen=True)
class Write:
    """Something a step computes, and where it goes.

    Attributes:
        value: What, ``[B, W]``.
        array: Key of the array.
        lead: Which row of the array's first axis: "time", "current" or "next".
    """

    value: ir.Value
    array: str
    lead: str


@dataclass
class Panels:
    """The weights of all products of a stage with one left-hand side.

    Attributes:
        lhs: The left-hand side, ``[B, K]``.
        columns: The products and, for each, the column at which what is needed of it begins.
        packed: ``[N/P, K, G*P]`` or ``[G, N/P, K, P]``; ``[K, G*N]`` if there is a single panel.
    """

    lhs: ir.Value
    columns: list[tuple[ir.Value, int]]
    packed: Array


@dataclass(frozen=True)
class Stage:
    """What one level computes for parts of one width.

    Attributes:
        writes: What it writes.
        panels: What it multiplies.
        unit: The width of the parts.
        panel: How many units make a panel.
    """

    writes: Sequence[Write]
    panels: Sequence[Panels]
    unit: int
    panel: int


@dataclass
class Step:
    """What there is during a step.

    Attributes:
        loop: The recurrence.
        text: Where ops go.
        vectors: The vector unit.
        arguments: The function's arguments.
        arrays: The arrays of the dispatch, by key.
        states: The keys of the states' arrays.
        lhs: The array of each left-hand side, and which row of its first axis.
        leads: The rows of first axes: "time", "current", "next".
        scalars: The step's scalars.
        batched: Whether arrays have a batch axis.
    """

    loop: Recurrence
    text: Text
    vectors: VectorUnit
    arguments: dict[ir.Value, Array] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
    states: dict[ir.Value, str] = field(default_factory=dict)
    lhs: dict[ir.Value, tuple[str, str]] = field(default_factory=dict)
    leads: dict[str, str] = field(default_factory=dict)
    scalars: dict[ir.Value, str] = field(default_factory=dict)
    batched: bool = True

    def scalar(self, value: ir.Value) -> str:
        """A scalar of the step, which is emitted where it is first needed."""
        return scalar(self.text, self.scalars, value)

    def row_index(self, value: ir.Value, length: int) -> str:
        """The index of a row, clamped to the array as `dynamic_slice` does."""
        return row_index(self.text, self.scalars, value, length)


@dataclass(frozen=True)
class Units:
    """The units of one panel.

    Attributes:
        start: Its first unit, a number or a name.
        count: How many units of it there are.
        panel: The panel's number; None if it is the only one.
    """

    start: str
    count: int
    panel: str | None


Coordinate = tuple[str, int]
"""Where along an axis a number is: ("row", 0), or ("column", offset) from the panel's start."""


class StepTile:
    """Emits tiles of a stage.

    Args:
        step: The step.
        stage: The stage.
        units: The units of the tiles.
        rows: How many rows a tile has.
    """

    def __init__(self, step: Step, stage: Stage, units: Units, rows: int) -> None:
        self.step, self.stage, self.units, self.rows = step, stage, units, rows
        self.text, self.loop = step.text, step.loop
        vectors, count = step.vectors, units.count
        self.lanes = count if count <= vectors.width("f32") else vectors.columns(count, "f32")

    def emit(self, first: str) -> None:
        """Emits the tile that begins at a row of the dispatch's arrays."""
        step, text = self.step, self.text
        self.products = dict(
            pair for panels in self.stage.panels for pair in self._multiply(panels, first)
        )
        written = dict.fromkeys(write.array for write in self.stage.writes)
        carried = [step.arrays[key] for key in written]

        def row(number: str) -> None:
            self.row, self.tile_row = text.plus(first, number), number
            share(text, self.units.count // self.lanes, 1, "0", carried, self._vectors)

        share(text, self.rows, 1, "0", carried, row)

    def _vectors(self, number: str) -> None:
        """Emits what is made of one row and as many columns as a vector has lanes."""
        step = self.step
        self.column = self.text.times(number, self.lanes)
        self.known: dict[tuple[ir.Value, tuple[Coordinate, ...]], str] = {}
        pieces = [
            (write, column)
            for write in self.stage.writes
            for column in range(0, width(write.value), self.stage.unit)
        ]
        values = [
            self._cast(
                self._vector(write.value, (("row", 0), ("column", column))),
                element(write.value),
                step.arrays[write.array].element,
            )
            for write, column in pieces
        ]
        for (write, column), value in zip(pieces, values, strict=True):
            place = self._place(step.leads[write.lead], column)
            self.text.write(value, self.lanes, step.arrays[write.array], place)

    # Products.

    def _multiply(
        self, panels: Panels, first: str
    ) -> list[tuple[tuple[ir.Value, int], tuple[Array, int]]]:
        """Emits the product of these rows with this panel.

        Returns:
            For every column the product that it is in, and where in it it begins.
        """
        step, text = self.step, self.text
        key, lead = step.lhs[panels.lhs]
        source, packed = step.arrays[key], panels.packed
        inner, size = packed.shape[-2:]
        rows = [self.rows] if step.batched else []
        starts = [step.leads[lead], *([first] if step.batched else []), "0"]
        lhs = text.extract(source, starts, (*rows, inner))
        gates = [[str(number)] for number in range(len(panels.columns))]
        apart = 0
        if len(packed.shape) < 4:
            gates, apart = [[]], size // len(panels.columns)
        products: list[Array] = []
        for gate in gates:
            weight = Array(packed.name, (inner, size), packed.element)
            if self.units.panel is not None:
                weight = text.extract(packed, [*gate, self.units.panel, "0", "0"], (inner, size))
            products.append(tile_matmul(text, step.vectors, lhs, weight))
        return [
            (column, (products[number % len(products)], number * apart))
            for number, column in enumerate(panels.columns)
        ]

    # Places.

    def _place(self, lead: str | None, column: int) -> list[str]:
        """Where in an array the vector begins."""
        leads = [] if lead is None else [lead]
        rows = [self.row] if self.step.batched else []
        return [*leads, *rows, self._column(column)]

    def _column(self, column: int) -> str:
        """Where in a row of an array the vector begins."""
        return self.text.plus(self.units.start, self.text.add(self.column, column))

    # Values.

    def _cast(self, value: str, source: str, target: str) -> str:
        return cast(self.text, value, source, target, self.lanes)

    def _broadcast(self, number: str, element: str) -> str:
        """A vector of one number."""
        return self.text(f"vector.broadcast {number} : {element} to {vector(self.lanes, element)}")

    def _vector(self, value: ir.Value, at: tuple[Coordinate, ...]) -> str:
        """The vector of a value of the step at some place of the tile."""
        if (value, at) not in self.known:
            self.known[value, at] = self._compute(value, at)
        return self.known[value, at]

    def _compute(self, value: ir.Value, at: tuple[Coordinate, ...]) -> str:
        step, text = self.step, self.text
        if not at and not is_constant(value):
            return self._broadcast(step.scalars[value], element(value))
        if value in step.states:
            array = step.arrays[step.states[value]]
            before = text.read(array, self._place(step.leads["current"], at[1][1]), self.lanes)
            return self._cast(before, array.element, element(value))
        if value in step.arguments:
            return self._element_of(step.arguments[value], None, at)
        if value in self.loop.products:
            product, start = self.products[value, at[1][1]]
            rows = [self.tile_row] if step.batched else []
            return text.read(product, [*rows, text.add(self.column, start)], self.lanes)
        op = defining(value)
        match op.name.removeprefix("stablehlo."):
            case "constant":
                return splat(text, op, element(value), self.lanes)
            case "convert":
                source = op.operands[0]
                return self._cast(self._vector(source, at), element(source), element(value))
            case "broadcast_in_dim":
                axes = ints(op, "broadcast_dimensions")
                return self._vector(op.operands[0], tuple(at[axis] for axis in axes))
            case "slice":
                starts = ints(op, "start_indices")
                moved = tuple((kind, n + m) for (kind, n), m in zip(at, starts, strict=True))
                return self._vector(op.operands[0], moved)
            case "concatenate":
                operand, column = part_of(op, at[1][1])
                return self._vector(operand, (at[0], ("column", column)))
            case "reshape":
                row = defining(op.operands[0])
                if row.name != "stablehlo.dynamic_slice" or row.operands[0] not in step.arguments:
                    raise NotARecurrence("a reshape in a step")
                source, time = step.arguments[row.operands[0]], row.operands[1]
                return self._element_of(source, step.row_index(time, source.shape[0]), at)
            case _:
                operands = [self._vector(x, at if rank(x) else ()) for x in op.operands]
                return elementwise(text, op, operands, element(op.operands[-1]), self.lanes)

    def _element_of(self, array: Array, lead: str | None, at: tuple[Coordinate, ...]) -> str:
        """The vector of an argument of the function, or of one row of it."""
        text, leads = self.text, [] if lead is None else [lead]
        if len(at) == 2:
            return text.read(array, self._place(lead, at[1][1]), self.lanes)
        if at[0][0] == "column":
            return text.read(array, [*leads, self._column(at[0][1])], self.lanes)
        places = ", ".join(text.indices([*leads, self.row]))
        number = text(f"tensor.extract {array.name}[{places}] : {array.type}")
        return self._broadcast(number, array.element)

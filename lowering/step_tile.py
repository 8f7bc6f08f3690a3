"""One tile of one step of a recurrence: some rows and units of everything one level computes.

A tile is a matrix product for each left-hand side, and one `linalg.generic` whose body is the
step's arithmetic on scalars. To find that, each value that the tile has to write is followed back
through the step (`recurrence.Recurrence`), scalar by scalar: a slice moves the column, a
concatenation chooses the operand, a broadcast drops an axis; products, states and rows of arrays
are inputs. So whatever the step computes is computed once a scalar, without an array in between.

A tile of a single row is handled as one of rank 1.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.dispatch import (
    Array,
    Text,
    lowering_config,
    span,
    tile_matmul,
)
from rnn_compiler.lowering.hlo import ir
from rnn_compiler.lowering.recurrence import (
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
from rnn_compiler.lowering.scalars import cast, elementwise, row_index, scalar, splat
from rnn_compiler.lowering.vectors import VectorUnit

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
"""Where along an axis a scalar is: ("row", 0), or ("column", offset) from the panel's start."""


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
        self.axes = "d0, d1" if rows > 1 else "d0"

    def emit(self, first: str) -> None:
        """Emits the tile that begins at a row of the dispatch's arrays."""
        step, text = self.step, self.text
        self.first = first
        self.body = Text(text)
        self.inputs: dict[object, tuple[str, str, str, str]] = {}
        self.known: dict[tuple[ir.Value, tuple[Coordinate, ...]], str] = {}
        self.products = dict(
            pair for panels in self.stage.panels for pair in self._multiply(panels)
        )
        pieces = [
            (write, column)
            for write in self.stage.writes
            for column in range(0, width(write.value), self.stage.unit)
        ]
        targets: list[Array] = []
        results: list[str] = []
        for write, column in pieces:
            array = step.arrays[write.array]
            starts, sizes = self._place(step.leads[write.lead], column, self.first)
            tile = self._tile(array.element)
            tile.name = text(
                f"tensor.extract_slice {array.name}{span(starts, sizes)} : "
                f"{array.type} to {tile.type}"
            )
            targets.append(tile)
            value = self._scalar(write.value, (("row", 0), ("column", column)))
            results.append(cast(self.body, value, element(write.value), array.element))
        generic = self._generic(targets, results)
        for number, (write, column) in enumerate(pieces):
            array = step.arrays[write.array]
            starts, sizes = self._place(step.leads[write.lead], column, self.first)
            array.name = text(
                f"tensor.insert_slice {generic}#{number} into {array.name}{span(starts, sizes)} : "
                f"{targets[number].type} into {array.type}"
            )

    def _generic(self, targets: Sequence[Array], results: Sequence[str]) -> str:
        """Emits the `linalg.generic`; gives its name."""
        text, units, count = self.text, self.units.count, len(targets)
        tiles = [f"affine_map<({self.axes}) -> ({axes})>" for _, _, axes, _ in self.inputs.values()]
        tiles += [f"affine_map<({self.axes}) -> ({self.axes})>"] * count
        vectors = self.step.vectors
        columns = units if units <= vectors.width("f32") else vectors.columns(units, "f32")
        tile = [1, columns] if self.rows > 1 else [columns]
        config = lowering_config(tile, [0] * len(tile))
        iterators = ", ".join(['"parallel"'] * (1 + (self.rows > 1)))
        ins = ", ".join(name for name, _, _, _ in self.inputs.values())
        kinds = ", ".join(kind for _, kind, _, _ in self.inputs.values())
        outs = ", ".join(target.name for target in targets)
        types = ", ".join(target.type for target in targets)
        scalars = [
            f"{scalar}: {kind.rstrip('>').replace('<', 'x').split('x')[-1]}"
            for _, kind, _, scalar in self.inputs.values()
        ]
        scalars += [f"{text.name()}: {target.element}" for target in targets]
        name = text.name()
        text.lines.append(
            f"{name}:{count} = linalg.generic {{indexing_maps = [{', '.join(tiles)}], "
            f"iterator_types = [{iterators}], lowering_config = {config}}} "
            + (f"ins({ins} : {kinds}) " if ins else "")
            + f"outs({outs} : {types}) {{\n^bb0({', '.join(scalars)}):"
        )
        text.lines += self.body.lines
        elements = ", ".join(target.element for target in targets)
        text.lines.append(f"linalg.yield {', '.join(results)} : {elements}\n}} -> ({types})")
        return name

    # Products.

    def _multiply(self, panels: Panels) -> list[tuple[tuple[ir.Value, int], str]]:
        """Emits the product of these rows with this panel; gives the part for every column."""
        step, text = self.step, self.text
        key, lead = step.lhs[panels.lhs]
        source, packed = step.arrays[key], panels.packed
        inner, size = packed.shape[-2:]
        lhs = Array("", (self.rows, inner) if self.rows > 1 else (inner,), packed.element)
        starts = [step.leads[lead], *([self.first] if step.batched else []), "0"]
        sizes = [1, *([self.rows] if step.batched else []), inner]
        lhs.name = text(
            f"tensor.extract_slice {source.name}{span(starts, sizes)} : {source.type} to {lhs.type}"
        )
        if len(packed.shape) == 4:
            gates, apart = [[str(number)] for number in range(len(panels.columns))], 0
        else:
            gates, apart = [[]], size // len(panels.columns)
        products: list[Array] = []
        for gate in gates:
            weight = Array(packed.name, (inner, size), packed.element)
            if self.units.panel is not None:
                where = span(
                    [*gate, self.units.panel, "0", "0"], (*[1] * len(gate), 1, inner, size)
                )
                weight.name = text(
                    f"tensor.extract_slice {packed.name}{where} : {packed.type} to {weight.type}"
                )
            products.append(tile_matmul(text, step.vectors, lhs, weight))
        tile = self._tile(packed.element)
        parts: list[tuple[tuple[ir.Value, int], str]] = []
        for number, column in enumerate(panels.columns):
            product, offset = products[number % len(products)], str(number * apart)
            where = span([*["0"] * (self.rows > 1), offset], tile.shape)
            part = text(
                f"tensor.extract_slice {product.name}{where} : {product.type} to {tile.type}"
            )
            parts.append((column, part))
        return parts

    # Places.

    def _tile(self, of: str) -> Array:
        shape = (self.rows, self.units.count) if self.rows > 1 else (self.units.count,)
        return Array("", shape, of)

    def _place(self, lead: str | None, column: int, first: str) -> tuple[list[str], list[int]]:
        """Where the tile is in an array: starts and sizes."""
        leads = [] if lead is None else [lead]
        rows = [first] if self.step.batched else []
        starts = [*leads, *rows, self.text.add(self.units.start, column)]
        return starts, [*[1] * len(leads), *([self.rows] * len(rows)), self.units.count]

    # Scalars.

    def _input(self, key: object, kind: Array, axes: str, tile: Callable[[], str]) -> str:
        """A scalar of an input of the generic."""
        if key not in self.inputs:
            self.inputs[key] = (tile(), kind.type, axes, self.text.name())
        return self.inputs[key][-1]

    def _scalar(self, value: ir.Value, at: tuple[Coordinate, ...]) -> str:
        """The scalar of a value of the step at some place of the tile."""
        if (value, at) not in self.known:
            self.known[value, at] = self._compute(value, at)
        return self.known[value, at]

    def _compute(self, value: ir.Value, at: tuple[Coordinate, ...]) -> str:
        step = self.step
        if not at and not is_constant(value):
            return step.scalars[value]
        if value in step.states:
            return self._state(value, at[1][1])
        if value in step.arguments:
            return self._element_of(value, None, None, at)
        if value in self.loop.products:
            part = self.products[value, at[1][1]]
            return self._input((value, at), self._tile(element(value)), self.axes, lambda: part)
        op = defining(value)
        match op.name.removeprefix("stablehlo."):
            case "constant":
                return splat(self.body, op, element(value))
            case "convert":
                source = op.operands[0]
                return cast(self.body, self._scalar(source, at), element(source), element(value))
            case "broadcast_in_dim":
                axes = ints(op, "broadcast_dimensions")
                return self._scalar(op.operands[0], tuple(at[axis] for axis in axes))
            case "slice":
                starts = ints(op, "start_indices")
                moved = tuple((kind, n + m) for (kind, n), m in zip(at, starts, strict=True))
                return self._scalar(op.operands[0], moved)
            case "concatenate":
                operand, column = part_of(op, at[1][1])
                return self._scalar(operand, (at[0], ("column", column)))
            case "reshape":
                row = defining(op.operands[0])
                if row.name != "stablehlo.dynamic_slice" or row.operands[0] not in step.arguments:
                    raise NotARecurrence("a reshape in a step")
                source, time = row.operands[0], row.operands[1]
                lead = step.row_index(time, step.arguments[source].shape[0])
                return self._element_of(source, time, lead, at)
            case _:
                operands = [self._scalar(x, at if rank(x) else ()) for x in op.operands]
                return elementwise(self.body, op, operands, element(op.operands[-1]))

    def _state(self, value: ir.Value, column: int) -> str:
        """A scalar of a state before the step."""
        array, lead = self.step.arrays[self.step.states[value]], self.step.leads["current"]
        kind = self._tile(array.element)

        def tile() -> str:
            where = span(*self._place(lead, column, self.first))
            return self.text(
                f"tensor.extract_slice {array.name}{where} : {array.type} to {kind.type}"
            )

        scalar = self._input((value, column), kind, self.axes, tile)
        return cast(self.body, scalar, array.element, element(value))

    def _element_of(
        self, value: ir.Value, time: ir.Value | None, lead: str | None, at: tuple[Coordinate, ...]
    ) -> str:
        """A scalar of an argument of the function, or of one row of it."""
        array, text = self.step.arguments[value], self.text
        leads = [] if lead is None else [lead]
        if len(at) == 2:
            kind, axes = self._tile(array.element), self.axes
            starts, sizes = self._place(lead, at[1][1], self.first)
        elif at[0][0] == "column":
            kind, axes = Array("", (self.units.count,), array.element), self.axes.split(", ")[-1]
            starts = [*leads, text.add(self.units.start, at[0][1])]
            sizes = [*[1] * len(leads), self.units.count]
        elif self.rows > 1:
            kind, axes = Array("", (self.rows,), array.element), "d0"
            starts, sizes = [*leads, self.first], [*[1] * len(leads), self.rows]
        else:  # one number for the whole tile
            row = self.first
            row = text.index(int(row)) if row.isdigit() else row
            return text(f"tensor.extract {array.name}[{', '.join([*leads, row])}] : {array.type}")

        def tile() -> str:
            where = span(starts, sizes)
            return text(f"tensor.extract_slice {array.name}{where} : {array.type} to {kind.type}")

        return self._input((value, time, at), kind, axes, tile)

"""Gives every time loop a decomposition that IREE compiles to a single dispatch on the CPU.

Matches the `stablehlo.composite` ops that `time_loop` makes and replaces the function each names as
its decomposition; the composite itself, and everything else, stays. A loop that is not of the known
form (`recurrence.NotARecurrence`) keeps its plain decomposition.

The new function holds one `flow.dispatch.region` around the loop over time. It reads the number of
steps at run time, keeps all state in place, and works in panels: P units (columns) of every gate at
once, for a block of rows,

    for t in 0..n-1:
      for level in the step's levels:                      # see recurrence.py
        for panel, for block of rows:
          product[rows, G*P] = lhs[rows, K] @ packed[panel][K, G*P]     # linalg.matmul
          one linalg.generic: every scalar of the step for these rows and units
    rows n.. of the outputs = 0

so that what leaves registers is a tile of products (some KiB of stack) and what the step has to
write. Weights are packed into panels ``[N/P, K, G*P]`` once per call, outside the region.

A state is a ring of two rows ``[2, B, N]``: step k reads row ``(n-k) % 2`` and writes the other, so
that the last is row 0, and no tile is written that another still has to read. A left-hand side that
a step computes is written to a scratch ring (or to the output that it is, if there is one). Since
nothing is read that the same level writes, the last block of rows may overlap the one before.

Arrays that nobody reads afterwards are still results of the region, held by
`util.optimization_barrier`: IREE would put them on the stack otherwise. States before the first
step go through such a barrier too: two that are the same zeros would share a buffer.

Arrays of one row (batch size 1) are handled without their batch axis, since IREE's folding of unit
axes does not get along with loops in a region; a loop with another unit axis is left as it is.

16-bit types: products run in the type they accumulate in; the state's copy is exact in it.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.dispatch import (
    Array,
    Text,
    divisor,
    lowering_config,
    pack,
    span,
    tensor,
    tile_matmul,
)
from rnn_compiler.lowering.hlo import ir
from rnn_compiler.lowering.recurrence import (
    ELEMENTWISE,
    NotARecurrence,
    Output,
    Product,
    Recurrence,
    State,
    defining,
    ints,
)
from rnn_compiler.lowering.scalars import cast, elementwise, splat
from rnn_compiler.lowering.vectors import VectorUnit

__all__ = ["fuse_time_loops"]


def fuse_time_loops(module: ir.Module, vectors: VectorUnit) -> None:
    """Replaces the decomposition of every time loop of a module that can be fused.

    Args:
        module: The module, changed in place.
        vectors: The vector unit of the target.
    """
    with module.context, ir.Location.unknown():
        for op in list(module.body.operations):
            text = _fused(op.operation, vectors)
            if text is not None:
                parsed = ir.Module.parse(text)
                parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint(op))
                op.operation.erase()


def _fused(function: ir.Operation, vectors: VectorUnit) -> str | None:
    """The text of a function in the place of a decomposition; None if it is not one to fuse."""
    if "sym_visibility" not in function.attributes:
        return None
    symbol = ir.StringAttr(function.attributes["sym_name"]).value
    try:
        return _Fusion(Recurrence.read(function), symbol, vectors).text()
    except NotARecurrence:
        return None


@dataclass(frozen=True)
class _Write:
    """Something a step computes and where it goes.

    Attributes:
        value: What, ``[B, W]``.
        array: Key of the array.
        lead: Index of the array's row of time, or of the ring's row; None if it has no such axis.
        level: The level at which it is computed.
        unit: Width of the parts it consists of.
    """

    value: ir.Value
    array: str
    lead: str
    level: int
    unit: int


@dataclass
class _Panels:
    """The weights of all products with one left-hand side at one level, packed."""

    lhs: ir.Value
    element: str
    inner: int
    columns: list[tuple[ir.Value, int]]
    packed: Array


class _Fusion:
    """Writes the function that takes the place of one decomposition."""

    def __init__(self, recurrence: Recurrence, symbol: str, vectors: VectorUnit) -> None:
        self.loop = recurrence
        self.symbol = symbol
        self.vectors = vectors
        self.emit = Text()
        self.batch = self._batch_size()
        self.arguments: dict[ir.Value, Array] = {}
        self.arrays: dict[str, Array] = {}
        self.states: dict[ir.Value, str] = {}
        self.step_scalars: dict[ir.Value, str] = {}

    # Shapes.

    def _batch_size(self) -> int:
        sizes = {ir.RankedTensorType(s.value.type).shape[0] for s in self.loop.states}
        if len(sizes) != 1 or any(len(output.shape) != 3 for output in self.loop.outputs):
            raise NotARecurrence("states of different batch sizes")
        for value in (*self.loop.arguments, *self.loop.roots()):
            kind = ir.RankedTensorType(value.type)
            shape = [kind.shape[axis] for axis in range(kind.rank)]
            if kind.rank > 1 and (shape[-1] == 1 or shape[0] == 1 != sizes.copy().pop()):
                raise NotARecurrence("a unit axis")
            if kind.rank == 3 and shape[0] == 1:
                raise NotARecurrence("a single step")
        return sizes.pop()

    def _without_batch(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A shape ``[..., B, N]`` without its batch axis if that is 1."""
        return (*shape[:-2], shape[-1]) if self.batch == 1 else tuple(shape)

    # The function.

    def text(self) -> str:
        emit = self.emit
        parameters: list[str] = []
        for number, value in enumerate(self.loop.arguments):
            parameters.append(f"%arg{number}: {value.type}")
            self.arguments[value] = self._argument(f"%arg{number}", value)
        self._plan()
        panels = [self._pack(group) for group in self._groups()]
        self.panels = panels
        self._region()
        results = self._results()
        names = ", ".join(name for name, _ in results)
        types = ", ".join(kind for _, kind in results)
        body = "\n".join([*emit.lines, f"return {names} : {types}"])
        return (
            f"func.func private @{_quoted(self.symbol)}({', '.join(parameters)}) -> ({types}) {{\n"
            f"{body}\n}}"
        )

    def _argument(self, name: str, value: ir.Value) -> Array:
        """An argument of the function as the region reads it."""
        kind = ir.RankedTensorType(value.type)
        shape, element = tuple(kind.shape), str(kind.element_type)
        weights = {product.weight for product in self.loop.products.values()}
        if self.batch > 1 or value in weights or kind.rank < 2 or shape[-2] != 1:
            return Array(name, shape, element)
        small = self._without_batch(shape)
        groups = "[[0, 1], [2]]" if kind.rank == 3 else "[[0, 1]]"
        text = f"tensor.collapse_shape {name} {groups} : {kind} into {tensor(small, element)}"
        return Array(self.emit(text), small, element)

    # What a step writes, and where.

    def _plan(self) -> None:
        """Decides on the arrays of the region and on what is written to them."""
        loop = self.loop
        self.writes: list[_Write] = []
        for number, output in enumerate(loop.outputs):
            key = f"output{number}"
            self.arrays[key] = Array("", self._without_batch(output.shape), output.element)
            self._write(output.row, key, "time")
        self.lhs: dict[ir.Value, tuple[str, str]] = {}
        for product in loop.products.values():
            if loop.is_computed(product) and product.lhs not in self.lhs:
                self.lhs[product.lhs] = self._scratch(product)
        for number, state in enumerate(loop.states):
            key = f"state{number}"
            kind = ir.RankedTensorType(state.value.type)
            shape, element = self._without_batch(kind.shape), str(kind.element_type)
            readers = [p for p in loop.products.values() if p.lhs == state.value]
            if readers:
                element = _element(readers[0].value)
                self.lhs[state.value] = (key, "current")
            self.arrays[key] = Array("", (2, *shape), element)
            self.states[state.value] = key
            self._write(state.next, key, "next")

    def _write(self, value: ir.Value, key: str, lead: str) -> None:
        unit = _unit(value)
        self.writes.append(_Write(value, key, lead, self.loop.level(value), unit))

    def _scratch(self, product: Product) -> tuple[str, str]:
        """Where the left-hand side of a product is, which the step computes."""
        element = _element(product.value)
        for number, output in enumerate(self.loop.outputs):
            if output.row == product.lhs and output.element == element:
                return f"output{number}", "time"
        key = f"scratch{len(self.arrays)}"
        shape = self._without_batch(ir.RankedTensorType(product.lhs.type).shape)
        self.arrays[key] = Array("", (2, *shape), element)
        self._write(product.lhs, key, "next")
        return key, "next"

    # Weights.

    def _groups(self) -> list[tuple[int, ir.Value, list[tuple[ir.Value, int]]]]:
        """The columns of products that belong together: same level, unit and left-hand side."""
        groups: dict[tuple[int, int, ir.Value], list[tuple[ir.Value, int]]] = {}
        for write in self.writes:
            width = ir.RankedTensorType(write.value.type).shape[1]
            for start in range(0, width, write.unit):
                for product, column in _products(write.value, start, self.loop):
                    if self.loop.level(product) != write.level:
                        raise NotARecurrence("a product is needed at a later level")
                    key = (write.level, write.unit, self.loop.products[product].lhs)
                    columns = groups.setdefault(key, [])
                    if (product, column) not in columns:
                        columns.append((product, column))
        return [
            (unit, lhs, sorted(columns, key=lambda c: c[1]))
            for (_, unit, lhs), columns in groups.items()
        ]

    def _pack(self, group: tuple[int, ir.Value, list[tuple[ir.Value, int]]]) -> _Panels:
        """Emits the packing of a group's weights into panels ``[N/P, K, G*P]``."""
        unit, lhs, columns = group
        emit, gates = self.emit, len(columns)
        products = [self.loop.products[value] for value, _ in columns]
        transposed = {product.transposed for product in products}
        if len(transposed) != 1:
            raise NotARecurrence("products of mixed orientation")
        axis = 0 if transposed.pop() else 1
        blocks: list[str] = []
        weight = self.arguments[products[0].weight]
        inner = weight.shape[1 - axis]
        whole = [column for _, column in columns] == list(range(0, weight.shape[axis], unit))
        if whole and len({product.weight for product in products}) == 1:
            name = weight.name
        else:
            for product, (_, column) in zip(products, columns, strict=True):
                source = self.arguments[product.weight]
                ranges = [f"0:{inner}", f"0:{inner}"]
                ranges[axis] = f"{column}:{column + unit}"
                kind = tensor(_oriented(inner, unit, axis), source.element)
                blocks.append(
                    emit(
                        f"stablehlo.slice {source.name} [{', '.join(ranges)}] : ({source.type}) -> {kind}"
                    )
                )
            kind = tensor(_oriented(inner, unit, axis), weight.element)
            total = tensor(_oriented(inner, gates * unit, axis), weight.element)
            name = (
                emit(
                    f"stablehlo.concatenate {', '.join(blocks)}, dim = {axis} : "
                    f"({', '.join([kind] * gates)}) -> {total}"
                )
                if gates > 1
                else blocks[0]
            )
        element = _element(columns[0][0])
        flat = _oriented(inner, gates * unit, axis)
        if element != weight.element:
            name = emit(
                f"stablehlo.convert {name} : ({tensor(flat, weight.element)}) -> {tensor(flat, element)}"
            )
        panel = self.vectors.panel(unit, gates, element)
        matrix = Array(name, flat, element)
        if panel < unit:
            return _Panels(lhs, element, inner, columns, pack(emit, matrix, axis, panel, gates))
        if axis == 0:
            matrix = Array("", (inner, gates * unit), element)
            matrix.name = emit(
                f"stablehlo.transpose {name}, dims = [1, 0] : ({tensor(flat, element)}) -> "
                f"{matrix.type}"
            )
        return _Panels(lhs, element, inner, columns, matrix)

    # The region.

    def _region(self) -> None:
        """Emits the dispatch."""
        emit = self.emit
        initial = [self._initial(state) for state in self.loop.states]
        keys = list(self.arrays)
        types = ", ".join(array.type for array in self.arrays.values())
        region = emit.name()
        emit.lines.append(f"{region}:{len(keys)} = flow.dispatch.region -> ({types}) {{")
        count = emit(f"tensor.extract %arg0[] : {self.loop.arguments[0].type}")
        self.count = emit(f"arith.index_cast {count} : i64 to index")
        self.step_scalars[self.loop.arguments[0]] = count
        self.constants = {value: emit.index(value) for value in (0, 1, 2)}
        self._initialize(initial)
        self._for("0", self.count, 1, keys, self._step)
        outputs = [key for key in keys if key.startswith("output")]
        self._for(self.count, str(self.loop.outputs[0].shape[0]), 1, outputs, self._zero_rows)
        values = ", ".join(array.name for array in self.arrays.values())
        emit.lines.append(f"flow.return {values} : {types}\n}}")
        for number, array in enumerate(self.arrays.values()):
            array.name = emit(f"util.optimization_barrier {region}#{number} : {array.type}")

    def _initial(self, state: State) -> Array:
        """The state before the first step, in the element type of the region's array."""
        source, element = (
            self.arguments[state.initial],
            self.arrays[self.states[state.value]].element,
        )
        wide, name = tensor(source.shape, element), source.name
        if source.element != element:
            name = self.emit(f"stablehlo.convert {name} : ({source.type}) -> {wide}")
        name = self.emit(f"util.optimization_barrier {name} : {wide}")
        return Array(name, source.shape, element)

    def _initialize(self, initial: Sequence[Array]) -> None:
        """Emits the arrays, and the states before the first step."""
        emit = self.emit
        for array in self.arrays.values():
            array.name = emit(f"tensor.empty() : {array.type}")
        parity = emit(f"arith.remui {self.count}, {self.constants[2]} : index")
        for state, source in zip(self.loop.states, initial, strict=True):
            array = self.arrays[self.states[state.value]]
            starts, sizes = [parity, *["0"] * len(source.shape)], (1, *source.shape)
            array.name = emit(
                f"tensor.insert_slice {source.name} into {array.name}{span(starts, sizes)} : "
                f"{source.type} into {array.type}"
            )

    def _for(
        self, low: str, high: str, step: int, keys: Sequence[str], body: Callable[[str], None]
    ) -> None:
        """Emits a loop that carries some of the arrays."""
        emit = self.emit
        bounds = [emit.index(int(text)) if text.isdigit() else text for text in (low, high)]
        stride = emit.index(step)
        before = [self.arrays[key].name for key in keys]
        types = ", ".join(self.arrays[key].type for key in keys)
        inside = [emit.name() for _ in keys]
        induction, result = emit.name(), emit.name()
        pairs = ", ".join(f"{new} = {old}" for new, old in zip(inside, before, strict=True))
        emit.lines.append(
            f"{result}:{len(keys)} = scf.for {induction} = {bounds[0]} to {bounds[1]} "
            f"step {stride} iter_args({pairs}) -> ({types}) {{"
        )
        for key, name in zip(keys, inside, strict=True):
            self.arrays[key].name = name
        body(induction)
        values = ", ".join(self.arrays[key].name for key in keys)
        emit.lines.append(f"scf.yield {values} : {types}\n}}")
        for number, key in enumerate(keys):
            self.arrays[key].name = f"{result}#{number}"

    def _zero_rows(self, time: str) -> None:
        """Emits zeros for one row of every output."""
        emit = self.emit
        for number, output in enumerate(self.loop.outputs):
            array = self.arrays[f"output{number}"]
            sizes = array.shape[1:]
            starts = [time, *["0"] * len(sizes)]
            row = emit(
                f"tensor.extract_slice {array.name}{span(starts, (1, *sizes))} : "
                f"{array.type} to {tensor(sizes, output.element)}"
            )
            zero = emit(f"arith.constant 0.0 : {output.element}")
            width = divisor(sizes[-1], self.vectors.width(output.element))
            config = lowering_config([1] * (len(sizes) - 1) + [width])
            kind = tensor(sizes, output.element)
            axes = ", ".join(f"d{axis}" for axis in range(len(sizes)))
            iterators = ", ".join(['"parallel"'] * len(sizes))
            filled = emit(
                f"linalg.generic {{indexing_maps = [affine_map<({axes}) -> ({axes})>], "
                f"iterator_types = [{iterators}], lowering_config = {config}}} "
                f"outs({row} : {kind}) {{\n^bb0({emit.name()}: {output.element}):\n"
                f"linalg.yield {zero} : {output.element}\n}} -> {kind}"
            )
            array.name = emit(
                f"tensor.insert_slice {filled} into {array.name}{span(starts, (1, *sizes))} : "
                f"{kind} into {array.type}"
            )

    # One step.

    def _step(self, number: str) -> None:
        emit = self.emit
        start = len(emit.lines)
        outer = dict(self.step_scalars)
        self.step_scalars[self.loop.counter] = emit(f"arith.index_cast {number} : index to i64")
        left = emit(f"arith.subi {self.count}, {number} : index")
        current = emit(f"arith.remui {left}, {self.constants[2]} : index")
        self.leads = {
            "current": current,
            "next": emit(f"arith.subi {self.constants[1]}, {current} : index"),
            "time": self._row_index(self.loop.outputs[0].time, self.loop.outputs[0].shape[0]),
        }
        del start
        self._step_values()
        stages = sorted({(write.level, write.unit) for write in self.writes})
        for level, unit in stages:
            writes = [w for w in self.writes if (w.level, w.unit) == (level, unit)]
            self._stage(writes, unit)
        self.step_scalars = outer

    def _step_values(self) -> None:
        """Emits every scalar of the step, so that the tiles can use them."""
        for root in self.loop.roots():
            for value in _walk(root, self.loop):
                if ir.RankedTensorType(value.type).rank == 0 and not _is_constant(value):
                    self._scalar(value)

    def _scalar(self, value: ir.Value) -> str:
        """A scalar of the step."""
        if value not in self.step_scalars:
            op = defining(value)
            element = _element(value)
            if op.name == "stablehlo.constant":
                self.step_scalars[value] = splat(self.emit, op, element)
            elif op.name == "stablehlo.convert":
                source = op.operands[0]
                self.step_scalars[value] = cast(
                    self.emit, self._scalar(source), _element(source), element
                )
            elif op.name in ELEMENTWISE:
                operands = [self._scalar(operand) for operand in op.operands]
                self.step_scalars[value] = elementwise(
                    self.emit, op, operands, _element(op.operands[-1])
                )
            else:
                raise NotARecurrence(f"{op.name} of a scalar")
        return self.step_scalars[value]

    def _row_index(self, value: ir.Value, length: int) -> str:
        """A row's index, clamped to the array as `dynamic_slice` does."""
        emit = self.emit
        last = emit(f"arith.constant {length - 1} : i64")
        zero = emit("arith.constant 0 : i64")
        low = emit(
            f"arith.maxsi {cast(emit, self._scalar(value), _element(value), 'i64')}, {zero} : i64"
        )
        return emit(f"arith.index_cast {emit(f'arith.minsi {low}, {last} : i64')} : i64 to index")

    def _stage(self, writes: Sequence[_Write], unit: int) -> None:
        """Emits what one level computes for parts of one width: all panels, all rows."""
        values = {write.value for write in writes}
        needed = {
            p
            for write in writes
            for s in range(0, _width(write.value), unit)
            for p in _products(write.value, s, self.loop)
        }
        del values
        panels = [p for p in self.panels if needed.intersection(p.columns)]
        element = panels[0].element if panels else "f32"
        pieces = sum(_width(write.value) // unit for write in writes)
        gates = max((len(p.columns) for p in panels), default=pieces)
        panel = self.vectors.panel(unit, gates, element)
        keys = list(dict.fromkeys(write.array for write in writes))

        size = self.vectors.row_block(self.batch)

        def rows_of(units: _Span) -> None:
            tile = _Stage(self, writes, panels, unit, panel, units, size)
            if size == self.batch:
                tile.emit("0")
            else:
                self._for(
                    "0", str(self.batch), size, keys, lambda row: tile.emit(self._block(row, size))
                )

        full, rest = divmod(unit, panel)
        if full == 1 and not rest:
            rows_of(_Span("0", panel, None))
        else:

            def body(start: str) -> None:
                number = self.emit(f"arith.divui {start}, {self.emit.index(panel)} : index")
                rows_of(_Span(start, panel, number))

            self._for("0", str(full * panel), panel, keys, body)
            if rest:
                rows_of(_Span(str(full * panel), rest, str(full)))

    def _block(self, row: str, size: int) -> str:
        """The first row of a block; the last overlaps the one before, and repeats its numbers."""
        if self.batch % size == 0:
            return row
        return self.emit(f"arith.minsi {row}, {self.emit.index(self.batch - size)} : index")

    # Results.

    def _results(self) -> list[tuple[str, str]]:
        """Emits the function's results from the region's; gives names and types."""
        results: list[tuple[str, str]] = []
        for number, output in enumerate(self.loop.outputs):
            array = self.arrays[f"output{number}"]
            results.append(self._restored(array, output))
        for state in self.loop.states:
            key = self.states[state.value]
            array = self.arrays[key]
            last = Array("", array.shape[1:], array.element)
            where = span(["0"] * len(array.shape), (1, *last.shape))
            last.name = self.emit(
                f"tensor.extract_slice {array.name}{where} : {array.type} to {last.type}"
            )
            results.append(self._restored(last, state))
        return results

    def _restored(self, array: Array, of: Output | State) -> tuple[str, str]:
        """A result in the shape and element type that the decomposition has."""
        name = array.name
        if isinstance(of, Output):
            shape, element = of.shape, of.element
        else:
            kind = ir.RankedTensorType(of.value.type)
            shape, element = tuple(kind.shape), str(kind.element_type)
        if array.element != element:
            name = self.emit(
                f"stablehlo.convert {name} : ({array.type}) -> {tensor(array.shape, element)}"
            )
        if array.shape != shape:
            groups = "[[0, 1], [2]]" if len(shape) == 3 else "[[0, 1]]"
            name = self.emit(
                f"tensor.expand_shape {name} {groups} output_shape {list(shape)} : "
                f"{tensor(array.shape, element)} into {tensor(shape, element)}"
            )
        return name, tensor(shape, element)


@dataclass(frozen=True)
class _Span:
    """The units of one panel.

    Attributes:
        start: Its first unit.
        width: How many units of it there are.
        number: The panel's number; None if it is the only one.
    """

    start: str
    width: int
    number: str | None


Coordinate = tuple[str, int]
"""Where along an axis a scalar is: ("row", 0), or ("column", offset) from the panel's start."""


@dataclass
class _Stage:
    """Emits one tile of a stage: the products and the `linalg.generic` of some rows and units."""

    fusion: _Fusion
    writes: Sequence[_Write]
    panels: Sequence[_Panels]
    unit: int
    panel: int
    units: _Span
    rows: int
    inputs: list[tuple[str, str, str]] = field(default_factory=list)

    def emit(self, first: str) -> None:
        """Emits the tile whose first row this is."""
        fusion, text = self.fusion, self.fusion.emit
        self.first, self.inputs = first, []
        self.body = Text(text)
        self.memo: dict[tuple[ir.Value, tuple[Coordinate, ...]], str] = {}
        self.leaves: dict[object, str] = {}
        self.products = {
            column: tile for panels in self.panels for column, tile in self._multiply(panels)
        }
        pieces = [
            (write, start)
            for write in self.writes
            for start in range(0, _width(write.value), self.unit)
        ]
        self.outputs: dict[tuple[str, int], tuple[str, str]] = {}
        targets: list[tuple[str, str]] = []
        for write, start in pieces:
            array = fusion.arrays[write.array]
            tile = self._tile(array, fusion.leads[write.lead], start, self.units.width)
            kind = self._tile_type(self.units.width, array.element)
            inside = text.name()
            targets.append((tile, kind))
            self.outputs[write.array, start] = (inside, array.element)
        results: list[str] = []
        for write, start in pieces:
            array = fusion.arrays[write.array]
            value = self._value(write.value, (("row", 0), ("column", start)))
            results.append(cast(self.body, value, _element(write.value), array.element))
        generic = self._generic(targets, results)
        for number, (write, start) in enumerate(pieces):
            array = fusion.arrays[write.array]
            starts, sizes = self._place(array, fusion.leads[write.lead], start, self.units.width)
            array.name = text(
                f"tensor.insert_slice {generic}#{number} into {array.name}{span(starts, sizes)} : "
                f"{targets[number][1]} into {array.type}"
            )

    def _generic(self, targets: Sequence[tuple[str, str]], results: Sequence[str]) -> str:
        text = self.fusion.emit
        axes = "d0, d1" if self.rows > 1 else "d0"
        everything = f"affine_map<({axes}) -> ({axes})>"
        maps = [f"affine_map<({axes}) -> ({m})>" for _, _, m in self.inputs]
        maps += [everything] * len(targets)
        widest = max(
            (self.fusion.vectors.width(kind.rstrip(">").split("x")[-1]) for _, kind in targets),
        )
        width = divisor(self.units.width, min(widest, self.fusion.vectors.width("f32")))
        if self.units.width <= self.fusion.vectors.width("f32"):
            width = self.units.width
        config = lowering_config([1] * (self.rows > 1) + [width])
        ins = ", ".join(name for name, _, _ in self.inputs)
        in_types = ", ".join(kind for _, kind, _ in self.inputs)
        outs = ", ".join(name for name, _ in targets)
        out_types = ", ".join(kind for _, kind in targets)
        iterators = ", ".join(['"parallel"'] * (2 if self.rows > 1 else 1))
        name = text.name()
        arguments = [
            f"{argument}: {kind.rstrip('>').split('x')[-1].removeprefix('tensor<')}"
            for argument, kind in [
                *zip(self.leaves.values(), (kind for _, kind, _ in self.inputs), strict=True),
                *((inside, element) for inside, element in self.outputs.values()),
            ]
        ]
        yielded = ", ".join(element for _, element in self.outputs.values())
        text.lines.append(
            f"{name}:{len(targets)} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{iterators}], lowering_config = {config}}} "
            + (f"ins({ins} : {in_types}) " if ins else "")
            + f"outs({outs} : {out_types}) {{\n^bb0({', '.join(arguments)}):"
        )
        text.lines += self.body.lines
        text.lines.append(f"linalg.yield {', '.join(results)} : {yielded}\n}} -> ({out_types})")
        return name

    # Tiles.

    def _tile_type(self, width: int, element: str) -> str:
        return tensor((self.rows, width) if self.rows > 1 else (width,), element)

    def _place(
        self, array: Array, lead: str | None, column: int, width: int
    ) -> tuple[list[str], list[int]]:
        """Where a tile is in an array: starts and sizes."""
        text = self.fusion.emit
        starts = [] if lead is None else [lead]
        sizes = [] if lead is None else [1]
        if self.fusion.batch > 1:
            starts.append(self.first)
            sizes.append(self.rows)
        start = self.units.start
        if column and start.isdigit():
            start = str(int(start) + column)
        elif column:
            start = text(f"arith.addi {start}, {text.index(column)} : index")
        return [*starts, start], [*sizes, width]

    def _tile(self, array: Array, lead: str | None, column: int, width: int) -> str:
        starts, sizes = self._place(array, lead, column, width)
        return self.fusion.emit(
            f"tensor.extract_slice {array.name}{span(starts, sizes)} : {array.type} to "
            f"{self._tile_type(width, array.element)}"
        )

    def _multiply(self, panels: _Panels) -> list[tuple[tuple[ir.Value, int], tuple[str, int]]]:
        """Emits the product of these rows with this panel; gives the place of every column."""
        fusion, text = self.fusion, self.fusion.emit
        key, lead_name = fusion.lhs[panels.lhs]
        source = fusion.arrays[key]
        inner, element = panels.inner, panels.element
        starts = [fusion.leads[lead_name], *([self.first] * (fusion.batch > 1)), "0"]
        sizes = [1, *([self.rows] * (fusion.batch > 1)), inner]
        lhs = Array("", (self.rows, inner) if self.rows > 1 else (inner,), element)
        lhs.name = text(
            f"tensor.extract_slice {source.name}{span(starts, sizes)} : {source.type} to {lhs.type}"
        )
        width = panels.packed.shape[-1]
        weight = Array(panels.packed.name, (inner, width), element)
        if self.units.number is not None:
            where = span([self.units.number, "0", "0"], (1, inner, width))
            weight.name = text(
                f"tensor.extract_slice {weight.name}{where} : {panels.packed.type} to {weight.type}"
            )
        product = tile_matmul(text, fusion.vectors, lhs, weight).name
        panel = width // len(panels.columns)
        return [
            (column, (self._part(product, number * panel, width, element), 0))
            for number, column in enumerate(panels.columns)
        ]

    def _part(self, product: str, column: int, width: int, element: str) -> str:
        starts = ["0"] * (self.rows > 1) + [str(column)]
        sizes = [self.rows] * (self.rows > 1) + [self.units.width]
        return self.fusion.emit(
            f"tensor.extract_slice {product}{span(starts, sizes)} : "
            f"{self._tile_type(width, element)} to {self._tile_type(self.units.width, element)}"
        )

    # Scalars.

    def _leaf(self, key: object, tile: Callable[[], str], kind: str, axes: str) -> str:
        """A scalar of an input of the generic."""
        if key not in self.leaves:
            self.inputs.append((tile(), kind, axes))
            self.leaves[key] = self.fusion.emit.name()
        return self.leaves[key]

    def _value(self, value: ir.Value, at: tuple[Coordinate, ...]) -> str:
        """The scalar of a value of the step at some place of the tile."""
        if (value, at) not in self.memo:
            self.memo[value, at] = self._compute(value, at)
        return self.memo[value, at]

    def _compute(self, value: ir.Value, at: tuple[Coordinate, ...]) -> str:
        fusion = self.fusion
        if not at and not _is_constant(value):
            return fusion.step_scalars[value]
        if value in fusion.states:
            return self._state(value, at[1][1])
        if value in fusion.arguments:
            return self._array(value, fusion.arguments[value], None, at)
        if value in fusion.loop.products:
            tile, _ = self.products[value, at[1][1]]
            kind = self._tile_type(self.units.width, _element(value))
            return self._leaf((value, at), lambda: tile, kind, self._all_axes())
        op = defining(value)
        match op.name.removeprefix("stablehlo."):
            case "constant":
                return splat(self.body, op, _element(value))
            case "convert":
                source = op.operands[0]
                return cast(self.body, self._value(source, at), _element(source), _element(value))
            case "broadcast_in_dim":
                axes = ints(op, "broadcast_dimensions")
                return self._value(op.operands[0], tuple(at[axis] for axis in axes))
            case "slice":
                starts = ints(op, "start_indices")
                moved = tuple(
                    (kind, offset + start) for (kind, offset), start in zip(at, starts, strict=True)
                )
                return self._value(op.operands[0], moved)
            case "concatenate":
                offset = at[1][1]
                for operand in op.operands:
                    if offset < _width(operand):
                        return self._value(operand, (at[0], ("column", offset)))
                    offset -= _width(operand)
                raise NotARecurrence("a part that crosses a concatenation")
            case "reshape":
                row = defining(op.operands[0])
                if row.name != "stablehlo.dynamic_slice" or row.operands[0] not in fusion.arguments:
                    raise NotARecurrence("a reshape in a step")
                source = row.operands[0]
                lead = fusion._row_index(row.operands[1], fusion.arguments[source].shape[0])
                return self._array(source, fusion.arguments[source], lead, at, row.operands[1])
            case _:
                operands = [
                    self._value(x, at if ir.RankedTensorType(x.type).rank else ())
                    for x in op.operands
                ]
                return elementwise(self.body, op, operands, _element(op.operands[-1]))

    def _all_axes(self) -> str:
        return "d0, d1" if self.rows > 1 else "d0"

    def _state(self, value: ir.Value, column: int) -> str:
        fusion = self.fusion
        key = fusion.states[value]
        array = fusion.arrays[key]
        kind = self._tile_type(self.units.width, array.element)
        scalar = self._leaf(
            (value, column),
            lambda: self._tile(array, fusion.leads["current"], column, self.units.width),
            kind,
            self._all_axes(),
        )
        return cast(self.body, scalar, array.element, _element(value))

    def _array(
        self,
        value: ir.Value,
        array: Array,
        lead: str | None,
        at: tuple[Coordinate, ...],
        time: ir.Value | None = None,
    ) -> str:
        """A scalar of an argument of the function, or of one row of it."""
        text = self.fusion.emit
        key = (value, time, at)
        if len(at) == 2:
            kind = self._tile_type(self.units.width, array.element)
            tile = lambda: self._tile(array, lead, at[1][1], self.units.width)  # noqa: E731
            return self._leaf(key, tile, kind, self._all_axes())
        leads = [] if lead is None else [lead]
        if at[0][0] == "column":
            kind = tensor((self.units.width,), array.element)
            _, starts = None, self._column_start(at[0][1])
            where = span([*leads, starts], (*[1] * len(leads), self.units.width))
            tile = lambda: text(  # noqa: E731
                f"tensor.extract_slice {array.name}{where} : {array.type} to {kind}"
            )
            return self._leaf(key, tile, kind, "d1" if self.rows > 1 else "d0")
        if self.rows > 1:
            kind = tensor((self.rows,), array.element)
            where = span([*leads, self.first], (*[1] * len(leads), self.rows))
            tile = lambda: text(  # noqa: E731
                f"tensor.extract_slice {array.name}{where} : {array.type} to {kind}"
            )
            return self._leaf(key, tile, kind, "d0")
        row = text.index(int(self.first)) if self.first.isdigit() else self.first
        return text(f"tensor.extract {array.name}[{', '.join([*leads, row])}] : {array.type}")

    def _column_start(self, column: int) -> str:
        start = self.units.start
        if start.isdigit():
            return str(int(start) + column)
        text = self.fusion.emit
        return text(f"arith.addi {start}, {text.index(column)} : index") if column else start


def _quoted(symbol: str) -> str:
    return f'"{symbol}"'


def _element(value: ir.Value) -> str:
    return str(ir.RankedTensorType(value.type).element_type)


def _width(value: ir.Value) -> int:
    return ir.RankedTensorType(value.type).shape[1]


def _oriented(inner: int, columns: int, axis: int) -> tuple[int, int]:
    return (columns, inner) if axis == 0 else (inner, columns)


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and defining(value).name == "stablehlo.constant"


def _operands(value: ir.Value, loop: Recurrence) -> Sequence[ir.Value]:
    """What a value is computed from within its level."""
    if isinstance(value.owner, ir.Block) or value in loop.products:
        return ()
    return list(defining(value).operands)


def _walk(value: ir.Value, loop: Recurrence) -> list[ir.Value]:
    """A value and all it is computed from within its level, operands first."""
    seen: dict[ir.Value, None] = {}

    def visit(value: ir.Value) -> None:
        if value not in seen:
            for operand in _operands(value, loop):
                visit(operand)
            seen[value] = None

    visit(value)
    return list(seen)


def _reads(value: ir.Value, target: ir.Value, loop: Recurrence) -> bool:
    return target in _walk(value, loop)


def _unit(value: ir.Value) -> int:
    """The width of the parts that a value consists of: those that are concatenated in it."""
    if not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name == "stablehlo.concatenate":
            return math.gcd(*(_width(operand) for operand in op.operands))
        if op.name in ELEMENTWISE:
            wide = [x for x in op.operands if ir.RankedTensorType(x.type).rank == 2]
            return math.gcd(*(_unit(x) for x in wide)) if wide else _width(value)
    return _width(value)


def _products(value: ir.Value, column: int, loop: Recurrence) -> list[tuple[ir.Value, int]]:
    """The products that the part of a value from a column on needs, each with its own column."""
    found: dict[tuple[ir.Value, int], None] = {}
    seen: set[tuple[ir.Value, int]] = set()

    def visit(value: ir.Value, column: int) -> None:
        if (value, column) in seen or ir.RankedTensorType(value.type).rank != 2:
            return
        seen.add((value, column))
        if value in loop.products:
            found[value, column] = None
            return
        if isinstance(value.owner, ir.Block):
            return
        op = defining(value)
        if op.name == "stablehlo.slice":
            visit(op.operands[0], column + ints(op, "start_indices")[1])
        elif op.name == "stablehlo.concatenate":
            for operand in op.operands:
                if column < _width(operand):
                    return visit(operand, column)
                column -= _width(operand)
        elif op.name in ELEMENTWISE:
            for operand in op.operands:
                visit(operand, column)

    visit(value, column)
    return list(found)

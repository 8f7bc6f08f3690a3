"""Gives every time loop a decomposition that IREE compiles to a single dispatch on the CPU.

Matches the `stablehlo.composite` ops that `time_loop` makes and replaces the function each names as
its decomposition; the composite itself, and everything else, stays. A loop that is not of the known
form (`recurrence.NotARecurrence`) keeps its plain decomposition.

The new function holds one `flow.dispatch.region` around the loop over time. It reads the number of
steps at run time, keeps all state in place, and works in panels: P units (columns) of every gate at
once, for a block of rows,

    for group of the batch, in parallel:
      for t in 0..n-1:
        for level in the step's levels:                      # see recurrence.py
          for panel, for block of rows:
            product[rows, P] = lhs[rows, K] @ packed[gate, panel][K, P]   # linalg.matmul, each gate
            one linalg.generic: every scalar of the step for these rows and units
      rows n.. of the outputs = 0

so that what leaves registers is a tile of products (some KiB of stack) and what the step has to
write (`step_tile`). Weights are packed into panels ``[G, N/P, K, P]`` once per call, outside the
region; for a single row ``[N/P, K, G*P]``, so that it has enough sums under way at once.

A state is a ring of two rows ``[2, B, N]``: step k reads row ``(n-k) % 2`` and writes the other, so
that the last is row 0, and no tile is written that another still has to read. A left-hand side that
a step computes is written to a scratch ring (or to the output that it is, if there is one). Since
nothing is read that the same level writes, the last block of rows may overlap the one before.

Arrays that nobody reads afterwards are still results of the region, pinned by
`util.optimization_barrier`: IREE would put them on the stack otherwise. So are two states that
begin as the same zeros, which would share a buffer. All else that the region reads or makes is only
held by `flow.tensor.clone`, or IREE would move cheap ops that make it into the region; no clone is
left in the end, while a barrier cuts the schedule in two.

Arrays of one row (batch size 1) are handled without their batch axis, since IREE's folding of unit
axes does not get along with loops in a region; a loop with another unit axis is left as it is.

16-bit types: products run in the type they accumulate in; the state's copy is exact in it.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.dispatch import (
    Array,
    Text,
    converted,
    span,
    zeros,
)
from rnn_compiler.lowering.hlo import ir
from rnn_compiler.lowering.packed_columns import packed_columns
from rnn_compiler.lowering.recurrence import (
    NotARecurrence,
    Output,
    Product,
    Recurrence,
    State,
    defining,
    element,
    is_constant,
    rank,
    shape,
    unit_of,
    width,
)
from rnn_compiler.lowering.step_tile import Panels, Stage, Step, StepTile, Units, Write
from rnn_compiler.lowering.vectors import VectorUnit

__all__ = ["fuse_time_loops"]


def fuse_time_loops(module: ir.Module, vectors: VectorUnit) -> None:
    """Replaces the decomposition of every time loop of a module that can be fused.

    Args:
        module: The module, changed in place.
        vectors: The vector unit of the target.
    """
    with module.context, ir.Location.unknown():
        composites = _composites(module)
        for op in list(module.body.operations):
            text = _fused(op.operation, vectors, composites)
            if text is not None:
                parsed = ir.Module.parse(text)
                parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint(op))
                op.operation.erase()


def _composites(module: ir.Module) -> dict[str, ir.Operation]:
    """The composite that each decomposition is of."""
    return {
        ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value: op.operation
        for function in module.body.operations
        for op in function.regions[0].blocks[0].operations
        if op.operation.name == "stablehlo.composite"
    }


def _fused(
    function: ir.Operation, vectors: VectorUnit, composites: dict[str, ir.Operation]
) -> str | None:
    """The text of a function in the place of a decomposition; None if it is not one to fuse."""
    composite = composites.get(ir.StringAttr(function.attributes["sym_name"]).value)
    if composite is None:
        return None
    try:
        fusion = _Fusion(Recurrence.read(function), vectors, composite)
        text = fusion.text(function)
    except NotARecurrence:
        return None
    for number, value in enumerate(fusion.loop.arguments):
        if value in fusion.opaque:
            composite.operands[number] = _opaque(composite.operands[number])
    return text


def _opaque(scalar: ir.Value) -> ir.Value:
    """A constant that the compiler does not know, so that loops that differ in it alone are one.

    It is made where the function begins, or the barrier would cut the schedule in two.
    """
    constant = defining(scalar)
    value = ir.DenseElementsAttr(constant.attributes["value"]).get_splat_value()
    at = ir.InsertionPoint.at_block_begin(constant.block)
    number = ir.Operation.create(
        "arith.constant", results=[value.type], attributes={"value": value}, ip=at
    )
    operands, results = [number.results[0]], [value.type]
    barrier = ir.Operation.create("util.optimization_barrier", results, operands, ip=at)
    return ir.Operation.create(
        "tensor.from_elements", [scalar.type], [barrier.results[0]], ip=at
    ).results[0]


class _Fusion:
    """Writes the function that takes the place of one decomposition."""

    def __init__(self, loop: Recurrence, vectors: VectorUnit, composite: ir.Operation) -> None:
        self.loop, self.vectors = loop, vectors
        self.operands = dict(zip(loop.arguments, composite.operands, strict=True))
        keys = [f"output{number}" for number in range(len(loop.outputs))]
        keys += [f"state{number}" for number in range(len(loop.states))]
        self.opaque = {
            value
            for number, value in enumerate(loop.arguments)
            if number and rank(value) == 0 and is_constant(composite.operands[number])
        }
        results = zip(keys, composite.results, strict=True)
        self.read = {key for key, result in results if any(True for _ in result.uses)}
        self.emit = Text()
        self.batch = _batch_size(loop)
        self.groups = vectors.batch_groups(self.batch, _weight_bytes(loop))
        self.step = Step(loop, self.emit, vectors, batched=self.batch > 1)
        self.arrays = self.step.arrays

    def text(self, function: ir.Operation) -> str:
        """The function's text."""
        emit, arguments = self.emit, self.loop.arguments
        parameters = [f"%arg{number}: {value.type}" for number, value in enumerate(arguments)]
        for number, value in enumerate(arguments):
            self.step.arguments[value] = self._argument(f"%arg{number}", value)
        writes = self._plan()
        self.stages = [self._stage(group) for group in self._by_stage(writes)]
        self._region()
        results = self._results()
        names = ", ".join(array.name for array in results)
        types = ", ".join(array.type for array in results)
        symbol = ir.StringAttr(function.attributes["sym_name"]).value
        body = "\n".join([*emit.lines, f"return {names} : {types}"])
        return f'func.func private @"{symbol}"({", ".join(parameters)}) -> ({types}) {{\n{body}\n}}'

    def _without_batch(self, full: Sequence[int]) -> tuple[int, ...]:
        """A shape ``[..., B, N]`` without its batch axis if that is 1."""
        return (*full[:-2], full[-1]) if self.batch == 1 else tuple(full)

    def _argument(self, name: str, value: ir.Value) -> Array:
        """An argument of the function as the region reads it."""
        array = Array(name, shape(value), element(value))
        weights = {product.weight for product in self.loop.products.values()}
        if value in weights:
            return array
        if rank(value) == 0:
            if value in self.opaque:
                self.step.scalars[value] = self.emit(f"tensor.extract {name}[] : {array.type}")
            return array
        if self.batch > 1 or rank(value) < 2 or array.shape[-2] != 1:
            return self.emit.held(array)
        small = Array("", self._without_batch(array.shape), array.element)
        groups = "[[0, 1], [2]]" if rank(value) == 3 else "[[0, 1]]"
        small.name = self.emit(
            f"tensor.collapse_shape {name} {groups} : {array.type} into {small.type}"
        )
        return self.emit.held(small)

    # What a step writes, and where.

    def _plan(self) -> list[Write]:
        """Decides on the arrays of the region and on what is written to them."""
        loop, step, writes = self.loop, self.step, list[Write]()
        for number, output in enumerate(loop.outputs):
            key = f"output{number}"
            self.arrays[key] = Array("", self._without_batch(output.shape), output.element)
            writes.append(Write(output.row, key, "time"))
        for product in loop.products.values():
            if loop.is_computed(product) and product.lhs not in step.lhs:
                step.lhs[product.lhs] = self._left_hand_side(product, writes)
        for number, state in enumerate(loop.states):
            key = f"state{number}"
            readers = [p.value for p in loop.products.values() if p.lhs == state.value]
            if readers:
                step.lhs[state.value] = (key, "current")
            ring = (2, *self._without_batch(shape(state.value)))
            self.arrays[key] = Array("", ring, element((readers or [state.value])[0]))
            step.states[state.value] = key
            writes.append(Write(state.next, key, "next"))
        return writes

    def _left_hand_side(self, product: Product, writes: list[Write]) -> tuple[str, str]:
        """Where the left-hand side of a product is, which the step computes."""
        for number, output in enumerate(self.loop.outputs):
            if output.row == product.lhs and output.element == element(product.value):
                return f"output{number}", "time"
        key = f"scratch{len(self.arrays)}"
        ring = (2, *self._without_batch(shape(product.lhs)))
        self.arrays[key] = Array("", ring, element(product.value))
        writes.append(Write(product.lhs, key, "next"))
        return key, "next"

    def _by_stage(self, writes: Sequence[Write]) -> list[list[Write]]:
        """What is written, by level and by the width of the parts, in order."""
        stages: dict[tuple[int, int], list[Write]] = {}
        for write in writes:
            key = (self.loop.level(write.value), unit_of(write.value))
            stages.setdefault(key, []).append(write)
        return [stages[key] for key in sorted(stages)]

    def _stage(self, writes: list[Write]) -> Stage:
        """Emits the packing of all weights that a stage needs."""
        unit, level = unit_of(writes[0].value), self.loop.level(writes[0].value)
        columns: dict[ir.Value, dict[tuple[ir.Value, int], None]] = {}
        pieces = 0
        for write in writes:
            for start in range(0, width(write.value), unit):
                pieces += 1
                for product, column in self.loop.parts(write.value, start):
                    if self.loop.level(product) != level:
                        raise NotARecurrence("a product is needed at a later level")
                    lhs = self.loop.products[product].lhs
                    columns.setdefault(lhs, {})[product, column] = None
        gates = sum(map(len, columns.values())) or pieces
        sums = [element(product) for found in columns.values() for product, _ in found]
        of = sums[0] if sums else element(writes[0].value)
        panel = self.vectors.panel(unit, gates, of, self.batch)
        panels = [
            Panels(lhs, ordered, packed_columns(self.step, ordered, unit, panel))
            for lhs, found in columns.items()
            for ordered in [sorted(found, key=lambda column: column[1])]
        ]
        return Stage(writes, panels, unit, panel)

    # The region.

    def _region(self) -> None:
        """Emits the dispatch."""
        emit, step = self.emit, self.step
        initial = [self._initial(state) for state in self.loop.states]
        types = ", ".join(array.type for array in self.arrays.values())
        region, size = emit.name(), len(self.arrays)
        emit.lines.append(f"{region}:{size} = flow.dispatch.region -> ({types}) {{")
        for value in self.loop.arguments:
            if rank(value) == 0 and value not in step.scalars:
                name = step.arguments[value].name
                step.scalars[value] = emit(f"tensor.extract {name}[] : {value.type}")
        count = step.scalars[self.loop.arguments[0]]
        self.count = emit(f"arith.index_cast {count} : i64 to index")
        self.one, self.two = emit.index(1), emit.index(2)
        for array in self.arrays.values():
            array.name = emit(f"tensor.empty() : {array.type}")
        if self.groups == 1:
            self._run(initial)
        else:
            self._in_groups(initial)
        values = ", ".join(array.name for array in self.arrays.values())
        emit.lines.append(f"flow.return {values} : {types}\n}}")
        for number, (key, array) in enumerate(self.arrays.items()):
            hold = emit.held if key in self.read else emit.pinned
            array.name = hold(Array(f"{region}#{number}", array.shape, array.element)).name

    def _initial(self, state: State) -> Array:
        """The state before the first step, in the element type of the region's array."""
        source = self.step.arguments[state.initial]
        kind = self.arrays[self.step.states[state.value]].element
        given = self.operands[state.initial]
        alone = sum(self.operands[other.initial] == given for other in self.loop.states) == 1
        hold = self.emit.held if alone and not is_constant(given) else self.emit.pinned
        return hold(converted(self.emit, source, kind))

    def _in_groups(self, initial: Sequence[Array]) -> None:
        """Emits the loops over time of all groups of the batch, each a workgroup of its own."""
        emit, whole = self.emit, dict(self.arrays)
        rows = self.batch // self.groups
        shared = [emit.name() for _ in whole]
        group, result = emit.name(), emit.name()
        pairs = ", ".join(
            f"{name} = {array.name}" for name, array in zip(shared, whole.values(), strict=True)
        )
        types = ", ".join(array.type for array in whole.values())
        emit.lines.append(
            f"{result}:{len(whole)} = scf.forall ({group}) in ({self.groups}) "
            f"shared_outs({pairs}) -> ({types}) {{"
        )
        self.step.base = emit(f"arith.muli {group}, {emit.index(rows)} : index")
        part = {
            key: self._group_of(whole[key], name, rows)
            for key, name in zip(whole, shared, strict=True)
        }
        self.arrays.update(part)
        starts = [self._group_of(array, array.name, rows) for array in initial]
        batch, self.batch = self.batch, rows
        self._run(starts)
        self.batch = batch
        emit.lines.append("scf.forall.in_parallel {")
        for (key, array), name in zip(whole.items(), shared, strict=True):
            where = self._group_span(part[key].shape)
            emit.lines.append(
                f"tensor.parallel_insert_slice {part[key].name} into {name}{where} : "
                f"{part[key].type} into {array.type}"
            )
        mapping = "#iree_linalg_ext.split_reduction_mapping<0>"
        emit.lines.append(f"}}\n}} {{mapping = [{mapping}]}}")
        self.arrays.update(whole)
        for number, array in enumerate(whole.values()):
            array.name = f"{result}#{number}"

    def _group_span(self, sizes: Sequence[int]) -> str:
        starts = ["0"] * len(sizes)
        starts[-2] = self.step.base
        return span(starts, sizes)

    def _group_of(self, array: Array, name: str, rows: int) -> Array:
        """Emits one group's rows of an array ``[..., B, N]``."""
        part = Array("", (*array.shape[:-2], rows, array.shape[-1]), array.element)
        part.name = self.emit(
            f"tensor.extract_slice {name}{self._group_span(part.shape)} : "
            f"{array.type} to {part.type}"
        )
        return part

    def _run(self, initial: Sequence[Array]) -> None:
        """Emits the loop over time, from the states before it to zeros in the rows after it."""
        emit, arrays = self.emit, self.arrays
        parity = emit(f"arith.remui {self.count}, {self.two} : index")
        for state, source in zip(self.loop.states, initial, strict=True):
            array = arrays[self.step.states[state.value]]
            where = span([parity, *["0"] * len(source.shape)], (1, *source.shape))
            array.name = emit(
                f"tensor.insert_slice {source.name} into {array.name}{where} : "
                f"{source.type} into {array.type}"
            )
        self._for("0", self.count, 1, list(arrays), self._one_step)
        outputs = [key for key in arrays if key.startswith("output")]
        length = self.loop.outputs[0].shape[0]
        self._for(self.count, str(length), 1, outputs, self._zero_row)

    def _for(
        self, low: str, high: str, step: int, keys: Sequence[str], body: Callable[[str], None]
    ) -> None:
        """Emits a loop that carries some of the arrays."""
        first, last = (int(end) if end.isdigit() else end for end in (low, high))
        self.emit.loop(first, last, step, [self.arrays[key] for key in keys], body)

    def _zero_row(self, time: str) -> None:
        """Emits zeros for one row of every output."""
        emit = self.emit
        for number in range(len(self.loop.outputs)):
            array = self.arrays[f"output{number}"]
            row = Array("", array.shape[1:], array.element)
            where = span([time, *["0"] * len(row.shape)], (1, *row.shape))
            row.name = emit(
                f"tensor.extract_slice {array.name}{where} : {array.type} to {row.type}"
            )
            row = zeros(emit, self.vectors, row)
            array.name = emit(
                f"tensor.insert_slice {row.name} into {array.name}{where} : "
                f"{row.type} into {array.type}"
            )

    def _one_step(self, number: str) -> None:
        """Emits step k: its scalars, then all tiles of every stage."""
        emit, step = self.emit, self.step
        outside = dict(step.scalars)
        step.scalars[self.loop.counter] = emit(f"arith.index_cast {number} : index to i64")
        left = emit(f"arith.subi {self.count}, {number} : index")
        current = emit(f"arith.remui {left}, {self.two} : index")
        output = self.loop.outputs[0]
        step.leads = {
            "current": current,
            "next": emit(f"arith.subi {self.one}, {current} : index"),
            "time": step.row_index(output.time, output.shape[0]),
        }
        for value in self.loop.scalars():
            step.scalar(value)
        for stage in self.stages:
            self._tiles(stage)
        step.scalars = outside

    def _tiles(self, stage: Stage) -> None:
        """Emits a stage: all panels, all rows."""
        keys = list(dict.fromkeys(write.array for write in stage.writes))
        rows = self.vectors.row_block(self.batch)

        def all_rows(units: Units) -> None:
            tile = StepTile(self.step, stage, units, rows)
            if rows == self.batch:
                tile.emit("0")
            else:
                high = str(self.batch)
                self._for("0", high, rows, keys, lambda row: tile.emit(self._block(row, rows)))

        def panel(start: str) -> None:
            number = self.emit(f"arith.divui {start}, {self.emit.index(stage.panel)} : index")
            all_rows(Units(start, stage.panel, number))

        full, rest = divmod(stage.unit, stage.panel)
        if (full, rest) == (1, 0):
            all_rows(Units("0", stage.panel, None))
            return
        self._for("0", str(full * stage.panel), stage.panel, keys, panel)
        if rest:
            all_rows(Units(str(full * stage.panel), rest, str(full)))

    def _block(self, row: str, rows: int) -> str:
        """The first row of a block; the last overlaps the one before, and repeats its numbers."""
        if self.batch % rows == 0:
            return row
        return self.emit(f"arith.minsi {row}, {self.emit.index(self.batch - rows)} : index")

    # Results.

    def _results(self) -> list[Array]:
        """Emits the function's results from the region's."""
        results = [
            self._restored(self.arrays[f"output{number}"], output)
            for number, output in enumerate(self.loop.outputs)
        ]
        for state in self.loop.states:
            ring = self.arrays[self.step.states[state.value]]
            last = Array("", ring.shape[1:], ring.element)
            where = span(["0"] * len(ring.shape), (1, *last.shape))
            last.name = self.emit(
                f"tensor.extract_slice {ring.name}{where} : {ring.type} to {last.type}"
            )
            results.append(self._restored(last, state))
        return results

    def _restored(self, array: Array, of: Output | State) -> Array:
        """A result in the shape and element type that the decomposition has."""
        if isinstance(of, Output):
            full, kind = of.shape, of.element
        else:
            full, kind = shape(of.value), element(of.value)
        array = converted(self.emit, array, kind)
        if array.shape == full:
            return array
        groups = "[[0, 1], [2]]" if len(full) == 3 else "[[0, 1]]"
        result = Array("", full, kind)
        result.name = self.emit(
            f"tensor.expand_shape {array.name} {groups} output_shape {list(full)} : "
            f"{array.type} into {result.type}"
        )
        return result


def _batch_size(loop: Recurrence) -> int:
    """The batch size of a loop.

    Raises:
        NotARecurrence: An axis other than the batch's is a unit axis, or there is no batch axis.
    """
    sizes = {shape(state.value)[0] for state in loop.states}
    if len(sizes) != 1 or any(len(output.shape) != 3 for output in loop.outputs):
        raise NotARecurrence("states of different batch sizes")
    (batch,) = sizes
    for value in (*loop.arguments, *loop.roots()):
        axes = shape(value)
        if len(axes) > 1 and (axes[-1] == 1 or (axes[0] == 1 and batch > 1)):
            raise NotARecurrence("a unit axis")
        if len(axes) == 3 and axes[0] == 1:
            raise NotARecurrence("a single step")
    if any(output.shape[0] == 1 for output in loop.outputs):
        raise NotARecurrence("a single step")
    return batch


def _weight_bytes(loop: Recurrence) -> int:
    """How much a step reads of the weights."""
    sizes = {p.weight: shape(p.weight)[0] * shape(p.weight)[1] for p in loop.products.values()}
    return 4 * sum(sizes.values())

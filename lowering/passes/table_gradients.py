"""Keeps the gradient of a large table as the few rows that are not zero, for CPUs with memory.

Requires: a portable module; the target is a CPU with memory.
Matches: in functions that update states, a `stablehlo.scatter` that adds rows of float32 to a
matrix of zeros which has several times as many, where all that reads the gradient is arithmetic of
each element and sums of squares. A dispatch adds the rows that go to one place:

    kept[b] = the sum of the rows that go to the place of row b, if it is the first; else 0
    kept[B] = 0
    from[t] = b if the row at place t is kept[b], else B
    the gradient = kept[from]

The last is a `stablehlo.torch_index_select` with the mark `ROWS`, of which `update_states` reads
rows as it needs them, so the gradient is not written. Sums of squares are those of `kept`.
Leaves: gradients that something else reads.
Ensures: the same numbers; sums up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import defining, element, shape, static_shape
from rnn_compiler.lowering.analysis.whole_sums import is_sum, is_zero, squared
from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.mlir.bindings import (
    SCATTER_OF_ROWS,
    block_of,
    callee_of,
    end_of,
    ir,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import ROWS
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace, spliced
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

_FEWEST, _TIMES = 1 << 14, 4
"""The fewest numbers of a table, and how many rows it has for each that is added."""

_ARITHMETIC = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("add", "subtract", "multiply", "divide", "negate", "sqrt", "abs"),
        *("maximum", "minimum", "compare", "select"),
    )
)
"""The ops on a gradient that `update_states` computes."""


class _TableSizes(NamedTuple):
    """The rows and columns of a table, and how many rows are added to it."""

    rows: int
    columns: int
    added: int


def tables_are_kept_as_rows(context: PassContext) -> str | None:
    """No gradient is left that `table_gradients` takes."""
    return first(str(op) for op, _ in _found(context))


@pass_with(requires=(), ensures=(tables_are_kept_as_rows,))
def table_gradients(context: PassContext) -> None:
    """Rewrites the gradients."""
    calls, processor = PrivateCalls(context.module), context.processor
    assert isinstance(processor, VectorUnit)
    for op, sizes in [*_found(context)]:
        scatter = _inlined(context.module, op)
        _rewrite(calls, scatter, sizes, processor)


def _found(context: PassContext) -> Iterator[tuple[ir.Operation, _TableSizes]]:
    """The scatters to rewrite, or the calls of functions whose result they are."""
    is_users, processor = context.request.is_users, context.processor
    if not is_users or not isinstance(processor, VectorUnit) or not processor.has_memory:
        return
    updating = {spec.function for spec in context.request.functions if spec.continued}
    for function in context.defined_functions():
        for op in ops_of(block_of(function)) if symbol_of(function) in updating else ():
            scatter = _scatter(context.module, op)
            sizes = None if scatter is None else _sizes(scatter)
            if sizes is not None and _is_read_by_number(op.results[0]):
                yield op, sizes


def _scatter(module: ir.Module, op: ir.Operation) -> ir.Operation | None:
    """The scatter that an op is, or whose result is that of the function it calls."""
    if op.name == "stablehlo.scatter":
        return op
    if op.name != "func.call" or len(op.results) != 1:
        return None
    function = ir.SymbolTable(module.operation)[callee_of(op)].operation
    value = end_of(function).operands[0] if len(function.regions[0].blocks) == 1 else None
    if value is None or isinstance(value.owner, ir.Block):
        return None
    return _scatter(module, value.owner.operation)


def _sizes(op: ir.Operation) -> _TableSizes | None:
    """The sizes of a scatter that adds rows to a large matrix of zeros; None for others."""
    if len(op.operands) != 3 or str(op.attributes["scatter_dimension_numbers"]) != SCATTER_OF_ROWS:
        return None
    start, places, added = op.operands
    values, block = [start, places, added], op.regions[0].blocks[0]
    combine, *rest = ops_of(block)
    is_sum = combine.name == "stablehlo.add" and len(rest) == 1
    if not is_sum or {*combine.operands} != {*block.arguments} or not is_zero(start):
        return None
    if element(start) != "f32" or not all(is_static(*shape(value)) for value in values):
        return None
    rows, columns = static_shape(start)
    count = static_shape(added)[0]
    is_large = rows * columns >= _FEWEST and 0 < count * _TIMES <= rows
    return _TableSizes(rows, columns, count) if is_large else None


def _is_read_by_number(gradient: ir.Value) -> bool:
    """Whether only arithmetic of each element and sums of squares read a gradient."""
    readers = [use.owner.operation for use in gradient.uses]
    return all(op.name in _ARITHMETIC or _squares(op, gradient) for op in readers)


def _squares(op: ir.Operation, of: ir.Value) -> list[ir.Operation]:
    """The sums of squares that are all that an op's result is for."""
    readers = [use.owner.operation for result in op.results for use in result.uses]
    base = squared(op.results[0]) if len(op.results) == 1 else None
    is_square = base is not None and base == of
    return readers if is_square and all(map(is_sum, readers)) else []


def _inlined(module: ir.Module, op: ir.Operation) -> ir.Operation:
    """The scatter that an op is, or whose result is that of the function it calls, here."""
    while op.name == "func.call":
        function = ir.SymbolTable(module.operation)[callee_of(op)].operation
        at = ops_of(block_of(function)).index(defining(end_of(function).operands[0]))
        copy = function.clone(ip=ir.InsertionPoint(function))
        op = spliced(op, copy)[at]
    return op


def _rewrite(
    calls: PrivateCalls, op: ir.Operation, sizes: _TableSizes, processor: VectorUnit
) -> None:
    """Replaces a scatter."""
    _, places, added = op.operands
    emit = _KeptRows(sizes, processor)
    kept, of_places = calls.before(op, "table_rows", [places, added], emit, sizes)
    body, gradient = Body.before(op), op.results[0]
    for reader in {use.owner.operation for use in gradient.uses}:
        for each in _squares(reader, gradient):
            square = body.op("stablehlo.multiply", [kept, kept], [kept.type])
            each.operands[0] = square.results[0]
        if not any(True for result in reader.results for _ in result.uses):
            reader.erase()
    attributes = {"dim": integer(0), "batch_dims": integer(0), ROWS: ir.UnitAttr.get()}
    selected = body.op(
        "stablehlo.torch_index_select", [kept, of_places], [gradient.type], attributes
    )
    replace(op, selected.results[0])


class _KeptRows:
    """The body of a function that adds up the rows of each place."""

    def __init__(self, sizes: _TableSizes, processor: VectorUnit) -> None:
        self._sizes = sizes
        self._lanes = processor.lanes("f32")

    def __call__(self, function: FunctionBuilder, places: Array, added: Array) -> list[Array]:
        rows, columns, count = self._sizes
        executable = DispatchBuilder(function, "rows", 1)
        body = executable.body
        places, added = executable.read(places), executable.read(added)
        kept = executable.make(ArrayType((count + 1, columns), "f32"))
        of_places = executable.make(ArrayType((rows,), "i32"))

        def none(position: Number) -> None:
            body.put(body.constant(count, "i32"), of_places, [position])

        def add(number: Number) -> None:
            place = body.element(places, [number, 0]).to_index()
            known = body.element(of_places, [place])

            def begin() -> None:
                body.put(body.integer(number, "i32"), of_places, [place])
                self._row(body, kept, number, lambda at, n: _read(body, added, [number, at], n))

            def go_on() -> None:
                row = known.to_index()
                self._row(
                    body,
                    kept,
                    row,
                    lambda at, n: (
                        _read(body, kept, [row, at], n) + _read(body, added, [number, at], n)
                    ),
                )
                self._row(body, kept, number, lambda _, n: body.constant(0, "f32", n))

            is_first = body.compare("eq", known, body.constant(count, "i32"))
            body.when(is_first, [kept, of_places], begin, go_on)

        body.loop(0, rows, 1, [of_places], none)
        body.loop(0, count, 1, [kept, of_places], add)
        self._row(body, kept, count, lambda _, n: body.constant(0, "f32", n))
        executable.dispatch()
        return [kept, of_places]

    def _row(
        self, body: Body, kept: Array, row: Index, number: Callable[[Index, int], Number]
    ) -> None:
        """Emits the writing of a row, given what to write at a column in some lanes."""
        columns = self._sizes.columns
        whole = columns // self._lanes * self._lanes

        def vector(at: Number) -> None:
            body.write(number(at, self._lanes), kept, [row, at])

        def rest(at: Number) -> None:
            body.put(number(at, 0), kept, [row, at])

        if whole:
            body.loop(0, whole, self._lanes, [kept], vector)
        if whole < columns:
            body.loop(whole, columns, 1, [kept], rest)


def _read(body: Body, array: Array, position: Sequence[Index], lanes: int) -> Number:
    """Emits the reading of a vector, or of a number."""
    return body.read(array, position, lanes) if lanes else body.element(array, position)

"""Gives every large product over a padded sequence dispatches that leave out the padding.

Requires: a portable module, or one whose time loops have been rewritten; the target is a CPU.
Matches: in public functions, the composites that `builder.padded_product` makes, and those of
`builder.add_outer_sum` and `OpenBlock.put_product` (`builder.open_blocks`) that have lengths. Puts
calls of private functions in their place: one lists the valid rows (`cpu.products.valid_rows`),
once for all products of the same steps; another is the `cpu.products.valid_rows_product`, or the
`cpu.products.valid_rows_outer_sum` of what a third one gathers, once for each matrix.
16-bit operands are widened first to the type of the result.
Leaves, for `large_products`: products of one row a step, of fewer than `MIN_ROWS` rows or
`MIN_MULTIPLICATIONS`, and those of bfloat16 where the vector unit multiplies pairs. A
`padded_product` that is left is replaced by its decomposition; the other composites stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.attributes import DYNAMIC
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Number, element_type
from rnn_compiler.lowering.cpu.products.valid_rows import Destination, ValidRows
from rnn_compiler.lowering.cpu.products.valid_rows_outer_sum import (
    gathered_blocks,
    valid_rows_outer_sum,
    widths,
)
from rnn_compiler.lowering.cpu.products.valid_rows_product import valid_rows_product
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.context import PassContext
from rnn_compiler.lowering.passes.edits import (
    Calls,
    composite_name,
    inlined,
    opaque,
    replace,
    tied,
    unfolded,
    widened,
)
from rnn_compiler.lowering.passes.valid_row_lists import ValidRowLists
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["padded_products"]

MIN_ROWS = 256
"""Rows from which padding is left out."""

MIN_MULTIPLICATIONS = 1 << 15
"""Multiplications from which it is."""


def padded_products(context: PassContext) -> None:
    """Rewrites the products over padded sequences of a module's public functions."""
    vectors = context.processor
    assert isinstance(vectors, VectorUnit)
    rewriting = _Rewriting(Calls(context.module), vectors)
    for op in context.ops():
        match composite_name(op):
            case "padded_product":
                rewriting.product(op)
            case "put_open_product":
                rewriting.put(op)
            case "add_outer_sum":
                rewriting.sum(op)
            case _:
                pass


@dataclass
class _Rewriting:
    """The rewriting of a module.

    Attributes:
        calls: The calls that it puts into the module.
        vectors: The vector unit.
        lists: The valid rows.
        sides: What was gathered for sums, by the matrix, the panels' width and the rows.
        opened: Numbers that the compiler does not know, by block, type and number.
    """

    calls: Calls
    vectors: VectorUnit
    lists: ValidRowLists = field(init=False)
    sides: dict[object, ir.Value] = field(default_factory=dict[object, ir.Value])
    opened: dict[object, ir.Value] = field(default_factory=dict[object, ir.Value])

    def __post_init__(self) -> None:
        self.lists = ValidRowLists(self.calls, self.vectors)

    def product(self, op: ir.Operation) -> None:
        """Rewrites a product of every row with a matrix."""
        T, B, inner = shape(op.operands[0])
        columns = shape(op.results[0])[2]
        rows = MIN_ROWS if DYNAMIC in (T, B) else T * B  # of open sizes there may be many
        if B == 1 or not _is_large(rows, inner, columns) or self._is_paired(op):
            inlined(self.calls.module, op)
            return
        axis = _attribute(op, "axis")
        of = element(op.results[0])
        sequence, matrix = (widened(value, of, op) for value in op.operands[:2])
        sequence = tied(sequence, op)
        listed = self.lists.before(op, op.operands[2], self._first(op), sequence)

        def function(made: Function, rows: Array, matrix: Array, *listed: Array) -> list[Array]:
            flat = collapse(made, rows, [[0, 1], [2]])
            result = valid_rows_product(made, self.vectors, flat, matrix, axis, ValidRows(*listed))
            return [expand(made, result, [[0, 1], [2]], (*rows.shape[:2], columns))]

        operands = [sequence, matrix, *listed]
        (result,) = self.calls.before(op, f"padded_product_{axis}", operands, function)
        replace(op, result)

    def put(self, op: ir.Operation) -> None:
        """Rewrites what a block of time of open length writes to a vector of all steps."""
        total, rows, matrix, start, _, *lengths = op.operands
        inner, columns = shape(rows)[2], shape(matrix)[1]
        if not lengths or not _is_large(MIN_ROWS, inner, columns) or self._is_paired(op):
            return
        of, is_new = element(op.results[0]), bool(_attribute(op, "is_new"))
        block = tied(widened(rows, of, op), op)
        listed = self.lists.before(op, lengths[0], start, block)

        def function(
            made: Function,
            total: Array,
            rows: Array,
            matrix: Array,
            start: Array,
            *listed: Array,
        ) -> list[Array]:
            flat = collapse(made, rows, [[0, 1], [2]])
            destination = Destination.of(made, total, start, columns, of, is_new=is_new)
            valid = ValidRows(*listed)
            result = valid_rows_product(made, self.vectors, flat, matrix, 0, valid, destination)
            return [expand(made, result, [[0, 1], [2]], (*total.shape[:2], columns))]

        operands = [tied(total, op), block, widened(matrix, of, op), start, *listed]
        name = "new_padded_product" if is_new else "put_padded_product"
        (result,) = self.calls.before(op, name, operands, function)
        replace(op, result)

    def sum(self, op: ir.Operation) -> None:
        """Rewrites what is added to a vector, a sum over all rows."""
        total, lhs, rhs, *lengths = op.operands
        sizes = shape(lhs)[0], shape(lhs)[1], shape(rhs)[1]
        if not lengths or shape(lengths[0])[0] == 1 or not _is_large(*sizes):
            return
        if self._is_paired(op):
            return
        steps = sizes[0] // shape(lengths[0])[0]
        listed = self.lists.before(op, lengths[0], self._first(op), steps)
        of = element(op.results[0])
        sides = [
            self._gathered(op, side, width, of, listed)
            for side, width in zip((lhs, rhs), widths(self.vectors, of), strict=True)
        ]
        offset = self._opaque(op, ir.IntegerAttr.get(ir.IndexType.get(), _attribute(op, "offset")))

        def function(
            made: Function, left: Array, right: Array, rows: Array, how_many: Array, total: Array
        ) -> list[Array]:
            valid, place = ValidRows(rows, how_many), Number(made, made.arguments[-1], "index")
            sides = (left, right)
            return [valid_rows_outer_sum(made, self.vectors, sides, sizes[1:], valid, total, place)]

        operands = [*sides, *listed, unfolded(total, op), offset]
        name = f"padded_sum_{sizes[1]}_{sizes[2]}"
        (result,) = self.calls.before(op, name, operands, function)
        replace(op, result)

    def _is_paired(self, op: ir.Operation) -> bool:
        """Whether it is a product of pairs of bfloat16, which is twice as fast with all rows."""
        sums = element(op.results[0])
        first = int(composite_name(op) == "add_outer_sum")
        lhs, rhs = (element(value) for value in op.operands[first : first + 2])
        return self.vectors.operands(lhs, rhs, sums, inner=MIN_ROWS, rows=MIN_ROWS) != (sums, sums)

    def _first(self, op: ir.Operation) -> ir.Value:
        """The time of the first step that an op is given."""
        return self._opaque(op, ir.IntegerAttr.get(element_type("i64"), _attribute(op, "start")))

    def _gathered(
        self, op: ir.Operation, side: ir.Value, width: int, of: str, listed: Sequence[ir.Value]
    ) -> ir.Value:
        """One side of a sum, gathered."""
        key = (_source(side), width, of, listed[0])
        if key not in self.sides:

            def function(made: Function, matrix: Array, *listed: Array) -> list[Array]:
                return [gathered_blocks(made, self.vectors, matrix, ValidRows(*listed), width)]

            operands = [widened(side, of, op), *listed]
            (self.sides[key],) = self.calls.before(op, f"gathered_{width}", operands, function)
        return self.sides[key]

    def _opaque(self, op: ir.Operation, number: ir.IntegerAttr) -> ir.Value:
        key = (op.block, str(number))
        if key not in self.opened:
            self.opened[key] = opaque(number, op.block)
        return self.opened[key]


def _is_large(rows: int, *sizes: int) -> bool:
    """Whether there are rows and numbers enough to tell rows apart."""
    size = rows
    for each in sizes:
        size *= each
    return rows >= MIN_ROWS and min(sizes) > 1 and size >= MIN_MULTIPLICATIONS


def _attribute(op: ir.Operation, name: str) -> int:
    attributes = ir.DictAttr(op.attributes["composite_attributes"])
    return ir.IntegerAttr(attributes[name]).value


def _source(matrix: ir.Value) -> ir.Value:
    """What a matrix was reshaped from: sums over the same rows each reshape them."""
    if isinstance(matrix.owner, ir.Block) or matrix.owner.operation.name != "stablehlo.reshape":
        return matrix
    return matrix.owner.operation.operands[0]

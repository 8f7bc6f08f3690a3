"""Gives every large matrix product outside the time loops a dispatch that keeps to the caches.

Requires: a portable module, or one whose time loops have been rewritten; the target is a CPU.
Matches: in public functions, `stablehlo.dot_general` of two matrices with one contracted axis, and
the composites of `builder.add_outer_sum` and of `OpenBlock.put_product` (`builder.open_blocks`).
Puts a call of a private function in their place, which is a `cpu.products.blocked_product`; of a
single row, a `cpu.products.row_product`; of an open number of rows, a `cpu.products.open_product`.
16-bit operands are widened first to the type of the result, in which the products are summed,
unless the vector unit multiplies pairs of them.
Leaves: products of a single column, a single number summed or fewer than `MIN_MULTIPLICATIONS`
(`MIN_ROW_MULTIPLICATIONS` of a single row), and whatever is no product of two matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rnn_compiler.lowering.analysis.values import (
    contracted_axes,
    element,
    shape,
)
from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.attributes import DYNAMIC
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.cpu.products.blocked_product import blocked_product
from rnn_compiler.lowering.cpu.products.open_product import open_product
from rnn_compiler.lowering.cpu.products.row_product import row_product
from rnn_compiler.lowering.cpu.products.valid_rows import Destination, FirstRows
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.context import PassContext
from rnn_compiler.lowering.passes.edits import (
    Calls,
    composite_name,
    opaque,
    replace,
    tied,
    unfolded,
    widened,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["large_products"]

MIN_MULTIPLICATIONS = 1 << 15
"""Multiplications from which a product gets a dispatch of its own making."""

MIN_ROW_MULTIPLICATIONS = 1 << 12
"""The same of a single row, whose matrix IREE would transpose first."""

_MANY = 64
"""What an open number of rows is taken for, where it matters only that it is more than one."""


def large_products(context: PassContext) -> None:
    """Rewrites the matrix products of a module's public functions."""
    vectors = context.processor
    assert isinstance(vectors, VectorUnit)
    calls = Calls(context.module)
    for op in context.ops():
        if composite_name(op) == "put_open_product":
            _rewrite_block(calls, op, vectors)
            continue
        found = _found(op)
        if found is not None and found.is_large:
            rewrite = _rewrite_open if found.is_open else _rewrite
            rewrite(calls, op, found, vectors)


@dataclass(frozen=True)
class _Found:
    """A product of two matrices.

    Attributes:
        lhs: One matrix.
        rhs: The other.
        axes: The axis of each that is contracted.
        total: The vector that it is added to; None if there is none.
        offset: Where in that.
    """

    lhs: ir.Value
    rhs: ir.Value
    axes: tuple[int, int]
    total: ir.Value | None = None
    offset: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it has as many rows as there are; `outer_sums` takes sums of open sizes."""
        return any(DYNAMIC in shape(value) for value in (self.lhs, self.rhs))

    @property
    def is_large(self) -> bool:
        sizes = [shape(value) for value in (self.lhs, self.rhs)]
        kept = [size[1 - axis] for size, axis in zip(sizes, self.axes, strict=True)]
        summed = sizes[0][self.axes[0]]
        if self.is_open:
            each = [size for size in (*kept, summed) if size != DYNAMIC]
            return min(each) > 1 and math.prod(each) >= MIN_ROW_MULTIPLICATIONS
        if self.is_row:
            return min(kept[1], summed) > 1 and kept[1] * summed >= MIN_ROW_MULTIPLICATIONS
        return min(*kept, summed) > 1 and kept[0] * kept[1] * summed >= MIN_MULTIPLICATIONS

    @property
    def is_row(self) -> bool:
        """Whether it is that of a single row."""
        return self.total is None and shape(self.lhs)[1 - self.axes[0]] == 1


def _found(op: ir.Operation) -> _Found | None:
    """The product that an op is; None if it is none."""
    axes = contracted_axes(op)
    if axes is not None:
        return _Found(op.operands[0], op.operands[1], axes)
    if composite_name(op) == "add_outer_sum":
        total, lhs, rhs, *_ = op.operands
        attributes = ir.DictAttr(op.attributes["composite_attributes"])
        return _Found(lhs, rhs, (0, 0), total, ir.IntegerAttr(attributes["offset"]).value)
    return None


def _rewrite(calls: Calls, op: ir.Operation, found: _Found, vectors: VectorUnit) -> None:
    """Puts a call in the place of an op; functions made for others alike are called again."""
    matrices = (found.lhs, found.rhs)
    kinds = vectors.operands(
        *(element(value) for value in (*matrices, op.results[0])),
        inner=shape(found.lhs)[found.axes[0]],
        rows=shape(found.lhs)[1 - found.axes[0]],
    )
    operands = [widened(value, of, op) for value, of in zip(matrices, kinds, strict=True)]
    if found.total is not None:
        operands.append(unfolded(found.total, op))
        offset = ir.IntegerAttr.get(ir.IndexType.get(), found.offset)
        operands.append(opaque(offset, op.block))

    def body(made: Function, lhs: Array, rhs: Array, *total: Array) -> list[Array]:
        if total:
            first = Number(made, made.arguments[-1], "index")
            return [blocked_product(made, vectors, lhs, rhs, found.axes, total[0], first)]
        product = row_product if found.is_row else blocked_product
        return [product(made, vectors, lhs, rhs, found.axes)]

    name = "row_product" if found.is_row else "blocked_product"
    (result,) = calls.before(op, name, operands, body, found.axes)
    replace(op, result)


def _rewrite_open(calls: Calls, op: ir.Operation, found: _Found, vectors: VectorUnit) -> None:
    """The same of a product of as many rows as there are."""
    matrices = (found.lhs, found.rhs)
    kinds = vectors.operands(
        *(element(value) for value in (*matrices, op.results[0])),
        inner=shape(found.lhs)[1],
        rows=_MANY,
    )
    operands = [tied(widened(value, of, op), op) for value, of in zip(matrices, kinds, strict=True)]

    def body(made: Function, lhs: Array, rhs: Array) -> list[Array]:
        return [open_product(made, vectors, lhs, rhs, found.axes[1])]

    (result,) = calls.before(op, "open_product", operands, body, found.axes)
    replace(op, result)


def _rewrite_block(calls: Calls, op: ir.Operation, vectors: VectorUnit) -> None:
    """The same of the rows of a block of time of open length, in a vector of all steps."""
    total, rows, matrix, start, count, *_ = op.operands
    (_, _, inner), columns, sums = shape(rows), shape(matrix)[1], element(op.results[0])
    is_new = bool(ir.BoolAttr(ir.DictAttr(op.attributes["composite_attributes"])["is_new"]).value)
    kinds = vectors.operands(element(rows), element(matrix), sums, inner=inner, rows=_MANY)
    pair = (widened(value, of, op) for value, of in zip((rows, matrix), kinds, strict=True))
    operands = [tied(value, op) for value in (total, *pair)] + [start, count]

    def body(
        made: Function, total: Array, rows: Array, rhs: Array, start: Array, count: Array
    ) -> list[Array]:
        lhs = collapse(made, rows, [[0, 1], [2]])
        valid = FirstRows(lhs.shape[0], count, rows.shape[1])
        destination = Destination.of(made, total, start, columns, sums, is_new=is_new)
        result = open_product(made, vectors, lhs, rhs, 0, valid, destination)
        return [expand(made, result, [[0, 1], [2]], (*total.shape[:2], columns))]

    (result,) = calls.before(op, "put_product", operands, body, is_new)
    replace(op, result)

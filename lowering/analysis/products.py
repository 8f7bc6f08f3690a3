"""Reads the matrix products of a module: `stablehlo.dot_general`, and `builder.products`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.analysis.values import contracted_axes, defining, element, shape
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.lowering.mlir.composite_attributes import ProductAttributes
from rnn_compiler.lowering.mlir.composites import composite_name, product_attributes
from rnn_compiler.schema.open_sizes import Size, is_static, product, static_size

MIN_MULTIPLICATIONS = 1 << 15
"""The fewest multiplications for which a product gets its own dispatch."""

MIN_ROW_MULTIPLICATIONS = 1 << 12
"""The fewest for one row, whose matrix IREE would transpose first, or an open number of rows."""


@dataclass(frozen=True)
class MatrixProduct:
    """A product, or several sums of outer products over the same rows.

    Attributes:
        attributes: Its attributes, of a `dot_general` those of such a composite.
        lhs: The left-hand sides, ``[T, B, K]``; of a `dot_general`, a matrix.
        rhs: The right-hand sides: a matrix, or a sequence for each.
        given: Its operands by role; of several with one role, the last.
    """

    op: ir.Operation
    attributes: ProductAttributes
    lhs: Sequence[ir.Value]
    rhs: Sequence[ir.Value]
    given: Mapping[str, ir.Value]

    @classmethod
    def of(cls, op: ir.Operation) -> MatrixProduct | None:
        """Reads an op as a product; None if it is not a product, or has another form."""
        axes = contracted_axes(op)
        if axes is not None and axes != (0, 1):
            form = "rows" if axes[0] else "outer_sums"
            attributes = ProductAttributes(form, ("lhs", "rhs"), axes[1])
        elif composite_name(op) == "product":
            attributes = product_attributes(op)
        else:
            return None
        operands = [*zip(attributes.roles, op.operands, strict=True)]
        lhs, rhs = ([value for role, value in operands if role == k] for k in ("lhs", "rhs"))
        rhs *= len(lhs) // len(rhs)  # several may share one
        return cls(op, attributes, lhs, rhs, dict(operands))

    @property
    def form(self) -> str:
        """``"rows"`` or ``"outer_sums"``."""
        return self.attributes.form

    @property
    def axis(self) -> int:
        """The contracted axis of the right-hand side, seen as a matrix; 0 for outer sums."""
        return self.attributes.axis

    @property
    def is_scaled(self) -> bool:
        """Whether the right-hand side has a scale for each column, as in int8."""
        return "scale" in self.given

    @property
    def is_composite(self) -> bool:
        """Whether it has a decomposition."""
        return self.op.name == "stablehlo.composite"

    @property
    def is_plain(self) -> bool:
        """Whether all rows are multiplied by a matrix and the product is the whole result."""
        return self.form == "rows" and not {"like", "into"} & self.given.keys()

    @property
    def is_open(self) -> bool:
        """Whether a size is open."""
        return not all(is_static(*shape(value)) for value in (*self.lhs, *self.rhs))

    def rows_or(self, number: int) -> int:
        """How many rows the left-hand side has, or a number if a size is open."""
        return number if self.is_open else static_size(self.rows)

    @property
    def sums(self) -> str:
        """The element type that it is summed in."""
        return element(self.op.results[0])

    @property
    def rows(self) -> Size:
        """How many rows the left-hand side has."""
        return product(shape(self.lhs[0])[:-1])

    @property
    def has_known_columns(self) -> bool:
        """Whether `sizes` are known, as those of composites are."""
        return all(is_static(*each) for each in self._columns)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The columns of each left-hand side, and of the product with it."""
        return [(static_size(lhs), static_size(rhs)) for lhs, rhs in self._columns]

    @property
    def _columns(self) -> list[tuple[Size, Size]]:
        return [
            (shape(lhs)[-1], shape(rhs)[0 if self.axis else -1])
            for lhs, rhs in zip(self.lhs, self.rhs, strict=True)
        ]


def is_large(rows: int, *sizes: int) -> bool:
    """Whether there are enough rows and numbers for a dispatch; a single row needs fewer."""
    least = MIN_ROW_MULTIPLICATIONS if rows == 1 else MIN_MULTIPLICATIONS
    return min(sizes) > 1 and rows * math.prod(sizes) >= least


def is_packed_once(matrix: ir.Value, rows: int) -> bool:
    """Whether a matrix multiplied by several rows is packed when the module is loaded.

    A weight that several products read is not: each would keep its own copy.
    """
    if rows == 1 or isinstance(matrix.owner, ir.Block):
        return False
    load = defining(matrix)
    if load.name != "util.global.load":
        return False
    readers = [op for op in ops_of(load.block) if op.name == load.name]
    return [op.attributes["global"] for op in readers].count(load.attributes["global"]) == 1

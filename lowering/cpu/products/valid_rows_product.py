"""The product of a padded sequence with a matrix as one dispatch, for the valid rows alone.

    for share of the valid rows, in parallel:
      for some of these rows:
        copy them side by side
        for panel of columns, for tile of rows:
          result[rows, panel] = copied[tile] @ matrix[panel]       # linalg.matmul, then row by row

The rows that are copied at once stay in the second-level cache, and so does their place: it is the
same for all that a workgroup copies. Each row's sums are those of `blocked_product`, in its order.
Other rows are not written.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.products.blocked_product import WORKGROUPS, Blocking, panel_of
from rnn_compiler.lowering.cpu.products.open_product import MIN_WORKGROUP_ROWS
from rnn_compiler.lowering.cpu.products.valid_rows import Destination, ValidRows
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import copy_row
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["valid_rows_product"]

_ROWS_AT_ONCE = 128
"""How many rows are copied at once; products of fewer are not worth it."""


def valid_rows_product(
    outside: Function,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    axis: int,
    valid: ValidRows,
    destination: Destination | None = None,
) -> Array:
    """Emits the product of the valid rows with a matrix of the same element type.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        lhs: ``[M, K]``; M may be computed, and is then taken for many.
        rhs: ``[K, N]``, or ``[N, K]`` if `axis` is 1.
        axis: The axis of `rhs` that is summed over.
        valid: The valid rows.
        destination: Where the product goes; None if it is all there is.

    Returns:
        ``[M, N]``, or what the product is a part of; other rows are anything.
    """
    rows, inner = lhs.shape
    known_rows = rows if isinstance(rows, int) else WORKGROUPS * _ROWS_AT_ONCE
    like = ArrayType((known_rows, inner), lhs.element)
    plan = Blocking(vectors, like, rhs.type, (1, axis), is_added=False)
    if plan.packed or plan.columns % plan.panel:
        rhs = pack(outside, vectors, rhs, 1 - axis, plan.panel)
    workgroups = min(WORKGROUPS, -(-plan.rows // _ROWS_AT_ONCE))
    executable = Executable(outside, "product", workgroups)
    lhs, rhs = (executable.read(outside.held(each)) for each in (lhs, rhs))
    valid = valid.inside(executable)
    base: Index = 0
    if destination is None:
        result = executable.make(ArrayType((rows, plan.columns), rhs.element))
    else:
        result, base = destination.inside(outside, executable)
    copies = executable.make(ArrayType((workgroups * _ROWS_AT_ONCE, plan.inner), rhs.element))
    fewest = 0 if isinstance(rows, int) else MIN_WORKGROUP_ROWS
    _Share(plan, executable, lhs, rhs, valid, result, copies, workgroups, fewest, base).emit()
    executable.dispatch()
    return result


class _Share:
    """Emits what a workgroup does: a share of the valid rows.

    Attributes:
        plan: The sizes of tiles and panels.
        lhs: The left-hand side.
        rhs: The right-hand side, packed or not.
        valid: The valid rows.
        result: Where the product goes.
        copies: Where all workgroups copy rows to.
        workgroup: The number of the workgroup.
        workgroups: How many there are.
        fewest: How many rows each does at least, while there are any; 0 if all do as many.
        base: The row of the result that the first row goes to.
    """

    def __init__(
        self,
        plan: Blocking,
        executable: Executable,
        lhs: Array,
        rhs: Array,
        valid: ValidRows,
        result: Array,
        copies: Array,
        workgroups: int,
        fewest: int,
        base: Index,
    ) -> None:
        self.plan, self.body = plan, executable.body
        self.lhs, self.rhs, self.valid = lhs, rhs, valid
        self.result, self.copies = result, copies
        self.workgroup, self.workgroups, self.fewest = executable.workgroup(), workgroups, fewest
        self.base = base

    def emit(self) -> None:
        """Emits all products."""
        low, high = self._bounds()
        carried = [self.result, self.copies]

        def some_rows(first: Number) -> None:
            self._some_rows(first, self.body.smaller(high - first, _ROWS_AT_ONCE))

        self.body.loop(low, high, _ROWS_AT_ONCE, carried, some_rows)

    def _bounds(self) -> tuple[Number, Number]:
        """Emits where the workgroup's rows begin and end."""
        body, count, workgroups = self.body, self.valid.count(self.body), self.workgroups
        if self.fewest:
            share = body.larger((count + (workgroups - 1)) // workgroups, self.fewest)
            low = body.smaller(self.workgroup * share, count)
            return low, body.smaller(low + share, count)
        low = self.workgroup * count
        high = (low + count) // workgroups
        return low // workgroups, high

    def _some_rows(self, first: Number, count: Number) -> None:
        """Emits the products of some rows."""
        plan, body = self.plan, self.body
        base = self.workgroup * _ROWS_AT_ONCE

        def copy(number: Number) -> None:
            row = self.valid.row(body, first + number)
            copy_row(body, plan.vectors, (self.lhs, [row]), (self.copies, [base + number]))

        body.loop(0, count, 1, [self.copies], copy)

        def columns(column: Number, width: int) -> None:
            rhs = panel_of(body, self.rhs, column, plan.panel)
            tiles = (count + (plan.vectors.rows - 1)) // plan.vectors.rows

            def tile(number: Number) -> None:
                row = number * plan.vectors.rows
                lhs = body.extract(self.copies, [base + row, 0], (plan.vectors.rows, plan.inner))
                made = tile_matmul(body, plan.vectors, lhs, rhs)

                def write(line: Number) -> None:
                    to = self.valid.row(body, first + row + line)
                    source, target = (made, [line]), (self.result, [to + self.base])
                    copy_row(body, plan.vectors, source, target, column, width)

                end = body.smaller(count - row, plan.vectors.rows)
                body.loop(0, end, 1, [self.result], write)

            body.loop(0, tiles, 1, [self.result], tile)

        full, left = divmod(plan.columns, plan.panel)
        end = full * plan.panel
        body.loop(0, end, plan.panel, [self.result], lambda n: columns(n, plan.panel))
        if left:
            columns(body.index(end), left)

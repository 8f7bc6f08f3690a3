"""The product of rows with a matrix, `x @ w`, as one dispatch, blocked for the caches of CPUs.

    for partition of the rows, in parallel:
      for some of these rows, as many as fit a cache:
        for panel of columns:
          for tile of rows:
            result[tile, panel] = lhs[tile] @ rhs[panel]          # linalg.matmul, sums in registers

| rows | partitions | |
|---|---|---|
| all, of a known number | blocks of rows, and parts of the columns | `blocks` |
| the first ones, or all of an open number | rows | `partitions` |
| listed | rows | `partitions` |
| to be quantized | rows, and parts of the columns | `partitions` |
| a single one | parts of the columns | `_Row` |

Remainders: the last tile of rows, the last block, and the last panel that is read in place overlap
the previous ones and compute some numbers again; two blocks may write these at once. If there are
fewer rows than a tile has, of an open number, they are multiplied one by one. Packed panels are
padded with zeros. The bits of a row's sums are the same in all these cases.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.cpu.products.blocking import Blocking
from rnn_compiler.lowering.cpu.products.blocks import Blocks
from rnn_compiler.lowering.cpu.products.panel_product import PanelProduct
from rnn_compiler.lowering.cpu.products.partitions import (
    GatheredPartition,
    Partition,
    QuantizedPartition,
)
from rnn_compiler.lowering.cpu.products.quantized_rows import QuantizedRows
from rnn_compiler.lowering.cpu.products.rows import FirstRows, ListedRows, Rows
from rnn_compiler.lowering.cpu.products.store import Store
from rnn_compiler.lowering.cpu.tiles.row_dot import row_dot

__all__ = ["rows_product"]


def rows_product(
    outside: Function,
    plan: Blocking,
    lhs: Array,
    rhs: Array,
    axis: int,
    rows: Rows | None = None,
    store: Store | None = None,
    scale: Array | None = None,
) -> Array:
    """Emits the product.

    Args:
        outside: The function that gets the dispatch.
        plan: The sizes of its tiles and panels.
        lhs: ``[M, K]``; M, if it is computed, at least 1.
        rhs: ``[K, N]``, or ``[N, K]`` if `axis` is 1; the element types are those of the format.
        axis: The contracted axis of `rhs`.
        rows: The rows to multiply; None for all. If M is known, the others may be computed too.
        store: The destination of the product; None for a new matrix, as for a single row.
        scale: The scales of the columns, ``[N]``, of a format whose left-hand side is quantized.

    Returns:
        ``[M, N]``, or the destination; other rows are undefined.
    """
    number = lhs.shape[0]
    rows = rows or FirstRows(number)
    assert store is None or number != 1
    assert plan.listed == isinstance(rows, ListedRows)
    assert not plan.listed or scale is None
    store = store or Store(ArrayType((number, plan.columns), plan.format.result))
    if number == 1:
        row = collapse(outside, lhs, [[0, 1]])
        return _Row(outside, plan, row, rhs, axis, store, scale).emit()
    if scale is not None:
        return QuantizedPartition(outside, plan, lhs, rhs, axis, store, scale).emit(rows)
    if plan.listed:
        return GatheredPartition(outside, plan, lhs, rhs, axis, store).emit(rows)
    if isinstance(number, int):
        return Blocks(outside, plan, lhs, rhs, axis, store).emit()
    return Partition(outside, plan, lhs, rhs, axis, store).emit(rows)


class _Row(PanelProduct):
    """A single row: workgroups share the panels, and read the matrix once, in order.

    Arrays have no unit axis, which IREE would fold (`tests/traps/test_unit_axis_in_a_loop.py`).
    """

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        plan, executable = self.plan, self.executable
        part, type = executable.workgroup(), ArrayType((plan.columns,), plan.format.result)
        row = executable.make(type)
        numbers = None
        if self.scale is not None:
            numbers = QuantizedRows(executable, plan, self.lhs, self.scale)
            numbers.quantize([], [])

        def panel(column: Number, width: int) -> None:
            if numbers is not None:
                numbers.multiply([], 1, self.panel(column), (row, [column]), width)
                return
            if plan.dotted:
                made = row_dot(self.body, self.vectors, self.lhs, self.rhs, column, width)
            else:
                made = self.product(self.lhs, self.panel(column), width)
            self.body.insert(made, row, [column])

        self.panels(plan.columns, [row], panel, part, plan.across)
        executable.dispatch()
        return expand(self.outside, row, [[0, 1]], (1, plan.columns))

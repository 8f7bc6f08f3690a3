"""Rows of a product's left-hand side in int8, quantized by the workgroup that multiplies them.

numbers, scale of the row = quantized(row)                    # in memory of the workgroup
result[tile, panel] = float32(numbers[tile] @ panel) * (row scales * column scales)
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.number import Index
from rnn_compiler.lowering.cpu.products.blocking import Blocking
from rnn_compiler.lowering.cpu.tiles.int8_rows import Int8Rows, int8_types, quantize_row, rescaled
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.register_tiles import starts_of

__all__ = ["QuantizedRows"]


class QuantizedRows:
    """The rows of all workgroups.

    Attributes:
        plan: The sizes of tiles and panels.
        body: The body of the dispatch.
        lhs: The left-hand side, ``[M, K]``, or ``[K]`` for a single row.
        scale: The scales of the columns.
        at_once: The rows that a workgroup quantizes at a time.
        rows: The rows; the first axis of each array is that of workgroups.
        workgroup: The number of this workgroup.
    """

    def __init__(
        self,
        executable: Executable,
        plan: Blocking,
        lhs: Array,
        scale: Array,
    ) -> None:
        self.plan, self.body, self.lhs, self.scale = plan, executable.body, lhs, scale
        vectors = plan.vectors
        self.at_once = max(vectors.rows, min(vectors.quantized_rows, plan.rows))
        # A single workgroup has rows for two: IREE folds unit axes, also those in a loop.
        leading = (max(2, plan.workgroups), *([self.at_once] if len(lhs.shape) > 1 else []))
        types = int8_types(plan.format, plan.inner, leading)
        self.rows, self.workgroup = Int8Rows(*map(executable.make, types)), executable.workgroup()

    def quantize(self, row: Sequence[Index], at: Sequence[Index]) -> None:
        """Emits a row in int8.

        Args:
            row: The row of the left-hand side; empty if it is a vector.
            at: Its number among the rows of the workgroup; empty likewise.
        """
        plan, index = self.plan, [self.workgroup, *at]
        source = (self.lhs, row)
        quantize_row(self.body, plan.vectors, plan.format, source, plan.inner, self.rows, index)

    def multiply(
        self,
        at: Sequence[Index],
        rows: int,
        rhs: Array,
        to: tuple[Array, Sequence[Index]],
        width: int,
    ) -> None:
        """Emits the product of some rows and a panel.

        Args:
            at: The first row, among those of the workgroup; empty if it is a vector.
            rows: The number of rows.
            rhs: The panel.
            to: The destination, and the position of the product's first number.
            width: The columns of the product.
        """
        body, plan, (made, position) = self.body, self.plan, to
        *lead, first = position
        lhs = self.rows.tile(body, [self.workgroup, *at], rows)
        sums = tile_matmul(body, plan.vectors, plan.format, lhs, rhs)
        lanes = min(plan.vectors.lanes("f32"), width)
        for start in starts_of(width, lanes):
            scale, column = body.read(self.scale, [first + start], lanes), first + start
            for row in range(rows):
                own = body.read(sums, [*([row] if rows > 1 else []), start], lanes)
                index = [self.workgroup, *(each + row for each in at)]
                numbers = rescaled(body, own, self.rows, index, scale)
                body.write(numbers, made, [*(each + row for each in lead), column])

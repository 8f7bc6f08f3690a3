"""The product of all rows, of a known number: workgroups share blocks of rows and columns."""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.products.blocking import STREAM
from rnn_compiler.lowering.cpu.products.panel_product import PanelProduct
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import zeros_in_place

__all__ = ["Blocks"]


class Blocks(PanelProduct):
    """All rows of a known number: a workgroup has a block of them, and a part of the columns.

    Attributes:
        first: The first row of the block.
        column: The first column of the part.
        part: The part of the product.
    """

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        plan, body = self.plan, self.body
        self.column: Index = 0
        block = self.executable.workgroup()
        if plan.across > 1:
            across = body.index(plan.across)
            self.column = block % across * plan.width
            block = block // across
        self.first = block * plan.block
        if plan.count * plan.block != plan.rows:
            self.first = self.first.at_most(plan.rows - plan.block)
        whole, _ = self.store.inside(self.outside, self.executable)
        starts = [self.first, self.column]
        self.part = body.extract(whole, starts, [plan.block, plan.width])
        if plan.streamed:
            self._stream()
        else:
            self.panels(plan.width, [self.part], self._rows_of)
        body.insert(self.part, whole, starts)
        self.executable.dispatch()
        return whole

    def _rows_of(self, column: Number, width: int) -> None:
        """Emits all tiles of a panel."""
        plan, body = self.plan, self.body
        rhs = self.panel(self.column + column)

        def tile(row: Number) -> None:
            lhs = body.extract(self.lhs, [self.first + row, 0], (plan.tile, plan.inner))
            body.insert(self.product(lhs, rhs, width), self.part, [row, column])

        full, rest = divmod(plan.block, plan.tile)
        body.loop(0, full * plan.tile, plan.tile, [self.part], tile)
        if rest:
            tile(body.index(plan.block - plan.tile))

    def _stream(self) -> None:
        """Emits the sums of all panels, some rows of the right-hand side at a time."""
        plan, body = self.plan, self.body
        self.part.value = zeros_in_place(body, plan.vectors, self.part).value
        full, rest = divmod(plan.inner, STREAM)
        body.loop(0, full * STREAM, STREAM, [self.part], lambda k: self._add(k, STREAM))
        if rest:
            self._add(body.index(full * STREAM), rest)
        if plan.columns % plan.panel:
            self._rows_of(body.index(plan.columns - plan.panel), plan.panel)

    def _add(self, k: Number, summed: int) -> None:
        """Emits the products with some rows of the right-hand side, added to the sums."""
        plan, body = self.plan, self.body
        full, rest = divmod(plan.block, plan.tile)
        end = plan.columns // plan.panel * plan.panel

        def tiles(row: Number, height: int) -> None:
            lhs = body.extract(self.lhs, [self.first + row, k], (height, summed))

            def each(column: Number) -> None:
                rhs = body.extract(self.rhs, [k, column], (summed, plan.panel))
                start = body.extract(self.part, [row, column], (height, plan.panel))
                made = tile_matmul(body, plan.vectors, plan.format, lhs, rhs, start)
                body.insert(made, self.part, [row, column])

            body.loop(0, end, plan.panel, [self.part], each)

        carried = [self.part]
        body.loop(0, full * plan.tile, plan.tile, carried, lambda row: tiles(row, plan.tile))
        if rest:
            tiles(body.index(full * plan.tile), rest)

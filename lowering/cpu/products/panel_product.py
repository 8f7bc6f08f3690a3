"""A product by panels of columns: packs the right-hand side, and loops over its panels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.arrays import collapse
from rnn_compiler.lowering.codegen.body import Array, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import first_only, partition
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.products.blocking import Blocking
from rnn_compiler.lowering.cpu.products.store import Store
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul

__all__ = ["PanelProduct"]


class PanelProduct:
    """The product of some rows, by panels of columns: the common base of all cases.

    Attributes:
        plan: The sizes of tiles and panels.
        vectors: The vector unit.
        executable: The dispatch.
        body: Its body.
        lhs: The left-hand side.
        rhs: The right-hand side, packed or not.
        outside: The function that gets the dispatch.
        store: The destination of the product.
        scale: The scales of the columns, of a format whose left-hand side is quantized.
    """

    def __init__(
        self,
        outside: Function,
        plan: Blocking,
        lhs: Array,
        rhs: Array,
        axis: int,
        store: Store,
        scale: Array | None = None,
    ) -> None:
        self.plan, self.vectors = plan, plan.vectors
        if plan.packed:
            rhs = pack(outside, plan.vectors, plan.format, rhs, 1 - axis, plan.panel)
            if plan.columns <= plan.panel:
                rhs = collapse(outside, rhs, [[0, 1], [2]])
        self.executable = Executable(outside, "product", plan.workgroups)
        self.body, self.outside, self.store = self.executable.body, outside, store
        sides = map(outside.materialized, (lhs, rhs))
        self.lhs, self.rhs = map(self.executable.read, sides)
        self.scale = None
        if scale is not None:
            self.scale = self.executable.read(outside.materialized(scale))

    def panels(
        self,
        columns: int,
        carried: Sequence[Array],
        each: Callable[[Number, int], None],
        part: Index = 0,
        among: int = 1,
    ) -> None:
        """Emits a loop over the panels of some columns, given where each begins and its width.

        If several parts share the columns, the loop is over those of one; the first has the rest.
        """
        body, panel = self.body, self.plan.panel
        full, left = divmod(columns, panel)
        if among > 1:
            partition(
                body, full, among, part, carried, lambda n: each(body.index(n * panel), panel)
            )
        elif full:
            body.loop(0, full * panel, panel, carried, lambda column: each(column, panel))
        overlaps = full and not self.plan.packed
        column, width = (columns - panel, panel) if overlaps else (full * panel, left)
        if left:
            first_only(body, part, among, carried, lambda: each(body.index(column), width))

    def panel(self, column: Number) -> Array:
        """Emits the panel of the right-hand side that begins at a column."""
        inner, width = known(self.rhs.shape)[-2], self.plan.panel
        if self.plan.packed:
            width = self.plan.format.width(width)
        if len(self.rhs.shape) == 2:  # unpacked, or a single panel
            return self.body.extract(self.rhs, [0, column], (inner, width))
        return self.body.extract(self.rhs, [column // self.plan.panel, 0, 0], (inner, width))

    def product(self, lhs: Array, rhs: Array, width: int) -> Array:
        """Emits some columns of a tile, or of a row, of the product."""
        made = tile_matmul(self.body, self.vectors, self.plan.format, lhs, rhs)
        if width < self.plan.panel:
            sizes = (*made.shape[:-1], width)
            made = self.body.extract(made, [0] * len(sizes), sizes)
        return made

"""The product of float32 rows and a matrix in int8 (`builder.int8`) as one dispatch, for CPUs.

    for partition of the rows and columns, in parallel:
      for some of these rows:
        for row: its numbers in int8, and its scale              # in memory of the workgroup
        for panel of columns, for tile of rows:
          result[tile, panel] = float32(numbers[tile] @ panel) * (row scales * column scales)

Workgroups divide a single row by columns only. With more rows, the last tile overlaps the previous
one and computes some numbers again; fewer rows than a tile has are multiplied one by one.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import first_only, partition
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.products.blocking import WORKGROUPS
from rnn_compiler.lowering.cpu.tiles.int8_rows import Int8Rows, int8_types, quantize_row, rescaled
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.register_tiles import min_columns, starts_of
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["int8_product"]

_MULTIPLICATIONS = 1 << 19
"""The fewest multiplications of a workgroup."""


def int8_product(
    outside: Function,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    rhs: Array,
    axis: int,
    scale: Array,
) -> Array:
    """Emits the product.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        format: The format of the right-hand side.
        lhs: ``[M, K]`` of float32.
        rhs: ``[K, N]`` of int8, or ``[N, K]`` if `axis` is 1.
        axis: The contracted axis of `rhs`.
        scale: ``[N]``.

    Returns:
        ``[M, N]``.
    """
    if lhs.shape[0] != 1:
        return _Int8Product(outside, vectors, format, lhs, rhs, axis, scale).emit()
    row = collapse(outside, lhs, [[0, 1]])
    made = _Int8Product(outside, vectors, format, row, rhs, axis, scale).emit()
    return expand(outside, made, [[0, 1]], (1, *made.shape))


class _Int8Product:
    """The emitter of a product; for a single row, `lhs` is ``[K]``.

    Attributes:
        vectors: The vector unit.
        columns: The columns of the product.
        panel: The columns of a panel.
        across: The number of parts into which the columns are divided.
        along: The number of parts into which the rows are divided.
        at_once: The rows that a workgroup quantizes at a time.
    """

    def __init__(
        self,
        outside: Function,
        vectors: VectorUnit,
        format: WeightFormat,
        lhs: Array,
        rhs: Array,
        axis: int,
        scale: Array,
    ) -> None:
        self.vectors, self.format = vectors, format
        self.inner, self.columns = known(rhs.shape)[axis], known(rhs.shape)[1 - axis]
        self.is_row = len(lhs.shape) == 1
        width = (4 if self.is_row else 1) * vectors.width("f32")
        self.panel = max(min(width, self.columns), min_columns(format))
        self.panels = -(-self.columns // self.panel)
        self.along, self.across = self._cut(lhs)
        packed = pack(outside, vectors, format, rhs, 1 - axis, self.panel)
        if self.panels == 1:
            packed = collapse(outside, packed, [[0, 1], [2]])
        self.executable = Executable(outside, "int8_product", self.along * self.across)
        self.lhs, self.rhs, self.scale = (
            self.executable.read(outside.materialized(each)) for each in (lhs, packed, scale)
        )
        self.made = self.executable.make(ArrayType((*lhs.shape[:-1], self.columns), "f32"))
        most = lhs.shape[0] if isinstance(lhs.shape[0], int) else vectors.quantized_rows
        self.at_once = max(vectors.rows, min(vectors.quantized_rows, most))
        leading = (max(2, self.along * self.across), *(() if self.is_row else (self.at_once,)))
        types = int8_types(format, self.inner, leading)
        self.rows = Int8Rows(*map(self.executable.make, types))
        self.body, self.workgroup = self.executable.body, self.executable.workgroup()

    def _cut(self, lhs: Array) -> tuple[int, int]:
        """The numbers of parts into which the rows and the columns are divided."""
        if self.is_row:
            weights = self.inner * self.columns // self.format.per_float32
            return 1, self.vectors.cut(1, self.panels, weights)[0]
        rows = lhs.shape[0]
        if isinstance(rows, Number):
            return WORKGROUPS, 1
        work = rows * self.inner * self.columns
        parts = max(1, min(WORKGROUPS, work // _MULTIPLICATIONS))
        along = min(parts, -(-rows // self.vectors.rows))
        return along, max(1, min(parts // along, self.panels))

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        body = self.body
        carried = [self.made, *filter(None, self.rows)]
        if self.is_row:
            self._some([], body.index(1), carried)
        else:
            count = body.index(self.lhs.shape[0])
            step = self.along * self.vectors.rows  # whole tiles, except in the last part
            rows = (count + (step - 1)) // step * self.vectors.rows
            low = (self.workgroup // self.across * rows).at_most(count)
            high = (low + rows).at_most(count)

            def some(first: Number) -> None:
                self._some([first], (high - first).at_most(self.at_once), carried)

            body.loop(low, high, self.at_once, carried, some)
        self.executable.dispatch()
        return self.made

    def _some(self, first: list[Index], count: Number, carried: list[Array]) -> None:
        """Emits the products of some rows."""
        body = self.body

        def row(number: list[Index]) -> None:
            at = [a + b for a, b in zip(first, number, strict=True)]
            index = [self.workgroup, *number]
            source = (self.lhs, at)
            quantize_row(body, self.vectors, self.format, source, self.inner, self.rows, index)

        if self.is_row:
            row([])
        else:
            body.loop(0, count, 1, carried[1:], lambda number: row([number]))

        def panel(number: Index, width: int) -> None:
            rhs = self._panel(number)
            column = number * self.panel
            if self.is_row:
                self._tile([], [], 1, rhs, column, width)
                return
            height = self.vectors.rows
            is_few = count < body.index(height)
            tiles = (count + (height - 1)) // height

            def tile(index: Number) -> None:
                at = (index * height).at_most(count - height)
                self._tile(first, [at], height, rhs, column, width)

            def one(at: Number) -> None:
                self._tile(first, [at], 1, rhs, column, width)

            zero = body.index(0)
            body.loop(0, body.select(is_few, zero, tiles), 1, [self.made], tile)
            body.loop(0, body.select(is_few, count, zero), 1, [self.made], one)

        part = self.workgroup % self.across if self.across > 1 else 0
        full, rest = divmod(self.columns, self.panel)
        if full:
            partition(body, full, self.across, part, [self.made], lambda k: panel(k, self.panel))
        if rest:
            first_only(body, part, self.across, [self.made], lambda: panel(full, rest))

    def _panel(self, number: Index) -> Array:
        """Emits a panel of the matrix."""
        if len(self.rhs.shape) == 2:
            return self.rhs
        return self.body.extract(self.rhs, [number, 0, 0], known(self.rhs.shape)[1:])

    def _tile(
        self,
        first: list[Index],
        at: list[Index],
        rows: int,
        rhs: Array,
        column: Index,
        width: int,
    ) -> None:
        """Emits a tile: the rows from `at` on, of those that begin at `first`."""
        body, numbers = self.body, self.rows.numbers
        sizes = (*([rows] if rows > 1 else []), *known(numbers.shape[-1:]))
        lhs = body.extract(numbers, [self.workgroup, *at, 0], sizes)
        indices = [[self.workgroup, *(each + row for each in at)] for row in range(rows)]
        made = tile_matmul(body, self.vectors, self.format, lhs, rhs)
        lanes = min(self.vectors.lanes("f32"), width)
        for start in starts_of(width, lanes):
            scale = body.read(self.scale, [column + start], lanes)
            for row, place in enumerate(indices):
                own = [row] if rows > 1 else []
                vector = body.read(made, [*own, start], lanes)
                result = rescaled(body, vector, self.rows, place, scale)
                index = [a + b + row for a, b in zip(first, at, strict=True)]
                body.write(result, self.made, [*index, column + start])

"""Left-hand sides of a step's products in int8.

The parts of a step (`work_sharing`) that multiply a left-hand side need whole rows of it, some
of which other parts have computed. So a workgroup begins a part by quantizing the rows that it
multiplies into memory of its own, unless it has done so for another part of the same turn. That
is little work compared with the products, and cheaper than another turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.analysis.values import width
from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Index, Number
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.cpu.fused_loop.row_tiles import RowTiles
from rnn_compiler.lowering.cpu.row_quantization import Int8Rows, int8_types, quantize_row, rescaled
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat


def step_rows_arrays(
    format: WeightFormat, key: str, columns: int, slots: int, rows: Sequence[Index]
) -> dict[str, ArrayType]:
    """The arrays for rows of a left-hand side, by key: `slots` of them, by workgroup and part."""
    types = int8_types(format, columns, (slots, *rows))
    types.append(ArrayType((slots, slots), "i32"))
    return dict(zip(_keys(format, key), types, strict=True))


def _keys(format: WeightFormat, key: str) -> list[str]:
    """The keys of these arrays, and of the turns in which rows were quantized."""
    corrections = [f"{key}.correction"] if format.offset else []
    return [key, f"{key}.scale", *corrections, f"{key}.turn"]


class StepRows:
    """The rows of a left-hand side in int8.

    Attributes:
        rows: The rows; the first axis of each array is that of workgroups.
        turns: The turn in which each workgroup quantized each part of the rows.
    """

    def __init__(
        self,
        step: StepContext,
        vectors: VectorUnit,
        format: WeightFormat,
        lhs: ir.Value,
        key: str,
        workgroup: Number,
    ) -> None:
        self.step, self.vectors, self.format, self.lhs = step, vectors, format, lhs
        *arrays, self.turns = (step.arrays[each] for each in _keys(format, key))
        self.rows, self.workgroup = Int8Rows(*arrays), workgroup

    @property
    def arrays(self) -> list[Array]:
        """Its arrays."""
        return [*self.rows.arrays, self.turns]

    def forget(self, parts: Index) -> None:
        """Emits that the workgroup has quantized none of the parts of the rows yet."""
        body = self.step.body

        def one(part: Number) -> None:
            body.put(body.constant(-1, "i32"), self.turns, [self.workgroup, part])

        body.loop(0, parts, 1, [self.turns], one)

    def quantize(
        self,
        part: tuple[Index, Index],
        turn: Number | None,
        tiles: Callable[[], Sequence[RowTiles]] | None,
    ) -> None:
        """Emits the rows of a part, unless the workgroup has quantized them in this turn.

        Without a turn there is a single workgroup, which does it once.
        """
        if turn is None:
            self._quantize(part, tiles)
            return
        body, now, position = self.step.body, turn.to_integer("i32"), [self.workgroup, part[0]]
        is_new = body.compare("ne", body.element(self.turns, position), now)

        def rows(_: Number) -> None:
            body.put(now, self.turns, position)
            self._quantize(part, tiles)

        body.loop(0, is_new.to_index(), 1, self.arrays, rows)

    def _quantize(
        self, part: tuple[Index, Index], tiles: Callable[[], Sequence[RowTiles]] | None
    ) -> None:
        if tiles is None:
            self._row([])
            return
        body, (number, among) = self.step.body, part
        for each in tiles():

            def tile(number: Index, of: RowTiles = each) -> None:
                first = of.first(body, number)
                partition(
                    *(body, of.height, 1, 0, self.arrays), lambda row: self._row([first + row])
                )

            partition(body, each.count, among, number, self.arrays, tile)

    def _row(self, row: list[Index]) -> None:
        """Emits a row; empty if arrays have no axis for rows."""
        array, lead = self.step.lhs(self.lhs)
        how = self.step.body, self.vectors, self.format
        source = (array, [lead, *row])
        quantize_row(*how, source, width(self.lhs), self.rows, [self.workgroup, *row])

    def tile(self, first: list[Index], rows: int) -> Array:
        """Emits the numbers of some rows; `first` is empty if arrays have no axis for rows."""
        return self.rows.tile(self.step.body, [self.workgroup, *first], rows)

    def rescaled(self, sums: Number, row: list[Index], scale: Number) -> Number:
        """Emits some columns of a row of a product, given its sums and the columns' scales."""
        return rescaled(self.step.body, sums, self.rows, [self.workgroup, *row], scale)

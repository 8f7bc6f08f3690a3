"""Tiles of a product of int8 numbers, summed in int32.

Each lane of a register sums the products of one column. An instruction adds the products of a group
of numbers that are adjacent along K in the panel (`targets.int8_dot`):

    sums[row, column] += lhs[row, k] * panel[k, column] + lhs[row, k+1] * panel[k+1, column] + ..

Panels are ``[K/group, P*group]`` bytes, and a group of the left-hand side has as many bits as a
lane. Bytes are read without `vector.bitcast`, because IREE treats an `arith.extsi` of one as
`arith.extui` (`tests/traps/test_int8_arithmetic.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.registers import accumulate_unrolled, bitcast, intrinsic, lane
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["MIN_COLUMNS", "int8_matmul"]

MIN_COLUMNS = 4
"""The fewest columns of a panel."""

_UNROLLED = 4
"""The groups that one iteration of the loop multiplies."""


def int8_matmul(
    body: Body,
    vectors: VectorUnit,
    lhs: Array,
    panels: Sequence[Array],
    starts: Sequence[Number],
) -> Array:
    """Emits the product of a few rows with a panel, or of one row with several.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        lhs: ``[K]`` or ``[rows, K]``, K a multiple of the group.
        panels: ``[K/group, P*group]``, P at least `MIN_COLUMNS`.
        starts: The initial value of each row's sums, int32.

    Returns:
        ``[P]`` or ``[rows, P]`` of int32; ``[G*P]`` of one row and G panels.
    """
    *height, _ = known(lhs.shape)
    inner, width = known(panels[0].shape)
    width //= vectors.int8.group
    made = body.empty(ArrayType((*height, len(panels) * width), "i32"))
    lanes = next(n for n in (vectors.lanes("f32"), 8, 4) if n <= width)
    within = [*range(0, width - lanes, lanes), width - lanes]  # the last may overlap
    columns = [(panel, column) for panel in range(len(panels)) for column in within]
    rows = range(height[0] if height else 1)
    for first in rows[:: vectors.rows]:
        some = rows[first : first + vectors.rows]
        wide = max(1, 3 * vectors.registers // 4 // max(len(some), 3))
        for number in range(0, len(columns), wide):
            tile = _Tile(vectors, lhs, panels, some, columns[number : number + wide], lanes)
            sums = tile.emit(body, inner, starts)
            for (row, panel, column), total in zip(tile.coordinates, sums, strict=True):
                body.write(total, made, [*tile.at(row), panel * width + column])
    return made


@dataclass(frozen=True)
class _Tile:
    """Some rows of a product, and as many columns as fit into registers.

    Attributes:
        vectors: The vector unit.
        lhs: The left-hand side.
        panels: The panels.
        rows: The rows.
        columns: The panel and the first column of each vector.
        lanes: The columns of a vector.
    """

    vectors: VectorUnit
    lhs: Array
    panels: Sequence[Array]
    rows: Sequence[int]
    columns: Sequence[tuple[int, int]]
    lanes: int

    @property
    def coordinates(self) -> list[tuple[int, int, int]]:
        """The row, the panel and the column of each vector of sums."""
        return [(row, *column) for row in self.rows for column in self.columns]

    def at(self, row: int) -> list[Index]:
        """The leading indices of a row."""
        return [row] if len(self.lhs.shape) > 1 else []

    def emit(self, body: Body, inner: int, starts: Sequence[Number]) -> list[Number]:
        """Emits the sums of the tile, row by row."""
        by_row = {row: body.broadcast(starts[row], self.lanes) for row in self.rows}
        sums = [by_row[row] for row, _, _ in self.coordinates]
        return accumulate_unrolled(body, inner, _UNROLLED, sums, self._add)

    def _add(self, body: Body, group: Number, sums: Sequence[Number]) -> list[Number]:
        """Emits the sums after adding a group of numbers of each row."""
        weights = [self._weights(body, group, *column) for column in self.columns]
        made: list[Number] = []
        for row in self.rows:
            x = self._numbers(body, row, group)
            made += [
                self._sum(body, total, weight, x)
                for weight, total in zip(weights, sums[len(made) :], strict=False)
            ]
        return made

    def _sum(self, body: Body, total: Number, weight: Number, x: Number) -> Number:
        """Emits a vector of sums after adding a group."""
        dot = self.vectors.int8
        total = Number(body, total.value, "i32", self.lanes)
        if dot.group == 1:
            return total + weight * x
        name = dot.instruction(self.lanes)
        if dot.group == 2:
            return total + intrinsic(name, [weight, x], total)
        return intrinsic(name, [total, weight, x], total)

    def _numbers(self, body: Body, row: int, group: Number) -> Number:
        """Emits a group of numbers of a row, in all lanes."""
        count, of = self.vectors.int8.group, self.lhs.element
        position = [*self.at(row), group * count]
        if count == 1:
            return body.broadcast(body.element(self.lhs, position), self.lanes)
        bits = lane(bitcast(body.read(self.lhs, position, count), "i32"), 0)
        return bitcast(body.broadcast(bits, self.lanes), of)

    def _weights(self, body: Body, group: Number, panel: int, column: int) -> Number:
        """Emits the groups of some columns of a panel."""
        size, of = self.vectors.int8.group, self.lhs.element
        bytes = body.read(self.panels[panel], [group, column * size], self.lanes * size)
        return bytes if of == "i8" else body.number("arith.extsi", [bytes], of, bytes.lanes)

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
from rnn_compiler.lowering.cpu.tiles.register_tiles import Tile, tiles_of
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["int8_matmul"]

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
    for tile in tiles_of(vectors, height[0] if height else 1, len(panels), width):
        product = _Product(vectors, lhs, panels, tile)
        sums = product.emit(body, inner, starts)
        for (row, panel, column), total in zip(tile.coordinates, sums, strict=True):
            body.write(total, made, [*product.at(row), panel * width + column])
    return made


@dataclass(frozen=True)
class _Product:
    """A tile of a product.

    Attributes:
        vectors: The vector unit.
        lhs: The left-hand side.
        panels: The panels.
        tile: The rows and columns.
    """

    vectors: VectorUnit
    lhs: Array
    panels: Sequence[Array]
    tile: Tile

    def at(self, row: int) -> list[Index]:
        """The leading indices of a row."""
        return [row] if len(self.lhs.shape) > 1 else []

    def emit(self, body: Body, inner: int, starts: Sequence[Number]) -> list[Number]:
        """Emits the sums of the tile, row by row."""
        by_row = {row: body.broadcast(starts[row], self.tile.lanes) for row in self.tile.rows}
        sums = [by_row[row] for row, _, _ in self.tile.coordinates]
        return accumulate_unrolled(body, inner, _UNROLLED, sums, self._add)

    def _add(self, body: Body, group: Number, sums: Sequence[Number]) -> list[Number]:
        """Emits the sums after adding a group of numbers of each row."""
        weights = [self._weights(body, group, *column) for column in self.tile.columns]
        made: list[Number] = []
        for row in self.tile.rows:
            x = self._numbers(body, row, group)
            made += [
                self._sum(body, total, weight, x)
                for weight, total in zip(weights, sums[len(made) :], strict=False)
            ]
        return made

    def _sum(self, body: Body, total: Number, weight: Number, x: Number) -> Number:
        """Emits a vector of sums after adding a group."""
        dot = self.vectors.int8
        total = Number(body, total.value, "i32", self.tile.lanes)
        if dot.group == 1:
            return total + weight * x
        name = dot.instruction(self.tile.lanes)
        if dot.group == 2:
            return total + intrinsic(name, [weight, x], total)
        return intrinsic(name, [total, weight, x], total)

    def _numbers(self, body: Body, row: int, group: Number) -> Number:
        """Emits a group of numbers of a row, in all lanes."""
        count, of = self.vectors.int8.group, self.lhs.element
        position = [*self.at(row), group * count]
        if count == 1:
            return body.broadcast(body.element(self.lhs, position), self.tile.lanes)
        bits = lane(bitcast(body.read(self.lhs, position, count), "i32"), 0)
        return bitcast(body.broadcast(bits, self.tile.lanes), of)

    def _weights(self, body: Body, group: Number, panel: int, column: int) -> Number:
        """Emits the groups of some columns of a panel."""
        size, of = self.vectors.int8.group, self.lhs.element
        bytes = body.read(self.panels[panel], [group, column * size], self.tile.lanes * size)
        return bytes if of == "i8" else body.number("arith.extsi", [bytes], of, bytes.lanes)

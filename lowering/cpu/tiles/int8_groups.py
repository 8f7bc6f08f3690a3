"""Tiles of a product of int8 numbers, summed in int32.

Each lane of a register sums the products of one column. An instruction adds the products of a group
of numbers that are adjacent along K in the panel (`targets.weight_formats`):

    sums[row, column] += lhs[row, k] * panel[k, column] + lhs[row, k+1] * panel[k+1, column] + ..

Panels are ``[K/group, P*group]`` bytes, and a group of the left-hand side has as many bits as a
lane. Bytes are read without `vector.bitcast`, because IREE treats an `arith.extsi` of one as
`arith.extui` (`tests/traps/test_int8_arithmetic.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen.body import Body, known
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.codegen.registers import (
    accumulate_unrolled,
    add_outer_product,
    bitcast,
    intrinsic,
    lane,
)
from rnn_compiler.lowering.cpu.tiles.register_tiles import TileProduct

__all__ = ["Int8Product"]

_UNROLLED = 4
"""The groups that one iteration of the loop multiplies."""


class Int8Product(TileProduct):
    """The product of a tile of int8 numbers, summed in int32; K is a multiple of the group."""

    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products, added to the sums, row by row."""
        return accumulate_unrolled(body, known(self.panels[0].shape)[0], _UNROLLED, sums, self._add)

    def _add(self, body: Body, group: Number, sums: Sequence[Number]) -> list[Number]:
        """Emits the sums after adding a group of numbers of each row."""
        weights = [self._weights(body, group, *column) for column in self.tile.columns]
        groups = (self._numbers(body, row, group) for row in self.tile.rows)
        return add_outer_product(sums, groups, weights, self._sum)

    def _sum(self, total: Number, weight: Number, x: Number) -> Number:
        """Emits a vector of sums after adding a group."""
        if not self.format.multiplies_groups:
            return total + weight * x
        name = self.format.instruction(self.tile.lanes)
        if self.format.accumulates:
            return intrinsic(name, [total, weight, x], total)
        return total + intrinsic(name, [weight, x], total)

    def _numbers(self, body: Body, row: int, group: Number) -> Number:
        """Emits a group of numbers of a row, in all lanes."""
        count, position = self.format.group, self.at(row, group * self.format.group)
        if count == 1:
            return body.broadcast(body.element(self.lhs, position), self.tile.lanes)
        bits = lane(bitcast(body.read(self.lhs, position, count), "i32"), 0)
        return bitcast(body.broadcast(bits, self.tile.lanes), self.format.quantized_lhs)

    def _weights(self, body: Body, group: Number, panel: int, column: int) -> Number:
        """Emits the groups of some columns of a panel."""
        width, of = self.format.width, self.format.quantized_lhs
        weights = body.read(self.panels[panel], [group, width(column)], width(self.tile.lanes))
        is_wide = weights.element == of
        return weights if is_wide else body.number("arith.extsi", [weights], of, weights.lanes)

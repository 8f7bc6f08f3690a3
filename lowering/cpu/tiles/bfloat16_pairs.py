"""Tiles of a product of bfloat16 numbers, multiplied as pairs.

A pair is two numbers that are adjacent along the contracted axis, k even and k + 1, in 32 bits with
the even one in the low half. Panels of weights are ``[K/2, P]`` pairs, as ``i32`` (`packing`). A
tile broadcasts each pair of its left-hand side to all lanes of a register, and computes

    sums[row, :] = fma(even, even', fma(odd, odd', sums[row, :]))          # in float32

which x86's `vdpbf16ps` does in one instruction, with twice the throughput of float32. Without that
instruction, both numbers are widened to float32 in registers by a shift and a mask, and multiplied
in the same order. The bits are the same on every x86 target, and panels take half the memory either
way. The instruction treats denormal numbers as zero. So does `bfdot` of aarch64, which may also
round each of the two products and their sum separately (Arm's manual, FEAT_EBF16 and BFDotAdd).

The left-hand side has the element type that suits the processor (`targets.weight_formats`):
bfloat16 for the instruction, float32 if pairs are widened. If K is odd, the odd number of the last
pair is zero in the panel and is never read from a row, where it might be a NaN. A panel may also be
unpacked, ``[K, P]`` of bfloat16.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rnn_compiler.lowering.codegen.body import Body, known
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.registers import (
    accumulate_unrolled,
    add_outer_product,
    bitcast,
    interleave,
    intrinsic,
    lane,
)
from rnn_compiler.lowering.cpu.tiles.register_tiles import TileProduct
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["PairsProduct", "add_pairs"]

_UNROLLED = 2
"""Pairs that an iteration of the loop multiplies."""

_HIGH = -(1 << 16)
"""The bits of a pair's odd number."""


def add_pairs(format: WeightFormat, total: Number, weights: Number, pairs: Number) -> Number:
    """Emits a register of sums plus the products of pairs, by the instruction of the format."""
    operands = [total, bitcast(weights, "bf16"), bitcast(pairs, "bf16")]
    return intrinsic(format.instruction(total.lanes), operands, total)


class PairsProduct(TileProduct):
    """The product of a tile of bfloat16 numbers, summed in float32."""

    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products, added to the sums, row by row."""
        pairs, odd = divmod(known(self.lhs.shape)[-1], 2)
        sums = accumulate_unrolled(body, pairs, _UNROLLED, sums, self._add)
        return self._add(body, body.index(pairs), sums, whole=False) if odd else sums

    def _add(
        self, body: Body, pair: Number, sums: Sequence[Number], *, whole: bool = True
    ) -> list[Number]:
        """Emits the products of one pair of each row, added to the sums."""
        weights = [self._weights(body, pair, *column, whole=whole) for column in self.tile.columns]
        if not self.format.multiplies_groups:
            return self._widened(body, pair, weights, sums, whole=whole)
        pairs = (self._pair(body, row, pair, whole=whole) for row in self.tile.rows)
        spread = (body.broadcast(each, self.tile.lanes) for each in pairs)
        return add_outer_product(sums, spread, weights, partial(add_pairs, self.format))

    def _widened(
        self,
        body: Body,
        pair: Number,
        weights: Sequence[Number],
        sums: Sequence[Number],
        *,
        whole: bool,
    ) -> list[Number]:
        """Emits the same in float32: the odd numbers, then the even ones."""
        sixteen, high = (body.constant(n, "i32", self.tile.lanes) for n in (16, _HIGH))
        for which in (1, 0) if whole else (0,):
            wide = [bitcast(each & high if which else each << sixteen, "f32") for each in weights]
            numbers = (
                body.element(self.lhs, self.at(row, pair * 2 + which)) for row in self.tile.rows
            )
            spread = (body.broadcast(each, self.tile.lanes) for each in numbers)
            sums = add_outer_product(sums, spread, wide)
        return [*sums]

    def _pair(self, body: Body, row: int, pair: Index, *, whole: bool) -> Number:
        """Emits the load of a pair of a row as 32 bits; the last one's odd number may be zero."""
        first = self.at(row, pair * 2)
        if whole:
            return lane(bitcast(body.read_slice(self.lhs, first, 2), "i32"), 0)
        bits = body.element(self.lhs, first).bitcast("i16")
        return body.number("arith.extui", [bits], "i32")

    def _weights(self, body: Body, pair: Number, panel: int, column: int, *, whole: bool) -> Number:
        """Emits the loads of some pairs of a panel; without packing, they are interleaved here."""
        rhs = self.panels[panel]
        if rhs.element == self.format.panel_element:
            return body.read(rhs, [pair, column], self.tile.lanes)
        even = body.read(rhs, [pair * 2, column], self.tile.lanes)
        odd = body.constant(0, "bf16", self.tile.lanes)
        if whole:
            odd = body.read(rhs, [pair * 2 + 1, column], self.tile.lanes)
        return bitcast(interleave(even, odd), "i32")

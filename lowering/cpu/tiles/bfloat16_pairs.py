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

The left-hand side has the element type that suits the processor (`VectorUnit.operands`): bfloat16
for the instruction, float32 if pairs are widened. If K is odd, the odd number of the last pair is
zero in the panel and is never read from a row, where it might be a NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.registers import (
    accumulate_unrolled,
    bitcast,
    interleave,
    intrinsic,
    lane,
)
from rnn_compiler.lowering.cpu.tiles.register_tiles import Tile, tiles_of
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["PAIRED", "pairs_matmul"]

PAIRED = ("bf16", "i32")
"""Element types of panels that are multiplied as pairs: single numbers, and pairs."""

_UNROLLED = 2
"""Pairs that an iteration of the loop multiplies."""

_HIGH = -(1 << 16)
"""The bits of a pair's odd number."""


def pairs_matmul(
    body: Body,
    vectors: VectorUnit,
    lhs: Array,
    panels: Sequence[Array],
    start: Array | None = None,
) -> Array:
    """Emits the product of a few rows with a panel of bfloat16 numbers, or of one row with several.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        lhs: ``[K]`` or ``[rows, K]``.
        panels: ``[K/2, P]`` pairs, or ``[K, P]`` of bfloat16, P at least `MIN_COLUMNS`.
        start: The sums to add it to, ``[rows, P]`` of float32; None for zeros.

    Returns:
        ``[P]`` or ``[rows, P]`` of float32; ``[G*P]`` of one row and G panels.
    """
    left, rhs = _Left(lhs), panels[0]
    inner, width = known(rhs.shape)
    if rhs.element == "i32":
        inner = min(2 * inner, known(lhs.shape)[-1])
    shape = (len(panels) * width,) if left.rows is None else (left.rows, width)
    made = start or body.empty(ArrayType(shape, "f32"))
    for tile in tiles_of(vectors, left.rows or 1, len(panels), width):
        positions = [
            [*left.position(row), panel * width + column] for row, panel, column in tile.coordinates
        ]
        if start is None:
            sums = [body.constant(0, "f32", tile.lanes)] * len(positions)
        else:
            sums = [body.read(made, position, tile.lanes) for position in positions]
        sums = _Product(vectors, left, panels, inner, tile).emit(body, sums)
        for position, total in zip(positions, sums, strict=True):
            body.write(total, made, position)
    return made


@dataclass(frozen=True)
class _Left:
    """A left-hand side.

    Attributes:
        array: Its array.
    """

    array: Array

    @property
    def rows(self) -> int | None:
        """The number of rows; None for a vector."""
        sizes = known(self.array.shape)
        return None if len(sizes) == 1 else sizes[0]

    def position(self, row: int) -> list[Index]:
        """The indices of a row in the product."""
        return [] if self.rows is None else [row]

    def at(self, row: int, k: Index) -> list[Index]:
        """The indices of a number or a pair."""
        return [*self.position(row), k]

    def number(self, body: Body, row: int, k: Index) -> Number:
        """Emits the load of a number."""
        return body.element(self.array, self.at(row, k))

    def pair(self, body: Body, row: int, pair: Index, *, whole: bool) -> Number:
        """Emits the load of a pair as 32 bits; the last one's odd number may be zero."""
        first = self.at(row, pair * 2)
        if whole:
            return lane(bitcast(body.read_slice(self.array, first, 2), "i32"), 0)
        bits = body.element(self.array, first).bitcast("i16")
        return body.number("arith.extui", [bits], "i32")


@dataclass(frozen=True)
class _Product:
    """A tile of a product.

    Attributes:
        vectors: The vector unit.
        left: The left-hand side.
        panels: The panels.
        inner: K, without the zero that pads an odd K.
        tile: The rows and columns.
    """

    vectors: VectorUnit
    left: _Left
    panels: Sequence[Array]
    inner: int
    tile: Tile

    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products of the tile, added to its sums, row by row."""
        pairs, odd = divmod(self.inner, 2)
        sums = accumulate_unrolled(body, pairs, _UNROLLED, sums, self._add)
        return self._add(body, body.index(pairs), sums, whole=False) if odd else sums

    def _add(
        self, body: Body, pair: Number, sums: Sequence[Number], *, whole: bool = True
    ) -> list[Number]:
        """Emits the products of one pair of each row, added to the sums."""
        weights = [self._weights(body, pair, *column, whole=whole) for column in self.tile.columns]
        if self.vectors.pairs == "widened":
            return self._widened(body, pair, weights, sums, whole=whole)
        made: list[Number] = []
        for number, row in enumerate(self.tile.rows):
            x = self.left.pair(body, row, pair, whole=whole)
            x = bitcast(body.broadcast(x, self.tile.lanes), "bf16")
            for column, weight in enumerate(weights):
                total = sums[number * len(weights) + column]
                like = Number(body, total.value, "f32", self.tile.lanes)
                name = self.vectors.dot(self.tile.lanes)
                made.append(intrinsic(name, [total, bitcast(weight, "bf16"), x], like))
        return made

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
        made = list(sums)
        for which in (1, 0) if whole else (0,):
            wide = [bitcast(each & high if which else each << sixteen, "f32") for each in weights]
            for number, row in enumerate(self.tile.rows):
                x = self.left.number(body, row, pair * 2 + which)
                x = body.broadcast(x, self.tile.lanes)
                for column, weight in enumerate(wide):
                    k = number * len(wide) + column
                    made[k] = body.number("math.fma", [x, weight, made[k]], "f32", self.tile.lanes)
        return made

    def _weights(self, body: Body, pair: Number, panel: int, column: int, *, whole: bool) -> Number:
        """Emits the loads of some pairs of a panel; without packing, they are interleaved here."""
        rhs = self.panels[panel]
        if rhs.element == "i32":
            return body.read(rhs, [pair, column], self.tile.lanes)
        even = body.read(rhs, [pair * 2, column], self.tile.lanes)
        odd = body.constant(0, "bf16", self.tile.lanes)
        if whole:
            odd = body.read(rhs, [pair * 2 + 1, column], self.tile.lanes)
        return bitcast(interleave(even, odd), "i32")

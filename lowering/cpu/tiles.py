"""Tiles of products on a CPU, whose sums are in registers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, known
from rnn_compiler.lowering.codegen.elementwise import cast
from rnn_compiler.lowering.codegen.registers import (
    accumulate,
    accumulate_unrolled,
    add_outer_product,
    bitcast,
    interleave,
    intrinsic,
    lane,
    shuffled,
)
from rnn_compiler.lowering.cpu.matrix_unit import MatrixUnit
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat, divisor

# The product of one row and some rows of an unpacked matrix, ``[N, K]``.
#
#     sums[n] = fma(lhs[k], rhs[n, k], sums[n])           # a register of k at a time, for each n
#     product[n] = the sum of all lanes of sums[n]
#
# As many rows as a register has lanes are reduced together, by a tree of shuffles that ends in
# one register of products. Packing the matrix (`packing`) would cost more than it saves if the
# matrix is read only once.


def row_dot(
    body: Body, vectors: VectorUnit, lhs: Array, rhs: Array, first: Index, count: int
) -> Array:
    """Emits ``[K] @ [N, K]^T`` for consecutive rows of the matrix, in the first's element type.

    K and their number are multiples of the lanes; numbers of fewer bits are widened.
    """
    lanes = vectors.lanes(lhs.element)
    groups = divisor(count // lanes, max(1, vectors.registers // 2 // lanes))
    made = body.empty(ArrayType((count,), lhs.element))

    def some(start: Index) -> None:
        rows = [first + (start + row) for row in range(groups * lanes)]
        sums = _sums(body, vectors, lhs, rhs, rows)
        for group in range(0, len(rows), lanes):
            products = _reduced(body, sums[group : group + lanes])
            body.write(products, made, [start + group])

    if count == groups * lanes:
        some(0)
    else:
        body.loop(0, count, groups * lanes, [made], some)
    return made


def _sums(
    body: Body, vectors: VectorUnit, lhs: Array, rhs: Array, rows: Sequence[Index]
) -> list[Number]:
    """Emits, for each row, a register of sums."""
    lanes = vectors.lanes(lhs.element)

    def add(inside: Body, k: Number, sums: list[Number]) -> list[Number]:
        x = inside.read(lhs, [k], lanes)
        weights = [cast(inside, inside.read(rhs, [n, k], lanes), lhs.element) for n in rows]
        return add_outer_product(sums, [x], weights)

    zeros = [body.constant(0, lhs.element, lanes)] * len(rows)
    return accumulate(body, known(lhs.shape)[0], lanes, zeros, add)


def _reduced(body: Body, sums: Sequence[Number]) -> Number:
    """Emits the sums of the lanes of as many registers as each has lanes, as one register.

    Each level adds the halves of the parts of a register that belong to one row, and puts the rows
    of two registers into one, in their order.
    """
    lanes = part = len(sums)
    while len(sums) > 1:
        starts = range(0, lanes, part)
        low = [k + n for k in starts for of in (0, lanes) for n in range(of, of + part // 2)]
        high = [n + part // 2 for n in low]
        half = len(sums) // 2
        sums = [
            shuffled(*pair, low) + shuffled(*pair, high)
            for pair in zip(sums[:half], sums[half:], strict=True)
        ]
        part //= 2
    return sums[0]


# The tiles that a product of few rows is divided into, each with its sums in registers.

_MIN_COLUMNS = 4
"""The fewest columns of a panel that `tiles_of` divides."""


def min_columns(format: WeightFormat) -> int:
    """The fewest columns of a panel."""
    return _MIN_COLUMNS if format.is_grouped else 1


class Tile(NamedTuple):
    """Some rows of a product, and as many columns as fit into registers.

    Attributes:
        columns: The panel and the first column of each vector.
        lanes: The columns of a vector.
    """

    rows: range
    columns: list[tuple[int, int]]
    lanes: int

    @property
    def coordinates(self) -> list[tuple[int, int, int]]:
        """The row, the panel and the column of each vector of sums."""
        return [(row, *column) for row in self.rows for column in self.columns]


def starts_of(width: int, lanes: int) -> list[int]:
    """Where the vectors of some columns start; the last may overlap the previous one.

    Example:
        >>> starts_of(20, 8)
        [0, 8, 12]
    """
    return [*range(0, width - lanes, lanes), width - lanes]


def tiles_of(
    vectors: VectorUnit, rows: int, panels: int, width: int, sums: int = 1
) -> Iterator[Tile]:
    """The tiles of a product summed in 32 bits; panels have at least `_MIN_COLUMNS` columns.

    `sums` is the number of sums of each element of a tile.
    """
    lanes = next(n for n in (vectors.lanes("f32"), 8, _MIN_COLUMNS) if n <= width)
    columns = [(panel, start) for panel in range(panels) for start in starts_of(width, lanes)]
    high = max(1, vectors.rows // sums)
    for first in range(0, rows, high):
        some = range(first, min(first + high, rows))
        wide = max(1, 3 * vectors.registers // 4 // sums // max(len(some), 3))
        for number in range(0, len(columns), wide):
            yield Tile(some, columns[number : number + wide], lanes)


@dataclass(frozen=True)
class TileProduct(ABC):
    """The product of a tile, with panels of groups.

    Attributes:
        lhs: The left-hand side, ``[K]`` or ``[rows, K]``.
    """

    format: WeightFormat
    lhs: Array
    panels: Sequence[Array]
    tile: Tile

    @abstractmethod
    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products, added to the sums, row by row."""

    def at(self, row: int, k: Index) -> list[Index]:
        """The indices of a number of a row of the left-hand side."""
        return [row, k] if len(self.lhs.shape) > 1 else [k]


# The product of one row and a panel, or several side by side, summed in registers.
#
#     sums[column] = fma(lhs[k], rhs[k, column], sums[column])     # a register of columns at a time
#
# IREE lowers such a product, as an op of `linalg`, to vectors as long as the panel is wide. For
# 96 columns, three gates of 32, that code takes 1.7 times as long.


def row_fma(body: Body, vectors: VectorUnit, lhs: Array, panels: Sequence[Array]) -> Array:
    """Emits the products of a row ``[K]`` and panels ``[K, P]``, P at least a register.

    Numbers of fewer bits are widened to the element type of the row.
    """
    inner, width = known(panels[0].shape)
    lanes = vectors.lanes(lhs.element)
    starts = starts_of(width, lanes)
    columns = [(panel, column) for panel in range(len(panels)) for column in starts]

    def add(inside: Body, k: Number, sums: list[Number]) -> list[Number]:
        x = inside.broadcast(inside.element(lhs, [k]), lanes)
        weights = [inside.read(panels[panel], [k, column], lanes) for panel, column in columns]
        wide = [cast(inside, weight, lhs.element) for weight in weights]
        return add_outer_product(sums, [x], wide)

    made = body.empty(ArrayType((len(panels) * width,), lhs.element))
    sums = [body.constant(0, lhs.element, lanes)] * len(columns)
    sums = accumulate_unrolled(body, inner, vectors.rows_unrolled(len(sums)), sums, add)
    for (panel, column), total in zip(columns, sums, strict=True):
        body.write(total, made, [panel * width + column])
    return made


# Tiles of a product of bfloat16 numbers, multiplied as pairs.
#
# A pair is two numbers that are adjacent along the contracted axis, k even and k + 1, in 32 bits
# with the even one in the low half. Panels of weights are ``[K/2, P]`` pairs, as ``i32``
# (`packing`). A tile broadcasts each pair of its left-hand side to all lanes of a register, and
# computes
#
#     sums[row, :] = fma(even, even', fma(odd, odd', sums[row, :]))          # in float32
#
# which x86's `vdpbf16ps` does in one instruction, with twice the throughput of float32. Without
# that instruction, both numbers are widened to float32 in registers by a shift and a mask, and
# multiplied in the same order. The bits are the same on every x86 target without a matrix unit,
# and panels take half the memory either way. The instruction treats denormal numbers as zero. So
# does `bfdot` of aarch64, which may also round each of the two products and their sum separately
# (Arm's manual, FEAT_EBF16 and BFDotAdd).
#
# A matrix unit (`cpu.matrix_unit`) adds the pairs of 32 numbers to sums that start from zero, the
# even and the odd ones apart, and then both sums to the total:
#
#     total[row, :] = total[row, :] + (evens[row, :] + odds[row, :])
#
# The tiles of a product for such a processor do the same, whether the unit multiplies it or not.
#
# The left-hand side has the element type that suits the processor (`targets.vector_unit`):
# bfloat16 for the instruction, float32 if pairs are widened. If K is odd, the odd number of the
# last pair is zero in the panel and is never read from a row, where it might be a NaN. A panel
# may also be unpacked, ``[K, P]`` of bfloat16.

_UNROLLED = 2
"""Pairs that an iteration of the loop multiplies."""

_HIGH = -(1 << 16)
"""The bits of a pair's odd number."""


def add_pairs(format: WeightFormat, total: Number, weights: Number, pairs: Number) -> Number:
    """Emits a register of sums plus the products of pairs, by the instruction of the format."""
    operands = [total, bitcast(weights, "bf16"), bitcast(pairs, "bf16")]
    return intrinsic(format.instruction(total.lanes), operands, total)


def add_apart(sums: Sequence[Number], add: Callable[[list[Number]], list[Number]]) -> list[Number]:
    """Emits sums after adding those of some pairs, which `add` adds to zeros, even ones first."""
    like = sums[0]
    zero = like.body.constant(0, like.element, like.lanes)
    apart = add([zero] * (2 * len(sums)))
    evens, odds = apart[: len(sums)], apart[len(sums) :]
    both = [even + odd for even, odd in zip(evens, odds, strict=True)]
    return [total + each for total, each in zip(sums, both, strict=True)]


def add_halves(
    sums: Sequence[Number], lefts: Sequence[Number], weights: Sequence[Number]
) -> list[Number]:
    """Emits the products of pairs, the even numbers' added to the first half of the sums."""
    half, made = len(sums) // 2, list[Number]()
    for number, some in enumerate((sums[:half], sums[half:])):
        wide = [_half(each, number) for each in weights]
        made += add_outer_product(some, (_half(each, number) for each in lefts), wide)
    return made


def _half(pairs: Number, number: int) -> Number:
    """Emits the even (0) or the odd (1) numbers of a register of pairs in float32."""
    return bitcast(pairs & _HIGH if number else pairs << 16, "f32")


class PairsProduct(TileProduct):
    """The product of a tile of bfloat16 numbers, summed in float32."""

    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products, added to the sums, row by row."""
        inner = known(self.lhs.shape)[-1]
        if not self.format.summed:
            return self._pairs(body, 0, inner, sums)
        at_once = self.format.summed
        whole = inner // at_once * at_once

        def block(body: Body, first: Index, count: int, sums: Sequence[Number]) -> list[Number]:
            return add_apart(sums, lambda apart: self._pairs(body, first // 2, count, apart))

        if whole:
            sums = accumulate(
                *(body, whole, at_once, sums),
                lambda inside, first, sums: block(inside, first, at_once, sums),
            )
        rest = inner - whole
        return block(body, body.index(whole), rest, sums) if rest else sums

    def _pairs(self, body: Body, first: Index, count: int, sums: Sequence[Number]) -> list[Number]:
        """Emits the products of some numbers from a pair on, added to the sums."""
        pairs, odd = divmod(count, 2)
        add = self._add_apart if self.format.summed else self._add
        sums = accumulate_unrolled(
            *(body, pairs, _UNROLLED, [*sums]),
            lambda inside, pair, sums: add(inside, pair + first, sums),
        )
        return add(body, body.index(pairs) + first, sums, whole=False) if odd else sums

    def _add_apart(
        self, body: Body, pair: Number, sums: Sequence[Number], *, whole: bool = True
    ) -> list[Number]:
        """Emits the products of one pair of each row, the even ones added to the first sums."""
        weights = [self._weights(body, pair, *column, whole=whole) for column in self.tile.columns]
        lefts = [
            body.broadcast(self._pair(body, row, pair, whole=whole), self.tile.lanes)
            for row in self.tile.rows
        ]
        return add_halves(sums, lefts, weights)

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


# Tiles of a product of int8 numbers, summed in int32.
#
# Each lane of a register sums the products of one column. An instruction adds the products of a
# group of numbers that are adjacent along K in the panel (`targets.vector_unit`):
#
#     sums[row, column] += lhs[row, k] * panel[k, column] + lhs[row, k+1] * panel[k+1, column] + ..
#
# Panels are ``[K/group, P*group]`` bytes, and a group of the left-hand side has as many bits as a
# lane. Bytes are read without `vector.bitcast`, because IREE treats an `arith.extsi` of one as
# `arith.extui` (`tests/traps/test_int8_arithmetic.py`).

_GROUPS_UNROLLED = 4
"""The groups that one iteration of the loop multiplies."""


class Int8Product(TileProduct):
    """The product of a tile of int8 numbers, summed in int32; K is a multiple of the group."""

    def emit(self, body: Body, sums: list[Number]) -> list[Number]:
        """Emits the products, added to the sums, row by row."""
        return accumulate_unrolled(
            body, known(self.panels[0].shape)[0], _GROUPS_UNROLLED, sums, self._add
        )

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


# Tiles of a matrix product on a CPU: sizes that divide, accumulators in registers.

_GROUPED: Mapping[str, type[TileProduct]] = {"bf16": PairsProduct, "i8": Int8Product}
"""The products with panels of groups, by the element type of the weights."""


def tile_matmul(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    rhs: Array,
    start: Array | None = None,
    unit: MatrixUnit | None = None,
    number: int = 0,
) -> Array:
    """Emits the product of ``[K]`` or ``[rows, K]`` with a panel ``[K, P]``, from `packing.pack`.

    If there are rows, `start` has the sums to add it to. The result is int32 if the left-hand side
    has been quantized. If the matrix unit of the dispatch takes the product, it is on the stack
    until the next product with its number.
    """
    if unit is not None and start is None and unit.takes(format, lhs, rhs):
        rows, columns = known(lhs.shape)[0], format.columns(known(rhs.shape)[1])
        made = unit.stack(number, rows, columns, format.sums)
        unit_matmul(body, vectors, format, lhs, rhs, unit, (made, [0, 0]))
        return made
    if format.is_grouped:
        return _grouped_matmul(body, vectors, format, lhs, [rhs], start)
    if len(lhs.shape) == 1 and known(rhs.shape)[1] >= vectors.lanes(lhs.element):
        return row_fma(body, vectors, lhs, [rhs])
    return _plain_matmul(body, vectors, format, lhs, rhs, start)


def _plain_matmul(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    rhs: Array,
    start: Array | None,
) -> Array:
    """Emits the product of some rows, or a row of few columns, as `row_fma` does it.

    As an op of `linalg`, it would start from an array of zeros. IREE moves that out of the loops
    around the product, and copies it, number by number, in each iteration.
    """
    (*rows, inner), width = known(lhs.shape), known(rhs.shape)[1]
    element, lanes = lhs.element, vectors.columns(width, lhs.element) if rows else width
    height = divisor(rows[0], vectors.tile_rows(format)) if rows else 1
    unrolled = divisor(inner, vectors.tile_unrolled)
    made = start or body.empty(ArrayType((*rows, width), element))

    def tile(first: Number, column: Number) -> None:
        places = [[first + row] if rows else [] for row in range(height)]

        def add(inside: Body, k: Number, sums: list[Number]) -> list[Number]:
            some = [k + number for number in range(unrolled)]
            read = [inside.read(rhs, [each, column], lanes) for each in some]
            for each, weights in zip(some, read, strict=True):
                numbers = (inside.element(lhs, [*place, each]) for place in places)
                spread = (inside.broadcast(number, lanes) for number in numbers)
                sums = add_outer_product(sums, spread, [cast(inside, weights, element)])
            return sums

        if start is None:
            sums = [body.constant(0, element, lanes)] * height
        else:
            sums = [body.read(made, [*place, column], lanes) for place in places]
        sums = accumulate(body, inner, unrolled, sums, add)
        for place, total in zip(places, sums, strict=True):
            body.write(total, made, [*place, column])

    def columns(column: Number) -> None:
        body.loop(0, math.prod(rows), height, [made], lambda first: tile(first, column))

    body.loop(0, width, lanes, [made], columns)
    return made


def row_matmul(
    body: Body, vectors: VectorUnit, format: WeightFormat, lhs: Array, panels: Sequence[Array]
) -> list[Array]:
    """Emits the products of a row with some panels, with as many independent sums as possible.

    They come side by side, ``[G*P]``; or separately, if a panel does not fill a register.
    """
    if format.is_grouped:
        return [_grouped_matmul(body, vectors, format, lhs, panels)]
    if known(panels[0].shape)[1] >= vectors.lanes(lhs.element):
        return [row_fma(body, vectors, lhs, panels)]
    return [tile_matmul(body, vectors, format, lhs, panel) for panel in panels]


def _grouped_matmul(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    panels: Sequence[Array],
    start: Array | None = None,
) -> Array:
    """Emits the product of a few rows with a panel of groups, or of one row with several."""
    rows, width = known(lhs.shape)[:-1], format.columns(known(panels[0].shape)[1])
    made = start or body.empty(ArrayType((*rows, len(panels) * width), format.sums))
    at = [0] * len(made.shape)
    _register_tiles(body, vectors, format, lhs, panels, (made, at), is_added=start is not None)
    return made


def _register_tiles(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    panels: Sequence[Array],
    to: tuple[Array, Sequence[Index]],
    *,
    is_added: bool = False,
) -> None:
    """Emits the same, to a position of an array, or added to what is there.

    If there are more rows than fit registers, in a loop, whose last iteration repeats some.
    """
    rows, width = known(lhs.shape)[:-1], format.columns(known(panels[0].shape)[1])
    (made, (*first, start)), apart = to, 2 if format.summed else 1
    if rows and rows[0] > vectors.rows:
        count, (inner,) = vectors.rows, known(lhs.shape)[1:]

        def some(number: Number) -> None:
            row = (number * count).at_most(rows[0] - count)
            part = body.extract(lhs, [row, 0], (count, inner))
            _register_tiles(body, vectors, format, part, panels, (made, [first[0] + row, start]))

        assert not is_added

        body.loop(0, -(-rows[0] // count), 1, [] if made.is_memory else [made], some)
        return
    for tile in tiles_of(vectors, rows[0] if rows else 1, len(panels), width, apart):
        positions: list[list[Index]] = [
            [*(each + row for each in first), start + (panel * width + column)]
            for row, panel, column in tile.coordinates
        ]
        if is_added:
            sums = [body.read(made, position, tile.lanes) for position in positions]
        else:
            sums = [body.constant(0, format.sums, tile.lanes)] * len(positions)
        sums = _GROUPED[format.weight](format, lhs, panels, tile).emit(body, sums)
        for position, total in zip(positions, sums, strict=True):
            body.write(total, made, position)


def unit_matmul(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    panel: Array,
    unit: MatrixUnit,
    to: tuple[Array, Sequence[Index]],
) -> None:
    """Emits a product that the matrix unit takes, to a position of an array.

    Where the system refuses the unit, tiles of registers compute the same bits.
    """
    carried = [] if to[0].is_memory else [to[0]]
    body.when(
        unit.permitted,
        carried,
        lambda: unit.multiply(body, format, lhs, panel, to),
        lambda: _register_tiles(body, vectors, format, lhs, [panel], to),
    )

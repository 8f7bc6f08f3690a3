"""Rows of float32 as int8 numbers with a scale, as `builder.int8` defines them.

The largest magnitude of a row is found by comparing bits as integers: nonnegative numbers have the
same order, and NaNs are larger than all others.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, known
from rnn_compiler.lowering.codegen.elementwise import cast
from rnn_compiler.lowering.codegen.registers import accumulate, bitcast, reduce
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat
from rnn_compiler.schema.int8 import FRACTION_BITS, LARGEST, LEAST

_MAGNITUDE = 0x7FFFFFFF
"""The bits of a float32 without its sign."""


class Int8Rows(NamedTuple):
    """Rows of int8 numbers.

    Attributes:
        scales: A scale for each row.
        corrections: A number to add to each row's sums, which compensates for the offset of the
            weights; None if they have none.
    """

    numbers: Array
    scales: Array
    corrections: Array | None = None

    @property
    def arrays(self) -> list[Array]:
        """The arrays that there are."""
        return [each for each in self if each is not None]

    def tile(self, body: Body, first: Sequence[Index], rows: int) -> Array:
        """Emits the numbers of some rows; `first` has the indices of the first one."""
        sizes = (*([rows] if rows > 1 else []), *self.numbers.shape[-1:])
        return body.extract(self.numbers, [*first, 0], sizes)


def int8_types(format: WeightFormat, width: int, leading: Sequence[Index]) -> list[ArrayType]:
    """The types of the arrays of `Int8Rows`, whose leading axes index rows."""
    return [
        ArrayType((*leading, format.groups(width) * format.group), format.quantized_lhs),
        ArrayType((*leading,), "f32"),
        *([ArrayType((*leading,), "i32")] if format.offset else []),
    ]


def quantize_row(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    source: tuple[Array, Sequence[Index]],
    width: int,
    rows: Int8Rows,
    index: Sequence[Index],
) -> None:
    """Emits a row of int8 numbers from a row of float32."""
    array, at = source
    lanes = vectors.lanes("f32")
    full, rest = width // lanes * lanes, width % lanes

    largest = _largest(body, lanes, source, width)
    most = body.constant(LARGEST << FRACTION_BITS, "f32")
    factor = body.number("arith.divf", [most, largest], "f32")

    def rounded(inside: Body, column: Index, count: int) -> Number:
        numbers = inside.read(array, [*at, column], count) * inside.broadcast(factor, count)
        fixed = inside.number("arith.fptosi", [numbers], "i32", count) + (1 << (FRACTION_BITS - 1))
        by = inside.constant(FRACTION_BITS, "i32", count)
        integers = inside.number("arith.shrsi", [fixed, by], "i32", count)
        inside.write(cast(inside, integers, rows.numbers.element), rows.numbers, [*index, column])
        return integers

    def add(inside: Body, column: Number, sums: list[Number]) -> list[Number]:
        return [sums[0] + rounded(inside, column, lanes)]

    whole = width // format.group * format.group
    padded = known(rows.numbers.shape[-1:])[0]
    if padded > width:
        zeros = body.constant(0, rows.numbers.element, padded - whole)
        body.write(zeros, rows.numbers, [*index, whole])
    total = body.constant(0, "i32")
    if full:
        zero = body.constant(0, "i32", lanes)
        (sums,) = accumulate(body, full, lanes, [zero], add, carried=[rows.numbers])
        total = reduce(sums, "add")
    if rest:
        total = total + reduce(rounded(body, body.index(full), rest), "add")
    if rows.corrections is not None:
        body.put(total * -format.offset, rows.corrections, index)
    is_finite = body.compare("olt", largest, body.constant(math.inf, "f32"))
    scale = body.number("arith.divf", [largest, body.constant(LARGEST, "f32")], "f32")
    scale = body.select(is_finite, scale, body.constant(math.nan, "f32"))
    body.put(scale, rows.scales, index)


def _largest(body: Body, lanes: int, source: tuple[Array, Sequence[Index]], width: int) -> Number:
    """Emits the largest magnitude of a row of float32, at least `LEAST`.

    Magnitudes are compared as integers, in which NaN is larger than infinity.
    """
    array, at = source
    full, rest = width // lanes * lanes, width % lanes

    def magnitude(inside: Body, column: Index, count: int) -> Number:
        bits = bitcast(inside.read(array, [*at, column], count), "i32")
        mask = inside.constant(_MAGNITUDE, "i32", count)
        return inside.number("arith.andi", [bits, mask], "i32", count)

    def larger(inside: Body, column: Number, largest: list[Number]) -> list[Number]:
        both = [magnitude(inside, column, lanes), *largest]
        return [inside.number("arith.maxsi", both, "i32", lanes)]

    largest = body.constant(_bits(LEAST), "i32")
    if full:
        least = body.broadcast(largest, lanes)
        (found,) = accumulate(body, full, lanes, [least], larger)
        largest = reduce(found, "maxsi")
    if rest:
        largest = largest.at_least(reduce(magnitude(body, full, rest), "maxsi"))
    return body.number("arith.bitcast", [largest], "f32")


def rescaled(
    body: Body, sums: Number, rows: Int8Rows, index: Sequence[Index], scale: Number
) -> Number:
    """Emits some columns of a row of a product, from a vector of its int32 sums."""
    if rows.corrections is not None:
        sums = sums + body.broadcast(body.element(rows.corrections, index), sums.lanes)
    own = body.broadcast(body.element(rows.scales, index), sums.lanes)
    return body.number("arith.sitofp", [sums], "f32", sums.lanes) * (own * scale)


def _bits(number: float) -> int:
    """The bits of a float32, as an integer."""
    (bits,) = struct.unpack("<i", struct.pack("<f", number))
    return bits

"""The product of one row and some rows of an unpacked matrix, ``[N, K]``.

    sums[n] = fma(lhs[k], rhs[n, k], sums[n])           # a register of k at a time, for each n
    product[n] = the sum of all lanes of sums[n]

As many rows as a register has lanes are reduced together, by a tree of shuffles that ends in one
register of products. Packing the matrix (`packing`) would cost more than it saves if the matrix is
read only once.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen.arithmetic import cast
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.registers import accumulate, add_outer_product
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

__all__ = ["row_dot"]


def row_dot(
    body: Body, vectors: VectorUnit, lhs: Array, rhs: Array, first: Index, count: int
) -> Array:
    """Emits the products of a row with consecutive rows of a matrix.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        lhs: ``[K]``, K a multiple of the lanes of a register.
        rhs: ``[N, K]``; numbers of fewer bits are widened.
        first: The first row of the matrix.
        count: The number of rows; a multiple of the lanes.

    Returns:
        ``[count]``, of the element type of `lhs`.
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
            _shuffle(body, pair, low) + _shuffle(body, pair, high)
            for pair in zip(sums[:half], sums[half:], strict=True)
        ]
        part //= 2
    return sums[0]


def _shuffle(body: Body, pair: tuple[Number, Number], lanes: Sequence[int]) -> Number:
    """Emits a register of lanes taken from two registers."""
    element, count = pair[0].element, len(lanes)
    return body.number("vector.shuffle", [*pair], element, count, {"mask": integers(lanes)})

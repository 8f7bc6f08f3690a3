"""Tiles of a matrix product on a CPU: sizes that divide, sums in registers."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.cpu.paired_product import PAIRED, paired_product
from rnn_compiler.lowering.cpu.row_tile import row_tile
from rnn_compiler.lowering.kernel import linalg
from rnn_compiler.lowering.kernel.attributes import cpu_tiles
from rnn_compiler.lowering.kernel.body import Array, ArrayType, Body, known, spare_block
from rnn_compiler.lowering.kernel.number import element_type
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

__all__ = ["row_matmul", "tile_matmul", "zeros_in_place"]


def zeros_in_place(body: Body, vectors: VectorUnit, array: Array) -> Array:
    """Emits zeros in the place of an array.

    They are distributed, in name only: where a single op is, IREE 3.13 repeats the loops that make
    what that op reads, writing and all, in its tiles.
    """
    zero = body.constant(0, array.element)
    columns = divisor(known(array.shape)[-1], vectors.width(array.element))
    rank = len(array.shape)
    block = spare_block([element_type(array.element)])
    Body(block, body.location).op("linalg.yield", [zero])
    tiles = cpu_tiles([1] * (rank - 1) + [columns], [0] * rank)
    (made,) = linalg.generic(body, [], [array], block, tiles)
    return made


def tile_matmul(
    body: Body,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    start: Array | None = None,
    *,
    lhs_transposed: bool = False,
) -> Array:
    """Emits the product of a few rows with a panel, summed in float32 or float64.

    Args:
        body: Where to.
        vectors: The vector unit.
        lhs: ``[K]``, ``[rows, K]``, or ``[K, rows]`` if it is transposed.
        rhs: ``[K, P]``; of bfloat16 it makes the product one of pairs (`paired_product`).
        start: What the product is added to, ``[P]`` or ``[rows, P]``; None for zeros.
        lhs_transposed: Whether `lhs` is. Its tiles are higher and less wide then, since its rows
            fill registers too.
    """
    if rhs.element in PAIRED:
        return paired_product(body, vectors, lhs, [rhs], start, lhs_transposed=lhs_transposed)
    inner, width = known(rhs.shape)
    element = lhs.element
    if len(lhs.shape) == 1 and width >= vectors.lanes(element):
        return row_tile(body, vectors, lhs, [rhs], start)
    rows = known(lhs.shape)[lhs_transposed : lhs_transposed + 1] if len(lhs.shape) == 2 else ()
    columns = vectors.columns(width, element) if rows else width
    tallest = vectors.rows
    if lhs_transposed and columns == vectors.width(element):
        columns, tallest = columns // 2, 2 * tallest
    parallel = [*(divisor(n, tallest) for n in rows), columns, 0]
    reduction = [*(0 for _ in parallel[:-1]), divisor(inner, 4)]
    if start is None:
        start = linalg.zeros(body, ArrayType((*rows, width), element))
    axes = (0 if lhs_transposed else 1, 0)
    return linalg.matmul(body, lhs, rhs, start, cpu_tiles(parallel, reduction), axes)


def row_matmul(body: Body, vectors: VectorUnit, lhs: Array, panels: Sequence[Array]) -> list[Array]:
    """Emits the products of a row with some panels, as many sums under way at once as can be.

    Args:
        body: Where to.
        vectors: The vector unit.
        lhs: ``[K]``.
        panels: Each ``[K, P]``; as pairs of bfloat16 (`paired_product`), ``[K/2, P]``.

    Returns:
        The products side by side, ``[G*P]``; or each by itself, if a panel fills no register.
    """
    rhs = panels[0]
    if rhs.element in PAIRED:
        return [paired_product(body, vectors, lhs, panels)]
    if known(rhs.shape)[1] >= vectors.lanes(lhs.element):
        return [row_tile(body, vectors, lhs, panels)]
    return [tile_matmul(body, vectors, lhs, panel) for panel in panels]

"""Tiles of a matrix product on a CPU: sizes that divide, accumulators in registers."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import cpu_tiles
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.cpu.tiles.bfloat16_pairs import PAIRED, pairs_matmul
from rnn_compiler.lowering.cpu.tiles.row_fma import row_fma
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

__all__ = ["row_matmul", "tile_matmul"]


def tile_matmul(
    body: Body,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    start: Array | None = None,
) -> Array:
    """Emits the product of a few rows with a panel, summed in float32 or float64.

    Its initial zeros are marked as distributed, like those of `zeros_in_place` and for the same
    reason: the product must not be the only op of its dispatch with that mark.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        lhs: ``[K]`` or ``[rows, K]``.
        rhs: ``[K, P]``; bfloat16 is multiplied in pairs (`pairs_matmul`).
        start: The sums to add it to, ``[P]`` or ``[rows, P]``; None for zeros.
    """
    if rhs.element in PAIRED:
        return pairs_matmul(body, vectors, lhs, [rhs], start)
    inner, width = known(rhs.shape)
    element = lhs.element
    if len(lhs.shape) == 1 and width >= vectors.lanes(element):
        return row_fma(body, vectors, lhs, [rhs], start)
    rows = known(lhs.shape)[:-1]
    columns = vectors.columns(width, element) if rows else width
    parallel = [*(divisor(n, vectors.rows) for n in rows), columns, 0]
    reduction = [*(0 for _ in parallel[:-1]), divisor(inner, vectors.tile_unrolled)]
    if start is None:
        tiles = cpu_tiles(parallel[:-1], [0] * len(parallel[:-1]))
        start = linalg.zeros(body, ArrayType((*rows, width), element), tiles)
    return linalg.matmul(body, lhs, rhs, start, cpu_tiles(parallel, reduction), (1, 0))


def row_matmul(body: Body, vectors: VectorUnit, lhs: Array, panels: Sequence[Array]) -> list[Array]:
    """Emits the products of a row with some panels, with as many independent sums as possible.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        lhs: ``[K]``.
        panels: Each ``[K, P]``; as pairs of bfloat16 (`pairs_matmul`), ``[K/2, P]``.

    Returns:
        The products side by side, ``[G*P]``; or separately, if a panel does not fill a register.
    """
    rhs = panels[0]
    if rhs.element in PAIRED:
        return [pairs_matmul(body, vectors, lhs, panels)]
    if known(rhs.shape)[1] >= vectors.lanes(lhs.element):
        return [row_fma(body, vectors, lhs, panels)]
    return [tile_matmul(body, vectors, lhs, panel) for panel in panels]

"""Tiles of a matrix product on a CPU: sizes that divide, accumulators in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import cpu_tiles
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.number import Index
from rnn_compiler.lowering.cpu.tiles.bfloat16_pairs import PairsProduct
from rnn_compiler.lowering.cpu.tiles.int8_groups import Int8Product
from rnn_compiler.lowering.cpu.tiles.register_tiles import TileProduct, tiles_of
from rnn_compiler.lowering.cpu.tiles.row_fma import row_fma
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["row_matmul", "tile_matmul"]

_GROUPED: Mapping[str, type[TileProduct]] = {"bf16": PairsProduct, "i8": Int8Product}
"""The products with panels of groups, by the element type of the weights."""


def tile_matmul(
    body: Body,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: Array,
    rhs: Array,
    start: Array | None = None,
) -> Array:
    """Emits the product of a few rows with a panel.

    Its initial zeros are marked as distributed, like those of `zeros_in_place` and for the same
    reason: the product must not be the only op of its dispatch with that mark.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        format: The format of the panel.
        lhs: ``[K]`` or ``[rows, K]``.
        rhs: ``[K, P]``; of groups, as `packing.pack` returns it.
        start: The sums to add it to, ``[P]`` or ``[rows, P]``; None for zeros.

    Returns:
        ``[P]`` or ``[rows, P]``, of int32 if the left-hand side has been quantized.
    """
    if format.is_grouped:
        return _grouped_matmul(body, vectors, format, lhs, [rhs], start)
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


def row_matmul(
    body: Body, vectors: VectorUnit, format: WeightFormat, lhs: Array, panels: Sequence[Array]
) -> list[Array]:
    """Emits the products of a row with some panels, with as many independent sums as possible.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        format: The format of the panels.
        lhs: ``[K]``.
        panels: Each ``[K, P]``; of groups, as `packing.pack` returns them.

    Returns:
        The products side by side, ``[G*P]``; or separately, if a panel does not fill a register.
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
    for tile in tiles_of(vectors, rows[0] if rows else 1, len(panels), width):
        positions: list[list[Index]] = [
            [*([row] if rows else []), panel * width + column]
            for row, panel, column in tile.coordinates
        ]
        if start is None:
            sums = [body.constant(0, format.sums, tile.lanes)] * len(positions)
        else:
            sums = [body.read(made, position, tile.lanes) for position in positions]
        sums = _GROUPED[format.weight](format, lhs, panels, tile).emit(body, sums)
        for position, total in zip(positions, sums, strict=True):
            body.write(total, made, position)
    return made

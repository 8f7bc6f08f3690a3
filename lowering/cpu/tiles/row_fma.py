"""The product of one row and a panel, or several side by side, summed in registers.

    sums[column] = fma(lhs[k], rhs[k, column], sums[column])     # a register of columns at a time

IREE lowers such a product, as an op of `linalg`, to vectors as long as the panel is wide. For 96
columns, three gates of 32, that code takes 1.7 times as long.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen.arithmetic import cast
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.codegen.registers import accumulate_unrolled, add_outer_product
from rnn_compiler.lowering.cpu.tiles.register_tiles import starts_of
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["row_fma"]


def row_fma(
    body: Body,
    vectors: VectorUnit,
    lhs: Array,
    panels: Sequence[Array],
    start: Array | None = None,
) -> Array:
    """Emits the products of a row and some panels.

    Args:
        body: The body that gets the ops.
        vectors: The vector unit.
        lhs: ``[K]``.
        panels: Each ``[K, P]``, P at least a register; numbers of fewer bits are widened.
        start: The sums to add them to, ``[G*P]``; None for zeros.

    Returns:
        ``[G*P]`` for G panels, of the element type of `lhs`.
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

    made = start or body.empty(ArrayType((len(panels) * width,), lhs.element))
    if start is None:
        sums = [body.constant(0, lhs.element, lanes)] * len(columns)
    else:
        sums = [body.read(made, [panel * width + column], lanes) for panel, column in columns]
    sums = accumulate_unrolled(body, inner, vectors.rows_unrolled(len(sums)), sums, add)
    for (panel, column), total in zip(columns, sums, strict=True):
        body.write(total, made, [panel * width + column])
    return made

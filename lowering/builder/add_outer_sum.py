"""Outer sums, `lhs^T @ rhs`: what gradients of weights are, of all steps or of a block of time.

In blocks, each is added where it belongs in the vector of all gradients. It is emitted as a
`stablehlo.composite` with a plain decomposition, as `time_loop` is, so that lowering may do it in
place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["add_outer_sum", "plain_outer_sum"]


def add_outer_sum(
    b: Builder,
    total: Value,
    offset: int,
    lhs: Value,
    rhs: Value,
    lengths: Value | None,
    start: int,
) -> Value:
    """Adds ``lhs^T @ rhs``, over all steps and rows, to a part of a vector.

    Args:
        b: The builder.
        total: The vector; the products are summed in its dtype.
        offset: Where in it the part begins.
        lhs: ``[T, B, M]``.
        rhs: ``[T, B, N]``.
        lengths: How many steps each row of the batch has, int64 ``[B]``; None if all have all.
            Where ``start + t >= lengths[b]``, `lhs` is 0 and `rhs` is finite.
        start: The time of the first step.

    Returns:
        The vector with its new part.
    """
    lhs, rhs = _matrix(lhs), _matrix(rhs)
    shape = (lhs.shape[1], rhs.shape[1])
    if 0 in (*lhs.shape, *rhs.shape):
        return total

    def decomposition(total: Value, lhs: Value, rhs: Value, *_: Value) -> list[Value]:
        b.formula("part = part + lhs^T @ rhs")
        part = total.slice(0, offset, offset + math.prod(shape)).reshape(*shape)
        return [total.with_part(offset, (part + lhs.dot(rhs, (0, 0), total.dtype)).flat())]

    (result,) = b.composite(
        "add_outer_sum",
        [total, lhs, rhs, *([] if lengths is None else [lengths])],
        {"offset": offset} | ({} if lengths is None else {"start": start}),
        decomposition,
        ["total", "lhs", "rhs", *([] if lengths is None else ["lengths"])],
    )
    return result


def plain_outer_sum(lhs: Value, rhs: Value, dtype: str) -> Value:
    """``lhs^T @ rhs``, over all steps and rows, of ``[T, B, M]`` and ``[T, B, N]``, in a dtype."""
    return _matrix(lhs).dot(_matrix(rhs), (0, 0), dtype)


def _matrix(value: Value) -> Value:
    """All rows of all steps of ``[T, B, N]``."""
    T, B, width = value.shape
    return value.reshape(T * B, width)

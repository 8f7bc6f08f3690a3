"""The product of a padded sequence with a matrix.

It is emitted as a `stablehlo.composite` with a plain decomposition, as `time_loop` is, so that
lowering may leave out the rows past a sequence's end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["padded_product"]


def padded_product(
    b: Builder,
    rows: Value,
    matrix: Value,
    axis: int,
    dtype: str,
    lengths: Value | None,
    start: int = 0,
) -> Value:
    """Multiplies every row of every step with a matrix.

    Args:
        b: The builder.
        rows: The sequence, ``[T, B, K]``.
        matrix: ``[K, N]``, or ``[N, K]`` if `axis` is 1.
        axis: The axis of the matrix that is summed over.
        dtype: What is summed in, and the result's.
        lengths: How many steps each row of the batch has, int64 ``[B]``; None if all have all.
        start: The time of the first step.

    Returns:
        ``[T, B, N]``. Where ``start + t >= lengths[b]``, it is anything.
    """
    T, B, width = rows.shape

    def decomposition(rows: Value, matrix: Value, *_: Value) -> list[Value]:
        flat = rows.reshape(T * B, width)
        return [flat.dot(matrix, (1, axis), dtype).reshape(T, B, matrix.shape[1 - axis])]

    if lengths is None or 0 in (*rows.shape, *matrix.shape):
        return decomposition(rows, matrix)[0]
    (result,) = b.composite(
        "padded_product",
        [rows, matrix, lengths],
        {"axis": axis, "start": start},
        decomposition,
        ["rows", "matrix", "lengths"],
    )
    return result

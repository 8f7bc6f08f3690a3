"""The sum of the outer products of all rows of all steps that count, where sizes are open.

It is emitted as a `stablehlo.composite` with a plain decomposition, as `time_loop` is, so that
lowering may read rows where they lie, and those that count alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.add_outer_sum import plain_outer_sum

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["outer_sum"]


def outer_sum(b: Builder, lhs: Sequence[Value], rhs: Value, count: Value, dtype: str) -> Value:
    """Sums ``[lhs, ..][t]^T @ rhs[t]`` over the steps that count.

    Args:
        b: The builder.
        lhs: Sequences ``[T, B, M]``, taken side by side.
        rhs: A sequence ``[T, B, N]``.
        count: How many steps count, int64 scalar; what is past them may be NaN.
        dtype: What is summed in, and the result's.

    Returns:
        ``[M, N]``, M the columns of all of `lhs`.
    """

    def decomposition(count: Value, rhs: Value, *lhs: Value) -> list[Value]:
        b.formula("counts = t < count")
        counts = b.iota(rhs.shape[:2], 0).compare("LT", count)

        def counted(rows: Value) -> Value:
            mask = counts.broadcast_in_dim(rows.shape, (0, 1))
            return b.select(mask, rows, b.full(0, rows.shape, rows.dtype))

        b.formula("sums = lhs^T @ rhs")
        sides = [counted(each) for each in (*lhs, rhs)]
        return [plain_outer_sum(b.concatenate(sides[:-1], 2), sides[-1], dtype)]

    lhs = [each for each in lhs if each.shape[2]]
    names = ["count", "right", *(f"left{number}" for number in range(len(lhs)))]
    operands, attributes = [count, rhs, *lhs], {"left": len(lhs)}
    (result,) = b.composite("outer_sum", operands, attributes, decomposition, names)
    return result

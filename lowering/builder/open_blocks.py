"""What a block of time adds to the gradients of a layer, where the sequence's length is open.

A block begins at the step `start`, a value, and is as long as all others; of the last one, and of
blocks past the sequence's end, fewer steps count, or none. Each is emitted as a
`stablehlo.composite` with a plain decomposition, as `time_loop` is, so that lowering may change the
vector in place and read sequences where they lie.

Rows of a block past the steps that count are 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rnn_compiler.lowering.builder.add_outer_sum import plain_outer_sum

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["Factors", "OpenBlock"]


class Factors(NamedTuple):
    """The two sides of an outer sum that is added to a part of a vector.

    Attributes:
        offset: Where in it the part begins.
        lhs: The block, ``[n, B, M]``.
        rhs: A whole sequence, ``[T, B, N]``.
    """

    offset: int
    lhs: Value
    rhs: Value

    @property
    def is_some(self) -> bool:
        """Whether there is anything to add."""
        return 0 not in (*self.lhs.shape[1:], *self.rhs.shape[1:])


@dataclass(frozen=True)
class OpenBlock:
    """A block of time of open length.

    Attributes:
        b: The builder.
        start: Its first step, int64 scalar.
        count: How many of its steps count, int64 scalar.
        lengths: How many steps each row of the batch has, int64 ``[B]``; None if all have all.
    """

    b: Builder
    start: Value
    count: Value
    lengths: Value | None

    def add_outer_sums(self, total: Value, factors: Sequence[Factors], *, is_first: bool) -> Value:
        """Adds ``lhs^T @ rhs``, over the block's steps and rows, to parts of a vector.

        Args:
            total: The vector; all is summed in its dtype.
            factors: What is multiplied, and where it goes.
            is_first: Whether the parts are 0.

        Returns:
            The vector with its new parts.
        """
        b, factors = self.b, [each for each in factors if each.is_some]
        if not factors:
            return total

        def decomposition(total: Value, start: Value, *others: Value) -> list[Value]:
            _, *sides = others
            b.formula("part = part + lhs^T @ rhs[start:]")
            for k, each in enumerate(factors):
                offset, lhs, rhs = each.offset, sides[k], sides[len(factors) + k]
                nothing = b.full(0, (rhs.shape[0], *lhs.shape[1:]), lhs.dtype)
                made = plain_outer_sum(_with_block(nothing, start, lhs), rhs, total.dtype).flat()
                part = total.slice(0, offset, offset + math.prod(made.shape))
                total = total.with_part(offset, part + made)
            return [total]

        values = [*(each.lhs for each in factors), *(each.rhs for each in factors)]
        attributes = {f"offset{k}": each.offset for k, each in enumerate(factors)}
        attributes |= {"products": len(factors), "is_first": is_first}
        names = ["total", "start", "count", *(f"side{k}" for k in range(len(values)))]
        operands = [total, self.start, self.count, *values]
        return self._composite("add_open_outer_sums", operands, names, attributes, decomposition)

    def put_product(
        self, total: Value | None, like: Value, rows: Value, matrix: Value, dtype: str
    ) -> Value:
        """Writes ``rows @ matrix`` where the block is in a sequence.

        Args:
            total: The sequence, ``[T, B, N]``; None for a new one.
            like: A sequence of as many steps and rows.
            rows: The block, ``[n, B, K]``.
            matrix: ``[K, N]``.
            dtype: What is summed in, and the sequence's.

        Returns:
            The sequence with its new part. Rows that no block writes, and those of a block past
            their lengths, are anything.
        """
        shape = (*like.shape[:2], matrix.shape[1])
        if 0 in (*rows.shape[1:], *matrix.shape):
            return self.b.full(0, shape, dtype)

        def decomposition(
            total: Value, rows: Value, matrix: Value, start: Value, *_: Value
        ) -> list[Value]:
            self.b.formula("total[start:] = rows @ matrix")
            if is_new:
                total = self.b.full(0, shape, dtype)
            n, B, K = rows.shape
            made = rows.reshape(n * B, K).dot(matrix, (1, 0), dtype)
            return [_with_block(total, start, made.reshape(n, B, matrix.shape[1]))]

        is_new = total is None
        operands = [like if total is None else total, rows, matrix, self.start, self.count]
        names = ["total", "rows", "matrix", "start", "count"]
        attributes = {"is_new": is_new}
        return self._composite("put_open_product", operands, names, attributes, decomposition)

    def put(self, total: Value | None, rows: Value, like: Value) -> Value:
        """Writes the block's rows where they belong in a sequence, or in a new one."""
        if total is None:
            total = self.b.full(0, (*like.shape[:2], rows.shape[2]), rows.dtype)
        return _with_block(total, self.start, rows)

    def _composite(
        self,
        name: str,
        operands: Sequence[Value],
        names: Sequence[str],
        attributes: Mapping[str, int],
        decomposition: Callable[..., Sequence[Value]],
    ) -> Value:
        """A composite that is also given the lengths, if there are several."""
        lengths = self.lengths
        if lengths is not None and lengths.shape != (1,):
            operands, names = [*operands, lengths], [*names, "lengths"]
        (result,) = self.b.composite(name, operands, attributes, decomposition, names)
        return result


def _with_block(total: Value, start: Value, rows: Value) -> Value:
    """A sequence with a block in its place, as far as that reaches."""
    b = total.builder
    more = b.full(0, rows.shape, total.dtype)
    return b.concatenate([total, more], 0).with_rows(start, rows).slice(0, 0, total.shape[0])

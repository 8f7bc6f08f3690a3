"""Products of the rows of all steps: with a matrix, and summed outer products, `lhs^T @ rhs`.

Each is emitted as the `stablehlo.composite` ``product`` with a plain decomposition, as `time_loop`
is, so that lowering can skip padding, read sequences in place, and write in place. Its attributes
are those of `composite_attributes.ProductAttributes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from rnn_compiler.lowering.mlir.composite_attributes import ProductAttributes

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


class Factors(NamedTuple):
    """The two sides of an outer sum that goes to a part of a vector.

    Attributes:
        offset: The position of the part in the vector.
        lhs: The rows, ``[n, B, M]``.
        rhs: The rows, ``[n, B, N]``; if sizes are open a whole sequence, ``[T, B, N]``.
    """

    offset: int
    lhs: Value
    rhs: Value

    @property
    def is_some(self) -> bool:
        """Whether there is anything to add."""
        return 0 not in (*self.lhs.shape, *self.rhs.shape)


@dataclass(frozen=True)
class Products:
    """Products of the rows of some steps, all or those of a block of time.

    If sizes are open, the first step of a block is a value, and all blocks have the same length; in
    the last one, and in blocks past the end of the sequence, only `count` steps are valid.

    Attributes:
        start: The time of the first step, an int64 scalar where it is open.
        count: The number of valid steps, int64 scalar; None for all.
        lengths: The number of steps of each row of the batch, int64 ``[B]``; None if every row has
            every step.
    """

    b: Builder
    start: int | Value = 0
    count: Value | None = None
    lengths: Value | None = None

    def rows(self, rows: Value, matrix: Value, axis: int, dtype: str) -> Value:
        """Multiplies every row ``[T, B, K]`` with ``[K, N]``, or with ``[N, K]`` if `axis` is 1.

        The result, ``[T, B, N]``, is undefined where ``start + t >= lengths[b]``.
        """

        def decomposition(rows: Value, matrix: Value, *_: Value) -> list[Value]:
            return [_rows_product(rows, matrix, axis, dtype)]

        if matrix.is_int8:  # all rows: they take a quarter of the time
            return rows.dot(matrix, (2, axis), dtype)
        if self._lengths is None or 0 in (*rows.shape, *matrix.shape):
            return decomposition(rows, matrix)[0]
        operands = [("lhs", rows), ("rhs", matrix)]
        return self._composite("rows", operands, decomposition, axis=axis)

    def put_rows(
        self, into: Value | None, like: Value, rows: Value, matrix: Value, dtype: str
    ) -> Value:
        """Writes ``rows [n, B, K] @ matrix [K, N]``, a block of open length, into ``[T, B, N]``.

        A new sequence gets T and B from `like`. Rows that no block writes, and padding in a block,
        are undefined.
        """
        shape = (*like.shape[:2], matrix.shape[1])
        if 0 in (*rows.shape[1:], *matrix.shape):
            return self.b.full(0, shape, dtype)

        def decomposition(rows: Value, matrix: Value, into: Value, *others: Value) -> list[Value]:
            self.b.formula("into[start:] = rows @ matrix")
            whole = self.b.full(0, shape, dtype) if is_new else into
            return [_with_block(whole, others[0], _rows_product(rows, matrix, 0, dtype))]

        is_new = into is None
        target = ("like", like) if into is None else ("into", into)
        operands = [("lhs", rows), ("rhs", matrix), target]
        return self._composite("rows", operands, decomposition)

    def put(self, total: Value | None, rows: Value, like: Value) -> Value:
        """Writes the rows of an open block to their place in a sequence, or in a new one."""
        if total is None:
            total = self.b.full(0, (*like.shape[:2], rows.shape[2]), rows.dtype)
        return _with_block(total, self._start, rows)

    def outer_sum(self, lhs: Sequence[Value], rhs: Value, dtype: str) -> Value:
        """Sums ``[lhs, ..][t]^T @ rhs[t]`` over the steps that count, where sizes are open.

        The sequences are ``[T, B, M]``, concatenated, and ``[T, B, N]``; invalid steps may be NaN.
        """
        b, lhs = self.b, [each for each in lhs if each.shape[2]]

        def decomposition(*sides: Value) -> list[Value]:
            *lhs, rhs, count = sides
            b.formula("counts = t < count")
            counts = b.iota(rhs.shape[:2], 0).compare("LT", count)
            b.formula("sums = lhs^T @ rhs")
            rows = b.concatenate([each.masked(counts) for each in lhs], 2)
            return [plain_outer_sum(rows, rhs.masked(counts), dtype)]

        operands = [*(("lhs", each) for each in lhs), ("rhs", rhs)]
        return self._composite("outer_sums", operands, decomposition)

    def add_outer_sums(
        self, into: Value, factors: Sequence[Factors], *, is_first: bool = False
    ) -> Value:
        """Adds ``lhs^T @ rhs`` over the steps and rows that count to parts of a vector.

        Invalid rows of `lhs` are 0, and those of `rhs` are finite. The parts are 0 if `is_first`.
        """
        b, factors = self.b, [each for each in factors if each.is_some]
        if not factors:
            return into

        def decomposition(*operands: Value) -> list[Value]:
            lefts, rights = operands[: len(factors)], operands[len(factors) :]
            total = operands[2 * len(factors)]
            b.formula("part = part + lhs^T @ rhs")
            for each, lhs, rhs in zip(factors, lefts, rights, strict=False):
                if not isinstance(self.start, int):
                    nothing = b.full(0, (rhs.shape[0], *lhs.shape[1:]), lhs.dtype)
                    lhs = _with_block(nothing, operands[2 * len(factors) + 1], lhs)
                made = plain_outer_sum(lhs, rhs, total.dtype)
                part = total.slice(0, each.offset, each.offset + math.prod(made.shape))
                part = part.reshape(*made.shape) + made
                total = total.with_part(each.offset, part.flat())
            return [total]

        operands = [("lhs", each.lhs) for each in factors]
        operands += [("rhs", each.rhs) for each in factors]
        operands.append(("into", into))
        offsets = [each.offset for each in factors]
        return self._composite(
            "outer_sums", operands, decomposition, offsets=offsets, is_added=not is_first
        )

    @property
    def _lengths(self) -> Value | None:
        """The lengths, if there is more than one row; for a single row the count says the same."""
        if self.lengths is None or self.lengths.shape == (1,):
            return None
        return self.lengths

    @property
    def _start(self) -> Value:
        assert not isinstance(self.start, int)
        return self.start

    def _composite(
        self,
        form: Literal["rows", "outer_sums"],
        operands: Sequence[tuple[str, Value]],
        decomposition: Callable[..., Sequence[Value]],
        *,
        axis: int = 0,
        offsets: Sequence[int] = (),
        is_added: bool = False,
    ) -> Value:
        """A composite that also takes `start`, `count` and `lengths`, as far as they are given."""
        given = list(operands)
        if not isinstance(self.start, int):
            given.append(("start", self.start))
        for role, value in (("count", self.count), ("lengths", self._lengths)):
            if value is not None:
                given.append((role, value))
        roles = [role for role, _ in given]
        start = self.start if isinstance(self.start, int) else 0
        said = ProductAttributes(form, roles, axis, start, offsets, is_added).values()
        names = [f"{role}_{k}" if roles.count(role) > 1 else role for k, role in enumerate(roles)]
        values = [value for _, value in given]
        (result,) = self.b.composite("product", values, said, decomposition, names)
        return result


def plain_outer_sum(lhs: Value, rhs: Value, dtype: str) -> Value:
    """``lhs^T @ rhs``, over all steps and rows, of ``[T, B, M]`` and ``[T, B, N]``, in a dtype."""
    return _matrix(lhs).dot(_matrix(rhs), (0, 0), dtype)


def _matrix(value: Value) -> Value:
    """All rows of all steps of ``[T, B, N]``."""
    T, B, width = value.shape
    return value.reshape(T * B, width)


def _rows_product(rows: Value, matrix: Value, axis: int, dtype: str) -> Value:
    T, B, _ = rows.shape
    return _matrix(rows).dot(matrix, (1, axis), dtype).reshape(T, B, matrix.shape[1 - axis])


def _with_block(total: Value, start: Value, rows: Value) -> Value:
    """A sequence with a block written at its place, clipped to the sequence."""
    b = total.builder
    more = b.full(0, rows.shape, total.dtype)
    return b.concatenate([total, more], 0).with_rows(start, rows).slice(0, 0, total.shape[0])

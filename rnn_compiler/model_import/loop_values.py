"""Values of a loop's step, which readers of graphs follow symbolically.

A value is a state, the step's input, a constant, or an expression. A product with a constant matrix
becomes a sum of matrices times values, and a bias; slices take rows of these. Equal expressions
are one object, so that a comparison takes no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnn_compiler.model_import.reading import MOST_AXES, Budget


@dataclass(frozen=True, eq=False)
class Value:
    """A value of a step.

    Attributes:
        kind: What computes it.
        of: The values it is computed from.
        data: A constant's array; of an affine sum, its matrices by the values they multiply, and
            its bias.
    """

    kind: str
    of: tuple[Value, ...] = ()
    data: Any = None


class Expressions:
    """Makes values of values, the same one for the same."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.made: dict[Any, Value] = {}
        """The expressions, by their kinds and values; readers of graphs keep results here too."""

    def make(self, kind: str, *of: Value) -> Value:
        """An expression."""
        return self.made.setdefault((kind, of), Value(kind, of))

    def product(self, source: Value, matrix: Any, bias: Any = None) -> Value | None:
        """A matrix, [rows, columns], times a value, and a bias."""
        if matrix.ndim != 2:
            return None
        self._budget.take(4 * len(matrix))
        added: Any = np.zeros(len(matrix), np.float32) if bias is None else bias
        return affine({source: matrix}, added) if added.shape == (len(matrix),) else None

    def sum(self, left: Value, right: Value) -> Value | None:
        """A sum; of affine sums and constants, an affine sum."""
        for one, other in ((left, right), (right, left)):
            if one.kind == "affine" and other.kind in ("affine", "constant"):
                return self._affine_sum(one, other)
        return self.make("add", left, right)

    def _affine_sum(self, one: Value, other: Value) -> Value | None:
        """An affine sum and another one, or a constant."""
        terms, bias = one.data
        none: dict[Value, Any] = {}
        others, added = other.data if other.kind == "affine" else (none, other.data)
        if added.size not in (1, bias.size) or added.shape[-1:] not in ((), (added.size,)):
            return None
        if others.keys() & terms.keys():
            return None
        self._budget.take(bias.nbytes)
        return affine({**terms, **others}, bias + added.reshape(-1))


def of_constant(array: Any) -> Value:
    """A value that is a constant."""
    return Value("constant", (), array)


def affine(terms: Mapping[Value, Any], bias: Any) -> Value | None:
    """A sum of matrices times values, and a bias; None if their sizes differ."""
    if any(len(matrix) != bias.size for matrix in terms.values()):
        return None
    return Value("affine", (), (terms, bias))


def rows(value: Value, start: int, stop: int, count: int) -> Value | None:
    """Some rows of an affine sum of that many, or elements of a constant."""
    if not 0 <= start < stop <= count:
        return None
    if value.kind == "affine" and value.data[1].size == count:
        terms, bias = value.data
        return affine({key: m[start:stop] for key, m in terms.items()}, bias[start:stop])
    if value.kind == "constant" and value.data.shape[-1:] == (count,):
        return of_constant(value.data[..., start:stop])
    return None


def width(value: Value) -> int:
    """The number of columns of an affine sum, or of a constant.

    Raises:
        ValueError: It is neither.
    """
    if value.kind == "affine":
        return value.data[1].size
    if value.kind == "constant" and value.data.ndim:
        return value.data.shape[-1]
    raise ValueError(value.kind)


def between(value: Value, start: int, stop: int) -> Value | None:
    """The columns from one to another, which may count from the last one."""
    count = width(value)
    start, stop = (each + count if each < 0 else each for each in (start, stop))
    return rows(value, start, min(stop, count), count)


def part(value: Value, sizes: list[int], k: int) -> Value | None:
    """One of several parts of given sizes, of which one may be -1: what remains."""
    count = width(value)
    if sizes.count(-1) == 1:
        sizes = [each if each != -1 else count - sum(sizes) - 1 for each in sizes]
    start = sum(sizes[:k])
    return rows(value, start, start + sizes[k], count) if sum(sizes) == count else None


def integers(value: Value) -> list[int]:
    """The elements of a constant of integers.

    Raises:
        ValueError: It is none, or has more elements than a place has axes.
    """
    if value.kind != "constant" or value.data.dtype.kind != "i" or value.data.size > MOST_AXES:
        raise ValueError(value.kind)
    return value.data.ravel().tolist()


def is_number(value: Value, number: float) -> bool:
    """Whether a value is a constant of one number."""
    return value.kind == "constant" and value.data.size == 1 and value.data.item() == number

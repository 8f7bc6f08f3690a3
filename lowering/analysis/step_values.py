"""Values of a step of a loop as sums of terms, from which cells can be recognized.

A term is a coefficient times activations, and possibly times a carried value or an input, or its
product with a matrix. Sums and products are multiplied out: `(1 - z) * n + z * h` and
`n + z * (h - n)` are the same sum. Layouts are followed through transposes. Arrays that depend only
on constants of the scan are computed when an op takes them.

Whatever is not of this form raises `NotACellError`, which says what it met.

Variables and arrays are those of whoever reads the loop: JAX's, the ones of MLIR, or numpy's. An
array has a shape, and is sliced, transposed, reshaped, added and multiplied as numpy's are.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array = Any
"""An array of the reader's."""


class NotACellError(Exception):
    """A scan, or a part of its body, that no op computes; the message says why."""


class Known:
    """An array that depends only on constants of the scan.

    Attributes:
        shape: Its shape.
        spread: What it is a broadcast of, and to which axes, if it is one.
        transposed: The matrix that it is the transpose of, if it is one.
    """

    def __init__(
        self,
        compute: Callable[[], Array],
        shape: Sequence[int],
        spread: tuple[Known, tuple[int, ...]] | None = None,
        transposed: Known | None = None,
    ) -> None:
        self._compute = compute
        self.shape = tuple(shape)
        self.spread = spread
        self.transposed = transposed
        self._cuts: dict[tuple[int, int], Sequence[Array]] = {}

    @functools.cached_property
    def array(self) -> Array:
        """The array itself."""
        return self._compute()

    @property
    def turned(self) -> Array:
        """The transpose of the matrix, which is not transposed twice."""
        return self.array.T if self.transposed is None else self.transposed.array

    def part(self, start: int, stop: int) -> Known:
        """Some of its last axis."""
        size, source = stop - start, self.transposed
        if source is not None:
            rows = Known(lambda: source.cut(start, stop, 0), (size, *source.shape[1:]))
            return Known(lambda: rows.array.T, (*self.shape[:-1], size), transposed=rows)
        axis = len(self.shape) - 1
        return Known(lambda: self.cut(start, stop, axis), (*self.shape[:-1], size))

    def cut(self, start: int, stop: int, axis: int) -> Array:
        """A part of the array.

        Parts of one size, as the gates have, are cut at once: their gradients are put side by side,
        where those of slices are each padded with zeros and added up.
        """
        size, whole = stop - start, self.shape[axis]
        library = getattr(self.array, "__array_namespace__", None)
        if library is None or start % size or whole % size:
            return self.array[(*[slice(None)] * axis, slice(start, stop))]
        if (size, axis) not in self._cuts:
            self._cuts[size, axis] = library().split(self.array, whole // size, axis)
        return self._cuts[size, axis][start // size]

    def number(self) -> float | None:
        """The number that fills the array, if it is known now."""
        if self.spread is not None:
            return self.spread[0].number()
        value: Any = self.array if not self.shape else None
        kinds: tuple[Any, ...] = (int, float, np.ndarray, np.generic)
        return float(value) if isinstance(value, kinds) else None

    def along(self, axis: int) -> Known:
        """The array as a vector; it must be the same along all its other axes."""
        source, axes = self.spread or (self, tuple(range(len(self.shape))))
        others = [size for at, size in zip(axes, source.shape, strict=True) if at != axis]
        if math.prod(others) != 1:
            raise NotACellError("it adds or multiplies by an array that differs along the batch")
        return Known(lambda: source.array.reshape(-1), (math.prod(source.shape),))


Coefficient: TypeAlias = "float | Known"


class StepInput(NamedTuple):
    """A carried value or an input of the step, ``[batch ..., units]``."""

    variable: Any
    shape: tuple[int, ...]

    @property
    def units(self) -> int:
        """The size of the last axis."""
        return self.shape[-1]


@dataclass(frozen=True, eq=False)
class ActivatedValue:
    """A function of a value. Each call is one object, and so is each part of it."""

    function: str
    argument: SumOfTerms
    parts: dict[tuple[int, int], ActivatedValue] = field(
        default_factory=dict[tuple[int, int], "ActivatedValue"]
    )

    def part(self, start: int, stop: int) -> ActivatedValue:
        """Some of its units."""
        if (start, stop) not in self.parts:
            made = ActivatedValue(self.function, self.argument.part(start, stop))
            self.parts[start, stop] = made
        return self.parts[start, stop]


class Term(NamedTuple):
    """What a coefficient is multiplied by.

    Attributes:
        activations: Functions of values.
        factor: A `StepInput` or, in a product with a matrix, also a value; None for the number 1.
        product: Whether the coefficient is a matrix by which the factor is multiplied.
    """

    activations: tuple[ActivatedValue, ...] = ()
    factor: StepInput | SumOfTerms | None = None
    product: bool = False


@dataclass(frozen=True, eq=False)
class SumOfTerms:
    """A sum: the coefficients of its terms.

    Axis k of the array is axis ``order[k]`` of [batch ..., units].
    """

    terms: Mapping[Term, Coefficient]
    units: int
    order: tuple[int, ...]

    @property
    def axis(self) -> int:
        """The axis of the units in the array."""
        return self.order.index(len(self.order) - 1)

    def with_terms(self, terms: Mapping[Term, Coefficient]) -> SumOfTerms:
        """Other terms in the same layout."""
        return SumOfTerms({k: c for k, c in terms.items() if c != 0.0}, self.units, self.order)

    def part(self, start: int, stop: int) -> SumOfTerms:
        """Some of its units."""
        if (start, stop) == (0, self.units):
            return self
        terms: dict[Term, Coefficient] = {}
        for term, coefficient in self.terms.items():
            if term.factor is not None and not term.product:
                raise NotACellError("it takes a part of an input or a carried value")
            parts = _ordered(each.part(start, stop) for each in term.activations)
            terms[term._replace(activations=parts)] = _part(coefficient, start, stop)
        return SumOfTerms(terms, stop - start, self.order)


@dataclass(frozen=True, eq=False)
class Joined:
    """Values side by side, such as [x, h]."""

    parts: tuple[SumOfTerms, ...]


Operand: TypeAlias = SumOfTerms | Joined | Known


def entering(variable: Any, shape: Sequence[int]) -> SumOfTerms:
    """A carried value or an input of the step."""
    if not shape:
        raise NotACellError("it carries a number, or takes one for each step")
    term = Term(factor=StepInput(variable, tuple(shape)))
    return SumOfTerms({term: 1.0}, shape[-1], tuple(range(len(shape))))


def _ordered(activations: Iterable[ActivatedValue]) -> tuple[ActivatedValue, ...]:
    """The factors of a product, in the order that is the same for all products of them."""
    return tuple(sorted(activations, key=id))


def product_of(*activations: ActivatedValue) -> Term:
    """The term that is a product of activations."""
    return Term(_ordered(activations))


def _part(coefficient: Coefficient, start: int, stop: int) -> Coefficient:
    if not isinstance(coefficient, Known):
        return coefficient
    return coefficient.part(start, stop)


def _sum(a: Coefficient, b: Coefficient) -> Coefficient:
    if not isinstance(a, Known):
        if not isinstance(b, Known):
            return a + b
        return b if a == 0.0 else Known(lambda: a + b.array, b.shape)
    return Known(lambda: a.array + (b.array if isinstance(b, Known) else b), a.shape)


def times(a: Coefficient, b: Coefficient) -> Coefficient:
    """The product of two coefficients; one must be a number."""
    if isinstance(a, Known):
        a, b = b, a
    if isinstance(a, Known):
        raise NotACellError("it multiplies by an array of weights elementwise")
    if not isinstance(b, Known):
        return a * b
    return b if a == 1.0 else Known(lambda: a * b.array, b.shape)


def _check_layout(a: SumOfTerms, b: SumOfTerms) -> None:
    if (a.order, a.units) != (b.order, b.units):
        raise NotACellError("it combines arrays of different axes")


def add(a: SumOfTerms, b: SumOfTerms, factor: float = 1.0) -> SumOfTerms:
    """The sum of a and factor * b."""
    _check_layout(a, b)
    terms = dict(a.terms)
    for term, coefficient in b.terms.items():
        terms[term] = _sum(terms.get(term, 0.0), times(factor, coefficient))
    return a.with_terms(terms)


def multiply(a: SumOfTerms, b: SumOfTerms) -> SumOfTerms:
    """The product of two values, multiplied out."""
    _check_layout(a, b)
    terms: dict[Term, Coefficient] = {}
    for one, first in a.terms.items():
        for other, second in b.terms.items():
            if one.factor is not None and other.factor is not None:
                raise NotACellError("it multiplies inputs or carried values with each other")
            term = one if one.factor is not None else other
            term = term._replace(activations=_ordered((*one.activations, *other.activations)))
            terms[term] = _sum(terms.get(term, 0.0), times(first, second))
    return a.with_terms(terms)


def activated(function: str, value: SumOfTerms) -> SumOfTerms:
    """A function of a value."""
    return value.with_terms({Term((ActivatedValue(function, value),)): 1.0})


def negative(value: SumOfTerms) -> SumOfTerms:
    """The negative of a sum."""
    return add(value.with_terms({}), value, -1.0)


def sliced(value: SumOfTerms, sizes: Sequence[int], *bounds: Sequence[int]) -> SumOfTerms:
    """Some of the units: a slice of an array of these sizes, by its starts, stops and strides."""
    starts, stops, strides = bounds
    if {*strides} != {1}:
        raise NotACellError("it takes every other element of an array")
    if any(stops[k] - starts[k] != size for k, size in enumerate(sizes) if k != value.axis):
        raise NotACellError("it takes a part of the batch")
    return value.part(starts[value.axis], stops[value.axis])


def joined(parts: tuple[SumOfTerms, ...], axis: int) -> Joined:
    """Values that are joined along an axis of their arrays, if it is that of the units."""
    if any(each.axis != axis or each.order != parts[0].order for each in parts):
        raise NotACellError("it joins arrays along another axis than the last")
    return Joined(parts)


def transposed(value: SumOfTerms, permutation: Sequence[int]) -> SumOfTerms:
    """A value whose array is transposed."""
    return SumOfTerms(value.terms, value.units, tuple(value.order[axis] for axis in permutation))


def value_of(operand: Operand) -> SumOfTerms:
    """An operand that is one value."""
    if not isinstance(operand, SumOfTerms):
        raise NotACellError("it joins arrays for something else than a product")
    return operand


def alike(operands: Sequence[Operand]) -> tuple[SumOfTerms, SumOfTerms]:
    """Two operands, at least one of them a value, in one layout."""
    like = next(value_of(each) for each in operands if not isinstance(each, Known))
    first, second = (
        constant(each, like) if isinstance(each, Known) else value_of(each) for each in operands
    )
    return first, second


def constant(known: Known, like: SumOfTerms) -> SumOfTerms:
    """An array of weights, or a number, in the layout of a value."""
    number: Coefficient | None = known.number()
    if number is None and known.shape:
        vector = known.along(like.axis)
        number = vector if vector.shape == (like.units,) else None
    if number is None:
        raise NotACellError("it adds or multiplies by a number that is not known when it is traced")
    return like.with_terms({Term(): number})


def product(
    value: SumOfTerms | Joined, axis: int, matrix: Known, rows: int, *, before: bool
) -> SumOfTerms:
    """A value, contracted over an axis of its array, times a matrix over the axis `rows`.

    `before` tells whether the value's other axes come before the matrix' other one.
    """
    if isinstance(value, Joined):
        columns = [each.units for each in value.parts]
        starts = [sum(columns[:k]) for k in range(len(columns))]
        products = [
            product(each, axis, _rows(matrix, rows, start, each.units), 0, before=before)
            for each, start in zip(value.parts, starts, strict=True)
        ]
        return functools.reduce(add, products)
    if value.axis != axis:
        raise NotACellError("it multiplies a matrix and another axis than the last of an array")
    last = len(value.order) - 1
    rest = [at for at in value.order if at != last]
    factor: StepInput | SumOfTerms = value
    if [*value.terms.values()] == [1.0]:
        (term,) = value.terms
        if isinstance(term.factor, StepInput) and not term.activations and not term.product:
            factor = term.factor
    return SumOfTerms(
        {Term(factor=factor, product=True): _rows(matrix, rows, 0, value.units)},
        matrix.shape[1 - rows],
        (*rest, last) if before else (last, *rest),
    )


def _rows(matrix: Known, rows: int, start: int, count: int) -> Known:
    """Some rows of a matrix whose rows are along an axis: [count, columns]."""
    if rows == 0 and count == matrix.shape[0]:
        return matrix

    if rows == 1 and count == matrix.shape[1]:
        return Known(lambda: matrix.array.T, (count, matrix.shape[0]), transposed=matrix)

    def compute() -> Array:
        return (matrix.array if rows == 0 else matrix.array.T)[start : start + count]

    return Known(compute, (count, matrix.shape[1 - rows]))

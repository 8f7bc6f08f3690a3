"""Open sizes: known when a function is called, not when it is built.

An open dimension, and every size computed from it, is an `Open`: a polynomial of dimensions. A
`Size` is an int or an `Open`. Both support the same arithmetic, so formulas of sizes are written
only once:

    T = open_dimension("seq_length")
    4 * T * 16 + 2                      # 64*seq_length + 2

An `Open` cannot be compared by order or used as an index. Code that needs the number must ask for
it with `static`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

OPEN_DIMENSIONS = ("seq_length", "batch_size")
"""The dimensions of ops that may be open. A network may have others (`network_import`)."""

_Terms = Mapping[tuple[str, ...], int]
"""Coefficients by the sorted dimensions of their term; a constant term has no dimensions."""


class Open:
    """An open size."""

    __slots__ = ("terms",)

    def __init__(self, terms: _Terms) -> None:
        self.terms = dict(terms)
        if len(terms) > 1:
            self.terms = dict(sorted(terms.items(), key=lambda term: (-len(term[0]), term[0])))

    @property
    def names(self) -> frozenset[str]:
        """The dimensions it depends on."""
        return frozenset(name for names in self.terms for name in names)

    def __add__(self, other: Size) -> Size:
        if not isinstance(other, (int, Open)):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        total = dict(self.terms)
        for names, factor in terms(other).items():
            total[names] = total.get(names, 0) + factor
        return _size(total)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + other * -1

    def __rsub__(self, other: Size) -> Size:
        return self * -1 + other

    def __mul__(self, other: Size) -> Size:
        if not isinstance(other, (int, Open)):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        total: dict[tuple[str, ...], int] = {}
        for left, one in self.terms.items():
            for right, two in terms(other).items():
                names = tuple(sorted(left + right))
                total[names] = total.get(names, 0) + one * two
        return _size(total)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Open) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(tuple(self.terms.items()))

    def __str__(self) -> str:
        texts = [
            "*".join([*([str(factor)] if factor != 1 or not names else []), *names])
            for names, factor in self.terms.items()
        ]
        return " + ".join(texts)

    def __repr__(self) -> str:
        return f"Open({self})"


Size: TypeAlias = int | Open
"""A size, known or open."""

Bound: TypeAlias = Size | tuple[Size, ...]
"""The least or the largest value of integers: of all, or of each along their last axis."""

_T = TypeVar("_T")


def open_dimension(name: str) -> Open:
    """An open dimension.

    Example:
        >>> T, B = open_dimension("seq_length"), open_dimension("batch_size")
        >>> 2 * (T * B - B) + 3 * B
        Open(2*batch_size*seq_length + batch_size)
        >>> T - T
        0
    """
    return Open({(name,): 1})


def product(sizes: Iterable[Size]) -> Size:
    """The product of some sizes."""
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def terms(size: Size) -> Mapping[tuple[str, ...], int]:
    """The polynomial of a size: coefficients, by the dimensions of their terms."""
    return size.terms if isinstance(size, Open) else {(): size}


def is_static(*sizes: object) -> bool:
    """Whether no size is open."""
    return not names_in(*sizes)


def static(sizes: Iterable[Size]) -> tuple[int, ...]:
    """Sizes that are all known."""
    return tuple(map(static_size, sizes))


def static_size(size: Size) -> int:
    """A size that is known."""
    if isinstance(size, Open):
        raise TypeError(f"the size {size} is not known before a call")
    return size


def names_in(*sizes: object) -> frozenset[str]:
    """The names that some sizes depend on."""
    return frozenset[str]().union(*(size.names for size in sizes if isinstance(size, Open)))


def open_names(sizes: Iterable[object]) -> list[str]:
    """The open dimensions that some sizes depend on: `OPEN_DIMENSIONS`, then others by name."""
    found = names_in(*sizes)
    others = sorted(found.difference(OPEN_DIMENSIONS))
    return [*(name for name in OPEN_DIMENSIONS if name in found), *others]


def parts_of(number: Bound) -> tuple[Size, ...]:
    """The sizes in the least or largest value of integers."""
    return number if isinstance(number, tuple) else (number,)


def bound(size: Size, dims: Mapping[str, _T]) -> Size | _T:
    """The value of a size at given dimensions; those that are not given stay open.

    Example:
        >>> bound(open_dimension("seq_length") * 8 + 1, {"seq_length": 3})
        25
    """
    total: Any = 0
    for names, factor in terms(size).items():
        product: Any = factor
        for name in names:
            product *= dims.get(name, open_dimension(name))
        total += product
    return total


def written(size: Any) -> Any:
    """A size for JSON: an open size as text, several as a list, anything else unchanged."""
    if isinstance(size, tuple):
        return [*map(written, cast("tuple[Any, ...]", size))]
    return str(size) if isinstance(size, Open) else size


def parse(text: Any, names: Collection[str] | None = None) -> Any:
    """Reads the output of `written`."""
    if isinstance(text, list):
        return tuple(parse(each, names) for each in cast("list[Any]", text))
    if not isinstance(text, str):
        return text
    total: Any = 0
    for term in text.split(" + "):
        product: Any = 1
        for factor in term.split("*"):
            if re.fullmatch(r"-?\d+", factor):
                product *= int(factor)
            elif factor.isidentifier() if names is None else factor in names:
                product *= open_dimension(factor)
            else:
                raise ValueError(f"not a size: {text!r}")
        total += product
    return total


def shown(size: object) -> str:
    """A size for display in types, ``?`` if it is open."""
    return "?" if isinstance(size, Open) else str(size)


def formula(number: Size) -> str:
    """A number, or an open size as an expression, as in C.

    Example:
        >>> formula(3 * open_dimension("seq_length") - 2)
        '3 * seq_length - 2'
    """
    if not isinstance(number, Open):
        return str(number)
    text = ""
    for names, factor in number.terms.items():
        size = abs(factor)
        term = " * ".join([*([str(size)] if size != 1 or not names else []), *names])
        sign = "-" if factor < 0 else "+"
        text += f" {sign} {term}" if text else f"-{term}" if factor < 0 else term
    return text


def in_range(minimum: Bound, maximum: Bound, also: int | None, text: str) -> str:
    """The values that integers may have, in words.

    Args:
        minimum: The least one, or that of each along the last axis.
        maximum: The largest one, or that of each along the last axis.
        also: Another one, if there is one.
        text: How a range is written, with places for both.

    Example:
        >>> in_range(0, 2, -1, "{}..{}")
        '0..2 or -1'
        >>> in_range((-4, 0), (3, 2), None, "{}..{}")
        '-4..3 and 0..2 along the last axis'
    """
    pairs = zip(map(formula, parts_of(minimum)), map(formula, parts_of(maximum)), strict=True)
    found = " and ".join(text.format(*pair) for pair in pairs)
    along = " along the last axis" if isinstance(maximum, tuple) else ""
    return f"{found}{along}" + ("" if also is None else f" or {also}")


def null_if_open(size: Size) -> int | None:
    """A size for JSON if another field defines open ones: an open one as null."""
    return None if isinstance(size, Open) else size


def json_sizes(tensor: Mapping[str, Any], numbers: Iterable[str]) -> dict[str, Any]:
    """A tensor's fields for JSON.

    Open sizes in its shape become null, and a field ``sizes`` defines them.
    """
    fields = {**tensor, **{name: written(tensor[name]) for name in numbers}}
    if is_static(*tensor["shape"]):
        return fields
    shape = [null_if_open(size) for size in tensor["shape"]]
    return fields | {"shape": shape, "sizes": [written(size) for size in tensor["shape"]]}


def read_sizes(row: Mapping[str, Any], numbers: Iterable[str]) -> dict[str, Any]:
    """Reads the output of `json_sizes`."""
    fields = dict(row)
    sizes = fields.pop("sizes", fields["shape"])
    if [None if isinstance(size, str) else size for size in sizes] != [*fields["shape"]]:
        raise ValueError(f"sizes {sizes} of shape {fields['shape']}")
    fields["shape"] = tuple(map(parse, sizes))
    return fields | {name: parse(fields.get(name)) for name in numbers}


def _size(terms: _Terms) -> Size:
    """The size given by a polynomial; an int if it is constant."""
    kept = {names: factor for names, factor in terms.items() if factor}
    if kept.keys() <= {()}:
        return kept.get((), 0)
    return Open(kept)


# Named quotients, remainders and choices computed from open sizes, beyond polynomials.
#
# n0 = (seq_length + 63) / 64
# n1 = n0 < 8 ? n0 : 8


@dataclass(frozen=True)
class SizeFormula:
    """The definition of a number.

    Attributes:
        operator: ``/`` rounded towards zero, ``%`` of non-negative numbers, ``<``, ``==``, or
            ``?``, which is the second operand if the first is 1, else the third.
        operands: Ints and open sizes.
    """

    operator: str
    operands: tuple[Size, ...]


def values_at(known: Mapping[str, SizeFormula], sizes: Mapping[str, int]) -> dict[str, int]:
    """The values of all numbers, each after those it depends on, at given sizes; and the sizes."""
    values = dict(sizes)
    for name, formula in known.items():
        a, b, *rest = (static_size(bound(each, values)) for each in formula.operands)
        operator = formula.operator
        if operator == "/":
            values[name] = towards_zero(a, b)
        elif operator == "%":
            values[name] = a % b
        elif operator == "?":
            values[name] = b if a else rest[0]
        else:
            values[name] = int(a < b if operator == "<" else a == b)
    return values


def value_at(size: Size, known: Mapping[str, SizeFormula], sizes: Mapping[str, int]) -> int:
    """The value of an int or open size, given dimensions and known numbers."""
    return static_size(bound(size, values_at(known, sizes)))


def towards_zero(dividend: int, by: int) -> int:
    """A quotient with C's rounding."""
    return dividend // by if dividend >= 0 else -(-dividend // by)

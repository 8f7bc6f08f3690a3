"""Named quotients, remainders and choices computed from open sizes, beyond polynomials.

n0 = (seq_length + 63) / 64
n1 = n0 < 8 ? n0 : 8
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rnn_compiler.schema.open_sizes import Size, bound, static_size

__all__ = ["Formula", "towards_zero", "value_at", "values_at"]


@dataclass(frozen=True)
class Formula:
    """The definition of a number.

    Attributes:
        operator: ``/`` rounded towards zero, ``%`` of non-negative numbers, ``<``, ``==``, or
            ``?``, which is the second operand if the first is 1, else the third.
        operands: Ints and open sizes.
    """

    operator: str
    operands: tuple[Size, ...]


def values_at(known: Mapping[str, Formula], sizes: Mapping[str, int]) -> dict[str, int]:
    """The values of all numbers at given sizes, and the sizes.

    Args:
        known: The numbers, each after its dependencies.
        sizes: The open dimensions, by name.
    """
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


def value_at(size: Size, known: Mapping[str, Formula], sizes: Mapping[str, int]) -> int:
    """The value of an int or open size, given dimensions and known numbers."""
    return static_size(bound(size, values_at(known, sizes)))


def towards_zero(dividend: int, by: int) -> int:
    """A quotient with C's rounding."""
    return dividend // by if dividend >= 0 else -(-dividend // by)

"""The arithmetic of a host program: on numbers that are known, and on those that follow from sizes.

Integers that are known have the width of their type. Of open ones (`formulas`) it is certain, or
else required, that the width of their type holds them with a sign; where a number is cut to fewer
bits that need not hold it, what is left is not negative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.lowering.c.formulas import Formulas, Undecided
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.schema.open_sizes import is_open

__all__ = ["ARITHMETIC", "computed", "width_of"]


def _selected(condition: int, first: int, second: int) -> int:
    return first if condition else second


_KNOWN: Mapping[str, Callable[..., int]] = {
    "arith.addi": int.__add__,
    "arith.subi": int.__sub__,
    "arith.muli": int.__mul__,
    "arith.shrui": int.__rshift__,
    "arith.shli": int.__lshift__,
    "arith.ori": int.__or__,
    "arith.andi": int.__and__,
    "arith.trunci": int,
    "arith.extui": int,
    "arith.extsi": int,
    "arith.index_cast": int,
    "arith.index_castui": int,
    "arith.select": _selected,
}
"""On integers; results are brought to the width of their type."""

_UNSIGNED = ("arith.shrui", "arith.extui", "arith.index_castui")
"""Those that take numbers for unsigned ones."""

_COMPARISONS: Sequence[Callable[[int, int], bool]] = (
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
)
"""By MLIR's numbers: eq, ne, slt, sle, sgt, sge; ult, ule, ugt and uge are next."""


def computed(formulas: Formulas, op: ir.Operation, numbers: Sequence[int]) -> int:
    """What an op of `ARITHMETIC` gives.

    Args:
        formulas: The numbers of its function.
        op: The op.
        numbers: Its operands.

    Raises:
        Undecided: There is no formula for it.
    """
    if any(map(is_open, numbers)):
        if op.name == "arith.cmpi":
            return _compared(formulas, op, *numbers)
        if op.name not in _OPEN:
            raise Undecided(f"{op.name} of sizes that only a call brings")
        return _OPEN[op.name](formulas, op, *numbers)
    if op.name == "arith.cmpi":
        number = _predicate(op)
        if number >= len(_COMPARISONS):
            raise Undecided("a comparison of unsigned numbers")
        return int(_COMPARISONS[number](*numbers))
    if op.name not in _KNOWN:
        raise Undecided(op.name)
    values = [*numbers]
    if op.name in _UNSIGNED:
        values[0] &= (1 << width_of(op.operands[0])) - 1
    return _wrapped(_KNOWN[op.name](*values), width_of(op.results[0]))


def width_of(value: ir.Value) -> int:
    """The bits of an integer; an index has 64."""
    return 64 if str(value.type) == "index" else ir.IntegerType(value.type).width


def _wrapped(number: int, width: int) -> int:
    """A number as a signed integer of some bits; a truth value is 0 or 1."""
    number &= (1 << width) - 1
    return number - (1 << width) if width > 1 and number >> (width - 1) else number


def _predicate(op: ir.Operation) -> int:
    return ir.IntegerAttr(op.attributes["predicate"]).value


# On open numbers.


def _compared(formulas: Formulas, op: ir.Operation, left: int, right: int) -> int:
    predicate = _predicate(op)
    if predicate >= len(_COMPARISONS):
        _check_unsigned(formulas, left, right)
        predicate -= 4
    match predicate:
        case 0:
            return formulas.equal(left, right)
        case 1:
            return 1 - formulas.equal(left, right)
        case 2:
            return formulas.less(left, right)
        case 3:
            return 1 - formulas.less(right, left)
        case 4:
            return formulas.less(right, left)
        case _:
            return 1 - formulas.less(left, right)


def _held(formulas: Formulas, op: ir.Operation, number: int) -> int:
    """A result that its type must hold."""
    width = width_of(op.results[0])
    if width < 64 and is_open(number):
        formulas.require(number, (1 << (width - 1)) - 1)
    return number


def _check_unsigned(formulas: Formulas, *numbers: int) -> None:
    if not all(formulas.at_least(number, 0) for number in numbers):
        raise Undecided("a number whose sign only a call brings")


def _and(formulas: Formulas, op: ir.Operation, left: int, right: int) -> int:
    """Of truth values, or with a mask of the lowest bits or of all others."""
    if width_of(op.results[0]) == 1:
        return left * right
    number, mask = (left, right) if is_open(left) else (right, left)
    if not is_open(mask):
        if mask >= 0 and not mask & (mask + 1):
            return formulas.remainder(number, mask + 1)
        if mask < 0 and not -mask & (-mask - 1):
            return -mask * formulas.quotient(number, -mask)
    raise Undecided("a part of the bits of a number that only a call brings")


def _or(formulas: Formulas, op: ir.Operation, left: int, right: int) -> int:
    if width_of(op.results[0]) != 1:
        raise Undecided("bits of numbers that only a call brings")
    return left + right - left * right


def _xor(formulas: Formulas, op: ir.Operation, left: int, right: int) -> int:
    if width_of(op.results[0]) != 1:
        raise Undecided("bits of numbers that only a call brings")
    return left + right - 2 * left * right


def _cut(formulas: Formulas, op: ir.Operation, number: int) -> int:
    """A number in the width of a result."""
    width = width_of(op.results[0])
    if width >= 64 or formulas.fits(number, width):
        return number
    return formulas.remainder(number, 1 << width)


def _signed(formulas: Formulas, op: ir.Operation, number: int) -> int:
    width = width_of(op.operands[0])
    if width < 64 and not formulas.fits(number, width):
        raise Undecided("a number whose sign only a call brings")
    return _cut(formulas, op, number)


def _unsigned(formulas: Formulas, op: ir.Operation, number: int) -> int:
    _check_unsigned(formulas, number)
    return _cut(formulas, op, number)


def _shift(number: int) -> int:
    if is_open(number):
        raise Undecided("a shift by a number that only a call brings")
    return 1 << number


def _quotient(formulas: Formulas, op: ir.Operation, number: int, by: int) -> int:
    if op.name in ("arith.divui", "arith.shrui"):
        _check_unsigned(formulas, number)
    return formulas.quotient(number, by)


_OPEN: Mapping[str, Callable[..., int]] = {
    "arith.addi": lambda f, op, a, b: _held(f, op, a + b),
    "arith.subi": lambda f, op, a, b: _held(f, op, a - b),
    "arith.muli": lambda f, op, a, b: _held(f, op, a * b),
    "arith.divui": _quotient,
    "arith.divsi": _quotient,
    "arith.ceildivui": lambda f, op, a, b: f.quotient(a + b - 1, b),
    "arith.ceildivsi": lambda f, op, a, b: f.quotient(a + b - 1, b),
    "arith.remui": lambda f, op, a, b: f.remainder(a, b),
    "arith.remsi": lambda f, op, a, b: f.remainder(a, b),
    "arith.shrui": lambda f, op, a, b: _quotient(f, op, a, _shift(b)),
    "arith.shli": lambda f, op, a, b: _held(f, op, a * _shift(b)),
    "arith.minsi": lambda f, op, a, b: f.choice(f.less(a, b), a, b),
    "arith.maxsi": lambda f, op, a, b: f.choice(f.less(a, b), b, a),
    "arith.select": lambda f, op, c, a, b: f.choice(c, a, b),
    "arith.andi": _and,
    "arith.ori": _or,
    "arith.xori": _xor,
    "util.align": lambda f, op, number, to: f.aligned(number, to),
    "arith.trunci": _cut,
    "arith.extui": _unsigned,
    "arith.index_castui": _unsigned,
    "arith.extsi": _signed,
    "arith.index_cast": _signed,
}
"""On open sizes, and what is computed from them."""

ARITHMETIC = ("arith.cmpi", *_KNOWN, *(name for name in _OPEN if name not in _KNOWN))
"""The ops."""

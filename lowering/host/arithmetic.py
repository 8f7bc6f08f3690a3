"""The arithmetic of a host program: on known numbers, and on those that depend on open sizes.

Known integers have the width of their type. Open ones (`formulas`) are known, or else required, to
fit into their type as signed integers; if a number is truncated to a type that it may not fit, the
result is taken as nonnegative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.lowering.host.formulas import Formulas, UndecidedError
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.open_sizes import Open, Size, is_static, static


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
"""Ops on integers; results are wrapped to the width of their type."""

_UNSIGNED = ("arith.shrui", "arith.extui", "arith.index_castui")
"""Ops on unsigned numbers."""

_COMPARISONS: Sequence[Callable[[int, int], bool]] = (
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
)
"""Comparisons by MLIR's numbers: eq, ne, slt, sle, sgt, sge; then ult, ule, ugt and uge."""


_ALSO_OPEN = (
    *("arith.divsi", "arith.divui", "arith.minsi", "arith.minui", "arith.maxsi", "arith.maxui"),
    *("arith.floordivsi", "util.align"),
)
"""Ops that host programs contain only for open sizes."""

ARITHMETIC = ("arith.cmpi", *_KNOWN, *_ALSO_OPEN)
"""The ops."""


def computed(formulas: Formulas, op: ir.Operation, numbers: Sequence[Size]) -> Size:
    """The result of an op of `ARITHMETIC`; UndecidedError if there is no formula for it."""
    if op.name in _ALSO_OPEN or not is_static(*numbers):
        return _open(formulas, op, numbers)
    if op.name == "arith.cmpi":
        number = _predicate(op)
        if number >= len(_COMPARISONS):
            raise UndecidedError("a comparison of unsigned numbers")
        return int(_COMPARISONS[number](*static(numbers)))
    if op.name not in _KNOWN:
        raise UndecidedError(op.name)
    values = [*static(numbers)]
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


def _open(formulas: Formulas, op: ir.Operation, numbers: Sequence[Size]) -> Size:
    """The result of an op on numbers of which some are open."""
    first, second, *rest = (*numbers, 0)
    match op.name.removeprefix("arith."):
        case "addi":
            return _fitting(formulas, op, first + second)
        case "subi":
            return _fitting(formulas, op, first - second)
        case "muli":
            return _fitting(formulas, op, first * second)
        case "divsi":
            return formulas.quotient(first, second)
        case "divui" | "floordivsi":
            _check_unsigned(formulas, first)
            return formulas.quotient(first, second)
        case "shrui" if isinstance(second, int):
            _check_unsigned(formulas, first)
            return formulas.quotient(first, 1 << second)
        case "minui" | "maxui" if not all(formulas.at_least(each, 0) for each in numbers):
            raise UndecidedError("a number whose sign only a call brings")
        case "minsi" | "minui":
            return formulas.choice(formulas.less(first, second), first, second)
        case "maxsi" | "maxui":
            return formulas.choice(formulas.less(second, first), first, second)
        case "cmpi":
            return _compared(formulas, op, first, second)
        case "select":
            return formulas.choice(first, second, rest[0])
        case "trunci" | "index_cast" | "index_castui" | "extsi" | "extui":
            return _converted(formulas, op, first)
        case "util.align" if isinstance(second, int):
            return formulas.aligned(first, second)
        case _:
            raise UndecidedError(f"{op.name} of sizes that only a call brings")


def _fitting(formulas: Formulas, op: ir.Operation, number: Size) -> Size:
    """A result that must fit into its type."""
    width = width_of(op.results[0])
    if width < 64 and isinstance(number, Open):
        formulas.require(number, (1 << (width - 1)) - 1)
    return number


def _converted(formulas: Formulas, op: ir.Operation, number: Size) -> Size:
    """A number in another width; if the sign matters, it must fit into its own type."""
    before, width = width_of(op.operands[0]), width_of(op.results[0])
    if op.name in ("arith.extui", "arith.index_castui"):
        _check_unsigned(formulas, number)
    elif before < min(64, width) and not formulas.fits(number, before):
        raise UndecidedError("a number whose sign only a call brings")
    if width >= 64 or formulas.fits(number, width):
        return number
    return formulas.remainder(number, 1 << width)


def _compared(formulas: Formulas, op: ir.Operation, left: Size, right: Size) -> Size:
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


def _check_unsigned(formulas: Formulas, *numbers: Size) -> None:
    if not all(formulas.at_least(number, 0) for number in numbers):
        raise UndecidedError("a number whose sign only a call brings")

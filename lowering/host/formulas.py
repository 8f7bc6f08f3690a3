"""The numbers that a function's host program computes from open sizes.

A number is a polynomial (`schema.open_sizes`) of open dimensions and of other, named numbers, which
are quotients, remainders or choices of polynomials:

    n0 = (seq_length + 63) / 64
    n1 = n0 < 8 ? n0 : 8
    bytes of scratch memory: 4096*n1 + 512*seq_length

So equal numbers have equal text, as far as it matters, and ints stay ints. The bounds of numbers
are known too: calls compute them in signed 64-bit integers, and `Formulas.limit` gives the sizes up
to which none overflows or exceeds its bound.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.attributes import MAX_DIMENSION
from rnn_compiler.schema.open_sizes import (
    OPEN_DIMENSIONS,
    Open,
    Size,
    SizeFormula,
    bound,
    is_static,
    names_in,
    open_dimension,
    product,
    static,
    terms,
    towards_zero,
)

LARGEST = 2**63 - 1
"""The largest number that calls compute with, also of bytes."""


_LEFT = "'"
"""What the name of the number of a loop's remaining steps has behind that of its step's number."""


class UndecidedError(Exception):
    """A number depends on the sizes in a way that formulas cannot express."""


class Formulas:
    """The numbers of a function, and their bounds.

    Attributes:
        known: The definition of each by name, after those that it refers to.
    """

    def __init__(self, dimensions: Mapping[str, int] | None = None) -> None:
        """Begins with open dimensions and their minima; default: the ops' dimensions, and 1."""
        self.known: dict[str, SizeFormula] = {}
        ops: Mapping[str, int] = dict.fromkeys(map(str, OPEN_DIMENSIONS), 1)
        self._dimensions = ops if dimensions is None else dimensions
        self._counters: dict[str, tuple[int, Size]] = {}
        self._required: list[tuple[Size, int]] = []
        self._bounds: dict[Size, int | None] = {}

    # Numbers computed from others, with C's semantics.

    def quotient(self, number: Size, by: Size) -> Size:
        """The quotient by a positive number, rounded towards zero."""
        self._check(by, 1)
        if not isinstance(number, Open) and not isinstance(by, Open):
            return towards_zero(number, by)
        exact = _divided(number, by)
        if exact is not None:
            return exact
        if isinstance(by, Open) or not self.at_least(number, 0):
            return self._named("/", number, by)
        if self._is_less(number, by):
            return 0
        whole, rest = self._parted(number, by)
        return whole if self._is_less(rest, by) else whole + self._named("/", rest, by)

    def remainder(self, number: Size, by: Size) -> Size:
        """The remainder of a nonnegative number."""
        self._check(by, 1)
        self._check(number, 0)
        if _divided(number, by) is not None:
            return 0
        if isinstance(by, Open):
            return self._named("%", number, by)
        if self._is_less(number, by):
            return number
        _, rest = self._parted(number, by)
        return rest if self._is_less(rest, by) else self._named("%", rest, by)

    def aligned(self, number: Size, to: int) -> Size:
        """The number rounded up to a multiple of an int."""
        return to * self.quotient(number + to - 1, to)

    def without_remainder(self, number: Size, by: int) -> Size:
        """A number with the same remainder: the dividend if it is itself a remainder."""
        if not isinstance(number, Open):
            return number % by
        formula = self.known.get(str(number))
        is_remainder = formula is not None and (formula.operator, formula.operands[1]) == ("%", by)
        return formula.operands[0] if formula and is_remainder else number

    def less(self, left: Size, right: Size) -> Size:
        """1 or 0."""
        if self.at_least(right - left, 1):
            return 1
        return 0 if self.at_least(left - right, 0) else self._named("<", left, right)

    def equal(self, left: Size, right: Size) -> Size:
        """1 or 0."""
        apart = left - right
        if not isinstance(apart, Open):
            return int(apart == 0)
        if self.at_least(apart, 1) or self.at_most(apart, -1):
            return 0
        return self._named("==", left, right)

    def choice(self, condition: Size, first: Size, second: Size) -> Size:
        """The first if a condition is 1, the second if it is 0."""
        if not isinstance(condition, Open):
            return first if condition else second
        if condition.terms.get(()) == 1:  # it is 0 where another condition is 1
            return self.choice(1 - condition, second, first)
        return first if first == second else self._named("?", condition, first, second)

    def greatest(self, first: Size, second: Size) -> Size:
        """The greater of two numbers."""
        if self.at_least(second - first, 0):
            return second
        is_first = self.at_least(first - second, 0)
        return first if is_first else self.choice(self.less(second, first), first, second)

    def least(self, first: Size, second: Size) -> Size:
        """The smaller of two numbers."""
        if self.at_least(second - first, 0):
            return first
        is_second = self.at_least(first - second, 0)
        return second if is_second else self.choice(self.less(first, second), first, second)

    def counter(self, least: int, below: Size) -> Open:
        """The number of a loop's step, from `least` to one less than `below`."""
        name = self._new_name()
        self._counters[name] = least, below
        return open_dimension(name)

    def _check(self, number: Size, least: int) -> None:
        if not self.at_least(number, least):
            raise UndecidedError("a quotient of numbers whose sign is known only at run time")

    def _parted(self, number: Size, by: int) -> tuple[Size, Size]:
        """Splits a number into a multiple of an int, divided by it, and a nonnegative rest.

        Of ``N*T - 2*N`` nothing is split off, as long as it is not negative: ``-2*N`` would leave a
        rest of ``by - 2`` times N, whose quotient is unknown.
        """
        factors = terms(number).items()
        wholes = {
            names: -(-factor // by) if names and factor < 0 else factor // by
            for names, factor in factors
        }
        rest = _sum({names: factor - by * wholes[names] for names, factor in factors})
        if not self.at_least(rest, 0):
            wholes = {names: factor // by for names, factor in factors}
            rest = _sum({names: factor % by for names, factor in factors})
        self._check(rest, 0)
        return _sum(wholes), rest

    def _is_less(self, number: Size, than: int) -> bool:
        return self._most(number, self._corners(LARGEST)) < than

    def _named(self, operator: str, *operands: Size) -> Size:
        """The number of a formula, under its existing name or a new one."""
        formula = SizeFormula(operator, operands)
        names = [name for name, known in self.known.items() if known == formula]
        name = names[0] if names else self._new_name()
        self.known[name] = formula
        return open_dimension(name)

    def _new_name(self) -> str:
        return f"n{len(self.known) + len(self._counters)}"

    # Bounds of numbers.

    def at_least(self, number: Size, least: int) -> bool:
        """Whether a number is known to be at least an int."""
        lowest = self._lowest(number)
        return lowest is not None and lowest >= least

    def at_most(self, number: Size, most: int) -> bool:
        """Whether a number is known to be at most an int."""
        return self.at_least(-number, -most)

    def fits(self, number: Size, bits: int) -> bool:
        """Whether a number is known to fit into a signed integer of some bits."""
        return self._most(number, self._corners(LARGEST)) < 1 << (bits - 1)

    def require(self, number: Size, most: int) -> None:
        """Records an upper bound of a number."""
        self._required.append((number, most))

    def limit(self, numbers: Iterable[Size]) -> int:
        """The largest open sizes, and their largest product, for all computed numbers."""
        computed = [*numbers, *(each for f in self.known.values() for each in f.operands)]
        required = dict.fromkeys(computed, LARGEST)  # most of them occur many times
        for number, most in self._required:
            required[number] = min(most, required.get(number, most))
        low, high = 0, LARGEST  # sizes up to `low` fit, except 0; those above `high` do not
        while low < high:
            middle = (low + high + 1) // 2
            corners = self._corners(middle)
            beyond = [n for n, most in required.items() if self._most(n, corners) > most]
            if beyond:  # numbers that fit here fit at all smaller sizes too
                required, high = {n: required[n] for n in beyond}, middle - 1
            else:
                low = middle
        return low

    def _lowest(self, number: Size) -> int | None:
        """A lower bound of a number, if one is known; the names in it keep their formulas."""
        if number not in self._bounds:
            self._bounds[number] = self._find_lowest(number)
        return self._bounds[number]

    def _find_lowest(self, number: Size) -> int | None:
        least: dict[str, Size] = {}
        for name in names_in(number):
            lowest = self._lowest_of(name)
            if lowest is None:
                return None
            least[name] = lowest + open_dimension(name)
        above = bound(number, least)
        factors = terms(above)
        if all(factor >= 0 for names, factor in factors.items() if names):
            return factors.get((), 0)
        for less in (self._without_quotients(number), self._from_behind(number)):
            if less != number:
                return self._lowest(less)
        return None

    def _from_behind(self, number: Size) -> Size:
        """The same number, with the steps of loops counted from the last one."""
        return bound(
            number,
            {
                name: below - 1 - open_dimension(f"{name}{_LEFT}")
                for name, (_, below) in self._counters.items()
            },
        )

    def _without_quotients(self, number: Size) -> Size:
        """A number that is not greater: ``k * (x / k)`` is at least ``x - (k - 1)``."""
        total: Size = 0
        for names, factor in terms(number).items():
            for index, name in enumerate(names):
                formula = self.known.get(name, SizeFormula("", ()))
                by = formula.operands[1] if formula.operator == "/" else 0
                if not isinstance(by, Open) and by and factor > 0 and factor % by == 0:
                    others = _product(factor // by, (*names[:index], *names[index + 1 :]))
                    total += others * (formula.operands[0] - by + 1)
                    break
            else:
                total += _product(factor, names)
        return total

    def _lowest_of(self, name: str) -> int | None:
        if name in self._dimensions:
            return self._dimensions[name]
        if name in self._counters:
            return self._counters[name][0]
        if name.endswith(_LEFT):
            return 0
        formula = self.known[name]
        if formula.operator == "/":
            number, by = formula.operands
            if isinstance(by, Open) and self.at_least(number - by, 0):
                return 1
            lowest = self._lowest(number)
            if lowest is None or isinstance(by, Open):
                return None if lowest is None or lowest < 0 else 0
            return lowest // by
        if formula.operator != "?":
            return 0
        condition, *either = formula.operands
        lowest = [self._lowest(each) for each in either]
        known = [each for each in lowest if each is not None]
        if known and self.known.get(str(condition)) == SizeFormula("<", tuple(reversed(either))):
            return max(known)  # the greatest of two
        return min(known) if len(known) == len(lowest) else None

    def _corners(self, area: int) -> tuple[dict[str, int], ...]:
        """Open sizes with a given product, at which numbers are largest.

        These have all but one of the sizes as small as possible: a sum of products of powers is
        convex in the logarithms of its sizes.
        """
        sizes: list[int] = []
        for _ in self._dimensions:
            sizes.append(min(area, MAX_DIMENSION))
            area = -(-area // sizes[-1])
        orders = {*itertools.permutations(sizes)}
        return tuple(dict(zip(self._dimensions, each, strict=True)) for each in sorted(orders))

    def _most(self, number: Size, corners: Iterable[dict[str, int]]) -> int:
        """An upper bound of a number's absolute value at some `_corners`."""
        return max(self._magnitude(number, sizes) for sizes in corners)

    def _magnitude(self, number: Size, sizes: dict[str, int]) -> int:
        """A sum of products of powers that bounds the absolute value of a number.

        Bounds of the names in it are added to the sizes, so that they are computed once.
        """
        above = below = 0
        for names, factor in terms(number).items():
            for name in names:
                if name not in sizes:
                    sizes[name] = self._magnitude_of(name, sizes)
            size = factor * math.prod(map(sizes.__getitem__, names))
            above, below = (above + size, below) if size > 0 else (above, below - size)
        return max(above, below)

    def _magnitude_of(self, name: str, sizes: dict[str, int]) -> int:
        if name in self._counters:
            return self._magnitude(self._counters[name][1], sizes)
        formula = self.known[name]
        first, second = formula.operands[:2]
        match formula.operator:
            case "/":
                by = 1 if isinstance(second, Open) else second
                return -(-self._magnitude(first, sizes) // by)
            case "%":
                return self._magnitude(second, sizes)
            case "?":
                either = formula.operands[1:]
                known = [each for each in either if not isinstance(each, Open)]
                if known and self.known.get(str(first)) == SizeFormula("<", either):
                    return abs(known[0])  # the least of two
                return max(self._magnitude(each, sizes) for each in either)
            case _:
                return 1


def expanded(number: Size, known: Mapping[str, SizeFormula]) -> int | str:
    """An int unchanged, an open number as text, in terms of open sizes only."""
    if isinstance(number, int):
        return number
    texts: list[str] = []
    for names, factor in number.terms.items():
        factors = [_shown(name, known) for name in names]
        texts.append("*".join([*([str(factor)] if factor != 1 or not names else []), *factors]))
    return " + ".join(texts)


def _shown(name: str, known: Mapping[str, SizeFormula]) -> str:
    if name not in known:
        return name
    formula = known[name]
    first, second, *rest = (_bracketed(each, known) for each in formula.operands)
    if rest:
        return f"({first} ? {second} : {rest[0]})"
    return f"({first} {formula.operator} {second})"


def _bracketed(number: Size, known: Mapping[str, SizeFormula]) -> str:
    text = str(expanded(number, known))
    return f"({text})" if isinstance(number, Open) and str(number) not in number.names else text


def _divided(number: Size, by: Size) -> Size | None:
    """The quotient by a product of sizes that divides each term; None for others."""
    ((divisor, least), *others) = terms(by).items()
    if others:
        return None
    quotient: dict[tuple[str, ...], int] = {}
    for names, factor in terms(number).items():
        left = Counter(names)
        left.subtract(divisor)
        if factor % least or min(left.values(), default=0) < 0:
            return None
        quotient[tuple(sorted(left.elements()))] = factor // least
    return _sum(quotient)


def _sum(factors: Mapping[tuple[str, ...], int]) -> Size:
    return sum(_product(factor, names) for names, factor in factors.items())


def _product(factor: int, names: Iterable[str]) -> Size:
    return factor * product(map(open_dimension, names))


# The arithmetic of a host program: on known numbers, and on those that depend on open sizes.
#
# Known integers have the width of their type. Open ones (`formulas`) are known, or else required,
# to fit into their type as signed integers; if a number is truncated to a type that it may not
# fit, the result is taken as nonnegative.


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
    """The result of an op on numbers, some of them open."""
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
            raise UndecidedError("a number whose sign is known only at run time")
        case "minsi" | "minui":
            return formulas.least(first, second)
        case "maxsi" | "maxui":
            return formulas.greatest(first, second)
        case "cmpi":
            return _compared(formulas, op, first, second)
        case "select":
            return formulas.choice(first, second, rest[0])
        case "trunci" | "index_cast" | "index_castui" | "extsi" | "extui":
            return _converted(formulas, op, first)
        case "util.align" if isinstance(second, int):
            return formulas.aligned(first, second)
        case _:
            raise UndecidedError(f"{op.name} of sizes known only at run time")


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
        raise UndecidedError("a number whose sign is known only at run time")
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
        raise UndecidedError("a number whose sign is known only at run time")

"""Scalars and vectors of numbers, as values with operators.

A `Number` is an SSA value with the body in which its ops are emitted (`body.Body`) and its element
type. Operators on numbers emit ops of the `arith` dialect. An `int` operand becomes a constant. An
`Index` is an int or a number: sizes that are known at code generation stay ints, and are folded.

    first = group * 48 + row            # arith.muli, arith.addi
    (n - k) % 2                         # arith.subi, arith.remui
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.dtypes import ELEMENTS

if TYPE_CHECKING:
    from rnn_compiler.lowering.codegen.body import Body

__all__ = [
    "Index",
    "Number",
    "bits",
    "element_type",
    "is_float",
    "larger",
    "product",
    "smaller",
    "vector_type",
]


def bits(element: str) -> int:
    """Width of an element type.

    Example:
        >>> bits("bf16"), bits("i1")
        (16, 1)
    """
    return ELEMENTS[element].bits


def is_float(element: str) -> bool:
    """Whether an element type is one of floating point numbers.

    Example:
        >>> is_float("bf16"), is_float("index")
        (True, False)
    """
    return element in ELEMENTS and ELEMENTS[element].is_float


def element_type(element: str) -> ir.Type:
    """The MLIR type of an element type's name."""
    return ir.Type.parse(element)


def vector_type(element: str, lanes: int) -> ir.Type:
    """The type of a vector; that of a scalar if it has no lanes."""
    scalar = element_type(element)
    return ir.VectorType.get([lanes], scalar) if lanes else scalar


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A scalar, or a vector, of an element type.

    Attributes:
        body: The body in which operators on it emit ops.
        value: The SSA value.
        element: Its element type, ``"f32"`` or ``"index"``.
        lanes: The numbers in a vector; 0 for a scalar.
    """

    body: Body
    value: ir.Value
    element: str
    lanes: int = 0

    def __add__(self, other: Number | int) -> Number:
        if other == 0:
            return self
        return self._with("add", other)

    def __radd__(self, other: int) -> Number:
        return self + other

    def __sub__(self, other: Number | int) -> Number:
        return self._with("sub", other)

    def __rsub__(self, other: int) -> Number:
        return self._like(other)._with("sub", self)

    def __mul__(self, other: Number | int) -> Number:
        return self._with("mul", other)

    def __rmul__(self, other: int) -> Number:
        return self * other

    def __floordiv__(self, other: Number | int) -> Number:
        """The quotient of two nonnegative numbers."""
        return self._arith("divui", other)

    def __mod__(self, other: Number | int) -> Number:
        """The remainder of two nonnegative numbers."""
        return self._arith("remui", other)

    def __and__(self, other: Number | int) -> Number:
        return self._arith("andi", other)

    def __or__(self, other: Number | int) -> Number:
        return self._arith("ori", other)

    def __lshift__(self, other: Number | int) -> Number:
        return self._arith("shli", other)

    def __rshift__(self, other: Number | int) -> Number:
        """The bits shifted right; zeros come in from the left."""
        return self._arith("shrui", other)

    def __lt__(self, other: Number) -> Number:
        return self.body.compare("slt", self, other)

    def at_least(self, low: Index) -> Number:
        """The larger of two integers."""
        return self._arith("maxsi", self.body.integer(low, self.element))

    def at_most(self, high: Index) -> Number:
        """The smaller of two integers."""
        return self._arith("minsi", self.body.integer(high, self.element))

    def to_index(self) -> Number:
        """The integer as an index; a truth value as 0 or 1."""
        op = "arith.index_castui" if self.element == "i1" else "arith.index_cast"
        return self.body.number(op, [self], "index")

    def to_integer(self, element: str) -> Number:
        """The index as an integer."""
        return self.body.number("arith.index_cast", [self], element)

    def bitcast(self, element: str) -> Number:
        """The same bits as a number of another type of this width."""
        return self.body.number("arith.bitcast", [self], element, self.lanes)

    def _like(self, value: int) -> Number:
        return self.body.constant(value, self.element, self.lanes)

    def _with(self, op: str, other: Number | int) -> Number:
        return self._arith(f"{op}{'f' if is_float(self.element) else 'i'}", other)

    def _arith(self, op: str, other: Number | int) -> Number:
        other = self._like(other) if isinstance(other, int) else other
        return self.body.number(f"arith.{op}", [self, other], self.element, self.lanes)


Index: TypeAlias = int | Number
"""A size or a position: known at code generation, or computed."""


def product(sizes: Iterable[Index]) -> Index:
    """The product of sizes."""
    total: Index = 1
    for size in sizes:
        total = total if size == 1 else size if total == 1 else size * total
    return total


def smaller(first: Index, second: Index) -> Index:
    """The smaller of two; emitted if one of them is computed."""
    if isinstance(first, Number):
        return first.at_most(second)
    return second.at_most(first) if isinstance(second, Number) else min(first, second)


def larger(first: Index, second: Index) -> Index:
    """The larger of two; emitted if one of them is computed."""
    if isinstance(first, Number):
        return first.at_least(second)
    return second.at_least(first) if isinstance(second, Number) else max(first, second)

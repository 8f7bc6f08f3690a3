"""Reads the step of a loop in StableHLO: what it computes, as sums of terms or as numbers.

`StepReader` follows the ops of the loop's body. Arrays that do not change in the loop are computed
by an `ArrayNamespace`: `Numbers` in numpy, with random ones for those that calls bring, and
`Emitted` as ops before the loop.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from rnn_compiler.lowering.analysis.step_values import (
    Array,
    Joined,
    Known,
    NotACellError,
    Operand,
    SumOfTerms,
    activated,
    add,
    alike,
    entering,
    joined,
    multiply,
    negative,
    product,
    sliced,
    transposed,
    value_of,
)
from rnn_compiler.lowering.analysis.values import defining, element, ints, shape, static_shape
from rnn_compiler.lowering.codegen.attributes import integer, integers
from rnn_compiler.lowering.codegen.body import ArrayType, Body, element_type, is_float
from rnn_compiler.lowering.linking.indices import axes_in
from rnn_compiler.lowering.mlir.bindings import ir


class ArrayNamespace(Protocol):
    """Computes arrays that do not change in a loop, and joins and fills arrays as numpy does."""

    def outside(self, value: ir.Value) -> Array:
        """A value from outside the loop."""
        ...

    def result(self, op: ir.Operation, operands: Sequence[Array]) -> Array:
        """The result of an op of the loop."""
        ...

    @property
    def concatenate(self) -> Any:
        """Arrays side by side."""
        ...

    @property
    def full(self) -> Any:
        """An array of equal numbers."""
        ...


# Numbers.


def contracted(op: ir.Operation) -> tuple[list[int], list[int]]:
    """The axes of both operands over which a product without batches sums."""
    numbers = str(op.attributes["dot_dimension_numbers"])
    if "batching" in numbers:
        raise NotACellError("it has a product that is not one with a matrix")
    names = "lhs_contracting_dimensions", "rhs_contracting_dimensions"
    left, right = (axes_in(numbers, name) for name in names)
    return left, right


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _reshaped(op: ir.Operation, x: Any) -> Any:
    return x.reshape(static_shape(op.results[0]))


def _spread(op: ir.Operation, x: Any) -> Any:
    sizes, axes = static_shape(op.results[0]), ints(op, "broadcast_dimensions")
    ones = [1] * len(sizes)
    for axis, size in zip(axes, x.shape, strict=True):
        ones[axis] = size
    return np.broadcast_to(x.reshape(ones), sizes)


def _turned(op: ir.Operation, x: Any) -> Any:
    return x.transpose(ints(op, "permutation"))


def _cut(op: ir.Operation, x: Any) -> Any:
    bounds = (ints(op, name) for name in ("start_indices", "limit_indices", "strides"))
    return x[tuple(slice(*each) for each in zip(*bounds, strict=True))]


def _together(op: ir.Operation, *x: Any) -> Any:
    return np.concatenate(x, ir.IntegerAttr(op.attributes["dimension"]).value)


def _summed(op: ir.Operation, x: Any, y: Any) -> Any:
    return np.tensordot(x, y, contracted(op))


def _same(x: Any) -> Any:
    return x


_ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "negate": np.negative,
    "exponential": np.exp,
    "tanh": np.tanh,
    "logistic": _sigmoid,
    "convert": _same,
}
_OTHERS: Mapping[str, Callable[..., Any]] = {
    "reshape": _reshaped,
    "broadcast_in_dim": _spread,
    "transpose": _turned,
    "slice": _cut,
    "concatenate": _together,
    "dot_general": _summed,
}
"""The other ops that are known: functions of the op and of its operands."""


def name_of(op: ir.Operation) -> str:
    """The name of an op of StableHLO, without its dialect."""
    return op.name.removeprefix("stablehlo.")


def stored(op: ir.Operation) -> Any:
    """The numbers of a constant, in float64 or int64."""
    value = ir.DenseElementsAttr(op.attributes["value"])
    sizes = static_shape(op.results[0])
    if value.is_splat:
        number = value.get_splat_value()
        kind = ir.IntegerAttr if isinstance(number, ir.IntegerAttr) else ir.FloatAttr
        return np.full(sizes, kind(number).value)
    if element(op.results[0]) not in ("f32", "f64", "i32", "i64"):
        raise NotACellError("it has constants of 8 or 16 bits")
    numbers: Any = np.array(value)
    return numbers.reshape(sizes).astype(np.float64)


class Numbers:
    """Float64: random numbers stand for what calls bring."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self._found: dict[ir.Value, Any] = {}
        self.concatenate: Any = np.concatenate
        self.full: Any = np.full

    def drawn(self, value: ir.Value, sizes: Sequence[int]) -> Any:
        """The numbers of a value, the same each time."""
        if value not in self._found:
            scale = 1 / math.sqrt(max([1, *sizes]))
            self._found[value] = self._rng.normal(0, scale, sizes)
        return self._found[value]

    def outside(self, value: ir.Value) -> Any:
        """A value from outside the loop."""
        if not isinstance(value.owner, ir.Block) and defining(value).name == "stablehlo.constant":
            return stored(defining(value))
        return self.drawn(value, static_shape(value))

    def result(self, op: ir.Operation, operands: Sequence[Any]) -> Any:
        """The result of an op."""
        if op.name == "stablehlo.constant":
            return stored(op)
        name = name_of(op)
        if name in _ELEMENTWISE:
            return _ELEMENTWISE[name](*operands)
        if name in _OTHERS:
            return _OTHERS[name](op, *operands)
        raise NotACellError(f"its body has '{name}'")


# Ops before the loop.


@dataclass(frozen=True, eq=False)
class HloArray:
    """An array that ops compute, with the operators that numpy's arrays have."""

    body: Body
    value: ir.Value

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return static_shape(self.value)

    @property
    def type(self) -> ArrayType:
        """Its type."""
        return ArrayType(self.shape, element(self.value))

    @property
    def T(self) -> HloArray:
        """The transpose of a matrix."""
        order = {"permutation": integers([1, 0])}
        return self._made("transpose", [self], self.shape[::-1], order)

    def reshape(self, *sizes: int) -> HloArray:
        """The same elements in another shape; one size may be -1."""
        count = math.prod(self.shape)
        rest = math.prod(size for size in sizes if size >= 0)
        known = [size if size >= 0 else count // rest for size in sizes]
        return self if (*known,) == self.shape else self._made("reshape", [self], known)

    def __getitem__(self, key: Any) -> HloArray:
        """A part along the first axis, or with ``...`` before it along the last one."""
        rank = len(self.shape)
        keys: list[Any] = [*key] if isinstance(key, tuple) else [key]
        axis, part = rank - 1 if len(keys) > 1 else 0, keys[-1]
        starts, limits = [0] * rank, [*self.shape]
        starts[axis], limits[axis] = part.start, part.stop
        if limits == [*self.shape] and not any(starts):
            return self
        attributes = {
            "start_indices": integers(starts),
            "limit_indices": integers(limits),
            "strides": integers([1] * rank),
        }
        sizes = [limit - start for start, limit in zip(starts, limits, strict=True)]
        return self._made("slice", [self], sizes, attributes)

    def __add__(self, other: HloArray | float) -> HloArray:
        return self._made("add", [self, self._like(other)], self.shape)

    def __mul__(self, other: HloArray | float) -> HloArray:
        return self._made("multiply", [self, self._like(other)], self.shape)

    __radd__, __rmul__ = __add__, __mul__

    def reverse(self) -> HloArray:
        """The first axis from its end."""
        return self._made("reverse", [self], self.shape, {"dimensions": integers([0])})

    def _like(self, other: HloArray | float) -> HloArray:
        if isinstance(other, HloArray):
            return other
        return HloArray(self.body, _filled(self.body, other, self.type))

    def _made(
        self,
        name: str,
        operands: Sequence[HloArray],
        sizes: Sequence[int],
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> HloArray:
        kind = ArrayType((*sizes,), self.type.element)
        values = [each.value for each in operands]
        return HloArray(
            self.body, self.body.array(f"stablehlo.{name}", values, kind, attributes).value
        )


def _filled(body: Body, number: float, kind: ArrayType) -> ir.Value:
    """Emits an array of equal numbers."""
    of = element_type(kind.element)
    filled = ir.FloatAttr.get(of, number) if is_float(kind.element) else None
    value = ir.DenseElementsAttr.get_splat(kind.mlir, filled or ir.IntegerAttr.get(of, int(number)))
    return body.array("stablehlo.constant", [], kind, {"value": value}).value


class Emitted:
    """Ops that are emitted before the loop."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def outside(self, value: ir.Value) -> HloArray:
        """A value from outside the loop."""
        return HloArray(self.body, value)

    def result(self, op: ir.Operation, operands: Sequence[HloArray]) -> HloArray:
        """The same op with other operands."""
        attributes = {each: op.attributes[each] for each in op.attributes}
        values, kinds = [each.value for each in operands], [each.type for each in op.results]
        return HloArray(self.body, self.body.op(op.name, values, kinds, attributes).results[0])

    def concatenate(self, arrays: Sequence[HloArray], axis: int = 0) -> HloArray:
        """Arrays side by side."""
        first, *rest = arrays
        if not rest:
            return first
        sizes = [*first.shape]
        sizes[axis] = sum(each.shape[axis] for each in arrays)
        kind, values = ArrayType((*sizes,), first.type.element), [each.value for each in arrays]
        along = {"dimension": integer(axis)}
        return HloArray(
            self.body, self.body.array("stablehlo.concatenate", values, kind, along).value
        )

    def full(self, shape: Sequence[int], number: float, dtype: str) -> HloArray:
        """An array of equal numbers."""
        return HloArray(self.body, _filled(self.body, number, ArrayType((*shape,), dtype)))


# Sums of terms.


class _Constant(Known):
    """A constant whose elements are one number."""

    def __init__(self, number: float, compute: Callable[[], Array], sizes: Sequence[int]) -> None:
        super().__init__(compute, sizes)
        self._number = number

    def number(self) -> float:
        """The number."""
        return self._number


@dataclass(frozen=True, eq=False)
class _Exponential:
    """The exponential of a value, or 1 more: what `1 / (1 + exp(-x))` is made of."""

    of: SumOfTerms
    plus_one: bool = False


_Read: TypeAlias = "Operand | _Exponential"


class StepReader:
    """Reads the values of a loop's body as sums of terms of its variables.

    Attributes:
        library: What computes arrays that do not change.
        variables: The carried values, and what is known at all steps, with their shapes.
        fixed: The arguments of the body that never change, with their values before the loop.
    """

    def __init__(
        self,
        library: ArrayNamespace,
        body: ir.Block,
        variables: Mapping[ir.Value, Any],
        fixed: Mapping[ir.Value, ir.Value],
    ) -> None:
        self.library = library
        self._body = body
        self.variables = variables
        self._fixed = fixed
        self._read: dict[ir.Value, _Read] = {}

    def value(self, value: ir.Value) -> Operand:
        """A value."""
        found = self._of(value)
        if isinstance(found, _Exponential):
            raise NotACellError("its body has 'exponential'")
        return found

    def _of(self, value: ir.Value) -> _Read:
        if value not in self._read:
            self._read[value] = self._found(value)
        return self._read[value]

    def _found(self, value: ir.Value) -> _Read:
        if value in self.variables:
            return entering(self.variables[value], static_shape(value))
        if value in self._fixed or self._is_outside(value):
            given = self._fixed.get(value, value)
            return self._known(given, lambda: self.library.outside(given))
        if isinstance(value.owner, ir.Block):
            raise NotACellError("it reads what changes in another way")
        op = defining(value)
        operands = [self._of(each) for each in op.operands]
        if all(isinstance(each, Known) for each in operands) and not len(op.regions):
            known = [each for each in operands if isinstance(each, Known)]
            return self._result(op, known)
        kinds = {element(each) for each in (*op.operands, *op.results)}
        if len(kinds) > 1:
            raise NotACellError(f"it computes with {' and '.join(sorted(kinds))}")
        name = name_of(op)
        if name not in _RULES:
            raise NotACellError(f"its body has '{name}'")
        return _RULES[name](op, operands)

    def _is_outside(self, value: ir.Value) -> bool:
        block = value.owner if isinstance(value.owner, ir.Block) else defining(value).block
        return block != self._body

    def _known(self, value: ir.Value, compute: Callable[[], Array]) -> Known:
        if not isinstance(value.owner, ir.Block) and defining(value).name == "stablehlo.constant":
            numbers = stored(defining(value))
            if numbers.size and (numbers == numbers.flat[0]).all():
                return _Constant(float(numbers.flat[0]), compute, numbers.shape)
        return Known(compute, static_shape(value))

    def _result(self, op: ir.Operation, operands: Sequence[Known]) -> Known:
        def compute() -> Array:
            return self.library.result(op, [each.array for each in operands])

        if op.name == "stablehlo.constant":
            return self._known(op.results[0], compute)
        if name_of(op) not in {**_ELEMENTWISE, **_OTHERS}:
            raise NotACellError(f"its body has '{name_of(op)}'")
        spread = None
        if op.name == "stablehlo.broadcast_in_dim":
            spread = operands[0], (*ints(op, "broadcast_dimensions"),)
        return Known(compute, static_shape(op.results[0]), spread)


_Rule: TypeAlias = Callable[[ir.Operation, Sequence[Any]], "_Read"]


def _value(operand: Any) -> SumOfTerms:
    if isinstance(operand, _Exponential):
        raise NotACellError("its body has 'exponential'")
    return value_of(operand)


def _alike(operands: Sequence[Any]) -> tuple[SumOfTerms, SumOfTerms]:
    return alike([each if isinstance(each, Known) else _value(each) for each in operands])


def _activated(function: str) -> _Rule:
    def rule(op: ir.Operation, operands: Sequence[Any]) -> _Read:
        return activated(function, _value(operands[0]))

    return rule


def _is_number(operand: Any, number: float) -> bool:
    return isinstance(operand, Known) and operand.number() == number


def _added(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    for one, other in (operands, operands[::-1]):
        if isinstance(other, _Exponential) and not other.plus_one and _is_number(one, 1.0):
            return _Exponential(other.of, plus_one=True)
    return add(*_alike(operands))


def _divided(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    one, other = operands
    if not (isinstance(other, _Exponential) and other.plus_one and _is_number(one, 1.0)):
        raise NotACellError("its body has 'divide'")
    return activated("logistic", negative(other.of))


def _larger(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    for one, other in (operands, operands[::-1]):
        if _is_number(one, 0.0):
            return activated("relu", _value(other))
    raise NotACellError("its body has 'maximum'")


def _sliced(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    bounds = (ints(op, each) for each in ("start_indices", "limit_indices", "strides"))
    return sliced(_value(operands[0]), static_shape(op.operands[0]), *bounds)


def _joined(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    axis = ir.IntegerAttr(op.attributes["dimension"]).value
    return joined((*map(_value, operands),), axis)


def _transposed(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    return transposed(_value(operands[0]), ints(op, "permutation"))


def _product(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    axes = contracted(op)
    first, second = operands
    before = isinstance(second, Known)
    value, matrix = (first, second) if before else (second, first)
    (axis, *more), (rows, *others) = axes if before else axes[::-1]
    if not isinstance(matrix, Known) or len(matrix.shape) != 2 or more or others:
        raise NotACellError("it has a product that is not one with a matrix of weights")
    if not isinstance(value, Joined):
        value = _value(value)
    return product(value, axis, matrix, rows, before=before)


def _unchanged(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    if shape(op.operands[0]) != shape(op.results[0]):
        raise NotACellError(f"its body has '{name_of(op)}'")
    return operands[0]


def _subtracted(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    return add(*_alike(operands), -1.0)


def _multiplied(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    return multiply(*_alike(operands))


def _negated(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    return negative(_value(operands[0]))


def _exponential(op: ir.Operation, operands: Sequence[Any]) -> _Read:
    return _Exponential(_value(operands[0]))


_RULES: Mapping[str, _Rule] = {
    "add": _added,
    "subtract": _subtracted,
    "multiply": _multiplied,
    "negate": _negated,
    "divide": _divided,
    "exponential": _exponential,
    "logistic": _activated("logistic"),
    "tanh": _activated("tanh"),
    "maximum": _larger,
    "slice": _sliced,
    "concatenate": _joined,
    "transpose": _transposed,
    "dot_general": _product,
    **dict.fromkeys(("convert", "reshape", "broadcast_in_dim"), _unchanged),
}


def evaluated(
    numbers: Numbers, value: ir.Value, known: Mapping[ir.Value, Any], body: ir.Block
) -> Any:
    """A value of a loop's body in float64, from the numbers of its variables."""

    @functools.cache
    def of(each: ir.Value) -> Any:
        if each in known:
            return known[each]
        if isinstance(each.owner, ir.Block) or defining(each).block != body:
            return numbers.outside(each)
        op = defining(each)
        return numbers.result(op, [of(operand) for operand in op.operands])

    return of(value)

"""Composes the logistic function of float32, for CPUs that multiply and add in one instruction.

Requires: a module after the rewrites of loops and products.
Matches: the divisions that `codegen.elementwise` has marked, and, where the processor's
`VectorUnit.logistic` is not empty, `stablehlo.logistic` of arrays, which becomes a
`linalg.generic` around one. Elsewhere only the marks go.
Ensures: errors below 2.5 units in the last place; results never decrease, are 0 below -88.4 and 1
from 18 on, also for infinities; NaN stays NaN. The bits do not depend on the reciprocal, which is a
division or steps of Newton's method, except for subnormal results where a program keeps these.

With ``n`` the integer nearest to ``-x / log(2)`` and ``r = -x - n * log(2)``,

    1 / (1 + exp(-x)) = 0.25 / (0.25 + exp(r) / 4 * 2**n)

``2**n`` is infinite for ``n = 128``, which makes the result 0. The fourth keeps the denominator so
small that its reciprocal is a normal number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce

from rnn_compiler.lowering.analysis.values import defining, element
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.mlir.marks import LOGISTIC
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import as_number, pointwise_op, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_EXPONENTIAL = (
    *(0.0013814539415761828, 0.008368746377527714, 0.04166839271783829),
    *(0.1666652113199234, 0.4999999403953552),
)
"""The polynomial nearest to ``(exp(r) - 1 - r) / r**2`` for ``|r| <= log(2) / 2``, its constant
last: a fit of our own, with which ``exp(r)`` is within 3.1e-9."""

_LOG2_HIGH = 0.693147182464599609375
_LOG2_LOW = math.log(2) - _LOG2_HIGH
"""The logarithm of 2 as a float32, and the rest."""

_SHIFT = 1.5 * 2.0**23 + 127
"""Adding this rounds a number to an integer, which is then, with a float32's bias, in the lowest
bits of the sum."""

_LEAST, _MOST = -89.0, 64.0
"""From here on, the function is 0 and 1."""

_GUESS = 0x7EF44000
"""Less the bits of a number, these are the bits of its reciprocal, within 6 %."""


def logistic_functions_are_composed(context: PassContext) -> str | None:
    """No marked division is left, and no logistic function of an array that is to be composed."""
    return first(map(str, (*_marked(context), *_arrays(context))))


@pass_with(requires=(sizes_are_indices,), ensures=(logistic_functions_are_composed,))
def logistic(context: PassContext) -> None:
    """Rewrites all logistic functions."""
    for op in _arrays(context):
        replace(op, pointwise_op(Body.before(op), op))
    processor = context.processor
    way = processor.logistic if isinstance(processor, VectorUnit) else ""
    for division in _marked(context):
        del division.attributes[LOGISTIC]
        if way:
            _compose(division, RECIPROCALS[way])


def _marked(context: PassContext) -> list[ir.Operation]:
    """The divisions that end a logistic function."""
    divisions = nested_ops(context.module.operation, "arith.divf")
    return [op for op in divisions if LOGISTIC in op.attributes]


def _arrays(context: PassContext) -> list[ir.Operation]:
    """The logistic functions of arrays that are to be composed."""
    processor = context.processor
    if not isinstance(processor, VectorUnit) or not processor.logistic:
        return []
    ops = nested_ops(context.module.operation, "stablehlo.logistic")
    return [op for op in ops if element(op.operands[0]) == "f32"]


def _compose(division: ir.Operation, reciprocal: Callable[[Number], Number]) -> None:
    """Replaces a marked division, and the ops that compute its denominator."""
    total = defining(division.operands[1])
    exponential = defining(total.operands[0])
    negative = defining(exponential.operands[0])
    body = Body.before(division)
    replace(division, _logistic(as_number(body, negative.operands[0]), reciprocal).value)
    for op in (total, exponential, negative):
        op.erase()


def _logistic(x: Number, reciprocal: Callable[[Number], Number]) -> Number:
    """Emits the function of a float32 or a vector of them."""
    body = x.body
    # NaN is neither greater nor less than anything, so it stays NaN
    least, most = (_like(x, bound) for bound in (_LEAST, _MOST))
    x = body.select(body.compare("ogt", least, x), least, x)
    x = body.select(body.compare("olt", most, x), most, x)
    shifted = _fma(x, -1 / math.log(2), _SHIFT)
    n = shifted - _SHIFT
    r = _fma(n, -_LOG2_LOW, _fma(n, -_LOG2_HIGH, -x))
    highest, *others = (_like(x, each) for each in _EXPONENTIAL)
    polynomial = reduce(lambda total, each: _fma(total, r, each), others, highest)
    fourth = _fma(_fma(polynomial, r * r, r), 0.25, 0.25)  # in this order, it never decreases
    power = (shifted.bitcast("i32") << 23).bitcast("f32")
    return reciprocal(_fma(fourth, power, 0.25))


def _divided(d: Number) -> Number:
    """Emits the fourth of a number's reciprocal, by a division."""
    return _like(d, 0.25) / d


def _by_steps(d: Number) -> Number:
    """Emits the fourth of a number's reciprocal, rounded as a division does it.

    The steps leave relative errors of 6e-2, 2e-4, a rounding, and before the last one 1e-14. With
    this guess, all of a binade are the division's: the last number of one, whose reciprocal is
    nearly half-way between two, is the one that other guesses miss.
    """
    body = d.body
    y = (_GUESS - d.bitcast("i32")).bitcast("f32")
    for _ in range(2):
        error = _error(d, y)
        y = _fma(y, _fma(error, error, error), y)
    fourth = y * 0.25
    found = _fma(fourth, _error(d, y), fourth)
    infinite = body.compare("oeq", d, _like(d, math.inf))
    return body.select(infinite, _like(d, 0.0), found)


def _error(d: Number, y: Number) -> Number:
    """Emits ``1 - d * y``."""
    return _fma(-d, y, 1.0)


RECIPROCALS: Mapping[str, Callable[[Number], Number]] = {
    "divided": _divided,
    "by_steps": _by_steps,
}
"""The reciprocals, by `VectorUnit.logistic`."""


def _like(x: Number, value: float) -> Number:
    """A constant of the same type."""
    return x.body.constant(value, x.element, x.lanes)


def _fma(x: Number, y: Number | float, z: Number | float) -> Number:
    """Emits ``x * y + z``, rounded once."""
    operands = [each if isinstance(each, Number) else _like(x, each) for each in (x, y, z)]
    return x.body.number("math.fma", operands, x.element, x.lanes)

"""Composes the exponential function of float64 where IREE has none to link.

Requires: a module after all other rewrites, those of open sizes among them.
Matches: on CPUs with addresses of 32 bits, `math.exp` of float64, anywhere, and
`stablehlo.exponential` and `stablehlo.logistic` of float64, which become a `linalg.generic` around
one. The function `exp` that IREE links for such processors returns undefined values
(`tests/ir/passes/test_exponential_of_float64.py`).
Ensures: results within two units in the last place; correct infinities, 0, subnormals and NaN.

It is ``2**n * (1 + 2*r*P(r*r) / (Q(r*r) - r*P(r*r)))`` with ``x = n*log(2) + r``. The coefficients
are those of the Cephes library (S. L. Moshier, exp.c).
"""

from __future__ import annotations

import math
from functools import reduce

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import pointwise_op, replace, rewrite_numbers
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_P = (1.26177193074810590878e-4, 3.02994407707441961300e-2, 9.99999999999999999910e-1)
_Q = (
    *(3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1),
    2.00000000000000000005e0,
)
_LOG2_HIGH, _LOG2_LOW = 6.93145751953125e-1, 1.42860682030941723212e-6
"""The logarithm of 2 in two parts; products of the first and small integers are exact."""

_SHIFT = 1.5 * 2.0**52
"""Adding this rounds a number to an integer, which is then in the lowest bits of the sum."""

_SHIFT_BITS = 0x4338 << 48

_LEAST, _MOST = -746.0, 710.0
"""Below and above these, the function is 0 and infinite."""

_ARRAYS = ("stablehlo.exponential", "stablehlo.logistic")


def exponentials_of_float64_are_composed(context: PassContext) -> str | None:
    """No exponential of float64 is left where IREE has none to link."""
    return first(map(str, _of_float64(context, *_ARRAYS, "math.exp")))


@pass_with(requires=(sizes_are_indices,), ensures=(exponentials_of_float64_are_composed,))
def exponential_of_float64(context: PassContext) -> None:
    """Rewrites all exponentials of float64."""
    for op in _of_float64(context, *_ARRAYS):
        replace(op, pointwise_op(Body.before(op), op))
    rewrite_numbers(_of_float64(context, "math.exp"), _exponential)


def _of_float64(context: PassContext, *names: str) -> list[ir.Operation]:
    """The ops of some names that take float64, for a processor that they are composed for."""
    processor = context.processor
    if not isinstance(processor, VectorUnit) or processor.float64_exponential:
        return []
    ops = nested_ops(context.module.operation, *names)
    return [op for op in ops if element(op.operands[0]) == "f64"]


def _exponential(body: Body, x: Number) -> Number:
    """Emits the exponential of a float64 or a vector of them."""

    def constant(value: float) -> Number:
        return body.constant(value, "f64", x.lanes)

    def polynomial(z: Number, coefficients: tuple[float, ...]) -> Number:
        first, *rest = map(constant, coefficients)
        return reduce(lambda total, each: total * z + each, rest, first)

    def power(exponent: Number) -> Number:
        """2 to the power of an integer."""
        return (exponent + 1023 << 52).bitcast("f64")

    # NaN is neither greater nor less than anything, so it stays NaN.
    low = body.select(body.compare("olt", x, constant(_LEAST)), constant(_LEAST), x)
    x = body.select(body.compare("ogt", low, constant(_MOST)), constant(_MOST), low)
    shifted = x * constant(1 / math.log(2)) + constant(_SHIFT)
    n = shifted - constant(_SHIFT)
    r = x - n * constant(_LOG2_HIGH) - n * constant(_LOG2_LOW)
    z = r * r
    odd = r * polynomial(z, _P)
    ratio = body.number("arith.divf", [odd, polynomial(z, _Q) - odd], "f64", x.lanes)
    near = ratio * constant(2.0) + constant(1.0)
    exponent = shifted.bitcast("i64") - _SHIFT_BITS
    one = body.constant(1, "i64", x.lanes)
    half = body.number("arith.shrsi", [exponent, one], "i64", x.lanes)
    return near * power(half) * power(exponent - half)

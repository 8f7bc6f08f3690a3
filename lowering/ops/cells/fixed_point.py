"""Fixed-point arithmetic of TensorFlow Lite's integer kernels, with every bit of their results.

Numbers of 16 bits are held in int32. A format Qm has m bits before the point and 15 - m behind it.
Products of two such numbers are rounded half up, `rescaled` ones twice, as the kernels do.

Source: fixedpoint/fixedpoint.h of gemmlowp; tensorflow/lite/kernels/internal/common.h.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value

LEAST, MOST = -(1 << 15), (1 << 15) - 1
"""The range of 16 bits."""

_ONE = MOST
"""1 in Q0, as near as it goes."""

_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-2**k) for k from -2 on, with 31 bits behind the point."""


def multiplier(scale: float) -> tuple[int, int]:
    """A factor as an integer and a power of two: fixed * 2**(shift - 31).

    Example:
        >>> multiplier(0.75), multiplier(1e-12)
        ((1610612736, 0), (0, 0))
    """
    fraction, shift = math.frexp(scale)
    fixed = math.floor(fraction * 2.0**31 + 0.5)
    if fixed == 1 << 31:
        fixed, shift = fixed // 2, shift + 1
    return (0, 0) if shift < -31 else (fixed, shift)


def rescaled(b: Builder, x: Value, scale: float) -> Value:
    """An int32 times a positive factor, rounded to int32."""
    fixed, shift = multiplier(scale)
    if shift > 0:
        x = b.op("shift_left", [x, b.full(shift, x.shape, x.dtype)], x.type)
    product = x.to("int64") * fixed + (1 << 30)
    return rounding_shift(b, _right(b, product, 31).to("int32"), max(-shift, 0))


def rounding_shift(b: Builder, x: Value, bits: int) -> Value:
    """An int32 divided by a power of two, rounded half away from 0."""
    if not bits:
        return x
    return _right(b, x + _right(b, x, 31) + (1 << (bits - 1)), bits)


def saturated(b: Builder, x: Value) -> Value:
    """Within 16 bits."""
    return b.clamp(LEAST, x, MOST)


def logistic(b: Builder, x: Value) -> Value:
    """The logistic function of a number in Q3, in Q0."""
    e = _exponential(b, _below_0(b, x), 3)
    half = saturated(b, _reciprocal(b, e) * 2)
    signed = b.select(x.compare("GT", 0), half, b.full(_ONE, x.shape, x.dtype) - half)
    return b.select(x.compare("EQ", 0), b.full(1 << 14, x.shape, x.dtype), signed)


def tanh(b: Builder, x: Value, integer_bits: int) -> Value:
    """The hyperbolic tangent of a number with some bits before the point, in Q0."""
    e = _exponential(b, _below_0(b, x), integer_bits + 1)
    value = saturated(b, (_reciprocal(b, e) - (1 << 13)) * 4)
    signed = b.select(x.compare("GT", 0), value, 0 - value)
    return b.select(x.compare("EQ", 0), b.full(0, x.shape, x.dtype), signed)


def _below_0(b: Builder, x: Value) -> Value:
    """The number, or its negative, that is not above 0."""
    return b.op("minimum", [x, 0 - x], x.type)


def _right(b: Builder, x: Value, bits: int) -> Value:
    """Shifted to the right, with its sign."""
    return b.op("shift_right_arithmetic", [x, b.full(bits, x.shape, x.dtype)], x.type)


def _times(b: Builder, x: Value, y: Value | int) -> Value:
    """The product with a number in Q0, in the format of x."""
    return _right(b, x * y + (1 << 14), 15)


def _constant(raw: int) -> int:
    """The upper 16 of 32 bits."""
    return min((raw + (1 << 15)) >> 16, MOST)


def _bits(b: Builder, x: Value, mask: int) -> Value:
    return b.op("and", [x, b.full(mask, x.shape, x.dtype)], x.type)


def _exponential(b: Builder, x: Value, integer_bits: int) -> Value:
    """exp(x) for x up to 0, in Q0: a polynomial around -1/8, times powers for the other bits."""
    fraction = 15 - integer_bits
    quarter = 1 << (fraction - 2)
    part = _bits(b, x, quarter - 1) - quarter
    y = part * (1 << integer_bits) + (1 << 12)
    y2 = _times(b, y, y)
    y3, y4 = _times(b, y2, y), _times(b, y2, y2)
    inner = _times(b, rounding_shift(b, y4, 2) + y3, _constant(715827883)) + y2
    term = _constant(1895147668)
    result = _times(b, y + rounding_shift(b, inner, 1), term) + term
    rest = part - x
    for exponent, raw in enumerate(_POWERS, -2):
        if integer_bits > exponent:
            chosen = _bits(b, rest, 1 << (fraction + exponent)).compare("NE", 0)
            result = b.select(chosen, _times(b, result, _constant(raw)), result)
    if integer_bits > 5:  # other powers are 0
        least = -(1 << (20 - integer_bits))
        result = b.select(x.compare("LT", least), b.full(0, x.shape, x.dtype), result)
    return b.select(x.compare("EQ", 0), b.full(_ONE, x.shape, x.dtype), result)


def _reciprocal(b: Builder, x: Value) -> Value:
    """1 / (1 + x) for x from 0 to 1, with 14 bits behind the point: three steps of Newton's."""
    half = _right(b, x + (_ONE + 1), 1)
    y = _times(b, half, _constant(-1010580540)) + _constant(1515870810)
    for _ in range(3):
        rest = b.full(1 << 13, x.shape, x.dtype) - _times(b, half, y)
        y = y + saturated(b, _times(b, y, rest) * 4)
    return y

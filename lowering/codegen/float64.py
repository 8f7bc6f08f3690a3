"""Functions of float64, composed of arithmetic, square roots and `math.exp`.

IREE has few functions of float64 to link, and on processors of 32 bits next to none; where it has
one, such as log1p or asinh, the formula may lose all digits near 0. These are textbook methods: the
argument is reduced exactly or in two parts, then a Taylor series is summed until its next term is
below 2**-56. Only erfc is a sum of Chebyshev polynomials, computed with 60 digits.

Results are within 4 units in the last place, those of `power` within ``4 + 2*|y*log(x)|``,
and have the correct infinities, signed zeros and NaN. Sines, cosines and tangents of more than
2**30 are NaN: the reduction of their arguments would be wrong without a sign of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from rnn_compiler.lowering.codegen.body import Number

_LOG2 = (float.fromhex("0x1.62e42fefa2p-1"), float.fromhex("0x1.9ef35793c7673p-41"))
_LOG10_OF_2 = (float.fromhex("0x1.34413509f4p-2"), float.fromhex("0x1.cff7988f8959bp-41"))
"""Logarithms of 2 in two parts; products of the first and an exponent are exact."""

_HALF_PI = (math.pi / 2, float.fromhex("0x1.1a62633145c07p-54"))
_ARCTANGENTS = {
    0.5: (math.atan(0.5), float.fromhex("0x1.a2b7f222f65e2p-56")),
    1.0: (math.pi / 4, float.fromhex("0x1.1a62633145c07p-55")),
}
"""Values in two parts, of which the second is what the first lacks."""

_PARTS_OF_HALF_PI = tuple(
    map(
        float.fromhex,
        ("0x1.921fb4p+0", "0x1.4442dp-24", "0x1.846988p-48", "0x1.8cc51701b839ap-72"),
    )
)
"""Half of pi in parts; products of the first three and integers up to 2**30 are exact."""

_ROOT_SEED = 0x5FE6EB50C7B537A9
"""The bits of 1 / sqrt(x) are about this less half of the bits of x."""

_MOST_RADIANS = 2.0**30

_SHIFT, _SHIFT_BITS = 1.5 * 2.0**52, 0x4338 << 48
"""Adding this rounds a number to an integer, which is then in the lowest bits of the sum."""

_ROOT_BITS = 0x3FE6A09E667F3BCD
"""The bits of the square root of 0.5."""

_LEAST_NORMAL = 2.0**-1022

_ERFC = (
    *(1.210677940694214, -0.07386602138757274, -0.021925817186695756, 0.01979622598330062),
    *(-0.008304516603087899, 0.002476680268891719, -0.0005584195133978612, 9.23630140622529e-05),
    *(-9.437787304936758e-06, 1.533340859279098e-08, 1.7923625690837423e-07),
    *(-2.4529661547231826e-08, -1.0662181478402102e-09, 6.873607823933708e-10),
    *(-3.495728823140734e-11, -1.5284552922511393e-11, 1.9426459056452242e-12),
    *(3.3299272801267463e-13, -7.192324474751281e-14, -7.922170546298046e-15),
    *(2.4793444826073247e-15, 2.2655534108799694e-16, -8.558157614424224e-17),
)
"""The Chebyshev series of ``(1 + 2*x) * exp(x*x) * erfc(x)`` from 0.5 to infinity, as a function of
``(x - 4.5) / (x + 3.5)``."""


def _series(z: Number, coefficients: Sequence[float]) -> Number:
    """A polynomial, by Horner's rule, from the constant on."""
    *rest, last = coefficients
    start = z.body.constant(last, z.element, z.lanes)
    return reduce(lambda total, each: total * z + each, reversed(rest), start)


def _of(name: str, *operands: Number) -> Number:
    """An op of the `math` dialect."""
    x = operands[0]
    return x.body.number(f"math.{name}", operands, x.element, x.lanes)


def _abs(x: Number) -> Number:
    return _of("absf", x)


def _is(x: Number, predicate: str, other: Number | float) -> Number:
    """A comparison of floats."""
    if not isinstance(other, Number):
        other = x.body.constant(other, x.element, x.lanes)
    return x.body.compare(predicate, x, other)


def _where(condition: Number, first: Number | float, second: Number | float) -> Number:
    """A choice between two, at least one of them a number."""
    model = first if isinstance(first, Number) else second
    assert isinstance(model, Number)
    first, second = (
        each if isinstance(each, Number) else model.body.constant(each, model.element, model.lanes)
        for each in (first, second)
    )
    return model.body.select(condition, first, second)


def _split_logarithm(x: Number) -> tuple[Number, Number]:
    """K and log(m) with x = 2**k * m, for a positive x; m is between the roots of 0.5 and 2."""
    small = _is(x, "olt", _LEAST_NORMAL)
    bits = _where(small, x * 2.0**54, x).bitcast("i64")
    places = x.body.constant(52, "i64", x.lanes)
    exponent = x.body.number("arith.shrsi", [bits - _ROOT_BITS, places], "i64", x.lanes)
    f = (bits - (exponent << 52)).bitcast("f64") - 1.0
    k = (exponent + _SHIFT_BITS).bitcast("f64") - _SHIFT
    s = f / (f + 2.0)
    z = s * s
    rest = z * _series(z, [2 / (2 * i + 3) for i in range(11)])  # log(m) = s * (2 + rest)
    return k - _where(small, 54.0, x.body.constant(0, "f64", x.lanes)), f - s * (f - rest)


def _with_ends(x: Number, logarithm: Number) -> Number:
    """A logarithm with the values at 0, infinity, and where it is not defined."""
    defined = _where(_is(x, "oeq", 0), -math.inf, _where(_is(x, "oeq", math.inf), x, logarithm))
    return _where(_is(x, "oge", 0), defined, math.nan)


def _log(x: Number) -> Number:
    k, rest = _split_logarithm(x)
    return _with_ends(x, k * _LOG2[0] + (k * _LOG2[1] + rest))


def _log2(x: Number) -> Number:
    k, rest = _split_logarithm(x)
    return _with_ends(x, k + rest * (1 / math.log(2)))


def _log10(x: Number) -> Number:
    k, rest = _split_logarithm(x)
    return _with_ends(x, k * _LOG10_OF_2[0] + (k * _LOG10_OF_2[1] + rest * (1 / math.log(10))))


def _log1p(x: Number) -> Number:
    u = x + 1.0
    lost = _where(_is(x, "olt", 1.0), x - (u - 1.0), 1.0 - (u - x))
    logarithm = _log(u)
    inside = u.body.compare("one", u * 0.0, u)  # neither 0 nor infinite nor NaN
    return _where(_is(u, "oeq", 1.0), x, _where(inside, logarithm + lost / u, logarithm))


def _expm1(x: Number) -> Number:
    near = x + x * x * _series(x, [1 / math.factorial(n) for n in range(2, 20)])
    near = _where(_is(x, "oeq", 0), x, near)  # the sum of -0 and 0 is 0
    return _where(_is(_abs(x), "olt", 1.0), near, _of("exp", x) - 1.0)


def _sinh(x: Number) -> Number:
    a = _abs(x)
    e = _expm1(a)
    root = _of("exp", a * 0.5)
    far = root * 0.5 * root - 0.5 / (root * root)
    return _of("copysign", _where(_is(a, "olt", 1.0), (e + e / (e + 1.0)) * 0.5, far), x)


def _cosh(x: Number) -> Number:
    root = _of("exp", _abs(x) * 0.5)
    return root * 0.5 * root + 0.5 / (root * root)


def _tanh(x: Number) -> Number:
    a = _abs(x)
    e = _expm1(a * 2.0)
    d = e + 2.0
    return _of("copysign", _where(_is(a, "olt", 0.5), e / d, 1.0 - 2.0 / d), x)


def _asinh(x: Number) -> Number:
    a = _abs(x)
    square = a * a
    near = _log1p(a + square / (_of("sqrt", square + 1.0) + 1.0))
    return _of("copysign", _where(_is(a, "olt", 2.0**28), near, _log(a) + math.log(2)), x)


def _acosh(x: Number) -> Number:
    t = x - 1.0
    near = _log1p(t + _of("sqrt", t * 2.0 + t * t))
    value = _where(_is(x, "olt", 2.0**28), near, _log(x) + math.log(2))
    return _where(_is(x, "oge", 1.0), value, math.nan)


def _atanh(x: Number) -> Number:
    a = _abs(x)
    value = _log1p(a * 2.0 / (1.0 - a)) * 0.5
    return _of("copysign", _where(_is(a, "ole", 1.0), value, math.nan), x)


def _quadrant(x: Number) -> tuple[Number, Number, Number]:
    """The sine and cosine of x less the nearest multiple of pi/2, and the multiple's number."""
    shifted = x * (2 / math.pi) + _SHIFT
    n = shifted - _SHIFT
    first, second, third, fourth = (n * each for each in _PARTS_OF_HALF_PI)
    start = x - first - second
    high = start - third
    taken = start - high  # the sum of two numbers and its error, whichever is larger
    low = (start - (high + taken)) + (taken - third) - fourth
    r = high + low
    tail = (high - r) + low
    z = r * r
    sine = r + (r * z * _series(z, _alternating(3)) + tail * (1.0 - z * 0.5))
    rest = z * z * _series(z, [-each for each in _alternating(4)]) - r * tail
    cosine = 1.0 - (z * 0.5 - rest)
    inside = _is(_abs(x), "ole", _MOST_RADIANS)
    return _where(inside, sine, math.nan), _where(inside, cosine, math.nan), shifted.bitcast("i64")


def _alternating(first: int) -> list[float]:
    """-1/first!, 1/(first+2)!, ..."""
    return [(-1) ** (i + 1) / math.factorial(first + 2 * i) for i in range(8)]


def _odd(n: Number) -> Number:
    """Whether an integer is odd."""
    return n.body.compare("ne", n & 1, n.body.constant(0, "i64", n.lanes))


def _turned(value: Number, n: Number) -> Number:
    """A value with the other sign in the third and fourth quadrant."""
    return _where(_odd(n >> 1), -value, value)


def _sin(x: Number) -> Number:
    sine, cosine, n = _quadrant(x)
    return _where(_is(x, "oeq", 0), x, _turned(_where(_odd(n), cosine, sine), n))


def _cos(x: Number) -> Number:
    sine, cosine, n = _quadrant(x)
    return _turned(_where(_odd(n), sine, cosine), n + 1)


def _tan(x: Number) -> Number:
    sine, cosine, n = _quadrant(x)
    tangent = _where(_odd(n), -cosine, sine) / _where(_odd(n), sine, cosine)
    return _where(_is(x, "oeq", 0), x, tangent)


def _atan2(y: Number, x: Number) -> Number:
    a, b = _abs(y), _abs(x)
    steep = _is(a, "ogt", b)
    low, high = _where(steep, b, a), _where(steep, a, b)
    ends = _is(low, "oeq", math.inf)  # both are infinite: their ratio is 1
    low, high = _where(ends, 1.0, low), _where(ends, 1.0, high)
    scale = _where(_is(high, "ogt", 1.0), 2.0**-8, x.body.constant(2.0**8, "f64", x.lanes))
    low, high = low * scale, high * scale
    angle = _small_angle(low, low, high, (0.0, 0.0), 0.0)
    for slope, (value, rest) in _ARCTANGENTS.items():
        near = _is(low, "oge", high * (slope - 0.25))
        angle = _where(
            near, _small_angle(low - high * slope, low, high, (value, rest), slope), angle
        )
    angle = _where(_is(high, "oeq", 0), low, angle)
    angle = _where(steep, _HALF_PI[0] - (angle - _HALF_PI[1]), angle)
    one = x.body.constant(1, "f64", x.lanes)
    behind = _is(_of("copysign", one, x), "olt", 0)
    angle = _where(behind, 2 * _HALF_PI[0] - (angle - 2 * _HALF_PI[1]), angle)
    undefined = x.body.compare("uno", x, y)
    return _where(undefined, x + y, _of("copysign", angle, y))


def _small_angle(
    difference: Number, low: Number, high: Number, of: tuple[float, float], slope: float
) -> Number:
    """atan(low / high) as that of a slope, whose value is known, and that of the difference."""
    t = difference / (high + low * slope if slope else high)
    z = t * t
    cubic = t * z * _series(z, [(-1) ** i / (2 * i + 1) for i in range(1, 14)])
    return t + cubic if not slope else (t + (cubic + of[1])) + of[0]


def _atan(x: Number) -> Number:
    return _atan2(x, x.body.constant(1, "f64", x.lanes))


def _leg(x: Number) -> Number:
    """The cosine of an angle whose sine is x."""
    return _of("sqrt", (1.0 - x) * (x + 1.0))


def _asin(x: Number) -> Number:
    return _atan2(x, _leg(x))


def _acos(x: Number) -> Number:
    return _atan2(_leg(x), x)


def _cbrt(x: Number) -> Number:
    a = _abs(x)
    root = _of("exp", _log(a) * (1 / 3))
    root = root - (root - a / (root * root)) * (1 / 3)
    inside = x.body.compare("one", a * 0.0, a)  # neither 0 nor infinite nor NaN
    return _of("copysign", _where(inside, root, a), x)


def _erfc_of_magnitude(a: Number) -> Number:
    """erfc(a) for numbers from 0.5 on."""
    a = _where(_is(a, "ogt", 28.0), 28.0, a)
    t = (a - 4.5) / (a + 3.5) * 2.0
    after = total = a.body.constant(0, "f64", a.lanes)
    for each in reversed(_ERFC[1:]):
        total, after = t * total - after + each, total
    value = t * 0.5 * total - after + _ERFC[0]
    bits = a.bitcast("i64") & -(1 << 32)
    short = bits.bitcast("f64")  # its square is exact
    decay = _of("exp", -(short * short)) * _of("exp", (short - a) * (short + a))
    return decay * value / (a * 2.0 + 1.0)


def _small_erf(x: Number) -> Number:
    """erf(x) for numbers below 0.5."""
    factors = [
        2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(14)
    ]
    return x * _series(x * x, factors)


def _erf(x: Number) -> Number:
    a = _abs(x)
    far = _of("copysign", 1.0 - _erfc_of_magnitude(a), x)
    return _where(_is(a, "olt", 0.5), _small_erf(x), far)


def _erfc(x: Number) -> Number:
    far = _erfc_of_magnitude(_abs(x))
    far = _where(_is(x, "olt", 0), 2.0 - far, far)
    return _where(_is(_abs(x), "olt", 0.5), 1.0 - _small_erf(x), far)


def _sqrt(x: Number) -> Number:
    small = _is(x, "olt", _LEAST_NORMAL)
    a = _where(small, x * 2.0**54, x)
    y = (x.body.constant(_ROOT_SEED, "i64", x.lanes) - (a.bitcast("i64") >> 1)).bitcast("f64")
    for _ in range(4):  # Newton's method for 1 / sqrt(a), from 4 % on
        y = y + y * 0.5 * (1.0 - a * y * y)
    root = a * y
    high = (root.bitcast("i64") & -(1 << 27)).bitcast("f64")  # its square is exact
    low = root - high
    root = root + ((a - high * high) - high * 2.0 * low - low * low) * y * 0.5
    root = _where(small, root * 2.0**-27, root)
    ends = _where(_is(x, "olt", 0), math.nan, x)
    return _where(_is(x * 0.0, "olt", x), root, ends)  # neither 0 nor infinite nor NaN


def _rsqrt(x: Number) -> Number:
    return 1.0 / _sqrt(x)


def _power(x: Number, y: Number) -> Number:
    """X to the power y, for an x that is not negative, without IEEE 754's special cases."""
    return _of("exp", y * _log(x))


FUNCTIONS_OF_FLOAT64: Mapping[str, Callable[..., Number]] = MappingProxyType(
    {
        "acos": _acos,
        "acosh": _acosh,
        "asin": _asin,
        "asinh": _asinh,
        "atan": _atan,
        "atan2": _atan2,
        "atanh": _atanh,
        "cbrt": _cbrt,
        "cos": _cos,
        "cosh": _cosh,
        "erf": _erf,
        "erfc": _erfc,
        "expm1": _expm1,
        "log": _log,
        "log10": _log10,
        "log1p": _log1p,
        "log2": _log2,
        "powf": _power,
        "sin": _sin,
        "sinh": _sinh,
        "tan": _tan,
        "tanh": _tanh,
    }
)
"""The emitters of functions, by their names in MLIR's `math` dialect."""

ROOTS_OF_FLOAT64: Mapping[str, Callable[[Number], Number]] = MappingProxyType(
    {"rsqrt": _rsqrt, "sqrt": _sqrt}
)
"""The same of functions that processors with instructions for float64 have."""

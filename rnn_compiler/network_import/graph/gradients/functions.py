"""Rules for functions of each element.

For a function y of one number x, a formula gives dx from dy, x and y:

    Tanh    dx = dy * (1 - y * y)

Functions of several arrays are differentiated by each of them; what was broadcast is summed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import BOOL, ShapedValue


def _leaky(n: Backward, alpha: float) -> ShapedValue:
    return n.values.where(n.x > 0, n.dy, n.dy * alpha)


def _exponential(n: Backward, alpha: float, gamma: float = 1) -> ShapedValue:
    """Of gamma * (alpha * exp(x) - alpha) below 0: gamma * alpha * exp(x) = y + gamma * alpha."""
    return n.values.where(n.x > 0, n.dy * gamma, n.dy * (n.y + gamma * alpha))


def _celu(n: Backward, alpha: float) -> ShapedValue:
    """Of alpha * (exp(x / alpha) - 1) below 0: exp(x / alpha) = y / alpha + 1."""
    return n.values.where(n.x > 0, n.dy, n.dy * (n.y / alpha + 1))


def _hard_sigmoid(n: Backward, alpha: float) -> ShapedValue:
    return n.values.where((n.y > 0) & (n.y < 1), n.dy * alpha, 0)


def _hard_swish(n: Backward) -> ShapedValue:
    """Of x * clip(x / 6 + 1 / 2, 0, 1)."""
    within = n.values.where(n.x < 3, n.x / 3 + 0.5, 1)
    return n.dy * n.values.where(n.x > -3, within, 0)


def _mish(n: Backward) -> ShapedValue:
    """Of x * tanh(s), with the softplus s, whose derivative is a sigmoid."""
    t = n.x.apply("Softplus").apply("Tanh")
    return n.dy * (t + n.x * n.x.apply("Sigmoid") * (1 - t * t))


def _normal_gelu(n: Backward) -> ShapedValue:
    """Of x * P(x), with P the normal distribution's: P(x) + x * density(x)."""
    below = ((n.x * math.sqrt(0.5)).apply("Erf") + 1) * 0.5
    density = (n.x * n.x * -0.5).apply("Exp") * (1 / math.sqrt(2 * math.pi))
    return n.dy * (below + n.x * density)


_OF_ONE: Mapping[str, Callable[[Backward], ShapedValue]] = {
    "Identity": lambda n: n.dy,
    "Dropout": lambda n: n.dy,
    **dict.fromkeys(("Cast", "CastLike"), lambda n: n.dy),
    "Neg": lambda n: -n.dy,
    "Abs": lambda n: n.dy * n.x.apply("Sign"),
    "Exp": lambda n: n.dy * n.y,
    "Log": lambda n: n.dy / n.x,
    "Sqrt": lambda n: n.dy * 0.5 / n.y,
    "Reciprocal": lambda n: -n.dy * n.y * n.y,
    "Sin": lambda n: n.dy * n.x.apply("Cos"),
    "Cos": lambda n: -n.dy * n.x.apply("Sin"),
    "Tan": lambda n: n.dy * (n.y * n.y + 1),
    "Asin": lambda n: n.dy / (1 - n.x * n.x).apply("Sqrt"),
    "Acos": lambda n: -n.dy / (1 - n.x * n.x).apply("Sqrt"),
    "Atan": lambda n: n.dy / (n.x * n.x + 1),
    "Sinh": lambda n: n.dy * n.x.apply("Cosh"),
    "Cosh": lambda n: n.dy * n.x.apply("Sinh"),
    "Erf": lambda n: n.dy * (2 / math.sqrt(math.pi)) * (-n.x * n.x).apply("Exp"),
    "Gelu": _normal_gelu,
    "Sigmoid": lambda n: n.dy * n.y * (1 - n.y),
    "Tanh": lambda n: n.dy * (1 - n.y * n.y),
    "Relu": lambda n: n.values.where(n.y > 0, n.dy, 0),  # so that only y is kept
    "LeakyRelu": lambda n: _leaky(n, n.number("alpha", 0.01)),
    "ThresholdedRelu": lambda n: n.values.where(n.x > n.number("alpha", 1.0), n.dy, 0),
    "Elu": lambda n: _exponential(n, n.number("alpha", 1.0)),
    "Selu": lambda n: _exponential(
        n,
        n.number("alpha", 1.67326319217681884765625),
        n.number("gamma", 1.05070102214813232421875),
    ),
    "Celu": lambda n: _celu(n, n.number("alpha", 1.0)),
    "HardSigmoid": lambda n: _hard_sigmoid(n, n.number("alpha", 0.2)),
    "HardSwish": _hard_swish,
    "Mish": _mish,
    "Shrink": lambda n: n.values.where(n.x.apply("Abs") > n.number("lambd", 0.5), n.dy, 0),
    "Softplus": lambda n: n.dy * n.x.apply("Sigmoid"),
    "Softsign": lambda n: n.dy / ((n.x.apply("Abs") + 1) * (n.x.apply("Abs") + 1)),
    **dict.fromkeys(
        ("Floor", "Ceil", "Round", "Sign", "Hardmax"),
        lambda n: n.values.filled(0, n.x.kind, n.x.sizes),
    ),
}


def _of_one(formula: Callable[[Backward], ShapedValue]) -> Callable[[Backward], None]:
    """The rule for a function of one number."""

    def rule(n: Backward) -> None:
        n.give(0, formula(n))

    return rule


def _add(n: Backward) -> None:
    """Of a sum of any number of arrays, each gets dy."""
    for number in range(len(n.node.input)):
        if n.wants(number):
            n.give(number, n.dy)


def _mean(n: Backward) -> None:
    """Of the mean of several arrays."""
    for number in range(len(n.node.input)):
        if n.wants(number):
            n.give(number, n.dy / len(n.node.input))


def _sub(n: Backward) -> None:
    """Of y = a - b: da = dy, db = -dy."""
    if n.wants(0):
        n.give(0, n.dy)
    if n.wants(1):
        n.give(1, -n.dy)


def _mul(n: Backward) -> None:
    """Of y = a * b: da = dy * b, db = dy * a."""
    for number in (0, 1):
        if n.wants(number):
            n.give(number, n.dy * n.input(1 - number))


def _div(n: Backward) -> None:
    """Of y = a / b: da = dy / b, db = -dy * y / b."""
    scaled = n.dy / n.input(1)
    if n.wants(0):
        n.give(0, scaled)
    if n.wants(1):
        n.give(1, -scaled * n.y)


def _pow(n: Backward) -> None:
    """Of y = a ** b: da = dy * b * a ** (b - 1), db = dy * y * log(a).

    The import leaves only powers with a constant exponent or a constant positive base.
    """
    base, exponent = n.x, n.input(1)
    if n.wants(0):
        numbers = n.array(1)
        is_linear = n.values.constant((numbers == 0) | (numbers == 1), BOOL)
        power = n.values.where(is_linear, 1, base.power(exponent - 1))  # IREE's 0 ** 0 is NaN
        n.give(0, n.dy * exponent * power)
    if n.wants(1):
        n.give(1, n.dy * n.y * base.apply("Log"))


def _extremum(n: Backward) -> None:
    """The largest or least of several arrays: those that are it share dy equally."""
    counts = [n.input(k).equals(n.y).cast(n.y.kind) for k in range(len(n.node.input))]
    share = n.dy / n.values.sum(counts) if len(counts) > 1 else n.dy
    for number, is_it in enumerate(counts):
        if n.wants(number):
            n.give(number, share * is_it)


def _clip(n: Backward) -> None:
    """Of y = min(max(x, low), high): dx = dy within the bounds, and at them; else theirs is dy."""
    gradient = n.dy
    for number, beyond in ((1, ShapedValue.__lt__), (2, ShapedValue.__gt__)):
        if n.has(number):
            is_beyond = beyond(n.x, n.input(number))
            if n.wants(number):
                n.give(number, n.values.where(is_beyond, n.dy, 0))
            gradient = n.values.where(is_beyond, 0, gradient)
    if n.wants(0):
        n.give(0, gradient)


def _mod(n: Backward) -> None:
    """Of y = a - b * trunc(a / b): da = dy."""
    if n.wants(1):
        raise n.refused("its divisor is trained")
    n.give(0, n.dy)


def _where(n: Backward) -> None:
    """Of y = a where c, else b: each gets dy where it is chosen."""
    chosen = n.x
    if n.wants(1):
        n.give(1, n.values.where(chosen, n.dy, 0))
    if n.wants(2):
        n.give(2, n.values.where(chosen, 0, n.dy))


def _prelu(n: Backward) -> None:
    """Of y = x where x > 0, else slope * x."""
    if n.wants(0):
        n.give(0, n.values.where(n.x > 0, n.dy, n.dy * n.input(1)))
    if n.wants(1):
        n.give(1, n.values.where(n.x > 0, 0, n.dy * n.x))


FUNCTIONS: Mapping[str, Callable[[Backward], None]] = {
    **{operator: _of_one(formula) for operator, formula in _OF_ONE.items()},
    **dict.fromkeys(("Add", "Sum"), _add),
    **dict.fromkeys(("Max", "Min"), _extremum),
    "Mean": _mean,
    "Sub": _sub,
    "Mul": _mul,
    "Div": _div,
    "Pow": _pow,
    "Mod": _mod,
    "Clip": _clip,
    "Where": _where,
    "PRelu": _prelu,
}
"""The rules of the operators on elements."""

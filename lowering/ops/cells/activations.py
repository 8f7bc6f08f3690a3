"""ONNX's activation functions as data: formula, derivative, parameters.

A step saves the function's value y if the derivative can be computed from it. Otherwise it saves
the input x, and the derivative recomputes y: for clipped inputs, because the derivative is 0
where they were clipped; for functions that are not monotonic if alpha is not positive; and for
functions that saturate at a value that 16 bits cannot represent, because a rounded y would differ
from that value, where the derivative is not 0.

A gradient is multiplied from the left: slope, then the factors. Where a function is flat, the
gradient is 0 whatever the factors are, even NaN.

Source of formulas and of the defaults of alpha and beta: the operators LSTM and, by the names of
the functions, Affine, Elu, HardSigmoid, LeakyRelu, ThresholdedRelu of the ONNX specification
(https://onnx.ai/onnx/operators). It has no default for ScaledTanh.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


class Slope(NamedTuple):
    """The derivative of a function.

    Attributes:
        value: The derivative where the function is not flat; None for 1.
        rises: Where the function is not flat; None for everywhere.
    """

    value: Value | None
    rises: Value | None = None


@dataclass(frozen=True)
class Activation:
    """One of ONNX's functions.

    Attributes:
        formula: y in terms of x, for the documentation.
        derivative: dy/dx, for the documentation: in terms of y if a step saves y.
        slope: Emits the derivative, given x, y, alpha and beta; if only y is known, y for both.
        parameters: Its parameters among alpha and beta, with their defaults; None for no default.
        needs_input: Whether the derivative needs x, given alpha.
    """

    name: str
    formula: str
    derivative: str
    apply: Callable[[Builder, Value, float, float], Value]
    slope: Callable[[Builder, Value, Value, float, float], Slope]
    parameters: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])
    needs_input: Callable[[float], bool] = lambda alpha: False


def _absolute(b: Builder, x: Value) -> Value:
    return b.op("abs", [x], x.type)


def _exponential(b: Builder, x: Value) -> Value:
    return b.op("exponential", [x], x.type)


def _elu(b: Builder, x: Value, alpha: float, _: float) -> Value:
    at_most_0 = b.op("minimum", [x, b.full(0, x.shape, x.dtype)], x.type)
    below = (_exponential(b, at_most_0) - 1.0) * alpha
    return b.select(x.compare("GE", 0.0), x, below)


def _softplus(b: Builder, x: Value, *_: float) -> Value:
    return b.relu(x) + b.op("log_plus_one", [_exponential(b, -_absolute(b, x))], x.type)


def _softsign_slope(b: Builder, x: Value, y: Value, *_: float) -> Slope:
    rest = 1.0 - _absolute(b, y)
    return Slope(rest * rest)


def _scaled_tanh_slope(b: Builder, x: Value, y: Value, alpha: float, beta: float) -> Slope:
    t = b.tanh(x * beta)
    return Slope((1.0 - t * t) * (alpha * beta))


def _hard_sigmoid_slope(b: Builder, x: Value, y: Value, alpha: float, beta: float) -> Slope:
    inside = b.op("and", [above := y.compare("GT", 0.0), y.compare("LT", 1.0)], above.type)
    return Slope(b.full(alpha, y.shape, y.dtype), inside)


def _from_0_on(b: Builder, x: Value, below: Value) -> Slope:
    """A slope of 1 for x >= 0, and another one below."""
    return Slope(b.select(x.compare("GE", 0.0), b.full(1, x.shape, x.dtype), below))


_ROWS = (
    Activation(
        "Relu",
        "max(x, 0)",
        "1 where y > 0, else 0",
        lambda b, x, alpha, beta: b.relu(x),
        lambda b, x, y, alpha, beta: Slope(None, y.compare("GT", 0.0)),
    ),
    Activation(
        "Tanh",
        "tanh(x)",
        "1 - y*y",
        lambda b, x, alpha, beta: b.tanh(x),
        lambda b, x, y, alpha, beta: Slope(1.0 - y * y),
    ),
    Activation(
        "Sigmoid",
        "1 / (1 + exp(-x))",
        "y * (1-y)",
        lambda b, x, alpha, beta: b.sigmoid(x),
        lambda b, x, y, alpha, beta: Slope(y * (1.0 - y)),
    ),
    Activation(
        "Affine",
        "alpha*x + beta",
        "alpha",
        lambda b, x, alpha, beta: x * alpha + beta,
        lambda b, x, y, alpha, beta: Slope(b.full(alpha, y.shape, y.dtype)),
        {"alpha": 1.0, "beta": 0.0},
    ),
    Activation(
        "LeakyRelu",
        "x where x >= 0, else alpha*x",
        "1 where y >= 0, else alpha; of x if alpha <= 0",
        lambda b, x, alpha, beta: b.select(x.compare("GE", 0.0), x, x * alpha),
        lambda b, x, y, alpha, beta: _from_0_on(b, x, b.full(alpha, x.shape, x.dtype)),
        {"alpha": 0.01},
        lambda alpha: alpha <= 0,
    ),
    Activation(
        "ThresholdedRelu",
        "x where x >= alpha, else 0",
        "1 where y > 0, else 0; where x >= alpha if alpha <= 0",
        lambda b, x, alpha, beta: b.select(x.compare("GE", alpha), x, b.full(0, x.shape, x.dtype)),
        lambda b, x, y, alpha, beta: Slope(
            None, y.compare("GT", 0.0) if alpha > 0 else x.compare("GE", alpha)
        ),
        {"alpha": 1.0},
        lambda alpha: alpha <= 0,
    ),
    Activation(
        "ScaledTanh",
        "alpha * tanh(beta*x)",
        "of x: alpha*beta * (1 - tanh(beta*x)*tanh(beta*x))",
        lambda b, x, alpha, beta: b.tanh(x * beta) * alpha,
        _scaled_tanh_slope,
        {"alpha": None, "beta": None},
        lambda alpha: True,
    ),
    Activation(
        "HardSigmoid",
        "min(max(alpha*x + beta, 0), 1)",
        "alpha where 0 < y < 1, else 0",
        lambda b, x, alpha, beta: b.clamp(0.0, x * alpha + beta, 1.0),
        _hard_sigmoid_slope,
        {"alpha": 0.2, "beta": 0.5},
    ),
    Activation(
        "Elu",
        "x where x >= 0, else alpha * (exp(x) - 1)",
        "1 where y >= 0, else y + alpha; of x if alpha is not 1",
        _elu,
        lambda b, x, y, alpha, beta: _from_0_on(b, x, y + alpha),
        {"alpha": 1.0},
        lambda alpha: alpha != 1,
    ),
    Activation(
        "Softsign",
        "x / (1 + |x|)",
        "(1-|y|) * (1-|y|)",
        lambda b, x, alpha, beta: x / (_absolute(b, x) + 1.0),
        _softsign_slope,
    ),
    Activation(
        "Softplus",
        "log(1 + exp(x))",
        "1 - exp(-y)",
        _softplus,
        lambda b, x, y, alpha, beta: Slope(1.0 - _exponential(b, -y)),
    ),
)

ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({row.name: row for row in _ROWS})
"""The functions by ONNX's names."""


@dataclass(frozen=True)
class GateFunction:
    """The activation function of a gate: a function with its parameters.

    Attributes:
        alpha: Its alpha; 0 if it has none.
        beta: Its beta; 0 if it has none.
        clip: The bound of its input; 0 for none.
    """

    of: Activation
    alpha: float = 0.0
    beta: float = 0.0
    clip: float = 0.0

    @property
    def keeps_input(self) -> bool:
        """Whether a step saves the function's input instead of its value."""
        return self.clip > 0 or self.of.needs_input(self.alpha)

    def gate(self, b: Builder, x: Value) -> tuple[Value, Value]:
        """A gate's value, and the saved one: the value, or the clipped input."""
        x = b.clamp(-self.clip, x, self.clip) if self.clip else x
        y = self.apply(b, x)
        return y, x if self.keeps_input else y

    def apply(self, b: Builder, x: Value) -> Value:
        """The function of a clipped input."""
        return self.of.apply(b, x, self.alpha, self.beta)

    def value(self, b: Builder, saved: Value) -> Value:
        """The function's value, computed from the saved one."""
        return self.apply(b, saved) if self.keeps_input else saved

    def gradient(self, b: Builder, saved: Value, y: Value, *factors: Value) -> Value:
        """The derivative times some factors: the gradient of the input before it is clipped.

        It is given the saved value; or the input, if the function's value is known too.
        """
        slope, rises = self.of.slope(b, saved, y, self.alpha, self.beta)
        result = functools.reduce(operator.mul, factors if slope is None else (slope, *factors))
        inside = [] if rises is None else [rises]
        if self.clip:  # rounded like the saved input
            bound = b.full(self.clip, saved.shape, b.spec.dtype).to(saved.dtype)
            inside.append(_absolute(b, saved).compare("LT", bound))
        for condition in inside:
            result = b.select(condition, result, b.full(0, result.shape, result.dtype))
        return result


SIGMOID = GateFunction(ACTIVATIONS["Sigmoid"])
TANH = GateFunction(ACTIVATIONS["Tanh"])

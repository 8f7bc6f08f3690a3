"""Optimizers: the next values of weights and of their moments, given gradients g.

    sgd       m = momentum * m + g             w -= rate * m, with nesterov (g + momentum * m)
    adam      m = beta1 * m + (1 - beta1) * g  v = beta2 * v + (1 - beta2) * g^2
              w -= rate / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + epsilon)
    adamw     w -= rate * weight_decay * w, then as adam
    rmsprop   v = rho * v + (1 - rho) * g^2    m = momentum * m + g / (sqrt(v) + epsilon)
              w -= rate * m

With weight_decay, the others first add weight_decay * w to g. Before that, clip_value limits each
element of g, and clip_norm the norm c of all gradients: g *= min(1, clip_norm / (c + 1e-6)). These
are PyTorch's formulas, with its names except for rho, which it calls alpha.

t counts the steps, a state of its own. Moments are 0 at first. Those of smaller floats than
float32 are float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rnn_compiler.network_import.graph.gradients.values import INT32, ShapedValue, Values
from rnn_compiler.network_import.graph.training.losses import inside

_LEAST_NORM = 1e-6
"""What PyTorch adds to the norm of gradients."""


class State(NamedTuple):
    """A state of a training step.

    Attributes:
        title: What it is called.
        value: Its value before the step.
        next: Its value after it.
    """

    title: str
    value: ShapedValue
    next: ShapedValue


class _OptimizerStep:
    """A step of an optimizer.

    Attributes:
        values: The values of the graph.
        options: The optimizer's numbers.
        rate: The learning rate.
        states: The states so far, without the weights.
    """

    def __init__(
        self,
        values: Values,
        options: Mapping[str, Any],
        rate: ShapedValue,
        count: ShapedValue | None,
    ) -> None:
        self.values = values
        self.options = options
        self.rate = rate
        self.states: list[State] = []
        self._powers: dict[str, ShapedValue] = {}
        self._after: ShapedValue | None = None
        if count is not None:
            self._counted(count)

    def _counted(self, before: ShapedValue) -> ShapedValue:
        """The number of steps with this one, a state."""
        self._after = before + 1
        self.states.insert(0, State("step", before, self._after))
        return self._after

    def moment(
        self, title: str, weight: ShapedValue, following: Callable[[ShapedValue], ShapedValue]
    ) -> ShapedValue:
        """The next value of a moment of a weight."""
        before = self.values.input(title, inside(weight.kind), weight.sizes)
        self.states.append(State(title, before, following(before)))
        return self.states[-1].next

    def average(
        self, title: str, weight: ShapedValue, rate: float, added: ShapedValue
    ) -> ShapedValue:
        """A moment that forgets: the next value of rate * m + (1 - rate) * added."""
        return self.moment(title, weight, lambda before: before * rate + added * (1 - rate))

    def correction(self, name: str, kind: int) -> ShapedValue:
        """1 - beta^t, also where beta^t is close to 1: with x = t * log(beta) it is -expm1(x)."""
        after = self._after or self._counted(self.values.input("step", INT32, []))
        key = f"{name}.{kind}"
        if not self.options[name]:
            return self.values.constant(1, kind)
        if key not in self._powers:
            x = after.cast(kind) * math.log(self.options[name])
            self._powers[key] = -((x * 0.5).apply("Tanh") * (x.apply("Exp") + 1))
        return self._powers[key]


def _sgd(step: _OptimizerStep, name: str, weight: ShapedValue, g: ShapedValue) -> ShapedValue:
    momentum = step.options["momentum"]
    if momentum:
        m = step.moment(f"{name}_m", weight, lambda before: before * momentum + g)
        g = g + m * momentum if step.options["nesterov"] else m
    return g * step.rate.cast(g.kind)


def _adam(step: _OptimizerStep, name: str, weight: ShapedValue, g: ShapedValue) -> ShapedValue:
    m = step.average(f"{name}_m", weight, step.options["beta1"], g)
    v = step.average(f"{name}_v", weight, step.options["beta2"], g * g)
    rate = step.rate.cast(g.kind) / step.correction("beta1", g.kind)
    root = step.correction("beta2", g.kind).apply("Sqrt")
    return m * rate / (v.apply("Sqrt") / root + step.options["epsilon"])


def _rmsprop(step: _OptimizerStep, name: str, weight: ShapedValue, g: ShapedValue) -> ShapedValue:
    v = step.average(f"{name}_v", weight, step.options["rho"], g * g)
    change, momentum = g / (v.apply("Sqrt") + step.options["epsilon"]), step.options["momentum"]
    if momentum:
        change = step.moment(f"{name}_m", weight, lambda before: before * momentum + change)
    return change * step.rate.cast(g.kind)


_CHANGES: Mapping[str, Callable[[_OptimizerStep, str, ShapedValue, ShapedValue], ShapedValue]] = {
    "sgd": _sgd,
    "adam": _adam,
    "adamw": _adam,
    "rmsprop": _rmsprop,
}


def next_states(
    values: Values,
    options: Mapping[str, Any],
    weights: Mapping[str, ShapedValue],
    rate: ShapedValue,
    count: ShapedValue | None = None,
) -> list[State]:
    """The states of a step: the weights, given their gradients, and the optimizer's own.

    `count` is the number of steps before this one, if something else depends on it too.
    """
    names = [*weights]
    before = [values[name] for name in names]
    known = [gradient.cast(inside(gradient.kind)) for gradient in weights.values()]
    step = _OptimizerStep(values, options, rate, count)
    after: list[State] = []
    values.begin("optimizer")
    gradients = _clipped(values, options, known)
    for name, weight, g in zip(names, before, gradients, strict=True):
        values.begin(f"{name}.{options['name']}")
        w = weight.cast(g.kind)
        if options["weight_decay"] and options["name"] == "adamw":
            w = w * (1 - step.rate.cast(g.kind) * options["weight_decay"])
        elif options["weight_decay"]:
            g = g + w * options["weight_decay"]
        changed = w - _CHANGES[options["name"]](step, name, weight, g)
        after.append(State(name, weight, changed.cast(weight.kind)))
    return [*after, *step.states]


def _clipped(
    values: Values, options: Mapping[str, Any], gradients: Sequence[ShapedValue]
) -> Sequence[ShapedValue]:
    """Gradients whose elements, and whose norm, are at most so large."""
    most = options["clip_value"]
    if most is not None:
        gradients = [
            values.where(g > most, most, values.where(g < -most, -most, g)) for g in gradients
        ]
    if options["clip_norm"] is not None:
        kind = max(g.kind for g in gradients)  # float64, if there is one
        norm = values.sum([(g * g).sum().cast(kind) for g in gradients]).apply("Sqrt")
        factor = options["clip_norm"] / (norm + _LEAST_NORM)
        factor = values.where(factor < 1, factor, 1)
        gradients = [g * factor.cast(g.kind) for g in gradients]
    return gradients

"""A step of ONNX's LSTM, GRU and RNN in float64, with which found cells are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

_PRECISE = {"float64": 1e-10, "float32": 4e-7, "float16": 4e-3, "bfloat16": 3e-2}
"""The largest relative difference between float64 results of the same formula.

Numbers in it, such as 1/6, are rounded to the dtype.
"""


def _sigmoid(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1.0) / (1 + e)


def _softsign(x: Any) -> Any:
    return np.divide(x, 1 + np.abs(x))


def _elu(x: Any, alpha: float) -> Any:
    return np.maximum(x, 0) + alpha * np.expm1(np.minimum(x, 0))


def _leaky_relu(x: Any, alpha: float) -> Any:
    return np.maximum(x, 0) + alpha * np.minimum(x, 0)


def _thresholded_relu(x: Any, alpha: float) -> Any:
    return np.where(x >= alpha, x, 0)


def _affine(x: Any, alpha: float, beta: float) -> Any:
    return alpha * x + beta


def _hard_sigmoid(x: Any, alpha: float, beta: float) -> Any:
    return np.minimum(np.maximum(alpha * x + beta, 0), 1)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "Sigmoid": _sigmoid,
    "Tanh": np.tanh,
    "Relu": partial(np.maximum, 0.0),
    "Softsign": _softsign,
    "Softplus": partial(np.logaddexp, 0.0),
    "Elu": _elu,
    "LeakyRelu": _leaky_relu,
    "ThresholdedRelu": _thresholded_relu,
    "HardSigmoid": _hard_sigmoid,
    "Affine": _affine,
}

Function = tuple[str, tuple[float, ...]]
"""ONNX's name of an activation function, and its parameters."""

LINEAR: Function = ("Affine", (1.0, 0.0))
"""The function that changes nothing."""


def cell_step(
    operator: str,
    weights: Sequence[Any],
    functions: Sequence[Function],
    x: Any,
    h: Any,
    c: Any = None,
    *,
    is_linear_before_reset: bool = False,
) -> list[Any]:
    """The next states, h and for LSTM c, as ONNX defines them.

    `weights` are W, R and B without the axis of directions, for LSTM perhaps also P; `functions`
    are the activations.
    """
    W, R, B, *peepholes = weights
    gates = len(W) // h.shape[-1]
    Wb, Rb = B[: len(W)], B[len(W) :]
    xs = np.split(x @ W.T + Wb, gates, -1)
    hs = np.split(h @ R.T + Rb, gates, -1)
    f, *others = (partial(applied, each) for each in functions)
    if operator == "RNN":
        return [f(xs[0] + hs[0])]
    if operator == "GRU":
        (g,) = others
        z, r = f(xs[0] + hs[0]), f(xs[1] + hs[1])
        n = len(W) // gates
        reset = r * hs[2] if is_linear_before_reset else (r * h) @ R[2 * n :].T + Rb[2 * n :]
        return [(1 - z) * g(xs[2] + reset) + z * h]
    g, last = others
    pi, po, pf = np.split(peepholes[0], 3) if peepholes else (0.0, 0.0, 0.0)
    i, forget = f(xs[0] + hs[0] + pi * c), f(xs[2] + hs[2] + pf * c)
    c = forget * c + i * g(xs[3] + hs[3])
    return [f(xs[1] + hs[1] + po * c) * last(c), c]


def precision(dtype: Any) -> float:
    """The largest relative difference between results of a formula with numbers of a dtype."""
    return _PRECISE[dtype.name]


def is_same(one: Any, other: Any, precise: float) -> bool:
    """Whether two arrays of float64 are results of the same formula.

    Each row of the batch is compared on its own, because their values are of different sizes.
    Weights may be no numbers: results that are none in both arrays are not compared.
    """
    if one.shape != other.shape:
        return False
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)) or (one.size and not finite.any()):
        return False
    one, other = np.where(finite, one, 0), np.where(finite, other, 0)
    scales = np.max(abs(other), axis=-1, initial=0, keepdims=True)
    return bool(np.all(abs(one - other) <= precise * scales))


def applied(function: Function, value: Any) -> Any:
    """A function of numbers."""
    name, parameters = function
    return _FUNCTIONS[name](value, *parameters)

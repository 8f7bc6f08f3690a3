"""Recognises the cell of a recurrent layer by the formula of its output.

The activations in it tell the kind: one of RNN, three of GRU, five of LSTM. Which gate is which is
found by numbers: each assignment is computed and compared with the results of the step itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph.formulas import (
    ACTIVATIONS,
    Activated,
    Formula,
    Product,
    Variable,
)

__all__ = ["Cell", "cell_of", "is_same", "precision"]

_PRECISE = 1e-10
"""The largest relative difference between float64 results of the same formula."""

_ROUNDED = 4e-7
"""The same, for a formula whose numbers, such as 1/6, are rounded to float32."""


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
    return np.where(x > alpha, x, 0)


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
}

Function = tuple[str, tuple[float, ...]]
"""ONNX's name of an activation function, and its parameters."""


@dataclass(frozen=True)
class Cell:
    """A cell of ONNX's LSTM, GRU or RNN.

    Attributes:
        operator: ONNX's operator.
        weights: W, R and B without the axis of directions, in float64.
        functions: The activation functions.
        x: The input.
        h: The state that is the output.
        c: The cell state of LSTM.
        is_linear_before_reset: Whether GRU resets after the product with R.
    """

    operator: str
    weights: tuple[Any, Any, Any]
    functions: Sequence[Function]
    x: Variable
    h: Variable
    c: Variable | None = None
    is_linear_before_reset: bool = False

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the node."""
        given: dict[str, Any] = {
            "hidden_size": self.h.width,
            "activations": [name for name, _ in self.functions],
        }
        for parameter in ("alpha", "beta"):
            values = [
                dict(zip(ACTIVATIONS[name], values, strict=True))[parameter]
                for name, values in self.functions
                if parameter in ACTIVATIONS[name]
            ]
            if values:
                given[f"activation_{parameter}"] = values
        if self.is_linear_before_reset:
            given["linear_before_reset"] = 1
        return given

    def step(self, x: Any, h: Any, c: Any) -> list[Any]:
        """The next states, h and for LSTM c, as ONNX defines them."""
        W, R, B = self.weights
        gates = len(W) // self.h.width
        Wb, Rb = B[: len(W)], B[len(W) :]
        xs = np.split(x @ W.T + Wb, gates, -1)
        hs = np.split(h @ R.T + Rb, gates, -1)
        f, *others = (partial(_applied, each) for each in self.functions)
        if self.operator == "RNN":
            return [f(xs[0] + hs[0])]
        if self.operator == "GRU":
            (g,) = others
            z, r = f(xs[0] + hs[0]), f(xs[1] + hs[1])
            n = len(W) // gates
            reset = (
                r * hs[2] if self.is_linear_before_reset else (r * h) @ R[2 * n :].T + Rb[2 * n :]
            )
            return [(1 - z) * g(xs[2] + reset) + z * h]
        g, last = others
        i, o, forget = (f(a + b) for a, b in zip(xs[:3], hs[:3], strict=True))
        c = forget * c + i * g(xs[3] + hs[3])
        return [o * last(c), c]


@dataclass(frozen=True)
class _Gate:
    """A gate: its function, and the parts of the function's argument."""

    function: Function
    W: Any
    R: Any
    bias: Any
    own_bias: Any

    @property
    def opposite(self) -> _Gate | None:
        """The gate whose value is 1 minus this one's; None if no function of ONNX computes it."""
        if self.function[0] != "Sigmoid":
            return None
        return _Gate(self.function, -self.W, -self.R, -self.bias, -self.own_bias)


def cell_of(
    formula: Formula,
    h: Variable,
    inputs: Sequence[Variable],
    sample: Mapping[Variable, Any],
    results: Mapping[Variable, Any],
    precise: float,
) -> Cell | None:
    """The cell with a formula.

    Args:
        formula: The formula of the next h.
        h: The state h.
        inputs: The possible inputs of the cell.
        sample: Values of all inputs and states.
        results: The next values of the states, computed from these by the step itself.
        precise: The largest relative difference between results.

    Returns:
        A cell that computes the results from the sample; None if there is none.
    """
    atoms = formula.atoms()
    found = {atom for atom in atoms if isinstance(atom, Variable)}
    xs = [each for each in inputs if each in found]
    others = found - {*xs, h}
    activated = [atom for atom in atoms if isinstance(atom, Activated)]
    if len(xs) != 1 or any(atom.width != h.width for atom in activated):
        return None
    direct = [each for each in activated if {*each.of.terms} <= {xs[0], h}]
    candidates = _CANDIDATES.get((len(activated), len(direct), len(others)))
    if candidates is None:
        return None
    inner = next((each for each in activated if each not in direct), None)
    state = next(iter(others), None)
    for cell in candidates(direct, inner, xs[0], h, state):
        own = [h] if state is None else [h, state]
        expected = [results[each] for each in own if each in results]
        made = cell.step(sample[cell.x], sample[h], None if state is None else sample[state])
        if len(made) == len(expected) and all(
            is_same(one, other, precise) for one, other in zip(made, expected, strict=True)
        ):
            return cell
    return None


def precision(dtype: Any) -> float:
    """The largest relative difference between results of a formula with numbers of a dtype."""
    return _PRECISE if dtype == np.float64 else _ROUNDED


def is_same(one: Any, other: Any, precise: float) -> bool:
    """Whether two arrays of float64 are results of the same formula.

    Each row of the batch is compared on its own, because their values are of different sizes.
    """
    if one.shape != other.shape:
        return False
    scales = np.max(abs(other), axis=-1, initial=0, keepdims=True)
    return bool(np.all(abs(one - other) <= precise * scales))


def _applied(function: Function, value: Any) -> Any:
    name, parameters = function
    return _FUNCTIONS[name](value, *parameters)


def _rnn(
    direct: Sequence[Activated], inner: Any, x: Variable, h: Variable, c: Any
) -> Iterator[Cell]:
    yield _cell("RNN", [_gate(direct[0], x, h)], [], x, h)


def _gru(
    direct: Sequence[Activated], inner: Activated, x: Variable, h: Variable, c: Any
) -> Iterator[Cell]:
    products = [atom for atom in inner.of.terms if isinstance(atom, Product)]
    if len(products) != 1 or not {*inner.of.terms} <= {x, h, *products}:
        return
    factor = inner.of.terms[products[0]]
    for r, reset in itertools.permutations(products[0].factors):
        gates = [each for each in direct if each in r.terms and not r.terms[each].ndim]
        if len(gates) != 1 or len(r.terms) != 1 or not {*reset.terms} <= {h}:
            continue
        W, bias, is_after = inner.of.matrix(x), inner.of.bias, not factor.ndim
        if is_after:
            scale = factor * r.terms[gates[0]]
            product, own = scale * reset.matrix(h), scale * reset.bias
        else:
            product = r.terms[gates[0]] * reset.matrix(h) @ factor
            own = np.zeros(h.width)
        function = (inner.function, inner.parameters)
        n = _Gate(function, W, product, bias, own)
        second = _gate(gates[0], x, h)
        first = _gate(next(each for each in direct if each is not gates[0]), x, h)
        for z in (first, first.opposite):
            if z is not None and z.function == second.function:
                yield _cell("GRU", [z, second, n], [function], x, h, is_after=is_after)


def _lstm(
    direct: Sequence[Activated], inner: Activated, x: Variable, h: Variable, c: Variable
) -> Iterator[Cell]:
    last = (inner.function, inner.parameters)
    gates = [_gate(each, x, h) for each in direct]
    for i, o, f, g in itertools.permutations(gates):
        if i.function == o.function == f.function:
            yield _cell("LSTM", [i, o, f, g], [g.function, last], x, h, c)


_CANDIDATES: Mapping[tuple[int, int, int], Callable[..., Iterator[Cell]]] = {
    (1, 1, 0): _rnn,
    (3, 2, 0): _gru,
    (5, 4, 1): _lstm,
}
"""The cells by their numbers of activations, of those of x and h alone, and of other states."""


def _gate(activated: Activated, x: Variable, h: Variable) -> _Gate:
    of = activated.of
    zeros = np.zeros(of.width)
    function = (activated.function, activated.parameters)
    return _Gate(function, of.matrix(x), of.matrix(h), of.bias, zeros)


def _cell(
    operator: str,
    gates: Sequence[_Gate],
    functions: Sequence[Function],
    x: Variable,
    h: Variable,
    c: Variable | None = None,
    *,
    is_after: bool = False,
) -> Cell:
    W, R = (
        np.concatenate([each.T for each in parts])
        for parts in ([gate.W for gate in gates], [gate.R for gate in gates])
    )
    B = np.concatenate([*(gate.bias for gate in gates), *(gate.own_bias for gate in gates)])
    return Cell(operator, (W, R, B), [gates[0].function, *functions], x, h, c, is_after)

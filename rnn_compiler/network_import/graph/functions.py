"""Rewrites functions of one number that IREE computes inexactly, or does not know.

It computes Asinh, Acosh and Atanh by their definitions, which overflow and lose small numbers, and
Gelu by a tanh whose error grows beside 1. It negates integers as if they were floats. Erfc, which
Keras exports, is no operator of ONNX's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import FLOATS, Graph, attributes_of, onnx
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites

NOT_IN_ONNX = frozenset({"Erfc"})
"""Operators that are taken although ONNX does not have them."""

_LARGE = 1e9
"""A number beside whose square 1 has no effect."""

_SCALED_ERFC: Mapping[Any, tuple[float, Sequence[float]]] = {
    np.float32: (
        0.5,
        (
            *(0.282094795, 0.282093754, 0.246884575, 0.175315976, 0.0934624343, -0.0592113576),
            *(0.132177044, -0.454973988, 0.493694931, -0.234733593, 0.0431954332),
        ),
    ),
    np.float64: (
        0.25,
        (
            *(0.1410473958869384, 0.1410473958870691, 0.1366396647420209, 0.1278242041090022),
            *(0.1150141789670168, 0.09903734921369028, 0.08104967674589235, 0.06264435140368914),
            *(0.04373056487807622, 0.03452986521577235, -0.005004181868553221),
            *(0.07425773346969178, -0.1598797367275125, 0.3042954750217212, -0.4494928294916684),
            *(0.5012622669463369, -0.4212074875904704, 0.2513254252128114, -0.09830756635943516),
            *(0.02246125232414038, -0.002274997986230424),
        ),
    ),
}
"""For each dtype, c and the factors of 1, t, t**2, ... in ``exp(x**2) * erfc(x) / t``, where
``t = 1 / (1 + c * x)`` and ``x >= 0``; fitted to values at Chebyshev's nodes, with errors of 1.2e-8
and 6.6e-15."""


class _FloatFunctions:
    """Numbers of a float type, and functions of them."""

    def __init__(self, made: Replacement, dtype: Any) -> None:
        self.add = made.add
        self.dtype = dtype
        self._made = made
        self._known: dict[float, str] = {}

    def number(self, value: float) -> str:
        """A constant."""
        if value not in self._known:
            self._known[value] = self._made.constant(value, self.dtype)
        return self._known[value]

    def sum(self, x: str, y: str | float) -> str:
        return self.add("Add", x, y if isinstance(y, str) else self.number(y))

    def product(self, x: str, y: str | float) -> str:
        return self.add("Mul", x, y if isinstance(y, str) else self.number(y))

    def where_less(self, x: str, bound: float, then: str, otherwise: str) -> str:
        return self.add("Where", self.add("Less", x, self.number(bound)), then, otherwise)

    def odd(self, x: str, of_magnitude: str) -> str:
        """An odd function, given its values for absolute values."""
        return self.where_less(x, 0, self.add("Neg", of_magnitude), of_magnitude)

    def log_of_1_plus(self, x: str) -> str:
        """The logarithm of 1 + x, also for x near 0: ``1 + x`` loses as much in both its uses."""
        total = self.sum(x, 1)
        ratio = self.add("Div", x, self.sum(total, -1))
        near = self.product(self.add("Log", total), ratio)
        far = self.where_less(total, _LARGE, near, self.add("Log", total))
        return self.add("Where", self.add("Equal", total, self.number(1)), x, far)

    def log_of_double(self, x: str) -> str:
        return self.sum(self.add("Log", x), float(np.log(2)))


def _asinh(values: _FloatFunctions, x: str) -> str:
    size = values.add("Abs", x)
    square = values.product(size, size)
    root = values.sum(values.add("Sqrt", values.sum(square, 1)), 1)
    near = values.log_of_1_plus(values.sum(size, values.add("Div", square, root)))
    return values.odd(x, values.where_less(size, _LARGE, near, values.log_of_double(size)))


def _acosh(values: _FloatFunctions, x: str) -> str:
    above = values.sum(x, -1)
    square = values.sum(values.product(above, above), values.product(above, 2))
    near = values.log_of_1_plus(values.sum(above, values.add("Sqrt", square)))
    known = values.where_less(x, _LARGE, near, values.log_of_double(x))
    return values.where_less(x, 1, values.number(float("nan")), known)


def _atanh(values: _FloatFunctions, x: str) -> str:
    size = values.add("Abs", x)
    ratio = values.add("Div", values.product(size, 2), values.add("Sub", values.number(1), size))
    return values.odd(x, values.product(values.log_of_1_plus(ratio), 0.5))


def _erfc(values: _FloatFunctions, x: str) -> str:
    size = values.add("Abs", x)
    step, (*factors, last) = _SCALED_ERFC[values.dtype]
    t = values.add("Reciprocal", values.sum(values.product(size, step), 1))
    total = values.number(last)
    for factor in reversed(factors):
        total = values.sum(values.product(total, t), factor)
    scale = values.add("Exp", values.add("Neg", values.product(size, size)))
    known = values.product(values.product(total, t), scale)
    return values.where_less(x, 0, values.add("Sub", values.number(2), known), known)


def _gelu(values: _FloatFunctions, x: str) -> str:
    cube = values.product(values.product(x, x), values.product(x, 0.044715))
    inside = values.product(values.sum(x, cube), 2 * float(np.sqrt(2 / np.pi)))
    return values.product(x, values.add("Sigmoid", inside))


def _softsign(values: _FloatFunctions, x: str) -> str:
    return values.add("Div", x, values.sum(values.add("Abs", x), 1))


_FUNCTIONS: Mapping[str, Callable[[_FloatFunctions, str], str]] = {
    "Asinh": _asinh,
    "Acosh": _acosh,
    "Atanh": _atanh,
    "Erfc": _erfc,
    "Gelu": _gelu,
    "Softsign": _softsign,
}


@rewrites("Neg")
def plain_negatives(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The difference from 0 of signed integers; itself for other numbers."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
    if dtype.kind != "i":
        return [node]
    made = Replacement(graph, node)
    made.add("Sub", made.constant(0, dtype), node.input[0])
    return made.finished()


@rewrites(*_FUNCTIONS, least_opset=9)  # from which there is Where
def plain_functions(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The nodes that compute a function, of small floats in float32; itself if IREE's is exact."""
    element, attributes = kind.tensor_type.elem_type, attributes_of(node)
    is_exact_gelu = node.op_type == "Gelu" and (
        "approximate" not in attributes or attributes["approximate"].s != b"tanh"
    )
    if element not in FLOATS or is_exact_gelu:
        return [node]
    made = Replacement(graph, node)
    x, function = node.input[0], _FUNCTIONS[node.op_type]
    is_double = element == onnx.TensorProto.DOUBLE
    is_small = not is_double and element != onnx.TensorProto.FLOAT
    x = made.add("Cast", x, to=onnx.TensorProto.FLOAT) if is_small else x
    function(_FloatFunctions(made, np.float64 if is_double else np.float32), x)
    if is_small:
        made.add("Cast", made.nodes[-1].output[0], to=element)
    return made.finished()

"""Rewrites powers into forms that IREE computes correctly: it uses exponentials of logarithms.

So powers of negative numbers are NaN there, and so is zero to the power of zero. Powers with a
small whole constant as exponent become products, or their reciprocals. Others become powers of
absolute values, with the signs that follow from their constant exponents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, onnx
from rnn_compiler.network_import.graph.replacement import rewrite_nodes

_MOST_FACTORS = 16

_OF_MAGNITUDES = ".exponents of magnitudes"
"""The end of the names of exponents that are left as they are."""


def plain_powers(graph: Graph) -> bool:
    """Replaces powers; returns whether there were any."""
    constants = graph.constants()
    return rewrite_nodes(
        graph, ("Pow",), lambda graph, node, kind: _plain(graph, node, kind.tensor_type, constants)
    )


def _plain(graph: Graph, node: Any, kind: Any, constants: Mapping[str, Any]) -> list[Any]:
    """The nodes that compute a power; empty if the node itself does so correctly."""
    base, exponent = node.input
    if exponent.endswith(_OF_MAGNITUDES):
        return []
    dtype: Any = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
    if exponent not in constants:
        known = onnx.numpy_helper.to_array(constants[base]) if base in constants else None
        if known is not None and np.all(known > 0):
            return []
        raise _refused(node, "the exponent must be a constant, or the base a positive one")
    values = onnx.numpy_helper.to_array(constants[exponent])
    if values.size == 1 and values.ndim <= len(kind.shape.dim):
        number = float(values.reshape(-1)[0])
        least = 1 if dtype.kind in "iu" else -_MOST_FACTORS
        if number and least <= number <= _MOST_FACTORS and number.is_integer():
            return _product(node, base, int(number))
    if dtype.kind in "iu":
        raise _refused(node, f"the exponent of integers must be one from 1 to {_MOST_FACTORS}")
    return [] if np.all(values % 1 != 0) else _signed(graph, node, base, values.astype(dtype))


def _refused(node: Any, what: str) -> UnsupportedError:
    return UnsupportedError(f"import_network: node {node.name!r} (Pow): {what}")


def _product(node: Any, base: str, count: int) -> list[Any]:
    """A number multiplied by itself, or the reciprocal of that for a negative count."""
    nodes: list[Any] = []
    product = base
    for digit in f"{abs(count):b}"[1:]:
        for factor in (product, *([base] if digit == "1" else [])):
            name = f"{node.name}.{len(nodes)}"
            nodes.append(onnx.helper.make_node("Mul", [product, factor], [name], name))
            product = name
    last = "Identity" if count > 0 else "Reciprocal"
    nodes.append(onnx.helper.make_node(last, [product], [node.output[0]], node.name))
    return nodes


def _signed(graph: Graph, node: Any, base: str, exponents: Any) -> list[Any]:
    """The power of the absolute value, negated for odd exponents, NaN for fractional ones."""
    sign = np.where(exponents % 1 == 0, 1 - 2 * (exponents % 2), np.nan).astype(exponents.dtype)
    one = np.ones((), exponents.dtype)

    def constant(what: str, array: Any) -> str:
        name = f"{node.name}.{what}"
        graph.proto.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
        return name

    nodes: list[Any] = []

    def add(operator: str, *inputs: str) -> str:
        name = f"{node.name}.{len(nodes)}"
        nodes.append(onnx.helper.make_node(operator, inputs, [name], name))
        return name

    inverse = bool(np.all(exponents < 0))  # of 0, whose power IREE gives another sign
    power = add(
        "Pow",
        add("Abs", base),
        constant(_OF_MAGNITUDES[1:], np.abs(exponents) if inverse else exponents),
    )
    power = add("Reciprocal", power) if inverse else power
    known = add("Where", constant("is_one", exponents == 0), constant("one", one), power)
    signed = add("Mul", known, constant("sign", sign))
    made = add("Where", add("Less", base, constant("zero", one - one)), signed, known)
    if np.any(exponents == 1):  # whose derivative at 0 that of the absolute value would hide
        add("Where", constant("is_base", exponents == 1), base, made)
    nodes[-1].output[0] = node.output[0]
    return nodes

"""Rewrites reductions that IREE's importer lacks or computes with other numbers.

ReduceLogSumExp is computed in float64, and infinity from 710 on. Here the largest number is taken
out of the sum, unless it is infinite:

    log(sum(exp(x))) = log(sum(exp(x - largest))) + largest

ReduceProd is a product of halves in graphs of open sizes, which IREE lacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import (
    FLOATS,
    Graph,
    attributes_of,
    onnx,
    shape_of,
    value_in,
)
from rnn_compiler.network_import.graph.replacement import Replacement, rewrite_nodes, rewrites

_AXES_ARE_INPUTS = 13
"""The first version of Squeeze whose axes are an input."""


@rewrites("ReduceLogSumExp", least_opset=10)  # from which there is IsInf
def plain_log_sums(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The nodes of a sum, of small floats in float32; itself if it is one of integers."""
    element, attributes = kind.tensor_type.elem_type, attributes_of(node)
    keeps_empty = value_in(attributes, "noop_with_empty_axes", 0)
    if element not in FLOATS or keeps_empty:
        return [node]
    made = Replacement(graph, node)
    add, (x, *axes) = made.add, node.input
    given = {"axes": [*attributes["axes"].ints]} if "axes" in attributes else {}
    kept = value_in(attributes, "keepdims", 1)
    is_double = element == onnx.TensorProto.DOUBLE
    is_small = not is_double and element != onnx.TensorProto.FLOAT
    x = add("Cast", x, to=onnx.TensorProto.FLOAT) if is_small else x
    zero = made.constant(0, np.float64 if is_double else np.float32)

    def largest(keepdims: int) -> str:
        most = add("ReduceMax", x, *axes, keepdims=keepdims, **given)
        inside = add("Cast", most, to=onnx.TensorProto.FLOAT) if is_double else most
        return add("Where", add("IsInf", inside), zero, most)

    shifted = add("Exp", add("Sub", x, largest(1)))
    add("Add", add("ReduceLogSum", shifted, *axes, keepdims=kept, **given), largest(kept))
    if is_small:
        add("Cast", made.nodes[-1].output[0], to=element)
    return made.finished()


def plain_products_of_axes(graph: Graph) -> bool:
    """Replaces the nodes whose sizes are known; returns whether there were any."""
    if not graph.is_open or graph.opset < _AXES_ARE_INPUTS:
        return False
    constants = graph.constants()

    def plain(graph: Graph, node: Any, kind: Any) -> list[Any] | None:
        sizes = shape_of(kind)
        axes = None if not sizes or None in sizes else _axes(node, len(sizes), constants)
        known = [size or 0 for size in sizes or ()]
        return None if axes is None else _halved(graph, node, known, axes)

    return rewrite_nodes(graph, ("ReduceProd",), plain)


def _axes(node: Any, rank: int, constants: dict[str, Any]) -> list[int] | None:
    """The axes along which a node multiplies; None if they are computed."""
    attributes = attributes_of(node)
    axes = value_in(attributes, "axes", [])
    if len(node.input) > 1 and node.input[1]:
        if node.input[1] not in constants:
            return None
        axes = onnx.numpy_helper.to_array(constants[node.input[1]]).tolist()
    is_none = value_in(attributes, "noop_with_empty_axes", 0)
    return [axis % rank for axis in axes] or ([] if is_none else [*range(rank)])


def _halved(graph: Graph, node: Any, sizes: list[int], axes: list[int]) -> list[Any]:
    """The nodes that multiply the halves of an axis until one element is left."""
    attributes = attributes_of(node)
    made = Replacement(graph, node)
    x = node.input[0]
    for axis in axes:
        where = made.constant([axis])
        count, rest = sizes[axis], ""
        while count > 1:
            half = count // 2
            bounds = [made.constant([k]) for k in (0, half, 2 * half, count)]
            first, second = (made.add("Slice", x, bounds[k], bounds[k + 1], where) for k in (0, 1))
            if count % 2:
                last = made.add("Slice", x, bounds[2], bounds[3], where)
                rest = made.add("Mul", rest, last) if rest else last
            x, count = made.add("Mul", first, second), half
        x = made.add("Mul", x, rest) if rest else x
    if "keepdims" in attributes and not attributes["keepdims"].i and axes:
        x = made.add("Squeeze", x, made.constant(axes))
    if not made.nodes:
        made.add("Identity", x)
    return made.finished()

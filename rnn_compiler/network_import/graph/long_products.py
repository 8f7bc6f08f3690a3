"""Writes ReduceProd as products of halves in graphs of open sizes, where IREE lacks it."""

from __future__ import annotations

from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement, rewrite_nodes

_AXES_ARE_INPUTS = 13
"""The first version of Squeeze whose axes are an input."""


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

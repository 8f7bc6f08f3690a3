"""Rewrites `ConvInteger` that IREE's importer does not take.

It takes those of images, with equal padding on both sides. A sequence becomes an image of one row,
and other padding a Pad, with the zero point around the array.
"""

from __future__ import annotations

from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of, shape_of, value_in
from rnn_compiler.network_import.graph.padding import padding_in_numbers
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites

_ROWS = 2
"""The axis of an image's rows."""


@rewrites("ConvInteger", least_opset=13)  # from which the axes of Squeeze are an input
def plain_integer_convolutions(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The nodes of a convolution; only itself if IREE takes it, or if a size is missing."""
    sizes, constants = shape_of(kind), graph.constants()
    if sizes is None or len(sizes) < _ROWS + 1 or node.input[1] not in constants:
        return [node]
    rank = len(sizes) - 2
    window = list(constants[node.input[1]].dims)[2:]
    pads = padding_in_numbers(node, sizes[2:], window)
    if pads is None or (rank > 1 and pads[:rank] == pads[rank:]):
        return [node]
    attributes = attributes_of(node)
    lists = {name: value_in(attributes, name, [1] * rank) for name in ("strides", "dilations")}
    made = Replacement(graph, node)
    array, filters, *points = node.input
    if pads[:rank] != pads[rank:]:
        around = made.constant([0, 0, *pads[:rank], 0, 0, *pads[rank:]])
        array = made.add("Pad", array, around, *[each for each in points[:1] if each])
        pads = [0] * (2 * rank)
    rows = made.constant([_ROWS])
    if rank == 1:
        array, filters = (made.add("Unsqueeze", each, rows) for each in (array, filters))
        pads, window = [0, pads[0], 0, pads[1]], [1, *window]
        lists = {name: [1, *each] for name, each in lists.items()}
    group = value_in(attributes, "group", 1)
    given = {"pads": pads, "kernel_shape": window, "group": group, **lists}
    result = made.add("ConvInteger", array, filters, *points, **given)
    if rank == 1:
        made.add("Squeeze", result, rows)
    return made.finished()

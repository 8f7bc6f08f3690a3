"""Writes DepthToSpace with the mode CRD as a transposition, as PyTorch exports its PixelShuffle.

IREE's importer divides the channels as in the mode DCR, which gives other numbers unless there are
as many channels left as elements in the side of a block.
"""

from __future__ import annotations

from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of, shape_of
from rnn_compiler.network_import.graph.replacement import Replacement


def plain_depth(graph: Graph) -> bool:
    """Replaces the nodes whose sizes are known; returns whether there were any."""
    types = graph.types()
    nodes: list[Any] = []
    for node in graph.proto.node:
        mode = attributes_of(node).get("mode") if node.op_type == "DepthToSpace" else None
        is_moved = mode is not None and mode.s == b"CRD"
        sizes = (shape_of(types.get(node.input[0])) if is_moved else None) or []
        known = [size for size in sizes if size is not None]
        nodes += _transposed(graph, node, known) if len(known) == 4 else [node]
    changed = len(nodes) > len(graph.proto.node)
    if changed:
        graph.set_nodes(nodes)
    return changed


def _transposed(graph: Graph, node: Any, sizes: list[int]) -> list[Any]:
    """The nodes that move blocks of channels to the image."""
    side = attributes_of(node)["blocksize"].i
    rows, channels, height, width = sizes
    made = Replacement(graph, node)
    left = [rows, channels // side**2]
    apart = made.constant([*left, side, side, height, width])
    x = made.add("Reshape", node.input[0], apart)
    x = made.add("Transpose", x, perm=[0, 1, 4, 2, 5, 3])
    made.add("Reshape", x, made.constant([*left, height * side, width * side]))
    return made.finished()

"""Writes DepthToSpace with the mode CRD as a transposition, as PyTorch exports its PixelShuffle.

IREE's importer divides the channels as in the mode DCR, which gives other numbers unless there are
as many channels left as elements in the side of a block.
"""

from __future__ import annotations

from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of, shape_of
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites


@rewrites("DepthToSpace")
def plain_depth(graph: Graph, node: Any, kind: Any) -> list[Any] | None:
    """The nodes that move blocks of channels to the image."""
    attributes, sizes = attributes_of(node), shape_of(kind) or [None]
    if None in sizes or "mode" not in attributes or attributes["mode"].s != b"CRD":
        return None
    side = attributes["blocksize"].i
    rows, channels, height, width = (size or 0 for size in sizes)
    made = Replacement(graph, node)
    left = [rows, channels // side**2]
    apart = made.constant([*left, side, side, height, width])
    x = made.add("Reshape", node.input[0], apart)
    x = made.add("Transpose", x, perm=[0, 1, 4, 2, 5, 3])
    made.add("Reshape", x, made.constant([*left, height * side, width * side]))
    return made.finished()

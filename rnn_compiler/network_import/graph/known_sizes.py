"""Refuses open axes along which IREE's importer computes an operator incorrectly, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of
from rnn_compiler.network_import.graph.axes import Axis
from rnn_compiler.network_import.graph.resizing import IMAGES
from rnn_compiler.schema.open_sizes import Open, Size, names_in

__all__ = ["check_known_sizes"]

_Shape = Sequence[Size | None]


def check_known_sizes(
    graph: Graph, shapes: Mapping[str, _Shape], axes: Sequence[Axis] = ()
) -> None:
    """Checks that nodes have known sizes where they need them."""
    for node in graph.proto.node:
        given, made = (
            [shapes.get(name, ()) for name in names] for names in (node.input, node.output)
        )
        for sizes in _needed(node, given, made):
            found = [str(axis) for axis in axes if axis.key in names_in(*sizes)]
            if found:
                raise UnsupportedError(
                    f"import_network: {graph.named(node)} needs known sizes, so "
                    f"{' and '.join(found)}"
                )


def _needed(node: Any, given: Sequence[_Shape], made: Sequence[_Shape]) -> Sequence[Sequence[Size]]:
    """The sizes of a node's inputs that must be known."""
    if node.op_type == "Einsum":
        return _merged(attributes_of(node)["equation"].s.decode(), given)
    if node.op_type == "Resize":
        pairs = zip(given[0][:IMAGES], made[0][:IMAGES], strict=False)
        return [_open([before]) for before, after in pairs if before != after]
    return []


def _merged(equation: str, given: Sequence[_Shape]) -> list[Sequence[Size]]:
    """The open sizes of each factor of a sum of products that only this factor has, if several."""
    terms = equation.split("->")[0].replace(" ", "").split(",")
    counts = Counter("".join(terms))
    found = (
        _open([size for letter, size in zip(term, shape, strict=False) if counts[letter] == 1])
        for term, shape in zip(terms, given, strict=False)
    )
    return [sizes for sizes in found if len(sizes) > 1]


def _open(sizes: _Shape) -> list[Size]:
    """The open ones of some sizes."""
    return [size for size in sizes if isinstance(size, Open)]

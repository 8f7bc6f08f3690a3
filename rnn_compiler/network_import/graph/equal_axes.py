"""Takes open axes for one that a node requires to be equal; calls then compare their sizes.

Files without names of axes, such as most of TensorFlow's, give each input open axes of its own.
Neither ONNX's shape inference nor IREE compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.onnx_layers import OPERATORS
from rnn_compiler.network_import.graph import Graph, attributes_of
from rnn_compiler.network_import.graph.axes import Axis, shown
from rnn_compiler.network_import.graph.recurrent_sizes import compared
from rnn_compiler.schema.open_sizes import Open, Size, names_in

_Shape = Sequence[Size | None]
_Shapes = Mapping[str, _Shape]


def joined_axes(graph: Graph, shapes: _Shapes, axes: Sequence[Axis]) -> list[Axis]:
    """The axes of a graph, in which those that must be equal are one.

    It has the name of the first that has a name.
    """
    groups = {axis.key: [axis] for axis in axes}
    for node in graph.proto.node:
        for one, other in _equal_sizes(node, shapes):
            keys = [name for s in (one, other) if _is_axis(s) for name in names_in(s)]
            if len(keys) == 2 and groups[keys[0]] is not groups[keys[1]]:
                group = groups[keys[0]] + groups[keys[1]]
                groups |= dict.fromkeys((axis.key for axis in group), group)
    found: list[Axis] = []
    for axis in axes:
        group = sorted(groups[axis.key], key=axes.index)
        if group[0] is axis:
            name = next((each.name for each in group if each.name), "")
            found.append(Axis(name, axis.key, [each for one in group for each in one.sources]))
    return found


def check_equal_sizes(graph: Graph, shapes: _Shapes, axes: Sequence[Axis] = ()) -> None:
    """Checks that sizes are equal that must be, for operators that ONNX does not check."""
    for node in graph.proto.node:
        pairs = [*_equal_sizes(node, shapes)] if node.op_type not in OPERATORS else []
        for one, other in pairs:
            if None not in (one, other) and one != other:
                sizes = " and ".join(shown([size], axes)[1:-1] for size in (one, other))
                found = [str(axis) for axis in axes if axis.key in names_in(one, other)]
                remedy = f", so {' and '.join(found)}" if found else "; check its inputs"
                raise UnsupportedError(
                    f"import_network: {graph.named(node)}: expected inputs with "
                    f"equal sizes along an axis, got {sizes}{remedy}"
                )


def _equal_sizes(node: Any, shapes: _Shapes) -> Iterator[tuple[Size | None, Size | None]]:
    """Pairs of sizes of a node's inputs that must be equal."""
    given = [shapes.get(name) for name in node.input]
    if not node.domain and node.op_type in OPERATORS:
        for _, expected, got in compared(node, shapes):
            yield from zip(expected, got, strict=False)
        return
    if node.domain or None in given[:3]:
        return
    known = [shape for shape in given if shape is not None]
    if node.op_type in ("GatherElements", "ScatterElements"):
        attributes = attributes_of(node)
        axis = (attributes["axis"].i if "axis" in attributes else 0) % max(len(known[0]), 1)
        for k, (size, indices) in enumerate(zip(known[0], known[1], strict=False)):
            is_smaller = isinstance(size, int) and isinstance(indices, int) and indices <= size
            if k != axis and not is_smaller:
                yield size, indices
        yield from zip(*known[1:3], strict=False) if len(known) > 2 else ()
    elif node.op_type in ("GatherND", "ScatterND"):
        attributes, count = attributes_of(node), known[1][-1]
        first = attributes["batch_dims"].i if "batch_dims" in attributes else 0
        yield from zip(known[0][:first], known[1][:first], strict=False)
        if len(known) > 2 and isinstance(count, int):
            yield from zip([*known[1][:-1], *known[0][count:]], known[2], strict=False)
    elif node.op_type == "Einsum":
        yield from _summed(attributes_of(node)["equation"].s.decode(), known)


def _summed(equation: str, shapes: Sequence[_Shape]) -> Iterator[tuple[Size | None, Size | None]]:
    """The sizes of equal letters of a sum of products; a size of 1 fits all."""
    sizes: dict[str, Size | None] = {}
    for term, shape in zip(
        equation.split("->")[0].replace(" ", "").split(","), shapes, strict=False
    ):
        before, dots, after = term.partition("...")
        ends = [*zip(before, shape, strict=False)]
        ends += zip(after[::-1], shape[::-1], strict=False) if dots else ()
        for letter, size in ends:
            if size != 1:
                yield sizes.setdefault(letter, size), size


def _is_axis(size: Size | None) -> bool:
    """Whether a size is an open axis of an input, and nothing else."""
    return isinstance(size, Open) and [*size.terms.items()] == [((*size.names,), 1)]

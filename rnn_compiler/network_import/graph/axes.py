"""Open axes of a graph's inputs, and how messages call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rnn_compiler.network_import.graph import Graph
from rnn_compiler.schema.open_sizes import Size, bound, open_dimension


class OpenAxis(NamedTuple):
    """An open axis.

    Attributes:
        name: Its name in the model; empty if it has none.
        key: Its name in sizes.
        sources: The inputs that have it, each with the index of the axis.
    """

    name: str
    key: str
    sources: Sequence[tuple[str, int]]

    @property
    def title(self) -> str:
        """Its name, or else that of an input with the axis' index."""
        return self.name or "_".join(map(str, self.sources[0]))

    def __str__(self) -> str:
        """The axis, and how to fix its size, for messages."""
        name, number = self.sources[0]
        called = repr(self.name) if self.name else f"{number} of {name!r}"
        return f"axis {called} cannot be open: {self.remedy}"

    @property
    def remedy(self) -> str:
        """How to fix its size, for messages."""
        if self.name:
            return f"pass dims={{{self.name!r}: N}} or --dim {self.name}=N"
        name, _ = self.sources[0]
        return f"pass dims={{{name!r}: (...)}} or --dim {name}=NxN.."


def open_axes(graph: Graph) -> list[OpenAxis]:
    """The axes of a graph's inputs without a size."""
    found: dict[str, tuple[str, list[tuple[str, int]]]] = {}
    for each in graph.proto.input:
        for number, axis in enumerate(each.type.tensor_type.shape.dim):
            if not axis.dim_value:
                key = axis.dim_param or f"{each.name}, axis {number}"
                found.setdefault(key, (axis.dim_param, []))[1].append((each.name, number))
    return [OpenAxis(name, f"axis{k}", sources) for k, (name, sources) in enumerate(found.values())]


def blocking(
    axes: Sequence[OpenAxis],
    points: Sequence[Mapping[str, int]],
    values: Sequence[Sequence[object]],
) -> OpenAxis:
    """The axis that keeps some values from being computed from open sizes.

    It is one with which a value does not grow evenly, or else one with which a value changes.
    """

    def along(axis: OpenAxis) -> list[tuple[int, Sequence[Any]]]:
        """The sizes of one axis while the others are as at the first point, with the values."""
        usual = {**points[0], axis.key: 0}
        pairs = zip(points, values, strict=True)
        return [(at[axis.key], each) for at, each in pairs if {**at, axis.key: 0} == usual]

    def is_uneven(axis: OpenAxis) -> bool:
        (first, start), (second, then), *rest = along(axis)
        return any(
            (b - a) * (size - first) != (c - a) * (second - first)
            for size, row in rest
            for a, b, c in zip(start, then, row, strict=False)
        )

    def changes(axis: OpenAxis) -> bool:
        return any(list(each) != list(values[0]) for _, each in along(axis))

    found = (next(filter(test, axes), None) for test in (is_uneven, changes))
    return next(filter(None, found), axes[0])


def shown(sizes: Sequence[Size | None], axes: Sequence[OpenAxis]) -> str:
    """A shape in terms of the axes' names, for messages."""
    titles = {axis.key: open_dimension(axis.title) for axis in axes}
    texts = ("?" if size is None else str(bound(size, titles)) for size in sizes)
    return f"[{', '.join(texts)}]"

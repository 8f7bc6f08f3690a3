"""Rewrites convolutions that IREE's importer does not take.

It takes transposed ones with equal padding on both sides whose groups have several channels in and
out. Others become convolutions with the filters turned round, of an array with ``stride - 1`` zeros
behind each element, which IREE puts there too.

It takes `ConvInteger` of images, with equal padding on both sides. A sequence becomes an image of
one row, and other padding a Pad, with the zero point around the array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rnn_compiler.network_import.graph import Graph, attributes_of, shape_of, value_in
from rnn_compiler.network_import.graph.padding import padding_in_numbers
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites

_FIRST = -(1 << 31)
"""An end of slices that lies before every array."""

_LEAST_OPSET = 11
"""The first version in which the bounds of Slice and Pad are inputs."""


class _WindowAxis(NamedTuple):
    """How windows move along an axis."""

    size: int
    filter: int
    stride: int
    dilation: int
    before: int
    behind: int
    more: int

    @property
    def padding(self) -> tuple[int, int]:
        """The zeros around an array with zeros between its elements; below 0 for a cut."""
        reach = self.dilation * (self.filter - 1)
        return reach - self.before, reach - self.behind + self.more - (self.stride - 1)


def plain_transposed_convolutions(graph: Graph) -> bool:
    """Replaces transposed convolutions; returns whether there were any."""
    if graph.opset < _LEAST_OPSET:
        return False
    shapes = graph.shapes()
    return graph.replace_nodes(lambda node: _plain(graph, node, shapes), ("ConvTranspose",))


def _plain(graph: Graph, node: Any, shapes: Mapping[str, Sequence[int | None]]) -> list[Any]:
    """The nodes of a convolution; empty for a node that IREE takes, or of unknown sizes."""
    given, filters = (shapes.get(name) for name in node.input[:2])
    sizes, matrix = ([n for n in each or () if n is not None] for each in (given, filters))
    if len(sizes) < 3 or len(sizes) != len(given or ()) or len(matrix) != len(sizes):
        return []
    attributes = attributes_of(node)
    groups = value_in(attributes, "group", 1)
    axes = _axes(attributes, sizes[2:], matrix[2:])
    is_explicit = not {"auto_pad", "output_shape"}.intersection(attributes)
    is_even = is_explicit and all(axis.before == axis.behind for axis in axes)
    if is_even and (groups == 1 or (groups < matrix[0] and matrix[1] > 1)):
        return []
    made = Replacement(graph, node)
    add, constant = made.add, made.constant
    x, w = node.input[:2]
    count = len(axes)
    if any(axis.stride > 1 for axis in axes):
        apart = [n for axis in axes for n in (axis.size, 1)]
        behind = [n for axis in axes for n in (0, axis.stride - 1)]
        spread = [axis.size * axis.stride for axis in axes]
        x = add("Reshape", x, constant([*sizes[:2], *apart]))
        x = add("Pad", x, constant([0] * (4 + 2 * count) + behind))
        x = add("Reshape", x, constant([*sizes[:2], *spread]))
    starts, ends = zip(*(axis.padding for axis in axes), strict=True)
    x = add("Pad", x, constant([0, 0, *starts, 0, 0, *ends]))
    axes_of_filters = [*range(2, 2 + count)]
    bounds = [-1] * count, [_FIRST] * count, axes_of_filters, [-1] * count
    w = add("Slice", w, *map(constant, bounds))
    inside, made_of, *window = matrix
    w = add("Reshape", w, constant([groups, inside // groups, made_of, *window]))
    w = add("Transpose", w, perm=[0, 2, 1, *range(3, 3 + count)])
    w = add("Reshape", w, constant([groups * made_of, inside // groups, *window]))
    moves = {"dilations": [axis.dilation for axis in axes], "kernel_shape": window}
    add("Conv", x, w, *node.input[2:], group=groups, **moves)
    return made.finished()


def _axes(
    attributes: Mapping[str, Any], sizes: Sequence[int], window: Sequence[int]
) -> list[_WindowAxis]:
    """How windows move along each axis; the padding is computed where a shape is given instead."""
    count = len(sizes)

    def numbers(name: str, default: int, length: int = count) -> list[int]:
        return value_in(attributes, name, [default] * length)

    strides, dilations, more = (
        numbers(name, default)
        for name, default in (("strides", 1), ("dilations", 1), ("output_padding", 0))
    )
    pads = numbers("pads", 0, 2 * count)
    mode = value_in(attributes, "auto_pad", b"NOTSET").decode()
    shape = numbers("output_shape", 0)[-count:]
    axes: list[_WindowAxis] = []
    for k, size in enumerate(sizes):
        axis = _WindowAxis(
            size, window[k], strides[k], dilations[k], pads[k], pads[k + count], more[k]
        )
        wanted = shape[k] or (size * axis.stride if mode.startswith("SAME") else 0)
        if wanted:
            reach = (axis.filter - 1) * axis.dilation + 1
            total = axis.stride * (size - 1) + axis.more + reach - wanted
            half = total // 2 if mode == "SAME_UPPER" else total - total // 2
            axis = axis._replace(before=half, behind=total - half)
        axes.append(axis)
    return axes


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

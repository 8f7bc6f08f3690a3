"""Rewrites Slices and Pads into forms that IREE's importer computes correctly.

A backward slice begins at an existing element, since IREE would read beyond the array. One that
goes to the end of the array has an end that IREE does not compare with open sizes. Negative padding
becomes a slice; padding that is negative at some open sizes, because it leads to a known size, is
that size and a slice. Padding with elements of the array itself is gathered from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement

_MOST = (1 << 31) - 1
"""The most elements of an axis; as the end of a slice, it stands for the end of the array."""

_LEAST_OPSET = 15
"""The first version of Shape that takes single sizes."""

_END = (1 << 63) - 1
"""The end of a slice that goes to the end of the array, whatever its size."""


class _PaddedAxis(NamedTuple):
    """The padding of an axis: the numbers of elements before and after it, and its size."""

    number: int
    before: int
    behind: int
    size: int | None


def plain_bounds(graph: Graph) -> bool:
    """Replaces slices and paddings with constant bounds; returns whether there were any."""
    types, constants = graph.types(), graph.constants()
    every = graph.all_types()  # slices of constants are computed, or `sliced_tables`
    forms = {"Slice": (_slice, types), "Pad": (_padding, every)}

    def plain(node: Any) -> list[Any]:
        form, kinds = forms[node.op_type]
        sizes = shape_of(kinds.get(node.input[0]))
        bounds = [_numbers(constants.get(name)) if name else [] for name in node.input[1:]]
        return [] if sizes is None else form(graph, node, sizes, bounds)

    return graph.replace_nodes(plain, forms)


def _numbers(tensor: Any) -> list[int] | None:
    """The numbers of a constant of sizes or axes; None for other values."""
    array: Any = np.array(0) if tensor is None else onnx.numpy_helper.to_array(tensor)
    return array.tolist() if array.ndim == 1 and array.dtype.kind == "i" else None


def _constant(graph: Graph, name: str, numbers: Sequence[int]) -> str:
    array = np.array(numbers, np.int64)
    graph.proto.initializer.append(onnx.numpy_helper.from_array(array, name))
    return name


def _slice(
    graph: Graph, node: Any, sizes: Sequence[int | None], bounds: Sequence[list[int] | None]
) -> list[Any]:
    """The nodes for a slice from or to the end; empty if it is one that IREE takes."""
    starts, ends, axes, steps = [*bounds, *([[]] * (4 - len(bounds)))][:4]
    steps = [1] * len(starts or []) if steps == [] else steps
    if not starts or steps is None or axes is None or len(steps) != len(starts):
        return []
    first = [
        -1 if step < 0 and start >= (sizes[axis] or _MOST) else start
        for start, axis, step in zip(starts, axes or range(len(starts)), steps, strict=True)
    ]
    is_whole = (first, steps) == ([-1], [-1]) and ends is not None and ends[0] <= -_MOST
    if is_whole and graph.is_open and graph.opset >= _LEAST_OPSET:
        return _reversed(graph, node, axes[0] if axes else 0)
    last = ends and [
        _END if step > 0 and end >= _MOST else end for end, step in zip(ends, steps, strict=True)
    ]
    inputs = [*node.input]
    for number, what, old, new in ((1, "starts", starts, first), (2, "ends", ends, last)):
        if new and new != old:
            inputs[number] = _constant(graph, f"{node.name}.{what}", new)
    if inputs == [*node.input]:
        return []
    return [onnx.helper.make_node("Slice", inputs, node.output, node.name)]


def _reversed(graph: Graph, node: Any, axis: int) -> list[Any]:
    """The nodes that gather the elements of an axis of any size from the last to the first.

    The bounds that IREE computes for a backward slice are no sizes that C knows before a call.
    """
    made = Replacement(graph, node)
    axis %= len(shape_of(graph.types()[node.input[0]]) or [0])
    size = made.add("Shape", node.input[0], start=axis, end=axis + 1)
    size = made.add("Reshape", size, made.constant([]))
    rows = made.add("Range", made.constant(0), size, made.constant(1))
    last = made.add("Sub", size, made.constant(1))
    made.add("Gather", node.input[0], made.add("Sub", last, rows), axis=axis)
    graph.turned[node.output[0]] = axis
    return made.finished()


def _padding(
    graph: Graph, node: Any, sizes: Sequence[int | None], bounds: Sequence[list[int] | None]
) -> list[Any]:
    """The nodes that put zeros around an array or repeat its elements; empty for plain padding."""
    rank = len(sizes)
    if not rank or len(bounds) < 1:
        return []
    pads, _, axes = [*bounds, *([[]] * (3 - len(bounds)))][:3]
    mode = value_in(attributes_of(node), "mode", b"constant").decode()
    is_plain = mode == "constant" and not axes and min(pads or [0]) >= 0
    is_plain = is_plain and node.name not in graph.lengthened
    if not pads or axes is None or is_plain:
        return []
    numbers = [axis % rank for axis in axes or range(rank)]
    if len(pads) != 2 * len(numbers):
        return []
    padding = [
        _PaddedAxis(axis, pads[k], pads[k + len(numbers)], sizes[axis])
        for k, axis in enumerate(numbers)
    ]
    nodes = _lengthened(graph, node, padding) if mode == "constant" else []
    if nodes:
        return nodes
    nodes = _cut(graph, node, padding)
    source = nodes[-1].output[0] if nodes else node.input[0]
    padding = [
        each._replace(
            before=max(each.before, 0),
            behind=max(each.behind, 0),
            size=each.size and each.size + min(each.before, 0) + min(each.behind, 0),
        )
        for each in padding
    ]
    if mode == "constant":
        around = [0] * (2 * rank)
        for each in padding:
            around[each.number], around[each.number + rank] = each.before, each.behind
        inputs = [source, _constant(graph, f"{node.name}.pads", around), *node.input[2:3]]
        nodes.append(onnx.helper.make_node("Pad", inputs, node.output, node.name))
        return nodes
    for each in padding:
        made = _repeated(graph, node, source, each, mode)
        source = made[-1].output[0]
        nodes += made
    nodes[-1].output[0] = node.output[0]
    return nodes


def _lengthened(graph: Graph, node: Any, padding: Sequence[_PaddedAxis]) -> list[Any]:
    """The nodes for padding that leads to a known size; empty for others.

    It follows from open sizes, is negative if they are large, and else positive. Both are the same
    nodes: those that add as many elements as the axis has then, and cut off what is too much.
    """
    ends = {each.number: each.before < 0 for each in padding if min(each.before, each.behind) < 0}
    is_one_sided = all(not max(each.before, each.behind) for each in padding if each.number in ends)
    if graph.is_open and node.input[1] in graph.folded and ends and is_one_sided:
        graph.lengthened.setdefault(node.name, ends)
    if node.name not in graph.lengthened:
        return []
    rank = len(shape_of(graph.all_types()[node.input[0]]) or [])
    around = [0] * (2 * rank)
    bounds: dict[str, list[int]] = {"starts": [], "ends": [], "axes": []}
    for each in padding:
        is_before = graph.lengthened[node.name].get(each.number)
        if is_before is None:
            around[each.number], around[each.number + rank] = each.before, each.behind
            continue
        size = (each.size or 0) + each.before + each.behind
        around[each.number + (0 if is_before else rank)] = size
        bounds["starts"].append(-size if is_before else 0)
        bounds["ends"].append(_END if is_before else size)
        bounds["axes"].append(each.number)
    name = f"{node.name}.longer"
    inputs = [node.input[0], _constant(graph, f"{node.name}.pads", around), *node.input[2:3]]
    cuts = [_constant(graph, f"{name}.{what}", numbers) for what, numbers in bounds.items()]
    return [
        onnx.helper.make_node("Pad", inputs, [name], name),
        onnx.helper.make_node("Slice", [name, *cuts], node.output, node.name),
    ]


def _cut(graph: Graph, node: Any, padding: Sequence[_PaddedAxis]) -> list[Any]:
    """The slice that replaces negative padding; empty if there is none."""
    cut = [each for each in padding if min(each.before, each.behind) < 0]
    if not cut:
        return []
    name = f"{node.name}.cut"
    starts = [max(-each.before, 0) for each in cut]
    ends = [each.behind if each.behind < 0 else _END for each in cut]
    lists = {"starts": starts, "ends": ends, "axes": [each.number for each in cut]}
    inputs = [_constant(graph, f"{name}.{what}", each) for what, each in lists.items()]
    return [onnx.helper.make_node("Slice", [node.input[0], *inputs], [name], name)]


def _repeated(graph: Graph, node: Any, source: str, axis: _PaddedAxis, mode: str) -> list[Any]:
    """The nodes that repeat an array's elements at the ends of an axis."""
    before, behind = {
        "reflect": (range(axis.before, 0, -1), range(-2, -axis.behind - 2, -1)),
        "edge": ([0] * axis.before, [-1] * axis.behind),
        "wrap": (range(-axis.before, 0), range(axis.behind)),
    }[mode]
    if axis.size is not None and any(not -axis.size <= n < axis.size for n in (*before, *behind)):
        raise UnsupportedError(
            f"import_network: node {node.name!r} (Pad): mode {mode!r} repeats more elements of "
            f"axis {axis.number} than the {axis.size} that there are"
        )
    name = f"{node.name}.axis{axis.number}"
    nodes: list[Any] = []
    for what, numbers in (("before", before), ("behind", behind)):
        if numbers:
            part = f"{name}.{what}"
            inputs = [source, _constant(graph, f"{part}.elements", numbers)]
            nodes.append(onnx.helper.make_node("Gather", inputs, [part], part, axis=axis.number))
    parts = [each.output[0] for each in nodes]
    parts.insert(1 if before else 0, source)
    nodes.append(onnx.helper.make_node("Concat", parts, [name], name, axis=axis.number))
    return nodes

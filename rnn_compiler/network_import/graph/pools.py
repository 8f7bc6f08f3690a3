"""Rewrites pools into forms that are computed correctly and fast.

With ``ceil_mode``, the last window may reach beyond the padding. IREE's importer treats such
windows and their elements differently from ONNX; with more padding, both agree. The maximum of
large windows is taken along one axis after the other: a window of 13 x 13 numbers is compared in 26
steps per result instead of 169, with the same result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, read_by, value_in

_GAIN = 2
"""The least factor by which comparisons must become fewer; intermediate maxima cost memory."""


def plain_pools(graph: Graph) -> None:
    """Replaces pools that IREE's importer computes incorrectly, and large maxima."""
    needed = {output.name for output in graph.proto.output}
    needed.update(name for node in graph.proto.node for name in read_by(node))

    def plain(node: Any) -> list[Any]:
        if needed.intersection(node.output[1:]):
            raise UnsupportedError(
                f"import_network: node {node.name!r} (MaxPool): its second result, the indices of "
                "the maxima, is not computed"
            )
        del node.output[1:]
        *before, pool = _whole_windows(graph, node)
        return [*before, *(_by_axis(pool) if node.op_type == "MaxPool" else [pool])]

    graph.replace_nodes(plain, ("MaxPool", "AveragePool"))


def _whole_windows(graph: Graph, node: Any) -> list[Any]:
    """A pool with padding for all of its windows, after a Pad if padding counts in the result.

    A window begins before the padding at the end, so it needs at most its span less one.
    """
    attributes = attributes_of(node)
    automatic = value_in(attributes, "auto_pad", b"")
    rounds_up = value_in(attributes, "ceil_mode", 0)
    if not rounds_up or automatic.startswith(b"SAME") or "kernel_shape" not in attributes:
        return [node]
    window = [*attributes["kernel_shape"].ints]
    strides, dilations = (
        value_in(attributes, name, [1] * len(window)) for name in ("strides", "dilations")
    )
    given = "pads" in attributes and not automatic.startswith(b"VALID")
    pads = [*attributes["pads"].ints] if given else [0] * (2 * len(window))
    if not len(window) == len(strides) == len(dilations) == len(pads) // 2:
        return [node]
    start, end = pads[: len(window)], pads[len(window) :]
    spans = [(size - 1) * apart + 1 for size, apart in zip(window, dilations, strict=True)]
    whole = [
        max(least, min(least + stride - 1, span - 1))
        for least, stride, span in zip(end, strides, spans, strict=True)
    ]
    counts = value_in(attributes, "count_include_pad", 0)
    nodes = [node]
    if counts and any(pads):
        padded = f"{node.name}.padded"
        nodes.insert(0, _zeros_around(graph, node.input[0], padded, start, end))
        node.input[0] = padded
        start, whole = [0] * len(window), [a - b for a, b in zip(whole, end, strict=True)]
    for name in ("auto_pad", "ceil_mode", "count_include_pad", "pads"):
        if name in attributes:
            node.attribute.remove(attributes[name])
    node.attribute.append(onnx.helper.make_attribute("pads", start + whole))
    return nodes


def _zeros_around(graph: Graph, source: str, name: str, start: list[int], end: list[int]) -> Any:
    """A node that puts zeros around an array, except along its first two axes."""
    pads = np.array([0, 0, *start, 0, 0, *end], np.int64)
    if graph.opset < 11:
        return onnx.helper.make_node("Pad", [source], [name], name=name, pads=pads.tolist())
    sizes = onnx.numpy_helper.from_array(pads, f"{name}.pads")
    graph.proto.initializer.append(sizes)
    return onnx.helper.make_node("Pad", [source, sizes.name], [name], name=name)


def _by_axis(node: Any) -> list[Any]:
    """A pool as one pool per axis with wider windows; itself if that does not pay off."""
    attributes = attributes_of(node)
    if "kernel_shape" not in attributes:
        return [node]
    window = [*attributes["kernel_shape"].ints]
    sizes = [size for size in window if size > 1]
    if math.prod(sizes) < _GAIN * sum(sizes):
        return [node]
    nodes: list[Any] = []
    axes = [axis for axis, size in enumerate(window) if size > 1]
    axes += [axis for axis, size in enumerate(window) if size <= 1 and _moves(attributes, axis)]
    for number, axis in enumerate(axes):
        name = f"{node.name}.axis{axis}"
        given = nodes[-1].output[0] if nodes else node.input[0]
        made = node.output[0] if number == len(axes) - 1 else name
        each = onnx.helper.make_node("MaxPool", [given], [made], name=name)
        for attribute in node.attribute:
            _add(each, attribute, axis, len(window))
        nodes.append(each)
    return nodes


def _moves(attributes: Any, axis: int) -> bool:
    """Whether windows of a single number along an axis have any effect."""
    strides = value_in(attributes, "strides", [])
    pads = value_in(attributes, "pads", [])
    return bool(strides[axis : axis + 1] not in ([], [1]) or any(pads[axis :: len(pads) // 2 or 1]))


def _add(node: Any, attribute: Any, axis: int, rank: int) -> None:
    """Adds an attribute restricted to one axis."""
    if attribute.name in ("kernel_shape", "strides", "dilations", "pads"):
        none = 0 if attribute.name == "pads" else 1
        kept = [none if k % rank != axis else each for k, each in enumerate(attribute.ints)]
        attribute = onnx.helper.make_attribute(attribute.name, kept)
    node.attribute.append(attribute)

"""Rewrites the padding of pools whose sizes are open: IREE's importer takes such a size for -1.

Padding that follows from sizes (``auto_pad``) becomes numbers, which are the same for all sizes if
windows have a stride of 1. For `MaxPool`, padding that differs between both ends becomes a Pad.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in


def plain_padding(graph: Graph) -> bool:
    """Replaces the padding of pools in a graph of open sizes; returns whether there was any."""
    if not graph.is_open:
        return False
    types = graph.types()
    nodes: list[Any] = []
    changed = False
    for node in graph.proto.node:
        kind = types.get(node.input[0]) if node.op_type in ("MaxPool", "AveragePool") else None
        sizes = shape_of(kind)
        if sizes is not None and None not in sizes[2:]:
            numbers = _numbers(node, [size or 0 for size in sizes[2:]])
            made = _padded(graph, node, kind) if node.op_type == "MaxPool" else []
            changed = changed or numbers or bool(made)
            nodes += made
        nodes.append(node)
    if changed:
        graph.set_nodes(nodes)
    return changed


def _lists(node: Any, rank: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """The windows, strides, dilations and pads of a pool."""
    attributes = attributes_of(node)
    names = ("kernel_shape", "strides", "dilations", "pads")
    defaults = ([1] * rank, [1] * rank, [1] * rank, [0] * (2 * rank))
    window, strides, dilations, pads = (
        [*attributes[name].ints] if name in attributes else default
        for name, default in zip(names, defaults, strict=True)
    )
    return window, strides, dilations, pads


def _set_pads(node: Any, pads: Sequence[int]) -> None:
    """Gives a pool other padding."""
    attributes: Mapping[str, Any] = attributes_of(node)
    for name in ("auto_pad", "ceil_mode", "pads"):
        if name in attributes:
            node.attribute.remove(attributes[name])
    node.attribute.append(onnx.helper.make_attribute("pads", pads))


def _numbers(node: Any, sizes: Sequence[int]) -> bool:
    """Gives a pool its padding in numbers; returns whether it had none."""
    automatic = value_in(attributes_of(node), "auto_pad", b"")
    window, *_ = _lists(node, len(sizes))
    pads = padding_in_numbers(node, sizes, window) if automatic.startswith(b"SAME") else None
    if pads is not None:
        _set_pads(node, pads)
    return pads is not None


def padding_in_numbers(
    node: Any, sizes: Sequence[int | None], window: Sequence[int]
) -> list[int] | None:
    """The padding before and behind each axis; None if it follows from a size that is not known."""
    automatic = value_in(attributes_of(node), "auto_pad", b"")
    _, strides, dilations, pads = _lists(node, len(sizes))
    if not automatic.startswith(b"SAME"):
        return [0] * len(pads) if automatic == b"VALID" else pads
    if None in sizes or len(window) != len(sizes):
        return None
    totals = [
        max((-(-(size or 0) // stride) - 1) * stride + (count - 1) * apart + 1 - (size or 0), 0)
        for size, stride, count, apart in zip(sizes, strides, window, dilations, strict=True)
    ]
    less, more = [n // 2 for n in totals], [n - n // 2 for n in totals]
    return less + more if automatic == b"SAME_UPPER" else more + less


def _padded(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The Pad before a maximum with more padding at one end; empty if there is none."""
    rank = len(kind.tensor_type.shape.dim) - 2
    *_, pads = _lists(node, rank)
    if "auto_pad" in attributes_of(node) or len(pads) != 2 * rank or pads[:rank] == pads[rank:]:
        return []
    dtype: Any = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type))
    least = np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf
    name = f"{node.name}.padded"
    around = np.array([0, 0, *pads[:rank], 0, 0, *pads[rank:]], np.int64)
    constants = {f"{name}.pads": around, f"{name}.least": np.array(least, dtype)}
    graph.proto.initializer.extend(
        onnx.numpy_helper.from_array(array, each) for each, array in constants.items()
    )
    made = onnx.helper.make_node("Pad", [node.input[0], *constants], [name], name)
    node.input[0] = name
    _set_pads(node, [0] * (2 * rank))
    return [made]

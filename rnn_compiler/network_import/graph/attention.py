"""Rewrites Attention, which is newer than IREE's importer, as products and a softmax.

    y = softmax(scale * q @ transpose(k) + bias) @ v,   q, k and v as [batch, heads, steps, size]

The bias is -infinity where a mask or `is_causal` leaves a step out. A row without any step is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement

__all__ = ["plain_attention"]


_KNOWN = {
    *("is_causal", "q_num_heads", "kv_num_heads", "scale", "softcap", "softmax_precision"),
    "qk_matmul_output_mode",
}
"""The attributes that are read, or have no effect on the first result in float32."""


def plain_attention(graph: Graph) -> bool:
    """Replaces the nodes whose types are known; returns whether there were any."""
    types = graph.all_types()
    return graph.replace_nodes(lambda node: _plain(graph, node, types), ("Attention",))


def _plain(graph: Graph, node: Any, types: dict[str, Any]) -> list[Any]:
    """The nodes that compute an Attention; none while sizes are unknown."""
    if any(None in (shape_of(types.get(name)) or [None]) for name in node.input if name):
        return []
    attributes = attributes_of(node)
    q, k, v, mask, *others = [*node.input, *[""] * 3][:7]
    shapes = [shape_of(types[name]) or [] for name in (q, k, v)]
    masked = shape_of(types[mask]) if mask else None
    softcap = "softcap" in attributes and attributes["softcap"].f
    elements = {types[name].tensor_type.elem_type for name in (q, k, v)}
    if any(others) or any(node.output[1:]) or softcap or elements != {onnx.TensorProto.FLOAT}:
        raise _refused(node, "float32 without softcap, past keys and further results")
    if not _KNOWN.issuperset(attributes):
        raise _refused(node, f"no other attributes than {', '.join(sorted(_KNOWN))}")
    if masked is not None and masked[-1:] != shapes[1][-2:-1]:
        raise _refused(node, f"a mask whose last axis has size {shapes[1][-2]}, got {masked}")
    made = Replacement(graph, node)
    add, constant = made.add, made.constant
    is_joined = len(shapes[0]) == 3
    if is_joined:
        names = ("q_num_heads", "kv_num_heads", "kv_num_heads")
        heads = [value_in(attributes, name, 0) for name in names]
    else:
        heads = [shape[1] or 0 for shape in shapes]
    if not all(heads) or heads[0] % heads[1]:
        raise _refused(node, f"heads in groups of equal size, got {heads[0]} and {heads[1]}")
    size = (shapes[0][-1] or 1) // (heads[0] if is_joined else 1)
    if is_joined:
        split = (
            add("Reshape", x, constant([0, 0, n, -1]))
            for x, n in zip((q, k, v), heads, strict=True)
        )
        q, k, v = (add("Transpose", x, perm=[0, 2, 1, 3]) for x in split)
    if heads[0] != heads[1]:
        of_each = constant(np.repeat(np.arange(heads[1]), heads[0] // heads[1]))
        k, v = (add("Gather", x, of_each, axis=1) for x in (k, v))
    scale = value_in(attributes, "scale", 1 / float(np.sqrt(size)))
    scores = add("Mul", q, constant(scale, np.float32))
    scores = add("MatMul", scores, add("Transpose", k, perm=[0, 1, 3, 2]))
    none = constant(-np.inf, np.float32)
    is_causal = value_in(attributes, "is_causal", 0)
    if is_causal:
        rows, columns = (
            add(
                "Range",
                constant(0),
                add("Squeeze", add("Shape", x, start=2, end=3), constant([0])),
                constant(1),
            )
            for x in (q, k)
        )
        is_past = add("LessOrEqual", columns, add("Unsqueeze", rows, constant([1])))
        scores = add("Where", is_past, scores, none)
    if mask and types[mask].tensor_type.elem_type == onnx.TensorProto.BOOL:
        scores = add("Where", mask, scores, none)
    elif mask:
        scores = add("Add", scores, mask)
    weights = add("Softmax", scores, axis=-1)
    if mask:
        most = add("ReduceMax", scores, constant([-1]))
        weights = add("Where", add("Equal", most, none), constant(0, np.float32), weights)
    y = add("MatMul", weights, v)
    if is_joined:
        add("Reshape", add("Transpose", y, perm=[0, 2, 1, 3]), constant([0, 0, -1]))
    return made.finished()


def _refused(node: Any, expected: str) -> UnsupportedError:
    """The error for other forms of Attention."""
    return UnsupportedError(
        f"import_network: node {node.name!r} (Attention): expected {expected}; export the model "
        "with an opset before 23, which writes attention as products"
    )

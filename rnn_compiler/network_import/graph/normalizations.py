"""Rewrites normalizations that IREE's importer does not take.

Neither ONNX nor the importer knows the shape of GroupNormalization; RMSNormalization is newer than
the importer:

    y = scale * x / sqrt(mean(x ** 2) + epsilon)

The channels of a group become an axis that InstanceNormalization takes. This in turn is written as
means if sizes are open, because IREE's importer divides by -1 instead of a size that is not known:

    y = scale * (x - mean) / sqrt(variance + epsilon) + bias,   x as [N, channels, rest]

ONNX does not know the shape of MeanVarianceNormalization if sizes are open:

    y = (x - mean) / (sqrt(variance) + 1e-9)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement, rewrite_nodes

_AXES_ARE_INPUTS = 18
"""The first version of ReduceMean whose axes are an input."""

_LEAST_DEVIATION = 1e-9
"""What MeanVarianceNormalization adds to the deviation."""

_Sizes = Sequence[int | None]

_BY_CHANNEL = 21
"""The first version in which each channel has a scale, rather than each group."""


def plain_normalizations(graph: Graph) -> bool:
    """Replaces the nodes whose types are known; returns whether there were any."""
    rewritten = {
        "GroupNormalization": _groups,
        "MeanVarianceNormalization": _means_and_variances,
        "RMSNormalization": _root_mean_squares,
    }
    if graph.is_open:
        rewritten["InstanceNormalization"] = _instances

    def plain(graph: Graph, node: Any, kind: Any) -> list[Any] | None:
        sizes, element = shape_of(kind), kind.tensor_type.elem_type
        return None if sizes is None else rewritten[node.op_type](graph, node, sizes, element)

    return rewrite_nodes(graph, rewritten, plain)


def _groups(graph: Graph, node: Any, sizes: _Sizes, element: int) -> list[Any]:
    """The nodes that normalize groups, in float32 for smaller floats."""
    attributes = attributes_of(node)
    groups = attributes["num_groups"].i
    epsilon = value_in(attributes, "epsilon", 1e-5)
    made = Replacement(graph, node)
    add, constant = made.add, made.constant
    is_double = element == onnx.TensorProto.DOUBLE
    inside = onnx.TensorProto.DOUBLE if is_double else onnx.TensorProto.FLOAT
    dtype = np.float64 if is_double else np.float32
    x, scale, bias = (
        name if element == inside else add("Cast", name, to=inside) for name in node.input
    )
    shape = add("Shape", x)
    x = add("Reshape", x, constant([0, groups, -1]))
    ones, zeros = (constant([n] * groups, dtype) for n in (1, 0))
    x = add("InstanceNormalization", x, ones, zeros, epsilon=epsilon)
    if graph.opset < _BY_CHANNEL:
        of_each = constant(np.arange(sizes[1] or groups) // ((sizes[1] or groups) // groups))
        scale, bias = (add("Gather", name, of_each) for name in (scale, bias))
    channels = constant([-1, *[1] * (len(sizes) - 2)])
    scale, bias = (add("Reshape", name, channels) for name in (scale, bias))
    x = add("Add", add("Mul", add("Reshape", x, shape), scale), bias)
    if element != inside:
        add("Cast", x, to=element)
    return made.finished()


def _root_mean_squares(graph: Graph, node: Any, sizes: _Sizes, element: int) -> list[Any]:
    """The nodes that divide the last axes by the root of the mean of their squares.

    They compute in `stash_type`, but multiply by the scale in the dtype of the array.
    """
    attributes = attributes_of(node)
    epsilon = value_in(attributes, "epsilon", 1e-5)
    axis = value_in(attributes, "axis", -1)
    inside = value_in(attributes, "stash_type", onnx.TensorProto.FLOAT)
    made = Replacement(graph, node)
    add, constant = made.add, made.constant
    x, scale = node.input
    x = x if element == inside else add("Cast", x, to=inside)
    axes = constant([*range(axis % len(sizes), len(sizes))])
    mean = add("ReduceMean", add("Mul", x, x), axes)
    least = constant(epsilon, onnx.helper.tensor_dtype_to_np_dtype(inside))
    normal = add("Div", x, add("Sqrt", add("Add", mean, least)))
    normal = normal if element == inside else add("Cast", normal, to=element)
    add("Mul", normal, scale)
    return made.finished()


def _means_and_variances(graph: Graph, node: Any, sizes: _Sizes, element: int) -> list[Any]:
    """The nodes that normalize along some axes."""
    axes = value_in(attributes_of(node), "axes", [0, 2, 3])
    made = Replacement(graph, node)
    add = made.add
    centred = add("Sub", node.input[0], _mean(made, node.input[0], axes))
    deviation = add("Sqrt", _mean(made, add("Mul", centred, centred), axes))
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element)
    add("Div", centred, add("Add", deviation, made.constant(_LEAST_DEVIATION, dtype)))
    return made.finished()


def _mean(made: Replacement, value: str, axes: Sequence[int]) -> str:
    """The mean along some axes, which stay with a size of 1."""
    if made.graph.opset < _AXES_ARE_INPUTS:
        return made.add("ReduceMean", value, axes=[*axes])
    return made.add("ReduceMean", value, made.constant([*axes]))


def _instances(graph: Graph, node: Any, sizes: _Sizes, element: int) -> list[Any]:
    """The nodes that normalize each channel of each array."""
    epsilon = value_in(attributes_of(node), "epsilon", 1e-5)
    made = Replacement(graph, node)
    add, constant = made.add, made.constant
    x, scale, bias = node.input

    rows = add("Reshape", x, constant([0, 0, -1]))
    centred = add("Sub", rows, _mean(made, rows, [-1]))
    variance = _mean(made, add("Mul", centred, centred), [-1])
    least = constant([epsilon], onnx.helper.tensor_dtype_to_np_dtype(element))
    normal = add("Div", centred, add("Sqrt", add("Add", variance, least)))
    scale, bias = (add("Reshape", name, constant([-1, 1])) for name in (scale, bias))
    add("Reshape", add("Add", add("Mul", normal, scale), bias), add("Shape", x))
    return made.finished()

"""Decides which constants of a graph are weights, which become inputs and arrays of the module."""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, onnx
from rnn_compiler.schema.dtypes import canonical_name

_LEAST = 64
"""The fewest elements of a weight; smaller constants, which may be sizes or axes, stay in place."""

_DTYPES = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64")


def take_parameters(graph: Graph) -> dict[str, Any]:
    """Turns the weights of a graph into inputs; returns their arrays by name."""
    taken: dict[str, Any] = {}
    for tensor in [*graph.proto.initializer]:
        array: Any = onnx.numpy_helper.to_array(tensor)
        if array.size < _LEAST or canonical_name(array.dtype) not in _DTYPES:
            continue
        if np.all(array == array.flat[0]):
            continue
        taken[tensor.name] = array
        graph.proto.initializer.remove(tensor)
        kind = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        graph.proto.input.append(kind)
    return taken

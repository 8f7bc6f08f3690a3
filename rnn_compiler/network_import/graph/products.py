"""Rewrites products with a matrix into the form best for IREE's importer: of two matrices.

It would multiply each step or row of a batch by a copy of the matrix, and transpose the constant
weights of a linear layer at every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of


def plain_products(graph: Graph) -> None:
    """Joins the rows that are multiplied by one matrix, and transposes weights in advance."""
    types, constants = graph.types(), graph.constants()
    for node in graph.proto.node:
        if node.op_type == "Gemm" and node.input[1] in constants:
            _transpose(graph, node, constants)
    graph.replace_nodes(lambda node: _joined(graph, node, types, constants), ("MatMul",))
    graph.remove_unused()


def _joined(graph: Graph, node: Any, types: dict[str, Any], constants: dict[str, Any]) -> list[Any]:
    """A product of an array of higher rank and a matrix as one of two matrices."""
    given, matrix = node.input
    sizes, result = shape_of(types.get(given)), shape_of(types.get(node.output[0]))
    second = [*constants[matrix].dims] if matrix in constants else shape_of(types.get(matrix)) or []
    if sizes is None or result is None or len(sizes) < 3:
        return [node]
    is_known = None not in sizes and None not in result
    known = [size for size in second if size is not None]
    if not len(known) == len(second) == 2 or not (is_known or graph.is_open):
        return [node]
    inner, columns = known
    rows = None if None in sizes[:-1] else int(np.prod([size or 0 for size in sizes[:-1]]))
    kind = types[given].tensor_type.elem_type
    names = [f"{node.name}.{each}" for each in ("rows", "product")]
    for name, width in zip(names, (inner, columns), strict=True):
        made = onnx.helper.make_tensor_value_info(name, kind, [rows, width])
        graph.proto.value_info.append(made)
    before, after = (f"{name}.shape" for name in names)
    _add_constant(graph, before, [-1 if rows is None else rows, inner])
    nodes: list[Any] = []
    if result.count(None) <= 1:
        _add_constant(graph, after, [-1 if size is None else size for size in result])
    else:
        leading, last = (f"{names[1]}.{each}" for each in ("leading", "last"))
        _add_constant(graph, last, [columns])
        for name, count in ((leading, len(result) - 1), (after, len(result))):
            made = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [count])
            graph.proto.value_info.append(made)
        nodes.append(onnx.helper.make_node("Shape", [given], [leading], name=leading, end=-1))
        nodes.append(onnx.helper.make_node("Concat", [leading, last], [after], name=after, axis=0))
    return [
        onnx.helper.make_node("Reshape", [given, before], [names[0]], name=names[0]),
        onnx.helper.make_node("MatMul", [names[0], matrix], [names[1]], name=node.name),
        *nodes,
        onnx.helper.make_node("Reshape", [names[1], after], [node.output[0]], name=names[1]),
    ]


def _add_constant(graph: Graph, name: str, sizes: Sequence[int]) -> None:
    array = np.array(sizes, np.int64)
    graph.proto.initializer.append(onnx.numpy_helper.from_array(array, name))


def _transpose(graph: Graph, node: Any, constants: dict[str, Any]) -> None:
    """Transposes the constant matrix of a linear layer, if the layer transposes it."""
    attributes = attributes_of(node)
    if "transB" not in attributes or not attributes["transB"].i:
        return
    array = onnx.numpy_helper.to_array(constants[node.input[1]])
    name = f"{node.input[1]}.transposed"
    if name not in constants:
        constants[name] = onnx.numpy_helper.from_array(np.ascontiguousarray(array.T), name)
        graph.proto.initializer.append(constants[name])
    node.input[1] = name
    attributes["transB"].i = 0

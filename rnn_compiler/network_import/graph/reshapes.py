"""Rewrites reshapes of open axes that IREE's importer takes for something else.

If all axes but one of the new shape have sizes, and the rank stays, it assumes that each axis stays
where it is: of ``[a, b]`` as ``[a * b, 1]`` it would keep the first ``a`` elements. Such an array
becomes a vector first. A -1 or 0 among computed sizes it takes for a size; where nobody knows which
it stands for (`computed_sizes`), the reshape is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, onnx, shape_of


def plain_reshapes(graph: Graph) -> None:
    """Rewrites the reshapes of arrays with several open axes."""
    types, constants = graph.types(), graph.constants()
    if graph.is_open:  # else all sizes are known
        _check_sizes(graph, constants)
    graph.replace_nodes(lambda node: _through_vectors(graph, node, types, constants), ("Reshape",))


def _check_sizes(graph: Graph, constants: dict[str, Any]) -> None:
    """Checks that no reshape has a -1 or 0 among computed sizes."""
    joined = {node.output[0]: node for node in graph.proto.node if node.op_type == "Concat"}
    for node in graph.proto.node:
        if node.op_type == "Reshape" and node.input[1] in joined:
            parts = [constants[each] for each in joined[node.input[1]].input if each in constants]
            if any((onnx.numpy_helper.to_array(part) < 1).any() for part in parts):
                raise UnsupportedError(
                    f"import_network: {graph.named(node)}: expected a shape that follows from the "
                    "sizes of inputs, got one with a -1 or 0 among sizes that a call computes from "
                    "values; write that size in its place, or fix open axes with dims (--dim)"
                )


def _through_vectors(
    graph: Graph, node: Any, types: dict[str, Any], constants: dict[str, Any]
) -> list[Any]:
    """A reshape as two, if it joins open axes and keeps the rank."""
    if node.input[1] not in constants:
        return [node]
    sizes = shape_of(types.get(node.input[0]))
    numbers = onnx.numpy_helper.to_array(constants[node.input[1]]).tolist()
    if sizes is None or sizes.count(None) < 2 or len(sizes) != len(numbers):
        return [node]
    if 0 in numbers or -1 not in numbers:
        return [node]
    name = f"{node.name}.vector"
    kind = types[node.input[0]].tensor_type.elem_type
    graph.proto.value_info.append(onnx.helper.make_tensor_value_info(name, kind, [None]))
    shape = onnx.numpy_helper.from_array(np.array([-1], np.int64), f"{name}.shape")
    graph.proto.initializer.append(shape)
    first = onnx.helper.make_node("Reshape", [node.input[0], shape.name], [name], name)
    return [first, onnx.helper.make_node("Reshape", [name, node.input[1]], node.output, node.name)]

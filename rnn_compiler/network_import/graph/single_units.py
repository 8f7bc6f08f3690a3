"""Gives recurrent layers of a single unit a second one, which has weights of zero.

Loops over time with an axis of size 1 are left to IREE, which folds it: they are slow, and neither
C nor JavaScript has them. Nothing reads the second unit, and its results are cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rnn_compiler.model_import.onnx_layers import INPUTS, OPERATORS, STATE_POSITIONS
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx
from rnn_compiler.network_import.graph.replacement import Replacement


def add_second_units(graph: Graph) -> None:
    """Replaces the layers whose weights are constants."""
    constants, types = graph.constants(), graph.all_types()

    def widened(node: Any) -> list[Any]:
        is_one = not node.domain and node.output[0] not in graph.clips
        is_one = is_one and _is_single(node, constants)
        return _with_two(graph, node, constants, types) if is_one else []

    graph.replace_nodes(widened, OPERATORS)
    graph.remove_unused()


def _is_single(node: Any, constants: Mapping[str, Any]) -> bool:
    """Whether a layer has one unit and constant weights.

    Functions with numbers of their own may be above 1 at 0, so that a second unit could grow.
    """
    attributes = attributes_of(node)
    weights = [
        name for kind, name in zip(INPUTS, node.input, strict=False) if kind in "WRBP" and name
    ]
    is_bounded = "activation_beta" not in attributes
    units = attributes["hidden_size"].i if "hidden_size" in attributes else None
    return units == 1 and is_bounded and all(name in constants for name in weights)


def _with_two(
    graph: Graph, node: Any, constants: Mapping[str, Any], types: Mapping[str, Any]
) -> list[Any]:
    """The layer with two units, and the nodes that pad its states and cut its results."""
    made = Replacement(graph, node)
    inputs = [*node.input]
    for position, name in enumerate(node.input):
        if name and INPUTS[position] in "WRBP":
            array = onnx.numpy_helper.to_array(constants[name])
            inputs[position] = _constant(graph, f"{node.name}.two.{name}", _padded(array, position))
        elif name and position in STATE_POSITIONS:
            kind = types[name]
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
            zero = made.constant(0, dtype)
            inputs[position] = made.add("Pad", name, made.constant([0, 0, 0, 0, 0, 1]), zero)
            _typed(graph, inputs[position], kind)
    two, cuts = onnx.NodeProto(), list[Any]()
    two.CopyFrom(node)
    attributes_of(two)["hidden_size"].i = 2
    two.input[:], two.output[:] = inputs, [f"{n}.two" if n else "" for n in node.output]
    bounds = [made.constant([number]) for number in (0, 1, -1)]
    for name, both in zip(node.output, two.output, strict=True):
        if name:
            _typed(graph, both, types[name])
            cuts.append(onnx.helper.make_node("Slice", [both, *bounds], [name], f"{both}.cut"))
    graph.origins |= {each.name: (node.name, node.op_type) for each in (*made.nodes, *cuts)}
    return [*made.nodes, two, *cuts]


def _padded(array: Any, position: int) -> Any:
    """Weights or biases, with zeros behind the row of each gate."""
    result = np.repeat(array, 2, axis=1)
    result[:, 1::2] = 0
    if INPUTS[position] == "R":
        result = np.concatenate([result, np.zeros_like(result)], -1)
    return result


def _constant(graph: Graph, name: str, array: Any) -> str:
    graph.proto.initializer.append(onnx.numpy_helper.from_array(array, name))
    return name


def _typed(graph: Graph, name: str, kind: Any) -> None:
    """Notes the type of a value, which is another one's with two units."""
    made = onnx.ValueInfoProto(name=name, type=kind)
    made.type.tensor_type.shape.dim[-1].dim_value = 2
    graph.proto.value_info.append(made)

"""Passes on NaN where IREE's importer would lose it: it selects by comparisons, which are false.

    Clip(x, low, high)   becomes   where(isnan(x), x, Clip(x, low, high))

Sign is selected in the same way, and each input of Max and Min that may be NaN. ONNX leaves this
open; its reference implementation, ONNX Runtime and every framework that exports these nodes pass
NaN on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import FLOATS, Graph, onnx

_SELECTED = {"Clip": 1, "Sign": 1, "Max": None, "Min": None}
"""The number of inputs whose NaN passes, None for all."""

_CHOSEN = ".unless NaN"
"""The end of the names of what such a node computes."""

_LEAST_OPSET = 9
"""The first version with IsNaN and Where."""


def pass_nan_on(graph: Graph) -> bool:
    """Adds the selections; returns whether there were any to add."""
    if graph.opset < _LEAST_OPSET:
        return False
    types, constants = graph.all_types(), graph.constants()
    return graph.replace_nodes(lambda node: _with_nan(node, types, constants), _SELECTED)


def _with_nan(node: Any, types: Mapping[str, Any], constants: Mapping[str, Any]) -> list[Any]:
    """A node, and the selection of each input that is NaN; none if it is there already."""
    if node.output[0].endswith(_CHOSEN):
        return []
    inputs = [
        name
        for name in dict.fromkeys(node.input[: _SELECTED[node.op_type]])
        if name in types and _may_be_nan(types[name], constants.get(name))
    ]
    if not inputs:
        return []
    result = node.output[0] + _CHOSEN
    nodes = [onnx.NodeProto()]
    nodes[0].CopyFrom(node)
    nodes[0].output[0] = result
    for number, name in enumerate(inputs):
        is_nan = f"{node.output[0]}.{number} is NaN"
        made = node.output[0] if number == len(inputs) - 1 else f"{node.output[0]}.{number}"
        nodes.append(onnx.helper.make_node("IsNaN", [name], [is_nan], is_nan))
        nodes.append(
            onnx.helper.make_node("Where", [is_nan, name, result], [made], f"{made}{_CHOSEN}")
        )
        result = made
    return nodes


def _may_be_nan(kind: Any, constant: Any) -> bool:
    """Whether a value of a type is a float that may be NaN."""
    if kind.tensor_type.elem_type not in FLOATS:
        return False
    return constant is None or bool(np.isnan(onnx.numpy_helper.to_array(constant)).any())

"""LSTMs whose weights ONNX Runtime stores in int8, as the LSTMs that they approximate."""

from __future__ import annotations

from typing import Any

from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.model_import.onnx_layers import DYNAMIC, WEIGHTS, float_lstm
from rnn_compiler.network_import.graph import Graph, onnx

_DOMAIN = "com.microsoft"


def plain_lstms(graph: Graph) -> None:
    """Replaces nodes `DynamicQuantizeLSTM` with constant weights by LSTMs."""
    constants = graph.constants()
    for node in graph.proto.node:
        _add_moved(node, constants)
        if (node.domain, node.op_type) != (_DOMAIN, DYNAMIC):
            continue
        arrays = [
            onnx.numpy_helper.to_array(constants[name]) if name in constants else None
            for name in node.input
        ]
        known = [number for number, array in enumerate(arrays) if array is not None]
        lacking = [name for name, number in WEIGHTS.items() if number not in known]
        if lacking:
            raise UnsupportedError(
                f"import_network: node {node.name!r} ({DYNAMIC}): only with constants as weights, "
                f"scales and zero points; {', '.join(lacking)}: not constant"
            )
        try:
            made, _ = float_lstm(arrays)
        except ValueError as error:
            raise ArtifactError(f"{graph.path}: {node.name}: {error}") from error
        _become_lstm(graph, node, made)


def _add_moved(node: Any, constants: dict[str, Any]) -> None:
    """Adds the constants that a node passes on unchanged."""
    if node.op_type == "Constant" and len(node.attribute) == 1 and node.attribute[0].HasField("t"):
        constants[node.output[0]] = node.attribute[0].t
    elif node.op_type == "Identity" and node.input[0] in constants:
        constants[node.output[0]] = constants[node.input[0]]


def _become_lstm(graph: Graph, node: Any, arrays: list[Any]) -> None:
    """Turns a node into an LSTM with given arrays as its inputs W and R."""
    names = [*node.input[: len(arrays)]]
    outputs: list[str] = [name for name in node.output if name]  # no two nodes share them
    for index in (WEIGHTS["W"], WEIGHTS["R"]):
        names[index] = f"{outputs[0] if outputs else node.name}.{node.input[index]}"
        tensor = onnx.numpy_helper.from_array(arrays[index], names[index])
        graph.proto.initializer.append(tensor)
    node.domain, node.op_type = "", "LSTM"
    node.input[:] = names

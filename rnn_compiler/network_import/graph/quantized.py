"""LSTMs whose weights ONNX Runtime stores in int8, as the LSTMs that they approximate."""

from __future__ import annotations

from typing import Any

from rnn_compiler.errors import ArtifactError
from rnn_compiler.model_import.onnx_int8 import DYNAMIC, WEIGHTS, float_lstm
from rnn_compiler.network_import.graph import Graph, onnx

__all__ = ["plain_lstms"]

_DOMAIN = "com.microsoft"


def plain_lstms(graph: Graph) -> None:
    """Replaces nodes `DynamicQuantizeLSTM` whose weights are constants by LSTMs.

    Raises:
        ArtifactError: Weights are none that there can be.
    """
    constants = graph.constants()
    for node in graph.proto.node:
        if (node.domain, node.op_type) != (_DOMAIN, DYNAMIC):
            continue
        arrays = [
            onnx.numpy_helper.to_array(constants[name]) if name in constants else None
            for name in node.input
        ]
        known = [number for number, array in enumerate(arrays) if array is not None]
        if not set(WEIGHTS.values()) <= set(known):
            continue
        try:
            made, _ = float_lstm(arrays)
        except ValueError as error:
            raise ArtifactError(f"{graph.path}: {node.name}: {error}") from error
        _become_lstm(graph, node, made)


def _become_lstm(graph: Graph, node: Any, arrays: list[Any]) -> None:
    """Makes a node an LSTM with some arrays as its inputs W and R."""
    names = [*node.input[: len(arrays)]]
    for place in (WEIGHTS["W"], WEIGHTS["R"]):
        names[place] = f"{node.name}.{node.input[place]}"
        tensor = onnx.numpy_helper.from_array(arrays[place], names[place])
        graph.proto.initializer.append(tensor)
    node.domain, node.op_type = "", "LSTM"
    node.input[:] = names

"""Whole networks of TensorFlow Lite, as ONNX models.

operators  a rule for each operator: the nodes that compute it
layers     the recurrent layers, which `model_import` recognises, as nodes of ONNX's operators
network    the nodes, constants and names so far

This folder is loaded only by the import process, because it needs the package onnx.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rnn_compiler.model_import.reading import Budget, damaged, stored_bytes
from rnn_compiler.model_import.tflite_reader import TfliteFile
from rnn_compiler.network_import.tflite.network import Network
from rnn_compiler.network_import.tflite.operators import RULES


def onnx_model(path: Path) -> tuple[Any, dict[str, float]]:
    """The model of a file, and limits of cells by the first outputs of their nodes."""
    file = TfliteFile(path)
    if not file.graphs:
        raise damaged(path, "it has no graph")
    network = Network(file, file.graphs[0], Budget(path, stored_bytes(path)), RULES)
    network.check_types()
    network.run(network.graph.outputs)
    return network.model(), network.clips

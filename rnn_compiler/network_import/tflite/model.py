"""The ONNX model of a file of TensorFlow Lite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rnn_compiler.model_import.reading import Budget, damaged, stored_bytes
from rnn_compiler.model_import.tflite_reader import TfliteFile
from rnn_compiler.network_import.tflite.network import Network
from rnn_compiler.network_import.tflite.operators import RULES


def onnx_model(path: Path) -> tuple[Any, dict[str, float]]:
    """The model, and limits of cells by the first outputs of their nodes.

    Raises:
        ArtifactError: The file is damaged.
        UnsupportedError: It has an operator or a type that is not taken.
    """
    file = TfliteFile(path)
    if not file.graphs:
        raise damaged(path, "it has no graph")
    network = Network(file, file.graphs[0], Budget(path, stored_bytes(path)), RULES)
    network.check_types()
    network.run(network.graph.outputs)
    return network.model(), network.clips

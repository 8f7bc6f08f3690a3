"""The kinds of model files, by their suffixes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rnn_compiler.model_import.keras_file import read_h5, read_json, read_keras
from rnn_compiler.model_import.onnx_file import read_onnx
from rnn_compiler.model_import.saved_model import read_frozen_graph
from rnn_compiler.model_import.torch_layers import read_safetensors, read_torch
from rnn_compiler.weights.torch_file import TORCH_SUFFIXES


class ModelFile(NamedTuple):
    """A kind of model file.

    Attributes:
        framework: The framework that writes it; empty if several do.
        read: Reads a file: its layers, and a description of its other content.
    """

    framework: str
    read: Callable[[Path], tuple[list[Any], str]]


MODEL_FILES: Mapping[str, ModelFile] = MappingProxyType(
    {
        ".pb": ModelFile("TensorFlow", read_frozen_graph),
        ".keras": ModelFile("Keras", read_keras),
        ".h5": ModelFile("Keras", read_h5),
        ".hdf5": ModelFile("Keras", read_h5),
        ".json": ModelFile("Keras", read_json),
        ".onnx": ModelFile("ONNX", read_onnx),
        **dict.fromkeys(TORCH_SUFFIXES, ModelFile("PyTorch", read_torch)),
        ".safetensors": ModelFile("", read_safetensors),
    }
)
"""The kinds of model files; a SavedModel is a folder."""

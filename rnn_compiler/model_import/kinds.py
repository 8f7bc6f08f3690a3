"""The kinds of model files, by their first bytes or their suffixes.

Files of Keras, PyTorch and TensorFlow Lite begin with what tells them apart, so they may have any
name, as ``.net`` or ``.th``. Other formats have no such bytes, and are known by their suffix alone.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rnn_compiler.base.files import open_regular
from rnn_compiler.model_import.keras_file import read_h5, read_json, read_keras
from rnn_compiler.model_import.onnx_file import read_onnx
from rnn_compiler.model_import.saved_model import read_frozen_graph
from rnn_compiler.model_import.tflite_file import read_tflite
from rnn_compiler.model_import.tflite_reader import is_tflite
from rnn_compiler.model_import.torch_layers import read_exported, read_safetensors, read_torch
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
        ".tflite": ModelFile("TensorFlow Lite", read_tflite),
        ".keras": ModelFile("Keras", read_keras),
        ".h5": ModelFile("Keras", read_h5),
        ".hdf5": ModelFile("Keras", read_h5),
        ".json": ModelFile("Keras", read_json),
        ".onnx": ModelFile("ONNX", read_onnx),
        **dict.fromkeys(TORCH_SUFFIXES, ModelFile("PyTorch", read_torch)),
        ".pt2": ModelFile("PyTorch", read_exported),
        ".safetensors": ModelFile("", read_safetensors),
    }
)
"""The kinds of model files; a SavedModel is a folder."""

_HDF5 = b"\x89HDF\r\n\x1a\n"
_ZIP = b"PK\3\4"
_OLD_TORCH = re.compile(rb"\x80.\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19", re.DOTALL)
"""A pickle of the number that torch.save wrote first before PyTorch 1.6."""

_ZIPPED = (".keras", ".pt2", *TORCH_SUFFIXES)


def kind_of(path: Path) -> ModelFile | None:
    """The kind of a file; None if neither its first bytes nor its suffix are known.

    Raises:
        OSError: It cannot be read, or is not a regular file.
    """
    suffix = path.suffix.lower()
    with open_regular(path) as stream:
        start = stream.read(16)
        if start.startswith(_HDF5):
            return MODEL_FILES[".h5"]
        if is_tflite(start):
            return MODEL_FILES[".tflite"]
        if _OLD_TORCH.match(start):
            return MODEL_FILES[".pt"]
        if start.startswith(_ZIP) and suffix not in _ZIPPED:
            try:
                with zipfile.ZipFile(stream) as file:
                    names = file.namelist()
            except Exception:  # zipfile's, which has many for damaged files
                names = []
            if "config.json" in names and "model.weights.h5" in names:
                return MODEL_FILES[".keras"]
            if any(name.endswith("/data.pkl") for name in names):
                return MODEL_FILES[".pt"]
            if any("/data/weights/" in name for name in names):
                return MODEL_FILES[".pt2"]
    return MODEL_FILES.get(suffix)

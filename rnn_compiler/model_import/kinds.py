"""The kinds of model files, by their first bytes or their suffixes.

Files of Keras, PyTorch, TensorFlow Lite and safetensors begin with what tells them apart, so they
may have any name, as ``.net`` or ``.th``. Other formats have no such bytes, and are known by their
suffix alone.
"""

from __future__ import annotations

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
from rnn_compiler.weights.files import kind_of_arrays, zip_names
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

_PACKED = (
    b"PK\3\4",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
)
"""What files of zip, gzip, bzip2, xz, 7z and zstd begin with."""

_TAR = b"ustar"
_PLACE_OF_TAR = 257


def kind_of(path: Path) -> ModelFile | None:
    """The kind of a file; None if neither its first bytes nor its suffix are known."""
    suffix = path.suffix.lower()
    with open_regular(path) as stream:
        start = stream.read(16)
        if start.startswith(_HDF5):
            return MODEL_FILES[".h5"]
        if is_tflite(start):
            return MODEL_FILES[".tflite"]
        names = zip_names(stream)
        if "config.json" in names and "model.weights.h5" in names:
            return MODEL_FILES[".keras"]
        if any("/data/weights/" in name for name in names):
            return MODEL_FILES[".pt2"]
        return MODEL_FILES.get(kind_of_arrays(stream) or suffix)


def remedy_for(path: Path) -> str:
    """What to do with a file of no kind that is read."""
    with open_regular(path) as stream:
        if kind_of_arrays(stream) == ".npz":
            return "rc.weights.from_cell makes a layer of arrays, by a cell's name"
        stream.seek(0)
        start = stream.read(_PLACE_OF_TAR + len(_TAR))
    if start.startswith(_PACKED) or start[_PLACE_OF_TAR:] == _TAR:
        return "this is an archive: unpack it, and pass the model that is in it"
    return ""

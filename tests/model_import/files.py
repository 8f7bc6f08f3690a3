"""The stored models, and their layers computed in float64 by the references of the tests."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import cudnn_reference
import numpy as np
import onnx_reference
import pytest
import reference

import rnn_compiler as rc
from rnn_compiler.model_import.hdf5 import read_hdf5

__all__ = [
    "FILES",
    "MODELS",
    "arrays_of",
    "compute",
    "cudnn",
    "cudnn_arguments",
    "layers_of",
    "onnx_results",
    "path_of",
    "read_hdf5_if_new",
]

pytest.importorskip("google.protobuf", reason="reads SavedModels and ONNX files")
pytest.importorskip("google_crc32c", reason="checks SavedModels")
pytest.importorskip("h5py", reason="reads Keras files")

FILES = Path(__file__).parents[1] / "model_files"


MODELS = sorted(
    path.name.removesuffix(".zip")
    for path in FILES.iterdir()
    if path.suffix in (".zip", ".pb", ".keras", ".h5", ".onnx", ".pt", ".pth", ".jit")
)
"""The stored models; those without a suffix are folders."""


@functools.cache
def unpacked() -> Path:
    """A folder for SavedModels, of this process."""
    folder = tempfile.mkdtemp(prefix="model-files-")
    atexit.register(shutil.rmtree, folder)
    return Path(folder)


def path_of(name: str) -> Path:
    """A stored model: a file, or a folder that is unpacked when it is first asked for."""
    if "." in name:
        return FILES / name
    folder = unpacked() / name
    if not folder.exists():
        with ZipFile(FILES / f"{name}.zip") as file:
            file.extractall(folder)
    return folder


def layers_of(name: str) -> dict[str, rc.Layer]:
    """The layers of a stored model by name."""
    return {layer.name: layer for layer in rc.import_model(path_of(name))}


def arrays_of(name: str) -> dict[str, Any]:
    """The framework's results."""
    with np.load(FILES / f"{name}.npz") as file:
        return dict(file)


_HDF5: dict[tuple[bytes, str | None], Any] = {}


def read_hdf5_if_new(path: Path, data: bytes | None = None) -> Any:
    """`read_hdf5`, which starts a process, only for content that has not been read yet."""
    key = path.read_bytes() if data is None else data, os.environ.get("PYTHONPATH")
    if key not in _HDF5:
        _HDF5[key] = read_hdf5(path, data)
    return _HDF5[key]


def compute(layer: rc.Layer, **arguments: Any) -> dict[str, Any]:
    """The results of a layer's formulas."""
    given = {**layer.attributes, **layer.weights, **arguments}
    for name in ("seed", "seed2"):
        given.pop(name, None)
    if layer.op.startswith("onnx."):
        return onnx_reference.forward(layer.op.removeprefix("onnx."), **given)
    if layer.op.startswith("CudnnRNN"):
        given["is_training"] = False
        return cudnn_reference.cudnn_rnn(version=3, **given)
    function = {
        "BlockLSTM": reference.block_lstm,
        "BlockLSTMV2": reference.block_lstm,
        "BlockLSTMGrad": reference.block_lstm_grad,
        "LSTMBlockCell": reference.lstm_block_cell,
        "GRUBlockCell": reference.gru_block_cell,
    }[layer.op]
    if layer.op.startswith("BlockLSTM"):
        given["gate_order"] = "IFCO" if layer.op.endswith("V2") else "ICFO"
    return function(**given)


def cudnn(layer: rc.Layer, x: Any, lengths: Any = None) -> dict[str, Any]:
    """A CudnnRNNV3 from states of zeros."""
    states = cudnn_arguments(layer, x, lengths)
    return compute(layer, **states)


def cudnn_arguments(layer: rc.Layer, x: Any, lengths: Any = None) -> dict[str, Any]:
    """The arguments of a CudnnRNNV3, but for params: states of zeros and full lengths."""
    time_major = layer.attributes["time_major"]
    T, B = x.shape[:2] if time_major else x.shape[1::-1]
    D = 2 if layer.attributes["direction"] == "bidirectional" else 1
    H = layer.dims["num_units"]
    assert H is not None
    state = np.zeros((D, B, H) if time_major else (B, D, H), x.dtype)
    lengths = np.full(B, T, np.int32) if lengths is None else np.asarray(lengths, np.int32)
    c = state if layer.attributes["rnn_mode"] == "lstm" else np.zeros((), x.dtype)
    return {"input": x, "input_h": state, "input_c": c, "sequence_lengths": lengths}


def onnx_results(layer: rc.Layer, given: dict[str, Any]) -> dict[str, Any]:
    """Y, Y_h, Y_c of the layer that a node of ONNX is, from the node's inputs."""
    if layer.op.startswith("onnx."):
        return compute(layer, **given)
    arguments = cudnn_arguments(layer, given["X"], given.get("sequence_lens"))
    states = {"input_h": "initial_h", "input_c": "initial_c"}
    arguments |= {name: given[text] for name, text in states.items() if text in given}
    out = compute(layer, **arguments)
    y = out["output"]
    D = 2 if layer.attributes["direction"] == "bidirectional" else 1
    y = y.reshape(*y.shape[:2], D, -1)
    y = y.transpose(0, 2, 1, 3) if layer.attributes["time_major"] else y
    return {"Y": y, "Y_h": out["output_h"], "Y_c": out["output_c"]}


def onnx_arrays(layer: rc.Layer) -> list[Any]:
    """W and R, and the sum of the two biases."""
    weights: Any = layer.weights
    if "params" in weights:
        sizes: Any = {name: layer.dims[name] for name in ("input_size", "num_units")}
        mode: Any = layer.attributes["rnn_mode"]
        both = layer.attributes["direction"] == "bidirectional"
        W, R, B = rc.weights.to_onnx(weights["params"], rnn_mode=mode, bidirectional=both, **sizes)
    else:
        W, R, B = (weights[name] for name in "WRB")
    return [W, R, np.sum(np.split(B, 2, 1), 0)]

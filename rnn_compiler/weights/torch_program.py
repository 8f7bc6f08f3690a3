"""PyTorch's exported programs, ``.pt2``: tensors by name, and what the program does with them.

torch.export.save writes a zip file. ``data/weights/`` has the elements of each tensor, and a list
of their names, types and sizes; ``models/`` has the graph, as JSON. Nothing in it is run. The names
are those of the module's state dict. The calls of torch's recurrent operators tell what it does
not: batch_first, and the function of an RNN.

Source: torch/export/pt2_archive, torch/_export/serde/schema.py.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from rnn_compiler.base.files import open_regular
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.weights.torch_file import (
    PickledGlobal,
    Read,
    TorchFile,
    TorchStorage,
    TorchTensor,
    bounded,
    damaged_file,
    read_member,
    view_of,
)

_CONFIG = "_weights_config.json"
_LARGEST = 1 << 28
_MOST_AXES = 32
_TYPES: Mapping[int, np.dtype[Any]] = {
    6: np.dtype(np.float16),
    7: np.dtype(np.float32),
    8: np.dtype(np.float64),
    13: DTYPES["bfloat16"].numpy,
}
"""Types of elements by their numbers in the file."""

_CALLS = {
    "torch.ops.aten.lstm.input": None,
    "torch.ops.aten.gru.input": None,
    "torch.ops.aten.rnn_tanh.input": "tanh",
    "torch.ops.aten.rnn_relu.input": "relu",
    "torch.ops.aten.rnn_tanh_cell.default": "tanh",
    "torch.ops.aten.rnn_relu_cell.default": "relu",
}
"""Recurrent operators, each with the function that its module does not tell by its weights."""

Members = Mapping[str, zipfile.ZipInfo]


def read_program(path: Path) -> TorchFile:
    """The tensors of a file from torch.export.save of a supported version."""
    with open_regular(path) as stream:
        try:
            with zipfile.ZipFile(stream) as file:
                members = {each.filename: each for each in file.infolist()}
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise damaged_file(path, f"no zip file ({str(error)[:80]})") from error
        if "serialized_exported_program.json" in members:
            raise UnsupportedError(
                f"import_model: {path}: an older version of PyTorch wrote it: load it with "
                "torch.export.load, and save program.state_dict with torch.save"
            )
        configs = [each for each in members if each.endswith(_CONFIG)]
        if len(configs) != 1:
            raise ArtifactError(
                f"{path}: not a file of one model from torch.export.save: it has {len(configs)} "
                f"members NAME/data/weights/MODEL{_CONFIG}"
            )
        folder, _, model = configs[0].removesuffix(_CONFIG).rpartition("/data/weights/")
        order = f"{folder}/byteorder"
        if order in members and read_member(stream, members, order, 16, path) != b"little":
            raise ArtifactError(f"{path}: its numbers are big-endian, which is not supported")
        listed = _json(stream, members, configs[0], path).get("config")
        graph = _json(stream, members, f"{folder}/models/{model}.json", path)

    def read(storage: TorchStorage) -> bytes:
        most = members[storage.key].file_size
        with open_regular(path) as again:
            return read_member(again, members, storage.key, most, path)[: storage.nbytes]

    tensors: dict[str, TorchTensor] = {}
    others: dict[str, PickledGlobal] = {}
    once = bounded(read, path)
    for name, entry in cast(dict[str, Any], listed).items() if isinstance(listed, dict) else ():
        try:
            tensor = _tensor(name, entry, f"{folder}/data/weights/", members, once, path)
        except (AttributeError, KeyError, TypeError) as error:
            raise damaged_file(path, f"the entry of {name[:80]} is incomplete") from error
        if tensor is None:
            others[name] = PickledGlobal("torch", "Tensor")
        else:
            tensors[name] = tensor
    return TorchFile(tensors, dict(_facts(graph)), others)


def _json(stream: BinaryIO, members: Members, name: str, path: Path) -> dict[str, Any]:
    """A member that is a JSON object."""
    try:
        data: Any = json.loads(read_member(stream, members, name, _LARGEST, path))
    except (ValueError, RecursionError) as error:
        raise damaged_file(path, f"{name[:80]} is not JSON ({str(error)[:80]})") from error
    if not isinstance(data, dict):
        raise damaged_file(path, f"{name[:80]} is not a JSON object")
    return cast(dict[str, Any], data)


def _tensor(
    name: str, entry: Any, folder: str, members: Members, read: Read, path: Path
) -> TorchTensor | None:
    """The tensor of an entry in the list; None if it is not one of floats."""
    meta = entry["tensor_meta"]
    dtype = _TYPES.get(meta["dtype"])
    if dtype is None or entry["use_pickle"]:
        return None
    shape, strides = (tuple(each["as_int"] for each in meta[key]) for key in ("sizes", "strides"))
    offset = meta["storage_offset"]["as_int"]
    sizes = (offset, *shape, *strides)
    known = all(type(each) is int and 0 <= each < 2**48 for each in sizes)
    if not known or len(shape) != len(strides) or len(shape) > _MOST_AXES:
        raise damaged_file(path, f"the tensor {name[:80]} has no sizes")
    member = f"{folder}{entry['path_name']}"
    size = members[member].file_size if member in members else 0
    storage = TorchStorage(member, dtype, size // dtype.itemsize)
    if math.prod(shape) > storage.count:
        raise damaged_file(path, f"the tensor {name[:80]} has more elements than its storage")
    return view_of(TorchTensor(storage, shape, strides, offset, read), name, path)


def _facts(program: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the calls of recurrent operators tell of their modules, by the modules' attributes."""
    try:
        module = program["graph_module"]
        names = {
            each["parameter"]["arg"]["name"]: each["parameter"]["parameter_name"]
            for each in module["signature"]["input_specs"]
            if "parameter" in each
        }
        for node in module["graph"]["nodes"]:
            if node["target"] not in _CALLS:
                continue
            given = {each["name"]: each["arg"] for each in node["inputs"]}
            layer = "params" in given
            first = given["params"]["as_tensors"][0] if layer else given["w_ih"]["as_tensor"]
            prefix, found, _ = names.get(first["name"], "").rpartition("weight_ih")
            if not found:
                continue
            if layer:
                yield f"{prefix}batch_first", given["batch_first"]["as_bool"]
            if function := _CALLS[node["target"]]:
                yield f"{prefix}nonlinearity", function
    except (AttributeError, IndexError, KeyError, TypeError):
        return  # a graph that is written in another way tells nothing

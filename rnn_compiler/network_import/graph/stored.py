"""Reads the elements of a model's tensors from wherever they are, and checks their numbers.

They become bytes in the model. Every tensor has as many as its shape says, which onnx' own
functions expect.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.messages import pairs
from rnn_compiler.model_import.onnx_file import OnnxFiles
from rnn_compiler.model_import.reading import damaged, shown

onnx: Any = importlib.import_module("onnx")

_BITS = {
    **dict.fromkeys(("UINT2", "INT2"), 2),
    **dict.fromkeys(("UINT4", "INT4", "FLOAT4E2M1"), 4),
    **dict.fromkeys(("FLOAT6E2M3", "FLOAT6E3M2"), 6),
}
"""The sizes of elements that share bytes."""

_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def read_tensors(tensors: Iterable[Any], path: Path, stored: int) -> None:
    """Makes the elements of tensors bytes in the model, and checks their numbers."""
    files = OnnxFiles(path, stored)
    for tensor in tensors:
        name = tensor.name or "a constant"
        if tensor.HasField("segment"):
            raise UnsupportedError(f"import_network: {path}: {name} is stored in segments")
        if min(tensor.dims, default=0) < 0:
            raise damaged(path, f"{name} has the shape {shown(tensor.dims)}")
        if tensor.data_type == onnx.TensorProto.STRING:
            if len(tensor.string_data) != math.prod(tensor.dims):
                count, shape = len(tensor.string_data), shown(tensor.dims)
                raise damaged(path, f"{name} has {count} strings, but the shape {shape}")
            continue
        try:
            kind = onnx.TensorProto.DataType.Name(tensor.data_type)
            bits = _BITS.get(kind) or 8 * _itemsize(tensor.data_type)
        except (KeyError, TypeError, ValueError):
            reason = f"{name} has elements of the unknown type {tensor.data_type}"
            raise damaged(path, reason) from None
        size = -(-math.prod(tensor.dims) * bits // 8)
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            tensor.raw_data = files.read(name, pairs(tensor.external_data), size)
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.external_data[:]
        elif tensor.HasField("raw_data"):
            if len(tensor.raw_data) != size:
                raise damaged(path, f"{name} has {len(tensor.raw_data)} bytes, but needs {size}")
        elif kind not in _BITS and not kind.startswith("COMPLEX"):
            found = sum(len(getattr(tensor, field)) for field in _FIELDS)
            if found != math.prod(tensor.dims):
                shape = shown(tensor.dims)
                raise damaged(path, f"{name} has {found} elements, but the shape {shape}")
            if found:  # IREE's importer takes only some types from such fields
                array = onnx.numpy_helper.to_array(tensor)
                tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))


def _itemsize(kind: int) -> int:
    """The size of an element in bytes."""
    return onnx.helper.tensor_dtype_to_np_dtype(kind).itemsize

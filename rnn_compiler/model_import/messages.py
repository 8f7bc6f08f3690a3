"""The protobuf messages of TensorFlow and ONNX files, with the few fields that are read here.

A table has one line for each message, ``Name: field number type``; a type ends in ``*`` if the
field is repeated, and fields in braces exclude each other. Fields that are not in the table are
skipped. Maps are repeated pairs of key and value, as in the file.

Only the package protobuf is needed, and only once a file is opened.

Sources: tensorflow/core/framework (graph, node_def, attr_value, tensor, tensor_shape, function,
op_def).proto, tensorflow/core/protobuf (saved_model, meta_graph, saved_object_graph,
trackable_object_graph, tensor_bundle).proto, keras/protobuf/saved_metadata.proto, onnx/onnx.proto.
"""

from __future__ import annotations

import functools
import importlib
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.base.installation import install_extra
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.model_import.reading import MOST_AXES, Budget, array_of, damaged, shown
from rnn_compiler.schema.dtypes import DTYPES

_TABLE = """
SavedModel: meta_graphs 2 MetaGraph*
MetaGraph: info 1 MetaInfo, graph 2 Graph, signatures 5 SignatureEntry*, objects 7 SavedObjects
MetaInfo: tags 4 string*
SignatureEntry: key 1 string, value 2 Signature
Signature: inputs 1 TensorInfoEntry*, outputs 2 TensorInfoEntry*
TensorInfoEntry: key 1 string, value 2 TensorInfo
TensorInfo: name 1 string, dtype 2 int32, shape 3 Shape
Graph: node 1 Node*, library 2 Library
Node: name 1 string, op 2 string, input 3 string*, attr 5 AttrEntry*
AttrEntry: key 1 string, value 2 Attr
Attr: {list 1 AttrList, s 2 bytes, i 3 int64, f 4 float, b 5 bool, type 6 int32, shape 7 Shape, \
tensor 8 Tensor, func 10 Func}
AttrList: i 3 int64*, shape 7 Shape*, func 9 Func*
Func: name 1 string
Shape: dim 2 Dim*, unknown_rank 3 bool
Dim: size 1 int64
Tensor: dtype 1 int32, shape 2 Shape, content 4 bytes, float_val 5 float*, double_val 6 double*, \
int_val 7 int32*, string_val 8 bytes*, int64_val 10 int64*, bool_val 11 bool*, half_val 13 int32*, \
uint32_val 16 uint32*, uint64_val 17 uint64*
Library: function 1 Function*
Function: signature 1 OpDef, attr 5 AttrEntry*, node 3 Node*, ret 4 NameEntry*
OpDef: name 1 string, input 2 ArgDef*, output 3 ArgDef*
ArgDef: name 1 string
NameEntry: key 1 string, value 2 string
SavedObjects: nodes 1 SavedObject*, functions 2 BoundEntry*
SavedObject: children 1 Reference*, user 4 UserObject
UserObject: identifier 1 string, metadata 3 string
KerasMetadata: nodes 1 KerasObject*
KerasObject: node 2 int32, identifier 4 string, metadata 5 string
Reference: node 1 int32, name 2 string
BoundEntry: key 1 string, value 2 Bound
Bound: inputs 2 int32*
Trackables: nodes 1 Trackable*
Trackable: children 1 Reference*, attributes 2 Attribute*
Attribute: name 1 string, full_name 2 string, checkpoint_key 3 string
BundleHeader: num_shards 1 int32, endianness 2 int32
BundleEntry: dtype 1 int32, shape 2 Shape, shard 3 int32, offset 4 int64, size 5 int64, \
crc32c 6 fixed32, slices 7 Slice*
Slice: extent 1 Dim*
OnnxModel: ir_version 1 int64, producer 2 string, graph 7 OnnxGraph, opset 8 OnnxOpset*, \
function 25 OnnxFunction*
OnnxFunction: name 1 string, node 7 OnnxNode*, domain 10 string
OnnxOpset: domain 1 string, version 2 int64
OnnxGraph: node 1 OnnxNode*, name 2 string, initializer 5 OnnxTensor*, input 11 OnnxValue*, \
output 12 OnnxValue*, value 13 OnnxValue*
OnnxNode: input 1 string*, output 2 string*, name 3 string, op 4 string, attr 5 OnnxAttr*, \
domain 7 string
OnnxAttr: name 1 string, f 2 float, i 3 int64, s 4 bytes, tensor 5 OnnxTensor, graph 6 OnnxGraph, \
floats 7 float*, ints 8 int64*, strings 9 bytes*, type 20 int32
OnnxTensor: dims 1 int64*, dtype 2 int32, float_data 4 float*, int32_data 5 int32*, \
int64_data 7 int64*, name 8 string, raw 9 bytes, double_data 10 double*, external 13 NameEntry*, \
location 14 int32
OnnxValue: name 1 string, type 2 OnnxType
OnnxType: tensor 1 OnnxTensorType
OnnxTensorType: dtype 1 int32, shape 2 OnnxShape
OnnxShape: dim 1 OnnxDim*
OnnxDim: {value 1 int64, parameter 2 string}
"""

_FIELD = re.compile(r"(\{?)(\w+) (\d+) (\w+)(\*?)(\}?)")
_PACKAGE = "rnn_compiler.model_import"


def parse(message: str, data: bytes, path: Path) -> Any:
    """Parses a message."""
    classes, error = message_classes()
    made = classes[message]()
    try:
        made.ParseFromString(data)
    except (error, UnicodeDecodeError, RecursionError) as reason:
        raise ArtifactError(
            f"{path}: damaged, or another kind of file: no {message} message ({reason})"
        ) from reason
    return made


def pairs(entries: Any) -> dict[str, Any]:
    """A map: its keys and values."""
    return {entry.key: entry.value for entry in entries}


@functools.cache
def message_classes() -> tuple[dict[str, Any], type[Exception]]:
    """The class of each message, and the exception for bytes that cannot be parsed."""
    try:
        descriptors: Any = importlib.import_module("google.protobuf.descriptor_pb2")
        pool: Any = importlib.import_module("google.protobuf.descriptor_pool").DescriptorPool()
        factory: Any = importlib.import_module("google.protobuf.message_factory")
        error: type[Exception] = importlib.import_module("google.protobuf.message").DecodeError
    except ImportError:
        raise UnsupportedError(
            "SavedModels, frozen graphs and ONNX files need the package protobuf, which is not "
            f"installed; {install_extra('import')}"
        ) from None
    file = descriptors.FileDescriptorProto(
        name="model_import.proto", package=_PACKAGE, syntax="proto3"
    )
    lines = [line.split(": ", 1) for line in _TABLE.strip().splitlines()]
    for name, fields in lines:
        message = file.message_type.add(name=name)
        exclusive = False
        for opened, field, number, kind, star, closed in _FIELD.findall(fields):
            if opened:
                message.oneof_decl.add(name="kind")
                exclusive = True
            made = message.field.add(
                name=field,
                number=int(number),
                label=3 if star else 1,  # repeated, optional
                type=_SCALARS.get(kind, 11),
                type_name=None if kind in _SCALARS else f".{_PACKAGE}.{kind}",
            )
            if exclusive:
                made.oneof_index = 0
            exclusive = exclusive and not closed
    pool.Add(file)
    classes = {
        name: factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name, _ in lines
    }
    return classes, error


_SCALARS = {
    **{"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed32": 7},
    **{"bool": 8, "string": 9, "bytes": 12, "uint32": 13},
}
"""The numbers of the scalar types in descriptor.proto."""


# TensorFlow's element types, shapes and tensors in protobuf messages.
#
# Sources: tensorflow/core/framework/types.proto, tensor.proto, tensor_shape.proto.

Shape = tuple[int | None, ...]
"""A shape, with None for each size that is open."""

STRING = 7
"""The number of the type of strings."""

_REFERENCE = 100
"""The difference between the numbers of a reference type and of its element type."""

_BFLOAT16 = DTYPES["bfloat16"].numpy
_TYPES: dict[int, tuple[np.dtype[Any], str]] = {
    1: (np.dtype(np.float32), "float_val"),
    2: (np.dtype(np.float64), "double_val"),
    3: (np.dtype(np.int32), "int_val"),
    4: (np.dtype(np.uint8), "int_val"),
    5: (np.dtype(np.int16), "int_val"),
    6: (np.dtype(np.int8), "int_val"),
    9: (np.dtype(np.int64), "int64_val"),
    10: (np.dtype(np.bool_), "bool_val"),
    14: (_BFLOAT16, "half_val"),
    17: (np.dtype(np.uint16), "int_val"),
    19: (np.dtype(np.float16), "half_val"),
    22: (np.dtype(np.uint32), "uint32_val"),
    23: (np.dtype(np.uint64), "uint64_val"),
}
"""The numeric types, each with the field of a tensor that holds the elements one by one."""


def dtype_of(number: int) -> np.dtype[Any] | None:
    """The element type of a number; None if it is not a numeric type."""
    found = _TYPES.get(number - _REFERENCE if number > _REFERENCE else number)
    return found and found[0]


def shape_of(shape: Any) -> Shape | None:
    """A shape; None if its rank is open."""
    if shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in shape.dim)


def tensor_of(tensor: Any, path: Path, name: str, budget: Budget) -> Any:
    """The array of a tensor; None if it is not numeric.

    If a message has fewer elements than the shape, the last one is repeated. The result is then a
    view, so that a few bytes never become many.
    """
    if tensor.dtype not in _TYPES:
        return None
    dtype, field = _TYPES[tensor.dtype]
    shape = [dim.size for dim in tensor.shape.dim]
    count = math.prod(shape)
    if min(shape, default=0) < 0 or len(shape) > MOST_AXES or count >= 2**48:
        raise damaged(path, f"{name} has the shape {shown(shape)}")
    if tensor.content:
        return array_of(tensor.content, dtype, shape, path, name)
    try:
        values: Any = _values(list(getattr(tensor, field)), dtype, field)
    except (OverflowError, ValueError):
        raise damaged(path, f"{name} has numbers that {dtype} cannot represent") from None
    if len(values) > count:
        reason = f"{name} has {len(values)} elements, but the shape {shown(shape)}"
        raise damaged(path, reason)
    if len(values) == count:
        return values.reshape(shape)
    if len(values) > 1:
        budget.take(count * dtype.itemsize)
        values = np.concatenate([values, np.repeat(values[-1:], count - len(values))])
        return values.reshape(shape)
    return np.broadcast_to(values[0] if len(values) else np.zeros((), dtype), shape)


def _values(numbers: list[Any], dtype: np.dtype[Any], field: str) -> Any:
    """Numbers as an array; 16-bit floats are stored as their bits."""
    if field == "half_val":
        bits: Any = np.array(numbers, np.uint16)
        return bits.view(dtype)
    return np.array(numbers, dtype)

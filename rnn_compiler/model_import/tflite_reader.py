"""Reads the FlatBuffer of a TensorFlow Lite file, with the few fields that are used here.

A FlatBuffer consists of tables that refer to each other by offsets. Each offset is checked before
it is followed. Offsets may make tables contain each other, or one table be part of many: the
number of tables and of elements that are read is limited by the size of the file.

`_TABLES` has one line for each table, ``Name: field number type``. A type is one of `struct`'s, a
text, or another table; it ends in ``*`` if the field is a vector. Fields that a file lacks are 0,
and those that are not in the table are skipped.

Source: tensorflow/compiler/mlir/lite/schema/schema.fbs.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.reading import (
    MOST_AXES,
    Budget,
    array_of,
    damaged,
    exceeded,
    read_bytes,
)

_TABLES = """
Model: codes 1 Code*, graphs 2 Graph*, buffers 4 Buffer*, signatures 7 Signature*
Signature: inputs 0 Named*, outputs 1 Named*, graph 4 I
Named: name 0 text, number 1 I
Code: old 0 b, custom 1 text, builtin 3 i
Graph: tensors 0 Tensor*, inputs 1 i*, outputs 2 i*, ops 3 Op*
Tensor: shape 0 i*, type 1 b, buffer 2 I, name 3 text, quantization 4 Quantization, variable 5 ?, \
sparsity 6 Sparsity, signature 7 i*
Sparsity: order 0 i*
Quantization: scale 2 f*, zero 3 q*
Buffer: data 0 B*, offset 1 Q, size 2 Q
Op: code 0 I, inputs 1 i*, outputs 2 i*, options 4 Options, intermediates 8 i*
UnidirectionalSequenceLSTM: activation 0 b, cell_clip 1 f, projection_clip 2 f, time_major 3 ?, \
diagonal 5 ?
BidirectionalSequenceLSTM: activation 0 b, cell_clip 1 f, projection_clip 2 f, merged 3 ?, \
time_major 4 ?
Lstm: activation 0 b, cell_clip 1 f, projection_clip 2 f, kernel 3 b
While: cond 0 i, body 1 i
Activated: activation 0 b
FullyConnected: activation 0 b, format 1 b
Gather: axis 0 i, batch_axes 1 i
Concatenation: axis 0 i, activation 1 b
Conv2D: padding 0 b, stride_w 1 i, stride_h 2 i, activation 3 b, dilation_w 4 i, dilation_h 5 i
DepthwiseConv2D: padding 0 b, stride_w 1 i, stride_h 2 i, activation 4 b, dilation_w 5 i, \
dilation_h 6 i
Pool2D: padding 0 b, stride_w 1 i, stride_h 2 i, width 3 i, height 4 i, activation 5 b
Softmax: beta 0 f
Squeeze: axes 0 i*
Split: count 0 i
Axis: count 0 i, axis 1 i
Reducer: keep 0 ?
LeakyRelu: alpha 0 f
BatchMatMul: left 0 ?, right 1 ?
Gelu: approximate 0 ?
VarHandle: name 1 text
StridedSlice: begin_mask 0 i, end_mask 1 i, ellipsis_mask 2 i, new_mask 3 i, shrink_mask 4 i
"""

_FIELDS: dict[str, list[tuple[str, int, str]]] = {
    name: [(key, int(k), kind) for key, k, kind in map(str.split, fields.split(", "))]
    for name, _, fields in (line.partition(": ") for line in _TABLES.strip().splitlines())
}
_TYPES = {
    **{0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64"},
    **{6: "bool", 7: "int16", 9: "int8", 10: "float64"},
}
"""The names of the element types by their numbers."""

VARIANT = "type 14"
"""The type of TensorFlow's lists."""

RESERVE, SET_ITEM, STACK = 1000, 1001, 1002
"""Numbers for operators of TensorFlow's lists, which have none of their own.

The converter leaves lists to TensorFlow's operators (SELECT_TF_OPS) if the batch is open.
"""

_CUSTOM = 32
_LISTS = {
    **{"FlexTensorListReserve": RESERVE, "FlexTensorListSetItem": SET_ITEM},
    "FlexTensorListStack": STACK,
}

_IDENTIFIER = b"TFL3"
_MOST_TABLES = 200_000
_LONGEST = 200
"""The most bytes of a text that are read."""


def is_tflite(start: bytes) -> bool:
    """Whether a file that starts with some bytes is one of TensorFlow Lite.

    Example:
        >>> is_tflite(bytes.fromhex("1c00000054464c33"))
        True
    """
    return start[4:8] == _IDENTIFIER


@dataclass(frozen=True)
class Tensor:
    """A tensor of a graph.

    Attributes:
        shape: Its sizes, None for those that are open.
        dtype: ``"float32"``, ...; ``"type 5"`` for types that are not read.
        buffer: The number of the buffer with its elements.
        name: Its name, for messages.
        size: How many bytes the buffer has; 0 if the elements are not in the file.
        scale: The scales of integers that stand for real numbers.
        zero: Their zero points.
        is_variable: Whether the op that takes it keeps it from call to call.
        is_sparse: Whether zeros are not stored.
    """

    shape: tuple[int | None, ...]
    dtype: str
    buffer: int
    size: int
    scale: tuple[float, ...]
    zero: tuple[int, ...]
    is_variable: bool
    is_sparse: bool
    name: str = ""


@dataclass(frozen=True)
class Operator:
    """A node of a graph: its operator's number, inputs (-1: absent), outputs, and options.

    The intermediates are tensors that only have scales.
    """

    code: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: int
    intermediates: tuple[int, ...] = ()


@dataclass(frozen=True)
class Subgraph:
    """A graph: its tensors, and the ops in the order in which they run."""

    tensors: Sequence[Tensor]
    inputs: Sequence[int]
    outputs: Sequence[int]
    ops: Sequence[Operator]

    @functools.cached_property
    def producers(self) -> Mapping[int, Operator]:
        """The op that computes each tensor."""
        return {number: op for op in self.ops for number in op.outputs}


def _code(fields: Mapping[str, Any]) -> int:
    """The number of an operator."""
    code = max(fields["old"], fields["builtin"])
    return _LISTS.get(fields["custom"], code) if code == _CUSTOM else code


class TfliteFile:
    """The graphs of a file, the arrays of their tensors and the options of their ops."""

    def __init__(self, path: Path) -> None:
        """Reads the graphs; ArtifactError if they are damaged."""
        self.path = path
        self._data = read_bytes(path)
        if not is_tflite(self._data[:8]):
            raise damaged(path, "it does not begin as a file of TensorFlow Lite does")
        self._tables = min(len(self._data) // 4, _MOST_TABLES)
        self._elements = 1000 + len(self._data)
        model = self._table(self._number(0, "I"), "Model")
        codes = [_code(each) for each in model["codes"]]
        self._buffers = [self._span(each) for each in model["buffers"]]
        self.graphs = [self._graph(each, codes) for each in model["graphs"]]
        self.signatures = {each["graph"]: each for each in model["signatures"]}
        self.codes = frozenset(op.code for graph in self.graphs for op in graph.ops)

    def array(self, tensor: Tensor) -> Any:
        """The elements of a tensor that are in the file."""
        start, size = self._buffers[tensor.buffer]
        sizes = [-1 if size is None else size for size in tensor.shape]
        data = self._data[start : start + size]
        return array_of(data, np.dtype(tensor.dtype), sizes, self.path, "a tensor")

    def real(self, tensor: Tensor, budget: Budget) -> Any:
        """The elements of a tensor in the file as float32; None if they are not real numbers.

        Integers have one scale, or one for each index of the first axis.
        """
        if (
            not tensor.size
            or tensor.is_sparse
            or tensor.dtype not in ("float32", "float16", "int8")
        ):
            return None
        array = self.array(tensor)
        if tensor.dtype == "float32":
            return array
        budget.take(4 * array.size)
        if tensor.dtype == "float16":
            return array.astype(np.float32)
        count = len(tensor.scale)
        if any(tensor.zero) or array.ndim == 0 or count not in (1, len(array)):
            return None
        scale: Any = np.array(tensor.scale, np.float32)
        return array.astype(np.float32) * scale.reshape(-1, *[1] * (array.ndim - 1))

    def options(self, op: Operator, kind: str) -> Mapping[str, Any]:
        """The options of an op, by the name of their table."""
        if not op.options:
            return {key: 0 for key, _, _ in _FIELDS[kind]}
        return self._table(op.options, kind)

    def tensor(self, graph: Subgraph, number: int) -> Tensor:
        """A tensor by its number."""
        return self._at(graph.tensors, number, "tensor")

    def graph(self, number: int) -> Subgraph:
        """A graph by its number."""
        return self._at(self.graphs, number, "graph")

    def _at(self, held: Sequence[Any], number: int, what: str) -> Any:
        """An element of a list."""
        if not 0 <= number < len(held):
            raise damaged(self.path, f"it has no {what} {number}, but {len(held)} of them")
        return held[number]

    def _graph(self, fields: Mapping[str, Any], codes: Sequence[int]) -> Subgraph:
        """A graph of its fields."""
        return Subgraph(
            [self._tensor(each) for each in fields["tensors"]],
            self._integers(fields["inputs"]),
            self._integers(fields["outputs"]),
            [
                Operator(
                    self._at(codes, each["code"], "operator"),
                    self._integers(each["inputs"]),
                    self._integers(each["outputs"]),
                    each["options"],
                    self._integers(each["intermediates"]),
                )
                for each in fields["ops"]
            ],
        )

    def _tensor(self, fields: Mapping[str, Any]) -> Tensor:
        """A tensor of its fields."""
        shape, signature = (self._integers(fields[key]) for key in ("shape", "signature"))
        if len(shape) > MOST_AXES:
            raise damaged(self.path, f"a tensor has {len(shape)} axes")
        sizes = signature if len(signature) == len(shape) else shape
        quantization = fields["quantization"] or {"scale": (), "zero": ()}
        kind = fields["type"]
        _, stored = self._at(self._buffers, fields["buffer"], "buffer")
        return Tensor(
            tuple(size if size >= 0 else None for size in sizes),
            _TYPES.get(kind, f"type {kind}"),
            fields["buffer"],
            stored if kind in _TYPES else 0,
            tuple(self._listed(quantization["scale"])),
            self._integers(quantization["zero"]),
            fields["variable"],
            fields["sparsity"] != 0,
            fields["name"] or "",
        )

    def _span(self, fields: Mapping[str, Any]) -> tuple[int, int]:
        """The offset and the size of a buffer; in large files, they are behind the tables."""
        if fields["offset"] <= 1:
            return fields["data"]
        start, size = fields["offset"], fields["size"]
        if start + size > len(self._data):
            raise damaged(self.path, f"a buffer of {size} bytes at {start} is not in the file")
        return start, size

    def _integers(self, array: Any) -> tuple[int, ...]:
        return tuple(map(int, self._listed(array)))

    def _listed(self, array: Any) -> list[Any]:
        """The elements of an array, which are counted."""
        self._elements -= len(array)
        if self._elements < 0:
            raise exceeded(self.path, "its lists share elements")
        return list(array)

    # The FlatBuffer itself.

    def _number(self, at: int, kind: str) -> Any:
        """The number at an offset."""
        if not 0 <= at <= len(self._data) - struct.calcsize("<" + kind):
            raise damaged(self.path, f"the offset {at} is outside of the file")
        return struct.unpack_from("<" + kind, self._data, at)[0]

    def _table(self, at: int, name: str) -> dict[str, Any]:
        """The fields of a table at an offset."""
        self._tables -= 1
        if self._tables < 0:
            raise exceeded(self.path, "it has more tables than its size justifies")
        places = at - self._number(at, "i")
        count = (self._number(places, "H") - 4) // 2
        found: dict[str, Any] = {}
        for key, index, kind in _FIELDS[name]:
            place = self._number(places + 4 + 2 * index, "H") if index < count else 0
            if place:
                found[key] = self._field(at + place, kind)
            elif kind.endswith("*"):
                found[key] = (0, 0) if kind == "B*" else ()
            else:
                found[key] = 0
        return found

    def _field(self, at: int, kind: str) -> Any:
        """The value of a field at an offset."""
        if len(kind) == 1:
            return self._number(at, kind)
        target = at + self._number(at, "I")
        if kind == "Options":
            return target
        if kind == "text":
            start, count = self._field(at, "B*")
            return self._data[start : start + min(count, _LONGEST)].decode(errors="replace")
        if not kind.endswith("*"):
            return self._table(target, kind)
        element, count, start = kind[:-1], self._number(target, "I"), target + 4
        width = struct.calcsize("<" + element) if len(element) == 1 else 4
        if start + count * width > len(self._data):
            raise damaged(self.path, f"a vector of {count} elements is longer than the file")
        if element == "B":
            return start, count
        if len(element) == 1:
            return np.frombuffer(self._data, "<" + element, count, start)
        places = range(start, start + count * width, width)
        return [self._table(place + self._number(place, "I"), element) for place in places]

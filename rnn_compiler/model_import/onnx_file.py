"""Reads ONNX files: the nodes LSTM, GRU and RNN of a graph and its subgraphs.

Weights are initializers or constants, possibly split, concatenated or transposed by nodes, as
exporters write them. Their elements are in the file or in a separate file.

Source: onnx/onnx.proto, https://onnx.ai/onnx/operators (LSTM, GRU, RNN).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from rnn_compiler.errors import ArtifactError
from rnn_compiler.model_import.layer import Layer, RefusedLayer, named_apart
from rnn_compiler.model_import.messages import pairs, parse
from rnn_compiler.model_import.onnx_layers import (
    LINEAR,
    OPERATORS,
    STATE_POSITIONS,
    Node,
    layer_of,
    linear,
)
from rnn_compiler.model_import.reading import (
    MOST_AXES,
    Budget,
    Once,
    array_of,
    clipped,
    damaged,
    exceeded,
    read_bytes,
    shown,
    stored_bytes,
    within,
)
from rnn_compiler.model_import.tensorflow_graph import integers_in, part_of
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES

# What an ONNX model has besides recurrent nodes that may be recurrent layers: functions and
# loops.
#
# A function's weights may be its arguments, so each call of it would be a layer of its own. Both
# are named, not imported.

LOOPS = ("Loop", "Scan")
"""The operators that run a graph once for each step."""

_DEEPEST = 50
_INLINE = "which is not read: inline it with onnx.inliner.inline_local_functions"


def in_functions(model: Any) -> Iterator[RefusedLayer]:
    """The recurrent nodes in functions that the model calls, whose weights are not traced."""
    bodies = [model.graph.node, *(function.node for function in model.function)]
    called = {(node.domain, node.op) for body in bodies for node in nodes_within(body)}
    for function in model.function:
        if (function.domain, function.name) not in called:
            continue
        for node in nodes_within(function.node):
            if node.op in OPERATORS:
                name = clipped(f"{function.name}/{node.name or node.op}")
                yield RefusedLayer(name, f"{node.op} in a function", _INLINE)


def loops_beside(model: Any) -> str:
    """The operators of a model's loops without a recurrent node in them; usually empty."""
    found: set[str] = set()
    for node in nodes_within(model.graph.node):
        if node.op in LOOPS and not any(each.op in OPERATORS for each in nodes_within([node])):
            found.add(node.op)
    return " and ".join(f"a {op}" for op in sorted(found))


def nodes_within(nodes: Any, depth: int = 0) -> Iterator[Any]:
    """Some nodes, and those in the graphs inside them."""
    for node in nodes:
        yield node
        for attribute in node.attr:
            if attribute.HasField("graph") and depth < _DEEPEST:
                yield from nodes_within(attribute.graph.node, depth + 1)


_TYPES: dict[int, tuple[np.dtype[Any], str]] = {
    1: (np.dtype(np.float32), "float_data"),
    2: (np.dtype(np.uint8), "int32_data"),
    3: (np.dtype(np.int8), "int32_data"),
    6: (np.dtype(np.int32), "int32_data"),
    7: (np.dtype(np.int64), "int64_data"),
    10: (np.dtype(np.float16), "int32_data"),
    11: (np.dtype(np.float64), "double_data"),
    16: (DTYPES["bfloat16"].numpy, "int32_data"),
}
"""Element types by their number, each with the field that holds elements one by one."""

_DOMAINS = ("", "ai.onnx", "com.microsoft")
"""The domains whose operators are known: ONNX's and ONNX Runtime's."""

_EXPORTERS = {"pytorch": "PyTorch's exporter", "tf2onnx": "tf2onnx"}

_EXTERNAL = 1
_MOST_NODES = 1_000


def read_onnx(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of an ONNX file, and a description of its other content."""
    data = read_bytes(path)
    model = parse("OnnxModel", data, path)
    if not model.graph.node or not model.ir_version:
        raise damaged(path, "it is not an ONNX model: it has no nodes")
    found: list[Layer | RefusedLayer] = []
    number = 0
    files = OnnxFiles(path, len(data))
    once = Once(files.budget)
    for scope, node in _nodes(OnnxGraph(model.graph, files, None)):
        if node.op not in OPERATORS:
            continue
        number += 1
        if number > _MOST_NODES:
            raise exceeded(path, f"it has more than {_MOST_NODES} recurrent layers")
        if node.domain not in _DOMAINS:
            reason = clipped(f"the operator {node.op} of the domain {node.domain}")
            found.append(RefusedLayer(node.name or f"{node.op}_{number}", reason))
            continue
        names = list(node.input)
        arrays = [scope.array(name) if name else None for name in names]
        shapes = [scope.shape(name) if name else None for name in names]
        for k in STATE_POSITIONS:
            if names[k:] and names[k] and arrays[k] is None and scope.is_zeros(names[k]):
                arrays[k] = np.zeros(())
        name = node.name or f"{node.op}_{number}"
        dtypes = [scope.dtype(name) for name in names[1:3] + names[:1]]
        dtype = next((each for each in dtypes if each in FLOAT_DTYPES), None)
        described = Node(name, node.op, pairs_of(node), names, arrays, shapes, dtype)
        found.append(layer_of(described, path, once))
    found += in_functions(model)
    if loops := loops_beside(model):
        _note(found, loops)
    kinds = {node.op for node in nodes_within(model.graph.node)}
    told = sorted(kinds & {*LOOPS}) + sorted(kinds - {*LOOPS})
    by = f" of {_EXPORTERS[model.producer]}" if model.producer in _EXPORTERS else ""
    return named_apart(found), f"the operators {', '.join(told[:20])}{by}"


def _note(found: list[Layer | RefusedLayer], loops: str) -> None:
    """Notes on the first layer that the model has loops, which may be other layers."""
    first = next((k for k, layer in enumerate(found) if isinstance(layer, Layer)), None)
    if first is not None:
        layer = cast(Layer, found[first])
        note = (
            f"the model also has {loops}, perhaps of other recurrent layers, which is not imported"
        )
        found[first] = replace(layer, notes=(*layer.notes, f"{note} (import --whole imports all)"))


def check_names(names: Iterable[str], path: Path) -> None:
    """Checks that no two constants of a graph have the same name."""
    name, count = max(Counter(names).items(), key=lambda each: each[1], default=("", 0))
    if count > 1:
        raise damaged(path, f"it has {count} constants of the name {name!r}")


class OnnxFiles:
    """The files of a model: the one with the graph, and those with weights next to it.

    Attributes:
        path: The file with the graph.
        budget: The limit for the size of their arrays.
    """

    def __init__(self, path: Path, stored: int) -> None:
        self.path = path
        self.budget = Budget(path, stored)
        self._beside: set[Path] = set()

    def read(self, name: str, entries: Mapping[str, str], size: int) -> bytes:
        """The elements of a tensor that are in another file."""
        file = within(self.path.parent, entries.get("location", ""), self.path)
        try:
            offset = int(entries.get("offset", "0")[:20] or 0)
            length = int(entries["length"][:20]) if "length" in entries else size
        except ValueError:
            raise damaged(self.path, f"{name} lies outside {file.name}") from None
        if length != size:
            raise damaged(self.path, f"{name} has {length} bytes, but needs {size}")
        if file not in self._beside:
            self._beside.add(file)
            self.budget.add(stored_bytes(file))
        self.budget.take(size)
        try:
            return read_bytes(file, offset, size)
        except OSError as error:
            raise ArtifactError(
                f"{self.path}: {name} is in the file {entries['location']!r} of the same folder, "
                f"which cannot be read ({error.strerror or error})"
            ) from error


class OnnxGraph:
    """A graph, and the arrays and shapes of its values.

    Attributes:
        graph: The graph.
        files: The model's files.
        outer: The graph around it, whose values it can use.
    """

    def __init__(self, graph: Any, files: OnnxFiles, outer: OnnxGraph | None) -> None:
        self.graph = graph
        self.files = files
        self.path = files.path
        self.outer = outer
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        check_names((each.name for each in graph.initializer), files.path)
        self._makers = {
            name: (node, k)
            for node in graph.node
            if node.domain in _DOMAINS
            for k, name in enumerate(node.output)
            if name
        }
        self._shapes = {each.name: each for each in (*graph.input, *graph.output, *graph.value)}
        self._known: dict[str, Any] = {}
        self._zeros: dict[str, bool] = {}

    def array(self, name: str, depth: int = 0) -> Any:
        """The array of a value; None if it is not constant."""
        name = self._handed_on(name)
        if name not in self._known:
            self._known[name] = None  # in case it depends on itself
            self._known[name] = self._array(name, depth)
        return self._known[name]

    def _handed_on(self, name: str) -> str:
        """The value that reaches this one unchanged through nodes."""
        passed: set[str] = set()
        while name in self._makers and name not in passed:
            passed.add(name)
            node, _ = self._makers[name]
            if node.op != "Identity" or len(node.input) != 1:
                break
            name = node.input[0]
        return name

    def shape(self, name: str) -> list[int | None] | None:
        """The shape of a value, None for each size that is open; None if it is not known."""
        if name in self._tensors:
            return list(self._tensors[name].dims)
        if name not in self._shapes:
            return self.outer.shape(name) if self.outer is not None else None
        dims = self._shapes[name].type.tensor.shape.dim
        known = [dim.value if dim.WhichOneof("kind") == "value" else None for dim in dims]
        return [size if size is not None and 0 < size < 2**31 else None for size in known]

    def dtype(self, name: str) -> str | None:
        """The element type of a value; None if it is unknown or not numeric."""
        if name in self._tensors:
            number = self._tensors[name].dtype
        elif name in self._shapes:
            number = self._shapes[name].type.tensor.dtype
        else:
            return self.outer.dtype(name) if self.outer is not None else None
        found: Any = _TYPES[number][0] if number in _TYPES else None
        return found and found.name

    def is_zeros(self, name: str, depth: int = 0) -> bool:
        """Whether all elements of a value are 0, even if their number is open."""
        if name not in self._zeros:
            self._zeros[name] = False  # in case it depends on itself
            self._zeros[name] = self._is_zeros(name, depth)
        return self._zeros[name]

    def _is_zeros(self, name: str, depth: int) -> bool:
        array = self.array(name)
        if array is not None:
            return not np.any(array)
        if name not in self._makers or depth > _DEEPEST:
            return self.outer is not None and self.outer.is_zeros(name, depth + 1)
        node, _ = self._makers[name]
        if node.op == "ConstantOfShape":
            value = pairs_of(node).get("value")
            return value is None or not np.any(_tensor(value.tensor, self.files))
        if node.op == "Concat":
            return all(self.is_zeros(each, depth + 1) for each in node.input)
        moves = (*_DATA_MOVEMENT, "Expand", "Tile")
        return node.op in moves and bool(node.input) and self.is_zeros(node.input[0], depth + 1)

    def _array(self, name: str, depth: int) -> Any:
        if name in self._tensors:
            return _tensor(self._tensors[name], self.files)
        if name not in self._makers:
            return self.outer.array(name, depth) if self.outer is not None else None
        node, index = self._makers[name]
        attributes = pairs_of(node)
        if node.op == "Constant":
            value = attributes.get("value")
            return _tensor(value.tensor, self.files) if value is not None else None
        if node.op not in (*_DATA_MOVEMENT, *LINEAR) or depth > _DEEPEST:
            return None
        inputs = [self.array(each, depth + 1) if each else None for each in node.input]
        given: list[Any] = [each for each, text in zip(inputs, node.input, strict=True) if text]
        if not given or any(each is None for each in given):
            return None
        self.files.budget.take(sum(each.nbytes for each in given))
        try:
            if node.op in LINEAR:
                return linear(node.op, inputs, attributes)
            return _DATA_MOVEMENT[node.op](inputs, attributes, index, len(node.output))
        except NotImplementedError:
            return None
        except Exception as error:  # numpy rejects axes, shapes or sizes
            reason = f"{node.op} {node.name!r} cannot be: {error or type(error).__name__}"
            raise damaged(self.path, reason) from error


def pairs_of(node: Any) -> dict[str, Any]:
    """The attributes of a node by name."""
    return {each.name: each for each in node.attr}


def _nodes(scope: OnnxGraph, depth: int = 0) -> Iterator[tuple[OnnxGraph, Any]]:
    """The nodes of a graph, and of the graphs inside them."""
    for node in scope.graph.node:
        yield scope, node
        for attribute in node.attr:
            if attribute.HasField("graph") and depth < _DEEPEST:
                yield from _nodes(OnnxGraph(attribute.graph, scope.files, scope), depth + 1)


def _tensor(tensor: Any, files: OnnxFiles) -> Any:
    """The array of a tensor; None if its element type is not supported."""
    if tensor.dtype not in _TYPES:
        return None
    dtype, field = _TYPES[tensor.dtype]
    shape, name, path = list(tensor.dims), tensor.name or "a constant", files.path
    if min(shape, default=0) < 0 or len(shape) > MOST_AXES:
        raise damaged(path, f"{name} has the shape {shown(shape)}")
    count = math.prod(shape)
    if tensor.location == _EXTERNAL:
        data = files.read(name, pairs(tensor.external), count * dtype.itemsize)
        return array_of(data, dtype, shape, path, name)
    if tensor.raw:
        return array_of(tensor.raw, dtype, shape, path, name)
    values: Any = list(getattr(tensor, field))
    try:
        if dtype.itemsize == 2:  # the bits of 16-bit floats
            bits: Any = np.array(values, np.uint16)
            values = bits.view(dtype)
        values = np.array(values, dtype)
    except (OverflowError, ValueError):
        raise damaged(path, f"{name} has numbers that {dtype} cannot represent") from None
    if count != len(values):
        raise damaged(path, f"{name} has {len(values)} elements, but the shape {shown(shape)}")
    return values.reshape(shape)


DataMovement = Callable[[Sequence[Any], Mapping[str, Any], int, int], Any]


def _reshape(inputs: Sequence[Any], attributes: Mapping[str, Any], index: int, count: int) -> Any:
    sizes = enumerate(integers_in(inputs[1]))  # 0 stands for the input's size
    return inputs[0].reshape([inputs[0].shape[k] if size == 0 else size for k, size in sizes])


def _axes(inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[int, ...]:
    """The axes of a node: an input in newer files, an attribute in older ones."""
    if len(inputs) > 1 and inputs[1] is not None:
        return tuple(integers_in(inputs[1]))
    return tuple(attributes["axes"].ints) if "axes" in attributes else ()


def _axis(attributes: Mapping[str, Any]) -> int:
    return attributes["axis"].i if "axis" in attributes else 0


def _cast(inputs: Sequence[Any], attributes: Mapping[str, Any], index: int, count: int) -> Any:
    with np.errstate(over="ignore"):
        return inputs[0].astype(_TYPES[attributes["to"].i][0])


def _slice(inputs: Sequence[Any], attributes: Mapping[str, Any], index: int, count: int) -> Any:
    whole = inputs[0]
    lists = [integers_in(each) for each in inputs[1:] if each is not None]
    if len(inputs) == 1:
        lists = [list(attributes[name].ints) for name in ("starts", "ends")]
        lists += [list(attributes["axes"].ints)] if "axes" in attributes else []
    starts, ends = lists[:2]
    axes = lists[2] if len(lists) > 2 else list(range(len(starts)))
    steps = lists[3] if len(lists) > 3 else [1] * len(starts)
    at = [slice(None)] * whole.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        at[axis] = slice(start, None if step < 0 and end < -whole.shape[axis] else end, step)
    return whole[tuple(at)]


def _split(inputs: Sequence[Any], attributes: Mapping[str, Any], index: int, count: int) -> Any:
    whole, axis = inputs[0], _axis(attributes)
    sizes = list(attributes["split"].ints) if "split" in attributes else None
    if len(inputs) > 1 and inputs[1] is not None:
        sizes = integers_in(inputs[1])
    if sizes is None:
        each = -(-whole.shape[axis] // count)
        sizes = [min(each, whole.shape[axis] - k * each) for k in range(count)]
    if sum(sizes) != whole.shape[axis] or min(sizes) < 0:
        raise ValueError(f"parts of {sizes} out of {whole.shape[axis]}")
    return part_of(whole, sizes, axis, index)


def _transpose(inputs: Sequence[Any], attributes: Mapping[str, Any], index: int, count: int) -> Any:
    return np.transpose(inputs[0], list(attributes["perm"].ints) if "perm" in attributes else None)


_DATA_MOVEMENT: dict[str, DataMovement] = {
    "Cast": _cast,
    "Concat": lambda i, attributes, index, count: np.concatenate(i, _axis(attributes)),
    "Reshape": _reshape,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": lambda i, attributes, index, count: np.squeeze(i[0], _axes(i, attributes) or None),
    "Transpose": _transpose,
    "Unsqueeze": lambda i, attributes, index, count: np.expand_dims(i[0], _axes(i, attributes)),
}
"""Operators that move elements: functions of inputs, attributes, the result's number and count."""

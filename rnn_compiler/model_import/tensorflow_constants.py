"""The arrays that nodes of a TensorFlow graph stand for, where nothing is computed but moved.

A weight is a constant or a variable, cut, joined, transposed and reshaped: `Constants.array` does
the same to its array. Anything else, such as a product, leaves a value unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.model_import.reading import damaged
from rnn_compiler.model_import.tensorflow_graph import Graph, Value, attributes_of, data_inputs
from rnn_compiler.model_import.tensors import dtype_of, tensor_of

__all__ = ["VARIABLES", "Constants"]

VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
"""The ops that stand for a variable."""

_DEEPEST = 100
"""More nodes, one behind the other, than lie between a weight and its op."""


class Constants:
    """The arrays of a graph's values.

    Attributes:
        graph: The graph.
        variable: The array of a variable, given its node; None if it is not known.
    """

    def __init__(self, graph: Graph, variable: Callable[[Any], Any], most_bytes: int) -> None:
        """Knows nothing yet.

        Args:
            graph: The graph.
            variable: The array of a variable's node, or None.
            most_bytes: How many bytes may be moved in all, so that no file makes more of itself
                than it is.
        """
        self.graph = graph
        self.variable = variable
        self._left = most_bytes
        self._known: dict[Value, Any] = {}

    def array(self, value: Value, depth: int = 0) -> Any:
        """The array of a value; None if it is not constant.

        Raises:
            ArtifactError: A node moves what cannot be moved so.
        """
        value = self.graph.source(value)
        if value not in self._known:
            self._known[value] = self._array(value, depth)
        return self._known[value]

    def whole(self, array: Any) -> Any:
        """An array with memory of its own, one element after the other.

        Raises:
            ArtifactError: It would be larger than the file can be meant to give.
        """
        self._take(array.nbytes)
        whole: Any = np.ascontiguousarray(array)  # which makes an axis of a single number
        return whole.reshape(array.shape)

    def _take(self, count: int) -> None:
        """Counts bytes that are moved."""
        self._left -= count
        if self._left < 0:
            raise damaged(self.graph.path, "it makes more of its weights than there are")

    def _array(self, value: Value, depth: int) -> Any:
        node = self.graph.node(value)
        if node is None:
            return None
        attributes = attributes_of(node)
        if node.op == "Const" and "value" in attributes:
            return tensor_of(attributes["value"].tensor, self.graph.path, node.name)
        if node.op in VARIABLES:
            return self.variable(node)
        if node.op not in _MOVES or depth > _DEEPEST:
            return None
        inputs = [self.graph.value(value.scope, text) for text in data_inputs(node)]
        arrays = [self.array(each, depth + 1) for each in inputs]
        if any(array is None for array in arrays):
            return None
        self._take(sum(array.nbytes for array in arrays))
        try:
            return _MOVES[node.op](arrays, attributes, value.number)
        except Exception as error:  # what numpy says of axes, shapes and sizes
            reason = f"{node.op} {node.name!r} cannot be: {error or type(error).__name__}"
            raise damaged(self.graph.path, reason) from error


Move = Callable[[Sequence[Any], Mapping[str, Any], int], Any]


def _numbers(array: Any) -> list[int]:
    return [int(number) for number in np.ravel(array)]


def _split(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    axis, whole, parts = int(arrays[0]), arrays[1], attributes["num_split"].i
    size, rest = divmod(whole.shape[axis], parts)
    if rest or not 0 <= index < parts:
        raise ValueError(f"part {index} of {parts} out of {whole.shape[axis]}")
    return np.moveaxis(np.moveaxis(whole, axis, 0)[index * size : (index + 1) * size], 0, axis)


def _split_sizes(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """A part of given size along an axis; one of them may be -1, the rest."""
    whole, sizes, axis = arrays[0], _numbers(arrays[1]), int(arrays[2])
    if -1 in sizes:
        sizes[sizes.index(-1)] = whole.shape[axis] - sum(sizes) - 1
    if sum(sizes) != whole.shape[axis] or min(sizes) < 0:
        raise ValueError(f"parts of {sizes} out of {whole.shape[axis]}")
    return np.split(whole, np.cumsum(sizes)[:-1], axis)[index]


def _strided_slice(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """What Python's own slices do, and masks that leave a bound open or drop an axis."""
    masks = {
        name: attributes[f"{name}_mask"].i if f"{name}_mask" in attributes else 0
        for name in ("begin", "end", "shrink_axis", "ellipsis", "new_axis")
    }
    if masks["ellipsis"] or masks["new_axis"]:
        raise ValueError("an ellipsis or a new axis")
    at: list[Any] = []
    for k, (begin, end, step) in enumerate(zip(*map(_numbers, arrays[1:4]), strict=True)):
        if masks["shrink_axis"] >> k & 1:
            at.append(begin)
        else:
            first = None if masks["begin"] >> k & 1 else begin
            at.append(slice(first, None if masks["end"] >> k & 1 else end, step))
    return arrays[0][tuple(at)]


def _slice(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    whole, begins, sizes = arrays[0], _numbers(arrays[1]), _numbers(arrays[2])
    ends = [None if size < 0 else begin + size for begin, size in zip(begins, sizes, strict=True)]
    return whole[tuple(map(slice, begins, ends))]


def _squeeze(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    dims = attributes["squeeze_dims"].list.i if "squeeze_dims" in attributes else ()
    return np.squeeze(arrays[0], tuple(dims) or None)


def _cast(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    dtype = dtype_of(attributes["DstT"].type)
    if dtype is None:
        raise ValueError("no type of numbers")
    with np.errstate(over="ignore"):
        return arrays[0].astype(dtype)


def _axis(attributes: Mapping[str, Any]) -> int:
    return attributes["axis"].i if "axis" in attributes else 0


_MOVES: dict[str, Move] = {
    "Cast": _cast,
    "Concat": lambda a, attributes, index: np.concatenate(a[1:], int(a[0])),
    "ConcatV2": lambda a, attributes, index: np.concatenate(a[:-1], int(a[-1])),
    "ExpandDims": lambda a, attributes, index: np.expand_dims(a[0], int(a[1])),
    "Fill": lambda a, attributes, index: np.broadcast_to(a[1], _numbers(a[0])),
    "Pack": lambda a, attributes, index: np.stack(a, _axis(attributes)),
    "Reshape": lambda a, attributes, index: np.reshape(a[0], _numbers(a[1])),
    "ReverseV2": lambda a, attributes, index: np.flip(a[0], tuple(_numbers(a[1]))),
    "Slice": _slice,
    "Split": _split,
    "SplitV": _split_sizes,
    "Squeeze": _squeeze,
    "StridedSlice": _strided_slice,
    "Transpose": lambda a, attributes, index: np.transpose(a[0], _numbers(a[1])),
    "Unpack": lambda a, attributes, index: np.moveaxis(a[0], _axis(attributes), 0)[index],
    "ZerosLike": lambda a, attributes, index: np.zeros_like(a[0]),
}
"""Ops that move elements, or make zeros: from their inputs, attributes and the result's number."""

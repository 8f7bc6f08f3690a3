"""TensorFlow's ops that move the elements of arrays, in numpy.

Elementwise sums, differences and products are included, because contrib's CudnnLSTM halves each
bias when it restores it (cuDNN has two biases).

Source: tensorflow/core/ops/array_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.model_import.tensors import dtype_of

__all__ = ["DATA_MOVEMENT", "part_of"]

_MOST_AXES = 32
"""The most axes of an array; ranges number axes."""

_MOST_NUMBERS = 10_000
"""The most sizes that an array may be split into."""

DataMovement = Callable[[Sequence[Any], Mapping[str, Any], int], Any]


def _numbers(array: Any) -> list[int]:
    if array.size > _MOST_NUMBERS:
        raise ValueError(f"{array.size} sizes or axes")
    return [int(number) for number in np.ravel(array)]


def part_of(whole: Any, sizes: Sequence[int], axis: int, index: int) -> Any:
    """One of the parts, of given sizes, of an array along an axis."""
    start = sum(sizes[:index])
    at = [slice(None)] * whole.ndim
    at[axis] = slice(start, start + sizes[index])
    return whole[tuple(at)]


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
    return part_of(whole, sizes, axis, index)


def _strided_slice(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """A slice as in Python, with masks that leave a bound open or drop an axis."""
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
        raise ValueError("not a numeric type")
    with np.errstate(over="ignore"):
        return arrays[0].astype(dtype)


def _elementwise(function: Any) -> DataMovement:
    """An elementwise operation on arrays, one of which has the shape of the result."""

    def move(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
        shape = np.broadcast_shapes(arrays[0].shape, arrays[1].shape)
        if shape not in (arrays[0].shape, arrays[1].shape):
            raise ValueError(f"shapes {arrays[0].shape} and {arrays[1].shape}")
        with np.errstate(all="ignore"):
            return function(arrays[0], arrays[1])

    return move


def _params(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """CudnnRNN's buffer, from three sizes, all matrices and all biases."""
    return np.concatenate([np.ravel(array) for array in arrays[3:]])


def _range(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    numbers = range(*(int(each) for each in arrays))
    if len(numbers) > _MOST_AXES:
        raise ValueError(f"{len(numbers)} axes")
    return np.array(numbers, np.int32)


def _gather(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """The slices at some indices of an axis; None if there are more indices than slices."""
    array, indices, *axes = arrays
    axis = int(axes[0]) if axes else 0
    if indices.size > array.shape[axis] or _number(attributes, "batch_dims"):
        return None
    if indices.min(initial=0) < 0:
        raise ValueError("an index before the first")
    return np.take(array, indices.astype(np.int64), axis)


def _number(attributes: Mapping[str, Any], name: str) -> int:
    return attributes[name].i if name in attributes else 0


def _axis(attributes: Mapping[str, Any]) -> int:
    return _number(attributes, "axis")


DATA_MOVEMENT: dict[str, DataMovement] = {
    "Add": _elementwise(np.add),
    "AddV2": _elementwise(np.add),
    "Cast": _cast,
    "Concat": lambda a, attributes, index: np.concatenate(a[1:], int(a[0])),
    "ConcatV2": lambda a, attributes, index: np.concatenate(a[:-1], int(a[-1])),
    "CudnnRNNCanonicalToParams": _params,
    "CudnnRNNCanonicalToParamsV2": _params,
    "ExpandDims": lambda a, attributes, index: np.expand_dims(a[0], int(a[1])),
    "Fill": lambda a, attributes, index: np.broadcast_to(a[1], _numbers(a[0])),
    "Gather": _gather,
    "GatherV2": _gather,
    "Mul": _elementwise(np.multiply),
    "Pack": lambda a, attributes, index: np.stack(a, _axis(attributes)),
    "Range": _range,
    "Rank": lambda a, attributes, index: np.array(a[0].ndim, np.int32),
    "Reshape": lambda a, attributes, index: np.reshape(a[0], _numbers(a[1])),
    "ResourceGather": _gather,
    "ReverseV2": lambda a, attributes, index: np.flip(a[0], tuple(_numbers(a[1]))),
    "Shape": lambda a, attributes, index: np.array(a[0].shape, np.int32),
    "Slice": _slice,
    "Split": _split,
    "SplitV": _split_sizes,
    "Squeeze": _squeeze,
    "Sub": _elementwise(np.subtract),
    "StridedSlice": _strided_slice,
    "Transpose": lambda a, attributes, index: np.transpose(a[0], _numbers(a[1])),
    "Unpack": lambda a, attributes, index: np.moveaxis(a[0], _axis(attributes), 0)[index],
    "ZerosLike": lambda a, attributes, index: np.zeros_like(a[0]),
}
"""Ops that move elements or make zeros: functions of inputs, attributes and the result's number."""

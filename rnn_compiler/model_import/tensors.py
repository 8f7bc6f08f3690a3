"""TensorFlow's element types, shapes and tensors in protobuf messages.

Sources: tensorflow/core/framework/types.proto, tensor.proto, tensor_shape.proto.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.reading import MOST_AXES, Budget, array_of, damaged, shown
from rnn_compiler.schema.dtypes import DTYPES

__all__ = ["STRING", "Shape", "dtype_of", "shape_of", "tensor_of"]

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

    Raises:
        ArtifactError: Its elements do not fit its shape, or the last of several is repeated more
            often than the budget allows.
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

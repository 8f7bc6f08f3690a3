"""Memory for compiled code, as numpy arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.schedule import ALIGNMENT
from rnn_compiler.schema.specs import TensorSpec

__all__ = ["address_of", "aligned_array", "is_ready", "typed", "zeros"]


def aligned_array(size: int, *, zeros: bool = False) -> npt.NDArray[np.uint8]:
    """An array of bytes, uninitialized or zeros, aligned for compiled code."""
    memory = (np.zeros if zeros else np.empty)(size + ALIGNMENT, np.uint8)
    start = -address_of(memory) % ALIGNMENT
    return memory[start : start + size]


def address_of(elements: npt.NDArray[Any]) -> int:
    """The address of an array's elements."""
    return elements.__array_interface__["data"][0]


def is_ready(array: npt.NDArray[Any]) -> bool:
    """Whether compiled code can use an array in place."""
    is_plain = array.flags.c_contiguous and array.dtype.isnative
    return is_plain and address_of(array) % ALIGNMENT == 0


def typed(memory: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> Any:
    """Bytes as an array of a dtype and shape."""
    return memory.view(dtype).reshape(shape)


def zeros(spec: TensorSpec) -> Any:
    """An array of zeros, aligned for compiled code."""
    dtype = DTYPES[spec.dtype].numpy
    memory = aligned_array(math.prod(spec.static_shape) * dtype.itemsize, zeros=True)
    return typed(memory, dtype, spec.static_shape)

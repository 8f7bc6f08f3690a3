"""Memory as compiled code takes it, in numpy's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.schema.schedule import ALIGNMENT

__all__ = ["address_of", "aligned_array", "is_ready", "typed"]


def aligned_array(size: int) -> npt.NDArray[np.uint8]:
    """So many bytes, where compiled code takes them."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -address_of(memory) % ALIGNMENT
    return memory[start : start + size]


def address_of(elements: npt.NDArray[Any]) -> int:
    """Where the elements of an array begin."""
    return elements.__array_interface__["data"][0]


def is_ready(array: npt.NDArray[Any]) -> bool:
    """Whether compiled code takes an array as it is."""
    is_plain = array.flags.c_contiguous and array.dtype.isnative
    return is_plain and address_of(array) % ALIGNMENT == 0


def typed(memory: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> Any:
    """Bytes as an array of something else."""
    return memory.view(dtype).reshape(shape)

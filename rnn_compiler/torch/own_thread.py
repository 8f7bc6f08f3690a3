"""Copies and zeros on the CPU, made in the calling thread.

torch uses its own threads for tensors of 32,768 elements and more. After such an operation they
keep spinning for milliseconds, on the processors that compiled code then needs.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Numpy types by element size in bytes."""


def contiguous_copy(tensor: Any) -> Any:
    """A contiguous copy of a tensor, invisible to autograd."""
    if tensor.device.type != "cpu":
        return tensor.detach().clone(memory_format=torch.contiguous_format).resolve_neg()
    copy = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    np.copyto(_bits(copy), _bits(tensor.detach().resolve_neg()))
    return copy


def new_zeros(like: Any, shape: Sequence[int]) -> Any:
    """Zeros with the dtype and the device of a tensor."""
    if like.device.type != "cpu":
        return like.new_zeros(shape)
    zeros = torch.empty(shape, dtype=like.dtype, device=like.device)
    _bits(zeros).fill(0)
    return zeros


def _bits(tensor: Any) -> Any:
    return tensor.view(_BITS[tensor.dtype.itemsize]).numpy()

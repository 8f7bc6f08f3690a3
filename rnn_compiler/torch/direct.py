"""Direct calls on torch's tensors: compiled code gets pointers to their elements.

Results are tensors of torch's own memory, each with a storage of its own.
"""

# What torch has is typed in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from rnn_compiler.runtime import DeviceArray
from rnn_compiler.runtime.direct.pointers import PointerCalls
from rnn_compiler.schema.manifest import TensorSpec
from rnn_compiler.torch.parameters import alone

__all__ = ["DirectCalls"]

_CPU = torch.device("cpu")


class DirectCalls:
    """Calls of a function on tensors that are as compiled code takes them."""

    def __init__(self, calls: PointerCalls, results: Sequence[TensorSpec]) -> None:
        """Looks up what calls need.

        Args:
            calls: The calls.
            results: What they give.
        """
        self._calls = calls
        self._memory = [_allocation((size,), torch.uint8) for size in calls.blocks]
        self._parts: list[tuple[int, _Part | None]] = []
        users = [block for block, _ in calls.results]
        for (block, offset), spec in zip(calls.results, results, strict=True):
            dtype = getattr(torch, spec.dtype)
            size = math.prod(spec.static_shape) * dtype.itemsize
            if users.count(block) == 1 and size == calls.blocks[block]:
                self._memory[block] = _allocation(spec.static_shape, dtype)
                self._parts.append((block, None))
            else:
                self._parts.append(
                    (block, _Part(offset // dtype.itemsize, spec.static_shape, dtype))
                )

    def __call__(self, tensors: Sequence[Any], packed: Sequence[DeviceArray]) -> list[Any]:
        """Calls the function.

        Args:
            tensors: What it takes, in order.
            packed: Weights that a companion takes packed.
        """
        memory = [allocate() for allocate in self._memory]
        given = map(torch.Tensor.data_ptr, tensors)
        own = map(torch.Tensor.data_ptr, memory)
        self._calls([*given, *[each.address for each in packed], *own])
        return [
            memory[block] if part is None else part.of(memory[block]) for block, part in self._parts
        ]


def _allocation(shape: Sequence[int], dtype: Any) -> Callable[[], Any]:
    """What makes a tensor; it knows the strides, which is faster."""
    strides = torch.empty(shape, dtype=dtype, device="meta").stride()
    return functools.partial(torch.empty_strided, shape, strides, dtype=dtype, device=_CPU)


class _Part(NamedTuple):
    """Where a result lies in a block of several, in elements from its beginning."""

    offset: int
    shape: tuple[int, ...]
    dtype: Any

    def of(self, block: Any) -> Any:
        whole: Any = torch.empty(0, dtype=self.dtype, device=_CPU)
        return alone(whole.set_(block.untyped_storage(), self.offset, self.shape))

"""Direct calls on torch's tensors: compiled code gets pointers to their elements.

Each result is a tensor with its own storage in memory of a numpy array: torch creates it twice as
fast as one in its own memory.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from rnn_compiler.runtime import DeviceArray
from rnn_compiler.runtime.direct.pointers import PointerCalls
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import TensorSpec
from rnn_compiler.schema.schedule import ALIGNMENT
from rnn_compiler.torch.parameters import alone

__all__ = ["DirectCalls"]

_BYTES = np.dtype(np.uint8)


class DirectCalls:
    """Calls of a function on tensors that compiled code can use in place."""

    def __init__(self, calls: PointerCalls, results: Sequence[TensorSpec]) -> None:
        """Prepares the calls.

        Args:
            calls: The calls.
            results: Their results.
        """
        self._calls = calls
        self._sizes = [size + ALIGNMENT for size in calls.blocks]
        self._results = [
            _Result.at(*where, spec) for where, spec in zip(calls.results, results, strict=True)
        ]

    def __call__(self, tensors: Sequence[Any], packed: Sequence[DeviceArray]) -> list[Any]:
        """Calls the function.

        Args:
            tensors: The arguments, in order.
            packed: The packed weights, for a companion that takes them.
        """
        blocks: list[tuple[Any, int]] = []
        pointers = [*map(torch.Tensor.data_ptr, tensors), *[each.address for each in packed]]
        for size in self._sizes:
            memory = np.empty(size, _BYTES)
            address = torch.from_numpy(memory).data_ptr()
            start = -address % ALIGNMENT
            blocks.append((memory, start))
            pointers.append(address + start)
        self._calls(pointers)
        return [each.of(*blocks[each.block]) for each in self._results]


class _Result(NamedTuple):
    """The place of a result.

    Attributes:
        block: The index of its block of memory.
        offset: Its offset there.
        shape: Its shape.
        dtype: Its dtype, or one with elements of the same size if numpy has no such dtype.
        view: Torch's dtype if numpy has none.
    """

    block: int
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    view: Any

    @staticmethod
    def at(block: int, offset: int, spec: TensorSpec) -> _Result:
        dtype, view = DTYPES[spec.dtype].numpy, None
        if spec.dtype == "bfloat16":
            dtype, view = np.dtype(np.int16), torch.bfloat16
        return _Result(block, offset, spec.static_shape, dtype, view)

    def of(self, memory: Any, start: int) -> Any:
        """The result in a block of memory that begins at a given offset of an array."""
        array: Any = np.ndarray(self.shape, self.dtype, memory, start + self.offset)
        tensor = torch.from_numpy(array)
        return tensor if self.view is None else alone(tensor.view(self.view))

"""The weights of a layer as one buffer, `params` of the CudnnRNN ops.

The layer's parameters are views of this buffer, as in torch's own layers on a GPU: calls copy
nothing, and an optimizer's in-place updates change the buffer. If they are not, because they were
replaced or because torch traces, they are concatenated at each call.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter, is_
from typing import Any
from weakref import ref

import numpy as np
import torch
from torch._C import _from_dlpack, _to_dlpack  # pyright: ignore

from rnn_compiler.schema.cudnn_layout import Block
from rnn_compiler.torch.errors import InvalidArgumentError


class Buffer:
    """A buffer that contains some parameters."""

    def __init__(self, parameters: Sequence[Any], blocks: Sequence[Block], size: int) -> None:
        """Moves parameters into a buffer.

        To torch, each is a separate tensor (`alone`).
        """
        self.blocks = tuple(blocks)
        self._whole = torch.zeros(size, dtype=parameters[0].dtype, device=parameters[0].device)
        with torch.no_grad():
            for parameter, block in zip(parameters, blocks, strict=True):
                part = block.of(self._whole)
                part.copy_(parameter.detach())
                parameter.data = alone(part)
        self._members = [ref(each) for each in parameters]
        self._addresses = [each.data_ptr() for each in parameters]
        self._versions: list[int] = []
        self._same: Any = None

    def holds(self, weights: Sequence[Any]) -> bool:
        """Whether some tensors are these parameters and still in the buffer."""
        return (
            len(weights) == len(self._members)
            and all(map(is_, weights, map(ref.__call__, self._members)))
            and [*map(torch.Tensor.data_ptr, weights)] == self._addresses
        )

    def params(self, weights: Sequence[Any]) -> Any:
        """The buffer of these weights: the same tensor until one of them changes."""
        if self._whole.is_inference():
            return self._whole
        versions = [*map(_version, weights)]
        if versions != self._versions:
            self._same, self._versions = self._whole.detach(), versions
        return self._same


_version = attrgetter("_version")


def alone(part: Any) -> Any:
    """A part of a tensor in the same memory, with its own storage and version.

    Saving it saves no other part, and changing it does not mark the others as changed.
    """
    return _from_dlpack(_to_dlpack(part))


def parts_of(whole: Any, blocks: Sequence[Block]) -> list[Any]:
    """Parts of a buffer, each `alone`."""
    if whole.device.type != "cpu" or whole.dtype == torch.bfloat16:
        return [alone(each.of(whole)) for each in blocks]
    memory = whole.numpy()  # two thirds faster
    dtype, size = memory.dtype, memory.itemsize
    arrays = [np.ndarray(each.shape, dtype, memory, size * each.offset) for each in blocks]
    return [*map(torch.from_numpy, arrays)]


def joined(op: str, weights: Mapping[str, Any], blocks: Mapping[str, Block], size: int) -> Any:
    """Concatenates tensors into a new buffer; what lies beyond them, at the end, is 0."""
    first, *_ = weights.values()
    for name, weight in weights.items():
        if tuple(weight.shape) != blocks[name].shape:
            expected, got = f"shape {list(blocks[name].shape)}", f"shape {list(weight.shape)}"
            raise InvalidArgumentError(op, name, expected, got)
        if weight.dtype != first.dtype:
            expected = f"dtype {first.dtype}, as the first weight has"
            raise InvalidArgumentError(op, name, expected, str(weight.dtype))
    order = sorted(weights, key=lambda name: blocks[name].offset)
    pieces = [weights[name].reshape(-1) for name in order]
    rest = size - sum(blocks[name].size for name in order)
    return torch.cat([*pieces, first.new_zeros(rest)] if rest else pieces)

"""Converts between PackedSequence and padded sequences with lengths.

torch packs a batch sorted by length, longest first: all first steps, then all second steps of the
rows that have one, and so on. `Padding` unpacks such rows into ``[T, B, I]`` and packs them again.

An op is compiled for a number of steps. So that random lengths do not each compile a function, T is
rounded up, by at most an eighth; steps that no row has are not run.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

from typing import Any

import torch


def rounded(steps: int) -> int:
    """The number of steps to compile for: the next number with four significant bits.

    Example:
        >>> [rounded(steps) for steps in (1, 16, 17, 18, 33, 100, 1000)]
        [1, 16, 18, 18, 36, 104, 1024]
    """
    unit = 1 << max(0, (steps - 1).bit_length() - 4)
    return -(-steps // unit) * unit


class Padding:
    """The positions of a PackedSequence's rows in a padded batch.

    Attributes:
        lengths: The steps of each row, int32; None if all rows have all steps.
    """

    def __init__(self, batch_sizes: Any, device: Any) -> None:
        """Finds the positions."""
        self._steps = len(batch_sizes)
        self._batch = int(batch_sizes[0])
        self.lengths: Any = None
        if int(batch_sizes[-1]) < self._batch:
            runs = torch.arange(self._batch, device="cpu") < batch_sizes.unsqueeze(1)
            self._indices = runs.view(-1).nonzero().view(-1).to(device)
            self.lengths = runs.sum(0, dtype=torch.int32).to(device)
            self._steps = rounded(self._steps)

    def pad(self, data: Any) -> Any:
        """The rows of a PackedSequence's data as ``[T, B, N]``, padded with zeros."""
        shape = (self._steps, self._batch, data.shape[1])
        if self.lengths is None:
            return data.view(shape)
        return _Pad.apply(data, self._indices, self._steps * self._batch).view(shape)

    def pack(self, padded: Any) -> Any:
        """The data of a PackedSequence from ``[T, B, N]``; the inverse of `pad`."""
        rows = padded.reshape(self._steps * self._batch, padded.shape[2])
        return rows if self.lengths is None else _Pack.apply(rows, self._indices)


class _Pad(torch.autograd.Function):
    """Scatters rows to their positions, with zeros elsewhere."""

    @staticmethod
    def forward(data: Any, indices: Any, rows: int) -> Any:
        return data.new_zeros(rows, data.shape[1]).index_copy_(0, indices, data)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        (indices,) = ctx.saved_tensors
        return _Pack.apply(cotangents[0], indices), None, None


class _Pack(torch.autograd.Function):
    """Gathers rows; `index_select` does the same, but its gradient sums row by row."""

    @staticmethod
    def forward(rows: Any, indices: Any) -> Any:
        return rows.index_select(0, indices)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        rows, indices = inputs
        ctx.save_for_backward(indices)
        ctx.count = rows.shape[0]

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        (indices,) = ctx.saved_tensors
        return _Pad.apply(cotangents[0], indices, ctx.count), None

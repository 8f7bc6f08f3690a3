"""The layout of `reserve_space`, the values that CudnnRNN saves for its gradient.

A dense vector of the op's dtype, row-major, without gaps, time-major regardless of `time_major`:

    dropout mask    [L-1, T, B, D*h]   multipliers, 0 or 1/(1-dropout); with dropout and L > 1 only
    layer outputs   [T, B, D*h]        before dropout, for each layer but the top one, whose output
                                       is the op's
    activations     [T, B, k*H]        for each pseudo-layer, what its cell saves, side by side:
        lstm        i, f, n, o, c      k = 5: gates after activation, cell state
        gru         r, z, n, u         k = 4: gates after activation, R_n h_before + bR_n
        rnn_*       nothing            k = 0: the derivative needs the output alone

With a single pseudo-layer, its activations are all of `reserve_space`, which is then not copied.

Activations of padding are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rnn_compiler.schema.cudnn_layout import Layout
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.parameter_blocks import Part

__all__ = ["ReserveLayout"]


@dataclass(frozen=True)
class ReserveLayout:
    """`reserve_space` at given sizes.

    Attributes:
        layout: The op's modes and sizes.
        seq_length: T.
        batch_size: B.
        dropout: The op's dropout.

    Example:
        >>> layout = Layout(rnn_mode="lstm", num_layers=2, num_units=4, input_size=3)
        >>> reserve = ReserveLayout(layout, seq_length=5, batch_size=2, dropout=0.5)
        >>> reserve.mask
        Part(offset=0, shape=(1, 5, 2, 4))
        >>> reserve.outputs
        [Part(offset=40, shape=(5, 2, 4))]
        >>> reserve.activations[1]
        Part(offset=280, shape=(5, 2, 20))
        >>> reserve.size
        480
    """

    layout: Layout
    seq_length: Size
    batch_size: Size
    dropout: float

    @property
    def has_mask(self) -> bool:
        """Whether there is a dropout mask; dropout applies only between layers."""
        return self.dropout > 0 and self.layout.num_layers > 1

    @property
    def mask(self) -> Part:
        """The dropout mask; empty if there is none."""
        boundaries = self.layout.num_layers - 1 if self.has_mask else 0
        return Part(0, (boundaries, *self._output))

    @cached_property
    def outputs(self) -> Sequence[Part]:
        """The output of each layer except the top one."""
        first = Part(self.mask.stop, self._output)
        count = self.layout.num_layers - 1
        return [Part(first.offset + k * first.size, first.shape) for k in range(count)]

    @cached_property
    def activations(self) -> Sequence[Part]:
        """The saved activations of each pseudo-layer."""
        offset = self.outputs[-1].stop if self.outputs else self.mask.stop
        T, B, _ = self._output
        width = len(self.layout.mode.saved) * self.layout.num_units
        first = Part(offset, (T, B, width))
        count = len(self.layout.pseudo_layers)
        return [Part(offset + k * first.size, first.shape) for k in range(count)]

    @property
    def size(self) -> Size:
        """The number of elements."""
        return self.activations[-1].stop

    @property
    def _output(self) -> tuple[Size, Size, int]:
        width = self.layout.num_directions * self.layout.hidden_size
        return self.seq_length, self.batch_size, width

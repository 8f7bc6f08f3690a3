"""The layout of the opaque parameter buffer of the CudnnRNN ops.

All weights of all layers are in one dense vector, without gaps: first every matrix, then every
bias, each by pseudo-layer ``num_directions * layer + direction``. With g gates, H units,
a hidden state of width h (P with a projection, else H) and a layer input of width ``in``:

    matrices   W_0 .. W_{g-1} [H, in]    R_0 .. R_{g-1} [H, h]    Wp [P, H] with a projection
    biases     bW_0 .. bW_{g-1} [H]      bR_0 .. bR_{g-1} [H]

Matrices are row-major ``[out, in]``. ``in`` is input_size for layer 0 and num_directions * h above.
With skip_input the matrices W of layer 0 are ``[H, 0]``; their biases remain. The gates of a matrix
are adjacent, so each pseudo-layer has one stacked ``[gH, in]`` and one ``[gH, h]`` matrix
(`PseudoLayer`).

The canonical order of CudnnRNNParamsToCanonical is the order of the buffer: `Layout.weights` and
`Layout.biases`.

Sources: cuDNN's cudnnGetRNNWeightParams (linLayerID); Keras' and JAX's packing; MXNet's for the
    position of the projection.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.open_sizes import Size, product

# The cells of CudnnRNN, by rnn_mode: what buffers, signatures and converters of weights know.
#
# What a step computes is in `lowering.ops.cells`.


class RnnMode(NamedTuple):
    """A cell.

    Attributes:
        gates: Its gates in cuDNN's order, a letter each; n is the candidate value.
        onnx: The same gates in ONNX's order.
        keras: The same gates in the order of Keras.
        saved: The values that a step saves for the gradient, in order; c is the cell state.
        has_cell_state: Whether it has a state c in addition to h. Such a cell may have a
            projection.
        adds_biases: Whether it only adds its two biases, so that a framework may store their sum.
        is_in_keras_2: Whether Keras 2 has a layer of it with cuDNN's weights, such as CuDNNLSTM.
    """

    gates: str
    onnx: str
    keras: str
    saved: str = ""
    has_cell_state: bool = False
    adds_biases: bool = True
    is_in_keras_2: bool = False


RNN_MODES: Mapping[str, RnnMode] = MappingProxyType(
    {
        "rnn_relu": RnnMode("n", "n", "n"),
        "rnn_tanh": RnnMode("n", "n", "n"),
        "lstm": RnnMode(
            "ifno", "iofn", "ifno", saved="ifnoc", has_cell_state=True, is_in_keras_2=True
        ),
        "gru": RnnMode("rzn", "zrn", "zrn", saved="rznu", adds_biases=False, is_in_keras_2=True),
    }
)
"""The cell of each rnn_mode. `ReserveLayout` says what a GRU's u is."""


# The arrays inside a vector of parameters: what CudnnRNN's and ONNX's ops lay out.


@dataclass(frozen=True)
class BufferPart:
    """A row-major array inside a buffer, at an offset in elements, of sizes known or open."""

    offset: Size
    shape: tuple[Size, ...]

    @property
    def size(self) -> Size:
        """The number of elements."""
        return product(self.shape)

    @property
    def stop(self) -> Size:
        """Its end, in elements."""
        return self.offset + self.size

    def of(self, buffer: Any) -> Any:
        """This part of a buffer; a view where the buffer is numpy's.

        Example:
            >>> import numpy as np
            >>> BufferPart(2, (2, 3)).of(np.arange(10)).tolist()
            [[2, 3, 4], [5, 6, 7]]
        """
        return buffer[self.offset : self.stop].reshape(self.shape)


@dataclass(frozen=True)
class Block(BufferPart):
    """A row-major array inside the buffer of parameters, whose sizes are known."""

    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        """The index after its last element."""
        return self.offset + self.size

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The strides in elements."""
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))


@dataclass(frozen=True)
class PseudoLayer:
    """One direction of one layer, with the places of its parameters, its gates stacked.

    Attributes:
        layer: Which layer, from 0.
        direction: 0 forward, 1 backward.
        input: W, ``[gH, in]``; ``[gH, 0]`` if the input skips it.
        recurrent: R, ``[gH, h]``.
        projection: Wp, ``[P, H]``, or None.
        input_bias: bW, ``[gH]``.
        recurrent_bias: bR, ``[gH]``.
    """

    layer: int
    direction: int
    input: Block
    recurrent: Block
    projection: Block | None
    input_bias: Block
    recurrent_bias: Block


INPUT_MODES = ("linear_input", "skip_input", "auto_select")

DIRECTIONS: dict[str, int] = {"unidirectional": 1, "bidirectional": 2}
"""The number of recurrences per layer for each direction mode."""

_PROJECTION_ID = 8


@dataclass(frozen=True)
class Region(Block):
    """One matrix or bias of one gate, as cudnnGetRNNWeightParams returns it.

    Attributes:
        pseudo_layer: ``num_directions * layer + direction``.
        kind: "matrix", "projection" or "bias".
        linear_layer: cuDNN's linLayerID: 0..g-1 for the input, g..2g-1 for the recurrence, 8 for
            the projection.
    """

    pseudo_layer: int
    kind: str
    linear_layer: int


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The buffer at given sizes; the arguments are CudnnRNN's. `Layout.checked` checks them.

    Attributes:
        rnn_mode: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        num_layers: L.
        num_units: H.
        input_size: I.
        direction: "unidirectional" or "bidirectional".
        input_mode: "linear_input", "skip_input", or "auto_select", which skips where I = H.
        num_proj: P; no projection if it is 0 or H.

    Example:
        >>> layout = Layout(rnn_mode="lstm", num_layers=2, num_units=5, input_size=3,
        ...                 direction="bidirectional")
        >>> layout.size
        1080
        >>> layout.weights[0]
        Region(offset=0, shape=(5, 3), pseudo_layer=0, kind='matrix', linear_layer=0)
        >>> top = layout.pseudo_layers[-1]
        >>> top.layer, top.direction, top.input, top.recurrent
        (1, 1, Block(offset=620, shape=(20, 10)), Block(offset=820, shape=(20, 5)))
        >>> top.recurrent_bias.stop == layout.size
        True

        cuDNN's own sizes:

        >>> def size(rnn_mode, L, H, I, direction="uni", input_mode="linear_input", P=0):
        ...     return Layout(rnn_mode=rnn_mode, num_layers=L, num_units=H, input_size=I,
        ...                   direction=f"{direction}directional", input_mode=input_mode,
        ...                   num_proj=P).size
        >>> size("lstm", 1, 6, 4), size("lstm", 2, 6, 4), size("lstm", 2, 6, 4, "bi", P=2)
        (288, 624, 816)
        >>> size("lstm", 1, 4, 4, input_mode="skip_input"), size("lstm", 3, 128, 64, "bi")
        (96, 989184)
        >>> size("gru", 1, 6, 4), size("gru", 2, 5, 3, "bi")
        (216, 810)
        >>> size("gru", 2, 5, 5, "bi", "skip_input"), size("gru", 2, 5, 5, "bi", "auto_select")
        (720, 720)
        >>> size("rnn_tanh", 3, 5, 3, "bi"), size("rnn_relu", 1, 1, 1, input_mode="skip_input")
        (440, 3)
    """

    rnn_mode: str
    num_layers: int
    num_units: int
    input_size: int
    direction: str = "unidirectional"
    input_mode: str = "linear_input"
    num_proj: int = 0

    @staticmethod
    def of(op: str, known: Mapping[str, Any]) -> Layout:
        """The layout of an op, from its dimensions and attributes; others are ignored."""
        names = [field.name for field in fields(Layout)]
        return Layout.checked(op, **{name: known[name] for name in names if name in known})

    @staticmethod
    def checked(op: str, **arguments: Any) -> Layout:
        """The layout for arguments of the right types, whose values are checked.

        Example:
            >>> Layout.checked("CudnnRNNV3", rnn_mode="gru", num_layers=1, num_units=4,
            ...                input_size=6, num_proj=2)
            Traceback (most recent call last):
            ...
            rnn_compiler.errors.InvalidArgumentError: CudnnRNNV3: 'num_proj': expected 0, as only
            rnn_mode 'lstm' has projections, got 2
        """
        layout = Layout(**arguments)
        H, P = layout.num_units, layout.num_proj
        for name, values in (
            ("rnn_mode", RNN_MODES),
            ("input_mode", INPUT_MODES),
            ("direction", DIRECTIONS),
        ):
            if getattr(layout, name) not in values:
                got = describe(getattr(layout, name))
                raise InvalidArgumentError(op, name, f"one of {', '.join(values)}", got)
        for name, minimum in (("num_layers", 1), ("num_units", 1), ("input_size", 0)):
            if getattr(layout, name) < minimum:
                got = str(getattr(layout, name))
                raise InvalidArgumentError(op, name, f"an int of at least {minimum}", got)
        if layout.input_mode == "skip_input" and layout.input_size != H:
            expected = f"num_units = {H}, because input_mode 'skip_input' has no input matrix"
            raise InvalidArgumentError(op, "input_size", expected, str(layout.input_size))
        if P and not layout.mode.has_cell_state:
            expected = "0, as only rnn_mode 'lstm' has projections"
            raise InvalidArgumentError(op, "num_proj", expected, str(P))
        if not 0 <= P <= H:
            raise InvalidArgumentError(op, "num_proj", f"an int in 0..num_units = 0..{H}", str(P))
        return layout

    @property
    def mode(self) -> RnnMode:
        """The cell."""
        return RNN_MODES[self.rnn_mode]

    @property
    def gates(self) -> str:
        """The gates, in cuDNN's order, a letter each."""
        return self.mode.gates

    @property
    def num_directions(self) -> int:
        """D: 1 or 2."""
        return DIRECTIONS[self.direction]

    @property
    def projects(self) -> bool:
        """Whether there is a projection matrix."""
        return 0 < self.num_proj < self.num_units

    @property
    def hidden_size(self) -> int:
        """h: the width of the hidden state and of one direction's output."""
        return self.num_proj if self.projects else self.num_units

    @property
    def skips_input(self) -> bool:
        """Whether layer 0 has no input matrix: skip_input, or auto_select if I = H."""
        return self.input_mode == "skip_input" or (
            self.input_mode == "auto_select" and self.input_size == self.num_units
        )

    @cached_property
    def pseudo_layers(self) -> tuple[PseudoLayer, ...]:
        """Every direction of every layer, by pseudo-layer."""
        rows, h, D = len(self.gates) * self.num_units, self.hidden_size, self.num_directions
        matrices: list[tuple[Block, Block, Block | None]] = []
        offset = 0
        for layer in range(self.num_layers):
            first = 0 if self.skips_input else self.input_size
            for _ in range(D):
                w = Block(offset, (rows, D * h if layer else first))
                r = Block(w.stop, (rows, h))
                p = Block(r.stop, (h, self.num_units)) if self.projects else None
                matrices.append((w, r, p))
                offset = (p or r).stop
        pseudo_layers: list[PseudoLayer] = []
        for index, (w, r, p) in enumerate(matrices):
            bias = Block(offset, (rows,)), Block(offset + rows, (rows,))
            pseudo_layers.append(PseudoLayer(*divmod(index, D), w, r, p, *bias))
            offset += 2 * rows
        return tuple(pseudo_layers)

    @cached_property
    def weights(self) -> tuple[Region, ...]:
        """The matrices in canonical order; those of a skipped input are empty."""

        def regions() -> Iterator[Region]:
            for index, each in enumerate(self.pseudo_layers):
                yield from self._split(each.input, index, "matrix", 0)
                yield from self._split(each.recurrent, index, "matrix", len(self.gates))
                if each.projection is not None:
                    block = each.projection
                    yield Region(block.offset, block.shape, index, "projection", _PROJECTION_ID)

        return tuple(regions())

    @cached_property
    def biases(self) -> tuple[Region, ...]:
        """The biases, in canonical order."""

        def regions() -> Iterator[Region]:
            for index, each in enumerate(self.pseudo_layers):
                yield from self._split(each.input_bias, index, "bias", 0)
                yield from self._split(each.recurrent_bias, index, "bias", len(self.gates))

        return tuple(regions())

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions in the order of the buffer."""
        return self.weights + self.biases

    @property
    def size(self) -> int:
        """The number of elements of the buffer."""
        L, D, H, h = self.num_layers, self.num_directions, self.num_units, self.hidden_size
        rows = len(self.gates) * H
        inputs = (0 if self.skips_input else self.input_size) + (L - 1) * D * h
        return D * (rows * inputs + L * (rows * (h + 2) + self.projects * h * H))

    def _split(self, stacked: Block, index: int, kind: str, first: int) -> Iterator[Region]:
        """The gates of a stacked block, one region each."""
        shape = (self.num_units, *stacked.shape[1:])
        for gate in range(len(self.gates)):
            offset = stacked.offset + gate * stacked.size // len(self.gates)
            yield Region(offset, shape, index, kind, first + gate)


# The layout of `reserve_space`, the values that CudnnRNN saves for its gradient.
#
# A dense vector of the op's dtype, row-major, without gaps, time-major regardless of
# `time_major`:
#
#     dropout mask    [L-1, T, B, D*h]   multipliers, 0 or 1/(1-dropout); only with dropout and
#                                        L > 1
#     layer outputs   [T, B, D*h]        before dropout, for each layer but the top one, whose
#                                        output is the op's
#     activations     [T, B, k*H]        for each pseudo-layer, what its cell saves, side by side:
#         lstm        i, f, n, o, c      k = 5: gates after activation, cell state
#         gru         r, z, n, u         k = 4: gates after activation, R_n h_before + bR_n
#         rnn_*       nothing            k = 0: the derivative needs the output alone
#
# With a single pseudo-layer, its activations are all of `reserve_space`, which is then not
# copied.
#
# Activations of padding are 0.


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
        BufferPart(offset=0, shape=(1, 5, 2, 4))
        >>> reserve.outputs
        [BufferPart(offset=40, shape=(5, 2, 4))]
        >>> reserve.activations[1]
        BufferPart(offset=280, shape=(5, 2, 20))
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
    def mask(self) -> BufferPart:
        """The dropout mask; empty if there is none."""
        boundaries = self.layout.num_layers - 1 if self.has_mask else 0
        return BufferPart(0, (boundaries, *self._output))

    @cached_property
    def outputs(self) -> Sequence[BufferPart]:
        """The output of each layer except the top one."""
        first = BufferPart(self.mask.stop, self._output)
        count = self.layout.num_layers - 1
        return [BufferPart(first.offset + k * first.size, first.shape) for k in range(count)]

    @cached_property
    def activations(self) -> Sequence[BufferPart]:
        """The saved activations of each pseudo-layer."""
        offset = self.outputs[-1].stop if self.outputs else self.mask.stop
        T, B, _ = self._output
        width = len(self.layout.mode.saved) * self.layout.num_units
        first = BufferPart(offset, (T, B, width))
        count = len(self.layout.pseudo_layers)
        return [BufferPart(offset + k * first.size, first.shape) for k in range(count)]

    @property
    def size(self) -> Size:
        """The number of elements."""
        return self.activations[-1].stop

    @property
    def _output(self) -> tuple[Size, Size, int]:
        width = self.layout.num_directions * self.layout.hidden_size
        return self.seq_length, self.batch_size, width

"""LSTM, GRU and RNN: torch.nn's layers, computed by CudnnRNN ops.

They derive from torch.nn's own base class and replace `forward`, so parameters, state dict, initial
values and printed form are the same. They do not derive from torch.nn.LSTM and the others, because
torch.compile rejects their subclasses. A layer's weights become the op's `params` (`parameters`),
dropout is applied between layers, and a PackedSequence is padded (`packed_sequences`). If all rows
have all steps, an op without lengths is used, which is faster.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.modules import rnn
from torch.nn.utils.rnn import PackedSequence

from rnn_compiler.errors import describe
from rnn_compiler.schema.cudnn_layout import Block, Layout
from rnn_compiler.torch.attributes import Attributes
from rnn_compiler.torch.calls import dtype_name
from rnn_compiler.torch.errors import InvalidArgumentError, as_torch_raises
from rnn_compiler.torch.functions import is_cast, run_cast
from rnn_compiler.torch.library import TensorParts, is_eager, is_transformed
from rnn_compiler.torch.packed_sequences import Padding
from rnn_compiler.torch.parameters import Buffer, joined
from rnn_compiler.weights.torch import blocks_of_parameters


def _requires_grad(tensor: torch.Tensor) -> bool:  # torch.compile traces no attrgetter
    return tensor.requires_grad


class _RecurrentLayer(rnn.RNNBase):
    """The common base of the three layers."""

    weights_buffer: Buffer | None
    _blocks: dict[str, Block]
    _size: int
    _flat_weights_names: list[str]

    def flatten_parameters(self) -> None:
        """Moves the parameters into one buffer, unless they share memory already.

        Called automatically when they are created, moved or loaded. Call it after replacing
        parameters, so that calls need not copy them.
        """
        layout = Layout(
            rnn_mode=self.mode.lower(),
            num_layers=self.num_layers,
            num_units=self.hidden_size,
            input_size=self.input_size,
            direction="bidirectional" if self.bidirectional else "unidirectional",
            num_proj=self.proj_size,
        )
        weights: list[Any] = [getattr(self, name, None) for name in self._flat_weights_names]
        if (buffer := self.__dict__.get("weights_buffer")) is not None and buffer.holds(weights):
            return
        self._blocks, self._size, self.weights_buffer = (
            blocks_of_parameters(layout),
            layout.size,
            None,
        )
        plain = all(
            isinstance(each, torch.nn.Parameter) and type(each.data) is torch.Tensor
            for each in weights
        )
        kinds = {(each.dtype, each.device) for each in weights} if plain else set[Any]()
        device = weights[0].device.type if plain else ""
        if len(kinds) != 1 or device == "meta" or (device == "cpu" and weights[0].is_shared()):
            return
        if len({each.data_ptr() for each in weights}) < len(weights):  # one is shared
            return
        blocks = [self._blocks[name] for name in self._flat_weights_names]
        if all(tuple(each.shape) == b.shape for each, b in zip(weights, blocks, strict=True)):
            self.weights_buffer = Buffer(weights, blocks, self._size)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in super().__getstate__().items() if k != "weights_buffer"}

    def __setstate__(self, d: dict[str, Any]) -> None:
        super().__setstate__(d)
        self.flatten_parameters()

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        self.weights_buffer = None  # torch cannot swap parameters that something references
        return super()._apply(fn, recurse)

    @as_torch_raises
    def forward(self, input: Any, hx: Any = None) -> Any:
        """Runs the layer.

        Args:
            input: ``[T, B, I]``, with batch_first ``[B, T, I]``, or ``[T, I]`` for one sequence, or
                a PackedSequence.
            hx: The states before the first step, ``[L*D, B, h]``, or ``[L*D, h]`` for one sequence;
                for an LSTM a pair of output and cell state. None means zeros.

        Returns:
            The output of the last layer for every step, in the form of the input, and the states
            after the last step, in the form of `hx`.

        Raises:
            InvalidArgumentError: A tensor has the wrong shape, dtype or device; also a
                RuntimeError.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        op = type(self).__name__
        if not isinstance(input, torch.Tensor) or input.dim() not in (2, 3):
            got = describe(input) if not isinstance(input, torch.Tensor) else f"{input.dim()}-D"
            raise InvalidArgumentError(op, "input", "a PackedSequence, or a 2-D or 3-D tensor", got)
        batched = input.dim() == 3
        x = input if batched else input.unsqueeze(1)
        if batched and self.batch_first:
            x = x.transpose(0, 1)
        states = self._states(x, x.shape[1], hx, batched)
        output, *states = self._run(x, states, None)
        if batched and self.batch_first:
            output = output.transpose(0, 1)
        if not batched:
            output, *states = (output.squeeze(1), *(each.squeeze(1) for each in states))
        return output, self._as_given(states)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> Any:
        data, batch_sizes, order, back = input
        if data.dim() != 2:
            got = f"data of shape {list(data.shape)}"
            raise InvalidArgumentError(type(self).__name__, "input", "packed rows [N, I]", got)
        states = self._states(data, int(batch_sizes[0]), hx, True)
        if order is not None and hx is not None:
            states = [each.index_select(1, order) for each in states]
        padding = Padding(batch_sizes, data.device)
        output, *states = self._run(padding.pad(data), states, padding.lengths)
        if back is not None:
            states = [each.index_select(1, back) for each in states]
        packed = PackedSequence(padding.pack(output), batch_sizes, order, back)
        return packed, self._as_given(states)

    def _states(self, x: Any, batch_size: int, hx: Any, batched: bool) -> list[Any]:
        """The states before the first step, checked, ``[L*D, B, h]`` each."""
        op = type(self).__name__
        if x.shape[-1] != self.input_size:
            expected = f"input_size = {self.input_size} features on the last axis"
            raise InvalidArgumentError(op, "input", expected, f"shape {list(x.shape)}")
        rows = self.num_layers * (1 + self.bidirectional)
        lead = (rows, batch_size) if batched else (rows,)
        shapes = {"h_0": (*lead, self.proj_size or self.hidden_size)}
        if self.mode == "LSTM":
            shapes["c_0"] = (*lead, self.hidden_size)
        if hx is None:
            return [x.new_zeros(rows, batch_size, shape[-1]) for shape in shapes.values()]
        states: Sequence[Any] = hx if len(shapes) > 1 else (hx,)
        if not isinstance(states, (tuple, list)) or len(states) != len(shapes):
            raise InvalidArgumentError(op, "hx", "a pair of tensors, h_0 and c_0", describe(hx))
        for state, (name, shape) in zip(states, shapes.items(), strict=True):
            if not isinstance(state, torch.Tensor):
                raise InvalidArgumentError(op, name, "a tensor", describe(state))
            if state.shape != shape:
                expected, got = f"shape {list(shape)}", f"shape {list(state.shape)}"
                raise InvalidArgumentError(op, name, expected, got)
        return [*states] if batched else [each.unsqueeze(1) for each in states]

    def _as_given(self, states: list[Any]) -> Any:
        """States in the form of `hx`."""
        return tuple(states) if self.mode == "LSTM" else states[0]

    def _run(self, x: Any, states: list[Any], lengths: Any) -> list[Any]:
        """Output and last states of a padded batch ``[T, B, I]``."""
        moving = (x, *states)
        weights = self._weights()
        self._check_dtypes(moving, weights[0].dtype)
        drops = self.training and self.dropout > 0 and self.num_layers > 1
        learns = torch.is_grad_enabled() and any(map(_requires_grad, (*moving, *weights)))
        attributes: Attributes = (
            ("rnn_mode", self.mode.lower()),
            ("input_mode", "linear_input"),
            ("direction", "bidirectional" if self.bidirectional else "unidirectional"),
            ("dropout", self.dropout if drops else 0.0),
            ("is_training", learns or drops),
        )
        seed: Any = None
        if drops:
            seed = torch.randint(-(2**63), 2**63 - 1, (), dtype=torch.int64, device=x.device)
        h, c = states if len(states) == 2 else (states[0], None)
        params, parts = self._params(weights, moving)
        if lengths is None and not self.proj_size:
            arguments = [x, h, c, params, None, seed, None]
            values = run_cast("CudnnRNN", arguments, attributes, parts)
        else:
            if lengths is None:
                lengths = torch.full((x.shape[1],), x.shape[0], dtype=torch.int32, device=x.device)
            attributes += ("num_proj", self.proj_size), ("time_major", True)
            arguments = [x, h, c, params, lengths, None, seed, None]
            values = run_cast("CudnnRNNV3", arguments, attributes, parts)
        return [*values[: len(moving)]]

    def _weights(self) -> list[Any]:
        """The parameters, or their replacements."""
        weights = [*map(self._parameters.get, self._flat_weights_names)]
        if type(None) in map(type, weights):
            weights = [getattr(self, name) for name in self._flat_weights_names]
            for name, weight in zip(self._flat_weights_names, weights, strict=True):
                if weight is None:
                    raise InvalidArgumentError(type(self).__name__, name, "a tensor", "None")
        return weights

    def _check_dtypes(self, moving: Sequence[Any], dtype: Any) -> None:
        """Checks that input and states have the dtype of the weights, unless autocast is on."""
        if all(each.dtype == dtype for each in moving) or is_cast(moving[0].device.type):
            return
        for name, tensor in zip(("input", "h_0", "c_0"), moving, strict=False):
            if tensor.dtype != dtype:
                expected = f"dtype {dtype_name(dtype)}, as the weights have"
                got = f"dtype {dtype_name(tensor.dtype)}"
                remedy = "convert it, or the layer: layer.to(dtype)"
                raise InvalidArgumentError(type(self).__name__, name, expected, got, remedy)

    def _params(self, weights: list[Any], others: Sequence[Any]) -> tuple[Any, TensorParts | None]:
        """The weights as the op takes them with some other tensors: one buffer."""
        buffer = self.weights_buffer
        eager = is_eager(others) and not is_transformed()
        if eager and buffer is not None and buffer.holds(weights):
            return buffer.params(weights), TensorParts("params", weights, buffer.blocks)
        named = dict(zip(self._flat_weights_names, weights, strict=True))
        return joined(type(self).__name__, named, self._blocks, self._size), None


class LSTM(_RecurrentLayer):
    """`torch.nn.LSTM`, computed by CudnnRNN.

    Args:
        input_size: I, the features of a step.
        hidden_size: H, the units.
        num_layers: L.
        bias: Whether the gates have biases.
        batch_first: Whether sequences are ``[B, T, I]``; does not affect states.
        dropout: The probability that an element between two layers is dropped in training.
        bidirectional: Whether each layer runs in both directions.
        proj_size: P, the size of the projected output; 0 for none.
        device: Where the parameters are created.
        dtype: Their dtype: float16, bfloat16, float32 or float64.

    Example:
        >>> import torch
        >>> layer = LSTM(8, 16, num_layers=2, bidirectional=True)
        >>> output, (h, c) = layer(torch.zeros(5, 3, 8))
        >>> output.shape, h.shape
        (torch.Size([5, 3, 32]), torch.Size([4, 3, 16]))
        >>> [*layer.state_dict()][:2]
        ['weight_ih_l0', 'weight_hh_l0']
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional
        super().__init__("LSTM", *sizes, proj_size, device=device, dtype=dtype)


class GRU(_RecurrentLayer):
    """`torch.nn.GRU`, computed by CudnnRNN; the arguments of `LSTM` without proj_size.

    Example:
        >>> import torch
        >>> output, h = GRU(8, 16, batch_first=True)(torch.zeros(3, 5, 8))
        >>> output.shape, h.shape
        (torch.Size([3, 5, 16]), torch.Size([1, 3, 16]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional
        super().__init__("GRU", *sizes, device=device, dtype=dtype)


class RNN(_RecurrentLayer):
    """`torch.nn.RNN`, computed by CudnnRNN; the arguments of `GRU`, and nonlinearity.

    Args:
        nonlinearity: ``"tanh"`` or ``"relu"``.

    Example:
        >>> import torch
        >>> output, h = RNN(8, 16, nonlinearity="relu")(torch.zeros(5, 3, 8))
        >>> output.shape
        torch.Size([5, 3, 16])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            got = describe(nonlinearity)
            raise InvalidArgumentError("RNN", "nonlinearity", "'tanh' or 'relu'", got)
        sizes = input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional
        super().__init__(f"RNN_{nonlinearity.upper()}", *sizes, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

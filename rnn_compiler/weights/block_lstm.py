"""TensorFlow's BlockLSTM and BlockLSTMV2: w and b.

``w[I+H, 4H]`` has the rows of x first, ``b[4H]`` is one bias. Gates are i, c, f, o (version 1) or
i, f, c, o (version 2); the kernels of LSTMBlockCell, LSTMBlockFusedCell and the old LSTMCell have
version 1's order. Matrices are transposed, b becomes the input bias, and the recurrent bias is 0;
in the other direction, b is the sum of both. BlockLSTM adds its forget_bias to f at run time; here
it is added to the bias.

For the CudnnRNN ops to compute the same, the op must have no peephole and a cell_clip of 0 or less
(BlockLSTM's default is 3), which w and b do not show.

GRUBlockCell cannot be converted, because its reset gate acts before the matrix product.

Source: tensorflow/core/kernels/rnn/lstm_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.attributes import Attribute, dimension
from rnn_compiler.schema.cudnn_layout import Layout
from rnn_compiler.weights.stacked import (
    Array,
    ArrayReader,
    Stack,
    checked_layout,
    pack,
    reorder_gates,
    total_bias,
    units_of,
    unpack,
)

_CUDNN = "ifno"
_GATES = {1: "info", 2: "ifno"}

_FORGET_BIAS = Attribute("forget_bias", float, 0.0, "added to f before its activation")


def from_block_lstm(
    w: Any, b: Any, *, input_size: int, version: int = 2, forget_bias: float = 0.0
) -> Array:
    """The parameter buffer of a BlockLSTM or BlockLSTMV2.

    Args:
        w: ``[input_size + num_units, 4 * num_units]``.
        b: ``[4 * num_units]``.
        input_size: The number of rows of w for x.
        version: 1 for BlockLSTM, 2 for BlockLSTMV2.
        forget_bias: The op's; TensorFlow's default for version 1 is 1.0. Version 2 has none.

    Returns:
        params, 1-D, of the dtype of w: one unidirectional lstm layer.

    Raises:
        InvalidArgumentError: An array has the wrong dtype or shape, or the version does not exist.

    Example:
        >>> w, b = np.ones((9, 20)), np.zeros(20)
        >>> params = from_block_lstm(w, b, input_size=4, version=1, forget_bias=1.0)
        >>> params.shape, params[180:200].tolist() == [0.0] * 5 + [1.0] * 5 + [0.0] * 10
        ((220,), True)
    """
    read = ArrayReader("from_block_lstm")
    gates, forget_bias = _gates(read.function, version, forget_bias)
    formula = "[input_size + num_units, 4 * num_units]"
    H = units_of(read.function, "w", gates, read.array("w", w, formula).shape[1])
    input_size = dimension(read.function, "input_size", input_size, 0)
    w = reorder_gates(read.array("w", w, formula, (input_size + H, 4 * H)), -1, gates, _CUDNN)
    b = reorder_gates(read.array("b", b, "[4 * num_units]", (4 * H,)), -1, gates, _CUDNN)
    b[H : 2 * H] += b.dtype.type(forget_bias)
    layout = _layout(read.function, H, input_size)
    return pack(layout, [Stack(w[:input_size].T, w[input_size:].T, b)])


def to_block_lstm(
    params: Any, *, num_units: int, input_size: int, version: int = 2, forget_bias: float = 0.0
) -> tuple[Array, Array]:
    """The w and b with which BlockLSTM or BlockLSTMV2 computes the same as with a parameter buffer.

    The inverse of `from_block_lstm`, except that b contains only the sum of both biases.

    Args:
        params: The buffer, 1-D, of one unidirectional lstm layer with input_mode "linear_input".
        num_units: Size of the state.
        input_size: Size of the input.
        version: 1 for BlockLSTM, 2 for BlockLSTMV2.
        forget_bias: The bias that the op will add to f, which is subtracted from b. Version 2 has
            none.

    Returns:
        w ``[input_size + num_units, 4 * num_units]`` and b ``[4 * num_units]``.

    Raises:
        InvalidArgumentError: A size is invalid or does not match the buffer.

    Example:
        >>> w, b = to_block_lstm(np.ones(220), num_units=5, input_size=4)
        >>> w.shape, b.shape, b[0].item()
        ((9, 20), (20,), 2.0)
    """
    gates, forget_bias = _gates("to_block_lstm", version, forget_bias)
    layout = _layout("to_block_lstm", num_units, input_size)
    (stack,) = unpack("to_block_lstm", layout, params)
    H = layout.num_units
    b = total_bias(stack)
    b[H : 2 * H] -= b.dtype.type(forget_bias)
    w = np.concatenate([stack.input.T, stack.recurrent.T])
    return reorder_gates(w, -1, _CUDNN, gates), reorder_gates(b, -1, _CUDNN, gates)


def _gates(function: str, version: int, forget_bias: float) -> tuple[str, float]:
    """The gate order of a version, and its forget bias."""
    if isinstance(version, bool) or version not in _GATES:
        raise InvalidArgumentError(function, "version", "1 or 2", describe(version))
    bias = float(_FORGET_BIAS.canonical(function, forget_bias, "float64"))
    if version == 2 and bias:
        expected = "0, as BlockLSTMV2 has no forget_bias"
        raise InvalidArgumentError(function, "forget_bias", expected, describe(forget_bias))
    return _GATES[version], bias


def _layout(function: str, num_units: object, input_size: object) -> Layout:
    return checked_layout(
        function,
        rnn_mode="lstm",
        num_layers=1,
        num_units=num_units,
        input_size=input_size,
        bidirectional=False,
    )

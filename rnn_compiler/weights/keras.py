"""Keras: the weights of LSTM, GRU and SimpleRNN layers.

A layer's `get_weights` returns kernel ``[in, gH]``, recurrent_kernel ``[H, gH]`` and, with
use_bias, a bias; Bidirectional returns those of the forward layer followed by those of the backward
layer. Kernels are transposed. Gates are i, f, c, o (LSTM) and z, r, h (GRU).

The bias of LSTM and SimpleRNN, ``[gH]``, becomes the recurrent bias, and the input bias is 0; in
the other direction, it is the sum of both. GRU's ``[2, 3H]`` contains both, input first. Only
GRU(reset_after=True), the default, computes the same as cuDNN's GRU; with use_bias=False the
weights do not show which one it is.

CuDNNLSTM and CuDNNGRU, layers of Keras 2, store weights in cuDNN's order: for each gate the
elements of an ``[H, in]`` matrix in an array of shape ``[in, H]``, and a bias of ``[2gH]``, input
first.

Keras' layers are batch-major (time_major=False); with merge_mode "concat" their output is the op's.
A layer with go_backwards=True reads each sequence in reverse and returns its output in that order.
With a mask, Keras repeats a row's last output past the row's end, where the op returns 0.

Source: keras/src/backend/tensorflow/rnn.py (_standardize_cudnn_weights), keras/src/layers/rnn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.schema.cudnn_layout import RNN_MODES, PseudoLayer
from rnn_compiler.weights.stacked import (
    Array,
    ArrayReader,
    Stack,
    as_host_array,
    checked_layout,
    gates_of,
    items_of,
    pack,
    reorder_gates,
    rows_of,
    total_bias,
    units_of,
    unpack,
)


def from_keras(
    weights: Sequence[Any],
    *,
    rnn_mode: str,
    num_layers: int = 1,
    bidirectional: bool = False,
) -> Array:
    """The parameter buffer of a Keras LSTM, GRU or SimpleRNN layer, or of several stacked layers.

    The arrays do not show the layer's options. It must have the default activation (or relu, for
    rnn_relu) and recurrent_activation, and go_backwards=False: with "hard_sigmoid", for example,
    the results would be wrong without an error. CuDNNLSTM and CuDNNGRU are recognised by their
    bias, which is twice as long.

    Args:
        weights: The result of the layer's `get_weights`; for several layers, the concatenated
            lists, as returned by the `get_weights` of a model of just these layers.
        rnn_mode: "lstm" for LSTM and CuDNNLSTM, "gru" for GRU(reset_after=True) and CuDNNGRU,
            "rnn_tanh" or "rnn_relu" for SimpleRNN.
        num_layers: The number of layers.
        bidirectional: Whether each is wrapped in Bidirectional.

    Returns:
        params, 1-D, of the dtype of the weights.

    Raises:
        InvalidArgumentError: The number of arrays is wrong, or an array's dtype or shape.

    Example:
        >>> kernel, recurrent_kernel, bias = np.ones((3, 20)), np.ones((5, 20)), np.arange(20.0)
        >>> params = from_keras([kernel, recurrent_kernel, bias], rnn_mode="lstm")
        >>> params.shape, params[-20:].tolist() == bias.tolist()
        ((200,), True)
    """
    read = ArrayReader("from_keras")
    gates = gates_of(read.function, rnn_mode)
    rows = rows_of(gates)
    arrays = items_of(read.function, "weights", weights, "arrays")
    sizes: Any = {"rnn_mode": rnn_mode, "num_layers": num_layers, "bidirectional": bidirectional}
    count = len(checked_layout(read.function, **sizes, num_units=1, input_size=1).pseudo_layers)
    if len(arrays) not in (2 * count, 3 * count):
        expected = (
            f"{3 * count} arrays (kernel, recurrent_kernel and bias, {count} times; {2 * count} "
            f"without bias), with num_layers={num_layers}, bidirectional={bidirectional}"
        )
        raise InvalidArgumentError(read.function, "weights", expected, f"{len(arrays)} arrays")
    kernel = read.array("weights[0]", arrays[0], f"[input_size, {rows}]")
    layout = checked_layout(
        read.function,
        **sizes,
        num_units=units_of(read.function, "weights[0]", gates, kernel.shape[1]),
        input_size=kernel.shape[0],
    )
    each = len(arrays) // count
    stacks = [
        _stack(read, rnn_mode, pseudo_layer, arrays[k * each : (k + 1) * each], k * each)
        for k, pseudo_layer in enumerate(layout.pseudo_layers)
    ]
    return pack(layout, stacks)


def _stack(
    read: ArrayReader, rnn_mode: str, pseudo_layer: PseudoLayer, arrays: Sequence[Any], first: int
) -> Stack:
    """The weights of one direction of a layer, whose arrays are numbered from `first`."""
    gates, mode = gates_of(read.function, rnn_mode), RNN_MODES[rnn_mode]
    order = mode.keras
    rows, total = rows_of(gates), pseudo_layer.input_bias.size
    formulas = [f"[input_size, {rows}]", f"[num_units, {rows}]", f"[{rows}]"]
    shapes = [pseudo_layer.input.shape[::-1], pseudo_layer.recurrent.shape[::-1], (total,)]
    bias_shape: tuple[int, ...] = ()
    if len(arrays) == 3:
        bias_shape = as_host_array(read.function, f"weights[{first + 2}]", arrays[2]).shape
    is_cudnn = mode.is_in_keras_2 and bias_shape == (2 * total,)
    if is_cudnn:
        formulas[2], shapes[2] = f"[2 * {rows}]", (2 * total,)
    elif not mode.adds_biases:
        formulas[2], shapes[2] = f"[2, {rows}]", (2, total)
    checked: list[Any] = []
    for k, array in enumerate(arrays):
        name = f"weights[{first + k}]"
        if k == 2 and len(shapes[2]) == 2 and len(bias_shape) == 1:
            expected = f"the bias of GRU(reset_after=True), shape {formulas[2]} = {[2, total]}"
            got = f"the bias of reset_after=False, shape {list(bias_shape)}"
            remedy = "with reset_after=False the reset gate acts before the matrix product"
            raise InvalidArgumentError(read.function, name, expected, got, remedy)
        checked.append(read.array(name, array, formulas[k], shapes[k]))
    if is_cudnn:
        return _cudnn_stack(checked, gates, order)
    w, r, *biases = [reorder_gates(each, -1, order, gates) for each in checked]
    b_w, b_r = (None, *biases, None)[:2] if mode.adds_biases or not biases else biases[0]
    return Stack(w.T, r.T, b_w, b_r)


def _cudnn_stack(arrays: Sequence[Any], gates: str, order: str) -> Stack:
    """The weights of a CuDNNLSTM or CuDNNGRU in one direction."""
    parts: list[Any] = list(np.split(arrays[2], 2))
    for kernel in arrays[1::-1]:
        columns: list[Any] = np.split(kernel, len(gates), 1)
        parts.insert(0, np.concatenate([each.reshape(each.shape[::-1]) for each in columns]))
    return Stack(*(reorder_gates(each, 0, order, gates) for each in parts))


def to_keras(
    params: Any,
    *,
    rnn_mode: str,
    num_layers: int = 1,
    num_units: int,
    input_size: int,
    bidirectional: bool = False,
) -> list[Array]:
    """The weights with which Keras layers compute the same as a parameter buffer.

    The inverse of `from_keras`, except that Keras stores only the sum of some biases. Keras' layers
    have no projection.

    Args:
        params: The buffer, 1-D, of a CudnnRNN op with input_mode "linear_input".
        rnn_mode: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        num_layers: The number of layers.
        num_units: Size of the state; Keras' units.
        input_size: Size of the input.
        bidirectional: Whether each layer runs in both directions.

    Returns:
        New arrays for `set_weights` of a layer with use_bias=True; for several layers,
        concatenated.

    Raises:
        InvalidArgumentError: A size is invalid or does not match the buffer.

    Example:
        >>> weights = to_keras(np.ones(200), rnn_mode="lstm", num_units=5, input_size=3)
        >>> [array.shape for array in weights], weights[2][0].item()
        ([(3, 20), (5, 20), (20,)], 2.0)
    """
    layout = checked_layout(
        "to_keras",
        rnn_mode=rnn_mode,
        num_layers=num_layers,
        num_units=num_units,
        input_size=input_size,
        bidirectional=bidirectional,
    )
    gates, order = layout.gates, layout.mode.keras
    weights: list[Array] = []
    for stack in unpack("to_keras", layout, params):
        bias: Any = total_bias(stack) if layout.mode.adds_biases else np.stack(stack[2:4])
        for array in (stack.input.T, stack.recurrent.T, bias):
            weights.append(reorder_gates(array, -1, gates, order))
    return weights

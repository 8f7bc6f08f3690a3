"""ONNX: the inputs W, R and B of the operators LSTM, GRU and RNN.

A node is one layer of one or two directions D: ``W [D, gH, in]``, ``R [D, gH, H]`` and, optionally,
``B [D, 2gH]`` with the input biases first. Nothing is transposed. Gates are i, o, f, c (LSTM) and
z, r, h (GRU).

For the CudnnRNN ops to compute the same, the node must have the following attributes, which the
arrays do not show: linear_before_reset=1 for GRU; the default activations (Tanh or Relu for RNN),
no clip, input_forget=0, no peepholes P; direction "forward" or "bidirectional". With layout=0, the
op's output is ``Y [T, D, B, H]`` with axes 1 and 2 swapped and the last two then merged.

Source: https://onnx.ai/onnx/operators (LSTM, GRU, RNN).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.weights.stacked import (
    Array,
    ArrayReader,
    Stack,
    checked_layout,
    gates_of,
    items_of,
    pack,
    reorder_gates,
    rows_of,
    units_of,
    unpack,
)


class OnnxWeights(NamedTuple):
    """The weights of one node, or of several nodes as lists.

    Attributes:
        W: ``[D, gH, in]``.
        R: ``[D, gH, H]``.
        B: ``[D, 2gH]``.
    """

    W: Any
    R: Any
    B: Any


def from_onnx(
    W: Any | Sequence[Any], R: Any | Sequence[Any], B: Any | Sequence[Any] = None, *, rnn_mode: str
) -> Array:
    """The parameter buffer of an ONNX LSTM, GRU or RNN node, or of several stacked nodes.

    Args:
        W: The node's W, ``[num_directions, gH, input_size]``; for several nodes, each feeding the
            next, a list with one array per node. The same applies to R and B.
        R: ``[num_directions, gH, num_units]``.
        B: ``[num_directions, 2gH]``; None for zeros.
        rnn_mode: "lstm" for LSTM, "gru" for GRU with linear_before_reset=1, "rnn_tanh" or
            "rnn_relu" for RNN.

    Returns:
        params, 1-D, of the dtype of the weights.

    Raises:
        InvalidArgumentError: An array has the wrong dtype or shape.

    Example:
        >>> W, R, B = np.ones((2, 15, 3)), np.ones((2, 15, 5)), np.zeros((2, 30))
        >>> from_onnx(W, R, B, rnn_mode="gru").shape
        (300,)
    """
    read = ArrayReader("from_onnx")
    gates = gates_of(read.function, rnn_mode)
    rows = rows_of(gates)
    if isinstance(W, (list, tuple)):
        nodes = _nodes(read.function, W, R, B)
    else:
        nodes = [{"W": W, "R": R, "B": B}]
    first = read.array("W", nodes[0]["W"], f"[num_directions, {rows}, input_size]")
    if first.shape[0] not in (1, 2):
        expected = f"1 or 2 directions, shape [num_directions, {rows}, input_size]"
        raise InvalidArgumentError(read.function, "W", expected, f"shape {list(first.shape)}")
    layout = checked_layout(
        read.function,
        rnn_mode=rnn_mode,
        num_layers=len(nodes),
        num_units=units_of(read.function, "W", gates, first.shape[1]),
        input_size=first.shape[2],
        bidirectional=first.shape[0] == 2,
    )
    order, D = layout.mode.onnx, layout.num_directions
    stacks: list[Stack] = []
    for layer, node in enumerate(nodes):
        pseudo_layer = layout.pseudo_layers[layer * D]
        formulas = {
            "W": (f"[num_directions, {rows}, input_size]", pseudo_layer.input.shape),
            "R": (f"[num_directions, {rows}, num_units]", pseudo_layer.recurrent.shape),
            "B": (f"[num_directions, 2 * {rows}]", (2 * pseudo_layer.input_bias.size,)),
        }
        label = f"[{layer}]" if len(nodes) > 1 else ""
        arrays = {
            name: read.array(name + label, node[name], formula, (D, *shape))
            for name, (formula, shape) in formulas.items()
            if name != "B" or node["B"] is not None
        }
        for d in range(D):
            parts = [arrays["W"][d], arrays["R"][d]]
            parts += np.split(arrays["B"][d], 2) if "B" in arrays else []
            stacks.append(Stack(*(reorder_gates(a, 0, order, gates) for a in parts)))
    return pack(layout, stacks)


def to_onnx(
    params: Any,
    *,
    rnn_mode: str,
    num_layers: int = 1,
    num_units: int,
    input_size: int,
    bidirectional: bool = False,
) -> OnnxWeights:
    """The W, R and B with which ONNX nodes compute the same as a parameter buffer.

    ONNX has no projection.

    Args:
        params: The buffer, 1-D, of a CudnnRNN op with input_mode "linear_input".
        rnn_mode: "lstm", "gru", "rnn_tanh" or "rnn_relu". A GRU node needs linear_before_reset=1.
        num_layers: The number of layers.
        num_units: Size of the state; ONNX's hidden_size.
        input_size: Size of the input.
        bidirectional: Whether each layer runs in both directions.

    Returns:
        W, R, B: arrays for one layer, otherwise lists with one array per layer.

    Raises:
        InvalidArgumentError: A size is invalid or does not match the buffer.

    Example:
        >>> W, R, B = to_onnx(np.ones(150), rnn_mode="gru", num_units=5, input_size=3)
        >>> W.shape, R.shape, B.shape
        ((1, 15, 3), (1, 15, 5), (1, 30))
    """
    layout = checked_layout(
        "to_onnx",
        rnn_mode=rnn_mode,
        num_layers=num_layers,
        num_units=num_units,
        input_size=input_size,
        bidirectional=bidirectional,
    )
    gates, order, D = layout.gates, layout.mode.onnx, layout.num_directions
    nodes: list[tuple[Array, ...]] = []
    stacks = unpack("to_onnx", layout, params)
    for layer in range(layout.num_layers):
        rows = [
            [reorder_gates(a, 0, gates, order) for a in stack[:4] if a is not None]
            for stack in stacks[layer * D : (layer + 1) * D]
        ]
        w, r, b_w, b_r = (np.stack(arrays) for arrays in zip(*rows, strict=True))
        nodes.append((w, r, np.concatenate([b_w, b_r], 1)))
    return OnnxWeights(*(nodes[0] if len(nodes) == 1 else map(list, zip(*nodes, strict=True))))


def _nodes(function: str, W: Any, R: Any, B: Any) -> list[dict[str, Any]]:
    """The arrays of several nodes, from lists of one array per node."""
    lists = {"W": items_of(function, "W", W, "arrays")}
    lists["R"] = items_of(function, "R", R, "arrays, as W is")
    lists["B"] = [None] * len(W) if B is None else items_of(function, "B", B, "arrays, as W is")
    for name, items in lists.items():
        if len(items) != len(W) or not items:
            expected = f"one array per node, {len(W) or 'at least 1'} as W has"
            raise InvalidArgumentError(function, name, expected, f"{len(items)} arrays")
    return [dict(zip(lists, node, strict=True)) for node in zip(*lists.values(), strict=True)]

"""Layers as ONNX graphs of one node, LSTM, GRU or RNN, for runtimes of such graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.inputs import Arrays, cell_of, directions_of, layer_weights
from benchmarks.peers import reordered
from benchmarks.rows import Case

__all__ = ["checked", "layer_graph"]

_NODES = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN"}
_ORDERS = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,)}
"""The positions of ONNX's gates i, o, f, c in cuDNN's i, f, c, o; and of z, r, h in r, z, h."""


def layer_graph(case: Case, arrays: Arrays) -> Any:
    """The graph of a CudnnRNN: from X, h0, c0 and lengths, if any, to Y, Y_h and Y_c."""
    T, B, I, H = case.size
    D, cell = directions_of(case), cell_of(case)
    weights = reordered(layer_weights(arrays["params"], case), _ORDERS[cell])
    constants = {
        "W": weights["W"],
        "R": weights["R"],
        "B": np.concatenate([weights["bW"], weights["bR"]], axis=1),
    }

    def tensor(name: str, *shape: int, kind: int = TensorProto.FLOAT) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    state = tensor("h0", D, B, H), tensor("c0", D, B, H)
    results = tensor("Y", T, D, B, H), tensor("Y_h", D, B, H), tensor("Y_c", D, B, H)
    count = 2 if cell == "lstm" else 1
    inputs = [tensor("X", T, B, I), *state[:count]]
    lengths = "lengths" if case.workload.lengths else ""
    if lengths:
        inputs.append(tensor(lengths, B, kind=TensorProto.INT32))
    more = {"linear_before_reset": 1} if cell == "gru" else {}
    node = helper.make_node(
        _NODES[cell],
        ["X", "W", "R", "B", lengths, "h0", "c0"][: 5 + count],
        ["Y", "Y_h", "Y_c"][: 1 + count],
        hidden_size=H,
        direction="bidirectional" if D == 2 else "forward",
        **more,
    )
    graph = helper.make_graph(
        [node],
        "layer",
        inputs,
        results[: 1 + count],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return checked(graph)


def checked(graph: Any) -> Any:
    """A graph as a checked model."""
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model)
    return model

"""A layer as OpenVINO computes it in int8: products, and a loop over time.

Its LSTMSequence and GRUSequence do not support int8 weights with scales determined during the
call, and `nncf.compress_weights` leaves them unchanged. Products do: the weights are int8 constants
with a scale for each column, as `nncf.compress_weights` stores those of a linear layer, and
the plugin quantizes rows in groups of `DYNAMIC_QUANTIZATION_GROUP_SIZE` numbers. So the product of
all inputs comes first, and the loop (`TensorIterator`) contains that of the states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from benchmarks.inputs import Arrays, cell_of, draw, layer_weights
from benchmarks.rows import Case
from rnn_compiler.quantization import quantized_matrix

__all__ = ["layer_in_int8"]


def layer_in_int8(case: Case) -> Any:
    """The graph of a layer in one direction; inputs and results have TensorFlow's layouts."""
    T, B, I, H = case.size
    arrays = draw(case)
    (weights,) = layer_weights(arrays["params"], case)
    states = ["h", "c"] if cell_of(case) == "lstm" else ["h"]
    x = ops.parameter([T, B, I], np.float32)
    first: list[Any] = [ops.parameter([1, B, H], np.float32) for _ in states]
    rows = ops.add(_product(x, weights["W"]), ops.constant(weights["bW"]))
    before = [ops.squeeze(each, ops.constant([0])) for each in first]
    if T == 1:
        after = _step(ops.squeeze(rows, ops.constant([0])), before, weights)
        sequence, last = _with_time(after[0]), after
    else:
        sequence, last = _loop(rows, before, weights)
    named = {"output": sequence}
    named |= {f"output_{k}": _with_time(each) for k, each in zip(states, last, strict=True)}
    results = [ops.result(each) for each in named.values()]
    model = ov.Model(results, [x, *first], "layer")
    ports = [*model.inputs, *model.outputs]
    for port, name in zip(ports, ["input", *(f"input_{k}" for k in states), *named], strict=True):
        port.get_tensor().set_names({name})
    return model


def _product(rows: Any, matrix: Any) -> Any:
    """The product of rows and a matrix ``[N, K]`` in int8."""
    numbers, scales = quantized_matrix(matrix, 1)
    weights = ops.convert(ops.constant(numbers), "f32")
    return ops.matmul(rows, ops.multiply(weights, ops.constant(scales[:, None])), False, True)


def _with_time(array: Any) -> Any:
    return ops.unsqueeze(array, ops.constant([0])).output(0)


def _loop(rows: Any, before: list[Any], weights: Arrays) -> tuple[Any, list[Any]]:
    """The outputs of all steps, and the last states."""
    _, B, N = rows.output(0).shape
    row: Any = ops.parameter([1, B, N], np.float32)
    states: list[Any] = [ops.parameter(each.output(0).shape, np.float32) for each in before]
    made = _step(ops.squeeze(row, ops.constant([0])), states, weights)
    output, *after = map(ops.result, (_with_time(made[0]), *made))
    loop: Any = ops.tensor_iterator()
    loop.set_body(ov.Model([output, *after], [row, *states], "step"))
    loop.set_sliced_input(row, rows.output(0), 0, 1, 1, -1, 0)
    for state, old, new in zip(states, before, after, strict=True):
        loop.set_merged_input(state, old.output(0), new.output(0))
    sequence = loop.get_concatenated_slices(output.output(0), 0, 1, 1, -1, 0)
    return sequence, [loop.get_iter_value(each.output(0), -1) for each in after]


def _step(row: Any, states: list[Any], weights: Arrays) -> list[Any]:
    """The states after a step, from the product of its inputs."""
    h, *others = states
    product = ops.add(_product(h, weights["R"]), ops.constant(weights["bR"]))

    def gates(array: Any, count: int) -> Any:
        return ops.split(array, ops.constant(1), count).outputs()

    if others:
        i, f, new, o = gates(ops.add(row, product), 4)
        c = ops.multiply(ops.sigmoid(f), others[0])
        c = ops.add(c, ops.multiply(ops.sigmoid(i), ops.tanh(new)))
        return [ops.multiply(ops.sigmoid(o), ops.tanh(c)), c]
    pairs = zip(gates(row, 3), gates(product, 3), strict=True)
    (r, r_h), (z, z_h), (new, new_h) = pairs
    reset, keep = ops.sigmoid(ops.add(r, r_h)), ops.sigmoid(ops.add(z, z_h))
    new = ops.tanh(ops.add(new, ops.multiply(reset, new_h)))
    return [ops.add(new, ops.multiply(keep, ops.subtract(h, new)))]

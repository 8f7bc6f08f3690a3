"""TensorFlow on ONNX's ops: layers of Keras, or its fused kernel where there are peepholes.

Keras has LSTM with hard_sigmoid and GRU(reset_after=False), in a `tf.function`, as a graph or
compiled by XLA, whichever is faster. It has no peepholes, but TensorFlow's BlockLSTMV2 has them.
Keras takes batch-major sequences, so they are transposed beforehand. Both have one bias, the sum
of ONNX's two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from benchmarks.inputs import Arrays, cell_of, draw
from benchmarks.peers import Variant
from benchmarks.rows import Case

__all__ = ["variants"]

_ORDERS = {"lstm": (0, 2, 3, 1), "gru": (0, 1, 2)}
"""The positions of TensorFlow's gates i, f, c, o in ONNX's i, o, f, c; and of z, r, h."""


def variants(case: Case) -> list[Variant]:
    """Inference, or forward and backward."""
    if "P" in case.workload.attributes["inputs"].split():
        return [_kernel(case)]
    return [_layer(case, jit) for jit in (False, True)]


def _gates(part: Any, order: Sequence[int]) -> Any:
    """A part of one direction, its gates in another order."""
    gates = np.split(np.asarray(part), len(order))
    return np.concatenate([gates[gate] for gate in order])


def _weights(case: Case, arrays: Arrays) -> tuple[Any, Any, Any]:
    """Kernel, recurrent kernel and bias."""
    order = _ORDERS[cell_of(case)]
    w, r = (np.ascontiguousarray(_gates(arrays[name][0], order).T) for name in ("W", "R"))
    return w, r, sum(_gates(half, order) for half in np.split(arrays["B"][0], 2))


def _weight_gradients(case: Case, w: Any, r: Any, bias: Any) -> Arrays:
    """The gradients of kernel, recurrent kernel and bias in the layout of ONNX's op."""
    back = np.argsort(_ORDERS[cell_of(case)])
    w, r = (_gates(np.asarray(each).T, back)[None] for each in (w, r))
    return {"W_grad": w, "R_grad": r, "B_grad": np.tile(_gates(bias, back), 2)[None]}


def _layer(case: Case, jit: bool) -> Variant:
    """A layer of Keras, in a `tf.function`."""
    arrays = draw(case)
    T, B, I, H = case.size
    names = "hc" if cell_of(case) == "lstm" else "h"
    returned = {"return_sequences": True, "return_state": True}
    layer: Any = (
        keras.layers.LSTM(H, recurrent_activation="hard_sigmoid", **returned)
        if cell_of(case) == "lstm"
        else keras.layers.GRU(H, reset_after=False, **returned)
    )
    layer.build((B, T, I))
    layer.set_weights(_weights(case, arrays))
    x = tf.constant(arrays["X"].transpose(1, 0, 2))
    states = [tf.constant(arrays[f"initial_{name}"][0]) for name in names]
    upstream = [tf.constant(arrays["Y_grad"][:, 0].transpose(1, 0, 2))]
    upstream += [tf.constant(arrays[f"Y_{name}_grad"][0]) for name in names]

    def forward(x: Any, states: Any) -> Any:
        return layer(x, initial_state=states)

    def both(x: Any, states: Any, upstream: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, *states])
            results = forward(x, states)
        inputs = [x, *states, *layer.trainable_variables]
        return *results, *tape.gradient(results, inputs, output_gradients=upstream)

    training = case.workload.passes > 1
    arguments = (x, states, upstream) if training else (x, states)
    function: Any = tf.function(both if training else forward, jit_compile=jit)
    graph = function.get_concrete_function(*arguments)
    flat: list[Any] = tf.nest.flatten(arguments)

    def fetch(results: Any) -> Arrays:
        values = [np.asarray(value) for value in results]
        found = {"Y": values[0].transpose(1, 0, 2)[:, None]}
        found |= {f"Y_{name}": values[1 + n][None] for n, name in enumerate(names)}
        if training:
            dx, *rest = values[1 + len(names) :]
            found["X_grad"] = dx.transpose(1, 0, 2)
            found |= {f"initial_{name}_grad": rest[n][None] for n, name in enumerate(names)}
            found |= _weight_gradients(case, *rest[len(names) :])
        return found

    return Variant("Keras, XLA" if jit else "Keras, graph", lambda: graph(*flat), fetch)


def _kernel(case: Case) -> Variant:
    """BlockLSTMV2 and BlockLSTMGradV2, as a graph."""
    arrays = draw(case)
    w, r, bias = _weights(case, arrays)
    i, o, f = np.split(arrays["P"][0], 3)
    state = {"cs_prev": arrays["initial_c"][0], "h_prev": arrays["initial_h"][0]}
    given = {"x": arrays["X"], **state, "w": np.concatenate([w, r]), "b": bias}
    given |= {"wci": i, "wcf": f, "wco": o}
    tensors = {name: tf.constant(array) for name, array in given.items()}
    tensors["seq_len_max"] = tf.constant(case.size.T, tf.int64)
    h_grad = arrays["Y_grad"][:, 0].copy()
    h_grad[-1] += arrays["Y_h_grad"][0]
    cs_grad = np.zeros_like(h_grad)
    cs_grad[-1] = arrays["Y_c_grad"][0]
    upstream = {"cs_grad": tf.constant(cs_grad), "h_grad": tf.constant(h_grad)}
    training = case.workload.passes > 1

    def run(tensors: Any, upstream: Any) -> Any:
        forward = tf.raw_ops.BlockLSTMV2(**tensors, cell_clip=0.0, use_peephole=True)._asdict()
        if not training:
            return (forward,)
        gradients = tf.raw_ops.BlockLSTMGradV2(**tensors, **forward, **upstream, use_peephole=True)
        return forward, gradients._asdict()

    function: Any = tf.function(run)
    graph = function.get_concrete_function(tensors, upstream)
    flat: list[Any] = tf.nest.flatten((tensors, upstream))

    def fetch(results: Any) -> Arrays:
        forward, *more = [{k: np.asarray(v) for k, v in each.items()} for each in results]
        h, cs = forward["h"], forward["cs"]
        found = {"Y": h[:, None], "Y_h": h[-1:], "Y_c": cs[-1:]}
        for g in more:
            found |= {"X_grad": g["x_grad"], "initial_h_grad": g["h_prev_grad"][None]}
            found["initial_c_grad"] = g["cs_prev_grad"][None]
            found |= _weight_gradients(case, *np.split(g["w_grad"], [case.size.I]), g["b_grad"])
            parts = [g[f"{name}_grad"] for name in ("wci", "wco", "wcf")]
            found["P_grad"] = np.concatenate(parts)[None]
        return found

    return Variant("BlockLSTMV2, graph", lambda: graph(*flat), fetch)

"""Training steps in TensorFlow: a `tf.function` of loss, gradients and AdamW on variables.

As a graph, LSTMs are TensorFlow's fused kernel, BlockLSTMV2. XLA has no such kernel: there they are
loops, as GRUs are in both.
"""

# TensorFlow has no type annotations.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.peers import Variant
from benchmarks.rows import Case
from benchmarks.steps import AGREEING, DECAY, EPSILON, MOMENTS, PERIOD, RATE, Step, step_of

__all__ = ["first_way", "variants"]


class Layers:
    """The networks, with LSTMs as a kernel or as loops."""

    def __init__(self, *, is_fused: bool) -> None:
        self.is_fused = is_fused

    def lstm(self, p: Any, x: Any) -> Any:
        """[steps, batch, units]."""
        rows, units = x.shape[1], p["r"].shape[1]
        zero = tf.zeros((rows, units))
        if self.is_fused:
            return _fused(x, tf.transpose(tf.concat([p["w"], p["r"]], 1)), p["bw"] + p["br"])

        def cell(state: Any, x: Any) -> Any:
            c, h = state
            i, f, g, o = tf.split(x + h @ tf.transpose(p["r"]), 4, 1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            return (c, h), h

        return _loop(cell, (zero, zero), _inputs(p, x) + p["br"])

    def gru(self, p: Any, x: Any) -> Any:
        """[steps, batch, units]."""

        def cell(state: Any, x: Any) -> Any:
            (h,) = state
            xr, xz, xn = tf.split(x, 3, 1)
            hr, hz, hn = tf.split(h @ tf.transpose(p["r"]) + p["br"], 3, 1)
            z = tf.sigmoid(xz + hz)
            h = (1 - z) * tf.tanh(xn + tf.sigmoid(xr + hr) * hn) + z * h
            return (h,), h

        return _loop(cell, (tf.zeros((x.shape[1], p["r"].shape[1])),), _inputs(p, x))

    def characters(self, p: Any, x: Any, y: Any, mask: Any) -> Any:
        """The loss."""
        h = self.gru(p["gru"], tf.gather(p["embedding"]["w"], x))
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(y, dense(p["dense"], h))
        return tf.reduce_sum(each * mask) / tf.reduce_sum(mask)

    def tagger(self, p: Any, x: Any, y: Any) -> Any:
        """The loss."""
        h = self.lstm(p["second"], self.lstm(p["first"], x))
        logits = dense(p["dense"], h)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    def convolution(self, p: Any, x: Any, y: Any) -> Any:
        """The loss."""
        of = p["convolution"]
        filters = tf.transpose(of["w"], (2, 1, 0))
        x = tf.nn.conv1d(tf.transpose(x, (1, 0, 2)), filters, 2, "VALID")
        h = self.lstm(p["lstm"], tf.transpose(tf.nn.relu(x + of["b"]), (1, 0, 2)))
        logits = dense(p["dense"], h[-1])
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    def readers(self, p: Any, x: Any, y: Any) -> Any:
        """The loss."""
        back = tf.reverse(self.lstm(p["backward"], tf.reverse(x, (0,))), (0,))
        logits = dense(p["dense"], tf.concat([self.lstm(p["forward"], x), back], 2))
        rows = x.shape[1]
        lengths = tf.fill((rows,), y.shape[1]), tf.fill((rows,), x.shape[0])
        return tf.reduce_mean(tf.nn.ctc_loss(y, logits, *lengths, blank_index=0))

    def regression(self, p: Any, x: Any, y: Any) -> Any:
        """The loss."""
        return tf.reduce_mean((dense(p["dense"], self.lstm(p["lstm"], x)[-1]) - y) ** 2)


@tf.custom_gradient
def _fused(x: Any, w: Any, b: Any) -> Any:
    """An LSTM by the kernel: TensorFlow's own gradient of it is that of BlockLSTM, and wrong."""
    zero, none = tf.zeros((x.shape[1], b.shape[0] // 4)), tf.zeros(b.shape[0] // 4)
    given = {"seq_len_max": tf.constant(x.shape[0], tf.int64), "x": x, "w": w, "b": b}
    given |= {"cs_prev": zero, "h_prev": zero, "wci": none, "wcf": none, "wco": none}
    made = tf.raw_ops.BlockLSTMV2(**given, cell_clip=0.0, use_peephole=False)

    def gradient(h_grad: Any) -> Any:
        rest = {"cs_grad": tf.zeros_like(made.cs), "h_grad": h_grad, "use_peephole": False}
        found = tf.raw_ops.BlockLSTMGradV2(**given, **made._asdict(), **rest)
        return found.x_grad, found.w_grad, found.b_grad

    return made.h, gradient


def dense(p: Any, x: Any) -> Any:
    """[..., outputs]."""
    return tf.linalg.matmul(x, p["w"], transpose_b=True) + p["b"]


def _inputs(p: Any, x: Any) -> Any:
    """The products of the inputs of all steps."""
    return dense({"w": p["w"], "b": p["bw"]}, x)


def _loop(cell: Callable[..., Any], state: Any, x: Any) -> Any:
    """The outputs of a cell over the steps of a sequence."""
    steps = x.shape[0]
    made = tf.TensorArray(tf.float32, steps, element_shape=state[-1].shape)

    def step(t: Any, state: Any, made: Any) -> Any:
        state, h = cell(state, x[t])
        return t + 1, state, made.write(t, h)

    given = tf.constant(0), state, made
    *_, made = tf.while_loop(lambda t, *_: t < steps, step, given, maximum_iterations=steps)
    return made.stack()


def _begin(step: Step, jit: bool) -> Callable[[], Any]:
    """A function that makes a step and returns its loss."""
    trained = tf.nest.map_structure(tf.Variable, step.parameters())
    flat = tf.nest.flatten(trained)
    first, second = ([tf.Variable(tf.zeros_like(v)) for v in flat] for _ in range(2))
    count = tf.Variable(0.0)
    batch = {name: tf.constant(array) for name, array in step.batch().items()}
    network = getattr(Layers(is_fused=not jit), step.network)

    @tf.function(jit_compile=jit)
    def one() -> Any:
        with tf.GradientTape() as tape:
            value = network(trained, **batch)
        gradients = [tf.convert_to_tensor(g) for g in tape.gradient(value, flat)]
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        rate = RATE * 0.5 * (1 + tf.cos(np.pi * count / PERIOD))
        count.assign_add(1)
        c1, c2 = (1 - beta**count for beta in MOMENTS)
        for p, m, v, g in zip(flat, first, second, gradients, strict=True):
            m.assign(MOMENTS[0] * m + (1 - MOMENTS[0]) * g)
            v.assign(MOMENTS[1] * v + (1 - MOMENTS[1]) * g * g)
            p.assign_sub(rate * (m / c1 / (tf.sqrt(v / c2) + EPSILON) + DECAY * p))
        return value

    return lambda: one().numpy()


def first_way(step: Step) -> Callable[[], Any]:
    """The step without variants."""
    return _begin(step, jit=False)


def variants(case: Case) -> list[Variant]:
    """As a graph, and compiled by XLA."""
    step = step_of(case)

    def made(name: str, jit: bool) -> Variant:
        def fetch(_: Any) -> dict[str, Any]:
            anew = _begin(step, jit)
            return {"losses": np.array([float(anew()) for _ in range(AGREEING)])}

        return Variant(name, _begin(step, jit), fetch)

    return [made("graph", False), made("XLA", True)]

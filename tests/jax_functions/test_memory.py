"""What a training step needs on a microcontroller."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from quick import first

import rnn_compiler as rc

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
rj = pytest.importorskip("rnn_compiler.jax")

T, B, I, H, CLASSES = 32, 1, 6, 16, 4  # noqa: E741

MOST = {"gru": 24 << 10, "lstm": 28 << 10}
"""Bytes of scratch memory."""


def zeros(tree: Any) -> Any:
    return jax.tree.map(np.zeros_like, tree)


def step(mode: str) -> rc.Module:
    """A layer and a dense layer of its last output, the cross entropy, and Adam."""
    gates = {"gru": 3, "lstm": 4}[mode]

    def loss(params: Any, x: Any, y: Any) -> Any:
        zero, lengths = jnp.zeros((1, B, H)), np.full(B, T, np.int32)
        run = rj.cudnn_rnn_v3(x, zero, zero, params["layer"], lengths, rnn_mode=mode)
        scores = jax.nn.log_softmax(run.output_h[0] @ params["dense"])
        return -jnp.take_along_axis(scores, y[:, None], 1).mean()

    def train(params: Any, m: Any, v: Any, count: Any, x: Any, y: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(params, x, y)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
        scale = jnp.sqrt(1 - 0.999 ** (count + 1)) / (1 - 0.9 ** (count + 1))
        params = jax.tree.map(lambda p, m, v: p - 0.01 * scale * m / jnp.sqrt(v), params, m, v)
        return {"params": params, "m": m, "v": v, "count": count + 1, "loss": value}

    layer = np.zeros(gates * H * (I + H + 2), np.float32)
    params = {"layer": layer, "dense": np.zeros((H, CLASSES), np.float32)}
    given = params, zeros(params), zeros(params), np.float32(0)
    batch = np.zeros((T, B, I), np.float32), np.zeros(B, np.int32)
    exported = rj.export(jax.jit(train, donate_argnums=(0, 1, 2, 3)))(*given, *batch)
    return rc.link_module(exported.mlir_module())


@pytest.mark.parametrize("mode", first(MOST))
def test_scratch_memory(mode: str) -> None:
    """A GRU's step has one array for the gradients of gates that two others share, and no zeros."""
    module = step(mode)
    (function,) = rc.compile_c(module, "cpu:cortex-m4", name="m").manifest["functions"]
    assert function["scratch_size"] <= MOST[mode]

"""What a training step needs on a microcontroller: the figures of docs/train_anywhere.md."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from docs.pages import PAGES

import rnn_compiler as rc

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
rj = pytest.importorskip("rnn_compiler.jax")

T, B, I, H, CLASSES = 32, 1, 6, 16, 4  # noqa: E741

MEMORY = re.compile(
    r"needs ([\d.]+) KB of flash, ([\d.]+) KB of states \(parameters and two moments\) "
    r"and ([\d.]+) KB of scratch memory; an LSTM ([\d.]+), ([\d.]+) and ([\d.]+) KB"
)
CHECKPOINT = re.compile(r"over 128 steps need (\d+) KB instead of (\d+) KB, and (\d+) KB more code")


def said(figures: re.Pattern[str]) -> list[str]:
    """The figures on the page."""
    found = figures.search(" ".join(PAGES["docs/train_anywhere.md"].read_text().split()))
    assert found
    return list(found.groups())


def zeros(tree: Any) -> Any:
    return jax.tree.map(np.zeros_like, tree)


def same(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def step(mode: str, steps: int = T, layers: int = 1, wrap: Any = same) -> rc.Module:
    """Layers and a dense layer of the last output, the cross entropy, and Adam."""
    gates = {"gru": 3, "lstm": 4}[mode]

    def layer(x: Any, weights: Any) -> Any:
        zero, lengths = jnp.zeros((1, B, H)), np.full(B, steps, np.int32)
        return rj.cudnn_rnn_v3(x, zero, zero, weights, lengths, rnn_mode=mode)

    def loss(params: Any, x: Any, y: Any) -> Any:
        for weights in params["layers"][:-1]:
            x = wrap(layer)(x, weights).output
        h = wrap(layer)(x, params["layers"][-1]).output_h
        scores = jax.nn.log_softmax(h[0] @ params["dense"])
        return -jnp.take_along_axis(scores, y[:, None], 1).mean()

    def train(params: Any, m: Any, v: Any, count: Any, x: Any, y: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(params, x, y)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
        scale = jnp.sqrt(1 - 0.999 ** (count + 1)) / (1 - 0.9 ** (count + 1))
        params = jax.tree.map(lambda p, m, v: p - 0.01 * scale * m / jnp.sqrt(v), params, m, v)
        return {"params": params, "m": m, "v": v, "count": count + 1, "loss": value}

    inputs = [I, *[H] * (layers - 1)]
    random = np.random.default_rng(0).standard_normal
    params = {
        "layers": [random(gates * H * (size + H + 2), np.float32) for size in inputs],
        "dense": random((H, CLASSES), np.float32),
    }
    given = params, zeros(params), zeros(params), np.float32(0)
    batch = np.zeros((steps, B, I), np.float32), np.zeros(B, np.int32)
    exported = rj.export(jax.jit(train, donate_argnums=(0, 1, 2, 3)))(*given, *batch)
    first = dict(zip(("params", "m", "v", "count"), given, strict=True))
    return rc.link_module(exported.mlir_module(), states=first)


def needs(module: rc.Module) -> tuple[int, int, int]:
    """Bytes of flash, states and scratch memory."""
    manifest = rc.compile_c(module, "cpu:cortex-m4", name="m").manifest
    (function,) = manifest["functions"]
    return manifest["flash_size"], manifest["state"]["size"], function["scratch_size"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["gru", "lstm"])
def test_memory_of_a_step(mode: str) -> None:
    """A GRU's step has one array for the gradients of gates that two others share, and no zeros."""
    figures = said(MEMORY)[:3] if mode == "gru" else said(MEMORY)[3:]
    assert [f"{size / 1000:.1f}" for size in needs(step(mode))] == figures


@pytest.mark.slow
def test_memory_with_checkpoints() -> None:
    """Layers that are computed again need less: it pays for long sequences only."""
    flash, _, scratch = needs(step("gru", 128, 4))
    more_flash, _, less_scratch = needs(step("gru", 128, 4, jax.checkpoint))
    assert less_scratch < 0.85 * scratch
    sizes = less_scratch, scratch, more_flash - flash
    assert [f"{size / 1000:.0f}" for size in sizes] == said(CHECKPOINT)

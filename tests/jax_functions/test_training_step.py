"""Whole training steps: the loss, its gradient and an optimizer, in every way that runs modules."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from execution import Execute, ways_of
from jax_functions.trees import leaves
from quick import only

import rnn_compiler as rc

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
rj = pytest.importorskip("rnn_compiler.jax")

T, B, I, H, CLASSES = 7, 2, 3, 5, 4  # noqa: E741
RNG = np.random.default_rng(0)


def array(*shape: int) -> Any:
    return RNG.normal(0, 0.4, shape).astype(np.float32)


class Step(NamedTuple):
    """A step: from parameters, an optimizer's state and a batch to the next ones and the loss."""

    step: Callable[..., Mapping[str, Any]]
    params: Any
    optimizer: Any
    batch: Mapping[str, Any]


def adam(params: Any, state: Any, gradient: Any) -> tuple[Any, Any]:
    """Its correction is a power of a count that the state has."""
    count = state["count"] + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], gradient)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, state["v"], gradient)

    def updated(p: Any, m: Any, v: Any) -> Any:
        scale = jnp.sqrt(v / (1 - 0.99**count)) + 1e-6
        return p - 0.05 * (m / (1 - 0.9**count)) / scale

    params = jax.tree.map(updated, params, first, second)
    return params, {"count": count, "m": first, "v": second}


def clipped_momentum(params: Any, state: Any, gradient: Any) -> tuple[Any, Any]:
    """Gradients of a norm above 0.1 are scaled; a loss that is not finite would change nothing."""
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradient)))
    scale = jnp.where(norm < 0.1, 1.0, 0.1 / norm)
    state = jax.tree.map(lambda m, g: 0.9 * m + scale * g, state, gradient)
    params = jax.tree.map(lambda p, m: jnp.where(jnp.isfinite(norm), p - m, p), params, state)
    return params, state


def trained(loss: Callable[..., Any], optimizer: Callable[..., Any]) -> Callable[..., Any]:
    def step(params: Any, state: Any, batch: Any) -> Mapping[str, Any]:
        value, gradient = jax.value_and_grad(loss)(params, **batch)
        params, state = optimizer(params, state, gradient)
        return {"params": params, "state": state, "loss": value}

    return step


def regression() -> Step:
    """An LSTM with a dense layer, and Adam."""

    def loss(params: Any, x: Any, y: Any) -> Any:
        state, zero = jnp.zeros((B, H)), jnp.zeros(H)
        w, b = params["w"], params["b"]
        run = rj.block_lstm_v2(T, x, state, state, w, zero, zero, zero, b, cell_clip=3.0)
        return jnp.mean((run.h @ params["dense"] - y) ** 2)

    params = {"w": array(I + H, 4 * H), "b": array(4 * H), "dense": array(H, 1)}
    zeros = jax.tree.map(np.zeros_like, params)
    state = {"count": np.float32(0), "m": zeros, "v": zeros}
    return Step(trained(loss, adam), params, state, {"x": array(T, B, I), "y": array(T, B, 1)})


def classification() -> Step:
    """An embedding, a GRU, and the cross entropy of every step with a mask."""

    def loss(params: Any, tokens: Any, target: Any, mask: Any) -> Any:
        zero = jnp.zeros((1, B, H))
        lengths = jnp.full((B,), T, jnp.int32)
        x = params["embedding"][tokens]
        run = rj.cudnn_rnn_v3(x, zero, zero, params["gru"], lengths, rnn_mode="gru")
        scores = jax.nn.log_softmax(run.output @ params["dense"])
        each = -jnp.take_along_axis(scores, target[..., None], 2)[..., 0]
        return (each * mask).sum() / mask.sum()

    params = {
        "embedding": array(9, I),
        "gru": array(3 * H * (I + H) + 6 * H),
        "dense": array(H, CLASSES),
    }
    state = jax.tree.map(np.zeros_like, params)
    batch = {
        "tokens": RNG.integers(0, 9, (T, B)).astype(np.int32),
        "target": RNG.integers(0, CLASSES, (T, B)).astype(np.int32),
        "mask": (RNG.random((T, B)) < 0.8).astype(np.float32),
    }
    return Step(trained(loss, clipped_momentum), params, state, batch)


def last_state() -> Step:
    """A GRU of which only the last state is read."""

    def loss(params: Any, x: Any, y: Any) -> Any:
        zero, lengths = jnp.zeros((1, B, H)), np.full(B, T, np.int32)
        run = rj.cudnn_rnn_v3(x, zero, zero, params["gru"], lengths, rnn_mode="gru")
        return jnp.mean((run.output_h[0] @ params["dense"] - y) ** 2)

    params = {"gru": array(3 * H * (I + H) + 6 * H), "dense": array(H, 1)}
    state = jax.tree.map(np.zeros_like, params)
    batch = {"x": array(T, B, I), "y": array(B, 1)}
    return Step(trained(loss, clipped_momentum), params, state, batch)


def reading() -> Step:
    """A dense layer, and CTC with lengths."""

    def loss(params: Any, x: Any, steps: Any, labels: Any) -> Any:
        paddings = (jnp.arange(T) >= steps[:, None]).astype(jnp.float32)
        return rj.ctc_loss(x @ params["dense"], paddings, labels, None, blank_id=2).mean()

    params = {"dense": array(I, CLASSES)}
    state = jax.tree.map(np.zeros_like, params)
    steps, labels = np.array([T, 3], np.int32), np.array([[0, 1], [3, 3]], np.int32)
    batch = {"x": array(B, T, I), "steps": steps, "labels": labels}
    return Step(trained(loss, clipped_momentum), params, state, batch)


STEPS = {
    "regression": regression,
    "classification": classification,
    "last state": last_state,
    "reading": reading,
}


@functools.cache
def made(name: str) -> tuple[Step, rc.Module, list[Any]]:
    """A step, its module, and what JAX returns for six of them."""
    step = STEPS[name]()
    jitted = jax.jit(step.step)
    results = [jitted(step.params, step.optimizer, step.batch)]
    for _ in range(5):
        results.append(jitted(results[-1]["params"], results[-1]["state"], step.batch))
    donated = jax.jit(step.step, donate_argnums=(0, 1))
    exported = rj.export(donated)(step.params, step.optimizer, step.batch)
    return step, rc.link_module(exported.mlir_module()), results


def assert_close(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        each = np.reshape(found[name], np.shape(value))
        np.testing.assert_allclose(each, value, rtol=3e-5, atol=3e-5, err_msg=name)


QUICK = {
    "regression": ("direct",),
    "classification": (),
    "last state": (),
    "reading": (),
}


@ways_of("name", QUICK, "direct", "iree", "c", "js", "aarch64", "cortex-m4")
def test_one_step(name: str, execute: Execute) -> None:
    step, module, results = made(name)
    batch = leaves({"batch": step.batch})
    states = leaves({"params": step.params, "state": step.optimizer})
    expected = leaves({name: results[0][name] for name in ("params", "state")})
    found = execute(module, {**states, **batch})
    assert_close(found, {**expected, "loss": results[0]["loss"]})


@pytest.mark.parametrize("name", only(STEPS, *(n for n, w in QUICK.items() if "direct" in w)))
@pytest.mark.parametrize("device", ["local-sync", "local-task"])
def test_a_session(name: str, device: str) -> None:
    """Six steps, and the losses of each."""
    step, module, results = made(name)
    program = rc.runtime.load(rc.compile(module, "cpu:generic"), device=device)
    session = program.session(params=step.params, state=step.optimizer)
    for expected in results:
        found = session(**leaves({"batch": step.batch}))
        np.testing.assert_allclose(found.loss, expected["loss"], rtol=1e-4)
    assert_close(session.state, leaves({each: results[-1][each] for each in ("params", "state")}))

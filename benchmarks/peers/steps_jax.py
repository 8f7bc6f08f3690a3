"""Training steps in JAX: jitted, with donated parameters and moments.

The cells are scans, rolled and unrolled, with the products of all inputs before them, and CTC is
one too. For ours, the products are in the cells, from which `fuse_scans` takes them, and CTC is
`rnn_compiler.jax.ctc_loss`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.peers import Variant
from benchmarks.rows import Case
from benchmarks.steps import (
    AGREEING,
    DECAY,
    EPSILON,
    MOMENTS,
    PERIOD,
    RATE,
    Step,
    step_of,
)

__all__ = ["first_way", "step_function", "variants", "zero_moments"]


def ctc(logits: Any, labels: Any) -> Any:
    """The loss of each row; symbol 0 is the blank, and all lengths are full."""
    steps, rows, _ = logits.shape
    log_p = jax.nn.log_softmax(logits)
    blanks = jnp.zeros_like(labels)
    symbols = jnp.stack([blanks, labels], -1).reshape(rows, -1)
    symbols = jnp.concatenate([symbols, blanks[:, :1]], 1)
    emitted = jnp.take_along_axis(log_p, jnp.broadcast_to(symbols, (steps, *symbols.shape)), -1)
    never = -1e30
    before = jnp.concatenate([jnp.full_like(symbols[:, :2], -1), symbols[:, :-2]], 1)
    skips = jnp.where((symbols != 0) & (symbols != before), 0.0, never)

    def shifted(alpha: Any, by: int) -> Any:
        return jnp.concatenate([jnp.full((rows, by), never), alpha[:, :-by]], 1)

    def step(alpha: Any, emitted: Any) -> Any:
        ways = jnp.stack([alpha, shifted(alpha, 1), shifted(alpha, 2) + skips])
        most = jax.lax.stop_gradient(ways.max(0))
        return most + jnp.log(jnp.exp(ways - most).sum(0)) + emitted, None

    start = jnp.where(jnp.arange(symbols.shape[1]) < 2, emitted[0], never)
    alpha, _ = jax.lax.scan(step, start, emitted[1:])
    return -jnp.logaddexp(alpha[:, -1], alpha[:, -2])


class Layers(NamedTuple):
    """How recurrent layers and CTC are written.

    Attributes:
        before: Whether the inputs of all steps are multiplied before the scan.
        unroll: As in `jax.lax.scan`.
        ctc: The loss of each row, from logits ``[T, B, C]`` and labels.
    """

    before: bool
    unroll: int = 1
    ctc: Callable[[Any, Any], Any] = ctc

    def lstm(self, p: Any, x: Any, reverse: bool = False) -> Any:
        """[steps, batch, units]."""

        def cell(carry: Any, x: Any) -> Any:
            c, h = carry
            gates = self._inside(p, x) + h @ p["r"].T + p["br"]
            i, f, g, o = jnp.split(gates, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (c, h), h

        zero = jnp.zeros((x.shape[1], p["r"].shape[1]))
        return self._scan(cell, (zero, zero), p, x, reverse)

    def gru(self, p: Any, x: Any) -> Any:
        """[steps, batch, units]."""

        def cell(h: Any, x: Any) -> Any:
            xr, xz, xn = jnp.split(self._inside(p, x), 3, -1)
            hr, hz, hn = jnp.split(h @ p["r"].T + p["br"], 3, -1)
            z = jax.nn.sigmoid(xz + hz)
            n = jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn)
            h = (1 - z) * n + z * h
            return h, h

        zero = jnp.zeros((x.shape[1], p["r"].shape[1]))
        return self._scan(cell, zero, p, x, False)

    def _inside(self, p: Any, x: Any) -> Any:
        return x if self.before else x @ p["w"].T + p["bw"]

    def _scan(self, cell: Any, carry: Any, p: Any, x: Any, reverse: bool) -> Any:
        x = x @ p["w"].T + p["bw"] if self.before else x
        return jax.lax.scan(cell, carry, x, reverse=reverse, unroll=self.unroll)[1]


def dense(p: Any, x: Any) -> Any:
    """[..., outputs]."""
    return x @ p["w"].T + p["b"]


def cross_entropy(logits: Any, targets: Any) -> Any:
    """That of each row."""
    logits = logits - jax.lax.stop_gradient(logits.max(-1, keepdims=True))
    chosen = jnp.take_along_axis(logits, targets[..., None], -1)[..., 0]
    return jnp.log(jnp.exp(logits).sum(-1)) - chosen


# The networks: from parameters and batch to the loss.


def characters(layers: Layers, p: Any, x: Any, y: Any, mask: Any) -> Any:
    """The next character of each."""
    h = layers.gru(p["gru"], p["embedding"]["w"][x])
    return (cross_entropy(dense(p["dense"], h), y) * mask).sum() / mask.sum()


def tagger(layers: Layers, p: Any, x: Any, y: Any) -> Any:
    """A tag for each step."""
    h = layers.lstm(p["second"], layers.lstm(p["first"], x))
    return cross_entropy(dense(p["dense"], h), y).mean()


def convolution(layers: Layers, p: Any, x: Any, y: Any) -> Any:
    """A class for a sequence."""
    of = p["convolution"]
    x = jax.lax.conv_general_dilated(
        x, of["w"], (2,), "VALID", dimension_numbers=("WNC", "OIW", "WNC")
    )
    h = layers.lstm(p["lstm"], jax.nn.relu(x + of["b"]))
    return cross_entropy(dense(p["dense"], h[-1]), y).mean()


def readers(layers: Layers, p: Any, x: Any, y: Any) -> Any:
    """A text for a sequence."""
    both = [layers.lstm(p["forward"], x), layers.lstm(p["backward"], x, reverse=True)]
    return layers.ctc(dense(p["dense"], jnp.concatenate(both, -1)), y).mean()


def regression(layers: Layers, p: Any, x: Any, y: Any) -> Any:
    """Numbers for a sequence."""
    return ((dense(p["dense"], layers.lstm(p["lstm"], x)[-1]) - y) ** 2).mean()


_NETWORKS: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (characters, tagger, convolution, readers, regression)
}


def zero_moments(parameters: Any) -> Any:
    """The state of the optimizer at the first step."""
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return {"count": jnp.zeros((), jnp.int32), "m": zeros, "v": jax.tree.map(jnp.copy, zeros)}


def step_function(step: Step, layers: Layers) -> Callable[..., Any]:
    """One step: from parameters, moments and batch to the next ones and the loss."""
    network = _NETWORKS[step.network]

    def one(params: Any, moments: Any, batch: Any) -> Any:
        value, gradients = jax.value_and_grad(lambda p: network(layers, p, **batch))(params)
        norm = jnp.sqrt(sum((each**2).sum() for each in jax.tree.leaves(gradients)))
        scale = jnp.minimum(1.0, 1.0 / (norm + 1e-6))
        gradients = jax.tree.map(lambda g: g * scale, gradients)
        first, second = MOMENTS
        count = moments["count"] + 1
        rate = RATE * 0.5 * (1 + jnp.cos(jnp.pi * moments["count"] / PERIOD))
        m = jax.tree.map(lambda m, g: first * m + (1 - first) * g, moments["m"], gradients)
        v = jax.tree.map(lambda v, g: second * v + (1 - second) * g * g, moments["v"], gradients)
        exponent = count.astype(jnp.float32)
        c1 = 1 - jnp.exp(exponent * np.float32(np.log(first)))
        c2 = 1 - jnp.exp(exponent * np.float32(np.log(second)))

        def updated(p: Any, m: Any, v: Any) -> Any:
            return p - rate * (m / c1 / (jnp.sqrt(v / c2) + EPSILON) + DECAY * p)

        params = jax.tree.map(updated, params, m, v)
        return params, {"count": count, "m": m, "v": v}, value

    return one


def begin(step: Step, layers: Layers, function: Any = None) -> Callable[[], Any]:
    """A function that makes a step and returns its loss."""
    jitted = function or jax.jit(step_function(step, layers), donate_argnums=(0, 1))
    batch = jax.device_put(step.batch())
    params = jax.device_put(step.parameters())
    state = (params, zero_moments(params))

    def one() -> Any:
        nonlocal state
        *state, value = jitted(*state, batch)
        return jax.block_until_ready(value)

    return one


def first_way(step: Step) -> Callable[[], Any]:
    """The step without variants."""
    return begin(step, Layers(before=True))


def variants(case: Case) -> list[Variant]:
    """With scans rolled and unrolled."""
    step = step_of(case)

    def made(unroll: int) -> Variant:
        layers = Layers(True, unroll)
        jitted = jax.jit(step_function(step, layers), donate_argnums=(0, 1))

        def fetch(_: Any) -> dict[str, Any]:
            anew = begin(step, layers, jitted)
            return {"losses": np.array([anew() for _ in range(AGREEING)])}

        return Variant(f"unroll={unroll}", begin(step, layers, jitted), fetch)

    return [made(unroll) for unroll in (1, 8)]

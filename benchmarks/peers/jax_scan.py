"""JAX: a jitted `jax.lax.scan` over the steps, after the input projection of all steps.

Rolled and unrolled, whichever is faster; the backward pass is its own `jax.vjp`, in the same jit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.inputs import Arrays, cell_of, draw, layer_weights, pack_params
from benchmarks.peers import Variant, steps_jax
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_UNROLL = (1, 8)


def start(cpus: Sequence[int]) -> None:
    """Does nothing: XLA uses as many threads as there are processors it may run on."""
    del cpus


def variants(case: Case) -> list[Variant]:
    """Inference, forward and backward, or a training step."""
    if case.workload.family == "step":
        return steps_jax.variants(case)
    arrays = draw(case)
    states = "hc" if cell_of(case) == "lstm" else "h"
    inputs = {
        "x": arrays["input"],
        "state": tuple(arrays[f"input_{name}"] for name in states),
        "weights": [
            {
                "w": np.ascontiguousarray(part["W"].T),
                "r": np.ascontiguousarray(part["R"].T),
                "bw": part["bW"],
                "br": part["bR"],
            }
            for part in layer_weights(arrays["params"], case)
        ],
    }
    cotangents = (
        arrays["output_backprop"],
        tuple(arrays[f"output_{name}_backprop"] for name in states),
    )
    lengths = arrays.get("sequence_lengths")
    on_device: Any = jax.device_put((inputs, cotangents))
    return [_variant(case, unroll, lengths, *on_device) for unroll in _UNROLL]


def _lstm(state: Any, z: Any, weights: Any) -> Any:
    h, c = state
    i, f, n, o = jnp.split(z + h @ weights["r"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(n)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def _gru(state: Any, z: Any, weights: Any) -> Any:
    (h,) = state
    zr, zz, zn = jnp.split(z, 3, axis=-1)
    ur, uz, un = jnp.split(h @ weights["r"] + weights["br"], 3, axis=-1)
    new = jnp.tanh(zn + jax.nn.sigmoid(zr + ur) * un)
    gate = jax.nn.sigmoid(zz + uz)
    return ((1 - gate) * new + gate * h,)


def _tanh(state: Any, z: Any, weights: Any) -> Any:
    return (jnp.tanh(z + state[0] @ weights["r"]),)


_CELLS: dict[str, Callable[[Any, Any, Any], Any]] = {"lstm": _lstm, "gru": _gru, "rnn_tanh": _tanh}


def _variant(case: Case, unroll: int, lengths: Any, inputs: Any, cotangents: Any) -> Variant:
    cell = _CELLS[cell_of(case)]
    before = cell is not _gru  # a gate multiplies its recurrent bias

    def direction(weights: Any, x: Any, state: Any, reverse: bool) -> Any:
        bias = weights["bw"] + weights["br"] if before else weights["bw"]
        projected = x @ weights["w"] + bias

        def step(state: Any, z: Any) -> Any:
            new = cell(state, z, weights)
            return new, new[0]

        def step_of_some(state: Any, moment: Any) -> Any:
            z, t = moment
            runs = (t < lengths)[:, None]
            new = tuple(
                jnp.where(runs, *pair) for pair in zip(cell(state, z, weights), state, strict=True)
            )
            return new, jnp.where(runs, new[0], 0)

        if lengths is None:
            return jax.lax.scan(step, state, projected, reverse=reverse, unroll=unroll)
        moments = projected, jnp.arange(case.size.T)
        return jax.lax.scan(step_of_some, state, moments, unroll=unroll)

    def forward(inputs: Any) -> Any:
        ends: list[Any] = []
        outputs: list[Any] = []
        for index, weights in enumerate(inputs["weights"]):
            state = tuple(part[index] for part in inputs["state"])
            end, output = direction(weights, inputs["x"], state, reverse=index == 1)
            ends.append(end)
            outputs.append(output)
        states = tuple(jnp.stack(parts) for parts in zip(*ends, strict=True))
        return jnp.concatenate(outputs, axis=-1), states

    def both(inputs: Any, cotangents: Any) -> Any:
        results, backward = jax.vjp(forward, inputs)
        return *results, backward(cotangents)[0]

    training = case.workload.passes > 1
    function = jax.jit(both) if training else jax.jit(forward)
    arguments = (inputs, cotangents) if training else (inputs,)

    def run() -> Any:
        return jax.block_until_ready(function(*arguments))

    return Variant(f"unroll={unroll}", run, _fetch)


_PARTS = {"W": "w", "R": "r", "bW": "bw", "bR": "br"}


def _fetch(results: Any) -> Arrays:
    output, states, *gradients = results
    arrays: dict[str, Any] = {"output": output}
    arrays |= {f"output_{k}": v for k, v in zip("hc", states, strict=False)}
    for gradient in gradients:
        arrays["input_backprop"] = gradient["x"]
        pairs = zip("hc", gradient["state"], strict=False)
        arrays |= {f"input_{k}_backprop": v for k, v in pairs}
        arrays["params_backprop"] = pack_params(
            {name: np.asarray(part[key]).T for name, key in _PARTS.items()}
            for part in gradient["weights"]
        )
    return {name: np.asarray(array) for name, array in arrays.items()}

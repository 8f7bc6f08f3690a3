"""JAX: a jitted `jax.lax.scan` over the steps, the input projection of all steps before it.

Rolled and unrolled, whichever is faster; the backward pass is its own `jax.vjp`, in the same jit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.inputs import Arrays, draw, lstm_weights, pack_params
from benchmarks.peers import Variant
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_UNROLL = (1, 8)


def start(cpus: Sequence[int]) -> None:
    """Nothing: XLA takes its number of threads from the processors it may run on."""
    del cpus


def variants(case: Case) -> list[Variant]:
    """Inference, or forward and backward."""
    arrays = draw(case)
    weights = lstm_weights(arrays, case.size)
    inputs = {
        "x": arrays["input"],
        "h": arrays["input_h"][0],
        "c": arrays["input_c"][0],
        "w": np.ascontiguousarray(weights["W"].T),
        "r": np.ascontiguousarray(weights["R"].T),
        "b": weights["bW"] + weights["bR"],
    }
    cotangents = [
        arrays["output_backprop"],
        arrays["output_h_backprop"][0],
        arrays["output_c_backprop"][0],
    ]
    on_device: Any = jax.device_put((inputs, tuple(cotangents)))
    training = case.workload.passes > 1
    return [_variant(unroll, training, *on_device) for unroll in _UNROLL]


def _variant(unroll: int, training: bool, inputs: Any, cotangents: Any) -> Variant:
    def forward(inputs: Any) -> Any:
        projected = inputs["x"] @ inputs["w"] + inputs["b"]

        def step(state: Any, z: Any) -> Any:
            h, c = state
            i, f, n, o = jnp.split(z + h @ inputs["r"], 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(n)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        (h, c), output = jax.lax.scan(step, (inputs["h"], inputs["c"]), projected, unroll=unroll)
        return output, h, c

    def both(inputs: Any, cotangents: Any) -> Any:
        results, backward = jax.vjp(forward, inputs)
        return *results, backward(cotangents)[0]

    function = jax.jit(both) if training else jax.jit(forward)
    arguments = (inputs, cotangents) if training else (inputs,)

    def run() -> Any:
        return jax.block_until_ready(function(*arguments))

    return Variant(f"unroll={unroll}", run, _fetch)


def _fetch(results: Any) -> Arrays:
    output, h, c, *gradients = results
    arrays: Arrays = {"output": output, "output_h": h[None], "output_c": c[None]}
    for gradient in gradients:
        params = (gradient["w"].T, gradient["r"].T, gradient["b"], gradient["b"])
        arrays["input_backprop"] = gradient["x"]
        arrays["input_h_backprop"] = gradient["h"][None]
        arrays["input_c_backprop"] = gradient["c"][None]
        arrays["params_backprop"] = pack_params(*params)
    return {name: np.asarray(array) for name, array in arrays.items()}

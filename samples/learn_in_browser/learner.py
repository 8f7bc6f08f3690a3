"""JavaScript that recognizes drawn signs and learns new ones: a GRU, with its training step."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import rnn_compiler as rc
import rnn_compiler.jax as rj

T, I, H, SIGNS, BATCH = 24, 4, 16, 4, 8  # noqa: E741  (points, numbers of each, units)


def scores(params, x):
    """The logarithms [batch, 4] of the probabilities of strokes [batch, 24, 4]."""
    gru = rj.onnx_gru(jnp.swapaxes(x, 0, 1), params["w"], params["r"], params["b"])
    return jax.nn.log_softmax(gru.Y[:, 0].mean(0) @ params["dense"] + params["bias"])


def train(params, mean, variance, count, x, label):
    """A step of Adam (Kingma and Ba 2015)."""

    def loss(params):
        return -jnp.mean(jnp.take_along_axis(scores(params, x), label[:, None], 1))

    value, gradient = jax.value_and_grad(loss)(params)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    variance = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, variance, gradient)
    count += 1
    rate = 5e-3 * jnp.sqrt(1 - 0.99**count) / (1 - 0.9**count)

    def moved(weight, m, v):
        return weight - rate * m / (jnp.sqrt(v) + 1e-8)

    params = jax.tree.map(moved, params, mean, variance)
    return {"params": params, "mean": mean, "variance": variance, "count": count, "loss": value}


def infer(params, x):
    return {"probabilities": jnp.exp(scores(params, x))}


def first_states():
    """Random weights: the network knows nothing."""
    rng = np.random.default_rng(0)
    shapes = {
        "w": (1, 3 * H, I),
        "r": (1, 3 * H, H),
        "b": (1, 6 * H),
        "dense": (H, SIGNS),
        "bias": (SIGNS,),
    }
    params = {name: rng.normal(0, 0.25, shape).astype(np.float32) for name, shape in shapes.items()}
    zeros = jax.tree.map(np.zeros_like, params)
    return {"params": params, "mean": zeros, "variance": zeros, "count": np.int32(0)}


def main():
    states = first_states()
    x, label = np.zeros((BATCH, T, I), np.float32), np.zeros(BATCH, np.int32)
    step = jax.jit(train, donate_argnums=(0, 1, 2, 3))
    texts = [
        rj.export(step)(*states.values(), x, label).mlir_module(),
        rj.export(infer)(states["params"], x[:1]).mlir_module(),
    ]
    rc.compile_js(rc.link_module(*texts, states=states), name="learner").save("learner")


if __name__ == "__main__":
    main()

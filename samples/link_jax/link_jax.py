"""A JAX model with TensorFlow's BlockLSTMV2 in it, forward and gradient, compiled whole."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

import rnn_compiler as rc

T, B, I, H = 16, 4, 3, 8  # noqa: E741  (steps, batch, input, units)
FORWARD, GRADIENT = "rnn_compiler.BlockLSTMV2", "rnn_compiler.BlockLSTMGradV2"


def call(name: str, shapes: list[tuple[int, ...]], *operands: jax.Array, **attributes: object):
    """An op of ours: TensorFlow's tensors in TensorFlow's order."""
    results = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    return jax.ffi.ffi_call(name, results)(*operands, **attributes)


def forward(x, w, b):
    state, peephole = jnp.zeros((B, H)), jnp.zeros(H)
    operands = (np.int32(T), x, state, state, w, peephole, peephole, peephole, b)
    saved = call(FORWARD, [(T, B, H)] * 7, *operands, use_peephole=False)
    return saved[-1], (operands, saved)


def backward(kept, h_grad):
    operands, saved = kept
    shapes = [(T, B, I), (B, H), (B, H), (I + H, 4 * H), (H,), (H,), (H,), (4 * H,)]
    upstream = (jnp.zeros_like(h_grad), h_grad)
    grads = call(GRADIENT, shapes, *operands, *saved, *upstream, use_peephole=False)
    return grads[0], grads[3], grads[7]


@jax.custom_vjp
def lstm(x, w, b):
    """All outputs of an LSTM, [T, B, H]."""
    return forward(x, w, b)[0]


lstm.defvjp(forward, backward)


def plain_lstm(x, w, b):
    """The same by a scan, which JAX runs itself: what ours is compared with."""

    def step(state, row):
        c, h = state
        i, f, ci, o = jnp.split(jnp.concatenate([row, h], 1) @ w + b, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(ci)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (c, h), h

    return jax.lax.scan(step, (jnp.zeros((B, H)), jnp.zeros((B, H))), x)[1]


def loss(layer, weights, x, y):
    """Mean square error of a dense layer on the outputs of a recurrent one."""
    return jnp.mean((layer(x, weights["w"], weights["b"]) @ weights["dense"] - y) ** 2)


def train_step(layer):
    return lambda weights, x, y: jax.value_and_grad(loss, argnums=1)(layer, weights, x, y)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)

    def normal(*shape: int):
        return rng.normal(0, 0.3, shape).astype(np.float32)

    weights = {"w": normal(I + H, 4 * H), "b": normal(4 * H), "dense": normal(H, 1)}
    x, y = normal(T, B, I), normal(T, B, 1)

    checks = [export.DisabledSafetyCheck.custom_call(name) for name in (FORWARD, GRADIENT)]
    exported = export.export(jax.jit(train_step(lstm)), disabled_checks=checks)(weights, x, y)
    source = folder / "train_step.mlir"
    source.write_text(exported.mlir_module())
    print(f"{source.name} calls {', '.join(called_in(source.read_text()))}")

    artifact = rc.link(source)
    path = artifact.save(folder / "train_step.vmfb")
    print(f"{path.name} {len(artifact.payload):,} bytes")

    program = rc.runtime.load(path)
    names = {f"weights_{name}": array for name, array in weights.items()}
    value, *gradients = program(**names, x=x, y=y)
    expected, expected_gradients = jax.jit(train_step(plain_lstm))(weights, x, y)
    print(f"loss {value:.6f}, JAX's own {expected:.6f}")
    pairs = zip(gradients, jax.tree.leaves(expected_gradients), strict=True)
    worst = max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)
    print(f"worst difference of a gradient below 1e-6: {worst < 1e-6}")


def called_in(text: str) -> list[str]:
    """The ops of ours that a module calls."""
    return [name for name in (FORWARD, GRADIENT) if f"@{name}(" in text]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="keeps files (default: temporary)")
    kept = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        main(kept or Path(temporary))

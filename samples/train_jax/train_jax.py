"""Trains an LSTM in JAX with TensorFlow's BlockLSTMV2, and runs it with IREE alone.

The adding problem (Hochreiter and Schmidhuber 1997): of a sequence of random numbers, two are
marked, and their sum is asked for at the end. Who always answers 1 has a mean square error of 1/6;
to do better, a network must remember over the whole sequence.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import rnn_compiler as rc
import rnn_compiler.jax as rj

T, B, I, H = 24, 64, 2, 24  # noqa: E741  (steps, batch, input, units)
STEPS, RATE, GOAL = 600, 1e-2, 0.01


def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sequences [T, B, 2] of numbers and marks, one mark in each half, and the sums [B]."""
    numbers, marks = rng.random((T, B), np.float32), np.zeros((T, B), np.float32)
    half, rows = T // 2, np.arange(B)
    for step in (rng.integers(0, half, B), rng.integers(half, T, B)):
        marks[step, rows] = 1
    return np.stack([numbers, marks], 2), (numbers * marks).sum(0)


def first_weights(rng: np.random.Generator) -> dict[str, np.ndarray]:
    def normal(*shape: int) -> np.ndarray:
        return rng.normal(0, shape[0] ** -0.5, shape).astype(np.float32)

    return {"w": normal(I + H, 4 * H), "b": np.zeros(4 * H, np.float32), "dense": normal(H, 1)}


def predict(weights: dict, x: jax.Array) -> jax.Array:
    """The answers [B] to sequences [T, B, 2]."""
    state, peephole = jnp.zeros((B, H)), jnp.zeros(H)
    remember = jnp.repeat(jnp.array([0.0, 1.0, 0.0, 0.0]), H)  # gates i, f, ci, o
    b = weights["b"] + remember
    run = rj.block_lstm_v2(T, x, state, state, weights["w"], peephole, peephole, peephole, b)
    return (run.h[-1] @ weights["dense"])[:, 0]


def loss(weights: dict, x: jax.Array, sums: jax.Array) -> jax.Array:
    return jnp.mean((predict(weights, x) - sums) ** 2)


@jax.jit
def train_step(step, weights, moments, x, sums):
    """One step of Adam (Kingma and Ba 2015)."""
    value, gradients = jax.value_and_grad(loss)(weights, x, sums)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)

    def moved(weight, m, v):
        return weight - RATE * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)

    return value, jax.tree.map(moved, weights, first, second), (first, second)


def train(rng: np.random.Generator) -> tuple[dict, list[float]]:
    weights = first_weights(rng)
    moments = (jax.tree.map(jnp.zeros_like, weights),) * 2
    losses: list[float] = []
    for step in range(1, STEPS + 1):
        value, weights, moments = train_step(float(step), weights, moments, *draw(rng))
        losses.append(float(value))
        if step % 100 == 0:
            print(f"step {step:5}: mean square error {np.mean(losses[-50:]):.4f}", flush=True)
    return weights, losses


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    weights, losses = train(rng)
    final = float(np.mean(losses[-50:]))
    print(f"below {GOAL}: {final < GOAL}; always answering 1 has {1 / 6:.4f}")

    shapes = jax.tree.map(jnp.asarray, (weights, draw(rng)[0]))
    exported = rj.export(predict)(*shapes)
    artifact = rc.link(exported.mlir_module())
    path = artifact.save(folder / "predict.vmfb")
    print(f"{path.name}: {', '.join(spec.op for spec in artifact.manifest.linked)}")

    program = rc.runtime.load(path)
    x, sums = draw(rng)
    named = {f"weights_{name}": np.asarray(array) for name, array in weights.items()}
    (answers,) = program(**named, x=x)
    worst = np.abs(answers - predict(weights, x)).max()
    print(f"IREE's answers are JAX's to 1e-5: {worst < 1e-5}")
    picture = plot(folder / "train_jax.png", losses, sums, answers)
    print(picture.name if picture else "(no picture: matplotlib is not installed)")


def plot(path: Path, losses: list[float], sums: np.ndarray, answers: np.ndarray) -> Path | None:
    """Draws the error over training, and answers over sums."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.semilogy(range(1, len(losses) + 1), losses, linewidth=0.6)
    left.axhline(1 / 6, color="gray", linestyle=":")
    left.text(len(losses), 1 / 6, "always answering 1", ha="right", va="bottom", color="gray")
    left.axhline(GOAL, color="tab:red", linestyle="--")
    left.text(0, GOAL, "goal", ha="left", va="bottom", color="tab:red")
    left.set(xlabel="step of training", ylabel="mean square error of a batch", title="JAX trains")
    right.plot([0, 2], [0, 2], color="gray", linestyle=":")
    right.plot(sums, answers, "o", markersize=3)
    right.set(xlabel="sum of the marked numbers", ylabel="answer", title="IREE answers")
    figure.savefig(path, dpi=100)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="keeps files (default: temporary)")
    kept = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        main(kept or Path(temporary))

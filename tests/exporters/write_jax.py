"""Writes the weights of cells of flax and equinox, and what these compute.

python write_jax.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import equinox
import flax
import jax
import numpy as np
from flax import nnx

STEPS, INPUTS, UNITS = 6, 5, 8


def main(folder: Path) -> None:
    """Writes the files."""
    print(f"jax {jax.__version__}, flax {flax.__version__}, equinox {equinox.__version__}")
    x = np.random.default_rng(1).normal(0, 1, (STEPS, 1, INPUTS)).astype(np.float32)
    for name in ("LSTMCell", "OptimizedLSTMCell", "GRUCell", "SimpleCell"):
        cell = getattr(nnx, name)(INPUTS, UNITS, rngs=nnx.Rngs(0))
        state = nnx.to_pure_dict(nnx.state(cell, nnx.Param))
        carry = cell.initialize_carry((1, INPUTS), nnx.Rngs(0))
        rows = []
        for step in x:
            carry, y = cell(carry, step)
            rows.append(np.asarray(y))
        write(folder, f"flax.nnx.{name}", state, x, np.stack(rows))
    for name in ("LSTMCell", "GRUCell"):
        cell = getattr(equinox.nn, name)(INPUTS, UNITS, key=jax.random.key(0))
        h = jax.numpy.zeros(UNITS)
        state = (h, h) if name == "LSTMCell" else h
        rows = []
        for step in x[:, 0]:
            state = cell(step, state)
            rows.append(np.asarray(state[0] if name == "LSTMCell" else state)[None])
        held = {key: each for key, each in vars(cell).items() if equinox.is_array(each)}
        write(folder, f"equinox.nn.{name}", held, x, np.stack(rows))


def write(folder: Path, name: str, weights: Any, x: Any, y: Any) -> None:
    """Writes one cell, whose arrays are named by their paths."""
    paths, _ = jax.tree_util.tree_flatten_with_path(weights)
    arrays = {
        ".".join(str(getattr(key, "key", key)) for key in path): np.asarray(each)
        for path, each in paths
    }
    np.savez(folder / f"{name}.weights.npz", **arrays)
    np.savez(folder / f"{name}.npz", x=x, y=y)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

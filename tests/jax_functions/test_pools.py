"""Gradients of maxima over windows in a linked module have JAX's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from execution import Execute, each_language

import rnn_compiler as rc

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
rj = pytest.importorskip("rnn_compiler.jax")

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], str, str]] = {
    "side by side": ((1, 1, 2, 2), (1, 1, 2, 2), "VALID", "max"),
    "channels last": ((1, 2, 2, 1), (1, 2, 2, 1), "SAME", "max"),
    "with an overlap": ((1, 1, 3, 3), (1, 1, 2, 2), "SAME", "max"),
    "with a gap": ((1, 1, 2, 1), (1, 1, 3, 2), "VALID", "max"),
    "of minima": ((1, 1, 2, 3), (1, 1, 2, 2), "SAME", "min"),
}


X = np.random.default_rng(0).integers(-2, 3, (2, 8, 9, 10)).astype(np.float32)
"""Many numbers are equal: the first one of a window has the gradient."""


def pool(name: str) -> Any:
    window, strides, padding, kind = CASES[name]
    start, join = (-np.inf, jax.lax.max) if kind == "max" else (np.inf, jax.lax.min)
    return lambda x: jax.lax.reduce_window(x, start, join, window, strides, padding)


def gradients(x: Any, given: Any) -> Any:
    """Each pool and its gradient, in one function."""
    results = {}
    for name, dy in given.items():
        y, back = jax.vjp(pool(name), x)
        results[name] = y, back(dy)[0]
    return results


@pytest.mark.slow
@each_language
def test_pools_and_gradients(execute: Execute) -> None:
    rng = np.random.default_rng(0)
    shapes = {name: jax.eval_shape(pool(name), X).shape for name in CASES}
    given = X, {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    module = rc.link_module(rj.export(gradients)(*given).mlir_module())
    names = [argument.name for argument in module.functions[0].arguments]
    found = execute(module, dict(zip(names, jax.tree.leaves(given), strict=True))).values()
    expected = jax.tree_util.tree_leaves_with_path(jax.jit(gradients)(*given))
    for each, (path, right) in zip(found, expected, strict=True):
        each = np.reshape(each, right.shape)
        np.testing.assert_allclose(each, right, rtol=1e-6, atol=1e-6, err_msg=str(path))

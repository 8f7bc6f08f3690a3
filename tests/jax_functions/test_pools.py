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


@pytest.mark.parametrize("name", CASES)
@each_language
def test_pool_and_gradient(name: str, execute: Execute) -> None:
    """Many numbers are equal: the first one of a window has the gradient."""
    window, strides, padding, kind = CASES[name]
    start, join = (-np.inf, jax.lax.max) if kind == "max" else (np.inf, jax.lax.min)
    rng = np.random.default_rng(0)
    x = rng.integers(-2, 3, (2, 8, 9, 10)).astype(np.float32)

    def pool(x: Any) -> Any:
        return jax.lax.reduce_window(x, start, join, window, strides, padding)

    def function(x: Any, dy: Any) -> Any:
        y, back = jax.vjp(pool, x)
        return {"y": y, "gradient": back(dy)[0]}

    dy = rng.normal(size=jax.eval_shape(pool, x).shape).astype(np.float32)
    module = rc.link_module(rj.export(function)(x, dy).mlir_module())
    found = [*execute(module, {"x": x, "dy": dy}).values()]
    expected = jax.tree.leaves(jax.jit(function)(x, dy))
    for each, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.reshape(each, right.shape), right, rtol=1e-6, atol=1e-6)

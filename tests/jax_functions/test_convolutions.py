"""Convolutions of sequences and their gradients in a linked module have JAX's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from execution import Execute, ways
from quick import first

import rnn_compiler as rc

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
rj = pytest.importorskip("rnn_compiler.jax")

N, C, T, F, K = 2, 3, 11, 4, 5

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "stride": ("NWC WIO NWC", {"window_strides": (2,), "padding": "VALID"}),
    "time first": ("WNC OIW WNC", {"window_strides": (2,), "padding": "VALID"}),
    "channels first": ("NCW OIW NCW", {"window_strides": (1,), "padding": "SAME"}),
    "filters inside": ("NWC IOW NCW", {"window_strides": (3,), "padding": [(4, 0)]}),
    "dilated": ("NCW WIO NWC", {"window_strides": (1,), "padding": [(2, 1)], "rhs_dilation": (2,)}),
    "input dilated": (
        "NWC WIO NWC",
        {"window_strides": (2,), "padding": [(1, -2)], "lhs_dilation": (3,)},
    ),
    "groups": (
        "NWC WIO NWC",
        {"window_strides": (1,), "padding": "SAME", "feature_group_count": 3},
    ),
}


def arrays(name: str) -> tuple[Any, Any, Any]:
    """An array, filters, and what comes back to the result."""
    layouts, more = CASES[name]
    groups = more.get("feature_group_count", 1)
    sizes = {"N": N, "C": C, "W": T, "O": F * (groups if groups > 1 else 1), "I": C // groups}
    rng = np.random.default_rng(0)
    given, filters, _ = layouts.split()
    x = rng.normal(size=[sizes[axis] for axis in given]).astype(np.float32)
    w = rng.normal(size=[K if axis == "W" else sizes[axis] for axis in filters]).astype(np.float32)
    shape = jax.eval_shape(convolution(name), x, w).shape
    return x, w, rng.normal(size=shape).astype(np.float32)


def convolution(name: str) -> Any:
    layouts, more = CASES[name]
    numbers = tuple(layouts.split())
    return lambda x, w: jax.lax.conv_general_dilated(x, w, dimension_numbers=numbers, **more)


def gradients(given: Any) -> Any:
    """Each convolution and its gradients, in one function."""
    results = {}
    for name, (x, w, dy) in given.items():
        y, back = jax.vjp(convolution(name), x, w)
        results[name] = y, *back(dy)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("names", first([["stride", "groups"], [*CASES]]))
@ways("direct", "iree", "c", "js", "cortex-m4", quick=("direct",))
def test_convolutions_and_gradients(execute: Execute, names: list[str]) -> None:
    given = {name: arrays(name) for name in names}
    module = rc.link_module(rj.export(gradients)(given).mlir_module())
    inputs = [argument.name for argument in module.functions[0].arguments]
    found = execute(module, dict(zip(inputs, jax.tree.leaves(given), strict=True))).values()
    expected = jax.tree_util.tree_leaves_with_path(jax.jit(gradients)(given))
    for each, (path, right) in zip(found, expected, strict=True):
        each = np.reshape(each, right.shape)
        np.testing.assert_allclose(each, right, rtol=1e-5, atol=1e-5, err_msg=str(path))

"""Convolutions of sequences and their gradients in a linked module have JAX's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from execution import Execute, ways

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


@pytest.mark.parametrize("name", CASES)
@ways("direct", "iree", "c", "js", "cortex-m4", quick=("direct",))
def test_convolution_and_gradients(name: str, execute: Execute) -> None:
    layouts, more = CASES[name]
    groups = more.get("feature_group_count", 1)
    sizes = {"N": N, "C": C, "W": T, "O": F * (groups if groups > 1 else 1), "I": C // groups}
    rng = np.random.default_rng(0)
    given, filters, _ = layouts.split()
    x = rng.normal(size=[sizes[axis] for axis in given]).astype(np.float32)
    w = rng.normal(size=[K if axis == "W" else sizes[axis] for axis in filters]).astype(np.float32)

    def convolution(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(x, w, dimension_numbers=tuple(layouts.split()), **more)

    def function(x: Any, w: Any, dy: Any) -> Any:
        y, back = jax.vjp(convolution, x, w)
        return {"y": y, "gradients": back(dy)}

    dy = rng.normal(size=jax.eval_shape(convolution, x, w).shape).astype(np.float32)
    module = rc.link_module(rj.export(function)(x, w, dy).mlir_module())
    found = [*execute(module, {"x": x, "w": w, "dy": dy}).values()]
    expected = jax.tree.leaves(jax.jit(function)(x, w, dy))
    for each, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.reshape(each, right.shape), right, rtol=1e-5, atol=1e-5)

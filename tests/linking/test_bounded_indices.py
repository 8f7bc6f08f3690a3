"""Gathers and scatters of a user's JAX function touch only their arrays, as StableHLO defines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

jax: Any = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp: Any = pytest.importorskip("jax.numpy")
export: Any = pytest.importorskip("jax.export")

NAME = "rnn_compiler.GRUBlockCell"
SHAPES = ((2, 3), (2, 4), (7, 8), (7, 4), (8,), (4,))
CELL = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in SHAPES]


def quick(e: Any, i: Any) -> dict[str, Any]:
    """One case of each form."""

    def loss(e: Any) -> Any:
        return (e[i] ** 2).sum()

    return {
        "rows": e[i],
        "set": e.at[i].set(7.0),
        "pairs": e.at[i, i[::-1]].add(7.0),
        "gradient": jax.grad(loss)(e),
    }


def many(e: Any, i: Any) -> dict[str, Any]:
    """Other axes, windows, bodies and types of indices."""

    def add_one(k: Any, e: Any) -> Any:
        return e.at[i[k]].add(1.0)

    def set_rows(e: Any, i: Any) -> Any:
        return e.at[i].set(7.0)

    numbers = jax.lax.ScatterDimensionNumbers((0, 1), (), (0, 1))
    return {
        "pairs": e[i, i[::-1]],
        "clipped": e.at[i].get(mode="clip"),
        "filled": e.at[i].get(mode="fill"),
        "columns": e.at[:, i].set(7.0),
        "one column": e.at[i, 1].set(7.0),
        "a number": e.at[i[1], 1].set(7.0),
        "a row": e.at[i[1]].set(7.0),
        "a constant": e.at[2].set(7.0),
        "the largest": e.at[i].max(3.0),
        "a window": jax.lax.scatter(e, i[:2], jnp.ones((2, 2)), numbers),
        "a window in a larger array": jax.lax.scatter(
            jnp.tile(e, (2, 2)), i[:2], jnp.ones((2, 2)), numbers
        ),
        "a loop": jax.lax.fori_loop(0, 3, add_one, e),
        "unsigned": e.at[i.astype(jnp.uint8)].set(0.0),
        "a batch": jax.vmap(set_rows)(e, i[:, None].repeat(4, 1).T),
    }


@pytest.mark.parametrize("cases", [quick, pytest.param(many, marks=pytest.mark.slow)])
def test_indices_beyond_their_axis(cases: Any) -> None:
    """Gathers clamp, scatters drop; those within the array are as they were."""

    def model(e: Any, i: Any, x: Any, h: Any, w: Any, wc: Any, b: Any, bc: Any) -> Any:
        results = [jax.ShapeDtypeStruct((2, 4), jnp.float32)] * 4
        return jax.ffi.ffi_call(NAME, results)(x, h, w, wc, b, bc)[3], cases(e, i)

    e: Any = np.arange(1, 13, dtype=np.float32)
    e = e.reshape(4, 3)
    i = np.array([3, 4, -5], np.int32)
    checks = [export.DisabledSafetyCheck.custom_call(NAME)]
    made = export.export(jax.jit(model), disabled_checks=checks)
    artifact = rc.link(made(e, i, *CELL).mlir_module(), "cpu:generic")
    names = [each.name for each in artifact.manifest.functions[0].arguments]
    run = rc.runtime.load(artifact, device="local-sync")
    arrays: Any = [np.zeros(shape, np.float32) for shape in SHAPES]
    rest: dict[str, Any] = dict(zip(names[2:], arrays, strict=True))
    for indices in (i, np.array([0, -1, 2], np.int32), np.array([4, 4, 100], np.int32)):
        found = [*run(**{names[0]: e, names[1]: indices}, **rest)][1:]
        wanted: Any = jax.jit(cases)(e, indices)
        for name, got in zip(sorted(wanted), found, strict=True):
            np.testing.assert_array_equal(got, wanted[name], err_msg=f"{name} {indices}")

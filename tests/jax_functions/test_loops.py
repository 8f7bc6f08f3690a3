"""Loops, random keys and slices at run-time indices in steps, in every way that runs modules."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from execution import Execute, ways, ways_of

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
rj = pytest.importorskip("rnn_compiler.jax")

RNG = np.random.default_rng(0)
SMALL_MACHINES = ("cortex-m4", "aarch64")


def array(*shape: int) -> Any:
    return RNG.normal(0, 0.5, shape).astype(np.float32)


class Step(NamedTuple):
    """A step whose first arguments are states, which it returns in a dict."""

    step: Callable[..., Mapping[str, Any]]
    states: Mapping[str, Any]
    batch: Mapping[str, Any]
    tolerance: float = 2e-6


def drop(w: Any, key: Any, x: Any) -> Any:
    """Dropout, by the key of JAX's default kind."""
    key, used, noise = jax.random.split(key, 3)
    kept = jax.random.bernoulli(used, 0.7, x.shape)

    def loss(w: Any) -> Any:
        return jnp.mean(jnp.tanh(jnp.where(kept, x / 0.7, 0) @ w) ** 2)

    value, gradient = jax.value_and_grad(loss)(w)
    drawn = jax.random.bits(noise, (3,)), jax.random.permutation(noise, 5)
    return {"w": w - 0.1 * gradient, "key": key, "loss": value, "drawn": drawn, "kept": kept}


def several(w: Any, m: Any, x: Any) -> Any:
    """Five steps in one call."""

    def one(carry: Any, x: Any) -> Any:
        w, m = carry
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.sin(x @ w) ** 2))(w)
        m = 0.9 * m + gradient
        return (w - 0.1 * m, m), loss

    (w, m), losses = jax.lax.scan(one, (w, m), x)
    return {"w": w, "m": m, "losses": losses}


def ring(rows: Any, count: Any, seen: Any, row: Any, at: Any) -> Any:
    """The last rows that came, and a part of them."""
    rows = jax.lax.dynamic_update_slice(rows, row[None], (count % rows.shape[0], 0))
    seen = jax.lax.dynamic_update_slice(seen, row[:2] > 0, (count,))
    part = jax.lax.dynamic_slice(rows, (count // 2, at), (3, 2))
    return {"rows": rows, "count": count + 1, "seen": seen, "part": part, "one": rows[at]}


def unlike_ours(w: Any, x: Any) -> Any:
    """The gradient through a recurrence that no op computes."""

    def loss(w: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            h = jnp.sin(x @ w + h @ w)
            return h, h

        return jnp.mean(jax.lax.scan(cell, x[0], x, reverse=True)[1] ** 2)

    value, gradient = jax.value_and_grad(loss)(w)
    return {"w": w - gradient, "loss": value}


STEPS = {
    "dropout": Step(drop, {"w": array(8, 3), "key": jax.random.PRNGKey(7)}, {"x": array(4, 8)}),
    "several steps": Step(several, {"w": array(8, 3), "m": array(8, 3)}, {"x": array(5, 4, 8)}),
    "a ring": Step(
        ring,
        {"rows": array(6, 4), "count": np.int32(0), "seen": np.zeros(5, bool)},
        {"row": array(4), "at": np.int32(1)},
    ),
    "a recurrence": Step(unlike_ours, {"w": array(4, 4)}, {"x": array(7, 2, 4)}, 1e-5),
}


@functools.cache
def module(name: str) -> rc.Module:
    step, states, batch, _ = STEPS[name]
    function = jax.jit(step, donate_argnums=range(len(states)))
    return rc.link_module(rj.export(function)(*states.values(), *batch.values()).mlir_module())


QUICK = {
    "dropout": (),
    "several steps": (),
    "a ring": ("c",),
    "a recurrence": (),
}


@ways_of("name", QUICK, "direct", "iree", "c", "js", *SMALL_MACHINES)
def test_steps(execute: Execute, name: str) -> None:
    """Two calls, the second with the states after the first."""
    step, states, batch, tolerance = STEPS[name]
    spec = module(name).functions[0]
    assert {*spec.states} == {*states}
    expected = jax.jit(step)
    for _ in range(2):
        wanted = expected(*states.values(), *batch.values())
        found = execute(module(name), {**states, **batch})
        flat = [np.asarray(each) for each in jax.tree.leaves(dict(sorted(wanted.items())))]
        for tensor, value in zip(spec.results, flat, strict=True):
            got = found[tensor.name].reshape(value.shape)
            if value.dtype.kind == "f":
                np.testing.assert_allclose(got, value, tolerance, tolerance, err_msg=tensor.name)
            else:
                np.testing.assert_array_equal(got, value, err_msg=tensor.name)
        states = {each: np.asarray(wanted[each]) for each in states}


@pytest.mark.slow
def test_sessions_of_loops() -> None:
    """States that a loop carries are updated in place, by direct calls."""
    step, states, batch, tolerance = STEPS["several steps"]
    artifact = rc.compile(module("several steps"))
    assert artifact.manifest.calls == {"main": "direct"}
    session = rc.runtime.load(artifact).session(**states)
    for _ in range(3):
        wanted = step(*states.values(), *batch.values())
        losses = session(**batch).losses
        states = {each: np.asarray(wanted[each]) for each in states}
        np.testing.assert_allclose(losses, wanted["losses"], tolerance, tolerance)
        for name, value in states.items():
            np.testing.assert_allclose(session.state[name], value, tolerance, tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("indices", [(0, 0, 0), (3, 3, 3), (9, -9, 2), (-1, 100, 7), (2, 2, 200)])
@ways("direct", "c")
def test_slices_of_several_axes(execute: Execute, indices: tuple[int, ...]) -> None:
    """Indices beyond the array are clamped; parts as long as an axis begin at 0."""
    given = dict(zip("xijk", (PARTS, *map(np.int32, indices)), strict=True))
    found = execute(parts_module(), given)
    for number, wanted in enumerate(jax.jit(parts)(*given.values())):
        got = found[f"result{number}"].reshape(wanted.shape)
        np.testing.assert_array_equal(got, wanted)


PARTS = array(5, 6, 7)


def parts(x: Any, i: Any, j: Any, k: Any) -> Any:
    read, write = jax.lax.dynamic_slice, jax.lax.dynamic_update_slice
    small = k.astype(jnp.int8)
    return (
        read(x, (i, j, k), (2, 3, 4)),
        read(x, (i, j, k), (5, 6, 7)),
        read(x[:, 0, 0], (small,), (2,)),
        write(x, x[:2, :1, :3] * 2, (i, k, j)),
        write(x, x * 2, (i, k, j)),
        write(x > 0, x[:2, :6, :3] > 1, (i, k, j)),
    )


@functools.cache
def parts_module() -> rc.Module:
    given = PARTS, *[np.int32(0)] * 3
    return rc.link_module(rj.export(jax.jit(parts))(*given).mlir_module())


def some_rows(w: Any, x: Any) -> Any:
    return jax.lax.fori_loop(0, 5, lambda k, h: jnp.sin(x[k] @ w + h), x[0])


def from_the_third(w: Any, x: Any) -> Any:
    return jax.lax.fori_loop(2, 6, lambda k, h: jnp.sin(x[k] @ w + h), x[0])


def backwards(w: Any, x: Any) -> Any:
    return jax.lax.fori_loop(0, 6, lambda k, h: jnp.sin(x[6 - k] @ w + h), x[0])


def one_by_one(w: Any, x: Any) -> Any:
    """Reads and writes rows, and computes with the index."""

    def step(k: Any, carry: Any) -> Any:
        h, every = carry
        h = jnp.sin(x[k + 1] @ w + h * k / 8)
        return h, jax.lax.dynamic_update_index_in_dim(every, h, k - 1, 0)

    return jax.lax.fori_loop(1, 6, step, (x[0], x))


def once_each(w: Any, x: Any) -> Any:
    """A loop of a single step, in one of several."""

    def inner(k: Any, h: Any) -> Any:
        return jax.lax.fori_loop(3, 4, lambda j, h: jnp.sin(x[j] @ w + h), h) + x[k]

    return jax.lax.fori_loop(1, 4, inner, x[0])


OVER_ROWS = {each.__name__: each for each in (some_rows, from_the_third, backwards, one_by_one)}
OVER_ROWS["once_each"] = once_each


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["some_rows"], id="one"),
        pytest.param([*OVER_ROWS], id="all", marks=pytest.mark.slow),
    ],
)
@ways("direct", "c", "js", quick=("direct",))
def test_loops_over_some_rows(execute: Execute, names: list[str]) -> None:
    """Rows one after the other: the host knows each index from the counter alone."""
    w, x = array(4, 4), array(7, 2, 4)

    def together(w: Any, x: Any) -> Any:
        return [OVER_ROWS[name](w, x) for name in names]

    linked = rc.link_module(rj.export(jax.jit(together))(w, x).mlir_module())
    found = execute(linked, {"w": w, "x": x})
    wanted = jax.tree.leaves(jax.jit(together)(w, x))
    for got, value in zip(found.values(), wanted, strict=True):
        np.testing.assert_allclose(got.reshape(value.shape), value, 2e-6, 2e-6)


@pytest.mark.slow
def test_loops_over_rows_are_called_directly() -> None:
    w, x = array(4, 4), array(7, 2, 4)
    for function in (some_rows, one_by_one):
        linked = rc.link_module(rj.export(jax.jit(function))(w, x).mlir_module())
        assert rc.compile(linked, "cpu:generic").manifest.calls == {"main": "direct"}


@pytest.mark.slow
def test_loops_that_c_has_no_steps_for() -> None:
    """Python runs those whose length data decides, and those that read every other row."""

    def grow(x: Any) -> Any:
        return jax.lax.while_loop(lambda x: x.sum() < 10, lambda x: x + jnp.sin(x) + 1, x)

    def every_other(x: Any) -> Any:
        return jax.lax.fori_loop(0, 2, lambda k, h: jnp.sin(h @ h + x[2 * k + 1]), x)

    cases = [
        (grow, array(4), "of unknown or large length"),
        (every_other, array(4, 4), "a number of steps, that a call computes"),
    ]
    for function, x, what in cases:
        linked = rc.link_module(rj.export(jax.jit(function))(x).mlir_module())
        artifact = rc.compile(linked, "cpu:generic")
        assert what in artifact.manifest.calls["main"]
        (found,) = rc.runtime.load(artifact, device="local-sync")(x)
        np.testing.assert_allclose(found, jax.jit(function)(x), rtol=1e-4, atol=1e-6)
        with pytest.raises(UnsupportedError, match=what):
            rc.compile_c(linked)


@pytest.mark.slow
@ways("direct", "c", "js")
def test_very_many_steps(execute: Any) -> None:
    """They are repeated in C and JavaScript; Python runs them through IREE."""

    def many(x: Any) -> Any:
        return jax.lax.fori_loop(0, 5000, lambda _, x: jnp.sin(jnp.cumsum(x)) / 2, x)

    x = array(4)
    linked = rc.link_module(rj.export(jax.jit(many))(x).mlir_module())
    (name,) = (each.name for each in linked.functions[0].arguments)
    (found,) = execute(linked, {name: x}).values()
    np.testing.assert_allclose(found, jax.jit(many)(x), rtol=1e-4)

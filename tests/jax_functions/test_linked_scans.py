"""Loops over known cells in exported StableHLO become our ops; others stay loops."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, ways
from jax_functions.test_scans import (
    FLAX,
    KNOWN,
    LEFT,
    MEMORY,
    NNX,
    OPTIONS,
    STATE,
    WEIGHTS,
    H,
    I,
    T,
    X,
    as_drawn,
    draw,
    flax_op,
    gru,
    lstm,
    over,
    plain,
    twice,
)
from quick import every

import rnn_compiler as rc
from rnn_compiler.linking import LinkedModule

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
rj = pytest.importorskip("rnn_compiler.jax")

Case = tuple[Callable[..., Any], Any]
slow = pytest.mark.slow


def layers(p: Any, carry: Any, x: Any) -> Any:
    """Two layers in one loop, whose outputs are those of a dense layer, and both states."""
    first, second = carry
    first = lstm(p, first, x)
    second = plain({"x": p["square"], "h": p["h"], "n": p["n"]}, second, first[1])
    return (first, second), (second @ p["dense"], first[1], second)


def embedded(p: Any, h: Any, x: Any) -> Any:
    """A cell whose inputs are rows that it looks up."""
    return twice(gru)(p, h, p["dense"][jnp.argmax(x, -1)])


def rolled(p: Any, carry: Any, x: Any) -> Any:
    """A loop of `fori_loop`, which writes its states itself, from the last row on."""

    def step(k: Any, carry: Any) -> Any:
        h, every = carry
        h = gru(p, h, x[T - 1 - k])
        return h, jax.lax.dynamic_update_index_in_dim(every, h, k, 0)

    return jax.lax.fori_loop(0, T, step, (carry, jnp.zeros((T, *carry.shape))))


def shorter(p: Any, carry: Any, x: Any) -> Any:
    """Not all rows."""
    return jax.lax.fori_loop(0, T - 2, lambda k, h: gru(p, h, x[k]), carry)


def looked_up(p: Any, carry: Any, x: Any) -> Any:
    """Rows in an order of their own."""
    return jax.lax.scan(lambda h, k: twice(gru)(p, h, x[k]), carry, jnp.array([2, 0, 1]))


def one_row(p: Any, carry: Any, x: Any) -> Any:
    """Without a batch, as equinox has it."""
    return jax.lax.scan(lambda h, x: twice(plain)(p, h, x), carry[0], x[:, 0])


def differentiated(p: Any, carry: Any, x: Any) -> Any:
    """A gradient."""
    return jax.grad(lambda p: jnp.mean(over(twice(gru))(p, carry, x)[1] ** 2))(p)


STACKS = ("stack", "stack, backwards", "gru, unrolled")
"""Scans that only `fuse_scans` recognises: their steps hold several cells."""

FUSED: dict[str, tuple[Callable[..., Any], Any, list[str]]] = {
    **{name: case for name, case in KNOWN.items() if name not in STACKS},
    "layers": (over(layers), ((MEMORY, STATE), STATE), ["onnx.LSTM", "onnx.RNN"]),
    "rolled": (rolled, STATE, ["onnx.GRU"]),
    "one row": (one_row, STATE, ["onnx.RNN"]),
    "maximum": (over(LEFT["maximum"][0]), STATE, ["onnx.RNN"]),
}
ODD: dict[str, Case] = {
    **{name: (over(cell), carry) for name, (cell, carry, _) in LEFT.items()},
    **{name: KNOWN[name][:2] for name in STACKS},
    "embedded": (over(embedded), STATE),
    "shorter": (shorter, STATE),
    "looked up": (looked_up, STATE),
    "differentiated": (differentiated, STATE),
}
del ODD["maximum"]  # without a gradient, it is relu
del ODD["own relu"], ODD["own derivative"]
FUSED["own derivative"] = (over(LEFT["own derivative"][0]), STATE, ["onnx.RNN"])

OWN = (
    *STACKS, "embedded", "shorter", "looked up", "differentiated", "peephole", "no input",
    "two dtypes", "rows reversed", "one row for all", "every c, relu",
)  # fmt: skip

QUICK = ("layers", "rolled")
CASES = {**{name: case[:2] for name, case in FUSED.items()}, **ODD}


@functools.cache
def weights() -> Any:
    return {**WEIGHTS, "square": draw(H, 3 * H)}


def together(p: Any, carries: dict[str, Any], x: Any) -> dict[str, Any]:
    """Several cases in one function."""
    return {name: CASES[name][0](p, carry, x) for name, carry in carries.items()}


@functools.cache
def linked(*names: str) -> LinkedModule:
    exported = rj.export(jax.jit(together))(weights(), carries(names), X)
    return rc.link_module(exported.mlir_module())


def carries(names: Sequence[str]) -> dict[str, Any]:
    return {name: CASES[name][1] for name in names}


def check(execute: Execute, names: Sequence[str]) -> None:
    """The numbers of JAX."""
    spec = linked(*names).functions[0]
    given = arguments(together, carries(names))
    found = execute(linked(*names), dict(zip((e.name for e in spec.arguments), given, strict=True)))
    wanted = jax.tree_util.tree_leaves_with_path(jax.jit(together)(weights(), carries(names), X))
    for tensor, (path, value) in zip(spec.results, wanted, strict=True):
        value = np.asarray(value)
        got = found[tensor.name].reshape(value.shape).astype(np.float32)
        tolerance = 0.02 if value.dtype == jnp.bfloat16 else 1e-5
        expected = value.astype(np.float32)
        np.testing.assert_allclose(got, expected, tolerance, tolerance, err_msg=str(path))


def arguments(function: Any, carry: Any) -> list[Any]:
    """The arrays that the exported function reads; JAX leaves out others."""
    traced = jax.jit(function).lower(weights(), carry, X)
    kept = traced._lowering.compile_args["kept_var_idx"]
    leaves = jax.tree.leaves((weights(), carry, X))
    return [np.asarray(jnp.asarray(leaves[k])) for k in sorted(kept)]


def quick_and_others(quick: Sequence[str], cases: Iterable[str]) -> list[Any]:
    """Some cases together, and slowly all others together."""
    others = tuple(name for name in cases if name not in quick)
    return [pytest.param(quick, id="quick"), pytest.param(others, id="others", marks=slow)]


@pytest.mark.parametrize("names", quick_and_others(QUICK, FUSED))
@ways("direct", "c", "js", quick=("direct",))
def test_known_cells(execute: Execute, names: Sequence[str]) -> None:
    for name in names:
        assert [each.op for each in linked(name).linked] == FUSED[name][2], name
        assert linked(name).left == (), name
    check(execute, names)


@slow
def test_odd_loops() -> None:
    """They stay loops, by the place of the scan and the reason."""
    for name in ODD:
        assert not linked(name).linked, name
        assert linked(name).left, name
        assert all(".py:" in each for each in linked(name).left), name


@slow
@ways("direct", "c")
def test_numbers_of_odd_loops(execute: Execute) -> None:
    """Of those that read, write and carry something of their own; most others have another body."""
    check(execute, tuple(every(ODD, *OWN)))


def of_framework(cases: Mapping[str, tuple[Any, Any]], *ops: str) -> None:
    """Functions with what they are given become ops, in one module, with the numbers of JAX."""

    def together(given: Any) -> Any:
        return {name: function(*given[name]) for name, (function, _) in cases.items()}

    given = {name: each for name, (_, each) in cases.items()}
    made = rc.link_module(rj.export(jax.jit(together))(given).mlir_module())
    assert {each.op for each in made.linked} == {*ops}
    assert not made.left
    program = rc.runtime.load(rc.compile(made, "cpu:generic"), device="local-sync")
    kept = jax.jit(together).lower(given)._lowering.compile_args["kept_var_idx"]
    leaves = [np.asarray(each) for k, each in enumerate(jax.tree.leaves(given)) if k in kept]
    names = [each.name for each in made.functions[0].arguments]
    found = program(**dict(zip(names, leaves, strict=True)))
    wanted = jax.tree_util.tree_leaves_with_path(jax.jit(together)(given))
    for got, (path, value) in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, value, 0, 1e-6, err_msg=str(path))


@slow
def test_nnx() -> None:
    """Each cell with one of the options, or with all if `every` is asked for."""
    nnx = pytest.importorskip("flax.nnx", reason="flax has these modules")
    cases: dict[str, tuple[Any, Any]] = {}
    chosen = every(
        NNX,
        *(("LSTMCell", "lengths"), ("OptimizedLSTMCell", "carry")),
        *(("GRUCell", "plain"), ("SimpleCell", "lengths")),
    )
    for cell, options in chosen:
        module = nnx.RNN(getattr(nnx, cell)(I, H, rngs=nnx.Rngs(0)))
        graph, trained, rest = nnx.split(module, nnx.Param, ...)

        def function(w: Any, rest: Any, x: Any, graph: Any = graph, options: Any = options) -> Any:
            return nnx.merge(graph, w, rest)(x, **OPTIONS[options])

        x = X if options == "carry" else X.swapaxes(0, 1)
        cases[f"{cell}, {options}"] = function, (as_drawn(trained), rest, x)
    of_framework(cases, *(flax_op(*each) for each in chosen))


@slow
def test_linen() -> None:
    linen = pytest.importorskip("flax.linen", reason="flax has these modules")
    cases: dict[str, tuple[Any, Any]] = {}
    for cell in FLAX:
        module = linen.RNN(getattr(linen, cell)(H), return_carry=True)
        cases[cell] = module.apply, (as_drawn(module.init(jax.random.key(0), X)), X)
    of_framework(cases, *FLAX.values())


@slow
def test_equinox() -> None:
    """One row, and a batch of them."""
    nn = pytest.importorskip("equinox.nn", reason="equinox has these modules")
    cases: dict[str, tuple[Any, Any]] = {}
    for cell, first in (("LSTMCell", (jnp.asarray(MEMORY[0]),) * 2), ("GRUCell", STATE[0])):
        module = as_drawn(getattr(nn, cell)(I, H, key=jax.random.key(0)))

        def one(module: Any, x: Any, first: Any = first) -> Any:
            def step(carry: Any, x: Any) -> Any:
                carry = module(x, carry)
                return carry, carry[0] if isinstance(carry, tuple) else carry

            return jax.lax.scan(step, first, x)

        cases[cell] = one, (module, X[:, 0])
        cases[f"{cell} of a batch"] = jax.vmap(one, (None, 1)), (module, X)
    of_framework(cases, *["onnx.LSTM", "onnx.GRU"] * 2)


def test_numbers_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell that was taken for another one stays a loop."""
    from rnn_compiler.lowering.linking import scans

    found = scans.recognized

    def mistaken(*given: Any) -> Any:
        cell = found(*given)
        return dataclasses.replace(cell, linear_before_reset=not cell.linear_before_reset)

    monkeypatch.setattr(scans, "recognized", mistaken)
    text = rj.export(jax.jit(over(twice(gru))))(weights(), STATE, X).mlir_module()
    module = rc.link_module(text)
    assert not module.linked
    (left,) = module.left
    assert "its numbers are not those of the cell that it looks like" in left


@slow
def test_the_command_names_loops(tmp_path: Path, cli: Any) -> None:
    """By the user's lines, also after scans were fused in this process."""
    with rj.fuse_scans():
        jax.make_jaxpr(FUSED["layers"][0])(weights(), FUSED["layers"][1], X)
    path = tmp_path / "model.mlir"
    function, carry = ODD["differentiated"]
    path.write_text(rj.export(jax.jit(function))(weights(), carry, X).mlir_module())
    err = cli("link", path, "--target", "cpu:generic", "-o", tmp_path / "model.vmfb").err
    assert f"note: the loop at {Path(__file__).parent / 'test_scans.py'}:" in err
    assert "as a gradient reads them; if it is, export the function within" in err
    assert "it stays a loop" in err

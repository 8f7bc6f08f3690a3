"""More states than a dispatch can have arrays: they are updated by several, in the right order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from quick import first

import rnn_compiler as rc

N = 5
"""The size of each state."""


def module_of(states: list[str], updates: list[str], nexts: list[str]) -> str:
    """A function ``step`` of states, x and a scale; with another result, which reads a state."""
    kind = f"tensor<{N}xf32>"
    arguments = [f"%{s}: {kind} {{tf.aliasing_output = {k} : i32}}" for k, s in enumerate(states)]
    return "\n".join([
        "module {",
        f"func.func @step({', '.join(arguments)}, %x: {kind}, %scale: tensor<f32>)",
        f"    -> ({', '.join([kind] * (len(states) + 1))}) {{",
        f"%s = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> {kind}",
        *(f"{update} : {kind}" for update in updates),
        f"%late = stablehlo.multiply %{states[-1]}, %x : {kind}",
        f"return {', '.join([*nexts, '%late'])} : {', '.join([kind] * (len(states) + 1))}",
        "}",
        "}",
    ])  # fmt: skip


def run(text: str, states: dict[str, Any], calls: str) -> Any:
    """A session, after two steps; and the other results of the second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_COMPILER_CALLS", calls)
        program = rc.runtime.load(rc.compile(rc.link_module(text)), device="local-sync")
        session = program.session(**states)
        for _ in range(2):
            results = session(x=X, scale=np.float32(0.5))
    return session.state, results[0]


X = np.linspace(0.5, 1.5, N, dtype=np.float32)


def drawn(names: list[str]) -> dict[str, Any]:
    random = np.random.default_rng(0)
    return {name: random.normal(size=N).astype(np.float32) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("calls", ["direct", "iree"])
def test_parameters_with_moments(calls: str) -> None:
    """Thirty pairs: no pair is divided, and all of them are updated after the last read."""
    pairs = [(f"p{k}", f"m{k}") for k in range(30)]
    updates = [
        f"%{p}{m}a = stablehlo.multiply %{m}, %s\n : tensor<{N}xf32>\n"
        f"%{m}n = stablehlo.add %{p}{m}a, %x\n : tensor<{N}xf32>\n"
        f"%{p}n = stablehlo.subtract %{p}, %{m}n"
        for p, m in pairs
    ]
    names = [name for pair in pairs for name in pair]
    states = drawn(names)
    found, late = run(module_of(names, updates, [f"%{n}n" for n in names]), states, calls)
    for _ in range(2):
        expected_late = states[names[-1]] * X
        for p, m in pairs:
            states[m] = states[m] * np.float32(0.5) + X
            states[p] = states[p] - states[m]
    for name in names:
        np.testing.assert_allclose(found[name], states[name], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(late, expected_late, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("calls", ["direct", "iree"])
@pytest.mark.parametrize("count", first([12, 40]))
def test_a_ring_of_states(count: int, calls: str) -> None:
    """Each gets the next one's value, scaled: in one dispatch, or copied where that is too many."""
    names = [f"a{k}" for k in range(count)]
    following = [*names[1:], names[0]]
    updates = [
        f"%{a}n = stablehlo.multiply %{b}, %s" for a, b in zip(names, following, strict=True)
    ]
    states = drawn(names)
    found, late = run(module_of(names, updates, [f"%{n}n" for n in names]), states, calls)
    for _ in range(2):
        expected_late = states[names[-1]] * X
        states = {a: states[b] * np.float32(0.5) for a, b in zip(names, following, strict=True)}
    for name in names:
        np.testing.assert_allclose(found[name], states[name], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(late, expected_late, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("calls", ["direct", "iree"])
@pytest.mark.parametrize("kind", ["tensor<f32>", "tensor<5xf32>", "tensor<1xf32>"])
def test_a_sum_of_many_states(kind: str, calls: str) -> None:
    """IREE alone makes one dispatch of all single numbers, which its runtime refuses."""
    count = 200
    names = [f"a{k}" for k in range(count)]
    given = ", ".join(
        f"%{n}: {kind} {{tf.aliasing_output = {k} : i32}}" for k, n in enumerate(names)
    )
    lines = [f"%n{k} = stablehlo.multiply %{name}, %x : {kind}" for k, name in enumerate(names)]
    lines.append(f"%s0 = stablehlo.add %a0, %x : {kind}")
    lines += [f"%s{k} = stablehlo.add %s{k - 1}, %a{k} : {kind}" for k in range(1, count)]
    kinds = ", ".join([kind] * (count + 1))
    values = ", ".join([*(f"%n{k}" for k in range(count)), f"%s{count - 1}"])
    text = f"""module {{ func.func @step({given}, %x: {kind}) -> ({kinds}) {{
      {chr(10).join(lines)}
      return {values} : {kinds}
    }} }}"""
    sizes = [int(each) for each in kind[7:-1].split("x")[:-1]]
    states = {name: np.full(sizes, k, np.float32) for k, name in enumerate(names)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_COMPILER_CALLS", calls)
        program = rc.runtime.load(rc.compile(rc.link_module(text)), device="local-sync")
        session = program.session(**states)
        (total,) = session(x=np.full(sizes, 2, np.float32))
    np.testing.assert_array_equal(total, np.full(sizes, count * (count - 1) // 2 + 2))
    for name, value in states.items():
        np.testing.assert_array_equal(session.state[name], 2 * value)

"""Updates of states that results or other updates read, as they were or as they become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Loaded
from quick import only

import rnn_compiler as rc

Arrays = dict[str, Any]

MANY = 40
"""More states than one dispatch can have."""


def text(states: Arrays, results: Arrays, body: str) -> str:
    """A step with an argument `x`; its results are the next values of states, and others.

    `states` maps names to types and next values, and `results` likewise.
    """
    given = [
        f"%{name}: tensor<{kind}> {{tf.aliasing_output = {number} : i32}}"
        for number, (name, (kind, _)) in enumerate(states.items())
    ]
    made = [f"tensor<{kind}>" for kind, _ in (*states.values(), *results.values())]
    marked = made[: len(states)]
    for name, (kind, _) in results.items():
        marked.append(f"tensor<{kind}> {{jax.result_info = \"result['{name}']\"}}")
    values = ", ".join(value for _, value in (*states.values(), *results.values()))
    return f"""func.func @step({", ".join(given)}, %x: tensor<40xf32>) -> ({", ".join(marked)}) {{
      {body}
      return {values} : {", ".join(made)}
    }}"""


OLD = text(
    {"a": ("40xf32", "%a1"), "b": ("40xf32", "%b1"), "c": ("40xf32", "%a")},
    {
        **{"old": ("40xf32", "%b"), "next": ("40xf32", "%a1")},
        **{"rows": ("8x5xf32", "%rows"), "part": ("3xf32", "%part")},
    },
    """%a1 = stablehlo.multiply %a, %x : tensor<40xf32>
      %b1 = stablehlo.add %c, %x : tensor<40xf32>
      %rows = stablehlo.reshape %b : (tensor<40xf32>) -> tensor<8x5xf32>
      %part = stablehlo.slice %a [4:7] : (tensor<40xf32>) -> tensor<3xf32>""",
)


def old(s: Arrays, x: Any) -> tuple[Arrays, Arrays]:
    a, b = s["a"], s["b"]
    results = {"old": b, "next": a * x, "rows": b.reshape(8, 5), "part": a[4:7]}
    return {"a": a * x, "b": s["c"] + x, "c": a}, results


RATE = text(
    {"w": ("40xf32", "%w1"), "rate": ("f32", "%rate1")},
    {},
    """%rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<40xf32>
      %step = stablehlo.multiply %rates, %x : tensor<40xf32>
      %w1 = stablehlo.subtract %w, %step : tensor<40xf32>
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %rate1 = stablehlo.multiply %rate, %half : tensor<f32>""",
)


def rate(s: Arrays, x: Any) -> tuple[Arrays, Arrays]:
    return {"w": s["w"] - s["rate"] * x, "rate": s["rate"] * np.float32(0.5)}, {}


VIEWS = text(
    {"a": ("40xf32", "%a1"), "b": ("8x5xf32", "%b1"), "c": ("10xf32", "%c1")},
    {},
    """%flat = stablehlo.reshape %b : (tensor<8x5xf32>) -> tensor<40xf32>
      %rows = stablehlo.reshape %a : (tensor<40xf32>) -> tensor<8x5xf32>
      %part = stablehlo.slice %a [16:26] : (tensor<40xf32>) -> tensor<10xf32>
      %a0 = stablehlo.add %a, %flat : tensor<40xf32>
      %a1 = stablehlo.multiply %a0, %x : tensor<40xf32>
      %b1 = stablehlo.subtract %b, %rows : tensor<8x5xf32>
      %c1 = stablehlo.add %c, %part : tensor<10xf32>""",
)


def views(s: Arrays, x: Any) -> tuple[Arrays, Arrays]:
    a, b, c = s["a"], s["b"], s["c"]
    return {"a": (a + b.reshape(40)) * x, "b": b - a.reshape(8, 5), "c": c + a[16:26]}, {}


RETURNED = text(
    {f"p{k:02}": ("40xf32", f"%n{k:02}") for k in range(MANY)},
    {f"old{k:02}": ("40xf32", f"%p{k:02}") for k in range(MANY)},
    "\n".join(f"%n{k:02} = stablehlo.add %p{k:02}, %x : tensor<40xf32>" for k in range(MANY)),
)


def returned(s: Arrays, x: Any) -> tuple[Arrays, Arrays]:
    after = {name: value + x for name, value in s.items()}
    return after, {name.replace("p", "old"): value for name, value in s.items()}


UNSIGNED = text(
    {"a": ("40xf32", "%a1"), "key": ("2xui32", "%key1")},
    {"bits": ("40xui32", "%bits")},
    """%a1 = stablehlo.multiply %a, %x : tensor<40xf32>
      %three = stablehlo.constant dense<3> : tensor<2xui32>
      %key1 = stablehlo.multiply %key, %three : tensor<2xui32>
      %bits = stablehlo.bitcast_convert %a : (tensor<40xf32>) -> tensor<40xui32>""",
)


def unsigned(s: Arrays, x: Any) -> tuple[Arrays, Arrays]:
    return {"a": s["a"] * x, "key": s["key"] * np.uint32(3)}, {"bits": s["a"].view(np.uint32)}


CASES = {
    "results that states were or become": (OLD, old),
    "a scalar that another update reads": (RATE, rate),
    "other states in another shape": (VIEWS, views),
    "unsigned integers": (UNSIGNED, unsigned),
    "many states that are results": (RETURNED, returned),
}


def first(module: rc.Module) -> tuple[Arrays, Any]:
    """First values of the states, and the argument."""
    rng = np.random.default_rng(0)
    state = {
        each.name: np.array(rng.normal(size=each.static_shape) ** 2, each.dtype)
        for each in module.functions[0].arguments
    }
    return state, state.pop("x")


@pytest.mark.parametrize("name", only(CASES, *[*CASES][:2]))
def test_in_c(name: str, tmp_path: Path) -> None:
    source, reference = CASES[name]
    module = rc.link_module(source)
    state, x = first(module)
    loaded = Loaded(rc.compile_c(module, "cpu:generic"), tmp_path)
    found = loaded.call("step", {**state, "x": x})
    after, results = reference(state, x)
    for key, value in {**after, **results}.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, err_msg=key)


@pytest.mark.parametrize("calls", ["direct", "iree"])
@pytest.mark.parametrize("name", only(CASES, *[*CASES][:2]))
def test_steps(name: str, calls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, reference = CASES[name]
    module = rc.link_module(source)
    state, x = first(module)
    monkeypatch.setenv("RNN_COMPILER_CALLS", calls)
    program = rc.runtime.load(rc.compile(module, "cpu:generic"), device="local-sync")
    session = program.session(**state)
    for _ in range(3):
        found = session(x=x)
        plain = program(**state, x=x)
        state, results = reference(state, x)
        for key, value in results.items():
            np.testing.assert_allclose(getattr(found, key), value, rtol=1e-5, err_msg=key)
            np.testing.assert_allclose(getattr(plain, key), value, rtol=1e-5, err_msg=key)
        for key, value in state.items():
            np.testing.assert_allclose(session.state[key], value, rtol=1e-5, err_msg=key)
            np.testing.assert_allclose(getattr(plain, key), value, rtol=1e-5, err_msg=key)

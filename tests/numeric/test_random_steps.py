"""Random steps: a fused loop gives the results of the plain one, and of numpy step by step.

A step is a handful of elementwise formulas of its states, of rows of sequences, and of a product
with a matrix. Their numbers, the lengths and the direction of time are random too.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from iree import runtime as iree

from rnn_compiler.lowering.builder.builder import Builder, Value
from rnn_compiler.lowering.builder.module import EmittedOp, build_module
from rnn_compiler.lowering.builder.time_loop import time_loop
from rnn_compiler.lowering.pipeline import lower
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

Formula = tuple[Any, ...]
"""``(operator, operands...)``, or ``("read", k)``, ``("state", k)``, ``("product", 0)``."""


LIMIT = 0.3
"""The limit in selections: a number at which no function saturates."""


class Loop(NamedTuple):
    """A loop over random steps: one formula a state and an output."""

    T: int
    B: int
    N: int
    reads: int
    states: tuple[Formula, ...]
    outputs: tuple[Formula, ...]
    lengths: tuple[int, ...] | None
    count: int
    reverse: bool


def formulas(reads: int, states: int) -> st.SearchStrategy[Formula]:
    leaves = st.one_of(
        st.tuples(st.just("read"), st.integers(0, reads - 1)),
        st.tuples(st.just("state"), st.integers(0, states - 1)),
        st.just(("product", 0)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from(("add", "subtract", "multiply", "maximum")), inner, inner),
            st.tuples(st.sampled_from(("tanh", "sigmoid", "negate")), inner),
            st.tuples(st.just("select"), inner, inner, inner),
        ),
        max_leaves=6,
    )


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    T, B, N = (draw(st.integers(low, high)) for low, high in ((1, 6), (1, 9), (2, 40)))
    reads, states = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    some = formulas(reads, states)
    bounded = some.map(lambda formula: ("tanh", formula))  # or states would explode
    lengths = draw(st.none() | st.tuples(*[st.integers(0, T)] * B))
    return Loop(
        *(T, B, N, reads),
        tuple(draw(bounded) for _ in range(states)),
        tuple(draw(st.lists(some, min_size=1, max_size=3))),
        *(lengths, draw(st.integers(0, T)), draw(st.booleans())),
    )


def arguments(loop: Loop) -> dict[str, Any]:
    """The arguments of the function: random numbers, the same for the same sizes."""
    random = np.random.default_rng(0)
    T, B, N = loop[:3]
    shapes = {f"x{k}": (T, B, N) for k in range(loop.reads)}
    shapes |= {"w": (N, N)} | {f"s{k}": (B, N) for k in range(len(loop.states))}
    found = {k: random.normal(size=shape).astype(np.float32) for k, shape in shapes.items()}
    found["w"] /= np.float32(N)
    found["n"] = np.array(loop.count, np.int64)
    if loop.lengths is not None:
        found["lengths"] = np.array(loop.lengths, np.int64)
    return found


def emit(loop: Loop, b: Builder, args: Mapping[str, Value]) -> list[Value]:
    """Emits the loop; gives its outputs and last states."""
    reads = {k: v for k, v in args.items() if k[0] in "xwl"}

    def step(
        t: Value, reads: Mapping[str, Value], state: Mapping[str, Value]
    ) -> tuple[dict[str, Value], dict[str, Value]]:
        product = state["s0"].dot(reads["w"], (1, 0))

        def value(formula: Formula) -> Value:
            match formula:
                case ("read", k):
                    return reads[f"x{k}"].row(t)
                case ("state", k):
                    return state[f"s{k}"]
                case ("product", _):
                    return product
                case ("select", *operands):
                    test, first, second = map(value, operands)
                    return b.select(test.compare("GT", LIMIT), first, second)
                case ("tanh", x):
                    return b.tanh(value(x))
                case ("sigmoid", x):
                    return b.sigmoid(value(x))
                case ("negate", x):
                    return -value(x)
                case (operator, x, y):
                    return value(x).binary(operator, value(y))
                case _:
                    raise ValueError(formula)

        new = {f"s{k}": value(formula) for k, formula in enumerate(loop.states)}
        return new, {f"y{k}": value(formula) for k, formula in enumerate(loop.outputs)}

    made = time_loop(
        b,
        "random",
        length=args["n"],
        operands=reads,
        state={f"s{k}": args[f"s{k}"] for k in range(len(loop.states))},
        outputs={f"y{k}": (loop[:3], "float32") for k in range(len(loop.outputs))},
        step=step,
        reverse=loop.reverse,
        lengths=None if loop.lengths is None else "lengths",
    )
    return [made[name] for name in results(loop)]


def results(loop: Loop) -> list[str]:
    outputs = [f"y{k}" for k in range(len(loop.outputs))]
    return [*outputs, *(f"s{k}" for k in range(len(loop.states)))]


def evaluated(reads: list[Any], state: list[Any], product: Any, formula: Formula) -> Any:
    """The value of a formula, by numpy."""
    value = functools.partial(evaluated, reads, state, product)
    match formula:
        case ("read", k):
            return reads[k]
        case ("state", k):
            return state[k]
        case ("product", _):
            return product
        case ("select", test, x, y):
            return np.where(value(test) > LIMIT, value(x), value(y))
        case ("sigmoid", x):
            return 1 / (1 + np.exp(-value(x)))
        case ("tanh" | "negate" as name, x):
            return {"tanh": np.tanh, "negate": np.negative}[name](value(x))
        case (name, x, y):
            return getattr(np, name)(value(x), value(y))
        case _:
            raise ValueError(formula)


def expected(loop: Loop, args: Mapping[str, Any]) -> list[Any]:
    """The same in float64, by numpy."""
    wide = {k: v.astype(np.float64) for k, v in args.items()}
    state = [wide[f"s{k}"] for k in range(len(loop.states))]
    outputs = [np.zeros(loop[:3]) for _ in loop.outputs]
    lengths = np.array(loop.lengths or [loop.T] * loop.B)
    times = range(loop.count)
    for t in reversed(times) if loop.reverse else times:
        product = state[0] @ wide["w"]

        reads = [wide[f"x{k}"][t] for k in range(loop.reads)]
        value = functools.partial(evaluated, reads, state, product)
        valid = (t < lengths)[:, None]
        for output, formula in zip(outputs, loop.outputs, strict=True):
            output[t] = np.where(valid, value(formula), 0)
        new = [value(formula) for formula in loop.states]
        state = [np.where(valid, after, before) for after, before in zip(new, state, strict=True)]
    return [*outputs, *state]


def ran(
    some: Sequence[Loop], args: Sequence[Mapping[str, Any]], strategy: str, folder: Path
) -> list[list[Any]]:
    """The results of loops that are compiled together."""
    ops: list[EmittedOp] = []
    for number, (loop, called) in enumerate(zip(some, args, strict=True)):
        shapes = {"y": loop[:3], "s": loop[1:3]}
        taken = [TensorSpec(k, str(v.dtype), v.shape) for k, v in called.items()]
        made = [TensorSpec(f"{name}_out", "float32", shapes[name[0]]) for name in results(loop)]
        spec = FunctionSpec("Random", f"f{number}", "float32", {}, {}, tuple(taken), tuple(made))
        ops.append(EmittedOp(spec, spec, lambda b, _, values, loop=loop: emit(loop, b, values)))
    specs = [op.spec for op in ops]
    target = resolve_target("cpu")
    lowered = lower(
        LoweringRequest(build_module(ops), specs, target, strategy, "0"), reproducers=folder
    )
    assert strategy == "portable" or not lowered.plain_loops
    module = iree.load_vm_flatbuffer(lowered.payload, driver="local-sync")
    return [
        [np.asarray(each) for each in module[spec.function](*called.values())]
        for spec, called in zip(specs, args, strict=True)
    ]


def check(folder: Path, *some: Loop) -> None:
    args = [arguments(loop) for loop in some]
    exact = [expected(loop, called) for loop, called in zip(some, args, strict=True)]
    for strategy in ("fused", "portable"):
        found = ran(some, args, strategy, folder)
        for loop, values, right in zip(some, found, exact, strict=True):
            what = f"{strategy}: {loop}"
            for value, wanted in zip(values, right, strict=True):
                atol = 1e-4 * max(1.0, float(np.abs(wanted).max(initial=0)))
                np.testing.assert_allclose(value, wanted, rtol=0, atol=atol, err_msg=what)


@pytest.mark.slow
def test_chosen_steps(tmp_path: Path) -> None:
    """Three states, one a product; rows that end early, one of them without steps.

    And rows of more steps than are run, so many that on every processor they are in the order of
    their lengths.
    """
    mixed = ("select", ("read", 1), ("multiply", ("state", 1), ("read", 0)), ("state", 2))
    states = (
        ("tanh", ("add", ("product", 0), ("read", 0))),
        ("tanh", ("subtract", ("state", 0), ("negate", ("state", 2)))),
        ("tanh", ("maximum", ("sigmoid", ("state", 1)), mixed)),
    )
    outputs = (mixed, ("add", ("product", 0), ("state", 1)))
    lengths = (5, 0, 3, 1, 5, 2, 4, 5, 5)
    several = Loop(6, 9, 21, 2, states, outputs, lengths, 5, reverse=True)
    lengths = tuple(k % 4 for k in range(33))
    one = Loop(3, 33, 5, 1, (("tanh", ("product", 0)),), (("read", 0),), lengths, 2, reverse=False)
    check(tmp_path, several, one, one._replace(reverse=True))


@pytest.mark.slow
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(loops(), min_size=5, max_size=5, unique=True))
def test_random_steps(tmp_path: Path, some: list[Loop]) -> None:
    check(tmp_path, *some)

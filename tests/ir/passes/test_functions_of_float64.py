"""Modules before and after `functions_of_float64`, and their results on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ir.rewriting import rewritten
from quick import first, only
from traps.iree import called

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.codegen.float64 import FUNCTIONS_OF_FLOAT64
from rnn_compiler.lowering.passes.functions_of_float64 import functions_of_float64
from rnn_compiler.lowering.passes.without_libm import without_libm
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

Long = np.longdouble


def vectorized(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of `math` on an array."""
    return lambda x: np.array([function(float(each)) for each in x])


REFERENCES: dict[str, Callable[..., Any]] = {
    **{
        name: (lambda *x, name=name: getattr(np, f"arc{name[1:]}")(*map(Long, x)))
        for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh")
    },
    **{
        name: (lambda x, name=name: getattr(np, name)(Long(x)))
        for name in ("cbrt", "cos", "cosh", "expm1", "log", "log10", "log1p", "log2", "sin")
    },
    **{name: (lambda x, name=name: getattr(np, name)(Long(x))) for name in ("sinh", "tan", "tanh")},
    "erf": vectorized(math.erf),
    "erfc": vectorized(math.erfc),
    "powf": lambda x, y: Long(x) ** Long(y),
}
"""The functions with more digits, or of C."""

ENDS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, math.inf, -math.inf, math.nan, 5e-10, -3e-300, 1e300]


def arguments(name: str) -> list[Any]:
    """Numbers of all sizes that a function is defined for, and its ends."""
    random = np.random.default_rng(0)
    n = 1500
    sizes = 10 ** random.uniform(-12, 8.9, n) * random.choice([-1, 1], n)
    near = np.concatenate([random.uniform(-1, 1, n), random.uniform(-30, 30, n), [*ENDS]])
    x = np.concatenate(
        [sizes, near, np.arange(-50, 50) * (math.pi / 2), 10.0 ** np.arange(-20, 20)]
    )
    if name == "atan2":
        pairs = np.array([(a, b) for a in ENDS for b in ENDS]).T
        other = random.permutation(x)
        return [np.concatenate([x, pairs[0]]), np.concatenate([other, pairs[1]])]
    if name == "powf":
        base = random.uniform(0, 4, x.size)
        return [base, np.clip(x, -500, 500)]
    return [x]


def module(op: str, count: int, size: int) -> str:
    """A function `main` of float64 arrays."""
    kind = f"tensor<{size}xf64>"
    names = [f"%x{i}" for i in range(count)]
    kinds = ", ".join([kind] * count)
    return f"""
    func.func @main({", ".join(f"{each}: {kind}" for each in names)}) -> {kind} {{
      %y = "{op}"({", ".join(names)}) : ({kinds}) -> {kind}
      return %y : {kind}
    }}"""


def check_function(name: str) -> None:
    op = {
        "powf": "stablehlo.power",
        "cbrt": "stablehlo.cbrt",
        "expm1": "stablehlo.exponential_minus_one",
        "log1p": "stablehlo.log_plus_one",
        **{each: f"stablehlo.{each}" for each in ("log", "tanh", "tan", "atan2")},
        **{each: f"math.{each}" for each in ("log2", "log10")},
        "sin": "stablehlo.sine",
        "cos": "stablehlo.cosine",
    }.get(name, f"chlo.{name}")
    given = arguments(name)
    after, _ = rewritten(module(op, len(given), given[0].size), functions_of_float64)
    assert op not in after
    (got,) = called(after, *given, flags=["--iree-input-demote-f64-to-f32=false"])
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*given)
        wanted = exact.astype(np.float64)
        compared = np.isfinite(wanted) & (np.abs(wanted) >= np.finfo(np.float64).tiny)
        if name in ("sin", "cos", "tan"):
            far = np.abs(given[0]) > 2.0**30
            assert np.isnan(got[far]).all()
            wanted[far] = math.nan
            compared &= ~far
        error = np.abs((got - exact) / np.spacing(np.abs(wanted)))[compared]
        allowed = 4 + 2 * np.abs(given[1] * np.log(given[0]))[compared] if name == "powf" else 4
    print(name, error.max(), given[0][compared][np.argmax(error)])
    assert (error <= allowed).all()
    ends = ~np.isfinite(wanted) | (wanted == 0)
    np.testing.assert_array_equal(got[ends], wanted[ends])
    np.testing.assert_array_equal(np.signbit(got[wanted == 0]), np.signbit(wanted[wanted == 0]))


@pytest.mark.slow
@pytest.mark.parametrize("name", first(["log", "expm1"]))
def test_values(name: str) -> None:
    check_function(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FUNCTIONS_OF_FLOAT64.keys() - {"expm1", "log"}))
def test_values_of_other_functions(name: str) -> None:
    check_function(name)


@pytest.mark.parametrize("kind", only(["f32", "f64"], "f64"))
def test_remainders_are_exact(kind: str) -> None:
    dtype = {"f32": np.float32, "f64": np.float64}[kind]
    random = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        x, y = (10 ** random.uniform(-30, 30, (2, 400)) * random.choice([-1, 1], (2, 400))).astype(
            dtype
        )
        pairs = np.array([(a, b) for a in ENDS for b in (*ENDS, 7.0)], dtype)
        x, y = np.concatenate([x, pairs[:, 0]]), np.concatenate([y, pairs[:, 1]])
        expected = np.fmod(x, y)
    text = module("stablehlo.remainder", 2, x.size).replace("f64", kind)
    after, _ = rewritten(text, functions_of_float64)
    (got,) = called(after, x, y, flags=["--iree-input-demote-f64-to-f32=false"])
    np.testing.assert_array_equal(got, expected)
    defined = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[defined]), np.signbit(expected[defined]))


@pytest.mark.slow
def test_roundings_of_arrays() -> None:
    """They are `linalg.generic` with ops on numbers, which are rounded by sums."""
    x = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 4503599627370495.5, -0.3, math.inf, 1e300])
    for op, expected in {
        "ceil": np.ceil(x),
        "floor": np.floor(x),
        "round_nearest_even": np.rint(x),
        "round_nearest_afz": np.trunc(x + np.copysign(0.5, x)),
    }.items():
        after, _ = rewritten(module(f"stablehlo.{op}", 1, x.size), without_libm)
        (got,) = called(after, x, flags=["--iree-input-demote-f64-to-f32=false"])
        np.testing.assert_array_equal(got, expected, err_msg=op)


def test_functions_without_formula() -> None:
    with pytest.raises(UnsupportedError, match=r"chlo\.lgamma of float64 .* in float32"):
        rewritten(module("chlo.lgamma", 1, 3), functions_of_float64)


def test_what_is_left() -> None:
    text = module("stablehlo.tanh", 1, 3)
    assert rewritten(text, functions_of_float64, processor=Gpu()) == rewritten(text)
    text = text.replace("f64", "f32")
    assert rewritten(text, functions_of_float64) == rewritten(text)


@pytest.mark.slow
def test_roots_without_instructions() -> None:
    random = np.random.default_rng(0)
    x = np.array([*ENDS, *10 ** random.uniform(-300, 300, 2000), *np.arange(50.0) ** 2])
    bare = VectorUnit(bits=128, registers=16, float64_unit=False)
    after, _ = rewritten(module("stablehlo.sqrt", 1, x.size), functions_of_float64, processor=bare)
    assert "sqrt" not in after
    (got,) = called(after, x, flags=["--iree-input-demote-f64-to-f32=false"])
    with np.errstate(invalid="ignore"):
        expected = np.sqrt(x)
    np.testing.assert_array_max_ulp(got[12:], expected[12:], 1)
    np.testing.assert_array_equal(got[:12], expected[:12])

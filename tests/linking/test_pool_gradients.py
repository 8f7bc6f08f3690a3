"""Gradients of maxima over windows, `stablehlo.select_and_scatter`, in a user's module."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target

POOL = """
func.func @NAME(%x: tensor<SIZES>, %dy: tensor<MAXIMA>) -> tensor<SIZES> {
  %zero = stablehlo.constant dense<0.0> : tensor<TYPE>
  %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero) ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %is = stablehlo.compare GE, %a, %b : (tensor<TYPE>, tensor<TYPE>) -> tensor<i1>
    stablehlo.return %is : tensor<i1>
  }, {
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %sum = stablehlo.add %a, %b : tensor<TYPE>
    stablehlo.return %sum : tensor<TYPE>
  }) {window_dimensions = array<i64: 1, HIGH, WIDE>, window_strides = array<i64: 1, HIGH, WIDE>}
      : (tensor<SIZES>, tensor<MAXIMA>, tensor<TYPE>) -> tensor<SIZES>
  return %dx : tensor<SIZES>
}
"""


def text(
    maxima: tuple[int, int, int], window: tuple[int, int], kind: str = "f32", name: str = "main"
) -> str:
    planes, rows, columns = maxima
    high, wide = window
    sizes = f"{planes}x{rows * high}x{columns * wide}x{kind}"
    made = POOL.replace("SIZES", sizes).replace("MAXIMA", f"{planes}x{rows}x{columns}x{kind}")
    made = made.replace("NAME", name)
    return made.replace("HIGH", f"{high}").replace("WIDE", f"{wide}").replace("TYPE", kind)


def gradient(x: Any, dy: Any, window: tuple[int, int]) -> Any:
    """The gradient of the first largest number of each window."""
    dx, (high, wide) = np.zeros_like(x), window
    for (plane, row, column), number in np.ndenumerate(dy):
        part = x[plane, row * high : (row + 1) * high, column * wide : (column + 1) * wide]
        line, place = np.unravel_index(np.argmax(part), part.shape)
        dx[plane, row * high + line, column * wide + place] = number
    return dx


CASES = [
    ((2, 3, 40), (2, 2)),  # the last vector of a row overlaps the one before
    ((1, 1, 4), (2, 2)),
    ((3, 2, 19), (1, 2)),
    ((5, 3, 7), (4, 1)),
    ((1, 5, 16), (3, 2)),
    ((2, 2, 3), (2, 2)),  # fewer columns than a vector
    ((2, 3, 5), (3, 3)),
]


@pytest.mark.slow
@ways("direct", "c", "js", "cortex-m4")
def test_the_first_largest_number_of_each_window(execute: Execute) -> None:
    texts = [text(*case, name=f"pool{number}") for number, case in enumerate(CASES)]
    module = rc.link_module("\n".join(texts))
    for number, (maxima, window) in enumerate(CASES):
        random = np.random.default_rng(0)
        planes, rows, columns = maxima
        high, wide = window
        x = random.integers(-2, 3, (planes, rows * high, columns * wide)).astype(np.float32)
        dy = random.standard_normal(maxima).astype(np.float32)
        (found,) = execute(module, {"x": x, "dy": dy}, number).values()
        np.testing.assert_array_equal(found, gradient(x, dy, window), err_msg=str(CASES[number]))


@pytest.mark.slow
def test_infinite_numbers() -> None:
    x = np.full((1, 4, 16), -np.inf, np.float32)
    x[0, 3, 5] = np.inf
    dy = np.arange(1, 17, dtype=np.float32).reshape(1, 2, 8)
    program = rc.runtime.load(rc.compile(rc.link_module(text((1, 2, 8), (2, 2)))))
    np.testing.assert_array_equal(program(x=x, dy=dy)[0], gradient(x, dy, (2, 2)))


def test_small_windows_are_a_dispatch() -> None:
    """Wide windows, other numbers and other choices are not."""
    small = text((2, 3, 8), (2, 2))
    assert "@pool_gradient" in _lowered(small)
    others = [text((2, 3, 8), (2, 3)), text((2, 3, 8), (2, 2), "f64")]
    others += [small.replace("GE", "GT"), small.replace("dense<0.0>", "dense<1.0>")]
    for other in others:
        assert "@pool_gradient" not in _lowered(other)


@pytest.mark.parametrize(
    "change", [("compare GE, %a, %b", "compare GE, %b, %a"), (".add", ".maximum")]
)
def test_other_functions_are_left(change: tuple[str, str]) -> None:
    changed = text((2, 3, 8), (2, 2)).replace(*change)
    assert "select_and_scatter" in _lowered(changed)


def _lowered(text: str) -> str:
    module, target = rc.link_module(text), resolve_target("cpu:generic")
    request = LoweringRequest(module.text, module.functions, target, "fused", "0", is_users=True)
    return rewrite(request, "select_and_scatter", reproducers=Path()).text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16"])
def test_each_dtype_without_a_dispatch(kind: str) -> None:
    random = np.random.default_rng(1)
    x = random.integers(-2, 3, (2, 6, 8)).astype(np.float32)
    dy = random.integers(-9, 9, (2, 3, 4)).astype(np.float32)
    module = rc.link_module(text((2, 3, 4), (2, 2), kind))
    program = rc.runtime.load(rc.compile(module, strategy="portable"))
    given = {"x": x, "dy": dy}
    types = {each.name: each.dtype for each in module.functions[0].arguments}
    dtypes: Any = importlib.import_module("ml_dtypes")
    given = {
        name: array.astype(dtypes.bfloat16 if types[name] == "bfloat16" else types[name])
        for name, array in given.items()
    }
    found = program(**given)[0].astype(np.float32)
    np.testing.assert_array_equal(found, gradient(x, dy, (2, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cuda", "vulkan"])
def test_gpus(target: str) -> None:
    rc.compile(rc.link_module(text((2, 3, 8), (2, 2))), target)


@pytest.mark.slow
def test_the_last_of_equal_numbers_and_a_first_value() -> None:
    """Where the comparison is strict, an equal number is chosen anew."""
    changed = text((2, 3, 8), (2, 2)).replace("GE", "GT").replace("dense<0.0>", "dense<0.5>")
    random = np.random.default_rng(2)
    x = random.integers(-2, 3, (2, 6, 16)).astype(np.float32)
    dy = random.integers(-9, 9, (2, 3, 8)).astype(np.float32)
    found = rc.runtime.load(rc.compile(rc.link_module(changed)))(x=x, dy=dy)[0]
    turned = gradient(x[:, ::-1, ::-1], dy[:, ::-1, ::-1], (2, 2))[:, ::-1, ::-1]
    np.testing.assert_array_equal(found, turned + np.float32(0.5))

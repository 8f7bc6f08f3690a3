"""Sums of all numbers of long arrays in a user's module, and sums of squares."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target

SUMS = """
func.func @NAME(%x: tensor<SHAPE>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %squares = stablehlo.multiply %x, %x : tensor<SHAPE>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<SHAPE>, tensor<f32>) -> tensor<f32>
  %of_squares = stablehlo.reduce(%squares init: %zero) applies stablehlo.add
      across dimensions = [0, 1] : (tensor<SHAPE>, tensor<f32>) -> tensor<f32>
  return %sum, %of_squares : tensor<f32>, tensor<f32>
}
"""


def text(rows: int, columns: int, name: str = "main") -> str:
    return SUMS.replace("SHAPE", f"{rows}x{columns}xf32").replace("NAME", name)


@pytest.mark.slow
@ways("direct", "c", "js", "cortex-m4", quick=("direct",))
def test_sums(execute: Execute) -> None:
    """More, and fewer, numbers than all registers, and some that are left."""
    shapes = [(16, 16), (1, 255), (3, 97), (67, 19), (128, 128)]
    texts = [text(*shape, f"sums{number}") for number, shape in enumerate(shapes)]
    module = rc.link_module("\n".join(texts))
    for number, shape in enumerate(shapes):
        x = np.random.default_rng(0).normal(1, 2, shape).astype(np.float32)
        found = execute(module, {"x": x}, number)
        expected = x.sum(dtype=np.float64), (x.astype(np.float64) ** 2).sum()
        values = [*map(float, found.values())]
        np.testing.assert_allclose(values, expected, rtol=1e-5, err_msg=str(shape))


@pytest.mark.slow
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_numbers_that_are_not_finite(number: float) -> None:
    program = rc.runtime.load(rc.compile(rc.link_module(text(3, 97))))
    for position in (0, 150, 255, 290):
        x = np.ones((3, 97), np.float32)
        x.flat[position] = number
        found = [float(each) for each in program(x=x)]
        np.testing.assert_equal(found, [number, number**2])


def test_each_long_sum_is_a_dispatch() -> None:
    """Short sums are IREE's."""
    assert "reduce" not in _lowered(16, 16)
    assert _lowered(5, 51).count("stablehlo.reduce") == 2


ROW = """
func.func @main(%x: tensor<300xf32>, %y: tensor<5xf32>) -> (RESULTS) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %imaginary = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<5xf32>
  %none = stablehlo.multiply %imaginary, %imaginary : tensor<5xf32>
  %real = stablehlo.multiply %y, %y : tensor<5xf32>
  %squares = stablehlo.add %real, %none : tensor<5xf32>
  SUMS
  %scale = stablehlo.broadcast_in_dim %s0, dims = [] : (tensor<f32>) -> tensor<300xf32>
  %scaled = stablehlo.multiply %x, %scale : tensor<300xf32>
  %late = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<300xf32>, tensor<f32>) -> tensor<f32>
  return VALUES, %late : RESULTS
}
"""
"""Sums of long and short arrays in a row, and one that waits for the first's result."""


def row(count: int) -> str:
    arrays = [("%x", 300), ("%squares", 5)] * count
    sums = (
        f"%s{k} = stablehlo.reduce({value} init: %zero) applies stablehlo.add across dimensions = "
        f"[0] : (tensor<{size}xf32>, tensor<f32>) -> tensor<f32>"
        for k, (value, size) in enumerate(arrays)
    )
    values = ", ".join(f"%s{k}" for k in range(2 * count))
    results = ", ".join(["tensor<f32>"] * (2 * count + 1))
    replaced = ROW.replace("SUMS", "\n  ".join(sums)).replace("VALUES", values)
    return replaced.replace("RESULTS", results)


@pytest.mark.parametrize(("pairs", "dispatches"), [(1, 2), (6, 2), (7, 2)])
def test_sums_in_a_row_are_one_dispatch(pairs: int, dispatches: int) -> None:
    """Up to 12 of them, short ones and squares as JAX writes them included."""
    after = _rewritten(row(pairs))
    main = after[after.index("@main(") :]
    assert (main.count("call @sum"), "reduce" in main) == (dispatches, False)
    assert main.count("stablehlo.multiply") == 1


@pytest.mark.slow
@ways("direct", "c", "js")
def test_a_row_of_sums(execute: Execute) -> None:
    x, y = (np.random.default_rng(0).normal(1, 2, n).astype(np.float32) for n in (300, 5))
    found = [*map(float, execute(rc.link_module(row(7)), {"x": x, "y": y}).values())]
    expected = [x.sum(dtype=np.float64), (y.astype(np.float64) ** 2).sum()] * 7
    np.testing.assert_allclose(found, [*expected, x.sum(dtype=np.float64) ** 2], rtol=1e-5)


def _lowered(*shape: int) -> str:
    return _rewritten(text(*shape))


def _rewritten(given: str) -> str:
    module, target = rc.link_module(given), resolve_target("cpu:generic")
    request = LoweringRequest(module.text, module.functions, target, "fused", "0", is_users=True)
    return rewrite(request, "sums", reproducers=Path()).text

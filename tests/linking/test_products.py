"""A user's own matrix products, which become dispatches of ours where they are large."""

from __future__ import annotations

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text

Case = tuple[tuple[int, ...], int, int, int]
"""The axes before the last of x, the numbers summed, the columns; the axis of w that is summed."""

CASES: dict[str, Case] = {
    "rows of several axes": ((2, 9), 130, 515, 0),
    "a row": ((1,), 257, 1040, 0),
    "rows, transposed": ((21,), 200, 272, 1),
    "more axes, transposed": ((3, 2, 5), 300, 131, 1),
}


def text(lead: tuple[int, ...], inner: int, columns: int, axis: int) -> str:
    x, y = ("x".join(map(str, (*lead, last))) for last in (inner, columns))
    w = f"{inner}x{columns}" if axis == 0 else f"{columns}x{inner}"
    return f"""
func.func @main(%x: tensor<{x}xf32>, %w: tensor<{w}xf32>, %b: tensor<{y}xf32>) -> tensor<{y}xf32> {{
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [{len(lead)}] x [{axis}]
      : (tensor<{x}xf32>, tensor<{w}xf32>) -> tensor<{y}xf32>
  %y = stablehlo.add %xw, %b : tensor<{y}xf32>
  return %y : tensor<{y}xf32>
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("are_frozen", [True, False])
@pytest.mark.parametrize("case", CASES)
@ways("direct", "iree", "c", "js")
def test_numbers(execute: Execute, case: str, are_frozen: bool) -> None:
    lead, inner, columns, axis = CASES[case]
    random = np.random.default_rng(0)
    x, w, b = (
        random.standard_normal(shape).astype(np.float32)
        for shape in ((*lead, inner), (inner, columns), (*lead, columns))
    )
    weights = {"w": w if axis == 0 else np.ascontiguousarray(w.T)}
    others = {"x": x, "b": b} | ({} if are_frozen else weights)
    module = rc.link_module(text(*CASES[case]), weights=weights if are_frozen else None)
    (found,) = execute(module, others).values()
    np.testing.assert_allclose(found, x.astype(np.float64) @ w + b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("case", "target", "is_ours"),
    [
        (CASES["rows of several axes"], "cpu:generic", True),
        (CASES["a row"], "cpu:generic", True),
        (CASES["a row"], "cpu:cortex-m4", False),  # without memory for packed rows
        (((2, 9), 64, 64, 0), "cpu:generic", False),  # few multiplications
        (((1,), 64, 64, 0), "cpu:generic", False),
    ],
)
def test_large_ones_are_dispatches(case: Case, target: str, is_ours: bool) -> None:
    lowered = lowered_text(rc.link_module(text(*case)), target)
    assert ("rows_product" in lowered) == is_ours

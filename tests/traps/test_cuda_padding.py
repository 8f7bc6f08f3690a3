"""On GPUs, IREE pads rows of a product with the next row's first numbers, times 0: NaN leaks."""

from __future__ import annotations

import re

import pytest
from traps.iree import GPU, compiled, trap


def _vector_loads(inner: int) -> list[int]:
    """Bytes in a row of the left-hand side at which four numbers are read at once."""
    text = f"""
func.func @main(%x: tensor<2x{inner}xf32>, %y: tensor<{inner}x16xf32>) -> tensor<2x16xf32> {{
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<2x{inner}xf32>, tensor<{inner}x16xf32>) -> tensor<2x16xf32>
  return %z : tensor<2x16xf32>
}}"""
    ptx = compiled(text, target=GPU).decode(errors="replace")
    found = re.findall(r"ld\.global\S*\.v4\S*\s+\{[^}]*\}, \[%rd1(?:\+(\d+))?\]", ptx)
    assert found  # what is looked for is there at all
    return [int(offset or 0) for offset in found]


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param(7, marks=trap("`_padded` in lowering/passes/tile_products.py")),
        8,
    ],
)
def test_no_load_reaches_into_the_next_row(inner: int) -> None:
    row, vector = inner * 4, 16
    assert all(offset % row + vector <= row for offset in _vector_loads(inner))

"""How a product of rows and a matrix is cut: what must be packed, and what may be read in place."""

from __future__ import annotations

from typing import Any

import pytest

from rnn_compiler.lowering.codegen.body import ArrayType
from rnn_compiler.lowering.cpu.products.rows_product import Blocking
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, weight_formats

FEATURES = ("avx512bf16", "avx512f", "avx512vl", "fma")
VECTORS = VectorUnit(bits=512, registers=32, formats=weight_formats("x86_64", FEATURES, 512))

CASES: dict[str, tuple[int, tuple[int, int], dict[str, Any], str]] = {
    "panels that fit": (16, (64, 64), {}, ""),
    "columns that no panel divides": (16, (64, 33), {}, ""),
    "fewer columns than a panel": (7, (64, 3), {}, ""),
    "columns between one and two registers": (7, (64, 29), {}, "packed"),
    "whole vectors of them": (7, (64, 24), {}, ""),
    "a row of them": (1, (64, 29), {}, ""),
    "fewer columns than a panel of pairs": (7, (64, 3), {"of": "bf16"}, "packed"),
    "columns as rows": (16, (64, 64), {"axis": 1}, "packed"),
    "packed once for many calls": (16, (64, 64), {"packed": True}, "packed"),
    "a matrix larger than the cache": (128, (1024, 1024), {}, "packed"),
    "one that is smaller in 16 bits": (128, (600, 1024), {"of": "bf16"}, ""),
    "a large one for few rows": (127, (1024, 1024), {}, ""),
    "a much larger one": (16, (2048, 2048), {}, "streamed"),
    "a smaller one for many rows": (256, (256, 256), {}, "packed"),
    "listed rows": (40, (64, 64), {"listed": True}, ""),
    "listed rows, panels would overlap": (40, (64, 72), {"listed": True}, "packed"),
    "columns as rows, a row": (1, (64, 64), {"axis": 1, "stays": False}, "dotted"),
    "those of a matrix that stays": (1, (64, 64), {"axis": 1}, "packed"),
    "rows that fill no registers": (1, (64, 60), {"axis": 1, "stays": False}, "packed"),
    "as many columns as fill none": (1, (60, 64), {"axis": 1, "stays": False}, "packed"),
    "a row of pairs": (1, (64, 64), {"axis": 1, "stays": False, "of": "bf16"}, "packed"),
}
"""The rows, the matrix, what else is given, and what becomes of the matrix."""


def plan(rows: int, shape: tuple[int, int], *, of: str = "f32", axis: int = 0, **how: Any) -> Any:
    format = VECTORS.format(of, of, "f32", inner=shape[axis], rows=rows)
    return Blocking(VECTORS, format, rows, ArrayType(shape, of), axis, **how)


@pytest.mark.parametrize("name", CASES)
def test_matrices(name: str) -> None:
    rows, shape, how, expected = CASES[name]
    made = plan(rows, shape, **how)
    assert " ".join(each for each in ("packed", "streamed", "dotted") if getattr(made, each)) == (
        expected
    )


@pytest.mark.parametrize(("columns", "panel"), [(3, 3), (16, 16), (17, 24), (29, 32), (33, 32)])
def test_panels_have_whole_vectors(columns: int, panel: int) -> None:
    assert plan(7, (64, columns)).panel == panel


@pytest.mark.parametrize("columns", [32, 96, 100, 256])
@pytest.mark.parametrize("rows", [2, 63, 64, 65, 130, 512, 513, 1000, 5000])
def test_blocks_cover_all_rows_and_columns(rows: int, columns: int) -> None:
    """Whole panels, and no block that has few rows, or for which the others leave none."""
    made = plan(rows, (64, columns))
    assert (made.count - 1) * made.block < rows <= made.count * made.block
    assert made.block >= min(rows, 64)
    assert made.width * (made.across if made.is_even else 1) == columns
    assert made.across == 1 or made.width % made.panel == 0 or not made.is_even
    assert made.workgroups <= 15 or made.across == 1
    assert 1 <= made.tile <= made.block


@pytest.mark.parametrize(
    ("rows", "shape", "packed", "across"),
    [
        (20, (1024, 8210), True, 14),  # 256 panels and 18 columns
        (20, (64, 530), True, 1),  # too little work
        (200, (1024, 8210), True, 14),  # one block of all rows
        (16, (2048, 8192), False, 8),  # streamed: 1024 columns or more
        (16, (2048, 8200), False, 1),  # likewise, not as many panels each
    ],
)
def test_few_rows_share_columns(
    rows: int, shape: tuple[int, int], packed: bool, across: int
) -> None:
    assert plan(rows, shape, packed=packed).across == across


def test_panels_of_a_row_are_wide() -> None:
    assert plan(1, (64, 512)).panel == 4 * plan(2, (64, 512)).panel

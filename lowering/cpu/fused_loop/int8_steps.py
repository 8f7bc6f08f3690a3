"""Left-hand sides of a step's products in int8.

The parts of a step (`work_sharing`) that multiply a left-hand side need whole rows of it, some of
which other parts have computed. So a workgroup begins a part by quantizing the rows that it
multiplies into memory of its own, unless it has done so for another part of the same turn. That is
little work compared with the products, and cheaper than another turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.values import width
from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.tiles.int8_rows import Int8Rows, int8_types, quantize_row
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = [
    "int8_arrays",
    "int8_keys",
    "int8_lhs",
    "int8_row",
    "row_scale",
    "turns_key",
]


def int8_arrays(
    vectors: VectorUnit, key: str, columns: int, slots: int, rows: Sequence[Index]
) -> dict[str, ArrayType]:
    """The arrays for the rows of a left-hand side, by key.

    Args:
        vectors: The vector unit.
        key: The key of the numbers.
        columns: The numbers of a row.
        slots: The number of workgroups, and of parts of the rows.
        rows: The axis of rows, if arrays have one.
    """
    types = int8_types(vectors, columns, (slots, *rows))
    types.append(ArrayType((slots, slots), "i32"))
    return dict(zip(int8_keys(key), types, strict=True))


def int8_keys(key: str) -> list[str]:
    """The keys of these arrays, and of the turns in which rows were quantized."""
    return [key, f"{key}.scale", f"{key}.start", turns_key(key)]


def turns_key(key: str) -> str:
    """The key of the turns in which a workgroup quantized each part of the rows."""
    return f"{key}.turn"


def int8_row(step: StepContext, vectors: VectorUnit, lhs: ir.Value, row: list[Index]) -> None:
    """Emits a row of a left-hand side in int8.

    Args:
        step: The step.
        vectors: The vector unit.
        lhs: The left-hand side.
        row: The row; empty if arrays have no axis for rows.
    """
    array, lead = step.lhs(lhs)
    arrays = Int8Rows(*(step.arrays[each] for each in int8_keys(step.int8[lhs])[:-1]))
    source = (array, [lead, *row])
    quantize_row(step.body, vectors, source, width(lhs), arrays, [step.leads["workgroup"], *row])


def int8_lhs(
    step: StepContext, lhs: ir.Value, first: list[Index], rows: int
) -> tuple[Array, list[Number]]:
    """Emits a tile of a left-hand side in int8, and the initial values of its rows' sums.

    Args:
        step: The step.
        lhs: The left-hand side.
        first: The first row; empty if arrays have no axis for rows.
        rows: The number of rows.
    """
    body, own = step.body, step.leads["workgroup"]
    numbers, _, starts, _ = (step.arrays[key] for key in int8_keys(step.int8[lhs]))
    sizes = (*([rows] if rows > 1 else []), numbers.shape[-1])
    tile = body.extract(numbers, [own, *first, 0], sizes)
    indices = [[each + row for each in first] for row in range(rows)]
    return tile, [body.element(starts, [own, *index]) for index in indices]


def row_scale(step: StepContext, lhs: ir.Value, row: list[Index]) -> Number:
    """Emits the scale of a row."""
    _, scales, *_ = (step.arrays[key] for key in int8_keys(step.int8[lhs]))
    return step.body.element(scales, [step.leads["workgroup"], *row])

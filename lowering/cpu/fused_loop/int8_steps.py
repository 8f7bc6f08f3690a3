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
from rnn_compiler.lowering.codegen.body import ArrayType
from rnn_compiler.lowering.codegen.number import Index
from rnn_compiler.lowering.cpu.tiles.int8_rows import Int8Rows, int8_types, quantize_row
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["int8_arrays", "int8_keys", "int8_row", "int8_rows", "turns_key"]


def int8_arrays(
    format: WeightFormat, key: str, columns: int, slots: int, rows: Sequence[Index]
) -> dict[str, ArrayType]:
    """The arrays for the rows of a left-hand side, by key.

    Args:
        format: The format of the weights that it is multiplied by.
        key: The key of the numbers.
        columns: The numbers of a row.
        slots: The number of workgroups, and of parts of the rows.
        rows: The axis of rows, if arrays have one.
    """
    types = int8_types(format, columns, (slots, *rows))
    types.append(ArrayType((slots, slots), "i32"))
    return dict(zip(int8_keys(format, key), types, strict=True))


def int8_keys(format: WeightFormat, key: str) -> list[str]:
    """The keys of these arrays, and of the turns in which rows were quantized."""
    corrections = [f"{key}.correction"] if format.offset else []
    return [key, f"{key}.scale", *corrections, turns_key(key)]


def turns_key(key: str) -> str:
    """The key of the turns in which a workgroup quantized each part of the rows."""
    return f"{key}.turn"


def int8_rows(step: StepContext, format: WeightFormat, lhs: ir.Value) -> Int8Rows:
    """The rows of a left-hand side in int8, of all workgroups."""
    return Int8Rows(*(step.arrays[key] for key in int8_keys(format, step.int8[lhs])[:-1]))


def int8_row(
    step: StepContext,
    vectors: VectorUnit,
    format: WeightFormat,
    lhs: ir.Value,
    row: list[Index],
) -> None:
    """Emits a row of a left-hand side in int8.

    Args:
        step: The step.
        vectors: The vector unit.
        format: The format of the weights that it is multiplied by.
        lhs: The left-hand side.
        row: The row; empty if arrays have no axis for rows.
    """
    array, lead = step.lhs(lhs)
    rows, index = int8_rows(step, format, lhs), [step.leads["workgroup"], *row]
    quantize_row(step.body, vectors, format, (array, [lead, *row]), width(lhs), rows, index)

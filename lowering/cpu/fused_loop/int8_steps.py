"""Left-hand sides of a step's products in int8.

The parts of a step (`work_sharing`) that multiply a left-hand side need whole rows of it, of which
other parts computed some. So each part begins with the rows that it multiplies, and writes them to
a slot of its own. That is little work beside the products, and less than another turn would be.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import width
from rnn_compiler.lowering.analysis.walk import StepContext
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.tiles.int8_rows import Int8Rows, quantize_row
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["PART", "int8_keys", "int8_lhs", "int8_row", "row_scale"]

PART = "part"
"""The lead of these arrays: the number of the part."""


def int8_keys(key: str) -> list[str]:
    """The keys of the arrays for a left-hand side: what `Int8Rows` has."""
    return [key, f"{key}.scale", f"{key}.start"]


def int8_row(step: StepContext, vectors: VectorUnit, lhs: ir.Value, row: list[Index]) -> None:
    """Emits a row of a left-hand side in int8.

    Args:
        step: The step.
        vectors: The vector unit.
        lhs: The left-hand side.
        row: The row; empty if arrays have no axis for rows.
    """
    key, lead = step.rows[lhs]
    arrays = Int8Rows(*(step.arrays[each] for each in int8_keys(step.int8[lhs])))
    source = (step.arrays[key], [step.leads[lead], *row])
    quantize_row(step.body, vectors, source, width(lhs), arrays, [step.leads[PART], *row])


def int8_lhs(
    step: StepContext, lhs: ir.Value, first: list[Index], rows: int
) -> tuple[Array, list[Number]]:
    """Emits a tile of a left-hand side in int8, and what the sums of its rows start from.

    Args:
        step: The step.
        lhs: The left-hand side.
        first: The first row; empty if arrays have no axis for rows.
        rows: How many there are.
    """
    body, part = step.body, step.leads[PART]
    numbers, _, starts = (step.arrays[key] for key in int8_keys(step.int8[lhs]))
    sizes = (*([rows] if rows > 1 else []), numbers.shape[-1])
    tile = body.extract(numbers, [part, *first, 0], sizes)
    places = [[each + row for each in first] for row in range(rows)]
    return tile, [body.element(starts, [part, *place]) for place in places]


def row_scale(step: StepContext, lhs: ir.Value, row: list[Index]) -> Number:
    """Emits the scale of a row."""
    return step.body.element(step.arrays[f"{step.int8[lhs]}.scale"], [step.leads[PART], *row])

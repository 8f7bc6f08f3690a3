"""The columns of weights that the products of a stage need, packed into panels.

A step slices what it multiplies (the gates of one ``h @ w``), and may take its columns from several
matrices; a tile wants the same few units of every gate. So the columns are put side by side, where
they are not already, and packed once per call, before the dispatch.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.time_loop import NotARecurrence, element
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.step_tile import Step
from rnn_compiler.lowering.kernel.body import Array, Text, converted, transposed
from rnn_compiler.lowering.mlir import ir

__all__ = ["packed_columns"]


def packed_columns(
    step: Step, columns: Sequence[tuple[ir.Value, int]], unit: int, panel: int
) -> Array:
    """Emits the packing of the columns that products with one left-hand side need.

    Args:
        step: The step.
        columns: Products and, for each, the column at which what is needed of it begins.
        unit: How many columns are needed from there on.
        panel: How many of them make a panel.

    Returns:
        What `step_tile.Panels.packed` says.

    Raises:
        NotARecurrence: Some of the weights lie one way, some the other.
    """
    text = step.text
    products = [step.loop.products[value] for value, _ in columns]
    if len({product.transposed for product in products}) != 1:
        raise NotARecurrence("products of mixed orientation")
    axis = 0 if products[0].transposed else 1
    weights = [step.arguments[product.weight] for product in products]
    starts = [column for _, column in columns]
    matrix = weights[0]
    whole = starts == list(range(0, matrix.shape[axis], unit))
    if not whole or len({weight.name for weight in weights}) > 1:
        matrix = _side_by_side(text, weights, starts, unit, axis)
    of = element(columns[0][0])
    if matrix.element != of:  # loops that share weights each convert them: not to be made one
        matrix = converted(text, text.pinned(matrix), of)
    if panel < unit:
        matrix = pack(
            text, step.vectors, matrix, axis, panel, len(columns), together=not step.batched
        )
    elif axis == 0:
        matrix = transposed(text, matrix)
    return text.held(matrix)


def _side_by_side(
    text: Text, weights: Sequence[Array], starts: Sequence[int], unit: int, axis: int
) -> Array:
    """Emits some columns of several matrices as one matrix."""
    blocks: list[Array] = []
    for weight, start in zip(weights, starts, strict=True):
        ranges = [f"0:{size}" for size in weight.shape]
        ranges[axis] = f"{start}:{start + unit}"
        size = (unit, weight.shape[1]) if axis == 0 else (weight.shape[0], unit)
        block = Array("", size, weight.element)
        block.name = text(
            f"stablehlo.slice {weight.name} [{', '.join(ranges)}] : ({weight.type}) -> {block.type}"
        )
        blocks.append(block)
    if len(blocks) == 1:
        return blocks[0]
    total = list(blocks[0].shape)
    total[axis] *= len(blocks)
    whole = Array("", tuple(total), blocks[0].element)
    whole.name = text(
        f"stablehlo.concatenate {', '.join(block.name for block in blocks)}, dim = {axis} : "
        f"({', '.join(block.type for block in blocks)}) -> {whole.type}"
    )
    return whole

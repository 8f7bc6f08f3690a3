"""Reads a `stablehlo.select_and_scatter`, the gradient of maxima or minima over windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import ints, shape
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, ops_of
from rnn_compiler.schema.open_sizes import is_static


class ScatteredWindows(NamedTuple):
    """An op of known sizes without padding that selects by a comparison, and adds.

    Attributes:
        op: The op.
        window: The sizes of a window.
        strides: The distances of windows.
        compared: The comparison, which is true if the first of two elements stays selected.
    """

    op: ir.Operation
    window: Sequence[int]
    strides: Sequence[int]
    compared: ir.Operation


def scattered_windows(module: ir.Module) -> list[ScatteredWindows]:
    """The scattered windows of a module."""
    ops = nested_ops(module.operation, "stablehlo.select_and_scatter")
    return [found for op in ops if (found := _read(op)) is not None]


def _read(op: ir.Operation) -> ScatteredWindows | None:
    given, source, _ = op.operands
    if not is_static(*shape(given), *shape(source)):
        return None
    if "padding" in op.attributes and any(ir.DenseIntElementsAttr(op.attributes["padding"])):
        return None
    blocks = [region.blocks[0] for region in op.regions]
    for block, name in zip(blocks, ("stablehlo.compare", "stablehlo.add"), strict=True):
        only, *others = ops_of(block)
        if only.name != name or len(others) != 1 or [*only.operands] != [*block.arguments]:
            return None
    one = [1] * len(shape(given))
    window, strides = (
        [*ints(op, name)] if name in op.attributes else one
        for name in ("window_dimensions", "window_strides")
    )
    return ScatteredWindows(op, window, strides, ops_of(blocks[0])[0])

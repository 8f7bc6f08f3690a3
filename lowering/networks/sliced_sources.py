"""Reads single elements from an array instead of from a slice of it.

IREE compiles no reading of elements, as gathers do, in slices whose last axis has a size of 1.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import defining
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, sizes_in_mlir

_UNKNOWN = sizes_in_mlir(["?"])[0]


def read_unsliced(function: ir.Operation) -> None:
    """Adds the beginnings of slices to the coordinates of the elements that are read in them."""
    for op in nested_ops(function, "tensor.extract"):
        while (moved := _moved(op)) is not None:
            array, offsets, strides = moved
            body = Body.before(op)
            with op.location:
                for axis, (offset, stride) in enumerate(zip(offsets, strides, strict=True), 1):
                    number = Number(body, op.operands[axis], "index")
                    op.operands[axis] = (number * stride + offset).value
            op.operands[0] = array


def _moved(op: ir.Operation) -> tuple[ir.Value, list[int], list[int]] | None:
    """The array of which a slice is read, with known offsets and strides; None for others."""
    source = op.operands[0]
    if isinstance(source.owner, ir.Block) or defining(source).name != "tensor.extract_slice":
        return None
    cut = defining(source)
    array = cut.operands[0]
    offsets, strides = (
        [*ir.DenseI64ArrayAttr(cut.attributes[name])]
        for name in ("static_offsets", "static_strides")
    )
    ranks = {ir.RankedTensorType(value.type).rank for value in (array, source)}
    return None if len(ranks) > 1 or _UNKNOWN in (*offsets, *strides) else (array, offsets, strides)

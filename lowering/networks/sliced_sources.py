"""Reads single elements from an array instead of from a slice of it.

IREE compiles no reading of elements, as gathers do, in slices whose last axis has a size of 1. Of
slices that are reshaped or transposed before, elements are read in a copy.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import defining, element
from rnn_compiler.lowering.codegen.body import Array, Body, Index, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, shape_of, sizes_in_mlir

_REARRANGED = ("tensor.collapse_shape", "tensor.expand_shape", "tensor.cast", "linalg.transpose")
"""Ops whose results have the elements of their first operand."""

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
        if (cut := _reshaped_slice(op.operands[0])) is not None:
            _copy(cut)


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


def _reshaped_slice(value: ir.Value) -> ir.Operation | None:
    """The slice with a last axis of 1 whose elements are reshaped or transposed; else None."""
    found = None
    while not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name == "tensor.extract_slice":
            return op if found is not None and shape_of(value.type)[-1:] == (1,) else None
        if op.name not in _REARRANGED:
            break
        found, value = op, op.operands[0]
    return None


def _copy(cut: ir.Operation) -> None:
    """Copies a slice before it is read."""
    result = cut.results[0]
    uses = [*result.uses]
    if [use.owner.name for use in uses] == ["flow.tensor.clone"]:
        return
    body = Body.after(cut)
    with cut.location:
        shape: tuple[Index, ...] = tuple(
            size if isinstance(size, int) else body.size(result, axis)
            for axis, size in enumerate(shape_of(result.type))
        )
        copy = body.materialized(Array(result, shape, element(result)))
    for use in uses:
        use.owner.operands[use.operand_number] = copy.value

"""Tiles the large matrix products outside the time loops for a GPU.

Requires: a portable module, or one whose time loops have been rewritten. Matches:
`stablehlo.dot_general` of two matrices with one contracted axis in a public function, also in the
composites that `builder.products` makes of rows, which are inlined. Puts a call of a private
function in its place, which holds the product as a `linalg.matmul` with its tiles: an attribute on
the StableHLO op itself would be lost on the way. Products in float32 and float64 that `targets.gpu`
leaves to IREE get zeros after the axis that is summed over, up to a multiple of `_VECTOR`: if IREE
pads it, as with two rows of seven numbers, it reads the first numbers of the next row and
multiplies them by 0, so that a NaN there becomes a NaN here (`tests/traps/test_cuda_padding.py`).
Leaves: products of 16-bit types and of one row, and ops that are not products of two matrices. On a
CPU the pass does nothing. Ensures: a row of a product depends only on that row of its left-hand
side.
"""

from __future__ import annotations

from collections.abc import Iterator

from rnn_compiler.lowering.analysis.products import MatrixProduct
from rnn_compiler.lowering.analysis.values import (
    array_of,
    contracted_axes,
    element,
    shape,
    static_shape,
)
from rnn_compiler.lowering.codegen.body import Array, Body, bits
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.stablehlo import padded
from rnn_compiler.lowering.gpu.pinned_loop import tiled_matmul
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, inlined, replace
from rnn_compiler.lowering.targets.gpu import Gpu, Tiling
from rnn_compiler.schema.open_sizes import is_static

_VECTOR = 4
"""Numbers that IREE's code for GPUs reads at once."""


def products_have_tiles(context: PassContext) -> str | None:
    """On GPUs, products have their tiles, or a length that IREE does not pad."""
    if not isinstance(context.processor, Gpu):
        return None
    return first(map(str, (*_composites(context), *(op for op, *_ in _untiled(context)))))


@pass_with(requires=(), ensures=(products_have_tiles,))
def tile_products(context: PassContext) -> None:
    """Rewrites the matrix products of a module's public functions."""
    if not isinstance(context.processor, Gpu):
        return
    for op in _composites(context):
        inlined(context.module, op)
    calls = PrivateCalls(context.module)
    for op, axes, tiling in _untiled(context):
        _rewrite(calls, op, axes, tiling)


def _composites(context: PassContext) -> Iterator[ir.Operation]:
    """The composites that are products of all rows with a matrix."""
    for op in context.ops():
        product = MatrixProduct.of(op)
        if product and product.is_composite and product.is_plain:
            yield op


def _untiled(context: PassContext) -> Iterator[tuple[ir.Operation, tuple[int, int], Tiling | None]]:
    """The products to rewrite, with the axes they sum over and their tiles; None to pad them."""
    gpu = context.processor
    assert isinstance(gpu, Gpu)
    for op in context.ops():
        axes = contracted_axes(op)
        if axes is None or not is_static(*shape(op.operands[0]), *shape(op.operands[1])):
            continue  # open sizes are a user's function's
        left, right = map(static_shape, op.operands)
        rows, inner, columns = left[1 - axes[0]], left[axes[0]], right[1 - axes[1]]
        if rows == 1:
            continue
        of = element(op.operands[0])
        tiling = gpu.product(rows, columns, inner, of)
        if tiling is not None or (bits(of) > 16 and inner % _VECTOR):
            yield op, axes, tiling


def _rewrite(
    calls: PrivateCalls, op: ir.Operation, axes: tuple[int, int], tiling: Tiling | None
) -> None:
    """Gives a product its tiles, or pads it."""
    operands = list(op.operands)
    if tiling is None:
        for number, axis in enumerate(axes):
            before = Body.before(op)
            matrix = array_of(before, operands[number])
            size = -(-static_shape(operands[number])[axis] // _VECTOR) * _VECTOR
            op.operands[number] = padded(before, matrix, axis, size).value
        return

    def body(made: FunctionBuilder, lhs: Array, rhs: Array) -> list[Array]:
        return [tiled_matmul(made, lhs, rhs, axes, element(op.results[0]), tiling)]

    (result,) = calls.before(op, "shared_product", operands, body, axes)
    replace(op, result)

"""Says how a GPU shares out the large matrix products outside the time loops.

Requires: a portable module, or one whose time loops have been rewritten.
Matches: `stablehlo.dot_general` of two matrices with one contracted axis in a public function. Puts
a call of a private function in its place, which holds the product as a `linalg.matmul` with its
shares: an attribute on the StableHLO op itself would be lost on the way.
Leaves: products that `gpu.matmul_tiles` leaves to IREE, those of 16-bit types among them, products
of one row, and whatever is no product of two matrices. On a CPU the pass does nothing.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import contracted_axes, element, shape
from rnn_compiler.lowering.gpu.matmul_tiles import Gpu, shared_matmul
from rnn_compiler.lowering.kernel.body import Array
from rnn_compiler.lowering.kernel.function import Function
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.edits import public_ops, replace_by_call
from rnn_compiler.lowering.passes.lowering import Lowering

__all__ = ["share_products"]


def share_products(lowering: Lowering) -> None:
    """Rewrites the matrix products of a module's public functions."""
    if not isinstance(lowering.processor, Gpu):
        return
    made: dict[str, str] = {}
    for op in public_ops(lowering.module):
        axes = contracted_axes(op)
        if axes is not None:
            _rewrite(lowering.module, op, axes, lowering.processor, made)


def _rewrite(
    module: ir.Module, op: ir.Operation, axes: tuple[int, int], gpu: Gpu, made: dict[str, str]
) -> None:
    operands = list(op.operands)
    left, right = shape(operands[0]), shape(operands[1])
    rows, inner, columns = left[1 - axes[0]], left[axes[0]], right[1 - axes[1]]
    shares = gpu.product(rows, columns, inner, element(operands[0]))
    if rows == 1 or shares is None:
        return
    types = [operand.type for operand in operands]

    def function(symbol: str) -> Function:
        made = Function(symbol, types, op.location)
        lhs, rhs = map(Array.of, made.arguments)
        made.finish([shared_matmul(made, lhs, rhs, axes, element(op.results[0]), shares)])
        return made

    key = f"{[str(kind) for kind in types]} {axes}"
    replace_by_call(module, op, operands, "shared_product", made, key, function)

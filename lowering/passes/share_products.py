"""Says how a GPU shares out the large matrix products outside the time loops.

Matches `stablehlo.dot_general` of two matrices with one contracted axis in a public function, and
puts a call of a private function in its place, which holds the product as a `linalg.matmul` with
its shares: an attribute on the StableHLO op itself would be lost on the way.

Left as they are: products that `gpu.Gpu` leaves to IREE, those of 16-bit types among them, products
of one row, and whatever is no product of two matrices. On a CPU the pass does nothing.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from rnn_compiler.lowering.analysis.products import contracted_axes, public_ops, replace_by_call
from rnn_compiler.lowering.analysis.time_loop import element, shape
from rnn_compiler.lowering.gpu.matmul_tiles import Gpu, shared_matmul
from rnn_compiler.lowering.kernel.body import Array, Text
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["share_products"]


def share_products(module: ir.Module, processor: VectorUnit | Gpu) -> None:
    """Rewrites the matrix products of a module's public functions.

    Args:
        module: The module, changed in place.
        processor: What it will run on.
    """
    if not isinstance(processor, Gpu):
        return
    with module.context, ir.Location.unknown():
        made: dict[str, str] = {}
        for op in public_ops(module):
            axes = contracted_axes(op)
            if axes is not None:
                _rewrite(module, op, axes, processor, made)


def _rewrite(
    module: ir.Module, op: ir.Operation, axes: tuple[int, int], gpu: Gpu, made: dict[str, str]
) -> None:
    lhs, rhs = (
        Array(name, shape(value), element(value))
        for name, value in zip(("%a", "%b"), op.operands, strict=True)
    )
    rows, inner, columns = lhs.shape[1 - axes[0]], lhs.shape[axes[0]], rhs.shape[1 - axes[1]]
    shares = gpu.product(rows, columns, inner, lhs.element)
    if rows == 1 or shares is None:
        return
    sums = element(op.results[0])

    def function(symbol: str) -> str:
        text = Text()
        result = shared_matmul(text, lhs, rhs, axes, sums, shares)
        body = "\n".join(text.lines)
        return (
            f"func.func private @{symbol}(%a: {lhs.type}, %b: {rhs.type}) -> {result.type} "
            f"{{\n{body}\nreturn {result.name} : {result.type}\n}}"
        )

    replace_by_call(
        module, op, op.operands, "shared_product", made, f"{lhs.type} {rhs.type} {axes}", function
    )

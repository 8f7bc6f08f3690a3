"""Says how a GPU shares out the large matrix products outside the time loops.

Matches `stablehlo.dot_general` of two matrices with one contracted axis in a public function, and
puts a call of a private function in its place, which holds the product as a `linalg.matmul` with
its shares: an attribute on the StableHLO op itself would be lost on the way.

Left as they are: products that `gpu.Gpu` leaves to IREE, those of 16-bit types among them, products
of one row, and whatever is no product of two matrices. On a CPU the pass does nothing.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import re

from rnn_compiler.lowering.dispatch import Array, Text
from rnn_compiler.lowering.gpu import Gpu, shared_matmul
from rnn_compiler.lowering.hlo import ir
from rnn_compiler.lowering.recurrence import element, shape
from rnn_compiler.lowering.vectors import VectorUnit

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
        for function in list(module.body.operations):
            if "sym_visibility" not in function.attributes:
                for op in list(function.regions[0].blocks[0].operations):
                    if op.operation.name == "stablehlo.dot_general":
                        _rewrite(module, op.operation, processor, made)


def _rewrite(module: ir.Module, op: ir.Operation, gpu: Gpu, made: dict[str, str]) -> None:
    lhs, rhs = (
        Array(name, shape(value), element(value))
        for name, value in zip(("%a", "%b"), op.operands, strict=True)
    )
    numbers = str(op.attributes["dot_dimension_numbers"])
    axes = [int(axis) for axis in re.findall(r"contracting_dimensions = \[(\d+)\]", numbers)]
    if "batching" in numbers or len(axes) != 2 or (len(lhs.shape), len(rhs.shape)) != (2, 2):
        return
    rows, inner, columns = lhs.shape[1 - axes[0]], lhs.shape[axes[0]], rhs.shape[1 - axes[1]]
    shares = gpu.product(rows, columns, inner, lhs.element)
    if rows == 1 or shares is None:
        return
    key = f"{lhs.type} {rhs.type} {axes}"
    if key not in made:
        made[key] = f"shared_product_{len(made)}"
        text = Text()
        result = shared_matmul(text, lhs, rhs, (axes[0], axes[1]), element(op.results[0]), shares)
        body = "\n".join(text.lines)
        parsed = ir.Module.parse(
            f"func.func private @{made[key]}(%a: {lhs.type}, %b: {rhs.type}) -> {result.type} "
            f"{{\n{body}\nreturn {result.name} : {result.type}\n}}"
        )
        parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint.at_block_begin(module.body))
    call = ir.Operation.create(
        "func.call",
        operands=list(op.operands),
        results=[op.results[0].type],
        attributes={"callee": ir.FlatSymbolRefAttr.get(made[key])},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()

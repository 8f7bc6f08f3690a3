"""Numbers that the compiler does not know, so that dispatches that differ in them alone are one.

IREE 3.13 makes a dispatch of its own for each constant that one is given.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir

__all__ = ["opaque"]


def opaque(value: ir.Attribute, block: ir.Block) -> ir.Value:
    """Emits a number of an attribute's type.

    It is made where the block begins: elsewhere the barrier would cut the schedule in two.

    Args:
        value: The number.
        block: Where it is needed.
    """
    at, attributes = ir.InsertionPoint.at_block_begin(block), {"value": value}
    constant = ir.Operation.create(
        "arith.constant", results=[value.type], attributes=attributes, ip=at
    )
    operands = [constant.results[0]]
    barrier = ir.Operation.create("util.optimization_barrier", [value.type], operands, ip=at)
    return barrier.results[0]

"""Edits that passes share: calls in the place of ops, numbers that the compiler does not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.kernel.function import Function, unused_symbol
from rnn_compiler.lowering.mlir import block_of, ir, ops_of

__all__ = ["opaque", "public_functions", "public_ops", "replace_by_call"]


def public_functions(module: ir.Module) -> list[ir.Operation]:
    """A module's public functions."""
    return [
        op
        for op in ops_of(module.body)
        if op.name == "func.func" and "sym_visibility" not in op.attributes
    ]


def public_ops(module: ir.Module) -> list[ir.Operation]:
    """The ops of a module's public functions."""
    return [op for function in public_functions(module) for op in ops_of(block_of(function))]


def replace_by_call(
    module: ir.Module,
    op: ir.Operation,
    operands: Sequence[ir.Value],
    name: str,
    made: dict[str, str],
    key: str,
    function: Callable[[str], Function],
) -> None:
    """Puts the call of a private function in the place of an op with one result.

    Args:
        module: The module.
        op: The op.
        operands: What the function is given.
        name: What its symbol starts with.
        made: The symbols of the functions that were added so far, by key.
        key: What tells one such function from another; those alike are called again.
        function: Gives the function of a symbol.
    """
    if key not in made:
        made[key] = unused_symbol(module.operation, f"{name}_{len(made)}")
        function(made[key]).place(ir.InsertionPoint.at_block_begin(module.body), {})
    call = ir.Operation.create(
        "func.call",
        operands=list(operands),
        results=[op.results[0].type],
        attributes={"callee": ir.FlatSymbolRefAttr.get(made[key])},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()


def opaque(value: ir.Attribute, block: ir.Block) -> ir.Value:
    """Emits a number of an attribute's type, which the compiler does not know.

    So dispatches that differ in it alone are one: IREE 3.13 makes a dispatch of its own for each
    constant that one is given. It is made where the block begins: elsewhere the barrier would cut
    the schedule in two.

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

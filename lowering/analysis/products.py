"""Matrix products in a module: finding them, and putting calls in their place."""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rnn_compiler.lowering.analysis.time_loop import rank
from rnn_compiler.lowering.mlir import ir

__all__ = ["contracted_axes", "public_ops", "replace_by_call"]


def public_ops(module: ir.Module) -> list[ir.Operation]:
    """The ops of a module's public functions."""
    return [
        op.operation
        for function in module.body.operations
        if "sym_visibility" not in function.attributes
        for op in function.regions[0].blocks[0].operations
    ]


def contracted_axes(op: ir.Operation) -> tuple[int, int] | None:
    """The axis of each operand that a product sums over; None if it is not one of two matrices."""
    if op.name != "stablehlo.dot_general":
        return None
    numbers = str(op.attributes["dot_dimension_numbers"])
    axes = [int(axis) for axis in re.findall(r"contracting_dimensions = \[(\d+)\]", numbers)]
    if "batching" in numbers or len(axes) != 2 or [*map(rank, op.operands)] != [2, 2]:
        return None
    return axes[0], axes[1]


def replace_by_call(
    module: ir.Module,
    op: ir.Operation,
    operands: Sequence[ir.Value],
    name: str,
    made: dict[str, str],
    key: str,
    function: Callable[[str], str],
) -> None:
    """Puts the call of a private function in the place of an op with one result.

    Args:
        module: The module.
        op: The op.
        operands: What the function is given.
        name: What its symbol starts with.
        made: The symbols of the functions that were added so far, by key.
        key: What tells one such function from another; those alike are called again.
        function: Gives the text of the function of a name, and of what it dispatches.
    """
    if key not in made:
        made[key] = f"{name}_{len(made)}"
        at = ir.InsertionPoint.at_block_begin(module.body)
        for new in ir.Module.parse(function(made[key])).body.operations:
            new.operation.clone(ip=at)
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

"""What can be hoisted out of a function's calls: all that it computes from its weights alone."""

from __future__ import annotations

from collections.abc import Iterable

from rnn_compiler.lowering.mlir import block_of, ir, ops_of

__all__ = ["hoistable"]

_VIEWS = {
    "flow.tensor.bitcast",
    "flow.tensor.clone",
    "stablehlo.reshape",
    "stablehlo.slice",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "util.optimization_barrier",
}
"""Ops that compute nothing."""


def hoistable(function: ir.Operation, weights: Iterable[ir.Value]) -> list[ir.Operation]:
    """The clones of what is computed from weights alone and read by something else, in order.

    Args:
        function: The function, with nothing left to inline.
        weights: Its weights: arguments, or results of ops that read nothing.
    """
    computed = dict.fromkeys(weights, False)  # of all that depends on weights alone
    constant: set[ir.Value] = set()
    needed: set[ir.Value] = set()
    clones: list[ir.Operation] = []
    for op in ops_of(block_of(function)):
        read = _read(op) - constant
        if not computed.keys().isdisjoint(op.results):
            continue
        if not read:
            constant.update(op.results)
        elif read <= computed.keys():
            here = op.name not in _VIEWS or any(computed[value] for value in read)
            computed.update(dict.fromkeys(op.results, here))
            if op.name == "flow.tensor.clone" and here:
                clones.append(op)
        else:
            needed |= read & computed.keys()
    return [clone for clone in clones if clone.results[0] in needed]


def _read(op: ir.Operation) -> set[ir.Value]:
    """The values from outside that an op reads, those that its regions read included."""
    read, inside = set[ir.Value](), set[ir.Value]()

    def visit(each: ir.Operation) -> ir.WalkResult:
        read.update(each.operands)
        if each != op:
            inside.update(each.results)
        for region in each.regions:
            for block in region.blocks:
                inside.update(block.arguments)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return read - inside

"""Loops and branches of a user's module."""

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir

__all__ = ["has_control_flow", "is_in_loop"]

_LOOPS = ("stablehlo.while", "scf.while", "scf.for", "scf.forall")
_BRANCHES = ("stablehlo.if", "stablehlo.case", "scf.if", "scf.index_switch")


def has_control_flow(function: ir.Operation) -> bool:
    """Whether a function has loops or branches."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in (*_LOOPS, *_BRANCHES):
            found.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return bool(found)


def is_in_loop(op: ir.Operation) -> bool:
    """Whether an op of a function is in a loop."""
    while op.name != "func.func":
        op = op.parent
        if op.name in _LOOPS:
            return True
    return False

"""Loops and branches of a user's module."""

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir, is_private

__all__ = ["has_control_flow", "is_in_loop", "may_repeat"]

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


def may_repeat(op: ir.Operation) -> bool:
    """Whether an op is in a loop, or in a private function, which loops may call."""
    function = op
    while function.name != "func.func":
        function = function.parent
    return is_in_loop(op) or is_private(function)

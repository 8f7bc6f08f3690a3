"""Loops, branches and calls of a user's module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rnn_compiler.lowering.mlir.bindings import (
    ir,
    is_private,
    nested_ops,
    ops_of,
    reached,
    symbol_of,
    symbols_in,
)

_LOOPS = ("stablehlo.while", "scf.while", "scf.for", "scf.forall")

_FUNCTIONS = ("func.func", "util.func", "util.initializer")
"""What calls functions; the many loops of executables do not."""

CONTROL_FLOW = (*_LOOPS, "stablehlo.if", "stablehlo.case", "scf.if", "scf.index_switch")
"""Ops that run others many times, or not at all."""


def has_control_flow(function: ir.Operation) -> bool:
    """Whether a function has loops or branches."""
    return bool(nested_ops(function, *CONTROL_FLOW))


def called_in_loops(module: ir.Module) -> set[str]:
    """The functions that loops call, directly or through other functions."""
    functions = [op for op in ops_of(module.body) if op.name in _FUNCTIONS]
    loops = [loop for function in functions for loop in nested_ops(function, *_LOOPS)]
    return _reached(module, (symbol for loop in loops for symbol in symbols_in(loop)))


def called_repeatedly(module: ir.Module) -> set[str]:
    """The functions that are called in several places, directly or through other functions."""
    counts = Counter(symbols_in(module.operation))
    return _reached(module, (symbol for symbol, count in counts.items() if count > 1))


def _reached(module: ir.Module, symbols: Iterable[str]) -> set[str]:
    """Some functions, and those that they refer to directly or indirectly."""
    functions = {symbol_of(op): op for op in ops_of(module.body) if op.name == "func.func"}
    return reached(functions, symbols)


def may_repeat(op: ir.Operation) -> bool:
    """Whether an op is in a loop, or in a private function, which loops may call."""
    while op.name != "func.func":
        op = op.parent
        if op.name in _LOOPS:
            return True
    return is_private(op)

"""Finds the arguments of a user's function that are weights of our ops.

An argument may get there through ops that only move elements, such as a transposition, and through
other functions of the user. Values carried by loops or branches are not followed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rnn_compiler.lowering.mlir.bindings import block_of, callee_of, ir, ops_of, symbol_of
from rnn_compiler.schema.manifest import FunctionSpec

_DATA_MOVEMENT = {
    "stablehlo.concatenate",
    "stablehlo.convert",
    "stablehlo.reshape",
    "stablehlo.slice",
    "stablehlo.transpose",
}


class Weights:
    """The weights of a module's functions, by the numbers of their arguments."""

    def __init__(self, functions: Iterable[ir.Operation], ours: Collection[FunctionSpec]) -> None:
        """Finds the weights of all functions, callees first; `ours` are those of our ops."""
        self._known: dict[str, set[int] | None] = {
            spec.function: {k for k, a in enumerate(spec.arguments) if a.name in spec.weights}
            for spec in ours
        }
        for function in functions:
            symbol = symbol_of(function)
            if symbol not in self._known:
                self._known[symbol] = self._of(function)

    def of(self, symbol: str) -> set[int]:
        """The weights of a function; none if its weights cannot be packed on their own."""
        return self._known.get(symbol) or set()

    def _of(self, function: ir.Operation) -> set[int] | None:
        """The weights of a function; None if it, or one that it calls, has control flow."""
        if len(function.regions[0].blocks) != 1:
            return None
        block = block_of(function)
        sources: dict[ir.Value, set[int]] = {each: {k} for k, each in enumerate(block.arguments)}
        found: set[int] = set()
        for op in ops_of(block):
            operands = [sources.get(operand, set[int]()) for operand in op.operands]
            if op.name in _DATA_MOVEMENT and all(operands):
                sources[op.results[0]] = set[int]().union(*operands)
            if op.name == "func.call":
                weights = self._known.get(callee_of(op))
                if weights is None:
                    return None
                found = found.union(*(operands[number] for number in weights))
        return found

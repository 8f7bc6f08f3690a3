"""Which arguments of a user's function are weights: what it hands to our ops as such.

An argument may come there through moves, such as a transposition, and through functions of the
user's own. What loops or branches hand on is not followed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rnn_compiler.lowering.mlir import block_of, ir, ops_of
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["Weights"]

_MOVES = {
    "stablehlo.concatenate",
    "stablehlo.convert",
    "stablehlo.reshape",
    "stablehlo.slice",
    "stablehlo.transpose",
}


class Weights:
    """The weights of a module's functions, by the numbers of their arguments."""

    def __init__(self, module: ir.Module, ours: Collection[FunctionSpec]) -> None:
        """Starts with our functions.

        Args:
            module: The module.
            ours: The functions of our ops in it.
        """
        self._symbols = ir.SymbolTable(module.operation)
        self._known: dict[str, set[int] | None] = {
            spec.function: {k for k, a in enumerate(spec.arguments) if a.name in spec.weights}
            for spec in ours
        }

    def of(self, symbol: str) -> set[int]:
        """The weights of a function; none if its weights cannot be packed on their own."""
        return self._of(symbol) or set()

    def _of(self, symbol: str) -> set[int] | None:
        """The weights of a function; None if it, or one that it calls, is no plain list of ops."""
        if symbol not in self._known:
            self._known[symbol] = None  # for one that calls itself
            if symbol in self._symbols:
                self._known[symbol] = self._found(self._symbols[symbol].operation)
        return self._known[symbol]

    def _found(self, function: ir.Operation) -> set[int] | None:
        if function.name != "func.func" or len(function.regions[0].blocks) != 1:
            return None
        block = block_of(function)
        numbers: dict[ir.Value, int] = {argument: k for k, argument in enumerate(block.arguments)}
        found: set[int] = set()
        for op in ops_of(block):
            if op.name == "func.call":
                weights = self._of(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
                if weights is None:
                    return None
                for number in weights:
                    found |= _sources(op.operands[number], numbers)
        return found


def _sources(value: ir.Value, numbers: Mapping[ir.Value, int]) -> set[int]:
    """The arguments that a value is moved from; none if it is computed."""
    if value in numbers:
        return {numbers[value]}
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in _MOVES:
        return set()
    sources = [_sources(operand, numbers) for operand in owner.operation.operands]
    return set[int]().union(*sources) if all(sources) else set()

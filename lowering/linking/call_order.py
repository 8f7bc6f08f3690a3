"""The functions of a user's module, callees first.

Compilers inline calls, so no function may call itself: IREE would inline such a call endlessly.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.mlir.bindings import ir, ops_of, symbol_of, symbols_in


def callees_first(module: ir.Module) -> list[ir.Operation]:
    """The functions of a module, each after those that it calls or otherwise refers to.

    A function that calls itself, directly or through others, is an InvalidArgumentError.
    """
    functions = {symbol_of(op): op for op in ops_of(module.body) if op.name == "func.func"}
    callees = {
        symbol: [each for each in symbols_in(op) if each in functions]
        for symbol, op in functions.items()
    }
    try:
        return [functions[symbol] for symbol in TopologicalSorter(callees).static_order()]
    except CycleError as error:
        cycle = [f"@{symbol}" for symbol in reversed(error.args[1])]
        if len(cycle) > 9:
            cycle[4:-4] = ["..."]
        raise InvalidArgumentError(
            "link",
            cycle[0],
            "a function that does not call itself, as calls are inlined",
            " -> ".join(cycle),
            "write the recursion as a stablehlo.while",
        ) from error

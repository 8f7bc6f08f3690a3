"""The properties that several passes require or ensure, as checks of a module.

A property returns a description of a violation, or None if it holds. Passes name theirs
(`passes.pass_with`), and the tests check them around each pass of every strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from rnn_compiler.lowering.analysis.time_loop import is_time_loop
from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.mlir.bindings import block_of, bodies, ir, ops_of, symbol_of
from rnn_compiler.lowering.mlir.composites import composite_name, decomposition_of
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.schema.open_sizes import is_static

__all__ = [
    "Property",
    "first",
    "frozen_weights_are_parameters",
    "products_are_rewritten",
    "sizes_are_indices",
    "time_loops_are_rewritten",
]

Property: TypeAlias = Callable[[PassContext], "str | None"]


def first(found: Iterable[str]) -> str | None:
    """The first of some violations, or None."""
    return next(iter(found), None)


def frozen_weights_are_parameters(context: PassContext) -> str | None:
    """No function without a body returns a frozen weight."""
    symbols = {spec.parameter(each.name) for spec in context.functions for each in spec.frozen}
    found = (op for op in ops_of(context.module.body) if op.name == "func.func")
    return first(symbol_of(op) for op in found if symbol_of(op) in symbols)


def time_loops_are_rewritten(context: PassContext) -> str | None:
    """No time loop is a plain `while`, but for those that `PassContext.plain_loops` names."""
    symbols = ir.SymbolTable(context.module.operation)
    loops = {decomposition_of(op) for op in _ops(context) if is_time_loop(op)}
    return first(
        symbol
        for symbol in sorted(loops - {*context.plain_loops})
        if any(op.name == "stablehlo.while" for op in ops_of(block_of(symbols[symbol].operation)))
    )


def sizes_are_indices(context: PassContext) -> str | None:
    """No op of StableHLO has the open size of its result, or of a slice, as an operand."""
    return first(
        op.name
        for op in context.ops()
        if op.name.startswith(("stablehlo.dynamic_", "stablehlo.get_dimension_size"))
        and not all(is_static(*shape(value)) for value in (*op.operands, *op.results))
    )


def products_are_rewritten(context: PassContext) -> str | None:
    """No composite of `builder.products` is left in a function."""
    return first(str(op) for op in context.ops() if composite_name(op) == "product")


def _ops(context: PassContext) -> list[ir.Operation]:
    return [op for block in bodies(context.module) for op in ops_of(block)]

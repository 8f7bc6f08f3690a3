"""The properties that passes require and ensure, as checks of a module.

A pass's file lists them as ``REQUIRES`` and ``ENSURES``; the tests run them around each pass of
every strategy. A property returns a description of a violation, or None if it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from rnn_compiler.lowering.analysis.hoistable import hoistable
from rnn_compiler.lowering.analysis.time_loop import is_time_loop
from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.composites import composite_name, decomposition_of
from rnn_compiler.lowering.mlir import block_of, bodies, ir, ops_of, symbol_of
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.schema.open_sizes import is_static

__all__ = [
    "Property",
    "arguments_are_read_in_place",
    "frozen_weights_are_parameters",
    "products_are_rewritten",
    "provenance_is_stamped",
    "sizes_are_indices",
    "time_loops_are_rewritten",
    "weights_are_hoisted",
]

Property: TypeAlias = Callable[[PassContext], "str | None"]


def frozen_weights_are_parameters(context: PassContext) -> str | None:
    """No function without a body returns a frozen weight."""
    symbols = {spec.parameter(each.name) for spec in context.functions for each in spec.frozen}
    found = (op for op in ops_of(context.module.body) if op.name == "func.func")
    return _first(symbol_of(op) for op in found if symbol_of(op) in symbols)


def time_loops_are_rewritten(context: PassContext) -> str | None:
    """No time loop is a plain `while`, but for those that `PassContext.plain_loops` names."""
    symbols = ir.SymbolTable(context.module.operation)
    loops = {decomposition_of(op) for op in _ops(context) if is_time_loop(op)}
    return _first(
        symbol
        for symbol in sorted(loops - {*context.plain_loops})
        if any(op.name == "stablehlo.while" for op in ops_of(block_of(symbols[symbol].operation)))
    )


def sizes_are_indices(context: PassContext) -> str | None:
    """No op of StableHLO has the open size of its result, or of a slice, as an operand."""
    return _first(
        op.name
        for op in context.ops()
        if op.name.startswith(("stablehlo.dynamic_", "stablehlo.get_dimension_size"))
        and not all(is_static(*shape(value)) for value in (*op.operands, *op.results))
    )


def products_are_rewritten(context: PassContext) -> str | None:
    """No composite of `builder.products` is left in a function."""
    return _first(str(op) for op in context.ops() if composite_name(op) == "product")


def arguments_are_read_in_place(context: PassContext) -> str | None:
    """Only `util.optimization_barrier` reads arguments that ops read; others read their sizes."""
    return _first(
        f"an argument of {symbol_of(argument.owner.owner)}, by {use.owner.name}"
        for argument in context.op_arguments()
        for use in argument.uses
        if use.owner.name not in ("util.optimization_barrier", "tensor.dim")
    )


def weights_are_hoisted(context: PassContext) -> str | None:
    """A function that takes packed weights packs none."""
    symbols = ir.SymbolTable(context.module.operation)
    for spec in context.functions:
        if spec.prepacked not in symbols:
            continue
        function = symbols[spec.prepacked].operation
        block = block_of(function)
        loads = [op.results[0] for op in ops_of(block) if op.name == "util.global.load"]
        taken = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
        weights = loads if spec.frozen else [block.arguments[k] for k in taken]
        if hoistable(function, weights):
            return spec.prepacked
    return None


def provenance_is_stamped(context: PassContext) -> str | None:
    """Every public function has a description."""
    symbols = ir.SymbolTable(context.module.operation)
    return _first(
        spec.function
        for spec in context.functions
        if "iree.reflection" not in symbols[spec.function].operation.attributes
    )


def _ops(context: PassContext) -> list[ir.Operation]:
    return [op for block in bodies(context.module) for op in ops_of(block)]


def _first(found: Iterable[str]) -> str | None:
    return next(iter(found), None)

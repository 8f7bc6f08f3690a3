"""Keeps what is computed of many arrays in dispatches that IREE's runtime takes.

Requires: a module whose time loops and products have been rewritten, and whose states are updated.
Matches: elementwise ops that compute a value from many arrays, as a sum of parameters does. IREE
fuses them without asking how many arrays a dispatch then has, all of them if each has one element;
its runtime refuses calls of more than 32 (`tests/traps/test_many_operands.py`).
Puts a `util.optimization_barrier`, which no dispatch crosses, on what is computed of some of them.
Leaves: functions that loops call, where IREE would not wait for what is behind a barrier.
Ensures: the same numbers.
"""

from __future__ import annotations

import math

from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE
from rnn_compiler.lowering.mlir.bindings import block_of, ir, ops_of, symbol_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.schema.open_sizes import is_static, static

_MOST = 24
"""The most arrays that an op is computed from without a barrier."""


def few_operands_are_read_together(context: PassContext) -> str | None:
    """Nothing is computed from too many arrays in one dispatch."""
    return first(
        f"{op.name} in {symbol_of(function)}"
        for function in _functions(context)
        for op, _ in _too_many(function)
    )


@pass_with(requires=(), ensures=(few_operands_are_read_together,))
def limit_operands(context: PassContext) -> None:
    """Adds the barriers."""
    for function in _functions(context):
        while many := _too_many(function):
            op, number = many[0]
            value = op.operands[number]
            barrier = Body.before(op).op("util.optimization_barrier", [value], [value.type])
            op.operands[number] = barrier.results[0]


def _too_many(function: ir.Operation) -> list[tuple[ir.Operation, int]]:
    """The ops computed from too many arrays, with the number of the operand that has most."""
    sources = _sources(function)
    found: list[tuple[ir.Operation, int]] = []
    for op, given in sources.items():
        if op is not None and len(given) > _MOST:
            counts = [len(sources.get(_maker(each), ())) for each in op.operands]
            found.append((op, counts.index(max(counts))))
    return found


def _functions(context: PassContext) -> list[ir.Operation]:
    """The functions that no loop calls."""
    repeated = context.called_in_loops()
    return [op for op in context.defined_functions() if symbol_of(op) not in repeated]


def _maker(value: ir.Value) -> ir.Operation | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.operation


def _sources(function: ir.Operation) -> dict[ir.Operation | None, frozenset[ir.Value]]:
    """The values that each elementwise op is computed from by others of them."""
    found: dict[ir.Operation | None, frozenset[ir.Value]] = {}
    for op in ops_of(block_of(function)):
        if op.name == "stablehlo.constant":
            found[op] = frozenset()
        elif op.name.startswith("stablehlo.") and not len(op.regions) and _is_elementwise(op):
            given = [found.get(_maker(each), frozenset([each])) for each in op.operands]
            found[op] = frozenset[ir.Value]().union(*given)
    return found


def _is_elementwise(op: ir.Operation) -> bool:
    """Whether an op computes each element from those at its place, or the only one; with a sign."""
    values = [*op.operands, *op.results]
    if len(op.results) != 1 or not all(_is_known(each) for each in values):
        return False
    sizes = {static(shape(each)) for each in values}
    is_same = op.name in ELEMENTWISE and len(sizes) == 1
    return is_same or {math.prod(each) for each in sizes} == {1}


def _is_known(value: ir.Value) -> bool:
    """Whether a value is an array of known sizes, whose integers have a sign."""
    is_array = isinstance(value.type, ir.RankedTensorType)
    return is_array and is_static(*shape(value)) and not element(value).startswith("ui")

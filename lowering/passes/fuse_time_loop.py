"""Gives every time loop a decomposition that IREE compiles to a single dispatch on the CPU.

Matches the `stablehlo.composite` ops that `time_loop` makes and replaces the function each names as
its decomposition by a `FusedLoop`; the composite itself, and everything else, stays. A loop that is
not of the known form (`recurrence.NotARecurrence`) keeps its plain decomposition.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections import Counter

from rnn_compiler.lowering.analysis.time_loop import NotARecurrence, Recurrence, defining
from rnn_compiler.lowering.cpu.fused_loop import FusedLoop
from rnn_compiler.lowering.kernel.executable import with_executables
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.edits import opaque
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["fuse_time_loops"]


def fuse_time_loops(module: ir.Module, vectors: VectorUnit) -> None:
    """Replaces the decomposition of every time loop of a module that can be fused.

    Args:
        module: The module, changed in place.
        vectors: The vector unit of the target.
    """
    with module.context, ir.Location.unknown():
        composites, made = _composites(module), dict[str, str]()
        for op in list(module.body.operations):
            text = _fused(op.operation, vectors, composites, made)
            if text is not None:
                for new in ir.Module.parse(text).body.operations:
                    new.operation.clone(ip=ir.InsertionPoint(op))
                op.operation.erase()


def _composites(module: ir.Module) -> dict[str, ir.Operation]:
    """The composite of a time loop that each decomposition is of, if it is of one only."""
    found = [
        (ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value, op.operation)
        for function in module.body.operations
        for op in function.regions[0].blocks[0].operations
        if op.operation.name == "stablehlo.composite"
        and "reverse" in ir.DictAttr(op.attributes["composite_attributes"])
    ]
    times = Counter(symbol for symbol, _ in found)
    return {symbol: composite for symbol, composite in found if times[symbol] == 1}


def _fused(
    function: ir.Operation,
    vectors: VectorUnit,
    composites: dict[str, ir.Operation],
    made: dict[str, str],
) -> str | None:
    """The text of a function in the place of a decomposition; None if it is not one to fuse.

    Loops that are alike (of blocks of time, say) share a dispatch, see `with_executables`.
    """
    symbol = ir.StringAttr(function.attributes["sym_name"]).value
    composite = composites.get(symbol)
    if composite is None:
        return None
    try:
        place = [*composites].index(symbol), len(composites)
        loop = FusedLoop(symbol, Recurrence.read(function), vectors, composite.operands, place)
        text = with_executables(loop.text(), loop.outside, made)
    except NotARecurrence:
        return None
    for number, value in enumerate(loop.loop.arguments):
        if value in loop.opaque:
            composite.operands[number] = _opaque(composite.operands[number])
    return text


def _opaque(scalar: ir.Value) -> ir.Value:
    """A constant ``tensor<T>`` as one that the compiler does not know."""
    constant = defining(scalar)
    value = ir.DenseElementsAttr(constant.attributes["value"]).get_splat_value()
    number = opaque(value, constant.block)
    at = ir.InsertionPoint.after(number.owner)
    return ir.Operation.create("tensor.from_elements", [scalar.type], [number], ip=at).results[0]

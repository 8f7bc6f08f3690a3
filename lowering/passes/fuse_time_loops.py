"""Replaces the decomposition of every time loop by a single dispatch, for CPUs.

Requires: a portable module; the target is a CPU.
Matches: the composites that `builder.time_loop` makes. Replaces the function that each names as its
decomposition by a `cpu.fused_loop`; the composite itself, and everything else, stays. Loops that
are alike (of blocks of time, say) share a dispatch. A sequence of zeros is no array. Where memory
is scarce, steps compute the products of their inputs, and write columns that two outputs share
once. An output that is only inserted into a larger array is written there (`cpu.fused_loop.plan`).
Leaves, with a recorded reason: a loop of another form, or whose decomposition belongs to several
composites.
Ensures: a time loop is a plain one only if `PassContext.plain_loops` names it.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.time_loop import TimeLoop
from rnn_compiler.lowering.analysis.values import array_of, defining, splat_of, tied
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.codegen.executable import Part
from rnn_compiler.lowering.codegen.stablehlo import concatenated
from rnn_compiler.lowering.cpu.fused_loop.fused_loop import FusedLoop
from rnn_compiler.lowering.cpu.fused_loop.prepared_loop import (
    with_input_products,
    with_inserted_outputs,
    with_known_rows,
    with_shared_outputs,
)
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    function_of,
    ir,
    ops_of,
    remove_unused,
    symbol_of,
)
from rnn_compiler.lowering.mlir.composites import decomposition_of, loop_attributes
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    take_time_loops,
    time_loops_are_rewritten,
)
from rnn_compiler.lowering.rewriting.edits import call_before, opaque
from rnn_compiler.lowering.targets.vector_unit import VectorUnit


@pass_with(requires=(), ensures=(time_loops_are_rewritten,))
def fuse_time_loops(context: PassContext) -> None:
    """Replaces the decompositions of a module's time loops that can be fused."""
    vectors = context.processor
    assert isinstance(vectors, VectorUnit)
    functions = {symbol_of(op): op for op in ops_of(context.module.body)}
    found, made = take_time_loops(context), dict[str, str]()
    repeated, looped = context.called_repeatedly(), context.called_in_loops()
    for number, (symbol, composite) in enumerate(found.items()):
        caller, weights_stay = symbol_of(function_of(composite)), context.weights_stay(composite)
        try:
            loop, given = TimeLoop.of(composite, functions), list(composite.operands)
            results: list[ir.Value] = [*composite.results]
            loop, given = with_known_rows(loop, given)
            if not vectors.has_memory:
                loop, given = with_input_products(loop, given, vectors)
            loop, given, results = with_inserted_outputs(loop, given, results)
            loop, shared = (loop, {}) if vectors.has_memory else with_shared_outputs(loop)
            fused = FusedLoop(
                symbol,
                loop,
                vectors,
                given,
                Part(number, len(found), caller in repeated, caller in looped),
                composite.location,
                weights_stay=weights_stay,
            )
        except Refused as reason:
            context.keep_plain(symbol, str(reason))
            continue
        operands = [
            tied(_opaque_scalar(operand) if value in fused.opaque_arguments else operand, composite)
            for value, operand in zip(loop.arguments, given, strict=True)
        ]
        fused.function.insert_at(ir.InsertionPoint(functions[symbol]), made)
        types = [
            _without_columns(old.type, shared[number].columns) if number in shared else old.type
            for number, old in enumerate(results)
        ]
        called = call_before(composite, symbol, operands, types)
        for number, (output, columns) in shared.items():
            called[number] = _joined(called[output], columns, called[number], composite)
        for old, new in zip(results, called, strict=True):
            old.replace_all_uses_with(new)
            if defining(old) != composite:
                defining(old).erase()
        step = loop_attributes(composite).step
        for name in (symbol, *_decompositions_in(functions[step]), step):
            functions[name].erase()
        composite.erase()
    if not vectors.has_memory:
        for function in context.op_functions():
            remove_unused(block_of(function))  # products that steps compute


def _decompositions_in(step: ir.Operation) -> list[str]:
    """The decompositions of the composites in a step."""
    ops = ops_of(block_of(step))
    return [decomposition_of(op) for op in ops if op.name == "stablehlo.composite"]


def _without_columns(kind: ir.Type, count: int) -> ir.Type:
    """The type of an array without its first columns."""
    *sizes, columns = ir.RankedTensorType(kind).shape
    return ir.RankedTensorType.get(
        [*sizes, columns - count], ir.RankedTensorType(kind).element_type
    )


def _joined(array: ir.Value, columns: int, rest: ir.Value, before: ir.Operation) -> ir.Value:
    """The first columns of an array, and those of another one behind them."""
    body = Body.before(before)
    whole, last = array_of(body, array), array_of(body, rest)
    sizes = *whole.shape[:2], columns
    first = body.extract(whole, [0, 0, 0], sizes)
    return concatenated(body, [first, last], 2).value


def _opaque_scalar(scalar: ir.Value) -> ir.Value:
    """A constant ``tensor<T>``, hidden from the compiler."""
    number = opaque(splat_of(scalar), defining(scalar).block)
    at = ir.InsertionPoint.after(defining(number))
    return ir.Operation.create("tensor.from_elements", [scalar.type], [number], ip=at).results[0]

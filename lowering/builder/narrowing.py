"""Narrows a function to some of its results, and removes the code that only the others needed.

An emitter writes a whole op. If only some of its results are requested, the others are removed,
and with them the ops that only they needed, the arrays that a time loop writes for them (but not
the states, which each step needs), and private functions without callers.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    ir,
    is_private,
    ops_of,
    remove_unused,
    symbol_of,
    symbols_in,
)
from rnn_compiler.lowering.mlir.composites import composite_name, decomposition_of, loop_attributes


def narrow(module: ir.Module, function: ir.Operation, kept: Sequence[int]) -> None:
    """Makes a function without side effects return only the results `kept`, in that order."""
    symbols = ir.SymbolTable(module.operation)
    _return(function, kept)
    block = block_of(function)
    while remove_unused(block) | _narrow_time_loops(block, symbols) | _narrow_barriers(block):
        pass
    while uncalled := _uncalled(module):
        for op in uncalled:
            op.erase()


def _uncalled(module: ir.Module) -> list[ir.Operation]:
    """The private functions that no op refers to."""
    named = set(symbols_in(module.operation))
    private = [op for op in ops_of(module.body) if is_private(op)]
    return [op for op in private if symbol_of(op) not in named]


def _is_unused(value: ir.Value) -> bool:
    return not any(True for _ in value.uses)


def _replace_end(block: ir.Block, kept: Sequence[int]) -> list[ir.Type]:
    """Makes a block return only some values; returns their types."""
    end = ops_of(block)[-1]
    values = [end.operands[k] for k in kept]
    ir.Operation.create(end.name, operands=values, ip=ir.InsertionPoint(end), loc=end.location)
    end.erase()
    return [value.type for value in values]


def _return(function: ir.Operation, kept: Sequence[int]) -> None:
    types = _replace_end(block_of(function), kept)
    inputs = [argument.type for argument in block_of(function).arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, types))


def _without_results(op: ir.Operation, dropped: Container[int], operands: Sequence[int]) -> None:
    """Replaces an op by the same op with fewer operands and results."""
    kept = [k for k in range(len(op.results)) if k not in dropped]
    attributes = {name: op.attributes[name] for name in op.attributes}
    made = ir.Operation.create(
        op.name,
        operands=[op.operands[k] for k in operands],
        results=[op.results[k].type for k in kept],
        attributes=attributes,
        regions=len(op.regions),
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    for old, new in zip(op.regions, made.regions, strict=True):
        old.blocks[0].append_to(new)
    for k, result in zip(kept, made.results, strict=True):
        op.results[k].replace_all_uses_with(result)
    op.erase()


def _narrow_barriers(block: ir.Block) -> bool:
    """Removes unused results from barriers; returns whether there were any."""
    found = False
    for op in ops_of(block):
        if op.name != "stablehlo.optimization_barrier":
            continue
        pairs = enumerate(zip(op.operands, op.results, strict=True))
        idle = [k for k, (of, to) in pairs if _is_unused(to) and len([*of.uses]) == 1]
        if idle:
            _without_results(op, idle, [k for k in range(len(op.operands)) if k not in idle])
            found = True
    return found


def _narrow_time_loops(block: ir.Block, symbols: ir.SymbolTable) -> bool:
    """Removes unused outputs from time loops; returns whether there were any."""
    found = False
    for op in ops_of(block):
        if composite_name(op) != "time_loop":
            continue
        known = loop_attributes(op)
        states = known.roles.count("state")
        dropped = [k for k, array in enumerate([*op.results][:-states]) if _is_unused(array)]
        if dropped:
            step = symbols[known.step].operation
            rows = [k + states for k in dropped]
            _return(step, [k for k in range(len(op.results)) if k not in rows])
            while remove_unused(block_of(step)):
                pass
            loop = symbols[decomposition_of(op)].operation
            _narrow_while(loop, dropped, rows)
            _without_results(op, dropped, range(len(op.operands)))
            found = True
    return found


def _narrow_while(function: ir.Operation, dropped: Sequence[int], rows: Sequence[int]) -> None:
    """Removes outputs from a time loop's decomposition, and their rows from its step."""
    (loop,) = (each for each in ops_of(block_of(function)) if each.name == "stablehlo.while")
    _return(function, [k for k in range(len(loop.results) - 1) if k not in dropped])
    carried = [0, *(k + 1 for k in range(len(loop.results) - 1) if k not in dropped)]
    condition, body = (region.blocks[0] for region in loop.regions)
    _replace_end(body, carried)
    while remove_unused(body):
        pass
    (call,) = (each for each in ops_of(body) if each.name == "func.call")
    _without_results(call, rows, range(len(call.operands)))
    for block in (condition, body):
        for k in reversed(dropped):
            block.erase_argument(k + 1)
    _without_results(loop, [k + 1 for k in dropped], carried)
    remove_unused(block_of(function))

"""Narrows a function to some of its results: what no result needs any more is removed.

An emitter writes a whole op. Where only some of its results are asked for, the others go, and with
them the ops that they alone needed, the arrays that a time loop writes for them (the states stay,
each step needs them), and the private functions that nothing calls any more.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from rnn_compiler.lowering.mlir import block_of, ir, ops_of, remove_unused, symbol_of

__all__ = ["narrow"]


def narrow(module: ir.Module, function: ir.Operation, kept: Sequence[int]) -> None:
    """Makes a function return only some of its results.

    Args:
        module: The module.
        function: The function, made of ops without side effects.
        kept: Which results stay, in their new order.
    """
    symbols = ir.SymbolTable(module.operation)
    _return(function, kept)
    block = block_of(function)
    while remove_unused(block) | _narrow_composites(block, symbols) | _narrow_barriers(block):
        pass
    named: set[str] = set()
    module.operation.walk(lambda op: _add_named(op, named))
    for op in ops_of(module.body):
        if "sym_visibility" in op.attributes and symbol_of(op) not in named:
            op.erase()


def _add_named(op: ir.Operation, named: set[str]) -> ir.WalkResult:
    """Adds the function that an op calls or stands for."""
    for key in ("decomposition", "callee"):
        if key in op.attributes:
            named.add(ir.FlatSymbolRefAttr(op.attributes[key]).value)
    return ir.WalkResult.ADVANCE


def _is_unused(value: ir.Value) -> bool:
    return not any(True for _ in value.uses)


def _replace_end(block: ir.Block, kept: Sequence[int]) -> list[ir.Type]:
    """Makes a block hand out only some values; gives their types."""
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
    """Puts an op in the place of one like it with fewer operands and results."""
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
    """Lets barriers hold back only what something needs; tells whether one held more."""
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


def _narrow_composites(block: ir.Block, symbols: ir.SymbolTable) -> bool:
    """Has time loops write only arrays that are used; tells whether one wrote more."""
    found = False
    for op in ops_of(block):
        if op.name != "stablehlo.composite":
            continue
        name = ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value
        function = symbols[name].operation
        loops = [each for each in ops_of(block_of(function)) if each.name == "stablehlo.while"]
        if len(loops) != 1:
            continue
        unused = [k for k, result in enumerate(op.results) if _is_unused(result)]
        dropped = [k for k in unused if _is_only_written(loops[0], k + 1)]
        if dropped:
            kept = [k for k in range(len(op.results)) if k not in dropped]
            _return(function, kept)
            _narrow_loop(loops[0], [k + 1 for k in dropped])
            remove_unused(block_of(function))
            _without_results(op, dropped, range(len(op.operands)))
            found = True
    return found


def _is_only_written(loop: ir.Operation, number: int) -> bool:
    """Whether a carried value is an array of which each step writes a row and reads none."""
    body = loop.regions[1].blocks[0]
    users = [use.owner.operation for use in body.arguments[number].uses]
    return len(users) == 1 and users[0].name == "stablehlo.dynamic_update_slice"


def _narrow_loop(loop: ir.Operation, dropped: Sequence[int]) -> None:
    """Removes carried values that nothing reads."""
    kept = [k for k in range(len(loop.operands)) if k not in dropped]
    condition, body = (region.blocks[0] for region in loop.regions)
    _replace_end(body, kept)
    while remove_unused(body):
        pass
    for block in (condition, body):
        for k in reversed(dropped):
            block.erase_argument(k)
    _without_results(loop, dropped, kept)

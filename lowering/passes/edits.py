"""Edits that passes share: calls, ops in the place of others, what the compiler does not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.analysis.values import defining, element, is_constant, shape
from rnn_compiler.lowering.kernel.function import Function, unused_symbol
from rnn_compiler.lowering.kernel.number import element_type
from rnn_compiler.lowering.mlir import block_of, end_of, ir, ops_of

__all__ = [
    "call",
    "composite_name",
    "inlined",
    "inlined_copy",
    "make_asynchronous",
    "opaque",
    "remove_unused",
    "replace_by_call",
    "returning",
    "unfolded",
    "widened",
]

_CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}
"""Ops that call a function, and the attribute that names it."""


def composite_name(op: ir.Operation) -> str | None:
    """The name of a composite of ours, without the package's prefix; None for any other op."""
    if op.name != "stablehlo.composite":
        return None
    return ir.StringAttr(op.attributes["name"]).value.removeprefix("rnn_compiler.")


def inlined(module: ir.Module, composite: ir.Operation) -> list[ir.Operation]:
    """Puts the ops of a composite's decomposition, which is no other's, in its place.

    Returns:
        These ops.
    """
    symbol = ir.FlatSymbolRefAttr(composite.attributes["decomposition"]).value
    function = ir.SymbolTable(module.operation)[symbol].operation
    block = block_of(function)
    for argument, operand in zip(block.arguments, composite.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *ops, end = ops_of(block)
    for result, value in zip(composite.results, end.operands, strict=True):
        result.replace_all_uses_with(value)
    for op in ops:
        op.move_before(composite)
    composite.erase()
    function.erase()
    return ops


def replace_by_call(
    module: ir.Module,
    op: ir.Operation,
    operands: Sequence[ir.Value],
    name: str,
    made: dict[str, str],
    key: str,
    function: Callable[[str], Function],
) -> None:
    """Puts the call of a private function in the place of an op with one result.

    Args:
        module: The module.
        op: The op.
        operands: What the function is given.
        name: What its symbol starts with.
        made: The symbols of the functions that were added so far, by key.
        key: What tells one such function from another; those alike are called again.
        function: Gives the function of a symbol.
    """
    if key not in made:
        made[key] = unused_symbol(module.operation, f"{name}_{len(made)}")
        function(made[key]).place(ir.InsertionPoint.at_block_begin(module.body), {})
    call = ir.Operation.create(
        "func.call",
        operands=list(operands),
        results=[op.results[0].type],
        attributes={"callee": ir.FlatSymbolRefAttr.get(made[key])},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()


def call(
    module: ir.Module,
    before: ir.Operation,
    operands: Sequence[ir.Value],
    name: str,
    made: dict[str, str],
    function: Callable[[str], Function],
) -> list[ir.Value]:
    """Emits the call of a private function before an op.

    Args:
        module: The module.
        before: The op.
        operands: What the function is given.
        name: What its symbol starts with.
        made: The symbols of the functions that were added so far, by name and types of operands:
            these tell one from another, and those alike are called again.
        function: Gives the function of a symbol.

    Returns:
        The results.
    """
    key = f"{name} {[str(operand.type) for operand in operands]}"
    if key not in made:
        made[key] = unused_symbol(module.operation, f"{name}_{len(made)}")
        function(made[key]).place(ir.InsertionPoint.at_block_begin(module.body), {})
    symbols = ir.SymbolTable(module.operation)
    block = block_of(symbols[made[key]].operation)
    op = ir.Operation.create(
        "func.call",
        operands=list(operands),
        results=[result.type for result in ops_of(block)[-1].operands],
        attributes={"callee": ir.FlatSymbolRefAttr.get(made[key])},
        ip=ir.InsertionPoint(before),
        loc=before.location,
    )
    return list(op.results)


def opaque(value: ir.Attribute, block: ir.Block) -> ir.Value:
    """Emits a number of an attribute's type, which the compiler does not know.

    So dispatches that differ in it alone are one: IREE 3.13 makes a dispatch of its own for each
    constant that one is given. It is made where the block begins: elsewhere the barrier would cut
    the schedule in two.

    Args:
        value: The number.
        block: Where it is needed.
    """
    at, attributes = ir.InsertionPoint.at_block_begin(block), {"value": value}
    constant = ir.Operation.create(
        "arith.constant", results=[value.type], attributes=attributes, ip=at
    )
    operands = [constant.results[0]]
    barrier = ir.Operation.create("util.optimization_barrier", [value.type], operands, ip=at)
    return barrier.results[0]


def widened(value: ir.Value, of: str, before: ir.Operation) -> ir.Value:
    """A matrix in another element type, converted before an op."""
    if element(value) == of:
        return value
    return ir.Operation.create(
        "stablehlo.convert",
        operands=[value],
        results=[ir.RankedTensorType.get(shape(value), element_type(of))],
        ip=ir.InsertionPoint(before),
        loc=before.location,
    ).results[0]


def unfolded(vector: ir.Value, before: ir.Operation) -> ir.Value:
    """A vector to be written into; a constant as an array of its own, or parts of it would fold."""
    if not is_constant(vector):
        return vector
    splat = ir.DenseElementsAttr(defining(vector).attributes["value"]).get_splat_value()
    at = ir.InsertionPoint(before)
    number = ir.Operation.create(
        "arith.constant", results=[splat.type], attributes={"value": splat}, ip=at
    )
    return ir.Operation.create(
        "flow.tensor.splat", operands=[number.results[0]], results=[vector.type], ip=at
    ).results[0]


def inlined_copy(module: ir.Module, symbol: str, name: str) -> ir.Operation:
    """A copy of a function under another name, with all that it calls inlined."""
    symbols = ir.SymbolTable(module.operation)
    function = symbols[symbol].operation
    copy = function.clone(ip=ir.InsertionPoint(function))
    copy.attributes["sym_name"] = ir.StringAttr.get(name)
    calls = ops_of(block_of(copy))
    while calls:
        call = calls.pop()
        if call.name not in _CALLS:
            continue
        callee = ir.FlatSymbolRefAttr(call.attributes[_CALLS[call.name]]).value
        body = symbols[callee].operation.clone(ip=ir.InsertionPoint(copy))
        for argument, operand in zip(block_of(body).arguments, call.operands, strict=True):
            argument.replace_all_uses_with(operand)
        *ops, end = ops_of(block_of(body))
        for result, value in zip(call.results, end.operands, strict=True):
            result.replace_all_uses_with(value)
        for op in ops:
            op.move_before(call)
        calls += ops
        call.erase()
        body.erase()
    return copy


def remove_unused(function: ir.Operation) -> None:
    """Removes what nothing in a function uses; nothing in it has an effect."""
    for op in reversed(ops_of(block_of(function))[:-1]):
        if not any(True for result in op.results for _ in result.uses):
            op.erase()


def returning(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Makes a function return other values."""
    end_of(function).erase()
    ir.Operation.create(
        "func.return", operands=list(values), ip=ir.InsertionPoint(block_of(function))
    )


def make_asynchronous(function: ir.Operation) -> None:
    """Lets a function return before its results are there; a `func.func` cannot be told to."""
    end = end_of(function)
    ir.Operation.create("util.return", operands=[*end.operands], ip=ir.InsertionPoint(end))
    end.erase()
    attributes = {name: function.attributes[name] for name in ("sym_name", "function_type")}
    attributes["iree.abi.model"] = ir.StringAttr.get("coarse-fences")
    attributes["sym_visibility"] = ir.StringAttr.get("public")
    made = ir.Operation.create(
        "util.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(function)
    )
    block_of(function).append_to(made.regions[0])
    function.erase()

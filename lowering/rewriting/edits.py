"""Edits that passes share: calls, replacements, values hidden from the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.size_sources import array_of, source_of_size
from rnn_compiler.lowering.analysis.values import (
    defining,
    element,
    is_constant,
    shape,
    static_shape,
)
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.arithmetic import cast, elementwise
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.function import Function, unused_symbol
from rnn_compiler.lowering.codegen.number import Number, element_type
from rnn_compiler.lowering.composites import decomposition_of
from rnn_compiler.lowering.mlir import block_of, end_of, ir, ops_of
from rnn_compiler.schema.open_sizes import is_static

__all__ = [
    "Calls",
    "call_before",
    "inlined",
    "inlined_copy",
    "make_asynchronous",
    "opaque",
    "pointwise_cast",
    "pointwise_op",
    "remove_checks",
    "replace",
    "returning",
    "unfolded",
    "widened",
]

_CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}
"""Ops that call a function, and the attribute that names it."""


def inlined(module: ir.Module, composite: ir.Operation) -> list[ir.Operation]:
    """Replaces a composite by the ops of its decomposition, which has no other use.

    Returns:
        These ops.
    """
    symbol = decomposition_of(composite)
    return _spliced(composite, ir.SymbolTable(module.operation)[symbol].operation)


def inlined_copy(module: ir.Module, symbol: str, name: str) -> ir.Operation:
    """A copy of a function under another name, with all that it calls inlined."""
    symbols = ir.SymbolTable(module.operation)
    function = symbols[symbol].operation
    copy = function.clone(ip=ir.InsertionPoint(function))
    copy.attributes["sym_name"] = ir.StringAttr.get(name)
    calls = ops_of(block_of(copy))
    while calls:
        call = calls.pop()
        if call.name in _CALLS:
            callee = ir.FlatSymbolRefAttr(call.attributes[_CALLS[call.name]]).value
            calls += _spliced(call, symbols[callee].operation.clone(ip=ir.InsertionPoint(copy)))
    return copy


def _spliced(call: ir.Operation, function: ir.Operation) -> list[ir.Operation]:
    """Inlines a function at a call, and removes it; returns its ops."""
    block = block_of(function)
    for argument, operand in zip(block.arguments, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *ops, end = ops_of(block)
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(value)
    for op in ops:
        op.move_before(call)
    call.erase()
    function.erase()
    for op in [op for op in ops if op.name == "tensor.dim"]:
        ops.remove(op)
        _settle(op)
    return ops


def _settle(size: ir.Operation) -> None:
    """Reads an open size from its source again, after arguments have become results."""
    index = defining(size.operands[1]).attributes["value"]
    value, axis = source_of_size(size.operands[0], ir.IntegerAttr(index).value)
    replace(size, Body.before(size).size(value, axis).value)


def call_before(
    op: ir.Operation, symbol: str, operands: Sequence[ir.Value], types: Sequence[ir.Type]
) -> list[ir.Value]:
    """Emits a call of a function before an op; returns its results."""
    call = ir.Operation.create(
        "func.call",
        operands=list(operands),
        results=list(types),
        attributes={"callee": ir.FlatSymbolRefAttr.get(symbol)},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    return list(call.results)


@dataclass(frozen=True)
class Calls:
    """The calls of private functions that a pass adds to a module; equal functions are shared.

    Attributes:
        module: The module.
        made: The symbols of the functions so far, by key.
    """

    module: ir.Module
    made: dict[str, str] = field(default_factory=dict[str, str])

    def before(
        self,
        op: ir.Operation,
        name: str,
        operands: Sequence[ir.Value],
        body: Callable[..., Sequence[Array]],
        key: object = "",
    ) -> list[ir.Value]:
        """Emits a call before an op.

        Args:
            op: The op.
            name: The prefix of the function's symbol.
            operands: The operands of the call.
            body: Emits the function's body, given the function and its array arguments; the other
                arguments are numbers. Returns the results.
            key: Distinguishes it from other functions of its name and types.

        Returns:
            The results.
        """
        known = f"{name} {[str(operand.type) for operand in operands]} {key}"
        if known not in self.made:
            symbol = unused_symbol(self.module.operation, f"{name}_{len(self.made)}")
            self.made[known] = symbol
            function = Function(symbol, [each.type for each in operands], op.location)
            arrays = [
                array_of(function, each)
                for each in function.arguments
                if isinstance(each.type, ir.RankedTensorType)
            ]
            function.finish(body(function, *arrays))
            function.insert_at(ir.InsertionPoint.at_block_begin(self.module.body), {})
        symbol = self.made[known]
        called = ir.SymbolTable(self.module.operation)[symbol].operation
        return call_before(op, symbol, operands, [each.type for each in end_of(called).operands])


def replace(op: ir.Operation, value: ir.Value) -> None:
    """Replaces an op with one result by a value."""
    op.results[0].replace_all_uses_with(value)
    op.erase()


def opaque(value: ir.Attribute, block: ir.Block) -> ir.Value:
    """Emits a number that is hidden from the compiler.

    So dispatches that differ only in it are shared: IREE 3.13 specializes a dispatch for each
    constant operand. It is emitted at the start of the block: elsewhere the barrier would split the
    schedule.

    Args:
        value: The number.
        block: The block that needs it.
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
    if not is_static(*shape(value)):
        return pointwise_cast(Body.before(before), value, of)
    return ir.Operation.create(
        "stablehlo.convert",
        operands=[value],
        results=[ir.RankedTensorType.get(static_shape(value), element_type(of))],
        ip=ir.InsertionPoint(before),
        loc=before.location,
    ).results[0]


def pointwise_cast(body: Body, value: ir.Value, of: str) -> ir.Value:
    """Emits an array in another element type, as an op on numbers.

    IREE 3.13 rejects `stablehlo.convert` of a reshaped array of open sizes: it reads its shape by
    the `shape` dialect.
    """
    return _pointwise(body, [value], of, lambda inside, numbers: cast(inside, numbers[0], of))


def pointwise_op(body: Body, op: ir.Operation) -> ir.Value:
    """Emits an elementwise op of StableHLO as one on numbers; scalars apply to all elements."""
    of = element(op.results[0])
    return _pointwise(body, op.operands, of, lambda inside, each: elementwise(inside, op, each))


def _pointwise(
    body: Body,
    values: Iterable[ir.Value],
    of: str,
    emit: Callable[[Body, Sequence[Number]], Number],
) -> ir.Value:
    """Emits the elementwise application of a function to arrays and scalars."""
    arrays = [array_of(body, value) for value in values]
    inputs = [(array, range(len(array.shape))) for array in arrays]
    target = body.empty(ArrayType(max((array.shape for array in arrays), key=len), of))
    return linalg.pointwise(body, inputs, target, emit).value


def unfolded(vector: ir.Value, before: ir.Operation) -> ir.Value:
    """A vector to write to; a constant becomes an array of its own, or parts of it would fold."""
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


def returning(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Makes a function return other values."""
    end_of(function).erase()
    ir.Operation.create(
        "func.return", operands=list(values), ip=ir.InsertionPoint(block_of(function))
    )


def remove_checks(block: ir.Block) -> None:
    """Removes the comparisons of open sizes of arguments that a function no longer has."""
    for op in ops_of(block):
        if op.name == "cf.assert":
            op.erase()


def make_asynchronous(function: ir.Operation) -> None:
    """Makes a function asynchronous, as a `util.func`: a `func.func` cannot be."""
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

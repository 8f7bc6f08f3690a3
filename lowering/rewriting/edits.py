"""Edits that passes share: calls, replacements, values hidden from the compiler."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.values import array_of, defining, element, shape, source_of_size
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Number
from rnn_compiler.lowering.codegen.elementwise import cast, elementwise
from rnn_compiler.lowering.codegen.executable import FunctionBuilder, unused_symbol
from rnn_compiler.lowering.mlir.bindings import block_of, callee_of, end_of, ir, nested_ops, ops_of
from rnn_compiler.lowering.mlir.composites import decomposition_of
from rnn_compiler.schema.manifest import SCOPE
from rnn_compiler.schema.open_sizes import is_static


def called_by(op: ir.Operation) -> str:
    """The symbol of the function that an op calls; empty for an op that calls none."""
    match op.name:
        case "func.call":
            return callee_of(op)
        case "stablehlo.composite":
            return decomposition_of(op)
        case _:
            return ""


def inlined(module: ir.Module, composite: ir.Operation) -> list[ir.Operation]:
    """Replaces a composite by the ops of its decomposition, which has no other use."""
    symbol = decomposition_of(composite)
    return spliced(composite, ir.SymbolTable(module.operation)[symbol].operation)


def spliced(call: ir.Operation, function: ir.Operation) -> list[ir.Operation]:
    """Inlines a function at a call, and removes it; returns its ops."""
    block = block_of(function)
    for argument, operand in zip(block.arguments, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *ops, end = ops_of(block)
    for op in ops:
        op.move_before(call)
    replace(call, *end.operands)
    function.erase()
    for op in [op for op in ops if op.name == "tensor.dim"]:
        ops.remove(op)
        _settle(op)
    return ops


def _settle(size: ir.Operation) -> None:
    """Reads an open size from its new source, after arguments have become results."""
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
class PrivateCalls:
    """The calls of private functions that a pass adds to a module; equal functions are shared."""

    module: ir.Module
    made: dict[str, str] = field(default_factory=dict[str, str])

    def before(
        self,
        op: ir.Operation,
        name: str,
        operands: Sequence[ir.Value],
        body: Callable[..., Sequence[Array]],
        key: object = "",
        /,
        **named: ir.Value,
    ) -> list[ir.Value]:
        """Emits a call before an op; the function's body is given the function and its arguments.

        `key` distinguishes the function from others of its name and types; `named` are more
        operands, which the body is given by name.
        """
        values = [*operands, *named.values()]
        known = f"{name} {[str(value.type) for value in values]} {key}"
        if known not in self.made:
            symbol = unused_symbol(self.module.operation, f"{name}_{len(self.made)}")
            self.made[known] = symbol
            function = FunctionBuilder(symbol, [value.type for value in values], op.location)
            given = [_argument(function, each) for each in function.arguments]
            others = dict(zip(named, given[len(operands) :], strict=True))
            function.finish(body(function, *given[: len(operands)], **others))
            function.insert_at(ir.InsertionPoint.at_block_begin(self.module.body), {})
        symbol = self.made[known]
        called = ir.SymbolTable(self.module.operation)[symbol].operation
        return call_before(op, symbol, values, [each.type for each in end_of(called).operands])


def _argument(function: FunctionBuilder, value: ir.Value) -> Array | Number:
    if isinstance(value.type, ir.RankedTensorType):
        return array_of(function, value)
    return Number(function, value, str(value.type))


def replace(op: ir.Operation, *values: ir.Value) -> None:
    """Replaces an op by values, one for each of its results."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def opaque(value: ir.Attribute, block: ir.Block) -> ir.Value:
    """Emits a number that is hidden from the compiler.

    So dispatches that differ only in it are shared: IREE specializes a dispatch for each constant
    operand (`tests/traps/test_constants_of_dispatches.py`). It is emitted at the start of the
    block: elsewhere the barrier would split the schedule.
    """
    at, attributes = ir.InsertionPoint.at_block_begin(block), {"value": value}
    constant = ir.Operation.create(
        "arith.constant", results=[value.type], attributes=attributes, ip=at
    )
    operands = [constant.results[0]]
    barrier = ir.Operation.create("util.optimization_barrier", [value.type], operands, ip=at)
    return barrier.results[0]


def pointwise_cast(body: Body, value: ir.Value, of: str) -> ir.Value:
    """Emits an array in another element type, as an op on numbers.

    IREE rejects `stablehlo.convert` of a reshaped array of open sizes: it reads its shape by the
    `shape` dialect.
    """
    return _pointwise(body, [value], of, lambda inside, numbers: cast(inside, numbers[0], of))


def pointwise_op(body: Body, op: ir.Operation) -> ir.Value:
    """Emits an elementwise op of StableHLO as one on numbers; scalars apply to all elements."""
    return pointwise(body, op, lambda inside, each: elementwise(inside, op, each))


def pointwise(
    body: Body, op: ir.Operation, emit: Callable[[Body, Sequence[Number]], Number]
) -> ir.Value:
    """Emits another elementwise function of an op's operands, with a result of the same type."""
    return _pointwise(body, op.operands, element(op.results[0]), emit)


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


# Replaces ops on single numbers: the conversions between two element types, and functions.


def rewrite_conversions(
    module: ir.Module, op: str, of: str, to: str, emit: Callable[[Body, Number], Number]
) -> None:
    """Rewrites the conversions from an element type to another by ops on scalars and vectors.

    A `stablehlo.convert` of an array becomes a `linalg.generic` around one first.
    """
    for convert in _conversions(module, "stablehlo.convert", of, to):
        replace(convert, pointwise_op(Body.before(convert), convert))
    rewrite_numbers(_conversions(module, op, of, to), emit)


def rewrite_numbers(ops: Iterable[ir.Operation], emit: Callable[[Body, Number], Number]) -> None:
    """Replaces ops on a scalar or a vector."""
    for op in ops:
        body = Body.before(op)
        replace(op, emit(body, as_number(body, op.operands[0])).value)


def as_number(body: Body, value: ir.Value) -> Number:
    """A scalar or a vector as a number."""
    kind = value.type
    lanes = kind.shape[0] if isinstance(kind, ir.VectorType) else 0
    return Number(body, value, element(value), lanes)


def conversions(module: ir.Module, op: str, of: str, to: str) -> list[ir.Operation]:
    """The conversions that `rewrite_conversions` rewrites, of arrays and of numbers."""
    return [
        convert
        for name in ("stablehlo.convert", op)
        for convert in _conversions(module, name, of, to)
    ]


def _conversions(module: ir.Module, name: str, of: str, to: str) -> list[ir.Operation]:
    """The ops of a name that convert from an element type to another.

    Those of StableHLO whose sizes are open are a user's, and not among them.
    """
    return [
        op
        for op in nested_ops(module.operation, name)
        if (element(op.operands[0]), element(op.results[0])) == (of, to)
        and (name != "stablehlo.convert" or is_static(*shape(op.results[0])))
    ]


# Globals of a module: values that it has from load time on.


def add_global(
    symbol: str, kind: ir.Type, at: ir.InsertionPoint, *, parameter: str | None = None
) -> None:
    """Adds a global, `parameter` in an archive; without a name, an initializer stores it."""
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(symbol),
        "sym_visibility": ir.StringAttr.get("private"),
        "type": ir.TypeAttr.get(kind),
    }
    if parameter is not None:
        names = f"{json.dumps(SCOPE)}::{json.dumps(parameter)}"
        attributes["initial_value"] = ir.Attribute.parse(f"#flow.parameter.named<{names}> : {kind}")
    ir.Operation.create("util.global", attributes=attributes, ip=at)


def load_global(
    symbol: str, kind: ir.Type, at: ir.InsertionPoint, location: ir.Location | None = None
) -> ir.Value:
    """Emits the value of a global."""
    attributes = {"global": ir.FlatSymbolRefAttr.get(symbol)}
    load = ir.Operation.create("util.global.load", [kind], [], attributes, ip=at, loc=location)
    return load.results[0]

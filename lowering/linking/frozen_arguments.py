"""Removes frozen arguments from the functions of a user's module, and adds them again.

They become functions without a body, as in a module of ops (`builder.module`): the compiled module
reads the values from an archive. Modules in C and JavaScript take them as arguments again, in the
form in which they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS
from rnn_compiler.lowering.codegen.executable import set_function_type
from rnn_compiler.lowering.linking.int8_arguments import Int8Arguments
from rnn_compiler.lowering.linking.types import type_of
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    end_of,
    ir,
    new_context,
    ops_of,
    symbols_in,
)
from rnn_compiler.schema.int8 import Matrix
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec

Frozen = Mapping[int, Mapping[str, TensorSpec]]
"""The parameters that replace each argument, by its number: several for a matrix in int8."""


def int8_matrices(
    text: str, linked: Iterable[FunctionSpec], functions: Iterable[FunctionSpec]
) -> dict[tuple[str, str], Matrix]:
    """The arguments of functions that are matrices of our ops, by function and name."""
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        reader = Int8Arguments(ir.Module.parse(text), linked)
        found = {
            (spec.function, each.name): reader.matrix(spec.function, number)
            for spec in functions
            for number, each in enumerate(spec.arguments)
        }
    return {key: matrix for key, matrix in found.items() if matrix is not None}


def without_arguments(
    text: str, linked: Iterable[FunctionSpec], frozen: Mapping[str, Frozen]
) -> tuple[str, list[FunctionSpec]]:
    """A module whose functions do not take some of their arguments, and our ops in it.

    InvalidArgumentError: another function of the module calls one of them.
    """
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.parse(text)
        called = {symbol for op in ops_of(module.body) for symbol in symbols_in(op)}
        ours = Int8Arguments(module, linked)
        symbols = ir.SymbolTable(module.operation)
        for symbol, parameters in frozen.items():
            if symbol in called:
                raise InvalidArgumentError(
                    *("freeze", symbol, "a function that no other function of the module calls"),
                    "one that is called",
                    "freeze the arguments of its caller",
                )
            _freeze(module, ours, symbols[symbol].operation, parameters)
        ours.remove_unused()
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True), list(ours.linked.values())


def with_arguments(text: str, functions: Iterable[FunctionSpec]) -> str:
    """A module whose functions take their frozen arguments again, after all others."""
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.parse(text)
        symbols = ir.SymbolTable(module.operation)
        for spec in functions:
            _thaw(symbols, spec)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)


def _thaw(symbols: ir.SymbolTable, spec: FunctionSpec) -> None:
    function = symbols[spec.function].operation
    block = block_of(function)
    calls = {
        ir.FlatSymbolRefAttr(op.attributes["callee"]).value: op
        for op in ops_of(block)
        if op.name == "func.call"
    }
    for each in spec.frozen:
        argument = block.add_argument(type_of(each), ir.Location.name(each.name))
        symbol = spec.parameter(each.name)
        if symbol in calls:  # not one of size 0, which is a constant
            calls[symbol].results[0].replace_all_uses_with(argument)
            calls[symbol].erase()
            symbols[symbol].operation.erase()
    if "arg_attrs" in function.attributes:
        rows = [*ir.ArrayAttr(function.attributes["arg_attrs"])]
        rows += [ir.DictAttr.get({})] * len(spec.frozen)
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(rows)
    set_function_type(function, [value.type for value in end_of(function).operands])


def _freeze(
    module: ir.Module, ours: Int8Arguments, function: ir.Operation, parameters: Frozen
) -> None:
    block = block_of(function)
    at = ir.InsertionPoint.at_block_begin(block)
    for number, parts in parameters.items():
        argument = block.arguments[number]
        values = [_value(module, name, type_of(each), at) for name, each in parts.items()]
        if len(values) == 1:
            argument.replace_all_uses_with(values[0])
        else:
            ours.split(argument, values)
    if "arg_attrs" in function.attributes:
        rows = list(ir.ArrayAttr(function.attributes["arg_attrs"]))
        kept = [row for number, row in enumerate(rows) if number not in parameters]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
    for number in sorted(parameters, reverse=True):
        block.erase_argument(number)
    set_function_type(function, [value.type for value in end_of(function).operands])


def _value(module: ir.Module, symbol: str, kind: ir.Type, at: ir.InsertionPoint) -> ir.Value:
    """Declares a function without a body, and emits a call of it."""
    if 0 in ir.RankedTensorType(kind).shape:
        attributes = {"value": ir.Attribute.parse(f"dense<> : {kind}")}
        return ir.Operation.create("stablehlo.constant", [kind], [], attributes, ip=at).results[0]
    with ir.InsertionPoint(module.body):
        declared = {
            "sym_name": ir.StringAttr.get(symbol),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [kind])),
            "sym_visibility": ir.StringAttr.get("private"),
        }
        ir.Operation.create("func.func", attributes=declared, regions=1)
    callee = {"callee": ir.FlatSymbolRefAttr.get(symbol)}
    return ir.Operation.create("func.call", [kind], [], callee, ip=at).results[0]

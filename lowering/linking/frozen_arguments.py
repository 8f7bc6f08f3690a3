"""Arguments of a user's functions that are matrices of our ops and can be stored in int8.

Such an argument is passed only to calls of our ops, directly or through private functions that are
called once, like those around the nodes of a network. In int8 it becomes several (`schema.int8`);
each function on the way takes these instead, after its other arguments, and the op is emitted
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS, EmittedOp, add_function
from rnn_compiler.lowering.codegen.executable import set_function_type, unused_symbol
from rnn_compiler.lowering.linking.calls import type_of
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    callee_of,
    end_of,
    ir,
    is_private,
    new_context,
    ops_of,
    symbol_of,
    symbols_in,
)
from rnn_compiler.lowering.ops import CALLED, whole_spec
from rnn_compiler.lowering.rewriting import edits
from rnn_compiler.schema.int8 import Matrix, stored
from rnn_compiler.schema.open_sizes import OPEN_DIMENSIONS
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, owner_of


class Int8Arguments:
    """The matrices among the arguments of a module's functions."""

    def __init__(self, module: ir.Module, linked: Iterable[FunctionSpec]) -> None:
        """Reads a module."""
        self._module = module
        self.linked = {spec.function: spec for spec in linked}
        self._whole = {symbol: whole_spec(spec) for symbol, spec in self.linked.items()}
        self._made: dict[tuple[str, int], str] = {}

    def matrix(self, symbol: str, number: int) -> Matrix | None:
        """The matrix of an op that an argument is; None for other arguments and for several kinds.

        If several ops use it, an op whose weight it is not, such as a gradient, takes precedence.
        """
        if symbol in self.linked:
            spec = self.linked[symbol]
            tensor = spec.arguments[number]
            return None if tensor.summed is None else Matrix(spec, tensor)
        found: list[Matrix | None] = []
        uses: Any = block_of(self._function(symbol)).arguments[number].uses
        for use in uses:
            callee = callee_of(use.owner) if use.owner.name == "func.call" else ""
            known = callee in self.linked or (callee and self._is_called_once(callee))
            found.append(self.matrix(callee, use.operand_number) if known else None)
        matrices = [each for each in found if each is not None]
        if len(matrices) < len(found):
            return None
        others = [each for each in matrices if each.tensor.name not in each.spec.weights]
        are_alike = len({*map(_kind, matrices)}) == 1
        return (others or matrices)[0] if others or are_alike else None

    def split(self, value: ir.Value, parts: Sequence[ir.Value]) -> None:
        """Passes a matrix in int8 in place of a value that calls take."""
        while uses := [*value.uses]:
            use: Any = uses[0]
            call, number = use.owner, use.operand_number
            callee = self._taking(callee_of(call), number, parts)
            operands = [each for k, each in enumerate(call.operands) if k != number]
            kinds = [each.type for each in call.results]
            edits.replace(call, *edits.call_before(call, callee, [*operands, *parts], kinds))

    def remove_unused(self) -> None:
        """Removes the functions of ops that are no longer called."""
        for symbol in [*self.linked]:
            if not self._users(symbol):
                del self.linked[symbol]
                for op in ops_of(self._module.body):
                    if owner_of(symbol_of(op)) == symbol:  # it or a part of it
                        op.erase()

    def _taking(self, symbol: str, number: int, parts: Sequence[ir.Value]) -> str:
        """The function that takes parts in place of an argument: a new or the changed one."""
        if symbol in self.linked:
            key = symbol, number
            if key not in self._made:
                self._made[key] = self._emitted(self.linked[symbol], number)
            return self._made[key]
        function = self._function(symbol)
        block = block_of(function)
        old = block.arguments[number]
        self.split(old, [block.add_argument(each.type, old.location) for each in parts])
        block.erase_argument(number)
        if "arg_attrs" in function.attributes:
            del function.attributes["arg_attrs"]
        set_function_type(function, [value.type for value in end_of(function).operands])
        return symbol

    def _emitted(self, spec: FunctionSpec, number: int) -> str:
        """Adds the function of an op with one matrix in int8."""
        symbol = unused_symbol(self._module.operation, f"{spec.function}_int8")
        whole = replace(self._whole[spec.function], function=symbol)
        gone = spec.arguments[number]
        others = [each for k, each in enumerate(spec.arguments) if k != number]
        small = replace(
            spec, function=symbol, arguments=(*others, *stored(Matrix(whole, gone), gone))
        )
        add_function(self._module, EmittedOp(small, whole, CALLED[spec.op].emit), private=True)
        self.linked[symbol], self._whole[symbol] = small, whole
        return symbol

    def _function(self, symbol: str) -> ir.Operation:
        return ir.SymbolTable(self._module.operation)[symbol].operation

    def _users(self, symbol: str) -> int:
        """The number of references to a function."""
        return sum(symbols_in(op).count(symbol) for op in ops_of(self._module.body))

    def _is_called_once(self, symbol: str) -> bool:
        """Whether a function is a private one of the user's, called in one place."""
        function = self._function(symbol)
        has_body = len(function.regions[0].blocks) == 1
        return is_private(function) and has_body and self._users(symbol) == 1


def _kind(matrix: Matrix) -> tuple[str, ...]:
    """The properties that determine how a matrix is stored."""
    spec, tensor = matrix
    sizes = {key: size for key, size in spec.dims.items() if key not in OPEN_DIMENSIONS}
    return spec.op, tensor.name, str(sizes), str(spec.attributes)


# Removes frozen arguments from the functions of a user's module, and adds them again.
#
# They become functions without a body, as in a module of ops (`builder.module`): the compiled
# module reads the values from an archive. Modules in C and JavaScript take them as arguments
# again, in the form in which they are stored.

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
            edits.replace(calls[symbol], argument)
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

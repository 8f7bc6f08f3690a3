"""Takes frozen arguments out of the functions of a user's module.

They become functions without a body, as in a module of ops (`builder.module`): the compiled module
reads the values from an archive.
"""

from __future__ import annotations

from collections.abc import Mapping

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS
from rnn_compiler.lowering.codegen.function import set_function_type
from rnn_compiler.lowering.mlir import block_of, end_of, ir, new_context, ops_of, symbols_in

__all__ = ["without_arguments"]


def without_arguments(text: str, frozen: Mapping[str, Mapping[int, str]]) -> str:
    """A module whose functions do not take some of their arguments.

    Args:
        text: Its text, with locations.
        frozen: By symbol of a function, the numbers of arguments and the parameters that replace
            them.

    Returns:
        The text, with locations.

    Raises:
        InvalidArgumentError: Another function of the module calls one of them.
    """
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.parse(text)
        called = {symbol for op in ops_of(module.body) for symbol in symbols_in(op)}
        symbols = ir.SymbolTable(module.operation)
        for symbol, parameters in frozen.items():
            if symbol in called:
                raise InvalidArgumentError(
                    *("freeze", symbol, "a function that no other function of the module calls"),
                    "one that is called",
                    "freeze the arguments of its caller",
                )
            _freeze(module, symbols[symbol].operation, parameters)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)


def _freeze(module: ir.Module, function: ir.Operation, parameters: Mapping[int, str]) -> None:
    block = block_of(function)
    at = ir.InsertionPoint.at_block_begin(block)
    for number, parameter in parameters.items():
        argument = block.arguments[number]
        argument.replace_all_uses_with(_value(module, parameter, argument.type, at))
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

"""The calls of our ops in a user's module.

    stablehlo.custom_call @rnn_compiler.OP(...)      attributes in its `mhlo.backend_config` or
                                                     `backend_config`
    func.func private @rnn_compiler.OP(...)          a declaration, without a body; attributes there
                                                     too, or its own

The op's name is TensorFlow's or its snake_case; something may follow it after a dot or underscore,
so that one op can be declared at several sizes. A config is a dictionary, or a string of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, symbol_of
from rnn_compiler.lowering.ops import OPS, find_op

PREFIX = "rnn_compiler."
"""The prefix of the names of calls."""

_CONFIGS = ("backend_config", "mhlo.backend_config")

_OF_FUNCTIONS = ("sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs")

AttributeValue = bool | int | float | str


@dataclass(frozen=True)
class Call:
    """A custom call, or a declaration.

    Attributes:
        op: TensorFlow's name of the op.
        attributes: Its attributes as the module states them.
        operation: The custom call, or the function without a body.
    """

    op: str
    attributes: Mapping[str, AttributeValue]
    operation: ir.Operation
    operands: Sequence[ir.Type]
    results: Sequence[ir.Type]

    @property
    def is_declaration(self) -> bool:
        """Whether it is a function without a body."""
        return self.operation.name == "func.func"

    def constant(self, number: int) -> int | None:
        """The value of a constant integer scalar; None for other operands."""
        if self.is_declaration:
            return None
        value = self.operation.operands[number]
        if isinstance(value.owner, ir.Block) or value.owner.operation.name != "stablehlo.constant":
            return None
        dense = ir.DenseElementsAttr(value.owner.operation.attributes["value"])
        number_of = dense.get_splat_value() if dense.is_splat else None
        return None if number_of is None else _plain(number_of)  # type: ignore[return-value]


def find_calls(module: ir.Module) -> list[Call]:
    """All calls of a module, in order."""
    ops = nested_ops(module.operation, "stablehlo.custom_call", "func.func")
    return [_call(_target(op), op) for op in ops if _target(op).startswith(PREFIX)]


def _target(op: ir.Operation) -> str:
    """The name of a custom call or of a function without a body; empty for other ops."""
    if op.name == "stablehlo.custom_call":
        return ir.StringAttr(op.attributes["call_target_name"]).value
    if op.name == "func.func" and not len(op.regions[0].blocks):
        return symbol_of(op)
    return ""


def _call(name: str, op: ir.Operation) -> Call:
    found = _op_of(name)
    attributes: dict[str, AttributeValue] = {}
    for key in _CONFIGS:
        if key in op.attributes:
            attributes |= _config(found, op.attributes[key])
    if op.name == "func.func":
        for key in op.attributes:
            if "." not in key and key not in (*_OF_FUNCTIONS, *_CONFIGS):
                attributes[key] = _value(found, key, op.attributes[key])
        kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
        return Call(found, attributes, op, kind.inputs, kind.results)
    operands, results = ([value.type for value in values] for values in (op.operands, op.results))
    return Call(found, attributes, op, operands, results)


def _op_of(name: str) -> str:
    """The op of a call's name."""
    family, dot, rest = name.removeprefix(PREFIX).partition(".")
    asked = f"onnx.{rest.partition('.')[0]}" if (family, dot) == ("onnx", ".") else family
    plain = asked.partition("_")[0]
    return plain if plain in OPS else find_op(asked, "link")


def _config(op: str, config: ir.Attribute) -> dict[str, AttributeValue]:
    """The attributes in a config."""
    try:
        rows = ir.DictAttr(config)
    except ValueError:
        return _json_config(op, config)
    return {row.name: _value(op, row.name, row.attr) for row in rows}


def _json_config(op: str, config: ir.Attribute) -> dict[str, AttributeValue]:
    expected = "a dictionary of attributes, or JSON of one"
    try:
        text = ir.StringAttr(config).value
        data: Any = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        got = describe(str(config))
        raise InvalidArgumentError(op, "backend_config", expected, got) from error
    if not isinstance(data, dict):
        raise InvalidArgumentError(op, "backend_config", expected, describe(text))
    rows = cast(dict[str, Any], data)
    for name, value in rows.items():
        if isinstance(value, list) and _is_list(op, name):
            rows[name] = _list(cast(list[Any], value))
        if not isinstance(rows[name], AttributeValue):
            raise _no_value(op, name, describe(cast(object, value)))
    return rows


def _is_list(op: str, name: str) -> bool:
    """Whether an attribute of an op is a list."""
    attributes = OPS[op].signature.attributes
    return any(each.name == name and each.elements is not None for each in attributes)


def _list(elements: Sequence[Any]) -> str | None:
    """The strings or numbers of an array attribute; None if it has other elements."""
    if not all(isinstance(each, (str, int, float)) for each in elements):
        return None
    return " ".join(map(str, elements))


def _value(op: str, name: str, attribute: ir.Attribute) -> AttributeValue:
    value = _plain(attribute)
    if isinstance(attribute, ir.ArrayAttr) and _is_list(op, name):
        value = _list([_plain(each) for each in attribute])
    if value is None:
        raise _no_value(op, name, describe(str(attribute)))
    return value


def _no_value(op: str, name: str, got: str) -> InvalidArgumentError:
    return InvalidArgumentError(op, name, "a truth value, a number or a string", got)


def _plain(attribute: ir.Attribute) -> AttributeValue | None:
    """The value of an attribute in Python; None if it has none."""
    for kind in (ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr, ir.StringAttr):
        try:
            return kind(attribute).value
        except ValueError:
            continue
    return None

"""The calls of our ops in a user's module, and the op of each at the call's sizes.

    stablehlo.custom_call @rnn_compiler.OP(...)      attributes in its `mhlo.backend_config` or
                                                     `backend_config`
    func.func private @rnn_compiler.OP(...)          a declaration, without a body; attributes there
                                                     too, or its own

The op's name is TensorFlow's or its snake_case; something may follow it after a dot or
underscore, so that one op can be declared at several sizes. A config is a dictionary, or a
string of JSON.

An op takes its tensors in TensorFlow's order. Trailing ones with a default, such as seeds, may
be omitted. Integers may have 32 or 64 bits, whichever the op has. If sizes are the values of
scalars (as for CudnnRNN's parameters), these must be constants, or attributes named after the
dimensions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, shape_of, sizes_in_mlir, symbol_of
from rnn_compiler.lowering.ops import CALLED, find_op
from rnn_compiler.schema.attributes import REQUIRED
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.open_sizes import Open, Size, is_static, product, shown
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.schema.tensors import DIMENSIONS

# Types of a user's module in the terms of this package: the name of a dtype, and sizes.


class TensorType(NamedTuple):
    """The type of a tensor."""

    dtype: str
    shape: tuple[Size, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(shown, self.shape))}]"


def is_integer(dtype: str) -> bool:
    """Whether a dtype is one of those of lengths, seeds and sizes."""
    return dtype in ("int32", "int64")


def tensor_of(kind: ir.Type, op: str, name: str, *, is_open: bool = False) -> TensorType:
    """Reads a type; open sizes, if they may be, have no names (`UNNAMED`)."""
    try:
        ranked = ir.RankedTensorType(kind)
        element, shape = ELEMENTS[str(ranked.element_type)], shape_of(ranked)
    except (ValueError, KeyError) as error:
        expected = f"a tensor of {', '.join(ELEMENTS)}"
        raise InvalidArgumentError(op, name, expected, str(kind)) from error
    if not is_open and not is_static(*shape):
        raise InvalidArgumentError(op, name, "a tensor of static sizes", str(kind))
    return TensorType(element.name, shape)


def type_of(spec: TensorSpec) -> ir.Type:
    """The type of a tensor."""
    of = ir.Type.parse(DTYPES[spec.dtype].mlir)
    return ir.RankedTensorType.get(sizes_in_mlir(spec.shape), of)


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
    return plain if plain in CALLED else find_op(asked, "link")


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
    attributes = CALLED[op].signature.attributes
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


def instance_of(call: Call, *, is_open: bool = False) -> FunctionSpec:
    """The op of a call, at the call's sizes."""
    signature = CALLED[call.op].signature
    given = dict(call.attributes)
    dims: dict[str, Any] = {name: given.pop(name) for name in signature.dimensions if name in given}
    _check_attributes(signature, given)
    operands = [
        tensor_of(kind, call.op, f"operand {k}", is_open=is_open)
        for k, kind in enumerate(call.operands)
    ]
    dtype = _dtype(signature, given, operands)
    form = signature.form(signature.canonical(given, dtype))
    scalars = [each for each in form.arguments if not each.is_list]
    named = dict(zip((each.name for each in scalars), operands, strict=False))
    found = _inferred(form, {name: each.shape for name, each in named.items()})
    for number, argument in enumerate(form.arguments):
        if argument.equals is not None:
            dim = DIMENSIONS[argument.equals]
            found[dim] = dims.get(dim, call.constant(number) if number < len(operands) else None)
            if found[dim] is None:
                raise InvalidArgumentError(
                    call.op, argument.name, "a constant", "a value that is not known here",
                    f"or give {dim} as an attribute",
                )  # fmt: skip
    for dim, size in dims.items():
        if found.get(dim) != size:
            raise InvalidArgumentError(
                call.op, dim, f"{found.get(dim)}, as its tensors say", repr(size)
            )
    spec = form.specialize(dtype=dtype, dims=found, attributes=given)
    _check_operands(spec, operands)
    _check_results(spec, call.results)
    return spec


def _inferred(form: Signature, shapes: Mapping[str, Sequence[Size]]) -> dict[str, Any]:
    """The dimensions of an op, determined by the shapes of operands; None for open ones."""
    known = {
        name: [size if isinstance(size, int) else 1 for size in shape]
        for name, shape in shapes.items()
    }
    found: dict[str, Any] = form.infer(known)
    for dim, axes in form.defining_axes.items():
        if any(isinstance(shapes[name][axis], Open) for name, axis in axes if name in shapes):
            found[dim] = None
    return found


def _check_attributes(signature: Signature, given: Mapping[str, object]) -> None:
    implied = (attribute for attribute in signature.attributes if attribute.is_implied)
    known = {attribute.name: attribute for attribute in (*signature.call_attributes, *implied)}
    for name in given:
        if name not in known:
            names = ", ".join((*known, *signature.dimensions))
            raise InvalidArgumentError(
                signature.name, name, f"an attribute of the op ({names})", "no such one",
                did_you_mean(name, known),
            )  # fmt: skip
    for name, attribute in known.items():
        if attribute.default is REQUIRED and name not in given:
            raise InvalidArgumentError(
                signature.name, name, "a value, as the op has no default", "none",
                f"give it in the call's backend_config, {name} = ...",
            )  # fmt: skip


def _dtype(signature: Signature, given: dict[str, Any], operands: Sequence[TensorType]) -> str:
    """The op's dtype: attribute T, or else the dtype of the first operand of that type."""
    attribute = signature.dtype_attribute
    if attribute is not None:
        return str(attribute.canonical(signature.name, given.pop("T"), "float32"))
    number, argument = next((k, a) for k, a in enumerate(signature.arguments) if a.dtype is None)
    expected = f"a tensor of {' or '.join(signature.dtypes)}"
    if number >= len(operands):
        got = f"a call with {len(operands)} operands"
        raise InvalidArgumentError(signature.name, argument.name, expected, got)
    if operands[number].dtype not in signature.dtypes:
        got = str(operands[number])
        raise InvalidArgumentError(signature.name, argument.name, expected, got)
    return operands[number].dtype


def _check_operands(spec: FunctionSpec, operands: Sequence[TensorType]) -> None:
    required = len(spec.arguments)
    while required and spec.arguments[required - 1].default is not None:
        required -= 1
    if not required <= len(operands) <= len(spec.arguments):
        names = ", ".join(argument.name for argument in spec.arguments)
        some = "" if required == len(spec.arguments) else f"{required} to "
        raise InvalidArgumentError(
            spec.op, "operands", f"{some}{len(spec.arguments)} ({names})", f"{len(operands)}"
        )
    for argument, operand in zip(spec.arguments, operands, strict=False):
        if not _fits(argument, operand):
            shape = f", {argument.formula}" if argument.shape and argument.formula else ""
            raise InvalidArgumentError(spec.op, argument.name, f"{argument}{shape}", str(operand))


def _check_results(spec: FunctionSpec, kinds: Sequence[ir.Type]) -> None:
    names = ", ".join(result.name for result in spec.results)
    if len(kinds) != len(spec.results):
        expected = f"all {len(spec.results)} ({names})"
        raise InvalidArgumentError(spec.op, "results", expected, f"{len(kinds)}")
    for result, kind in zip(spec.results, kinds, strict=True):
        given = tensor_of(kind, spec.op, result.name, is_open=bool(spec.open_dims))
        if not _fits(replace(result, ignored=False, any_shape=False), given):
            shape = f", {result.formula}" if result.shape and result.formula else ""
            raise InvalidArgumentError(spec.op, result.name, f"{result}{shape}", str(given))


def _fits(spec: TensorSpec, tensor: TensorType) -> bool:
    """Whether a tensor has the expected type, or can be converted to it without loss."""
    if spec.dtype != tensor.dtype and not (is_integer(spec.dtype) and is_integer(tensor.dtype)):
        return False
    if spec.any_shape and is_static(*spec.shape, *tensor.shape):
        return product(spec.shape) == product(tensor.shape)
    return spec.ignored or [*map(shown, spec.shape)] == [*map(shown, tensor.shape)]

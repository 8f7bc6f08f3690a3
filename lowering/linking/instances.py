"""Finds the op at a call's sizes, from types as `raw_ops` does from arrays.

An op takes its tensors in TensorFlow's order. Trailing ones with a default, such as seeds, may be
omitted. Integers may have 32 or 64 bits, whichever the op has. If sizes are the values of scalars
(as for CudnnRNN's parameters), these must be constants, or attributes named after the dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, did_you_mean
from rnn_compiler.lowering.linking.calls import Call
from rnn_compiler.lowering.linking.types import Tensor, is_integer, tensor_of
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.schema.attributes import REQUIRED
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.open_sizes import Open, Size, is_static, product, shown
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import DIMENSIONS


def instance_of(call: Call, *, is_open: bool = False) -> FunctionSpec:
    """The op of a call, at the call's sizes."""
    signature = OPS[call.op].signature
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


def _dtype(signature: Signature, given: dict[str, Any], operands: Sequence[Tensor]) -> str:
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


def _check_operands(spec: FunctionSpec, operands: Sequence[Tensor]) -> None:
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


def _fits(spec: TensorSpec, tensor: Tensor) -> bool:
    """Whether a tensor has the expected type, or can be converted to it without loss."""
    if spec.dtype != tensor.dtype and not (is_integer(spec.dtype) and is_integer(tensor.dtype)):
        return False
    if spec.any_shape and is_static(*spec.shape, *tensor.shape):
        return product(spec.shape) == product(tensor.shape)
    return spec.ignored or [*map(shown, spec.shape)] == [*map(shown, tensor.shape)]

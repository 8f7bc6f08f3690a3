"""The ops as custom ops of torch: ``torch.ops.rnn_compiler.block_lstm_v2`` and the others.

Each is a single node for torch.export and torch.compile; a fake kernel tells them the shapes.
Tensors come first, attributes are keywords. Gradient ops also take the names of the wanted results
and return only those.

`rnn_compiler.schema.signatures` relates ops and their gradient ops. Second derivatives, where
supported, come from `formulas`.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch._C._functorch import unwrap_if_dead  # pyright: ignore

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.ops import GRADIENTS, OPS
from rnn_compiler.schema.cudnn_layout import Block
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.torch.attributes import Attributes, attributes_of
from rnn_compiler.torch.calls import (
    KINDS,
    call,
    call_gradient,
    check_devices,
    dtype_name,
    prepared,
    tensors_of,
)
from rnn_compiler.torch.formulas import HAS_FORMULA, second_derivatives
from rnn_compiler.torch.op_gradients import OpGradient
from rnn_compiler.torch.own_thread import new_zeros
from rnn_compiler.torch.parameters import joined, parts_of

_NAMESPACE = "rnn_compiler"
_TYPES = {bool: "bool", int: "int", float: "float", str: "str"}


def _register() -> Any:
    """Registers all ops that compute; returns the library that keeps them registered."""
    library = torch.library.Library(_NAMESPACE, "FRAGMENT")
    for op, gradient in GRADIENTS.items():
        _define(library, op, is_gradient=False)
        _connect(library, op)
        for each in gradient.ops:
            _define(library, each, is_gradient=True)
            _refuse(library, each)
    return library


def _define(library: Any, op: str, *, is_gradient: bool) -> None:
    """Defines an op, with its kernel for any device and its fake kernel."""
    signature = OPS[op].signature
    names = attributes_of(op)
    types = {each.name: _TYPES[each.type] for each in signature.attributes}
    tensors = [f"Tensor{'?' * optional} {name}" for name, optional in tensors_of(op).items()]
    keywords = [f"{types[name]} {name}" for name in names]
    keywords += ["str[] outputs"] * is_gradient
    count = len(signature.in_training.results)
    results = ["Tensor"] * count
    given = "Tensor[]" if is_gradient else f"({', '.join(results)})"
    star = ["*"] * bool(keywords)
    library.define(f"{signature.function}({', '.join([*tensors, *star, *keywords])}) -> {given}")

    def run(*given: Any, outputs: Sequence[str] | None = None, **attributes: Any) -> Any:
        wanted = None if outputs is None else tuple(outputs)
        values = call(op, given, tuple(attributes.items()), wanted)
        return filled(values) if outputs is None else values

    def fake(*given: Any, outputs: Sequence[str] | None = None, **attributes: Any) -> Any:
        check_devices(op, [None if each is None else each.device for each in given])
        shapes = _result_shapes(signature, given, attributes)
        first = next(each for each in given if each is not None and each.is_floating_point())
        values = [
            first.new_empty(shape, dtype=dtype)
            for name, (shape, dtype) in shapes.items()
            if outputs is None or name in outputs
        ]
        return filled(values) if outputs is None else values

    def filled(values: Sequence[Any]) -> tuple[Any, ...]:
        """The results, with empty tensors in place of those that only a gradient needs."""
        nothing = [values[0].new_empty(0) for _ in range(count - len(values))]
        return (*values, *nothing)

    for device in KINDS:
        library.impl(signature.function, run, device.upper())
    torch.library.register_fake(f"{_NAMESPACE}::{signature.function}", fake, lib=library)


def _result_shapes(
    signature: Signature, given: Sequence[Any], attributes: Mapping[str, Any]
) -> dict[str, tuple[tuple[Any, ...], Any]]:
    """The shape and dtype of each result; sizes may be torch's symbols."""
    names = [*tensors_of(signature.name)]
    tensors = {name: each for name, each in zip(names, given, strict=True) if each is not None}
    form = signature.form(attributes)
    known: dict[str, Any] = dict(attributes)
    for dim, axes in form.defining_axes.items():
        name, axis = next((index for index in axes if index[0] in tensors), axes[0])
        tensor = next(each for each in form.arguments if each.name == name)
        factor, _ = tensor.sizes[axis].multiple or (1, dim)
        known[dim] = tensors[name].shape[axis] // factor
    if signature.derived is not None:
        known |= signature.derived(signature.name, known)
    first = next(each.name for each in form.arguments if each.dtype is None)
    dtype = dtype_name(tensors[first].dtype)
    specs = [spec for each in form.results for spec in each.specialize(dtype, known)]
    return {spec.name: (spec.shape, getattr(torch, spec.dtype)) for spec in specs}


class TensorParts(NamedTuple):
    """Tensors that together make up an argument, and receive its gradient.

    Attributes:
        name: The argument, which shares their memory and has no gradient itself.
        tensors: The parts.
        blocks: The position of each.
    """

    name: str
    tensors: Sequence[Any]
    blocks: Sequence[Block]


class _Applied(NamedTuple):
    """A call of an op except tensors, as one object because torch inspects each passed value."""

    op: str
    attributes: Attributes
    parts: TensorParts | None


class _Eager(torch.autograd.Function):
    """An op with its gradient, bypassing torch's dispatcher.

    Including the parts of an argument, it is one node of torch's graph; two would take 20 us more.
    """

    @staticmethod
    def forward(ctx: Any, call: _Applied, *tensors: Any) -> Any:
        op, attributes, parts = call
        op_gradient = _OP_GRADIENTS[op]
        count = len(op_gradient.names)
        given = tensors[:count]
        forward = prepared(op, given, attributes)
        own = forward.ready(given)  # so that the gradient need not copy them again
        results = tuple(forward.run(own))
        op_gradient.keep(ctx, own, attributes, results, tensors[count:], given)
        ctx.op_gradient, ctx.parts, ctx.forward = op_gradient, parts, forward
        return results

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        op_gradient, parts, needed = ctx.op_gradient, ctx.parts, ctx.needs_input_grad[1:]
        run, zeros = _run_gradient, torch.Tensor.new_zeros
        plain = is_eager(cotangents) and not (torch.is_grad_enabled() or is_transformed())
        kept = None
        if plain:
            run, zeros = functools.partial(call_gradient, ctx.forward), new_zeros
        else:
            kept = _connected(ctx, op_gradient, parts)
        if parts is None:
            found = op_gradient.gradients(ctx, cotangents, needed, run, zeros, kept)
            return None, *found
        count, index = len(op_gradient.names), op_gradient.names.index(parts.name)
        own = (*needed[:index], any(needed[count:]), *needed[index + 1 : count])
        found = op_gradient.gradients(ctx, cotangents, own, run, zeros, kept)
        whole = found[index]
        if whole is None:
            return None, *found, *[None] * len(parts.blocks)
        if plain:
            return None, *found, *parts_of(whole, parts.blocks)
        pieces = [whole.as_strided(each.shape, each.strides, each.offset) for each in parts.blocks]
        return None, *found, *pieces


_apply: Any = super(torch.autograd.Function, _Eager).apply  # pyright: ignore
"""Torch's own ``apply`` does the same after 5 us of Python, which looks for transformations and for
leftover tensors of these, as `run` does."""


def _connected(ctx: Any, op_gradient: OpGradient, parts: TensorParts | None) -> list[Any]:
    """The saved tensors of a call, connected so that second derivatives reach their sources."""
    kept, given = op_gradient.as_given(ctx)
    if parts is not None:
        index = op_gradient.index(parts.name)
        weights = {str(k): each for k, each in enumerate(given)}
        blocks = {str(k): each for k, each in enumerate(parts.blocks)}
        kept[index] = joined(parts.name, weights, blocks, kept[index].numel())
    return kept


class _Functional(torch.autograd.Function):
    """The op and its gradient for torch.func, in a form that takes 20 us longer in torch 2.13."""

    @staticmethod
    def forward(op: str, attributes: Attributes, *tensors: Any) -> Any:
        return tuple(call(op, tensors, attributes))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        op, attributes, *tensors = inputs
        ctx.op_gradient = _OP_GRADIENTS[op]
        ctx.op_gradient.keep(ctx, tensors, attributes, output)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        needed = ctx.needs_input_grad[2:]
        return None, None, *ctx.op_gradient.gradients(ctx, cotangents, needed, _run_gradient)


class _EagerGradient(torch.autograd.Function):
    """A gradient op, whose own gradient comes from a formula, if there is one."""

    @staticmethod
    def forward(op: str, attributes: Attributes, outputs: tuple[str, ...], *tensors: Any) -> Any:
        return tuple(call(op, tensors, attributes, outputs))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.op, ctx.attributes, ctx.outputs, *tensors = inputs
        if ctx.op in HAS_FORMULA:
            ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        if ctx.op not in HAS_FORMULA:
            raise no_second_derivatives(ctx.op)
        names = tensors_of(ctx.op)
        tensors = dict(zip(names, ctx.saved_tensors, strict=True))
        found = second_derivatives(tensors, ctx.attributes, ctx.outputs, cotangents)
        return None, None, None, *map(found.get, names)


_PLAIN = frozenset({torch.Tensor, torch.nn.Parameter, type(None)})


def is_traced() -> bool:
    """Whether torch is tracing."""
    return bool(
        torch.compiler.is_compiling()
        or torch.jit.is_tracing()  # pyright: ignore
        or torch._C._len_torch_dispatch_stack()  # pyright: ignore
    )


def is_transformed() -> bool:
    """Whether a torch.func transformation is active."""
    return torch._C._are_functorch_transforms_active()  # pyright: ignore


def is_eager(tensors: Sequence[Any]) -> bool:
    """Whether these are ordinary tensors, to be computed with now.

    They are on one device, or are rejected later.
    """
    if is_traced() or not _PLAIN.issuperset(map(type, tensors)):
        return False
    return not next((each.is_meta for each in tensors if each is not None), False)


def run(
    op: str, tensors: Sequence[Any], attributes: Attributes, parts: TensorParts | None = None
) -> Sequence[Any]:
    """Runs an op that has a gradient.

    In eager mode this is about 30 us faster than the custom op, and does the same.
    """
    if parts is None and not is_eager(tensors):
        if torch.jit.is_tracing():  # pyright: ignore
            raise UnsupportedError(f"{op}: torch.jit.trace is not supported: use torch.export")
        return CUSTOM_OPS[op](*tensors, **dict(attributes))
    training = GRADIENTS[op].training
    if training and not dict(attributes)[training]:  # no gradient may be taken
        return call(op, tensors, attributes)
    if parts is None and is_transformed():
        return _Functional.apply(op, attributes, *tensors)
    if torch.is_grad_enabled():
        given = [unwrap_if_dead(each) if each is not None else None for each in tensors]
        return _apply(_Applied(op, attributes, parts), *given, *(parts.tensors if parts else ()))
    return call(op, tensors, attributes)


def _run_gradient(
    op: str, tensors: Sequence[Any], attributes: Attributes, outputs: tuple[str, ...]
) -> Any:
    """Runs a gradient op."""
    if not is_eager(tensors):
        return CUSTOM_OPS[op](*tensors, **dict(attributes), outputs=[*outputs])
    if torch.is_grad_enabled() or is_transformed():
        return _EagerGradient.apply(op, attributes, outputs, *tensors)
    return call(op, tensors, attributes, outputs)


_OP_GRADIENTS = {op: OpGradient(op) for op in GRADIENTS}


def _connect(library: Any, op: str) -> None:
    """Registers the gradient of an op."""
    op_gradient = _OP_GRADIENTS[op]

    def setup_context(
        ctx: Any, inputs: Any, output: Any, keyword_only_inputs: Mapping[str, Any] | None = None
    ) -> None:  # torch omits the last one for an op without keywords
        op_gradient.keep(ctx, inputs, tuple((keyword_only_inputs or {}).items()), output)

    def backward(ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        needed = tuple(ctx.needs_input_grad)
        return op_gradient.gradients(ctx, cotangents, needed, _run_gradient)

    name = f"{_NAMESPACE}::{OPS[op].signature.function}"
    torch.library.register_autograd(name, backward, setup_context=setup_context, lib=library)


def no_second_derivatives(op: str) -> UnsupportedError:
    """The error for asking for the gradient of a gradient op."""
    return UnsupportedError(
        f"{op} has no gradient: create_graph=True and torch.autograd.gradgradcheck need second "
        "derivatives, which only the layers and CudnnRNN ops of rnn_compiler.torch have, and not "
        "while torch traces"
    )


def _refuse(library: Any, op: str) -> None:
    """Registers that a gradient op has no gradient."""

    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise no_second_derivatives(op)

    torch.library.register_autograd(
        f"{_NAMESPACE}::{OPS[op].signature.function}", backward, lib=library
    )


LIBRARY = _register()
"""Keeps the ops registered while this module is loaded."""

CUSTOM_OPS: dict[str, Any] = {
    name: getattr(torch.ops.rnn_compiler, OPS[name].signature.function).default
    for op, gradient in GRADIENTS.items()
    for name in (op, *gradient.ops)
}
"""The custom ops by TensorFlow's names."""

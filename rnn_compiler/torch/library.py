"""The ops as custom ops of torch: ``torch.ops.rnn_compiler.block_lstm_v2`` and the others.

Each is one node to torch.export and torch.compile, whatever it does inside; a fake kernel tells
them the shapes. Tensors come first, attributes are keywords. Gradient ops also take the names of
the results that are wanted, and give just these.

How ops and gradient ops belong together is in `rnn_compiler.schema.gradients`. There are no second
derivatives.
"""

# What torch has is typed in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.schema.cudnn_layout import Block
from rnn_compiler.schema.gradients import GRADIENTS, Gradient
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.torch.calls import call, check_devices, dtype_name, tensors_of

__all__ = ["CUSTOM_OPS", "LIBRARY", "Parts", "attributes_of", "is_eager", "is_transformed", "run"]

_NAMESPACE = "rnn_compiler"
_TYPES = {bool: "bool", int: "int", float: "float", str: "str"}


def _register() -> Any:
    """Registers all ops that compute, and gives the library that keeps them registered."""
    library = torch.library.Library(_NAMESPACE, "FRAGMENT")
    for op, gradient in GRADIENTS.items():
        _define(library, op, is_gradient=False)
        _connect(library, op)
        for each in gradient.ops:
            _define(library, each, is_gradient=True)
            _refuse(library, each)
    return library


def attributes_of(op: str) -> tuple[str, ...]:
    """The attributes that are compiled in."""
    attributes = OPS[op].signature.attributes
    return tuple(each.name for each in attributes if not (each.at_run_time or each.of_build))


def _define(library: Any, op: str, *, is_gradient: bool) -> None:
    """Defines an op, with its kernel for any device and its fake kernel."""
    signature = OPS[op].signature
    names = attributes_of(op)
    types = {each.name: _TYPES[each.type] for each in signature.attributes}
    tensors = [f"Tensor{'?' * optional} {name}" for name, optional in tensors_of(op).items()]
    keywords = [f"{types[name]} {name}" for name in names]
    keywords += ["str[] outputs"] * is_gradient
    results = ["Tensor"] * len(signature.results)
    given = "Tensor[]" if is_gradient else f"({', '.join(results)})"
    star = ["*"] * bool(keywords)
    library.define(f"{signature.function}({', '.join([*tensors, *star, *keywords])}) -> {given}")

    def run(*given: Any, outputs: Sequence[str] | None = None, **attributes: Any) -> Any:
        wanted = None if outputs is None else tuple(outputs)
        values = call(op, given, tuple(attributes.items()), wanted)
        return tuple(values) if outputs is None else values

    def fake(*given: Any, outputs: Sequence[str] | None = None, **attributes: Any) -> Any:
        check_devices(op, given)
        shapes = _result_shapes(signature, given, attributes)
        first = next(each for each in given if each is not None and each.is_floating_point())
        values = [
            first.new_empty(shape, dtype=dtype)
            for name, (shape, dtype) in shapes.items()
            if outputs is None or name in outputs
        ]
        return tuple(values) if outputs is None else values

    for key in ("CPU", "CUDA"):
        library.impl(signature.function, run, key)
    torch.library.register_fake(f"{_NAMESPACE}::{signature.function}", fake, lib=library)


def _result_shapes(
    signature: Signature, given: Sequence[Any], attributes: Mapping[str, Any]
) -> dict[str, tuple[tuple[Any, ...], Any]]:
    """Shape and dtype of each result; sizes may be torch's symbols."""
    names = [*tensors_of(signature.name)]
    tensors = {name: each for name, each in zip(names, given, strict=True) if each is not None}
    form = signature.form(attributes)
    known: dict[str, Any] = dict(attributes)
    for dim, places in form.defining_axes.items():
        name, axis = next((place for place in places if place[0] in tensors), places[0])
        tensor = next(each for each in form.arguments if each.name == name)
        factor, _ = tensor.sizes[axis].multiple or (1, dim)
        known[dim] = tensors[name].shape[axis] // factor
    if signature.derived is not None:
        known |= signature.derived(signature.name, known)
    first = next(each.name for each in form.arguments if each.dtype is None)
    dtype = dtype_name(tensors[first].dtype)
    specs = [spec for each in form.results for spec in each.specialize(dtype, known)]
    return {spec.name: (spec.shape, getattr(torch, spec.dtype)) for spec in specs}


class _Connection:
    """How torch's autograd finds the gradient of an op."""

    def __init__(self, op: str, gradient: Gradient) -> None:
        self.op = op
        self.cotangents = gradient.cotangents
        self.gradients = {each: name for name, each in gradient.gradients.items()}
        self.names = [*tensors_of(op)]
        self.results = [each.name for each in OPS[op].signature.results]
        self.fixed = [name for name in self.results if name not in gradient.results]
        self.saved = gradient.saved(OPS[each].signature for each in gradient.ops)

    def setup_context(
        self,
        ctx: Any,
        inputs: Sequence[Any],
        keyword_only_inputs: Any,
        output: Sequence[Any],
        parts: Sequence[Any] = (),
    ) -> None:
        """Keeps what the gradient takes, and sees that parts do not change meanwhile."""
        known = dict(zip(self.names, inputs, strict=True))
        known |= dict(zip(self.results, output, strict=True))
        ctx.save_for_backward(*[known[name] for name in self.saved], *parts)
        ctx.mark_non_differentiable(*[known[name] for name in self.fixed])
        ctx.set_materialize_grads(False)  # of all results, the reserve space too
        ctx.shapes = {name: known[name].shape for name in self.cotangents.values()}
        ctx.attributes = keyword_only_inputs

    def backward(self, ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        """The gradients of the tensors, None for those that nobody needs."""
        return self.gradients_of(ctx, cotangents, ctx.needs_input_grad[-len(self.names) :])

    def gradients_of(
        self, ctx: Any, cotangents: Sequence[Any], needed: Sequence[bool]
    ) -> tuple[Any, ...]:
        """The gradients of those of the tensors that are needed, None for the others."""
        known: dict[str, Any] = dict(zip(self.saved, ctx.saved_tensors, strict=False))
        arrived = dict(zip(self.results, cotangents, strict=True))
        first = next((each for each in cotangents if each is not None), None)
        if first is None:
            return (None,) * len(self.names)
        for name, result in self.cotangents.items():
            known[name] = arrived[result]
            if known[name] is None:
                known[name] = first.new_zeros(ctx.shapes[result])
        found = [
            self.gradients.get(name) if needs else None
            for name, needs in zip(self.names, needed, strict=True)
        ]
        for step in _steps(self.op, frozenset(filter(None, found))):
            given = [known.get(name) for name in step.tensors]
            own = {name: ctx.attributes[name] for name in step.attributes}
            values = _run_gradient(step.op, given, own, step.outputs)
            known |= dict(zip(step.outputs, values, strict=True))
        return tuple([None if name is None else known[name] for name in found])


_CONNECTIONS = {op: _Connection(op, gradient) for op, gradient in GRADIENTS.items()}


def _connect(library: Any, op: str) -> None:
    """Registers the gradient of an op."""
    connection = _CONNECTIONS[op]
    torch.library.register_autograd(
        f"{_NAMESPACE}::{OPS[op].signature.function}",
        connection.backward,
        setup_context=connection.setup_context,
        lib=library,
    )


class Parts(NamedTuple):
    """Tensors that are the parts of an argument, and get its gradient.

    Attributes:
        name: The argument, which is in the same memory as they, and has no gradient itself.
        tensors: The parts.
        blocks: Where each is.
    """

    name: str
    tensors: Sequence[Any]
    blocks: Sequence[Block]


class _Eager(torch.autograd.Function):
    """An op with its gradient, without the way through torch's dispatcher.

    One node of torch's graph for the op and the parts of an argument takes 20 us less than two.
    """

    @staticmethod
    def forward(
        ctx: Any, op: str, attributes: dict[str, Any], parts: Parts | None, *tensors: Any
    ) -> Any:
        connection = _CONNECTIONS[op]
        count = len(connection.names)
        own = tensors[:count]
        results = tuple(call(op, own, tuple(attributes.items())))
        connection.setup_context(ctx, own, attributes, results, tensors[count:])
        ctx.op, ctx.parts = op, parts and (connection.names.index(parts.name), parts.blocks)
        return results

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        connection = _CONNECTIONS[ctx.op]
        _, _, _, *needed = ctx.needs_input_grad
        if ctx.parts is None:
            return None, None, None, *connection.gradients_of(ctx, cotangents, needed)
        place, blocks = ctx.parts
        count = len(connection.names)
        needed[place] = any(needed[count:])
        found = connection.gradients_of(ctx, cotangents, needed[:count])
        whole = found[place]
        pieces = [None if whole is None else block.of(whole) for block in blocks]
        return None, None, None, *found, *pieces


class _Functional(torch.autograd.Function):
    """The same for torch.func, in a form that torch 2.13 takes 20 us longer for."""

    @staticmethod
    def forward(op: str, attributes: dict[str, Any], *tensors: Any) -> Any:
        return tuple(call(op, tensors, tuple(attributes.items())))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.op, attributes, *tensors = inputs
        _CONNECTIONS[ctx.op].setup_context(ctx, tensors, attributes, output)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return None, None, *_CONNECTIONS[ctx.op].backward(ctx, *cotangents)


class _EagerGradient(torch.autograd.Function):
    """A gradient op, which has no gradient."""

    @staticmethod
    def forward(op: str, attributes: Any, outputs: Sequence[str], *tensors: Any) -> Any:
        return tuple(call(op, tensors, tuple(attributes.items()), tuple(outputs)))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.op = inputs[0]

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise no_second_derivatives(ctx.op)


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def is_traced() -> bool:
    """Whether torch notes down what is called."""
    return bool(
        torch.compiler.is_compiling()
        or torch.jit.is_tracing()  # pyright: ignore
        or torch._C._len_torch_dispatch_stack()  # pyright: ignore
    )


def is_transformed() -> bool:
    """Whether torch.func makes something else of what is called."""
    return torch._C._are_functorch_transforms_active()  # pyright: ignore


def is_eager(tensors: Iterable[Any]) -> bool:
    """Whether these are tensors with numbers in them, to be computed with now."""
    plain = all(each is None or (type(each) in _PLAIN and not each.is_meta) for each in tensors)
    return plain and not is_traced()


def run(
    op: str, tensors: Sequence[Any], attributes: dict[str, Any], parts: Parts | None = None
) -> Sequence[Any]:
    """Runs an op that has a gradient.

    Where torch only runs, this is some 30 us faster than the custom op, and does the same.

    Args:
        op: TensorFlow's name.
        tensors: In the order of `tensors_of`.
        attributes: Those that are compiled in.
        parts: Parts of one of the tensors; only where torch only runs.
    """
    if not is_eager(tensors):
        if torch.jit.is_tracing():  # pyright: ignore
            raise UnsupportedError(f"{op}: torch.jit.trace cannot follow it: use torch.export")
        return CUSTOM_OPS[op](*tensors, **attributes)
    if is_transformed():
        return _Functional.apply(op, attributes, *tensors)
    if torch.is_grad_enabled():
        return _Eager.apply(op, attributes, parts, *tensors, *(parts.tensors if parts else ()))
    return call(op, tensors, tuple(attributes.items()))


def _run_gradient(op: str, tensors: Sequence[Any], attributes: Any, outputs: list[str]) -> Any:
    """Runs a gradient op."""
    if not is_eager(tensors):
        return CUSTOM_OPS[op](*tensors, **attributes, outputs=outputs)
    if torch.is_grad_enabled() or is_transformed():
        return _EagerGradient.apply(op, attributes, outputs, *tensors)
    return call(op, tensors, tuple(attributes.items()), tuple(outputs))


class _Step(NamedTuple):
    """A gradient op that runs: what it takes by name, and the results that it gives."""

    op: str
    tensors: tuple[str, ...]
    attributes: tuple[str, ...]
    outputs: list[str]


@functools.lru_cache(maxsize=256)
def _steps(op: str, wanted: frozenset[str]) -> tuple[_Step, ...]:
    """The gradient ops of an op, as far as what they give is wanted.

    Args:
        op: The forward op.
        wanted: The names of the gradients.
    """
    signatures = [OPS[each].signature for each in GRADIENTS[op].ops]
    steps: list[_Step] = []
    for place, signature in enumerate(signatures):
        after = signatures[place + 1 :]
        asked = set(wanted)
        if any(each.name in wanted for later in after for each in later.results):
            asked |= {each.name for later in after for each in later.arguments}
        outputs = [each.name for each in signature.results if each.name in asked]
        if outputs:
            name = signature.name
            steps.append(_Step(name, tuple(tensors_of(name)), attributes_of(name), outputs))
    return tuple(steps)


def no_second_derivatives(op: str) -> UnsupportedError:
    """The error of who wants the gradient of a gradient op."""
    return UnsupportedError(
        f"{op} has no gradient: rnn_compiler.torch has no second derivatives, as create_graph=True "
        "and torch.autograd.gradgradcheck need them; torch.nn's layers have"
    )


def _refuse(library: Any, op: str) -> None:
    """Registers that a gradient op has no gradient."""

    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise no_second_derivatives(op)

    torch.library.register_autograd(
        f"{_NAMESPACE}::{OPS[op].signature.function}", backward, lib=library
    )


LIBRARY = _register()
"""Keeps the ops registered as long as this module is loaded."""

CUSTOM_OPS: dict[str, Any] = {
    name: getattr(torch.ops.rnn_compiler, OPS[name].signature.function).default
    for op, gradient in GRADIENTS.items()
    for name in (op, *gradient.ops)
}
"""The custom ops by TensorFlow's names."""

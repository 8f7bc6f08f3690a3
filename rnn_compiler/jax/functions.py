"""The ops as functions, differentiable as their `Gradient` says.

A forward op saves the arguments of its gradient ops, which run in the backward pass; XLA drops
unused ones. A gradient has the dtype of its argument; integers have none. Gradients can flow back
from the same results as in TensorFlow. A gradient that arrives at any other result, such as a gate,
is an error, because it would be missing from the sum.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jax
import jax.core
import jax.custom_derivatives
import jax.export
import jax.numpy as jnp
import numpy as np

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.jax.primitives import PREFIX, Array, Instance, arguments_of, call
from rnn_compiler.lowering.ops import GRADIENTS, OPS, ctc
from rnn_compiler.op_functions import documentation, named, parameters
from rnn_compiler.runtime.results import result_type
from rnn_compiler.schema.signatures import Gradient, Signature


class JaxFunction:
    """An op as a function of JAX arrays."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.__name__ = self.__qualname__ = signature.function
        self.__module__ = "rnn_compiler.jax"
        shown = signature.of_caller
        self.__doc__ = documentation(shown, [_note(signature.name)])
        self.__signature__ = inspect.Signature([*parameters(shown).values()])

    def __repr__(self) -> str:
        return f"<rnn_compiler.jax function {self.signature.function}>"

    def __reduce__(self) -> Any:
        return _function, (self.signature.name,)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Runs the op, or traces it; see its own docstring."""
        op = self.signature.name
        defaults = {each.name: each.default for each in self.signature.call_attributes}
        given = defaults | named(self.signature.of_caller, arguments, keywords)
        given = {**dict.fromkeys(each.name for each in self.signature.arguments), **given}
        given |= self.signature.implied(given)
        instance, arrays = arguments_of(op, given)
        run = _differentiable if op in GRADIENTS else _plain
        results = run(instance)(*arrays)
        return result_type(op, tuple(each.name for each in instance.spec.results))(*results)


def _plain(instance: Instance) -> Callable[..., list[Array]]:
    def run(*arguments: Array) -> list[Array]:
        return call(instance, arguments)

    return run


@functools.lru_cache(maxsize=1024)
def _differentiable(instance: Instance) -> Any:
    """A forward op as a function with a VJP."""
    spec, gradient = instance.spec, GRADIENTS[instance.op]
    results = [each.name for each in spec.results]
    names = [each.name for each in spec.arguments]
    trained = _trained(instance)
    known = {*names, *(each.name for each in trained.spec.results)}
    saved = gradient.saved(OPS[op].signature.names for op in gradient.ops)
    kept = [name for name in saved if name in known]

    @jax.custom_vjp
    def run(*arguments: Array) -> list[Array]:
        return call(instance, arguments)

    def forward(*primals: Any) -> tuple[list[Array], dict[str, Array]]:
        if not dict(trained.attributes).get("is_training", True):
            raise InvalidArgumentError(
                instance.op, "is_training", "True, where a gradient is taken", "False",
                "without it, nothing is saved for the gradient",
            )  # fmt: skip
        arguments = [primal.value for primal in primals]
        outputs = call(trained, arguments)
        given = (*names, *(each.name for each in trained.spec.results))
        values = dict(zip(given, (*arguments, *outputs), strict=True))
        return outputs[: len(results)], {name: values[name] for name in kept}

    def backward(values: Mapping[str, Array], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        arriving = dict(zip(results, cotangents, strict=True))
        _refuse_others(instance.op, gradient, arriving)
        gradients = _gradients(instance, gradient, values, arriving)
        return tuple(
            gradients[each.name] if each.name in gradients else _none(each.static_shape)
            for each in spec.arguments
        )

    run.defvjp(forward, backward, symbolic_zeros=True)
    return run


def _trained(instance: Instance) -> Instance:
    """The op as its gradient needs it, except where the caller decides."""
    training = GRADIENTS[instance.op].training
    if not training:
        return instance
    attributes = dict(instance.attributes) | {training: True}
    return instance._replace(attributes=tuple(attributes.items()))


def _gradients(
    instance: Instance, gradient: Gradient, saved: Mapping[str, Array], arriving: Mapping[str, Any]
) -> dict[str, Array]:
    """The gradients by argument of the forward op."""
    values = dict(saved)
    for argument, result in gradient.cotangents.items():
        value = arriving[result]
        values[argument] = jnp.zeros(value.shape, value.dtype) if _is_zero(value) else value
    values |= {name: values[other] for name, other in gradient.substitutes.items()}
    attributes = dict(instance.attributes)
    for op in gradient.ops:
        signature = OPS[op].signature
        own = {each.name: attributes.get(each.name, each.default) for each in signature.attributes}
        tensors = {each.name: values.get(each.name) for each in signature.arguments}
        inner, arrays = arguments_of(op, own | tensors)
        names = [each.name for each in inner.spec.results]
        values |= zip(names, call(inner, arrays), strict=True)
    found = gradient.gradients.items()
    return {name: values[result] for result, name in found if result in values}


def _refuse_others(op: str, gradient: Gradient, arriving: Mapping[str, Any]) -> None:
    """Rejects gradients of results that have none.

    Zeros are allowed: symbolic zeros of JAX, and arrays known to be zero.
    """
    for name, value in arriving.items():
        if name in gradient.results or value.dtype == jax.dtypes.float0:
            continue
        if _is_zero(value):
            continue
        if isinstance(value, jax.core.Tracer) or np.asarray(value).any():
            raise UnsupportedError(
                f"{op}: no gradient can flow back from '{name}', as in TensorFlow, only from "
                f"{', '.join(gradient.results)}; exclude it with jax.lax.stop_gradient({name})"
            )


def _is_zero(value: object) -> bool:
    """Whether JAX knows that a gradient is zero."""
    return isinstance(value, jax.custom_derivatives.SymbolicZero)


def _none(shape: tuple[int, ...]) -> Any:
    """The gradient of integers."""
    return np.zeros(shape, jax.dtypes.float0)


def _note(op: str) -> str:
    """The documentation of derivatives."""
    if op not in GRADIENTS:
        return "It has no derivative."
    having = GRADIENTS[op]
    return f"Gradients of {', '.join(having.results)} reach {', '.join(having.arguments)}."


def _function(op: str) -> JaxFunction:
    return FUNCTIONS[OPS[op].signature.function]


_NAMES = [name for op, gradient in GRADIENTS.items() for name in (op, *gradient.ops)]

FUNCTIONS: Mapping[str, JaxFunction] = MappingProxyType(
    {OPS[op].signature.function: JaxFunction(OPS[op].signature) for op in dict.fromkeys(_NAMES)}
)
"""The functions by name."""


# Exports JAX functions as modules for `rnn_compiler.link`.


CUSTOM_CALLS: tuple[Any, ...] = tuple(
    jax.export.DisabledSafetyCheck.custom_call(PREFIX + name)
    for name in (*(function.signature.name for function in FUNCTIONS.values()), ctc.OP.name)
)
"""The `disabled_checks` of `jax.export.export`, which rejects unknown custom calls."""


def export(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """`jax.export.export` of a function, with our ops in it as custom calls.

    Args:
        function: A function of JAX arrays; `jax.jit` is applied unless it already is.
        **options: Passed to `jax.export.export`: platforms, further disabled_checks.

    Returns:
        A function that takes arguments, or their shapes and dtypes, and returns a
        `jax.export.Exported`. Pass its ``mlir_module()`` or ``mlir_module_serialized`` to
        `rnn_compiler.link`. JAX cannot run it itself: the calls exist only for IREE.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> import rnn_compiler.jax as rj
        >>> def step(x, h, w_ru, w_c):
        ...     return rj.gru_block_cell(x, h, w_ru, w_c, jnp.zeros(8), jnp.zeros(4)).h
        >>> shapes = [(2, 3), (2, 4), (7, 8), (7, 4)]
        >>> exported = export(step)(*(jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes))
        >>> "stablehlo.custom_call @rnn_compiler.GRUBlockCell" in exported.mlir_module()
        True
    """
    checks = (*CUSTOM_CALLS, *options.pop("disabled_checks", ()))
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    return jax.export.export(jitted, disabled_checks=checks, **options)  # pyright: ignore

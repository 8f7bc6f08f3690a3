"""A JAX primitive for each op, with the rules for JAX's transformations.

    impl            compiled by `jax.jit`, for calls outside of any transformation
    abstract eval   shapes and dtypes of the results, from the op's signature
    lowering        `stablehlo`: portable StableHLO, or a custom call in exported modules
    batching        one row after the other, by `jax.lax.map`: results are those of single calls
    jvp             refused: the functions have a first-order VJP

Only second derivatives and derivatives of gradient ops reach the last rule.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.jax.arguments import Array, Instance, jax_dtype
from rnn_compiler.jax.stablehlo import lower
from rnn_compiler.lowering.ops import OPS

__all__ = ["call"]


def call(instance: Instance, arguments: Sequence[Array]) -> list[Array]:
    """The results of an op, given all arguments with its shapes and dtypes."""
    return _primitive(instance.op).bind(*arguments, instance=instance)


@functools.cache
def _primitive(op: str) -> Any:
    """The primitive of an op, named after its function."""
    made: Any = Primitive(OPS[op].signature.function)
    made.multiple_results = True
    made.def_impl(_run)
    made.def_abstract_eval(_abstract)
    mlir.register_lowering(made, lower)
    batching.primitive_batchers[made] = functools.partial(_batch, made)
    ad.primitive_jvps[made] = _refuse
    return made


def _run(*arguments: Array, instance: Instance) -> list[Array]:
    return _compiled(instance)(*arguments)


@functools.lru_cache(maxsize=1024)
def _compiled(instance: Instance) -> Any:
    primitive = _primitive(instance.op)
    return jax.jit(functools.partial(primitive.bind, instance=instance))


def _abstract(*arguments: Any, instance: Instance) -> list[Any]:
    del arguments  # already checked
    return [
        jax.core.ShapedArray(result.shape, jax_dtype(result.dtype))
        for result in instance.spec.results
    ]


def _batch(
    primitive: Any, arguments: Sequence[Array], axes: Sequence[int | None], *, instance: Instance
) -> tuple[list[Array], list[int]]:
    mapped = [k for k, axis in enumerate(axes) if axis is not None]
    rows = [jnp.moveaxis(arguments[k], axes[k] or 0, 0) for k in mapped]

    def one(row: list[Array]) -> list[Array]:
        each = dict(zip(mapped, row, strict=True))
        whole = [each.get(k, argument) for k, argument in enumerate(arguments)]
        return primitive.bind(*whole, instance=instance)

    results = jax.lax.map(one, rows)
    return results, [0] * len(results)


def _refuse(primals: Sequence[Any], tangents: Sequence[Any], *, instance: Instance) -> Any:
    del primals, tangents
    raise UnsupportedError(
        f"{instance.op}: no second derivatives: ops have first ones, by jax.grad or jax.vjp, and "
        "gradient ops have none; jax.lax.stop_gradient excludes a term"
    )

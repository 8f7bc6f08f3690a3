"""Exports JAX functions as modules for `rnn_compiler.link`."""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.export

from rnn_compiler.jax.functions import FUNCTIONS
from rnn_compiler.jax.stablehlo import PREFIX

__all__ = ["CUSTOM_CALLS", "export"]

CUSTOM_CALLS: tuple[Any, ...] = tuple(
    jax.export.DisabledSafetyCheck.custom_call(PREFIX + function.signature.name)
    for function in FUNCTIONS.values()
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

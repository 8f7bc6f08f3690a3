"""How an op's primitive is lowered in a JAX module.

For XLA it is a call of the op's portable function, which is added to the module once for each
instance of the op, however often it is called; its symbol identifies the instance. The bindings of
IREE's compiler print the text, and JAX's own bindings parse it.

In modules from `jax.export`, it is a ``stablehlo.custom_call @rnn_compiler.OP`` with its attributes
in ``mhlo.backend_config``, as `rnn_compiler.link` expects. JAX's lowering context tells which of
the two applies: a module is lowered either for export or for a device.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
from jax.interpreters import mlir

from rnn_compiler.jax.arguments import Instance
from rnn_compiler.modules import Module
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import TensorSpec

__all__ = ["PREFIX", "lower"]

PREFIX = "rnn_compiler."
"""The prefix of custom call targets."""

ir: Any = mlir.ir


def lower(ctx: Any, *operands: Any, instance: Instance) -> Sequence[Any]:
    """The lowering rule of all ops."""
    if ctx.module_context.lowering_parameters.for_export:
        rule: Any = jax.ffi.ffi_lowering(PREFIX + instance.op)
        return rule(ctx, *operands, **dict(instance.attributes))
    spec = instance.spec
    arguments = [
        _converted(value, each) for value, each in zip(operands, spec.arguments, strict=True)
    ]
    call = ir.Operation.create(
        "func.call",
        operands=arguments,
        results=[_type(each) for each in spec.results],
        attributes={"callee": ir.FlatSymbolRefAttr.get(_function(ctx.module_context, instance))},
    )
    return list(call.results)


def _function(context: Any, instance: Instance) -> str:
    """The symbol of an op's portable function, which is added if it is not there yet."""
    symbol, text = _portable(instance)
    if symbol not in context.symbol_table:
        source = ir.Module.parse(text, context.context)
        for function in [*source.body.operations]:
            function.attributes["sym_visibility"] = ir.StringAttr.get("private")
            context.module.body.append(function)
            context.symbol_table.insert(function)
    return symbol


@functools.lru_cache(maxsize=128)
def _portable(instance: Instance) -> tuple[str, str]:
    """The portable function of an op: a unique symbol and a module that contains it."""
    check_can_compile(f"rnn_compiler.jax: {instance.op}")
    digest = hashlib.sha256(repr(instance).encode()).hexdigest()[:16]
    spec = replace(instance.spec, function=f"{instance.spec.function}_{digest}")
    return spec.function, Module([spec]).text


def _type(tensor: TensorSpec) -> Any:
    return ir.RankedTensorType.get(tensor.shape, ir.Type.parse(DTYPES[tensor.dtype].mlir))


def _converted(value: Any, tensor: TensorSpec) -> Any:
    """A value converted for a function: JAX's integers may be narrower."""
    wanted = _type(tensor)
    if value.type == wanted:
        return value
    return ir.Operation.create("stablehlo.convert", operands=[value], results=[wanted]).results[0]

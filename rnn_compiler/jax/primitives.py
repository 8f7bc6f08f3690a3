"""A JAX primitive for each op, with the rules for JAX's transformations.

    impl            compiled by `jax.jit`, for calls outside of any transformation
    abstract eval   shapes and dtypes of the results, from the op's signature
    lowering        `lower`: portable StableHLO, or a custom call in exported modules
    batching        one row after the other, by `jax.lax.map`: results are those of single calls
    jvp             refused: the functions have a first-order VJP

Only second derivatives and derivatives of gradient ops reach the last rule.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.core
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.ops import CALLED
from rnn_compiler.modules import Module
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.runtime.arguments import check_argument, default_array
from rnn_compiler.schema.dtypes import DTYPES, canonical_name
from rnn_compiler.schema.host_arrays import has_dtype, host_array
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

# Converts a call's arguments to JAX arrays of the op's shapes and dtypes.
#
# Arguments follow the rules of `raw_ops`: floats are never converted, Python numbers take the
# op's dtype, integers may have any integer dtype, and None stands for a default. Anything else is
# rejected when a call is traced. Integers are checked if their values are known then; otherwise
# the op clamps them.
#
# Without ``jax_enable_x64``, JAX has no 64-bit types: other arrays are converted to 32 bits, and
# so are an op's integers.


Array = Any
"""A `jax.Array`, or its stand-in while a function is traced."""


class Instance(NamedTuple):
    """An op at given sizes, as a parameter of a JAX primitive."""

    op: str
    dtype: str
    dims: tuple[tuple[str, int], ...]
    attributes: tuple[tuple[str, Any], ...]

    @property
    def spec(self) -> FunctionSpec:
        """Its function."""
        return _spec(self)


@functools.lru_cache(maxsize=1024)
def _spec(instance: Instance) -> FunctionSpec:
    return CALLED[instance.op].signature.specialize(
        dtype=instance.dtype, dims=dict(instance.dims), attributes=dict(instance.attributes)
    )


@dataclass(frozen=True)
class _Traced:
    """The known properties of an array while a function is traced, for argument checks."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    on_host: bool = False


def jax_dtype(dtype: str) -> np.dtype[Any]:
    """A dtype as JAX represents it now: without x64, at most 32 bits wide."""
    return jax.dtypes.canonicalize_dtype(DTYPES[dtype].numpy)


def arguments_of(op: str, given: Mapping[str, Any]) -> tuple[Instance, list[Array]]:
    """The op at a call's sizes, and its arguments as arrays, in its order."""
    signature = CALLED[op].signature
    dtype = _dtype(signature, given)
    attributes = signature.canonical(given, dtype)
    form = signature.form(attributes)
    values = dict(given)
    for attribute in signature.attributes:  # a compiled function takes seeds from these
        if attribute.at_run_time and not isinstance(values[attribute.name], jax.Array):
            values[attribute.name] = attribute.canonical(op, values[attribute.name], dtype)
    arrays = {
        each.name: _array(op, each.name, values[each.name], each.dtype or dtype)
        for each in form.arguments
        if not (values[each.name] is None and each.default is not None)
    }
    dims = form.infer({name: array.shape for name, array in arrays.items()})
    instance = Instance(op, dtype, tuple(dims.items()), tuple(attributes.items()))
    return instance, [_checked(op, spec, arrays.get(spec.name)) for spec in instance.spec.arguments]


def _dtype(signature: Signature, given: Mapping[str, Any]) -> str:
    """The op's dtype: that of its first float tensor that has one."""
    names = [each.name for each in signature.arguments if each.dtype is None]
    name = next((name for name in names if _brings_dtype(given[name])), None)
    if name is None:
        return "float32"
    array = _array(signature.name, name, given[name], "float32")
    dtype = canonical_name(array.dtype)
    if dtype is None or dtype not in signature.dtypes:
        expected = f"dtype {' or '.join(signature.dtypes)}"
        raise InvalidArgumentError(signature.name, name, expected, f"dtype {array.dtype}")
    return dtype


def _brings_dtype(value: object) -> bool:
    return value is not None and has_dtype(value)


def _array(op: str, name: str, value: object, dtype: str) -> npt.NDArray[Any] | Array:
    """A value as an array: JAX arrays unchanged, others in host memory."""
    if not isinstance(value, jax.Array):
        array = host_array(op, name, value, dtype)
        narrow = array.dtype == np.float64 and not jax.config.jax_enable_x64  # pyright: ignore
        return array.astype(np.float32) if narrow else array
    shape: tuple[Any, ...] = value.shape
    if not all(isinstance(size, int) for size in shape):
        remedy = "export at fixed sizes, one module for each"
        raise InvalidArgumentError(op, name, "static sizes", f"shape {shape}", remedy)
    return value


def _checked(op: str, spec: TensorSpec, array: npt.NDArray[Any] | Array | None) -> Array:
    """An array checked against an argument; the argument's default for None."""
    wanted = jax_dtype(spec.dtype)
    if array is None:
        return jnp.asarray(default_array(spec), wanted)
    if spec.dtype in ("int32", "int64") and jnp.issubdtype(array.dtype, jnp.integer):
        if not isinstance(array, jax.core.Tracer):
            array = host_array(op, spec.name, np.asarray(array), spec.dtype)
            _check_width(op, spec.name, array, wanted)
        else:
            array = array.astype(wanted)
    if isinstance(array, np.ndarray):
        check_argument(op, spec, array)
    else:
        # JAX may have only int32 where the op has int64.
        dtype = DTYPES[spec.dtype].numpy if array.dtype == wanted else array.dtype
        check_argument(op, spec, _Traced(dtype, array.shape))  # pyright: ignore
    if spec.ignored:
        return jnp.zeros(spec.shape, wanted)
    array = jnp.asarray(array, wanted)
    return array.reshape(spec.shape) if spec.any_shape else array


def _check_width(op: str, name: str, array: npt.NDArray[Any], wanted: np.dtype[Any]) -> None:
    limits = np.iinfo(wanted)
    for value in (int(array.min()), int(array.max())) if array.size else ():
        if not limits.min <= value <= limits.max:
            raise InvalidArgumentError(
                op, name, f"integers that fit {wanted}, JAX's widest now", str(value),
                "jax.config.update('jax_enable_x64', True) gives it int64",
            )  # fmt: skip


# How an op's primitive is lowered in a JAX module.
#
# For XLA it is a call of the op's portable function, which is added to the module once for each
# instance of the op, however often it is called; its symbol identifies the instance. The bindings
# of IREE's compiler print the text, and JAX's own bindings parse it.
#
# In modules from `jax.export`, it is a ``stablehlo.custom_call @rnn_compiler.OP`` with its
# attributes in ``mhlo.backend_config``, as `rnn_compiler.link` expects. JAX's lowering context
# tells which of the two applies: a module is lowered either for export or for a device.


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


def call(instance: Instance, arguments: Sequence[Array]) -> list[Array]:
    """The results of an op, given all arguments with its shapes and dtypes."""
    return _primitive(instance.op).bind(*arguments, instance=instance)


@functools.cache
def _primitive(op: str) -> Any:
    """The primitive of an op, named after its function."""
    made: Any = Primitive(CALLED[op].signature.function)
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

"""Converts a call's arguments to JAX arrays of the op's shapes and dtypes.

Arguments follow the rules of `raw_ops`: floats are never converted, Python numbers take the op's
dtype, integers may have any integer dtype, and None stands for a default. Anything else is rejected
when a call is traced. Integers are checked if their values are known then; otherwise the op clamps
them.

Without ``jax_enable_x64``, JAX has no 64-bit types: other arrays are converted to 32 bits, and so
are an op's integers.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.core
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime.arguments import check_argument, default_array
from rnn_compiler.schema.dtypes import DTYPES, canonical_name
from rnn_compiler.schema.host_arrays import has_dtype, host_array
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.signatures import Signature

__all__ = ["Array", "Instance", "arguments_of", "jax_dtype"]

Array = Any
"""A `jax.Array`, or its stand-in while a function is traced."""


class Instance(NamedTuple):
    """An op at given sizes, as a parameter of a JAX primitive.

    Attributes:
        op: TensorFlow's name of the op.
        dtype: The op's dtype.
        dims: The dimensions.
        attributes: All compile-time attributes.
    """

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
    return OPS[instance.op].signature.specialize(
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
    """The op at a call's sizes, and its arguments as arrays, in its order.

    Args:
        op: TensorFlow's name of the op.
        given: All of its tensors and attributes by name.

    Raises:
        InvalidArgumentError: An argument has the wrong dtype, shape or value.
    """
    signature = OPS[op].signature
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
    """A value as an array: JAX arrays unchanged, others in host memory.

    Raises:
        InvalidArgumentError: It cannot be viewed as an array of numbers, or its size is unknown.
    """
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
    """An array checked against an argument; the argument's default for None.

    Raises:
        InvalidArgumentError: Its dtype, its shape or a known value is wrong.
    """
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

"""Converts a caller's arguments to the arrays that a compiled function takes.

`host_arrays` defines what is accepted; arrays that are already on the device stay there. Shapes are
never converted silently.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, InvalidArgumentError
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device, device_kind, get_device
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.dtypes import DTYPES, canonical_name
from rnn_compiler.schema.host_arrays import converts, device_of, host_array, not_viewable
from rnn_compiler.schema.open_sizes import shown
from rnn_compiler.schema.specs import TensorSpec

__all__ = [
    "as_array",
    "by_keyword",
    "by_name",
    "check_argument",
    "default_array",
    "elements",
    "resident",
]


def as_array(
    op: str, name: str, value: object, dtype: str, device: str = "local-sync"
) -> npt.NDArray[Any] | DeviceArray:
    """A value as an array, without copying arrays; device arrays are returned unchanged.

    A tensor that is already on the target GPU becomes a device array. Integers of another dtype are
    converted to that of an integer argument, except on a GPU.

    Args:
        op: The op, for messages.
        name: The argument, for messages.
        value: The value that the caller passed.
        dtype: The dtype for values that have none.
        device: The device that the array will be used on.

    Raises:
        InvalidArgumentError: It cannot be viewed as an array of numbers, or its integers do not fit
            the dtype.
        DeviceError: The GPU failed.
    """
    if type(value) is np.ndarray and value.dtype == DTYPES[dtype].numpy:
        return value
    there = value if isinstance(value, DeviceArray) else None
    if there is None and hasattr(value, "__dlpack__"):
        there = _on_gpu(op, name, value, device)
    if there is None or (there.on_host and converts(there.dtype, dtype)):
        return host_array(op, name, value, dtype)
    return there


def _on_gpu(op: str, name: str, value: Any, device: str) -> DeviceArray | None:
    """A tensor of another framework that is already on the GPU; None if it is elsewhere."""
    kind = device_kind(device)
    if kind == "local" or not DEVICE_KINDS[kind].is_exported:
        return None
    gpu = get_device(device)
    try:
        return gpu.view(value) if device_of(value) == gpu.dlpack else None
    except DeviceError:
        raise
    except Exception as error:
        raise not_viewable(op, name, value, error) from error


def default_array(spec: TensorSpec) -> npt.NDArray[Any]:
    """The default value of an argument as an array."""
    return np.full(spec.static_shape, spec.default, DTYPES[spec.dtype].numpy)


def check_argument(op: str, spec: TensorSpec, array: npt.NDArray[Any] | DeviceArray) -> None:
    """Checks an array against an argument.

    Raises:
        InvalidArgumentError: Its dtype, its shape or the value of a bounded integer is wrong.
    """
    if array.dtype != DTYPES[spec.dtype].numpy and canonical_name(array.dtype) != spec.dtype:
        got = canonical_name(array.dtype) or str(array.dtype)
        raise InvalidArgumentError(
            op, spec.name, f"dtype {spec.dtype}", f"dtype {got}", f"convert it to {spec.dtype}"
        )
    if spec.ignored:
        return
    if spec.any_shape:
        if math.prod(array.shape) != math.prod(spec.shape):
            expected = f"{math.prod(spec.shape)} elements, as shape {list(spec.shape)} has"
            raise InvalidArgumentError(op, spec.name, expected, f"shape {list(array.shape)}")
        return
    if array.shape != spec.shape:
        sizes = f"[{', '.join(map(shown, spec.shape))}]"
        formula = f"{spec.formula} = " if spec.formula not in ("", sizes) else ""
        expected = f"shape {formula}{sizes}" if spec.shape else "a scalar, []"
        raise InvalidArgumentError(op, spec.name, expected, f"shape {list(array.shape)}")
    if spec.maximum is not None and (isinstance(array, np.ndarray) or array.on_host):
        low, high, values = spec.minimum or 0, spec.maximum, np.asarray(array)
        is_wrong: Any = (values < low) | (values > high)
        if spec.also is not None:
            is_wrong &= values != spec.also
        wrong: Any = values[is_wrong]
        if wrong.size:
            expected = f"a value in {spec.range}" if not spec.shape else f"values in {spec.range}"
            if low == high and spec.default is not None:
                expected = f"{low}, which the function was built for"
            raise InvalidArgumentError(op, spec.name, expected, str(wrong.ravel()[0]))


def elements(op: str, name: str, value: object, count: int | None = None) -> dict[str, Any]:
    """The elements of a list of tensors, by their names as separate arguments.

    Args:
        op: The op, for messages.
        name: The list's name.
        value: The value that the caller passed.
        count: The required number of elements; None if it is not known yet.

    Raises:
        InvalidArgumentError: It is not a list, or has another length.

    Example:
        >>> elements("CudnnRNNCanonicalToParams", "biases", [0.5, 1.5])
        {'biases_0': 0.5, 'biases_1': 1.5}
    """
    expected = "a list of tensors" if count is None else f"a list of {count} tensors"
    if not isinstance(value, (list, tuple)):
        raise InvalidArgumentError(op, name, expected, type(value).__name__)
    items = cast(Sequence[object], value)
    if count is not None and len(items) != count:
        raise InvalidArgumentError(op, name, expected, f"one of {len(items)}")
    return {f"{name}_{k}": item for k, item in enumerate(items)}


def resident(array: object, device: Device) -> DeviceArray:
    """The result of `Program.to_device`.

    Raises:
        InvalidArgumentError: It is not an array of numbers with a supported dtype.
    """
    value = as_array("to_device", "array", array, "float32", device.uri)
    if isinstance(value, DeviceArray):
        if value.device is device:
            return value if value is array else device.keep(value.copy())
        value = value.to_host()
    dtype = canonical_name(value.dtype)
    if dtype is None:
        raise InvalidArgumentError("to_device", "array", "a numeric dtype", str(value.dtype))
    return device.keep(device.put(value, TensorSpec("array", dtype, value.shape)))


def by_name(op: str, specs: Iterable[TensorSpec], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, lists by element.

    Raises:
        InvalidArgumentError: A list is not a list, or has the wrong length.
    """
    lengths: dict[str, int] = {}
    for spec in specs:
        lengths[spec.list] = lengths.get(spec.list, 0) + 1
    named: dict[str, Any] = {}
    for name, value in keywords.items():
        named |= elements(op, name, value, lengths[name]) if name in lengths else {name: value}
    return named


def by_keyword(specs: Iterable[TensorSpec], values: Iterable[Any]) -> dict[str, Any]:
    """Values in the order of their specs, with lists joined again; the inverse of `by_name`."""
    keywords: dict[str, Any] = {}
    for spec, value in zip(specs, values, strict=True):
        if spec.list:
            keywords.setdefault(spec.list, []).append(value)
        else:
            keywords[spec.name] = value
    return keywords

"""What a caller passes, as arrays that a compiled function takes.

`host_arrays` says what is welcome; what is on the device already stays there. Shapes are never
converted silently.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, InvalidArgumentError
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device, get_device
from rnn_compiler.schema.dlpack import device_of
from rnn_compiler.schema.dtypes import DTYPES, canonical_name
from rnn_compiler.schema.host_arrays import converts, host_array, not_viewable
from rnn_compiler.schema.manifest import TensorSpec
from rnn_compiler.schema.open_sizes import shown

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
    """A value as an array, without copying what is one; device arrays stay as they are.

    A tensor on the GPU that the array is for becomes a device array. Integers of another dtype than
    the one that an argument of integers has are converted, but for those on a GPU.

    Args:
        op: The op, for messages.
        name: The argument, for messages.
        value: What the caller passed.
        dtype: The dtype that values without one take.
        device: The device that the array is for.

    Raises:
        InvalidArgumentError: It cannot be viewed as an array of numbers, or is of integers which
            the dtype does not have.
        DeviceError: The GPU failed.
    """
    if type(value) is np.ndarray and value.dtype == DTYPES[dtype].numpy:
        return value
    there = value if isinstance(value, DeviceArray) else None
    if there is None and device.startswith("cuda"):
        there = _on_gpu(op, name, value, device)
    if there is None or (there.on_host and converts(there.dtype, dtype)):
        return host_array(op, name, value, dtype)
    return there


def _on_gpu(op: str, name: str, value: Any, device: str) -> DeviceArray | None:
    """A tensor of another framework that is on the GPU already; None if it is elsewhere."""
    if not hasattr(value, "__dlpack__"):
        return None
    gpu = get_device(device)
    try:
        return gpu.view(value) if device_of(value) == gpu.dlpack else None
    except DeviceError:
        raise
    except Exception as error:
        raise not_viewable(op, name, value, error) from error


def default_array(spec: TensorSpec) -> npt.NDArray[Any]:
    """The array of an argument that is not given and has a default."""
    return np.full(spec.static_shape, spec.default, DTYPES[spec.dtype].numpy)


def check_argument(op: str, spec: TensorSpec, array: npt.NDArray[Any] | DeviceArray) -> None:
    """Checks that an array is what an argument takes.

    Raises:
        InvalidArgumentError: Its dtype, its shape, or the value of a bounded integer is not.
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
        expected = f"shape {spec.formula} = {sizes}" if spec.shape else "a scalar, []"
        raise InvalidArgumentError(op, spec.name, expected, f"shape {list(array.shape)}")
    if spec.maximum is not None and (isinstance(array, np.ndarray) or array.on_host):
        low, high, values = spec.minimum or 0, spec.maximum, np.asarray(array)
        wrong: Any = values[(values < low) | (values > high)]
        if wrong.size:
            expected = f"a value in {low}..{high}" if not spec.shape else f"values in {low}..{high}"
            if low == high and spec.default is not None:
                expected = f"{low}, which the function was built for"
            raise InvalidArgumentError(op, spec.name, expected, str(wrong.ravel()[0]))


def elements(op: str, name: str, value: object, count: int | None = None) -> dict[str, Any]:
    """The elements of a list of tensors, by the names that they have as single arguments.

    Args:
        op: The op, for messages.
        name: The list's name.
        value: What the caller passed.
        count: How many there must be; None if that is not known yet.

    Raises:
        InvalidArgumentError: It is no list, or not of so many.

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
    """What `Program.to_device` gives.

    Raises:
        InvalidArgumentError: It is not an array of numbers of a dtype that ops take.
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
    """What the keywords of a call pass, lists by element.

    Raises:
        InvalidArgumentError: A list is not one, or not as long as it must be.
    """
    lengths: dict[str, int] = {}
    for spec in specs:
        lengths[spec.list] = lengths.get(spec.list, 0) + 1
    named: dict[str, Any] = {}
    for name, value in keywords.items():
        named |= elements(op, name, value, lengths[name]) if name in lengths else {name: value}
    return named


def by_keyword(specs: Iterable[TensorSpec], values: Iterable[Any]) -> dict[str, Any]:
    """Values in the order of their specs, those of a list as one; the inverse of `by_name`."""
    keywords: dict[str, Any] = {}
    for spec, value in zip(specs, values, strict=True):
        if spec.list:
            keywords.setdefault(spec.list, []).append(value)
        else:
            keywords[spec.name] = value
    return keywords

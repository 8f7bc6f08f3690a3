"""What a caller passes, as arrays that a compiled function takes.

Anything numpy can view is welcome: arrays of any memory order and byte order, scalars, nested
lists, tensors of other frameworks. Dtype and shape are never converted silently, except that
Python's own numbers, which have no dtype of their own, take the argument's, and that integers such
as lengths may have any integer dtype.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, InvalidArgumentError, describe
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.device.dlpack import device_of, from_dlpack
from rnn_compiler.schema.dtypes import DTYPES, canonical_name
from rnn_compiler.schema.manifest import TensorSpec

__all__ = [
    "as_array",
    "by_keyword",
    "by_name",
    "check_argument",
    "default_array",
    "elements",
    "has_dtype",
]

_PYTHON_NUMBERS = (bool, int, float, list, tuple)


def has_dtype(value: object) -> bool:
    """Whether a value brings its own dtype, rather than taking the argument's."""
    return isinstance(value, np.generic) or not isinstance(value, _PYTHON_NUMBERS)


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
    if not has_dtype(value):
        return _from_python(op, name, value, dtype)
    array = value if isinstance(value, DeviceArray) else _viewed(op, name, value, device)
    wanted = DTYPES[dtype].numpy
    if wanted.kind != "i" or array.dtype == wanted or array.dtype.kind not in "iu":
        return array
    if isinstance(array, DeviceArray):
        if not array.on_host:
            return array
        array = array.to_host()
    return _integers(op, name, array, wanted)


def default_array(spec: TensorSpec) -> npt.NDArray[Any]:
    """The array of an argument that is not given and has a default."""
    return np.full(spec.shape, spec.default, DTYPES[spec.dtype].numpy)


def _integers(
    op: str, name: str, array: npt.NDArray[Any], dtype: np.dtype[Any]
) -> npt.NDArray[Any]:
    """An array of integers in another dtype, which must have all of them."""
    limits = np.iinfo(dtype)
    for value in (int(array.min()), int(array.max())) if array.size else ():
        if not limits.min <= value <= limits.max:
            raise InvalidArgumentError(op, name, f"integers that {dtype} has", str(value))
    return array.astype(dtype)


def _viewed(op: str, name: str, value: object, device: str) -> npt.NDArray[Any] | DeviceArray:
    """What brings its own dtype, as an array."""
    try:
        return _view(value, device)
    except DeviceError:
        raise
    except Exception as error:
        message = str(error).partition("\n")[0]
        raise InvalidArgumentError(
            op, name, "something numpy can view as an array", f"{type(value).__name__} ({message})"
        ) from error


def _view(value: Any, device: str) -> npt.NDArray[Any] | DeviceArray:
    """An array that shares its owner's memory, if that is possible."""
    has_dlpack = hasattr(value, "__dlpack__")
    if has_dlpack and device.startswith("cuda"):
        gpu = get_device(device)
        if device_of(value) == gpu.dlpack:
            return gpu.view(value)
    if has_dlpack and not hasattr(value, "__array__"):
        return from_dlpack(value)
    try:
        return np.asarray(value)
    except TypeError:  # such as torch's for bfloat16
        if not has_dlpack:
            raise
        return from_dlpack(value)


def _from_python(op: str, name: str, value: object, dtype: str) -> npt.NDArray[Any]:
    expected = f"{dtype} numbers"
    try:
        natural = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidArgumentError(op, name, expected, f"a ragged sequence ({error})") from error
    integers = dtype.startswith("int")
    if natural.size and natural.dtype.kind not in ("iu" if integers else "iuf"):
        raise InvalidArgumentError(op, name, expected, describe(value))
    with np.errstate(over="ignore"):
        converted = natural.astype(DTYPES[dtype].numpy)
    if integers and not np.array_equal(converted, natural):
        raise InvalidArgumentError(op, name, expected, describe(value))
    return converted


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
        expected = f"shape {spec.formula} = {list(spec.shape)}" if spec.shape else "a scalar, []"
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

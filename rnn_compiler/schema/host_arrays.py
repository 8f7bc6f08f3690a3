"""Converts a caller's values to arrays in host memory.

Anything numpy can view is accepted: arrays of any memory order and byte order, scalars, nested
lists, tensors of other frameworks. Dtypes are never converted silently, except that Python numbers
take the argument's dtype and that integers such as lengths may have any integer dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, InvalidArgumentError, describe
from rnn_compiler.schema.dlpack import from_dlpack
from rnn_compiler.schema.dtypes import DTYPES

__all__ = ["converts", "has_dtype", "host_array", "not_viewable"]

_TAKEN = {"i": "iu", "u": "iu", "b": "b"}
"""The kinds of Python numbers, by numpy's letters, that an argument without floats accepts."""

_PYTHON_NUMBERS = (bool, int, float, list, tuple)


def has_dtype(value: object) -> bool:
    """Whether a value has a dtype of its own, rather than taking the argument's."""
    return isinstance(value, np.generic) or not isinstance(value, _PYTHON_NUMBERS)


def converts(given: np.dtype[Any], dtype: str) -> bool:
    """Whether an argument with this dtype accepts and converts other integer dtypes."""
    wanted = DTYPES[dtype].numpy
    return wanted.kind in "iu" and given != wanted and given.kind in "iu"


def host_array(op: str, name: str, value: object, dtype: str) -> npt.NDArray[Any]:
    """A value as an array, without copying arrays in host memory.

    Args:
        op: The op, for messages.
        name: The argument, for messages.
        value: The value that the caller passed.
        dtype: The dtype for values without one, and for integers if it is an integer dtype.

    Raises:
        InvalidArgumentError: It cannot be viewed as an array of numbers, or its integers do not fit
            the dtype.
        DeviceError: The GPU that holds it failed.

    Example:
        >>> host_array("BlockLSTMV2", "seq_len_max", 3, "int64")
        array(3)
    """
    if not has_dtype(value):
        return _from_python(op, name, value, dtype)
    try:
        array = _view(value)
    except DeviceError:
        raise
    except Exception as error:
        raise not_viewable(op, name, value, error) from error
    return _integers(op, name, array, dtype) if converts(array.dtype, dtype) else array


def not_viewable(op: str, name: str, value: object, error: Exception) -> InvalidArgumentError:
    """The error for a value that its owner, arbitrary code, cannot export as an array."""
    message = str(error).partition("\n")[0]
    return InvalidArgumentError(
        op, name, "something numpy can view as an array", f"{type(value).__name__} ({message})"
    )


def _view(value: Any) -> npt.NDArray[Any]:
    """An array that shares its owner's memory, if that is possible."""
    has_dlpack = hasattr(value, "__dlpack__")
    if has_dlpack and not hasattr(value, "__array__"):
        return from_dlpack(value)
    if np.ma.is_masked(value):
        raise ValueError("with masked elements, which have no value: use filled")
    try:
        return np.asarray(value)
    except TypeError:  # such as torch's for bfloat16
        if not has_dlpack:
            raise
        return from_dlpack(value)


def _integers(op: str, name: str, array: npt.NDArray[Any], dtype: str) -> npt.NDArray[Any]:
    """An array of integers in another dtype, which must be able to represent them."""
    wanted = DTYPES[dtype].numpy
    limits = np.iinfo(wanted)
    for value in (int(array.min()), int(array.max())) if array.size else ():
        if not limits.min <= value <= limits.max:
            raise InvalidArgumentError(op, name, f"integers that fit {wanted}", str(value))
    return array.astype(wanted)


def _from_python(op: str, name: str, value: object, dtype: str) -> npt.NDArray[Any]:
    expected = f"{dtype} numbers"
    try:
        natural = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidArgumentError(op, name, expected, f"a ragged sequence ({error})") from error
    kind = DTYPES[dtype].numpy.kind
    integers = kind in "iu"
    if natural.size and natural.dtype.kind not in _TAKEN.get(kind, "iuf"):
        raise InvalidArgumentError(op, name, expected, describe(value))
    with np.errstate(over="ignore"):
        converted = natural.astype(DTYPES[dtype].numpy)
    if integers and not np.array_equal(converted, natural):
        raise InvalidArgumentError(op, name, expected, describe(value))
    return converted

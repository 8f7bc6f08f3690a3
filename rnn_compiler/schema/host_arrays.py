"""Converts a caller's values to arrays in host memory.

Anything numpy can view is accepted: arrays of any memory order and byte order, scalars, nested
lists, tensors of other frameworks. Dtypes are never converted silently, except that Python numbers
take the argument's dtype and that integers such as lengths may have any integer dtype.
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, InvalidArgumentError, describe
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.dtypes import DTYPES

# DLPack: tensors of other frameworks as arrays, without a copy.
#
# numpy reads all tensors in host memory except bfloat16, which it does not support. Those are
# read here from the structure that the standard defines
# (https://dmlc.github.io/dlpack/latest/c_api.html). IREE reads tensors in GPU memory
# (`runtime.device.devices.Device.view`).

CPU = (DEVICE_KINDS["local"].dlpack, 0)
"""DLPack's device type and number for host memory."""

_BFLOAT16 = (4, 16, 1)
"""DLPack's code, bits and lanes of bfloat16."""


_WORD: Any = np.dtype(np.uint16)


class DLTensor(ctypes.Structure):
    """The standard's structure of that name."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def device_of(tensor: Any) -> tuple[int, int]:
    """The device type and number of a tensor."""
    kind, number = tensor.__dlpack_device__()
    return int(kind), int(number)


def address_of(capsule: object) -> int:
    """The address of an exported tensor's memory."""
    tensor = tensor_of(capsule)
    return (tensor.data or 0) + tensor.byte_offset


def from_dlpack(tensor: Any) -> npt.NDArray[Any]:
    """A view of a tensor in host memory."""
    kind, number = device_of(tensor)
    if kind != CPU[0]:
        rows = [row for row in DEVICE_KINDS.values() if row.dlpack == kind and row.is_numbered]
        there = f"{rows[0].driver}://{number}" if rows else str((kind, number))
        raise BufferError(
            f"it is on another device, {there}: copy it to the CPU first"
            + (f", or load the program onto {there}" if rows else "")
        )
    try:
        return np.from_dlpack(tensor)
    except (BufferError, RuntimeError, TypeError):
        capsule = tensor.__dlpack__()
        found = _read(capsule)
        if found is None:
            raise
    array: Any = np.asarray(_TensorMemory(*found, capsule))
    return array.view(ml_dtypes.bfloat16)


def _read(capsule: object) -> tuple[int, tuple[int, ...], tuple[int, ...] | None] | None:
    """Address, shape and strides in bytes of a bfloat16 tensor; None for other tensors."""
    tensor = tensor_of(capsule)
    if (tensor.code, tensor.bits, tensor.lanes) != _BFLOAT16:
        return None
    shape = tuple(tensor.shape[: tensor.ndim])
    contiguous = not tensor.strides or 0 in shape
    strides = None if contiguous else tuple(2 * each for each in tensor.strides[: tensor.ndim])
    return (tensor.data or 0) + tensor.byte_offset, shape, strides


def tensor_of(capsule: object) -> DLTensor:
    """The structure in a capsule that has not been consumed yet."""
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return DLTensor.from_address(address(capsule, b"dltensor"))


class _TensorMemory:
    """The memory of a tensor for numpy, kept alive by its capsule."""

    __slots__ = ("__array_interface__", "_capsule")

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        capsule: object,
    ) -> None:
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "typestr": _WORD.str,
            "shape": shape,
            "strides": strides,
            "data": (address, True),
        }
        self._capsule = capsule


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
    """A value as an array, not copied from host memory; the dtype is for values without one."""
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

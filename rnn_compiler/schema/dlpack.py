"""DLPack: tensors of other frameworks as arrays, without a copy.

numpy reads all tensors in host memory except bfloat16, which it does not support. Those are read
here from the structure that the standard defines (https://dmlc.github.io/dlpack/latest/c_api.html).
IREE reads tensors in GPU memory (`runtime.device.devices.Device.view`).
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from rnn_compiler.schema.device_kinds import DEVICE_KINDS

__all__ = ["CPU", "address_of", "device_of", "from_dlpack"]

CPU = (DEVICE_KINDS["local"].dlpack, 0)
"""DLPack's device type and number for host memory."""

_BFLOAT16 = (4, 16, 1)
"""DLPack's code, bits and lanes of bfloat16."""


_WORD: Any = np.dtype(np.uint16)


class DLTensor(ctypes.Structure):
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
    """A view of a tensor in host memory.

    Args:
        tensor: Anything with ``__dlpack__`` and ``__dlpack_device__``.

    Raises:
        BufferError: It is on another device, or its owner cannot export it.
        TypeError: numpy and ml_dtypes do not support its element type.
    """
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
    array: Any = np.asarray(_Memory(*found, capsule))
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


class _Memory:
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

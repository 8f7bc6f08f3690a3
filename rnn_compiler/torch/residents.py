"""Weights that do not change between calls, as arrays that a program may keep packed.

A compiled function packs its weights at every call unless it knows that they are unchanged
(`rnn_compiler.runtime.prepacking`). A tensor's version is incremented by every in-place change,
except those through ``tensor.data`` and numpy, so the bytes are compared too, which takes half as
long as packing. From the second call with an unchanged tensor on, a resident copy of it is passed.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from torch.utils.dlpack import to_dlpack  # pyright: ignore
from torch.utils.weak import WeakIdKeyDictionary

from rnn_compiler.base.systems import c_function
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.schema.specs import TensorSpec

__all__ = ["resident"]

_USERS = 4
"""The number of functions that may keep the same weights packed, each for another input size."""


_memcmp: Any = c_function("memcmp")
if _memcmp is not None:
    _memcmp.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t


def _same_bytes(one: int, other: int, size: int) -> bool:
    """Whether memory at two addresses has the same content."""
    if _memcmp is not None:
        return not _memcmp(one, other, size)
    return ctypes.string_at(one, size) == ctypes.string_at(other, size)


@dataclass
class _Seen:
    """A tensor at the time of the last call.

    Attributes:
        version: Its version.
        device: Where it was passed.
        copy: Its copy there, once there is one.
        address: The address of the copy.
        users: The functions that take it.
    """

    version: int
    device: Device
    copy: DeviceArray | None = None
    address: int = 0
    users: set[int] = field(default_factory=set[int])

    def is_still(self, tensor: Any) -> bool:
        """Whether the tensor is unchanged, bit for bit."""
        if self.version != tensor._version:
            return False
        if self.copy is None:
            return True
        return _same_bytes(self.address, tensor.data_ptr(), tensor.nbytes)


_seen: Any = WeakIdKeyDictionary()


def resident(tensor: Any, spec: TensorSpec, device: Device, user: int) -> DeviceArray | None:
    """The resident copy of a tensor in host memory, if the tensor is unchanged since the last call.

    Args:
        tensor: The tensor, which compiled code must be able to use in place.
        spec: Its shape and dtype.
        device: Where it is passed.
        user: A number that identifies the function.
    """
    if tensor.is_inference():  # it has no version
        return None
    seen: _Seen | None = _seen.get(tensor)
    if seen is None or seen.device is not device or not seen.is_still(tensor):
        _seen[tensor] = _Seen(tensor._version, device)
        return None
    if user not in seen.users and len(seen.users) == _USERS:
        return None
    seen.users.add(user)
    if seen.copy is None:
        (view,) = device.adopt([to_dlpack(tensor)])
        copy = DeviceArray(device, view, spec).copy()
        seen.address = copy.to_host().__array_interface__["data"][0]
        seen.copy = copy
    return seen.copy

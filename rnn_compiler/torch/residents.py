"""Weights that stay the same from call to call, as arrays that a program may keep packed.

A compiled function puts its weights in an order of its own at every call, unless it knows that they
are those of the last one (`rnn_compiler.runtime.prepacking`). A tensor tells by its version, which
every change in place counts up, but for those through ``tensor.data`` and through numpy; so all of
it is compared too, which takes less than packing it. From the second call with the same tensor on,
a copy of it is passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.dlpack import to_dlpack  # pyright: ignore
from torch.utils.weak import WeakIdKeyDictionary

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.schema.manifest import TensorSpec

__all__ = ["resident"]

_USERS = 4
"""How many functions may keep the same weights packed, each at another size of the input."""


@dataclass
class _Seen:
    """A tensor as the last call had it.

    Attributes:
        version: Its version.
        values: Its elements.
        device: Where it was passed.
        copy: Its copy there, once there is one.
        users: The functions that take it.
    """

    version: int
    values: Any
    device: Device
    copy: DeviceArray | None = None
    users: set[int] = field(default_factory=set[int])


_seen: Any = WeakIdKeyDictionary()


def resident(tensor: Any, spec: TensorSpec, device: Device, user: int) -> DeviceArray | None:
    """A copy of a contiguous tensor on a device, if it is what it was at the last call.

    Args:
        tensor: The tensor.
        spec: Its shape and dtype.
        device: Where it is passed.
        user: A number of the function that it is passed to.
    """
    if tensor.is_inference():  # which has no version
        return None
    seen: _Seen | None = _seen.get(tensor)
    if (
        seen is None
        or seen.version != tensor._version
        or seen.device is not device
        or not torch.equal(seen.values, tensor)
    ):
        _seen[tensor] = _Seen(tensor._version, tensor.detach().clone(), device)
        return None
    if user not in seen.users and len(seen.users) == _USERS:
        return None
    seen.users.add(user)
    if seen.copy is None:
        (view,) = device.adopt([to_dlpack(seen.values)])
        seen.copy = DeviceArray(device, view, spec).copy()
    return seen.copy

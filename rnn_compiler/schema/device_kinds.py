"""The kinds of devices, by the names that manifests give them (`TargetSpec.device`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["DEVICE_KINDS", "DRIVERS", "DeviceKind"]


class DeviceKind(NamedTuple):
    """Devices that run the same code.

    Attributes:
        drivers: IREE's drivers for them, with which their names begin (``--device``).
        description: A description in words.
    """

    drivers: Sequence[str]
    description: str


DEVICE_KINDS: Mapping[str, DeviceKind] = MappingProxyType(
    {
        "local": DeviceKind(("local-sync", "local-task"), "CPUs"),
        "cuda": DeviceKind(("cuda",), "GPUs"),
        "vulkan": DeviceKind(("vulkan",), "GPUs with Vulkan"),
    }
)

DRIVERS: Mapping[str, str] = MappingProxyType(
    {driver: kind for kind, row in DEVICE_KINDS.items() for driver in row.drivers}
)
"""The kind of the devices of each driver."""

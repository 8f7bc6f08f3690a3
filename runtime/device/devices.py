"""IREE devices by name.

A device name is IREE's URI: ``local-sync`` (this thread), ``local-task`` (a pool of threads),
``cuda``, ``cuda://1``, ``vulkan``. Each is opened once per process and stays open.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Protocol
from weakref import ref

import iree.runtime as iree
import numpy as np
import numpy.typing as npt

from rnn_compiler.base.systems import after_fork, anew_after_fork
from rnn_compiler.errors import DeviceError, describe, with_hint
from rnn_compiler.runtime.device import cuda_driver
from rnn_compiler.runtime.device.buffer_pool import pool_options
from rnn_compiler.runtime.device.device_array import ELEMENT_TYPES, DeviceArray
from rnn_compiler.runtime.device.resources import processors, throttled
from rnn_compiler.runtime.device.shutdown import RUNNING, keep_open
from rnn_compiler.runtime.device.waiting import PATIENCE
from rnn_compiler.schema.device_kinds import DEVICE_KINDS, DRIVERS
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.host_arrays import address_of
from rnn_compiler.schema.schedule import ALIGNMENT
from rnn_compiler.schema.specs import TensorSpec

__all__ = ["NATIVE_DRIVERS", "Device", "NativeDriver", "device_kind", "get_device"]


class NativeDriver(Protocol):
    """Calls of a vendor's driver that IREE's Python API lacks."""

    @property
    def DEFAULT_STREAM(self) -> int:
        """The array API's number of the default stream (`__dlpack__`)."""
        ...

    def number_of(self, uri: str, /) -> int:
        """DLPack's number of the open device with a name."""
        ...

    def architecture(self, number: int, /) -> str:
        """A device's architecture, as targets name it (`TargetSpec.architecture`)."""
        ...

    def devices_here(self) -> str:
        """The devices of this machine in words; empty without a driver."""
        ...

    def wait_for_default_stream(self, number: int, /) -> None:
        """Waits until all work on the default stream of a device is done."""
        ...


NATIVE_DRIVERS: Mapping[str, NativeDriver] = {"cuda": cuda_driver}
"""The native drivers by kind of device."""

_OTHER_NAMES = {
    name: row.driver
    for kind, row in DEVICE_KINDS.items()
    for name in (kind, row.target, *row.other_names)
}

_NUMBERED = [
    name for name, driver in _OTHER_NAMES.items() if DEVICE_KINDS[DRIVERS[driver]].is_numbered
]
"""The names of devices with numbers."""

open_devices: dict[str, Device] = {}
_lock = anew_after_fork(threading.Lock())


def _after_fork() -> None:
    """Marks devices as unusable in a child process, where their threads do not exist."""
    for device in open_devices.values():
        device.usable = not device.has_threads


after_fork(_after_fork)


def get_device(uri: str) -> Device:
    """The device with a name, opened at its first use.

    Raises:
        DeviceError: The driver or device does not exist.

    Example:
        >>> get_device("local-sync")
        Device('local-sync')
    """
    with _lock:
        if not isinstance(uri, str) or uri not in open_devices:  # pyright: ignore
            device = Device(uri)
            open_devices[uri] = device
        device = open_devices[uri]
    device.check_usable()
    return device


def device_kind(uri: str) -> str:
    """The kind of target that a device runs, one of `DEVICE_KINDS`; does not open it.

    Raises:
        DeviceError: The driver does not exist.

    Example:
        >>> device_kind("cuda://1")
        'cuda'
    """
    kind = DRIVERS.get(str(uri).partition("://")[0])
    if kind is not None:
        return kind
    found = re.fullmatch(rf"({'|'.join(_NUMBERED)}):/*(\d+)", str(uri).lower())
    others = {str(uri): f"{_OTHER_NAMES[found[1]]}://{found[2]}"} if found else _OTHER_NAMES
    message = f"no device {describe(uri)}: expected one of {', '.join(DRIVERS)}"
    raise DeviceError(with_hint(message, uri, DRIVERS, others))


def _reason(kind: str, error: Exception) -> str:
    """Why a device does not open: IREE's message, except in the most common cases."""
    for part, reason in DEVICE_KINDS[kind].failures.items():
        if part in str(error):
            return reason
    drivers = ", ".join(sorted(iree.query_available_drivers()))
    return f"{' '.join(str(error).split())} (drivers in this IREE runtime: {drivers})"


def _remedy(kind: str) -> str:
    """What to do about a device that does not open."""
    native = NATIVE_DRIVERS.get(kind)
    return (native.devices_here() if native else "") or DEVICE_KINDS[kind].remedy


class Device:
    """An open IREE device, with the VM instance and HAL module that its programs share.

    Attributes:
        uri: Its name.
        kind: The kind of target it runs, one of `DEVICE_KINDS`.
        native: Its row of `NATIVE_DRIVERS`; None if there is none.
        dlpack: DLPack's device type and number for its memory.
        has_threads: Whether it runs work on its own threads.
        patience: How many seconds a caller stays awake while waiting for them (`waiting.wait`).
        usable: Whether it works in this process. After a fork, the threads exist only in the
            parent, and a call in the child would wait for them forever.
        live_arrays: The arrays on it that callers hold.
    """

    def __init__(self, uri: str) -> None:
        kind = device_kind(uri)
        driver = uri.partition("://")[0]
        pool = pool_options()
        self.uri = uri
        self.usable = True
        self.live_arrays: set[ref[DeviceArray]] = set()
        self.kind = kind
        self.native = NATIVE_DRIVERS.get(kind)
        row = DEVICE_KINDS[kind]
        if row.needs_native and self.native is None:
            raise DeviceError(f"device {uri!r}: {kind} has no row in NATIVE_DRIVERS")
        self.has_threads = driver == "local-task"
        self.patience = 0.0
        if self.has_threads:  # one worker per core, unless a container gets less time
            flags: Any = iree.flags
            flags.parse_flags(f"--task_topology_max_group_count={processors()}")
            self.patience = 0.0 if throttled() or processors() == 1 else PATIENCE
        try:
            allocators: Any = [pool] if self.kind == "local" else []
            self.hal: Any = iree.get_driver(uri).create_device_by_uri(uri, allocators=allocators)
            self.dlpack = row.dlpack, self.native.number_of(uri) if self.native else 0
        except Exception as error:
            reason = _reason(kind, error)
            message = f"device {uri!r} could not be opened: {reason}"
            raise DeviceError("; ".join(filter(None, (message, _remedy(kind)))), reason) from error
        keep_open(self.hal)
        self.instance: Any = iree.VmInstance()
        self.hal_module: Any = iree.create_hal_module(self.instance, self.hal)

    def __repr__(self) -> str:
        return f"Device({self.uri!r})"

    @property
    def architecture(self) -> str | None:
        """A GPU's architecture, sm_89; None if its kind runs code for any, and for CPUs."""
        if self.native is None or DEVICE_KINDS[self.kind].architectures in ("any", "features"):
            return None
        return self.native.architecture(self.dlpack[1])

    def keep(self, array: DeviceArray) -> DeviceArray:
        """Registers an array that a caller holds, until it is freed."""
        self.live_arrays.add(ref(array, self.live_arrays.discard))
        return array

    def check_usable(self) -> None:
        """Checks that the device works in this process.

        Raises:
            DeviceError: Its threads belong to the parent process.
        """
        if not self.usable:
            raise DeviceError(
                "local-task's threads do not survive a fork: use local-sync in the child, or start "
                "it with multiprocessing's spawn"
            )

    def put(self, array: npt.NDArray[Any], spec: TensorSpec) -> DeviceArray:
        """Copies an array to this device; any memory and byte order, but the right dtype.

        Raises:
            DeviceError: The device failed, or has no memory left.
        """
        raw: Any = np.asarray(array, DTYPES[spec.dtype].numpy, order="C")
        if spec.dtype == "bfloat16":  # it has no buffer protocol
            raw = raw.view(np.uint16)
        with RUNNING:
            try:
                view = self.hal.allocator.allocate_buffer_copy(
                    memory_type=iree.MemoryType.DEVICE_LOCAL,
                    allowed_usage=iree.BufferUsage.DEFAULT,
                    device=self.hal,
                    buffer=raw,
                    element_type=ELEMENT_TYPES[spec.dtype],
                )
            except (RuntimeError, ValueError) as error:
                message = f"{self.uri}: copying {spec.name}, {spec}, there failed"
                raise DeviceError(f"{message}: {str(error).strip()}") from error
        return DeviceArray(self, view, spec)

    def adopt(self, capsules: Iterable[object]) -> list[Any]:
        """IREE's views of tensors in this device's memory, which later writes change.

        IREE releases a tensor when nothing uses it any more (`HalDevice::FromDLPackCapsule` in
        hal.cc).

        Args:
            capsules: DLPack capsules of contiguous, complete tensors aligned to `ALIGNMENT`.

        Raises:
            DeviceError: IREE rejects one.
        """
        try:
            return [*map(self.hal.from_dlpack_capsule, capsules)]
        except (IndexError, RuntimeError, ValueError) as error:
            message = f"{self.uri}: a tensor cannot be used in place"
            raise DeviceError(f"{message}: {str(error).strip()}") from error

    def capsules(self, views: Sequence[Any]) -> Iterable[object]:
        """DLPack capsules of the memory of IREE's views, which other views may share.

        Raises:
            RuntimeError: IREE cannot export the memory.
        """
        return map(self.hal.create_dlpack_capsule, views, *map(repeat, self.dlpack))

    def view(self, tensor: Any) -> DeviceArray:
        """A view of another framework's tensor in this GPU's memory.

        IREE uses its own stream, which waits for no other (`CU_STREAM_NON_BLOCKING` in
        cuda_device.c) and is not accessible from Python. So the tensor's owner makes the default
        stream wait for it, and this thread waits for the default stream. IREE releases the tensor
        when nothing uses it any more (`HalDevice::FromDLPackCapsule` in hal.cc).

        Raises:
            BufferError: IREE cannot use it in place.
            DeviceError: The GPU failed.
        """
        if self.native is None:
            raise BufferError(f"IREE cannot wait for other frameworks on {self.uri}")
        capsule = tensor.__dlpack__(stream=self.native.DEFAULT_STREAM)
        self.native.wait_for_default_stream(self.dlpack[1])
        try:
            if address_of(capsule) % ALIGNMENT:
                raise ValueError(f"its address is not a multiple of {ALIGNMENT} bytes")
            with RUNNING:
                view = self.hal.from_dlpack_capsule(capsule)
        except (RuntimeError, ValueError) as error:
            raise BufferError(
                f"{str(error).strip()}: pass a contiguous copy, such as torch's "
                "tensor.clone(memory_format=torch.contiguous_format)"
            ) from error
        names = [name for name, each in ELEMENT_TYPES.items() if each.value == view.element_type]
        if not names:
            raise BufferError(f"its dtype is not one of {', '.join(ELEMENT_TYPES)}: convert it")
        array = DeviceArray(self, view, TensorSpec("view", names[0], tuple(view.shape)))
        array.exported = True
        return array

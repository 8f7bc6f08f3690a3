"""IREE devices by name, and arrays on them.

A device name is IREE's URI: ``local-sync`` (this thread), ``local-task`` (a pool of threads),
``cuda``, ``cuda://1``. Each is opened once per process, and stays open.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable
from typing import Any
from weakref import WeakValueDictionary

import iree.runtime as iree
import numpy as np
import numpy.typing as npt

from rnn_compiler.dtypes import DTYPES
from rnn_compiler.errors import DeviceError, describe, with_hint
from rnn_compiler.manifest import TensorSpec
from rnn_compiler.runtime import cuda_driver
from rnn_compiler.runtime.buffer_pool import pool_options
from rnn_compiler.runtime.dlpack import CPU, CUDA, address_of
from rnn_compiler.runtime.processors import processors, throttled
from rnn_compiler.runtime.shutdown import RUNNING, keep_open
from rnn_compiler.runtime.waiting import PATIENCE

__all__ = ["Device", "DeviceArray", "device_kind", "get_device"]

_ELEMENT_TYPES: dict[str, Any] = {
    "float16": iree.HalElementType.FLOAT_16,
    "bfloat16": iree.HalElementType.BFLOAT_16,
    "float32": iree.HalElementType.FLOAT_32,
    "float64": iree.HalElementType.FLOAT_64,
    "int8": iree.HalElementType.SINT_8,
    "int32": iree.HalElementType.SINT_32,
    "int64": iree.HalElementType.SINT_64,
}

_ALIGNMENT = 64
"""Bytes of which compiled code takes the address of every array to be a multiple (the `alignment`
of `hal.interface.binding.subspan`)."""

_KINDS = {"local-sync": "local", "local-task": "local", "cuda": "cuda"}
"""The drivers this package runs on, and the kind of target each runs."""

_OTHER_NAMES = {"cpu": "local-task", "local": "local-task", "gpu": "cuda"}

_devices: dict[str, Device] = {}
_lock = threading.Lock()


def _after_fork() -> None:
    """In a child, marks devices whose threads are not there."""
    _lock._at_fork_reinit()  # pyright: ignore
    for device in _devices.values():
        device.usable = not device.has_threads


os.register_at_fork(after_in_child=_after_fork)


def get_device(uri: str) -> Device:
    """The device of a name, opened at its first use.

    Raises:
        DeviceError: There is no such driver or device.

    Example:
        >>> get_device("local-sync")
        Device('local-sync')
    """
    with _lock:
        if not isinstance(uri, str) or uri not in _devices:  # pyright: ignore
            device = Device(uri)
            _devices[uri] = device
        device = _devices[uri]
    device.check_usable()
    return device


def device_kind(uri: str) -> str:
    """The kind of target that a device runs, ``"local"`` or ``"cuda"``; nothing is opened.

    Raises:
        DeviceError: There is no such driver.

    Example:
        >>> device_kind("cuda://1")
        'cuda'
    """
    kind = _KINDS.get(str(uri).partition("://")[0])
    if kind is not None:
        return kind
    number = re.fullmatch(r"(?:cuda|gpu):/*(\d+)", str(uri).lower())
    others = {str(uri): f"cuda://{number[1]}"} if number else _OTHER_NAMES
    message = f"no device {describe(uri)}: expected one of {', '.join(_KINDS)}"
    raise DeviceError(with_hint(message, uri, _KINDS, others))


def _reason(error: Exception) -> str:
    """Why a device does not open: what IREE says, but for the commonest case."""
    if "libcuda.so" in str(error):
        return "no NVIDIA driver on this machine (libcuda.so.1 not found)"
    drivers = ", ".join(sorted(iree.query_available_drivers()))
    return f"{' '.join(str(error).split())} (drivers in this IREE runtime: {drivers})"


def _remedy(kind: str) -> str:
    """What to do about a device that does not open."""
    if kind != "cuda":
        return ""
    try:
        driver: Any = iree.get_driver("cuda")
        devices = driver.query_available_devices()
    except RuntimeError:  # no libcuda.so
        return (
            "; a GPU needs NVIDIA's driver, which brings libcuda.so, and in a container its "
            "toolkit (docker run --gpus all): nvidia-smi must list the GPU"
        )
    names = [f"cuda://{number} ({each['name']})" for number, each in enumerate(devices)]
    return f"; NVIDIA GPUs here: {', '.join(names) or 'none'}"


class Device:
    """An open IREE device, with the VM instance and HAL module that programs on it share.

    Attributes:
        uri: Its name.
        kind: The kind of target it runs, ``"local"`` or ``"cuda"``.
        dlpack: What DLPack calls its memory: type of device and its number.
        has_threads: Whether threads of its own run what it is given.
        patience: How many seconds a caller of these stays awake (`waiting.wait`).
        usable: Whether it works in this process. Threads stay with the process that this is a fork
            of, and a call would wait for them for ever.
        kept: The arrays on it that callers have, by their `id`.
    """

    def __init__(self, uri: str) -> None:
        kind = device_kind(uri)
        driver = uri.partition("://")[0]
        pool = pool_options()
        self.uri = uri
        self.usable = True
        self.kept: WeakValueDictionary[int, DeviceArray] = WeakValueDictionary()
        self.kind = kind
        self.has_threads = driver == "local-task"
        self.patience = 0.0
        if self.has_threads:  # a worker a core, but for a container with less time than cores
            flags: Any = iree.flags
            flags.parse_flags(f"--task_topology_max_group_count={processors()}")
            self.patience = 0.0 if throttled() or processors() == 1 else PATIENCE
        try:
            allocators: Any = [pool] if self.kind == "local" else []
            self.hal: Any = iree.get_driver(uri).create_device_by_uri(uri, allocators=allocators)
            self.dlpack = CPU if self.kind == "local" else (CUDA, cuda_driver.number_of(uri))
        except Exception as error:
            reason = _reason(error)
            message = f"device {uri!r} could not be opened: {reason}{_remedy(self.kind)}"
            raise DeviceError(message, reason) from error
        keep_open(self.hal)
        self.instance: Any = iree.VmInstance()
        self.hal_module: Any = iree.create_hal_module(self.instance, self.hal)

    def __repr__(self) -> str:
        return f"Device({self.uri!r})"

    @property
    def capability(self) -> int | None:
        """The compute capability of a GPU, 89 for 8.9; of a CPU None."""
        return cuda_driver.capability(self.dlpack[1]) if self.kind == "cuda" else None

    def check_usable(self) -> None:
        """Checks that the device works in this process.

        Raises:
            DeviceError: Its threads are those of the process that this one was forked from.
        """
        if not self.usable:
            raise DeviceError(
                "local-task's threads do not survive a fork: use local-sync in the child, or start "
                "it with multiprocessing's spawn"
            )

    def put(self, array: npt.NDArray[Any], spec: TensorSpec) -> DeviceArray:
        """A copy of an array on this device; of any memory and byte order, but the right dtype."""
        raw: Any = np.asarray(array, DTYPES[spec.dtype].numpy, order="C")
        if spec.dtype == "bfloat16":  # which has no buffer protocol
            raw = raw.view(np.uint16)
        with RUNNING:
            view = self.hal.allocator.allocate_buffer_copy(
                memory_type=iree.MemoryType.DEVICE_LOCAL,
                allowed_usage=iree.BufferUsage.DEFAULT,
                device=self.hal,
                buffer=raw,
                element_type=_ELEMENT_TYPES[spec.dtype],
            )
        return DeviceArray(self, view, spec)

    def view(self, tensor: Any) -> DeviceArray:
        """A tensor of another framework in this GPU's memory, as it is.

        IREE 3.13 has a stream of its own, which waits for no other (`CU_STREAM_NON_BLOCKING` in
        cuda_device.c) and is not known to Python. So the tensor's owner makes the default stream
        wait for it, and this thread waits for that. IREE gives the tensor back to its owner when
        nothing uses it any more (`HalDevice::FromDLPackCapsule` in hal.cc).

        Raises:
            BufferError: IREE does not take it as it is.
            DeviceError: The GPU failed.
        """
        capsule = tensor.__dlpack__(stream=cuda_driver.DEFAULT_STREAM)
        cuda_driver.wait_for_default_stream(self.dlpack[1])
        try:
            if address_of(capsule) % _ALIGNMENT:
                raise ValueError(f"its address is no multiple of {_ALIGNMENT} bytes")
            with RUNNING:
                view = self.hal.from_dlpack_capsule(capsule)
        except (RuntimeError, ValueError) as error:
            raise BufferError(
                f"{str(error).strip()}: pass a contiguous copy, such as torch's "
                "tensor.clone(memory_format=torch.contiguous_format)"
            ) from error
        names = [name for name, each in _ELEMENT_TYPES.items() if each.value == view.element_type]
        if not names:
            raise BufferError(f"its dtype is none of {', '.join(_ELEMENT_TYPES)}: convert it")
        array = DeviceArray(self, view, TensorSpec("view", names[0], tuple(view.shape)))
        array.exported = True
        return array


class DeviceArray:
    """An immutable array on a device: a result of a call, or what `Program.to_device` made.

    Passing it to a program on the same device copies nothing. `to_host` and `numpy.asarray` give
    its elements as a read-only array; other frameworks view it with their ``from_dlpack``. What
    they write there changes this array, and what `to_host` gave of it, but no other array.

    Attributes:
        device: Where it is.
        exported: Whether something else has its memory, and might write there.
    """

    __slots__ = ("__weakref__", "_host", "_spec", "_view", "device", "exported")

    def __init__(self, device: Device, view: Any, spec: TensorSpec) -> None:
        self.device = device
        self._view = view
        self._spec = spec
        self._host: npt.NDArray[Any] | None = None
        self.exported = False

    def matches(self, spec: TensorSpec) -> bool:
        """Whether it is what an argument takes, whatever its elements are."""
        own = self._spec
        return own.shape == spec.shape and own.dtype == spec.dtype and spec.maximum is None

    @property
    def on_host(self) -> bool:
        """Whether its elements can be read without a transfer."""
        return self.device.kind == "local"

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self._spec.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its numpy dtype."""
        return DTYPES[self._spec.dtype].numpy

    @property
    def dtype_name(self) -> str:
        """Name of its dtype, ``"bfloat16"``."""
        return self._spec.dtype

    @property
    def ref(self) -> Any:
        """The reference that IREE's VM takes."""
        return self._view.ref

    def __repr__(self) -> str:
        return f"DeviceArray({self._spec.dtype}{list(self.shape)}, {self.device.uri})"

    def __deepcopy__(self, memo: object = None) -> DeviceArray:
        return self

    __copy__ = __deepcopy__

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a scalar DeviceArray")
        return self.shape[0]

    def to_host(self) -> npt.NDArray[Any]:
        """Its elements as a read-only array, without a copy where the device shares the memory."""
        if self._host is None:
            self._host = self.map(writable=False)
        return self._host

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.to_host(), dtype, copy=copy)

    def copy(self) -> DeviceArray:
        """The same in memory of its own, which never leaves the device."""
        source, hal = self._view.get_buffer(), self.device.hal
        with RUNNING:
            target = hal.allocator.allocate_buffer(
                memory_type=iree.MemoryType.DEVICE_LOCAL,
                allowed_usage=iree.BufferUsage.DEFAULT,
                allocation_size=source.byte_length(),
            )
            semaphore = hal.create_semaphore(0)
            before, after = (iree.HalFence.create_at(semaphore, value) for value in (0, 1))
            hal.queue_copy(source, target, before, after)
            after.wait()
        view = iree.HalBufferView(target, self.shape, _ELEMENT_TYPES[self.dtype_name])
        return DeviceArray(self.device, view, self._spec)

    def move(self) -> None:
        """Puts it into memory of its own."""
        self._view, self._host = self.copy()._view, None

    def shares_memory(self, others: Iterable[DeviceArray]) -> bool:
        """Whether one of some other arrays on its device is in its memory.

        A module may return one buffer for several equal results, or an argument as it came.
        """
        start, stop = self._span()
        spans = (other._span() for other in others if other is not self)
        return any(start < other_stop and other_start < stop for other_start, other_stop in spans)

    def _span(self) -> tuple[int, int]:
        """Where its memory begins and ends; nothing if IREE does not say, and so exports it not."""
        try:
            capsule = self.device.hal.create_dlpack_capsule(self._view, *self.device.dlpack)
        except RuntimeError:
            return 0, 0
        start = address_of(capsule)
        return start, start + self._view.get_buffer().byte_length()

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where DLPack finds it."""
        return self.device.dlpack

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Its memory for another framework, which keeps it alive.

        Copied if `copy` is true, and, unless it is false, once if another array is in its memory,
        or on a GPU, where results are in memory of a pool that IREE 3.13 does not export
        (`iree_hal_cuda_allocator_export_buffer` in cuda_allocator.c). What is on a device is
        ready, so that no stream need wait for it.

        Raises:
            BufferError: It is not where it is wanted, or not to be had without a copy.
        """
        del max_version  # an older version may be given
        place = self.device.dlpack
        if self.on_host and ((dl_device or CPU) != CPU or stream is not None):
            raise BufferError(f"it is in this machine's memory, {CPU}, which has no streams")
        if (dl_device or place) != place:
            raise BufferError(
                f"it is on {self.device.uri}, {place}: to_host() copies it from there"
            )
        others = [each() for each in self.device.kept.valuerefs()]  # while threads add more
        if not copy and self.shares_memory(each for each in others if each is not None):
            if copy is False:
                raise BufferError("it shares its memory with another array: let it be copied")
            self.move()
        there = self.copy() if copy else self
        there.exported = True
        try:
            return self.device.hal.create_dlpack_capsule(there._view, *place)
        except RuntimeError as error:
            if copy is False:
                raise BufferError(f"{str(error).strip()}: let it be copied, once") from error
            self.move()
            return self.device.hal.create_dlpack_capsule(self._view, *place)

    def map(self, *, writable: bool = True) -> npt.NDArray[Any]:
        """Its memory as an array, a writable one for whoever knows that nobody else uses it."""
        if 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        raw = np.dtype(np.uint16) if self._spec.dtype == "bfloat16" else self.dtype
        if self.device.kind == "local":
            mapping = self._view.map()
            memory = _Memory(mapping, mapping.asarray(self.shape, raw), writable)
            array: Any = np.asarray(memory)
        else:
            array = np.array(iree.DeviceArray(self.device.hal, self._raw_view()).to_host())
        return array.view(self.dtype)

    def _raw_view(self) -> Any:
        """It as IREE's Python copies it from a device: that knows no bfloat16."""
        if self._spec.dtype != "bfloat16":
            return self._view
        buffer = self._view.get_buffer()
        return iree.HalBufferView(buffer, self.shape, iree.HalElementType.UINT_16)


class _Memory:
    """A mapping as the owner of an array's memory, which views of the array then keep alive.

    What a mapping's `asarray` returns is itself a view, kept alive by a weak reference: numpy hands
    a view of it past it to its base, and the memory is gone while the second view still uses it.
    """

    __slots__ = ("__array_interface__", "_mapping")

    def __init__(self, mapping: Any, array: npt.NDArray[Any], writable: bool) -> None:
        address: int = array.__array_interface__["data"][0]
        self.__array_interface__ = {
            **array.__array_interface__,
            "data": (address, not writable),
        }
        self._mapping = mapping

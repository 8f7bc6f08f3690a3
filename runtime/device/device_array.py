"""Arrays on a device: results of calls, which other frameworks can view."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import iree.runtime as iree
import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.host_arrays import CPU, address_of
from rnn_compiler.schema.specs import TensorSpec

if TYPE_CHECKING:
    from rnn_compiler.runtime.device.devices import Device

__all__ = ["ELEMENT_TYPES", "DeviceArray"]

ELEMENT_TYPES: dict[str, Any] = {
    "float16": iree.HalElementType.FLOAT_16,
    "bfloat16": iree.HalElementType.BFLOAT_16,
    "float32": iree.HalElementType.FLOAT_32,
    "float64": iree.HalElementType.FLOAT_64,
    "int8": iree.HalElementType.SINT_8,
    "int32": iree.HalElementType.SINT_32,
    "int64": iree.HalElementType.SINT_64,
    "bool": iree.HalElementType.BOOL_8,
    "int16": iree.HalElementType.SINT_16,
    "uint8": iree.HalElementType.UINT_8,
    "uint16": iree.HalElementType.UINT_16,
    "uint32": iree.HalElementType.UINT_32,
    "uint64": iree.HalElementType.UINT_64,
}
"""IREE's name for each dtype."""

_ON_DEVICE = (iree.MemoryType.DEVICE_LOCAL, iree.BufferUsage.DEFAULT)
"""The memory and the usage of a buffer for compiled code."""

_STAGING = (
    int(iree.MemoryType.HOST_LOCAL) | int(iree.MemoryType.DEVICE_VISIBLE),
    int(iree.BufferUsage.TRANSFER_TARGET) | int(iree.BufferUsage.MAPPING_SCOPED),
)
"""The memory and the usage of a buffer that a device writes and the host reads."""


class DeviceArray:
    """An immutable array on a device: a result of a call or of `Program.to_device`.

    Passing it to a program on the same device copies nothing. `to_host` and `numpy.asarray` return
    its elements as a read-only array; other frameworks view it with their ``from_dlpack``. Writes
    through such a view change this array and results of its `to_host`, but no other array.

    Attributes:
        device: Its device.
        exported: Whether its memory has been exported, and might be written to.
    """

    __slots__ = (
        *("__weakref__", "_host", "_memory", "_extent", "_spec", "_view_of", "device"),
        "exported",
    )

    def __init__(
        self,
        device: Device,
        view: Any,
        spec: TensorSpec,
        memory: npt.NDArray[np.uint8] | None = None,
        extent: tuple[int, int] | None = None,
    ) -> None:
        """Creates an array.

        Args:
            device: Its device.
            view: IREE's view of it; None if it is in memory that IREE does not know yet.
            spec: Its shape and dtype.
            memory: That host memory, to which nothing else writes.
            extent: The addresses of its first byte and of the byte after its last.
        """
        self.device = device
        self._view_of = view
        self._spec = spec
        self._memory, self._extent = memory, extent
        self._host: npt.NDArray[Any] | None = None
        self.exported = False

    @property
    def _view(self) -> Any:
        """IREE's view of it, made when it is first needed."""
        if self._view_of is None and not self.nbytes:  # numpy aligns no memory for it
            empty = np.zeros(self.shape, self.dtype)
            self._view_of = self.device.put(empty, self._spec)._view
        elif self._view_of is None:
            (view,) = self.device.adopt([self._bytes().__dlpack__()])
            kind = ELEMENT_TYPES[self._spec.dtype]
            self._view_of = iree.HalBufferView(view.get_buffer(), self.shape, kind)
            self.device.keep(self)  # a call may return it unchanged
        return self._view_of

    def _bytes(self) -> npt.NDArray[np.uint8]:
        """Its bytes, whether IREE knows their memory or not."""
        memory: Any = self._memory
        start, stop = self._span()
        offset = start - memory.__array_interface__["data"][0]
        return memory[offset : offset + stop - start]

    def matches(self, spec: TensorSpec) -> bool:
        """Whether its dtype and shape match an argument."""
        own = self._spec
        has_shape = spec.ignored or own.shape == spec.shape
        return has_shape and own.dtype == spec.dtype and spec.maximum is None

    @property
    def on_host(self) -> bool:
        """Whether its elements can be read without a transfer."""
        return self.device.kind == "local"

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self._spec.static_shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its numpy dtype."""
        return DTYPES[self._spec.dtype].numpy

    @property
    def nbytes(self) -> int:
        """The size of its elements in bytes."""
        spec = self._spec
        return math.prod(spec.static_shape) * DTYPES[spec.dtype].numpy.itemsize

    @property
    def address(self) -> int:
        """The address of its first element in device memory."""
        return self._span()[0]

    @property
    def dtype_name(self) -> str:
        """The name of its dtype, ``"bfloat16"``."""
        return self._spec.dtype

    @property
    def ref(self) -> Any:
        """The reference for IREE's VM."""
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
        """Its elements as a read-only array, without a copy if the device shares host memory."""
        if self._host is None:
            self._host = self.map(writable=False)
        return self._host

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.to_host(), dtype, copy=copy)

    def copy(self) -> DeviceArray:
        """A copy in separate memory, made on the device.

        Raises:
            DeviceError: The device failed or has no memory left, or its threads belong to the
                parent process.
        """
        size = self._view.get_buffer().byte_length()
        return self._copied(self._spec, size, self.device.hal.queue_copy)

    def row(self, number: int) -> DeviceArray:
        """A copy of one row along the first axis, made on the device.

        Raises:
            IndexError: The row does not exist.
            DeviceError: As for `copy`.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"row {number} of {self}")
        spec = replace(self._spec, shape=self.shape[1:])
        size = self.nbytes // len(self)

        def copy(source: Any, target: Any, before: Any, after: Any) -> None:
            commands = iree.HalCommandBuffer(self.device.hal)
            commands.copy(source, target, number * size, 0, size, end=True)
            self.device.hal.queue_execute(commands, before, after)  # one, not a list

        return self._copied(spec, size, copy)

    def _copied(self, spec: TensorSpec, size: int, copy: Callable[..., None]) -> DeviceArray:
        """An array of the given size that a function copies from it."""
        self.device.check_usable()
        with RUNNING, self._failing("copying"):
            target = self._buffer(size, copy, *_ON_DEVICE)
        view = iree.HalBufferView(target, spec.static_shape, ELEMENT_TYPES[spec.dtype])
        return DeviceArray(self.device, view, spec)

    def _buffer(self, size: int, copy: Callable[..., None], memory: int, usage: int) -> Any:
        """A buffer of some memory type and usage that a function copies from it."""
        hal = self.device.hal
        target = hal.allocator.allocate_buffer(
            memory_type=memory, allowed_usage=usage, allocation_size=size
        )
        semaphore = hal.create_semaphore(0)
        before, after = (iree.HalFence.create_at(semaphore, value) for value in (0, 1))
        copy(self._view.get_buffer(), target, before, after)
        after.wait()
        return target

    def capsule(self) -> object:
        """A DLPack capsule of its memory, which other arrays may share.

        Raises:
            RuntimeError: IREE does not export its memory.
        """
        (capsule,) = self.device.capsules([self._view])
        self.exported = True
        return capsule

    def move(self) -> None:
        """Moves it to separate memory."""
        self._view_of, self._host, self._extent = self.copy()._view, None, None
        self._memory = None

    def shares_memory(self, others: Iterable[DeviceArray]) -> bool:
        """Whether it shares memory with any of some other arrays on its device.

        A module may return one buffer for several equal results, or return an argument unchanged.
        """
        start, stop = self._span()
        spans = (other._span() for other in others if other is not self)
        return any(start < other_stop and other_start < stop for other_start, other_stop in spans)

    def _span(self) -> tuple[int, int]:
        """Where its memory begins and ends; empty if IREE cannot tell, and so cannot export it."""
        if self._extent is None:
            try:
                (capsule,) = self.device.capsules([self._view])
                start = address_of(capsule)
                self._extent = start, start + self._view.get_buffer().byte_length()
            except RuntimeError:
                self._extent = 0, 0
        return self._extent

    def __dlpack_device__(self) -> tuple[int, int]:
        """Its DLPack device."""
        return self.device.dlpack

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Exports its memory to another framework, which keeps it alive.

        It is copied if `copy` is true. Unless `copy` is false, it is also copied, once, if it
        shares memory with another array, or on a GPU, where IREE cannot export memory of its
        pool (`iree_hal_cuda_allocator_export_buffer` in cuda_allocator.c). Data on a device is
        complete, so no stream needs to wait for it.

        Raises:
            BufferError: It is on another device, or cannot be exported without a copy.
        """
        del max_version  # an older version is allowed
        own = self.device.dlpack
        if self.on_host and ((dl_device or CPU) != CPU or stream is not None):
            raise BufferError(f"it is in this machine's memory, {CPU}, which has no streams")
        if (dl_device or own) != own:
            raise BufferError(f"it is on {self.device.uri}, {own}: to_host() copies it from there")
        kind = DEVICE_KINDS[self.device.kind]
        if not kind.is_exported:
            raise BufferError(f"IREE exports no memory of {kind.description}: to_host() copies it")
        others = [each() for each in self.device.live_arrays.copy()]  # while threads add more
        if not copy and self.shares_memory(each for each in others if each is not None):
            if copy is False:
                raise BufferError("it shares its memory with another array: allow a copy")
            self.move()
        there = self.copy() if copy else self
        try:
            return there.capsule()
        except RuntimeError as error:
            if copy is False:
                raise BufferError(f"{str(error).strip()}: allow one copy") from error
            there.move()
            return there.capsule()

    def map(self, *, writable: bool = True) -> npt.NDArray[Any]:
        """Its memory as an array, writable for callers that know it is not shared."""
        if 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        if self._memory is not None:
            own: Any = self._bytes()
            own = own.view(self.dtype).reshape(self.shape)
            own.flags.writeable = writable
            return own
        raw = np.dtype(np.uint16) if self._spec.dtype == "bfloat16" else self.dtype
        if self.device.kind == "local":
            mapping = self._view.map()
            memory = _MappingOwner(mapping, mapping.asarray(self.shape, raw), writable)
            array: Any = np.asarray(memory)
        else:
            array = np.array(self._transferred())
        return array.view(self.dtype)

    def fetch(self) -> npt.NDArray[Any]:
        """A copy of its elements on the host; for a few elements this is faster than a view."""
        spec = self._spec
        if self.device.kind != "local" or 0 in spec.shape:
            return self.map()
        if self._memory is not None:
            own: Any = self.map()
            return own.copy()
        memory: Any = np.ndarray(spec.static_shape, DTYPES[spec.dtype].numpy, self._view.map())
        return memory.copy()

    def _transferred(self) -> npt.NDArray[Any]:
        """A copy of its elements, transferred from the device."""
        with RUNNING, self._failing("copying from there"):
            if DEVICE_KINDS[self.device.kind].is_staged:
                return self._staged()
            return iree.DeviceArray(self.device.hal, self._raw_view()).to_host()

    def _staged(self) -> npt.NDArray[Any]:
        """A copy through a buffer of the device's that the host can read.

        IREE's copy lets the device write to numpy's memory, which not every kind can.
        """
        size = self._view.get_buffer().byte_length()
        staging = self._buffer(size, self.device.hal.queue_copy, *_STAGING)
        mapping = staging.map()
        return np.array(mapping.asarray(self.shape, self.dtype))

    @contextmanager
    def _failing(self, what: str) -> Generator[None]:
        """Converts IREE's errors to DeviceErrors."""
        try:
            yield
        except (RuntimeError, ValueError) as error:
            message = f"{self.device.uri}: {what} {self} failed: {str(error).strip()}"
            raise DeviceError(message) from error

    def _raw_view(self) -> Any:
        """A view for IREE's Python copy function, which does not support bfloat16."""
        if self._spec.dtype != "bfloat16":
            return self._view
        buffer = self._view.get_buffer()
        return iree.HalBufferView(buffer, self.shape, iree.HalElementType.UINT_16)


class _MappingOwner:
    """Makes a mapping the owner of an array's memory, so that views of the array keep it alive.

    A mapping's own `asarray` returns a view that holds only a weak reference. A view of that view
    refers to its base instead, so the memory would be freed while the second view still uses it.
    """

    __slots__ = ("__array_interface__", "_mapping")

    def __init__(self, mapping: Any, array: npt.NDArray[Any], writable: bool) -> None:
        address: int = array.__array_interface__["data"][0]
        self.__array_interface__ = {
            **array.__array_interface__,
            "data": (address, not writable),
        }
        self._mapping = mapping

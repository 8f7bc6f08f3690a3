"""Arrays on a device: what calls give, and what other frameworks view."""

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
from rnn_compiler.schema.dlpack import CPU, address_of
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import TensorSpec

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
"""What IREE calls each dtype."""


class DeviceArray:
    """An immutable array on a device: a result of a call, or what `Program.to_device` made.

    Passing it to a program on the same device copies nothing. `to_host` and `numpy.asarray` give
    its elements as a read-only array; other frameworks view it with their ``from_dlpack``. What
    they write there changes this array, and what `to_host` gave of it, but no other array.

    Attributes:
        device: Where it is.
        exported: Whether something else has its memory, and might write there.
    """

    __slots__ = ("__weakref__", "_host", "_place", "_spec", "_view", "device", "exported")

    def __init__(self, device: Device, view: Any, spec: TensorSpec) -> None:
        self.device = device
        self._view = view
        self._spec = spec
        self._host: npt.NDArray[Any] | None = None
        self._place: tuple[int, int] | None = None
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
        return self._spec.static_shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its numpy dtype."""
        return DTYPES[self._spec.dtype].numpy

    @property
    def nbytes(self) -> int:
        """How many bytes its elements have."""
        spec = self._spec
        return math.prod(spec.static_shape) * DTYPES[spec.dtype].numpy.itemsize

    @property
    def address(self) -> int:
        """Where its elements begin, in the memory of its device."""
        return self._span()[0]

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
        """The same in memory of its own, which never leaves the device.

        Raises:
            DeviceError: The device failed or has no memory left, or its threads are those of the
                process that this one was forked from.
        """
        size = self._view.get_buffer().byte_length()
        return self._copied(self._spec, size, self.device.hal.queue_copy)

    def row(self, number: int) -> DeviceArray:
        """One of its rows, of the first axis, in memory of its own, which never leaves the device.

        Raises:
            IndexError: There is no such row.
            DeviceError: As for `copy`.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"row {number} of {self}")
        spec = replace(self._spec, shape=self.shape[1:])
        size = self.nbytes // len(self)

        def copy(source: Any, target: Any, before: Any, after: Any) -> None:
            commands = iree.HalCommandBuffer(self.device.hal)
            commands.copy(source, target, number * size, 0, size, end=True)
            self.device.hal.queue_execute(commands, before, after)  # 3.13 takes one, not a list

        return self._copied(spec, size, copy)

    def _copied(self, spec: TensorSpec, size: int, copy: Callable[..., None]) -> DeviceArray:
        """What something copies of it, as an array: so many bytes."""
        self.device.check_usable()
        hal = self.device.hal
        with RUNNING, self._failing("copying"):
            target = hal.allocator.allocate_buffer(
                memory_type=iree.MemoryType.DEVICE_LOCAL,
                allowed_usage=iree.BufferUsage.DEFAULT,
                allocation_size=size,
            )
            semaphore = hal.create_semaphore(0)
            before, after = (iree.HalFence.create_at(semaphore, value) for value in (0, 1))
            copy(self._view.get_buffer(), target, before, after)
            after.wait()
        view = iree.HalBufferView(target, spec.static_shape, ELEMENT_TYPES[spec.dtype])
        return DeviceArray(self.device, view, spec)

    def capsule(self) -> object:
        """DLPack's capsule of its memory, whatever else lies there.

        Raises:
            RuntimeError: IREE does not export its memory.
        """
        (capsule,) = self.device.capsules([self._view])
        self.exported = True
        return capsule

    def move(self) -> None:
        """Puts it into memory of its own."""
        self._view, self._host, self._place = self.copy()._view, None, None

    def shares_memory(self, others: Iterable[DeviceArray]) -> bool:
        """Whether one of some other arrays on its device is in its memory.

        A module may return one buffer for several equal results, or an argument as it came.
        """
        start, stop = self._span()
        spans = (other._span() for other in others if other is not self)
        return any(start < other_stop and other_start < stop for other_start, other_stop in spans)

    def _span(self) -> tuple[int, int]:
        """Where its memory begins and ends; nothing if IREE does not say, and so exports it not."""
        if self._place is None:
            try:
                (capsule,) = self.device.capsules([self._view])
                start = address_of(capsule)
                self._place = start, start + self._view.get_buffer().byte_length()
            except RuntimeError:
                self._place = 0, 0
        return self._place

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
        others = [each() for each in self.device.kept.copy()]  # while threads add more
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
        """Its memory as an array, a writable one for whoever knows that nobody else uses it."""
        if 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        raw = np.dtype(np.uint16) if self._spec.dtype == "bfloat16" else self.dtype
        if self.device.kind == "local":
            mapping = self._view.map()
            memory = _Memory(mapping, mapping.asarray(self.shape, raw), writable)
            array: Any = np.asarray(memory)
        else:
            array = np.array(self._transferred())
        return array.view(self.dtype)

    def fetch(self) -> npt.NDArray[Any]:
        """A copy of its elements on the host; of few, sooner made than a view of them."""
        spec = self._spec
        if self.device.kind != "local" or 0 in spec.shape:
            return self.map()
        memory: Any = np.ndarray(spec.static_shape, DTYPES[spec.dtype].numpy, self._view.map())
        return memory.copy()

    def _transferred(self) -> npt.NDArray[Any]:
        """A copy of its elements that has come from a device."""
        with RUNNING, self._failing("copying from there"):
            return iree.DeviceArray(self.device.hal, self._raw_view()).to_host()

    @contextmanager
    def _failing(self, what: str) -> Generator[None]:
        """Gives IREE's errors a name."""
        try:
            yield
        except (RuntimeError, ValueError) as error:
            message = f"{self.device.uri}: {what} {self} failed: {str(error).strip()}"
            raise DeviceError(message) from error

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

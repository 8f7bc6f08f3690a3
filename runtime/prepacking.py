"""Packs weights once for a function that is called with the same weights repeatedly.

A compiled function packs its weights for the processor at every call. With its companions
(`FunctionSpec.prepack`, `FunctionSpec.prepacked`), weights that stay on the device are packed only
once. This is safe because a `DeviceArray` does not change unless its memory has been exported by
DLPack, and such arrays are excluded. The first call with some weights is an ordinary one, the
second packs them, and later calls use the packed copy. The results are the same.

The packed copy takes about as much memory as the weights, twice as much for 16-bit ones, and lives
as long as the program and the first of the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, ref

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.huge_pages import use_huge_pages
from rnn_compiler.schema.specs import TensorSpec

__all__ = ["Prepacking", "packed_arrays"]


def packed_arrays(device: Device, views: Sequence[Any]) -> list[DeviceArray]:
    """Packed weights, as IREE returned them, as arrays on huge pages."""
    sizes = [view.get_buffer().byte_length() for view in views]
    specs = [TensorSpec("packed", "uint8", (size,)) for size in sizes]
    arrays = [DeviceArray(device, *each) for each in zip(views, specs, strict=True)]
    for array in arrays if device.kind == "local" else ():
        use_huge_pages(array.address, array.nbytes)
    return arrays


@dataclass
class _Entry:
    """The cache entry for some weights.

    Attributes:
        others: All weights except the first, which is the key.
        packed: Their packed form; None before it is computed, empty if there is no memory for it.
    """

    others: tuple[ref[DeviceArray], ...]
    packed: Sequence[DeviceArray] | None = None


class Prepacking:
    """The packed weights of one function."""

    def __init__(
        self,
        device: Device,
        indices: Sequence[int],
        run_prepack: Callable[[Sequence[DeviceArray]], Sequence[DeviceArray]],
    ) -> None:
        """Creates an empty cache; `run_prepack` runs the companion that packs weights."""
        self._device, self._indices, self.run_prepack = device, indices, run_prepack
        self.entries: WeakKeyDictionary[DeviceArray, _Entry] = WeakKeyDictionary()

    def of(self, arguments: Sequence[object]) -> Sequence[DeviceArray]:
        """The packed weights of a call's arguments; empty if the call does not use any."""
        weights: list[DeviceArray] = []
        for index in self._indices:
            array = arguments[index]
            if not isinstance(array, DeviceArray) or array.device is not self._device:
                return ()
            if array.exported:
                self.entries.pop(array, None)
                return ()
            weights.append(array)
        first, *rest = weights
        others = tuple(map(ref, rest))
        entry = self.entries.get(first)
        if entry is None or entry.others != others:
            self.entries[first] = _Entry(others)
            return ()
        if entry.packed is None:
            try:
                entry.packed = self.run_prepack(weights)
            except (RuntimeError, ValueError):  # out of memory; the function itself needs less
                entry.packed = ()
        return entry.packed

"""Weights packed once, for a function that is called with the same ones again and again.

A compiled function puts its weights in an order that suits the processor, at every call. It may
have companions (`FunctionSpec.prepack`, `FunctionSpec.prepacked`) that let this be done once, for
weights that stay on the device: a `DeviceArray` does not change, unless its memory was given out by
DLPack, and then it is not taken. The first call with some weights
is an ordinary one, the second packs them, and from then on they are taken packed. The numbers are
the same.

What is packed takes about as much memory as the weights, twice as much for 16-bit ones, and lives
as long as the program and they do (the first of several).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, ref

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.huge_pages import use_huge_pages
from rnn_compiler.schema.manifest import TensorSpec

__all__ = ["Prepacking", "packed_arrays"]


def packed_arrays(device: Device, views: Sequence[Any]) -> list[DeviceArray]:
    """IREE's views of what was packed as arrays, on huge pages."""
    sizes = [view.get_buffer().byte_length() for view in views]
    specs = [TensorSpec("packed", "uint8", (size,)) for size in sizes]
    arrays = [DeviceArray(device, *each) for each in zip(views, specs, strict=True)]
    for array in arrays if device.kind == "local" else ():
        use_huge_pages(array.address, array.nbytes)
    return arrays


@dataclass
class _Entry:
    """What is kept for some weights.

    Attributes:
        others: All of them but the first, under which this is found.
        packed: What was made of them; None until then, nothing if there is no memory for it.
    """

    others: tuple[ref[DeviceArray], ...]
    packed: Sequence[DeviceArray] | None = None


class Prepacking:
    """What one function has packed."""

    def __init__(
        self,
        device: Device,
        places: Sequence[int],
        pack: Callable[[Sequence[DeviceArray]], Sequence[DeviceArray]],
    ) -> None:
        """Starts with nothing.

        Args:
            device: Where the function runs.
            places: Which of its arguments are weights.
            pack: Packs these.
        """
        self._device, self._places, self.pack = device, places, pack
        self.entries: WeakKeyDictionary[DeviceArray, _Entry] = WeakKeyDictionary()

    def of(self, arguments: Sequence[object]) -> Sequence[DeviceArray]:
        """What is packed of the weights among a call's arguments; none if it does without."""
        weights: list[DeviceArray] = []
        for place in self._places:
            array = arguments[place]
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
                entry.packed = self.pack(weights)
            except (RuntimeError, ValueError):  # out of memory: the function itself needs less
                entry.packed = ()
        return entry.packed

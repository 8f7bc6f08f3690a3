"""Decides which calls of a function are direct: calls that need little memory.

A direct call runs in the calling thread, so with local-task only calls that threads would not speed
up are direct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.placement import WORK_FOR_THREADS, work
from rnn_compiler.runtime.direct.calls import Calls
from rnn_compiler.runtime.direct.functions import DirectFunction
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["Routing"]

_KNOWN, _ONCE = 64, 16
"""The numbers of sizes kept: with known calls, and of those called only once, the latest."""


_CHUNK = 16
"""The most steps of a chunk of a stream, for a batch of one row."""

_CHUNK_FOR_THREADS = 4 * WORK_FOR_THREADS
"""The least `work` for which a chunk runs on threads.

Starting them takes time, and most of the rest is reading weights, which one thread does
nearly as fast. More than two processors would help the largest of these, so the limit is below
them. An LSTM's chunks on two cores of an AMD Zen 5, microseconds:

==================  =====  ============  ==========
steps, I = H        work   direct calls  local-task
==================  =====  ============  ==========
1, 512               38 M            97         134
1, 640               59 M           141         203
10, 512              76 M           636         623
1, 768               85 M           295         352
10, 640             118 M           885         963
==================  =====  ============  ==========
"""


def _is_for_threads(spec: FunctionSpec) -> bool:
    dims = spec.static_dims
    rows, steps = (dims.get(name, 1) for name in ("batch_size", "seq_length"))
    is_chunk = rows == 1 and steps <= _CHUNK
    return work(spec) >= (_CHUNK_FOR_THREADS if is_chunk else WORK_FOR_THREADS)


class Routing:
    """The direct calls of a function, with plain or packed weights.

    Attributes:
        is_direct: Whether there are any.
    """

    def __init__(
        self, spec: FunctionSpec, device: Device, functions: Mapping[str, DirectFunction]
    ) -> None:
        """Finds the direct calls.

        Args:
            spec: The function.
            device: The device that other calls run on.
            functions: The functions of its module that can be called directly.
        """
        self._as_it_is = functions.get(spec.function)
        self._prepacked = functions.get(spec.prepacked)
        self._prepack = functions.get(spec.prepack)
        self.is_direct = self._as_it_is is not None
        self._device, self._open = device, spec.open_dims
        self._once: dict[tuple[int, bool], FunctionSpec] = {}
        self._known: dict[tuple[int, bool], tuple[FunctionSpec, Calls | None]] = {}

    def take_packed(self, packed: Sequence[DeviceArray]) -> None:
        """Stores the packed frozen weights."""
        if self._prepack is not None:
            self._prepack.take_packed(packed)

    def of(self, spec: FunctionSpec, packed: bool, again: bool = False) -> Calls | None:
        """The calls of the function at certain sizes; None if they must go through IREE.

        Args:
            spec: The function at these sizes.
            packed: Whether packed weights are passed.
            again: Whether these sizes will come again; otherwise the first call goes through IREE.
        """
        key = id(spec), packed
        known = self._known.get(key)
        if known is None:
            if self._open and not again and key not in self._once:  # preparing takes 1 ms
                self._once = {key: spec, **dict([*self._once.items()][: _ONCE - 1])}
                return None
            known = spec, self._found(spec, packed)
            if len(self._known) >= _KNOWN:
                self._known.clear()  # other threads may do so at any time
            self._known[key] = known
        return known[1]

    def _found(self, spec: FunctionSpec, packed: bool) -> Calls | None:
        function = self._prepacked if packed else self._as_it_is
        if function is None or (self._device.has_threads and _is_for_threads(spec)):
            return None
        return function.at(spec, {name: spec.static_dims[name] for name in self._open})

"""Direct calls of a function with numpy arrays.

Small arguments and results are copied to and from the call's own memory; large ones are used in
place. Calls that need much memory of their own go through IREE instead, because its memory pool
saves more time than the direct call does.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.direct.executable import NoDirectCallsError
from rnn_compiler.runtime.direct.memory import address_of, aligned_array, is_ready, typed
from rnn_compiler.runtime.direct.plan import Plan
from rnn_compiler.runtime.direct.pointers import PointerCalls
from rnn_compiler.runtime.direct.prepared import Prepared
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.schedule import Storage

__all__ = ["Calls"]

SMALL = 1 << 15
"""The size in bytes up to which an argument or a result is copied."""

LARGE = 2 << 20
"""The most memory in bytes that a direct call may need."""

Array = npt.NDArray[Any]


class Calls:
    """Calls of a function at certain sizes.

    Attributes:
        plan: The plan of a call.
        gives_arguments: Whether a result is an argument, returned unchanged.
    """

    def __init__(self, plan: Plan, spec: FunctionSpec) -> None:
        """Prepares the calls.

        Raises:
            NoDirectCallsError: They need too much memory.
        """
        self.plan = plan
        self._arguments = spec.arguments
        self._results = spec.results
        kinds = [DTYPES[each.dtype].numpy for each in spec.results]
        self._shapes = [*zip(kinds, (each.static_shape for each in spec.results), strict=True)]
        self.gives_arguments = any(span.storage is Storage.ARGUMENT for span in plan.results)
        self._own_blocks = sum(plan.blocks) <= SMALL
        arguments = zip(spec.arguments, plan.arguments, strict=False)
        own = sum(size for each, size in arguments if size <= SMALL or each.ignored)
        needed = plan.scratch + sum(plan.blocks) + own
        if needed > LARGE:
            raise NoDirectCallsError(f"it needs {needed:,} bytes of memory, more than {LARGE:,}")
        self._free: list[_Call] = []

    @functools.cached_property
    def on_pointers(self) -> PointerCalls:
        """The same calls on caller-owned memory."""
        return PointerCalls(self.plan)

    def __call__(
        self, arrays: Sequence[Array | DeviceArray], packed: Sequence[DeviceArray] = ()
    ) -> list[Array]:
        """Calls the function.

        Args:
            arrays: The arguments in order, with the right dtypes, in any memory.
            packed: The packed weights, for a companion that takes them.

        Returns:
            The results. None shares memory with another or with an argument.
        """
        try:
            call = self._free.pop()
        except IndexError:
            call = _Call(self.plan, self._arguments, self._shapes, self._own_blocks)
        try:
            return call(arrays, packed)
        finally:
            self._free.append(call)


class _Call:
    """Memory for one call at a time, and numpy's views of it."""

    def __init__(
        self,
        plan: Plan,
        arguments: Sequence[TensorSpec],
        shapes: Sequence[tuple[np.dtype[Any], tuple[int, ...]]],
        own_blocks: bool,
    ) -> None:
        self._plan, self._shapes, self._own_blocks = plan, shapes, own_blocks
        self._prepared = Prepared(plan, own_blocks)
        self._own: list[tuple[Any, int] | None] = []
        for spec, size in zip(arguments, plan.arguments, strict=False):
            if size > SMALL and not spec.ignored:
                self._own.append(None)
                continue
            memory = aligned_array(size)
            memory[:] = 0
            view = typed(memory, DTYPES[spec.dtype].numpy, spec.static_shape)
            self._own.append((view, address_of(memory)))
        self._ignored = [spec.ignored for spec in arguments]
        self._names = [("argument", k) for k in range(len(plan.arguments))]
        self._blocks = [("result", k) for k in range(len(plan.blocks))]
        found = [(span.storage, span.index, span.offset) for span in plan.results]
        self._shared = [
            where[0] is not Storage.RESULT or where in found[:k] for k, where in enumerate(found)
        ]
        self._views: list[Any] | None = None
        if own_blocks and all(span.storage is not Storage.ARGUMENT for span in plan.results):
            self._views = self._of(self._prepared.memory[1:], ())

    def __call__(
        self, arrays: Sequence[Array | DeviceArray], packed: Sequence[DeviceArray]
    ) -> list[Array]:
        bind, names = self._prepared.bind, self._names
        kept: list[Array] = []
        for k, array in enumerate(arrays):
            own = self._own[k]
            if isinstance(array, DeviceArray):
                if array.on_host and not self._ignored[k]:
                    bind(names[k], array.address)
                    continue
                array = array.to_host()
            if own is not None:
                view, address = own
                bind(names[k], address)
                if not self._ignored[k]:
                    view[...] = np.reshape(array, view.shape)
            else:
                kept.append(_ready(array))
                bind(names[k], address_of(kept[-1]))
        for k, array in enumerate(packed, len(arrays)):
            bind(names[k], array.address)
        if self._own_blocks:
            self._prepared.run()
            if self._views is not None:
                return [view.copy() for view in self._views]
            return [np.array(each) for each in self._of(self._prepared.memory[1:], arrays)]
        blocks = [aligned_array(size) for size in self._plan.blocks]
        for name, block in zip(self._blocks, blocks, strict=True):
            bind(name, address_of(block))
        self._prepared.run()
        found = zip(self._of(blocks, arrays), self._shared, strict=True)
        return [np.array(each) if shared else each for each, shared in found]

    def _of(
        self, blocks: Sequence[npt.NDArray[np.uint8]], arrays: Sequence[Array | DeviceArray]
    ) -> list[Array]:
        """Views of the results, which lie in these blocks, in constants or in arguments."""
        found: list[Array] = []
        for span, (dtype, shape) in zip(self._plan.results, self._shapes, strict=True):
            if span.storage is Storage.ARGUMENT:
                given: Any = np.asarray(arrays[span.index])
                native: Any = np.ascontiguousarray(given, given.dtype.newbyteorder("="))
                found.append(native.view(dtype).reshape(shape))
                continue
            memory = (blocks if span.storage is Storage.RESULT else self._plan.constants)[
                span.index
            ]
            found.append(typed(memory[span.start : span.start + span.size], dtype, shape))
        return found


def _ready(array: Array) -> Array:
    """The array itself if compiled code can read it in place, else a copy."""
    if is_ready(array):
        return array
    kind: Any = array.dtype
    copy = typed(aligned_array(array.nbytes), kind.newbyteorder("="), array.shape)
    copy[...] = array
    return copy

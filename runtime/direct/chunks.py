"""Direct calls for a stream's chunks; the state stays where compiled code reads it.

The arguments are bound once for each chunk size. A call copies the chunk in and runs. Its last
steps copy the new state to where the next call reads it, whatever the size of the next chunk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.direct.calls import DirectCalls
from rnn_compiler.runtime.direct.executor import DirectExecutor
from rnn_compiler.runtime.direct.memory import address_of, zeros
from rnn_compiler.runtime.results import result_type
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import Chunked, FunctionSpec

if TYPE_CHECKING:
    from rnn_compiler.runtime.function import Function

__all__ = ["DirectChunks"]

_SIZES = 16
"""The number of chunk sizes for which calls are kept."""


class DirectChunks:
    """The direct calls of a stream.

    Attributes:
        is_ahead: Whether the state here is newer than the stream's own arrays.
    """

    def __init__(
        self,
        function: Function,
        spec: FunctionSpec,
        op: Chunked,
        after: Mapping[str, str],
        fixed: Mapping[str, DeviceArray],
        fields: Sequence[str],
    ) -> None:
        """Creates the calls; none is prepared yet."""
        self._function, self._spec, self._op = function, spec, op
        self._after, self._fixed, self._fields = after, fixed, fields
        self._device, self._weights = function.device, tuple(fixed.values())
        self._tensors = {each.name: each for each in spec.arguments}
        self._dtype = DTYPES[self._tensors[op.chunk].dtype].numpy
        self._state = {name: zeros(self._tensors[name]) for name in after}
        self._results = result_type(spec.op, tuple(fields))
        self._calls: dict[tuple[int, ...], tuple[DirectExecutor, Any] | None] = {}
        self._seen: tuple[int, ...] | None = None
        self.is_ahead = False

    def __call__(self, chunk: Any, state: Mapping[str, DeviceArray]) -> Any:
        """Processes a chunk that fills a call; returns None if it must go through IREE."""
        if type(chunk) is not np.ndarray or chunk.dtype != self._dtype:
            return None
        if not self._device.usable:
            return None
        call = self._calls.get(chunk.shape)
        if call is None:
            call = self._new(chunk, state)
            if call is None:
                return None
        for array in self._weights:
            if array.exported:  # its packed copy may be outdated
                return None
        if not self.is_ahead:
            for name, view in self._state.items():
                view[...] = state[name].to_host()
        executor, place = call
        place[...] = chunk
        self.is_ahead = True
        return self._results(*executor.run())

    def state(self) -> dict[str, DeviceArray]:
        """A copy of the state here."""
        device = self._device
        return {
            name: device.keep(device.put(view, self._tensors[name]))
            for name, view in self._state.items()
        }

    def _new(
        self, chunk: Any, state: Mapping[str, DeviceArray]
    ) -> tuple[DirectExecutor, Any] | None:
        """The calls for a size, from its second chunk on."""
        shape: tuple[int, ...] = chunk.shape
        if shape in self._calls or self._seen != shape:
            self._seen = shape
            return None
        if len(self._calls) == _SIZES:
            self._calls.clear()
        self._calls[shape] = None
        spec = self._at(shape)
        if spec is not None:
            given: dict[str, Any] = {**self._fixed, **state, self._op.chunk: chunk}
            if self._op.length is not None:
                given[self._op.length] = zeros(self._tensors[self._op.length])
                given[self._op.length][...] = spec.dims.get("seq_length", 1)
            arrays = [given[name] for name in self._tensors]
            calls, packed = self._function.direct_calls(arrays, again=True)
            if calls is not None:
                self._calls[shape] = self._bound(calls, spec, arrays, packed)
        return self._calls[shape]

    def _at(self, shape: tuple[int, ...]) -> FunctionSpec | None:
        """The function at a chunk size; None if such a chunk does not fill exactly one call."""
        spec = self._spec
        if not self._op.steps or not spec.open_dims:
            return spec if shape == self._tensors[self._op.chunk].shape else None
        axis = spec.time_axis
        if len(shape) != len(self._tensors[self._op.chunk].shape) or not shape[axis]:
            return None
        spec = spec.bound({"seq_length": shape[axis]})
        tensors = {each.name: each for each in spec.arguments}
        return spec if tensors[self._op.chunk].shape == shape else None

    def _bound(
        self,
        calls: DirectCalls,
        spec: FunctionSpec,
        arrays: Sequence[Any],
        packed: Sequence[DeviceArray],
    ) -> tuple[DirectExecutor, Any]:
        """An executor for a size, with all arguments bound, and where the chunk is copied to."""
        numbers = {each.name: k for k, each in enumerate(spec.arguments)}
        shown = [k for k, each in enumerate(spec.results) if each.name in self._fields]
        after = {numbers[name]: self._fields.index(each) for name, each in self._after.items()}
        executor = calls.with_states(after, shown)
        executor.bind(arrays, packed)
        for name, memory in self._state.items():
            executor.bindings[numbers[name]].share(address_of(memory))
        return executor, executor.bindings[numbers[self._op.chunk]].own()

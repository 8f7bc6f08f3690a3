"""Direct calls for a stream's chunks; the state stays where compiled code reads it.

The arguments of compiled code are laid out once for each chunk size. A call copies the chunk in,
runs, and copies the results out. Its last steps copy the new state to where the next call reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.direct.memory import address_of, aligned_array, typed
from rnn_compiler.runtime.direct.plan import Plan
from rnn_compiler.runtime.direct.prepared import Prepared
from rnn_compiler.runtime.results import result_type
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.schedule import Copy, Span, Storage, followed
from rnn_compiler.schema.streams import Chunked

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
        """Creates the calls; none is prepared yet.

        Args:
            function: The function.
            spec: Its spec at the stream's batch size.
            op: Which argument changes, and how.
            after: For each state, the result that holds it after a call.
            fixed: The arguments that stay the same.
            fields: The results that a call returns.
        """
        self._function, self._spec, self._op = function, spec, op
        self._after, self._fixed, self._fields = after, fixed, fields
        self._tensors = {each.name: each for each in spec.arguments}
        self._dtype = DTYPES[self._tensors[op.chunk].dtype].numpy
        self._state = {name: _own(self._tensors[name]) for name in after}
        self._results = result_type(spec.op, tuple(fields))
        self._calls: dict[tuple[int, ...], _Chunk | None] = {}
        self._seen: tuple[int, ...] | None = None
        self.is_ahead = False

    def __call__(self, chunk: Any, state: Mapping[str, DeviceArray]) -> Any:
        """Processes a chunk that fills a call; returns None if it must go through IREE.

        Args:
            chunk: The caller's value, of any type.
            state: The stream's own arrays, used unless the state here is newer.
        """
        if type(chunk) is not np.ndarray or chunk.dtype != self._dtype:
            return None
        if not self._function.device.usable:
            return None
        call = self._calls.get(chunk.shape)
        if call is None:
            call = self._new(chunk, state)
            if call is None:
                return None
        for array in self._fixed.values():
            if array.exported:  # its packed copy may be outdated
                return None
        if not self.is_ahead:
            for name, view in self._state.items():
                view[...] = state[name].to_host()
        call.input[...] = chunk
        self.is_ahead = True
        with RUNNING:
            call.prepared.run()
        return self._results(*[view.copy() for view in call.views])

    def state(self) -> dict[str, DeviceArray]:
        """A copy of the state here."""
        device = self._function.device
        return {
            name: device.keep(device.put(view, self._tensors[name]))
            for name, view in self._state.items()
        }

    def _new(self, chunk: Any, state: Mapping[str, DeviceArray]) -> _Chunk | None:
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
            given = {**self._fixed, **state, self._op.chunk: chunk}
            if self._op.length is not None:
                given[self._op.length] = _own(self._tensors[self._op.length])
            arrays = [given[name] for name in self._tensors]
            calls, packed = self._function.direct_calls(arrays, again=True)
            if calls is not None and not calls.gives_arguments:
                self._calls[shape] = self._laid_out(calls.plan, spec, packed)
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

    def _laid_out(self, plan: Plan, spec: FunctionSpec, packed: Sequence[DeviceArray]) -> _Chunk:
        """Calls for a size, with all memory bound."""
        positions = {each.name: k for k, each in enumerate(spec.arguments)}
        results = {each.name: k for k, each in enumerate(spec.results)}
        steps = plan.steps
        for name, result in self._after.items():
            span = plan.results[results[result]]
            size = plan.arguments[positions[name]]
            last = span.part(span.length - size, size)  # its last step, if it has all steps
            steps = followed(steps, [Copy(last, Span(Storage.ARGUMENT, positions[name], 0, size))])
        prepared = Prepared(replace(plan, steps=steps), own_blocks=True)
        own = {name: _own(each) for name, each in self._tensors_at(spec).items()}
        if self._op.length is not None:
            own[self._op.length][...] = spec.dims.get("seq_length", 1)
        for name, array in {**own, **self._state}.items():
            prepared.bind(("argument", positions[name]), address_of(array))
        for name, array in self._fixed.items():
            prepared.bind(("argument", positions[name]), array.address)
        for k, array in enumerate(packed, len(positions)):
            prepared.bind(("argument", k), array.address)
        views: list[Any] = []
        for name in self._fields:
            span, result = plan.results[results[name]], spec.results[results[name]]
            memory = plan.constants if span.storage is Storage.CONSTANT else prepared.memory[1:]
            part = memory[span.index][span.start : span.start + span.size]
            views.append(typed(part, DTYPES[result.dtype].numpy, result.static_shape))
        return _Chunk(prepared, own[self._op.chunk], views, (own, packed))

    def _tensors_at(self, spec: FunctionSpec) -> dict[str, TensorSpec]:
        """The specs of the chunk and its length."""
        names = (self._op.chunk, self._op.length)
        return {each.name: each for each in spec.arguments if each.name in names}


class _Chunk:
    """Calls at one chunk size.

    Attributes:
        prepared: The prepared plan.
        input: The array to copy the chunk to.
        views: Views of the results.
        owners: Keeps the bound memory alive.
    """

    __slots__ = ("input", "owners", "prepared", "views")

    def __init__(self, prepared: Prepared, input: Any, views: list[Any], owners: object) -> None:
        self.prepared, self.input, self.views, self.owners = prepared, input, views, owners


def _own(spec: TensorSpec) -> Any:
    """An array of zeros, aligned for compiled code."""
    dtype = DTYPES[spec.dtype].numpy
    memory = aligned_array(int(np.prod(spec.static_shape)) * dtype.itemsize)
    memory[:] = 0
    return typed(memory, dtype, spec.static_shape)

"""Streams: a sequence in chunks, whose state stays on the device between calls.

A function of open length takes chunks as they are. A function built for T steps takes shorter
chunks padded, with their length, and longer chunks in pieces of T. Either way the steps are those
of one long call. Only chunks and results cross between host and device, and the weights once at the
start.

`stream_ops` knows for each op which argument is the chunk, which is its length, and which result is
the next state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError, check_keywords
from rnn_compiler.runtime.arguments import as_array, check_argument, default_array
from rnn_compiler.runtime.call_signature import call_signature, with_sequence
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.direct.chunks import DirectChunks
from rnn_compiler.runtime.results import result_type
from rnn_compiler.runtime.stream_ops import stream_op, stream_parts
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.notebook import page, table
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, open_sizes_of

if TYPE_CHECKING:
    from rnn_compiler.runtime.function import Function

__all__ = ["Stream"]

_COUNTS = 64
"""The number of chunk lengths that a stream caches on the device."""


class Stream:
    """A function that continues where its last call ended; created by `Program.stream`.

    Calls of one stream must not overlap. Streams of one program are independent. Results belong to
    the caller; later chunks do not change them.

    Example:
        ``stream = program.stream(w=w, b=b, ...)``, then ``stream(chunk).h`` for each chunk, and
        ``stream.reset()`` before the next sequence.
    """

    def __init__(self, function: Function, arguments: Mapping[str, Any]) -> None:
        """Starts a stream.

        Args:
            function: The function.
            arguments: The arguments that stay the same for all chunks, by name, and the initial
                state; zeros if it is not given.

        Raises:
            TypeError: An argument is unknown or missing.
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
            UnsupportedError: The function cannot be streamed; the message says why.
        """
        spec = _at_batch(function, arguments)
        self._function, self._spec = function, spec
        self._op = stream_op(spec)
        self._arguments = {argument.name: argument for argument in spec.arguments}
        _, self._next = stream_parts(spec)
        changing = (self._op.chunk, self._op.length)
        known = [name for name in self._arguments if name not in changing]
        optional = [name for name in known if self._arguments[name].default is not None]
        needed = [name for name in known if name not in (*self._next, *optional)]
        check_keywords(f"{spec.function}.stream", arguments, known, needed)
        self._fixed = {
            name: self._resident(name, arguments.get(name))
            for name in known
            if name not in self._next
        }
        self._first = {name: self._resident(name, arguments.get(name)) for name in self._next}
        self._counts: dict[int, DeviceArray] = {}
        self._axis = spec.time_axis
        shown = {*self._op.rows, *self._next.values()}
        self._fields = tuple(each.name for each in spec.results if each.name in shown)
        self._rows = tuple(name for name in self._fields if name in self._op.rows)
        self._given = tuple(each.name for each in spec.results)
        self._results = result_type(spec.op, self._fields)
        self._state: dict[str, DeviceArray] = dict(self._first)
        self._direct: DirectChunks | None = None
        if function.is_direct:
            parts = spec, self._op, self._next, self._fixed, self._fields
            self._direct = DirectChunks(function, *parts)
        taken = [
            each if each.name == self._op.chunk else replace(each, default=0)
            for each in spec.arguments
            if each.name in changing
        ]
        self.__signature__ = call_signature(taken, self._op.chunk, to_host=False)

    def __repr__(self) -> str:
        return f"Stream({self._spec.function}, {self._op.chunk}={self._chunk})"

    @property
    def state(self) -> dict[str, DeviceArray]:
        """The state that the next chunk starts from, on the device, by argument name."""
        if self._direct is not None and self._direct.is_ahead:
            self._set_state(self._direct.state())
        return self._state

    def _set_state(self, state: dict[str, DeviceArray]) -> None:
        self._state = state
        if self._direct is not None:
            self._direct.is_ahead = False

    def _repr_html_(self) -> str:
        return page(self, table(["state", ""], self.state.items()))

    @property
    def _chunk(self) -> TensorSpec:
        return self._arguments[self._op.chunk]

    def _most(self, steps: int) -> int:
        """How many steps a call takes: those of the chunk if the length is open."""
        if not self._op.steps:
            return 1
        return max(steps, 1) if self._spec.open_dims else self._spec.static_dims["seq_length"]

    def reset(self, **state: object) -> None:
        """Restarts from the initial state; new initial states may be given by name.

        Raises:
            TypeError: The state does not exist.
            InvalidArgumentError: A state has the wrong dtype or shape.
        """
        check_keywords(f"{self._spec.function}.reset", state, [*self._first], [])
        given = {name: self._resident(name, value) for name, value in state.items()}
        self._set_state({**self._first, **given})

    def __call__(self, *chunk: object, **arguments: object) -> Any:
        """Processes the next chunk.

        Args:
            *chunk: The chunk, of any number of steps. It may also be passed by the op's name for
                it, ``x`` or ``input``.
            **arguments: The chunk's length, `seq_len_max` or, for each row, `sequence_lengths`:
                steps past that are ignored.

        Returns:
            A named tuple of numpy arrays: the op's results at the chunk's steps and the state after
            the last one. Results that only a gradient needs are omitted.

        Raises:
            TypeError: An argument is unknown or missing.
            InvalidArgumentError: The chunk has the wrong dtype or shape, or its length is not
                possible; the state is unchanged.
            DeviceError: The device failed; the state is unchanged.
            KeyboardInterrupt: The call was interrupted; the state may be that after the chunk, so
                `reset` the stream.
        """
        op, spec = self._op, self._spec
        if self._direct is not None and len(chunk) + len(arguments) == 1:
            found = self._direct(chunk[0] if chunk else arguments.get(op.chunk), self._state)
            if found is not None:
                return found
        if chunk:
            arguments = with_sequence(f"{spec.function}.stream", op.chunk, chunk, arguments)
        if len(arguments) != 1 or op.chunk not in arguments:
            known = [op.chunk, *([] if op.length is None else [op.length])]
            check_keywords(f"{spec.function}.stream", arguments, known, [op.chunk])
        sequence = self._checked(arguments[op.chunk])
        steps = sequence.shape[self._axis] if op.steps else 1
        most = self._most(steps)
        if op.steps and op.length is None and steps % most:
            raise InvalidArgumentError(
                spec.op,
                op.chunk,
                f"a multiple of {most} steps, which the function was built for",
                f"{steps} steps",
                "build it with seq_length=None, or CudnnRNNV3, which takes lengths",
            )
        lengths = self._lengths(steps, arguments.get(op.length or ""))
        state = self.state
        pieces: list[dict[str, npt.NDArray[Any]]] = []
        for start in range(0, steps, most):
            count = min(most, steps - start)
            piece = self._piece(sequence, start, count, most)
            length = count if lengths is None else np.minimum(np.maximum(lengths - start, 0), count)
            results = self._run(piece, length, state)
            state = self._after(results, length, state)
            pieces.append({name: self._shown(results[name], count) for name in self._rows})
        joined = [self._joined(name, pieces, state) for name in self._fields]
        self._set_state(state)
        return self._results(*joined)

    # Arguments.

    def _resident(self, name: str, value: object) -> DeviceArray:
        """An argument on the device, where it stays; zeros or its default if it has no value."""
        spec, device = self._arguments[name], self._function.device
        if value is None and (name in self._op.states or spec.default is not None):
            return device.put(default_array(replace(spec, default=spec.default or 0)), spec)
        array = as_array(self._spec.op, name, value, spec.dtype, device.uri)
        check_argument(self._spec.op, spec, array)
        if spec.ignored:
            return device.put(default_array(replace(spec, default=0)), spec)
        if isinstance(array, DeviceArray) and array.device is device and not array.exported:
            return array
        host = array.to_host() if isinstance(array, DeviceArray) else array
        return device.put(np.reshape(host, spec.static_shape), spec)

    def _checked(self, value: object) -> npt.NDArray[Any] | DeviceArray:
        """A chunk as an array with the op's dtype and, except for the steps, its shape."""
        op, spec = self._spec.op, self._chunk
        array = as_array(op, spec.name, value, spec.dtype, self._function.device.uri)
        if array.shape != spec.shape and self._op.steps and len(array.shape) == len(spec.shape):
            shape = list(spec.shape)
            shape[self._axis] = array.shape[self._axis]
            spec = replace(spec, shape=tuple(shape))
        check_argument(op, spec, array)
        return array

    def _lengths(self, steps: int, value: object) -> npt.NDArray[Any] | None:
        """The lengths that the caller gave for a chunk; None if all steps count."""
        if self._op.length is None or value is None:
            return None
        spec = replace(self._arguments[self._op.length], minimum=0, maximum=steps)
        array = as_array(self._spec.op, spec.name, value, spec.dtype)
        check_argument(self._spec.op, spec, array)
        return np.asarray(array, np.int64)

    def _piece(
        self, chunk: npt.NDArray[Any] | DeviceArray, start: int, count: int, most: int
    ) -> npt.NDArray[Any] | DeviceArray:
        """Some steps of a chunk, padded to the number that the function takes."""
        if not self._op.steps or chunk.shape[self._axis] == most:
            return chunk
        host = chunk.to_host() if isinstance(chunk, DeviceArray) else chunk
        part = host[self._at(start, start + count)]
        if count == most:
            return part
        padded = np.zeros(self._chunk.static_shape, DTYPES[self._chunk.dtype].numpy)
        padded[self._at(0, count)] = part
        return padded

    def _at(self, start: int, stop: int) -> tuple[slice, ...]:
        """The index of some steps."""
        return (*[slice(None)] * self._axis, slice(start, stop))

    # Calls.

    def _run(
        self,
        piece: npt.NDArray[Any] | DeviceArray,
        length: npt.NDArray[Any] | int,
        state: Mapping[str, DeviceArray],
    ) -> dict[str, DeviceArray]:
        """Runs the function; returns its results by name."""
        given = {**self._fixed, **state, self._op.chunk: self._there(piece)}
        if self._op.length is not None:
            given[self._op.length] = self._counted(self._arguments[self._op.length], length)
        arrays = [given[name] for name in self._arguments]
        results = dict(zip(self._given, self._function.launch(arrays), strict=True))
        self._function.hand_out([results[name] for name in self._next.values()], arrays)
        return results

    def _there(self, piece: npt.NDArray[Any] | DeviceArray) -> DeviceArray:
        """A piece on the device."""
        device, spec = self._function.device, self._chunk
        if isinstance(piece, DeviceArray):
            if piece.device is device:
                return piece
            piece = piece.to_host()
        return device.put(piece, replace(spec, shape=piece.shape) if self._spec.open_dims else spec)

    def _counted(self, spec: TensorSpec, length: npt.NDArray[Any] | int) -> DeviceArray:
        """The lengths of a piece as the op takes them; a single number is copied only once."""
        dtype = DTYPES[spec.dtype].numpy
        if not isinstance(length, int):
            return self._function.device.put(length.astype(dtype), spec)
        if length not in self._counts:
            if len(self._counts) == _COUNTS:  # any number, if the length is open
                self._counts.clear()
            array = np.full(spec.static_shape, length, dtype)
            self._counts[length] = self._function.device.put(array, spec)
        return self._counts[length]

    def _after(
        self,
        results: Mapping[str, DeviceArray],
        length: npt.NDArray[Any] | int,
        state: Mapping[str, DeviceArray],
    ) -> dict[str, DeviceArray]:
        """The state after a piece."""
        after: dict[str, DeviceArray] = {}
        for name, result in self._next.items():
            array = results[result]
            if result in self._op.rows and self._op.steps:
                steps = int(np.max(length))
                array = self._function.device.keep(array.row(steps - 1)) if steps else state[name]
            after[name] = array
        return after

    # Results.

    def _shown(self, array: DeviceArray, count: int) -> npt.NDArray[Any]:
        """The part of a result for a piece's steps, on the host in separate memory."""
        found: Any = array.fetch()
        whole = not self._op.steps or found.shape[self._axis] == count
        return found if whole else found[self._at(0, count)].copy()

    def _joined(
        self, name: str, pieces: Sequence[Mapping[str, Any]], state: Mapping[str, DeviceArray]
    ) -> npt.NDArray[Any]:
        """The result of a whole chunk."""
        if name not in self._op.rows:
            return state[next(key for key, each in self._next.items() if each == name)].fetch()
        if len(pieces) == 1:
            return pieces[0][name]
        if pieces:
            return np.concatenate([each[name] for each in pieces], self._axis)
        at_none = self._spec.bound({"seq_length": 0})
        spec = next(each for each in at_none.results if each.name == name)
        return np.zeros(spec.static_shape, DTYPES[spec.dtype].numpy)[self._at(0, 0)]


def _at_batch(function: Function, arguments: Mapping[str, Any]) -> FunctionSpec:
    """The function at the batch size of the initial state, if the batch is open.

    Raises:
        InvalidArgumentError: No given state determines it.
    """
    spec = function.spec
    if "batch_size" not in spec.open_dims:
        return spec
    op = stream_op(spec)
    states = tuple(each for each in spec.arguments if each.name in op.states)
    shapes = {
        each.name: as_array(spec.op, each.name, value, each.dtype, function.device.uri).shape
        for each in states
        if (value := arguments.get(each.name)) is not None
    }
    told = replace(spec, arguments=states, dims={"batch_size": spec.dims["batch_size"]})
    return spec.bound(open_sizes_of(told, shapes))

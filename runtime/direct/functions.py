"""A program's functions that are called directly, and the arrays of their calls.

Small arguments are copied to memory of the call's own, and small results from there; large ones are
read and written where they are. A call is small if all it needs for itself is: beyond that IREE's
pool of memory is worth more than its call costs.
"""

from __future__ import annotations

import ctypes
import io
import logging
import os
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.runtime.archive import parameters_of
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.huge_pages import use_huge_pages
from rnn_compiler.runtime.direct.executable import Executable, NoDirectCallsError
from rnn_compiler.runtime.direct.plan import Plan, Prepared, address_of, aligned_array, typed
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.schedule import ALIGNMENT, Copy, Place, Schedule
from rnn_compiler.schema.schedule_json import SCHEDULES_FILE, Loaded, Schedules

__all__ = ["DirectFunction", "direct_functions"]

_log = logging.getLogger(__name__)

SMALL = 1 << 15
"""Bytes up to which an argument or a result is copied."""

LARGE = 2 << 20
"""Bytes of its own memory up to which a call is direct."""

PACKED = 32 << 20
"""Bytes of packed weights up to which there is a second copy of them, for direct calls."""

_REMEMBERED = 16
"""For how many sizes a function keeps what is prepared."""

Array = npt.NDArray[Any]


def direct_functions(payload: bytes, archive: bytes | None = None) -> dict[str, DirectFunction]:
    """The functions of a payload that can be called directly, its companions too, by symbol.

    With ``RNN_COMPILER_CALLS=iree`` there are none.

    Args:
        payload: The .vmfb, whose digest was verified.
        archive: Its frozen weights.

    Raises:
        InvalidArgumentError: ``RNN_COMPILER_CALLS`` is neither that nor ``direct``.
    """
    calls = os.environ.get("RNN_COMPILER_CALLS") or "direct"
    if calls not in ("direct", "iree"):
        raise InvalidArgumentError("load", "RNN_COMPILER_CALLS", "direct or iree", repr(calls))
    if calls == "iree":
        return {}
    try:
        return _loaded(payload, archive)
    except (NoDirectCallsError, ArtifactError) as error:
        _log.debug("calls go through IREE: %s", error)
        return {}


def _loaded(payload: bytes, archive: bytes | None) -> dict[str, DirectFunction]:
    try:
        with zipfile.ZipFile(io.BytesIO(payload)) as file:
            members = file.namelist()
            code = [name for name in members if name.endswith(".so")]
            if SCHEDULES_FILE not in members or len(code) != 1:
                raise NoDirectCallsError("the payload has no schedules")
            schedules = Schedules.from_json(file.read(SCHEDULES_FILE))
            executable = Executable(file.read(code[0]))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise NoDirectCallsError(f"the payload is no archive ({error})") from error
    sizes = [each.size if isinstance(each, Loaded) else len(each) for each in schedules.constants]
    names = {each.parameter for each in schedules.constants if isinstance(each, Loaded)} - {""}
    weights = parameters_of(archive, names) if archive and names else {}
    constants: list[npt.NDArray[np.uint8]] = []
    for each in schedules.constants:
        data = weights.get(each.parameter) if isinstance(each, Loaded) else each
        if isinstance(each, Loaded) and each.parameter and len(data or b"") != each.size:
            raise NoDirectCallsError("its archive is of other weights")
        constants.append(aligned_array(len(data or b"")))  # nothing yet for what is packed
        constants[-1][:] = np.frombuffer(data or b"", np.uint8)
    return {
        name: DirectFunction(each, schedules.arguments[name], constants, sizes, executable)
        for name, each in schedules.functions.items()
    }


class DirectFunction:
    """A function that is called without IREE."""

    def __init__(
        self,
        schedule: Schedule,
        arguments: Sequence[Size],
        constants: list[npt.NDArray[np.uint8]],
        sizes: Sequence[int],
        executable: Executable,
    ) -> None:
        self._parts = schedule, arguments, constants, executable
        self._sizes = sizes
        self._calls: dict[tuple[tuple[str, int], ...], Calls | None] = {}

    def take_packed(self, results: Sequence[DeviceArray]) -> None:
        """Takes results of the function for constants: it gives what is packed, or copies of it."""
        schedule, _, constants, _ = self._parts
        for span, array in zip(schedule.results, results, strict=True):
            pairs = [(span, span)]
            pairs += [(c.source, c.target) for c in schedule.steps if isinstance(c, Copy)]
            for constant, place in pairs:
                start = place.start - span.start
                is_there = (place.place, place.index) == (span.place, span.index)
                if constant.place is not Place.CONSTANT or not is_there or start < 0:
                    continue
                if start + place.size > span.size or self._sizes[constant.index] > PACKED:
                    continue
                if not len(constants[constant.index]):
                    constants[constant.index] = aligned_array(self._sizes[constant.index])
                data = ctypes.string_at(array.address + start, constant.size)
                part = constants[constant.index][constant.start :][: constant.size]
                part[:] = np.frombuffer(data, np.uint8)
        for constant in constants:
            use_huge_pages(address_of(constant), len(constant))

    def at(self, spec: FunctionSpec, sizes: Mapping[str, int]) -> Calls | None:
        """Its calls at some sizes; None if they are for IREE.

        Args:
            spec: The function at these.
            sizes: The open dimensions, by name.
        """
        key = tuple(sizes.items())
        try:
            return self._calls[key]
        except KeyError:
            calls = self._new_calls(spec, sizes)
        if len(self._calls) >= _REMEMBERED:
            self._calls.clear()  # other threads may do so at any time
        self._calls[key] = calls
        return calls

    def _new_calls(self, spec: FunctionSpec, sizes: Mapping[str, int]) -> Calls | None:
        try:
            return Calls(Plan.of(*self._parts, sizes), spec)
        except NoDirectCallsError as error:
            _log.debug("%s goes through IREE: %s", spec.function, error)
            return None


class Calls:
    """Calls of a function at certain sizes.

    Attributes:
        plan: What they do.
        gives_arguments: Whether a result is an argument as it came.
    """

    def __init__(self, plan: Plan, spec: FunctionSpec) -> None:
        """Prepares them.

        Raises:
            NoDirectCallsError: They need much memory.
        """
        self.plan = plan
        self._arguments = spec.arguments
        self._results = spec.results
        kinds = [DTYPES[each.dtype].numpy for each in spec.results]
        self._shapes = [*zip(kinds, (each.static_shape for each in spec.results), strict=True)]
        self.gives_arguments = any(span.place is Place.ARGUMENT for span in plan.results)
        self._own_blocks = sum(plan.blocks) <= SMALL
        arguments = zip(spec.arguments, plan.arguments, strict=False)
        own = sum(size for each, size in arguments if size <= SMALL or each.ignored)
        if plan.scratch + sum(plan.blocks) + own > LARGE:
            raise NoDirectCallsError("it needs much memory")
        self._free: list[_Call] = []

    def __call__(
        self, arrays: Sequence[Array | DeviceArray], packed: Sequence[DeviceArray] = ()
    ) -> list[Array]:
        """Calls the function.

        Args:
            arrays: What it takes, in order; any memory, but the right types.
            packed: Weights that a companion takes packed.

        Returns:
            Its results, none of which shares memory with another or with an argument.
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
        places = [(span.place, span.index, span.offset) for span in plan.results]
        self._shared = [
            place[0] is not Place.RESULT or place in places[:k] for k, place in enumerate(places)
        ]
        self._views: list[Any] | None = None
        if own_blocks and all(span.place is not Place.ARGUMENT for span in plan.results):
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
        """Views of the results, of which some lie in these blocks."""
        found: list[Array] = []
        for span, (dtype, shape) in zip(self._plan.results, self._shapes, strict=True):
            if span.place is Place.ARGUMENT:
                found.append(np.reshape(np.asarray(arrays[span.index]), shape))
                continue
            memory = (blocks if span.place is Place.RESULT else self._plan.constants)[span.index]
            found.append(typed(memory[span.start : span.start + span.size], dtype, shape))
        return found


def _ready(array: Array) -> Array:
    """An array as compiled code takes it: its own, or a copy where it is wanted."""
    if array.flags.c_contiguous and address_of(array) % ALIGNMENT == 0 and array.dtype.isnative:
        return array
    kind: Any = array.dtype
    copy = typed(aligned_array(array.nbytes), kind.newbyteorder("="), array.shape)
    copy[...] = array
    return copy

"""What a function knows from earlier calls, for calls like them.

For each set of argument shapes it knows the function at these sizes; for each of these whether it
is called directly, and how; and which direct calls the last call was one of. Their executor is
still bound to its arguments, so that a call like it takes little more time than its code and the
creation of its results.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set
from typing import Any

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.placement import is_for_threads
from rnn_compiler.runtime.direct.calls import LARGE, LARGE_ON_THREADS, DirectCalls
from rnn_compiler.runtime.direct.executor import DirectExecutor
from rnn_compiler.runtime.direct.functions import DirectFunction
from rnn_compiler.runtime.direct.threads import threads
from rnn_compiler.schema.specs import FunctionSpec, open_sizes_of

__all__ = ["Memo"]

_SHAPES, _CALLS, _ONCE = 1024, 64, 16
"""The numbers of entries: argument shapes, sizes with known calls, sizes called only once."""

_log = logging.getLogger(__name__)


class Memo:
    """The memo of a function.

    Attributes:
        is_open: Whether the function has open sizes.
        is_direct: Whether short calls bypass IREE.
    """

    def __init__(
        self,
        spec: FunctionSpec,
        device: Device,
        functions: Mapping[str, DirectFunction],
        *,
        packs: bool,
    ) -> None:
        """Creates an empty memo."""
        self._spec, self._device, self._packs = spec, device, packs
        self._names = [argument.name for argument in spec.arguments]
        self._weights = [k for k, name in enumerate(self._names) if name in spec.weights]
        self._plain, self._packed = map(functions.get, (spec.function, spec.prepacked))
        self.is_open, self.is_direct = bool(spec.open_dims), self._plain is not None
        has_lists = any(each.list for each in (*spec.arguments, *spec.results))
        self._repeats = self.is_direct and not self.is_open and not has_lists
        self._specs: dict[tuple[object, ...], FunctionSpec] = {}
        self._once: dict[tuple[int, bool], FunctionSpec] = {}
        self._calls: dict[tuple[int, bool], tuple[FunctionSpec, DirectCalls | None]] = {}
        self._given: Set[str] = frozenset[str]()
        self._repeated: list[DirectExecutor] = []

    def spec_of(self, arrays: Mapping[str, Any]) -> FunctionSpec:
        """The function at the sizes of some arguments, which must determine them.

        Raises:
            InvalidArgumentError: They do not determine the open sizes.
        """
        if not self.is_open:
            return self._spec
        key = tuple(each.shape for each in arrays.values())
        found = self._specs.get(key)
        if found is None:
            shapes = {name: each.shape for name, each in arrays.items()}
            found = self._spec.bound(open_sizes_of(self._spec, shapes))
            if len(self._specs) >= _SHAPES:
                self._specs.clear()  # other threads may do so at any time
            self._specs[key] = found
        return found

    def spec_of_all(self, arrays: Sequence[Any]) -> FunctionSpec:
        """The function at the sizes of all arguments, in order."""
        return (
            self.spec_of(dict(zip(self._names, arrays, strict=True)))
            if self.is_open
            else self._spec
        )

    def calls(self, spec: FunctionSpec, packed: bool, again: bool = False) -> DirectCalls | None:
        """The direct calls of the function at certain sizes; None if they must go through IREE.

        With local-task, several threads make calls that they speed up. Unless these sizes come
        `again`, the first call goes through IREE.
        """
        key = id(spec), packed
        known = self._calls.get(key)
        if known is None:
            if self.is_open and not again and key not in self._once:  # preparing takes 1 ms
                self._once = {key: spec, **dict([*self._once.items()][: _ONCE - 1])}
                return None
            known = spec, self._found(spec, packed)
            if len(self._calls) >= _CALLS:
                self._calls.clear()  # other threads may do so at any time
            self._calls[key] = known
        return known[1]

    def _found(self, spec: FunctionSpec, packed: bool) -> DirectCalls | None:
        function = self._packed if packed else self._plain
        return self._at(function, spec, packs=self._packs)

    def session_executor(self, spec: FunctionSpec, shown: Sequence[int]) -> DirectExecutor | None:
        """An executor for the calls of a session at certain sizes; None if they go through IREE.

        It is kept as long as the session, so it may need any amount of memory.
        """
        calls = self._at(self._plain, spec, is_bounded=False)
        return None if calls is None else calls.with_states({}, shown)

    def _at(
        self,
        function: DirectFunction | None,
        spec: FunctionSpec,
        *,
        packs: bool = False,
        is_bounded: bool = True,
    ) -> DirectCalls | None:
        """The direct calls of a function, on threads if the device has some and there is work."""
        if function is None:
            return None
        has_threads = self._device.has_threads and is_for_threads(spec)
        together = threads() if has_threads else None
        if has_threads and together is None:
            _log.debug("%s goes through IREE: no threads of our own here", spec.function)
            return None
        sizes = {name: spec.static_dims[name] for name in self._spec.open_dims}
        most = LARGE_ON_THREADS if together and not sizes else LARGE  # sizes have memory of each
        return function.at(
            spec, sizes, packs=packs, most=most if is_bounded else None, threads=together
        )

    def repeat(self, arguments: Mapping[str, object], to_host: bool) -> Sequence[Any] | None:
        """Calls the function; returns None if the call is not like the last ones.

        Raises InvalidArgumentError: an argument has the wrong dtype, shape or range.
        """
        free = self._repeated
        if not free or arguments.keys() != self._given or not self._device.usable:
            return None
        try:
            executor = free.pop()
        except IndexError:  # another thread took it
            return None
        try:
            if not executor.takes(map(arguments.get, self._names)):
                return None
            return executor.run(None if to_host else self._device)
        finally:
            free.append(executor)

    def note(
        self,
        given: Set[str],
        arrays: Sequence[Any],
        calls: DirectCalls | None,
        packed: Sequence[DeviceArray],
    ) -> None:
        """Notes a call; calls like it can be repeated, unless the next one packs its weights."""
        if self._repeats:
            stay = all(isinstance(arrays[k], DeviceArray) for k in self._weights)
            waits = self._packs and not packed and stay
            self._given = frozenset(given)
            self._repeated = [] if waits or calls is None else calls.free

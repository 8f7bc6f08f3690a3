"""Calls of a function of fixed sizes with mostly the arguments of the call before.

What a caller passes again is bound already, and need not be looked at: an array on the device does
not change. What else comes is checked and bound. So a call takes the time of its code, and what
Python needs to make its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any
from weakref import ref

import numpy as np

from rnn_compiler.runtime.arguments import as_array, check_argument, default_array
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.direct.calls import SMALL, Calls
from rnn_compiler.runtime.direct.memory import address_of, aligned_array, typed
from rnn_compiler.runtime.direct.plan import Plan
from rnn_compiler.runtime.direct.prepared import Base, Prepared
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec
from rnn_compiler.schema.schedule import aligned

__all__ = ["Repeats"]


class Repeats:
    """The repeated calls of a function; one at a time, so that a second thread goes without."""

    def __init__(self, spec: FunctionSpec, device: Device) -> None:
        """Starts without any.

        Args:
            spec: The function, of which nothing is open.
            device: Where it runs.
        """
        self._spec, self._device = spec, device
        self._names = [each.name for each in spec.arguments]
        self._weights = [k for k, name in enumerate(self._names) if name in spec.weights]
        self._given: Set[str] = set()
        self._free: list[_Repeat] = []
        self._seen: tuple[object, ...] = ()

    def __call__(self, arguments: Mapping[str, object], to_host: bool) -> Sequence[Any] | None:
        """Calls the function; None if this is no call like the last ones.

        Args:
            arguments: What is passed, by name.
            to_host: Whether results come as numpy arrays.

        Raises:
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
        """
        try:
            repeat = self._free.pop()
        except IndexError:
            return None
        try:
            if arguments.keys() != self._given or not self._device.usable:
                return None
            if not repeat.takes(map(arguments.get, self._names)):
                return None
            with RUNNING:
                return repeat.run(to_host)
        finally:
            self._free.append(repeat)

    def expect(
        self, arguments: Mapping[str, object], calls: Calls | None, packed: Sequence[DeviceArray]
    ) -> None:
        """Notes a call; if it is like the one before, those that follow may be repeated.

        Args:
            arguments: What was passed, which was right.
            calls: The direct calls that it was one of.
            packed: What is packed of its weights.
        """
        values = [*map(arguments.get, self._names)]
        seen = (calls, *map(id, packed), *[id(values[k]) for k in self._weights])
        again, self._seen = seen == self._seen, seen
        if calls is None or not again or not _fits(calls.plan, self._spec, values):
            return
        self._given = set(arguments)
        self._free = [_Repeat(self._spec, self._device, calls.plan, packed, values)]


def _fits(plan: Plan, spec: FunctionSpec, values: Sequence[object]) -> bool:
    """Whether calls copy only what is small."""
    sizes = zip(spec.arguments, values, plan.arguments, strict=False)
    return sum(span.size for span in plan.results) <= SMALL and all(
        size <= SMALL or each.ignored or isinstance(value, DeviceArray)
        for each, value, size in sizes
    )


class _Repeat:
    """Memory for one call at a time, and what is bound there."""

    def __init__(
        self,
        spec: FunctionSpec,
        device: Device,
        plan: Plan,
        packed: Sequence[DeviceArray],
        values: Sequence[object],
    ) -> None:
        plan = plan.with_results_together()
        self._device, self._results, self._packed = device, spec.results, packed
        self._prepared = Prepared(plan, own_blocks=True)
        self._arguments = [
            _Argument(spec, k, plan.arguments[k], self._prepared, bool(packed), value)
            for k, value in enumerate(values)
        ]
        for k, array in enumerate(packed, len(values)):
            self._prepared.bind(("argument", k), array.address)
        (self._block,) = self._prepared.memory[1:]
        self._fresh: list[tuple[Any, int]] = []
        self._places = [(span.start, span.start + span.size) for span in plan.results]
        self._views = [
            typed(self._block[start:stop], DTYPES[each.dtype].numpy, each.static_shape)
            for each, (start, stop) in zip(spec.results, self._places, strict=True)
        ]

    def takes(self, values: Iterable[Any]) -> bool:
        """Whether what is passed can be taken; it is then bound."""
        for argument, value in zip(self._arguments, values, strict=True):
            if argument.last() is not value:
                if not argument.takes(value):
                    return False
            elif argument.is_read_before and value is not None and value.exported:
                return False
        return True

    def run(self, to_host: bool) -> Sequence[Any]:
        """Runs it; gives arrays of the caller's own."""
        self._prepared.run()
        if to_host:
            return [view.copy() for view in self._views]
        if not self._fresh:
            self._fresh = _blocks(len(self._block))
        block, first = self._fresh.pop()
        block[:] = self._block
        return [
            DeviceArray(self._device, None, spec, block, (first + start, first + stop))
            for spec, (start, stop) in zip(self._results, self._places, strict=True)
        ]


def _blocks(size: int) -> list[tuple[Any, int]]:
    """Memory for the results of the next calls, with the address of each; less dear together."""
    step, count = aligned(size), max(1, SMALL // 4 // aligned(max(size, 1)))
    memory = aligned_array(step * count)
    first = address_of(memory)
    return [(memory[k : k + size], first + k) for k in range(0, step * count, step)]


class _Argument:
    """What a call passes for an argument.

    Attributes:
        last: Gives the array on the device that is bound, None if nothing was passed.
        is_read_before: Whether what it has was looked at when it came: to be packed, or checked.
    """

    __slots__ = ("_base", "_op", "_own", "_prepared", "_spec", "_stays", "is_read_before", "last")

    def __init__(
        self,
        function: FunctionSpec,
        number: int,
        size: int,
        prepared: Prepared,
        packs: bool,
        value: Any,
    ) -> None:
        spec = function.arguments[number]
        self._op, self._spec, self._prepared = function.op, spec, prepared
        self._base: Base = ("argument", number)
        self._stays = packs and spec.name in function.weights
        self.is_read_before = self._stays or spec.maximum is not None
        self._own: Any = None
        self.last: Callable[[], object] = _other
        if size <= SMALL or spec.ignored:
            memory = aligned_array(size)
            memory[:] = 0
            prepared.bind(self._base, address_of(memory))
            self._own = typed(memory, DTYPES[spec.dtype].numpy, spec.static_shape)
        if isinstance(value, DeviceArray) and value.on_host and value.shape == spec.shape:
            if not spec.ignored:
                prepared.bind(self._base, value.address)
            self.last = ref(value)

    def takes(self, value: Any) -> bool:
        """Whether something else can be passed; it is then bound.

        Raises:
            InvalidArgumentError: It has the wrong dtype, shape or range.
        """
        spec = self._spec
        if self._stays:
            return False
        if isinstance(value, DeviceArray) and value.on_host and value.matches(spec):
            if not spec.ignored:
                self._prepared.bind(self._base, value.address)
            self.last = ref(value)
            return True
        if self._own is None or isinstance(value, DeviceArray):
            return False
        if value is None:
            if spec.default is None:
                return False
            array = default_array(spec)
        else:
            array = as_array(self._op, spec.name, value, spec.dtype)
            check_argument(self._op, spec, array)
        self.last = _other
        if not spec.ignored:
            self._prepared.bind(self._base, address_of(self._own))
            self._own[...] = np.reshape(array, self._own.shape)
        return True


def _other() -> object:
    """What nobody passes."""
    return _other

"""Repeated calls of a function of fixed sizes, mostly with the arguments of the previous call.

An argument that is passed again is already bound and need not be checked, because an array on the
device does not change. Other arguments are checked and bound. So a call takes little more time than
its code and the creation of its results.
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
from rnn_compiler.runtime.direct.memory import address_of, aligned_array, is_ready, typed
from rnn_compiler.runtime.direct.plan import Plan
from rnn_compiler.runtime.direct.prepared import Base, Prepared
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec
from rnn_compiler.schema.schedule import aligned

__all__ = ["Repeats"]

COPIED = 1 << 20
"""The size in bytes of the numpy arrays that a call may copy, in total."""


class Repeats:
    """The repeated calls of a function; one at a time, so concurrent threads go the normal way."""

    def __init__(self, spec: FunctionSpec, device: Device, *, prepacks: bool) -> None:
        """Creates it without any.

        Args:
            spec: The function, without open sizes.
            device: Where it runs.
            prepacks: Whether weights that stay on the device are packed once.
        """
        self._prepacks = prepacks
        self._spec, self._device = spec, device
        self._names = [each.name for each in spec.arguments]
        self._weights = [k for k, name in enumerate(self._names) if name in spec.weights]
        self._given: Set[str] = set()
        self._free: list[_Repeat] = []
        self._seen: tuple[object, ...] = ()

    def __call__(self, arguments: Mapping[str, object], to_host: bool) -> Sequence[Any] | None:
        """Calls the function; returns None if the call is not like the previous ones.

        Args:
            arguments: The arguments by name.
            to_host: Whether to return numpy arrays.

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
        """Notes a call; if it is like the one before, later calls can be repeated.

        Args:
            arguments: The arguments, which were valid.
            calls: The direct calls that it was one of.
            packed: The packed weights.
        """
        values = [*map(arguments.get, self._names)]
        weights = [id(values[k]) for k in self._weights] if packed else []
        seen = (calls, *map(id, packed), *weights)
        again, self._seen = seen == self._seen, seen
        if calls is None or not again or not _fits(calls.plan, self._spec, values):
            return
        self._given = set(arguments)
        self._free = [_Repeat(self._spec, self._device, calls.plan, packed, values, self._prepacks)]


def _fits(plan: Plan, spec: FunctionSpec, values: Sequence[object]) -> bool:
    """Whether the arrays to copy are small enough."""
    copied = (
        size
        for each, value, size in zip(spec.arguments, values, plan.arguments, strict=False)
        if not (each.ignored or isinstance(value, DeviceArray))
    )
    return sum(copied) <= COPIED


class _Repeat:
    """Memory for one call at a time, and its bound arguments."""

    def __init__(
        self,
        spec: FunctionSpec,
        device: Device,
        plan: Plan,
        packed: Sequence[DeviceArray],
        values: Sequence[object],
        prepacks: bool,
    ) -> None:
        plan = plan.with_results_together(SMALL)
        self._device, self._specs, self._packed = device, spec.results, packed
        self._prepared = Prepared(plan, own_blocks=False)
        self._arguments = [
            _Argument(spec, k, plan.arguments[k], self._prepared, bool(packed), value, prepacks)
            for k, value in enumerate(values)
        ]
        for k, array in enumerate(packed, len(values)):
            self._prepared.bind(("argument", k), array.address)
        self._blocks = [*map(_Block, plan.blocks)]
        self._names: list[Base] = [("result", k) for k in range(len(plan.blocks))]
        self._extents = [(each.index, each.start, each.start + each.size) for each in plan.results]
        own = [block.own and block.own[0] for block in self._blocks]
        self._copied = [self._view(k, own) for k in range(len(spec.results))]

    def takes(self, values: Iterable[Any]) -> bool:
        """Whether these arguments can be taken; binds them."""
        for argument, value in zip(self._arguments, values, strict=True):
            if argument.last() is not value:
                if not argument.takes(value):
                    return False
            elif argument.is_read_before and value is not None and value.exported:
                return False
        return True

    def run(self, to_host: bool) -> Sequence[Any]:
        """Runs the call; returns new arrays."""
        taken = [block.own or block.fresh() if to_host else block.fresh() for block in self._blocks]
        for name, (_, address) in zip(self._names, taken, strict=True):
            self._prepared.bind(name, address)
        self._prepared.run()
        if to_host:
            blocks = [memory for memory, _ in taken]
            return [
                self._view(k, blocks) if copied is None else copied.copy()
                for k, copied in enumerate(self._copied)
            ]
        return [
            DeviceArray(self._device, None, spec, memory, (address + start, address + stop))
            for spec, (block, start, stop) in zip(self._specs, self._extents, strict=True)
            for memory, address in [taken[block]]
        ]

    def _view(self, number: int, blocks: Sequence[Any]) -> Any:
        """A view of a result in some blocks; None if its block is missing."""
        spec, (block, start, stop) = self._specs[number], self._extents[number]
        if blocks[block] is None:
            return None
        return typed(blocks[block][start:stop], DTYPES[spec.dtype].numpy, spec.static_shape)


class _Block:
    """Memory for results.

    Attributes:
        own: Memory that all calls reuse because results are copied, and its address; None if it is
            large.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._next: list[tuple[Any, int]] = []
        self.own = self.fresh() if size <= SMALL else None

    def fresh(self) -> tuple[Any, int]:
        """Memory for one call, and its address; small blocks are allocated several at a time."""
        if not self._next:
            step, size = aligned(self._size), self._size
            memory = aligned_array(step * max(1, SMALL // 4 // max(step, 1)))
            first = address_of(memory)
            starts = range(0, max(len(memory), 1), max(step, 1))
            self._next = [(memory[k : k + size], first + k) for k in starts]
        return self._next.pop()


class _Argument:
    """An argument of the calls.

    Attributes:
        last: Returns the bound device array; None if the argument was omitted.
        is_read_before: Whether its content was read when it was bound, to be packed or checked.
    """

    __slots__ = (
        *("_base", "_may_be_packed", "_op", "_own", "_own_address", "_prepared", "_spec"),
        *("_stays", "is_read_before", "last"),
    )

    def __init__(
        self,
        function: FunctionSpec,
        number: int,
        size: int,
        prepared: Prepared,
        packs: bool,
        value: Any,
        prepacks: bool,
    ) -> None:
        spec = function.arguments[number]
        self._op, self._spec, self._prepared = function.op, spec, prepared
        self._base: Base = ("argument", number)
        self._stays = packs and spec.name in function.weights
        self._may_be_packed = prepacks and spec.name in function.weights
        self.is_read_before = self._stays or spec.maximum is not None
        self._own: Any = None
        self._own_address = 0
        self.last: Callable[[], object] = _other
        if size <= SMALL or spec.ignored or not isinstance(value, DeviceArray):
            memory = aligned_array(size)
            memory[:] = 0
            self._own_address = address_of(memory)
            prepared.bind(self._base, self._own_address)
            self._own = typed(memory, DTYPES[spec.dtype].numpy, spec.static_shape)
        has_shape = isinstance(value, DeviceArray) and (spec.ignored or value.shape == spec.shape)
        if has_shape and value.on_host:
            if not spec.ignored:
                prepared.bind(self._base, value.address)
            self.last = ref(value)

    def takes(self, value: Any) -> bool:
        """Whether another value can be taken; binds it.

        Raises:
            InvalidArgumentError: It has the wrong dtype, shape or range.
        """
        spec = self._spec
        if self._stays or (self._may_be_packed and isinstance(value, DeviceArray)):
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
        if spec.ignored:
            return True
        given: Any = array
        if given is value and given.nbytes > SMALL and is_ready(given):  # the caller keeps it alive
            self._prepared.bind(self._base, address_of(given))
            return True
        self._prepared.bind(self._base, self._own_address)
        if array.shape != self._own.shape:
            array = np.reshape(array, self._own.shape)
        self._own[...] = array
        return True


def _other() -> object:
    """A value that no caller passes."""
    return _other

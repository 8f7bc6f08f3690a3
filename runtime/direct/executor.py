"""The executor of direct calls: a plan, bound to arguments and to memory for results.

Arguments are bound one by one (`direct.bindings`), or all at once with the results by the addresses
of a caller such as torch. Results lie in one of four kinds of memory:

- pooled: memory of the executor, copied to new arrays; for small results on the host
- fresh: memory of the call, which the results keep; for large ones, and for those on the device
- the caller's
- the memory of a state, which the next call reads (`DirectCalls.with_states`)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy.typing as npt

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.direct.bindings import Binding
from rnn_compiler.runtime.direct.memory import address_of, aligned_array, typed
from rnn_compiler.runtime.direct.plan import CallPlan
from rnn_compiler.runtime.direct.prepared import Base, PreparedCall
from rnn_compiler.runtime.direct.threads import Threads
from rnn_compiler.runtime.results import SMALL
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.schedule import aligned
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

__all__ = ["DirectExecutor"]


class DirectExecutor:
    """A plan with memory for one call at a time.

    Attributes:
        bindings: The arguments.
    """

    def __init__(
        self,
        plan: CallPlan,
        spec: FunctionSpec,
        results: Sequence[TensorSpec],
        packs: bool,
        threads: Threads | None = None,
    ) -> None:
        """Creates it; nothing is bound yet."""
        self._prepared = PreparedCall(plan, threads)
        self._copies: list[Any] = []
        self._kept: Sequence[DeviceArray] = ()
        self.bindings = [
            Binding(spec, k, self._prepared, self._copies, packs)
            for k in range(len(spec.arguments))
        ]
        self._packed: list[Base] = [
            ("argument", k) for k in range(len(spec.arguments), len(plan.arguments))
        ]
        self._results = [
            (each, span.index, span.start, span.start + span.size)
            for each, span in zip(results, plan.results, strict=True)
        ]
        self._blocks = [_ResultBlock(("result", k), size) for k, size in enumerate(plan.blocks)]
        self._bound_views: list[Any] | None = None
        self._is_bound = False

    def takes(self, values: Iterable[Any]) -> bool:
        """Whether a call with these arguments is like the last one; checks and binds them.

        Raises:
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
        """
        if not self._is_bound:
            return False
        for binding, value in zip(self.bindings, values, strict=True):
            if value is None or binding.last() is not value:  # a freed array is None, too
                if not binding.takes(value):
                    return False
            elif binding.is_read_before and value.exported:
                return False
        return True

    def bind(
        self, arrays: Iterable[npt.NDArray[Any] | DeviceArray], packed: Sequence[DeviceArray]
    ) -> None:
        """Binds arguments, which were checked, and packed weights."""
        self._is_bound = False  # if this fails
        for binding, array in zip(self.bindings, arrays, strict=True):
            binding.bind(array)
        for base, array in zip(self._packed, packed, strict=True):
            self._prepared.bind(base, array.address)
        self._kept, self._is_bound = packed, True

    def run(self, device: Device | None = None) -> list[Any]:
        """Runs the call with the bound arguments.

        Returns the results. None shares memory with another or with an argument.
        """
        views = self._bound_views
        if device is not None or views is None:
            return self._run_with_others(device)
        self._prepared.run()
        if self._copies:
            self._copies.clear()
        return [view.copy() for view in views]

    def _run_with_others(self, device: Device | None) -> list[Any]:
        """Runs the call with other memory for results than the last call."""
        taken = self._place(fresh=device is not None)
        self._prepared.run()
        self._copies.clear()
        if device is not None:
            return [
                DeviceArray(device, None, spec, memory, (address + start, address + stop))
                for spec, block, start, stop in self._results
                for memory, address in [taken[block]]
            ]
        arrays: list[Any] = []
        for result in self._results:
            view = _view(taken, *result)
            arrays.append(view.copy() if self._blocks[result[1]].is_small else view)
        return arrays

    def on(self, pointers: Sequence[int]) -> None:
        """Runs the call at the addresses of all arguments, packed weights and blocks of results."""
        self._bound_views, self._is_bound = None, False
        self._prepared.run(pointers)

    def _place(self, *, fresh: bool) -> list[tuple[Any, int]]:
        """Binds memory for the results, fresh or pooled, and returns it block by block."""
        taken: list[tuple[Any, int]] = []
        self._bound_views = None  # also if memory runs out below
        for block in self._blocks:
            memory = block.fresh() if fresh else block.pooled()
            self._prepared.bind(block.base, memory[1])
            taken.append(memory)
        is_pooled = not fresh and all(block.is_small for block in self._blocks)
        self._bound_views = [_view(taken, *each) for each in self._results] if is_pooled else None
        return taken


class _ResultBlock:
    """A block of memory for results.

    Attributes:
        base: Its base.
        is_small: Whether results in it are copied, so that its memory can be pooled.
    """

    def __init__(self, base: Base, size: int) -> None:
        self.base, self._size, self.is_small = base, size, size <= SMALL
        self._pooled: tuple[Any, int] | None = None
        self._next: list[tuple[Any, int]] = []

    def pooled(self) -> tuple[Any, int]:
        """Memory for all calls, and its address; fresh memory if it is large."""
        if not self.is_small:
            return self.fresh()
        if self._pooled is None:
            self._pooled = self.fresh()
        return self._pooled

    def fresh(self) -> tuple[Any, int]:
        """Memory for one call, and its address; small blocks are allocated several at a time."""
        if not self._next:
            step, size = aligned(self._size), self._size
            memory = aligned_array(step * max(1, SMALL // max(step, 1)))
            first = address_of(memory)
            starts = range(0, max(len(memory), 1), max(step, 1))
            self._next = [(memory[k : k + size], first + k) for k in starts]
        return self._next.pop()


def _view(
    blocks: Sequence[tuple[Any, int]], spec: TensorSpec, block: int, start: int, stop: int
) -> Any:
    """A result as a numpy array in its block."""
    memory = blocks[block][0][start:stop]
    return typed(memory, DTYPES[spec.dtype].numpy, spec.static_shape)

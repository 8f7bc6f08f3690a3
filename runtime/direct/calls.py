"""Direct calls of a function at certain sizes, each by an executor that no other call uses.

Calls that need much memory of their own go through IREE instead, because its memory pool saves more
time than the direct call does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.direct.executable import NoDirectCallsError
from rnn_compiler.runtime.direct.executor import DirectExecutor
from rnn_compiler.runtime.direct.plan import CallPlan
from rnn_compiler.runtime.direct.threads import Threads
from rnn_compiler.runtime.results import SMALL
from rnn_compiler.schema.schedule import Choice
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["DirectCalls"]

LARGE, LARGE_ON_THREADS = 2 << 20, 32 << 20
"""The most memory in bytes that a direct call may need: on threads more, if all sizes are known, as
IREE's pool of threads costs more than its pool of memory saves."""

WORKGROUPS, WORKGROUPS_OF_SESSIONS = 1 << 12, 1 << 16
"""The most workgroups of a direct call, whose table has 40 bytes for each. A session keeps only one
such table."""


class DirectCalls:
    """Direct calls of a function at certain sizes.

    Attributes:
        blocks: The sizes in bytes of the blocks of memory that hold results.
        results: For each result, its block and its offset there.
        free: The executors that no call uses, with what the last ones bound.
    """

    def __init__(
        self,
        plan: CallPlan,
        spec: FunctionSpec,
        *,
        packs: bool,
        most: int | None = LARGE,
        threads: Threads | None = None,
    ) -> None:
        """Prepares the calls.

        Raises NoDirectCallsError: they need too much memory, have too many workgroups, or choose
            steps by values, so that threads would not speed them up.
        """
        if threads is not None and any(isinstance(step, Choice) for step in plan.steps):
            raise NoDirectCallsError("its steps depend on values")
        if plan.workgroups > (WORKGROUPS_OF_SESSIONS if most is None else WORKGROUPS):
            raise NoDirectCallsError("too many workgroups")
        arguments = zip(spec.arguments, plan.arguments, strict=False)
        own = sum(size for each, size in arguments if size <= SMALL or each.ignored)
        needed = plan.scratch + sum(plan.blocks) + own
        if most is not None and needed > most:
            raise NoDirectCallsError(f"it needs {needed:,} bytes of memory, more than {most:,}")
        self._plan, self._spec, self._packs, self._threads = plan, spec, packs, threads
        self._laid_out = plan.with_results_together(SMALL)
        self.blocks = self._laid_out.blocks
        self.results = [(span.index, span.start) for span in self._laid_out.results]
        self.free: list[DirectExecutor] = []

    def __call__(
        self,
        arrays: Sequence[npt.NDArray[Any] | DeviceArray],
        packed: Sequence[DeviceArray],
        device: Device | None,
    ) -> list[Any]:
        """Calls the function.

        Returns the results. None shares memory with another or with an argument.
        """
        executor = self.take()
        try:
            executor.bind(arrays, packed)
            return executor.run(device)
        finally:
            self.free.append(executor)

    def on(self, pointers: Sequence[int]) -> None:
        """Calls the function on memory of the caller.

        The addresses are those of the arguments, of the packed weights if it takes them, and of
        each of `blocks`: multiples of `schedule.ALIGNMENT`.
        """
        executor = self.take()
        try:
            executor.on(pointers)
        finally:
            self.free.append(executor)

    def take(self) -> DirectExecutor:
        """An executor that no other call uses."""
        try:
            return self.free.pop()
        except IndexError:
            results = self._spec.results
            return DirectExecutor(
                self._laid_out, self._spec, results, self._packs, threads=self._threads
            )

    def with_states(self, states: Mapping[int, int], shown: Sequence[int]) -> DirectExecutor:
        """An executor whose calls write states to where the next call reads them.

        `states` says for each argument that is a state which of the results `shown` is the next.
        """
        plan = self._plan.with_results_together(SMALL, shown).continued(states)
        results = [self._spec.results[number] for number in shown]
        return DirectExecutor(plan, self._spec, results, packs=False, threads=self._threads)

"""Prepared plans: memory for a plan, and its steps as a list of calls of C functions.

Everything that compiled code takes is laid out in advance, so that calling the function means
running a list (`stepping`). A `PreparedCall` serves one call at a time. Arguments and results lie
where they are bound (`executor`).
"""

from __future__ import annotations

import ctypes
import itertools
import struct
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.direct import denormals
from rnn_compiler.runtime.direct.memory import address_of, aligned_array
from rnn_compiler.runtime.direct.plan import CallPlan
from rnn_compiler.runtime.direct.stepping import MEMMOVE, MEMSET, Call, runner
from rnn_compiler.runtime.direct.threads import Threads, Trial
from rnn_compiler.schema.executable_library import DISPATCH, ENVIRONMENT, WORKGROUP
from rnn_compiler.schema.open_sizes import static
from rnn_compiler.schema.schedule import Choice, Copy, Dispatch, Fill, Span, Step

__all__ = ["Base", "PreparedCall"]

Base = tuple[str, int]
"""The base of an address: ``("argument", 2)``, ``("table", 0)``, ..."""


@dataclass
class _Segment:
    """Steps up to a choice or the end.

    Attributes:
        start: The index of its first word.
        value: The number to choose by: the index of the word with its address, and its bytes.
        cases: The next segment for each value of that number.
    """

    start: int
    value: tuple[int, int] | None
    cases: dict[int, _Segment]


class PreparedCall:
    """Memory for calls of a function, one at a time: all but arguments and results."""

    def __init__(self, plan: CallPlan, threads: Threads | None = None) -> None:
        """Lays out memory and steps.

        Args:
            plan: The plan.
            threads: They run a part of the steps, none of which is a choice.
        """
        self.plan = plan
        self._words: list[int] = []
        self._fixes: dict[Base, list[tuple[int, int]]] = {}
        self._workgroups: dict[tuple[int, int, int], int] = {}
        self._get, self._set = denormals.environment_functions()
        self._environment = self._packed(bytes(ENVIRONMENT.size))
        flushing = denormals.flushing(denormals.current(self._get))
        self._flushing = self._add(struct.unpack(f"<{denormals.WORDS}Q", flushing))
        calls = [*map(self._calls, plan.steps)]
        self._first = self._segment(plan.steps, calls)
        self._threads, self._trial = threads, Trial()
        self._shared = self._divided(plan.steps, calls, threads) if threads else 0
        arguments: list[Base] = [("argument", k) for k in range(len(plan.arguments))]
        bound = [*arguments, *[("result", k) for k in range(len(plan.blocks))]]
        self._pointers = self._add([0] * len(bound))
        self._moved, self._others = self._moves(bound)
        self._all = struct.Struct(f"={len(bound)}Q")
        self._table = array("Q", self._words)
        self._starts, _ = self._table.buffer_info()
        self._bases: dict[Base, int] = {}
        self._run = runner()
        self.bind(("table", 0), self._starts)
        self._scratch = aligned_array(plan.scratch)
        self.bind(("scratch", 0), address_of(self._scratch))
        for k, constant in enumerate(plan.constants):
            self.bind(("constant", k), address_of(constant))

    def bind(self, base: Base, address: int) -> None:
        """Sets the address of a base."""
        if self._bases.get(base) == address:
            return
        self._bases[base] = address
        for word, offset in self._fixes.get(base, ()):
            self._table[word] = address + offset

    def _bind_all(self, pointers: Sequence[int]) -> None:
        """Sets the addresses of all arguments and then of all blocks of results."""
        self._bases.clear()
        self._all.pack_into(self._table, 8 * self._pointers, *pointers)
        self._run(self._starts + 8 * self._moved)
        for word, number, offset in self._others:
            self._table[word] = pointers[number] + offset

    def run(self, pointers: Sequence[int] | None = None) -> None:
        """Runs the steps.

        Args:
            pointers: The addresses of all arguments and blocks of results; default: those that
                are bound.

        Raises:
            DeviceError: Compiled code reported a failure.
        """
        with RUNNING:
            if pointers is not None:
                self._bind_all(pointers)
            if self._threads is None:
                self._run_alone()
            else:
                self._run_on(self._threads)

    def _run_on(self, threads: Threads) -> None:
        """Runs the steps on threads, unless they are busy or have turned out slower."""
        start = time.perf_counter()
        together = False
        try:
            together = self._trial.with_threads and threads.take()
            if together:
                own = self._run(self._starts + 8 * self._shared)
                self._check(threads.has_failed() or own)
            else:
                self._run_alone()
        finally:
            if together:
                threads.release()
        self._trial.note(together, time.perf_counter() - start)

    def _run_alone(self) -> None:
        """Runs the steps in this thread."""
        segment = self._first
        while True:
            self._check(self._run(self._starts + 8 * segment.start))
            if segment.value is None:
                return
            word, size = segment.value
            data = ctypes.string_at(self._table[word], size)
            value = int.from_bytes(data, "little", signed=size > 1)
            if value not in segment.cases:
                raise DeviceError(f"{self.plan.function}: its host program has no case for {value}")
            segment = segment.cases[value]

    def _check(self, failed: int) -> None:
        if failed:
            raise DeviceError(f"{self.plan.function}: its compiled code failed")

    # The table.

    def _add(self, words: Sequence[int]) -> int:
        """Adds words; returns the index of the first."""
        start = len(self._words)
        self._words += words
        return start

    def _fix(self, word: int, base: Base, offset: int = 0) -> None:
        """Notes that a word holds an address."""
        self._fixes.setdefault(base, []).append((word, offset))

    def _packed(self, data: bytes) -> int:
        data += bytes(-len(data) % 8)
        return self._add(struct.unpack(f"<{len(data) // 8}Q", data))

    def _segment(self, steps: Sequence[Step], calls: Iterable[Sequence[Call]]) -> _Segment:
        start = self._list(self._flushed([*itertools.chain(*calls)]))
        last = steps[-1] if steps else None
        if not isinstance(last, Choice):
            return _Segment(start, None, {})
        value = self._add([0])
        self._fix(value, *_base_and_offset(last.value))
        cases = {
            number: self._segment(case, map(self._calls, case))
            for number, case in last.cases.items()
        }
        return _Segment(start, (value, last.value.size), cases)

    def _divided(
        self, steps: Sequence[Step], calls: Sequence[Sequence[Call]], threads: Threads
    ) -> int:
        """Adds the lists of all threads; returns the index of the caller's.

        They take the workgroups of a dispatch in turn, to and fro: of parts that differ by one, as
        those of `partition` do, each has as many. The first ones run at once, as `Turns` in
        `lowering/cpu/fused_loop/work_sharing.py` expects. All else is the caller's. All meet before
        a dispatch that is divided, and after it.
        """
        lists: list[list[Call]] = [[] for _ in range(threads.count)]
        times = 0

        def meet() -> None:
            nonlocal times
            times += 1
            for each in lists:
                each.append(threads.meet(times))

        is_divided = is_behind = False  # the last step; whether the caller did one since they met
        for step, made in zip(steps, calls, strict=True):
            divides = len(made) > 1 and isinstance(step, Dispatch)
            if is_divided or (is_behind and divides):
                meet()
                is_behind = False
            is_divided = divides
            if divides:
                for number, call in enumerate(made):
                    turn, place = divmod(number, len(lists))
                    lists[-1 - place if turn % 2 else place].append(call)
            else:
                lists[0] += made
                is_behind = is_behind or bool(made)
        own, *others = lists
        ended = threads.meet(times + 1)
        starts = [self._list(self._flushed(each), threads.failed) for each in others]
        pointers = self._add([0] * len(starts))
        for k, start in enumerate(starts):
            self._fix(pointers + k, ("table", 0), 8 * start)
        begun = threads.begin([("table", pointers + k) for k in range(len(starts))])
        return self._list([*begun, *self._flushed(own), ended])

    def _flushed(self, calls: Sequence[Call]) -> list[Call]:
        """Calls while the processor takes denormals for zero."""
        saved = "table", self._add([0] * denormals.WORDS)
        return [
            (self._get, (saved, 0, 0), 0),
            (self._set, (("table", self._flushing), 0, 0), 0),
            *calls,
            (self._set, (saved, 0, 0), 0),
        ]

    def _calls(self, step: Step) -> list[Call]:
        """The calls of a step; none of a choice, which `run` makes."""
        if isinstance(step, Dispatch):
            return self._dispatch(step)
        if isinstance(step, Copy) and step.target.length:
            return [(MEMMOVE, (step.target, step.source, step.target.length), 0)]
        if isinstance(step, Fill) and step.target.length:
            return self._fill(step)
        return []

    def _list(self, calls: Sequence[Call], result: int = 0) -> int:
        """Adds a list of calls, whose result is joined to that at an address; returns its index."""
        start = len(self._words)
        for function, arguments, mask in calls:
            row = self._add([function, 0, 0, 0, mask])
            for k, each in enumerate(arguments, row + 1):
                if isinstance(each, int):
                    self._words[k] = each
                elif isinstance(each, Span):
                    self._fix(k, *_base_and_offset(each))
                else:
                    self._fix(k, (each[0], 0), 8 * each[1])
        self._add([0, result])
        return start

    def _moves(self, bases: Sequence[Base]) -> tuple[int, list[tuple[int, int, int]]]:
        """Adds a list of calls that copies pointers to words; returns its index and the rest."""
        rows: list[Call] = []
        others: list[tuple[int, int, int]] = []  # the word, the number of its base, the offset
        for number, base in enumerate(bases):
            pointer = "table", self._pointers + number
            for word, offset in self._fixes.get(base, ()):
                if offset:
                    others.append((word, number, offset))
                else:
                    rows.append((MEMMOVE, (("table", word), pointer, 8), 0))
        return self._list(rows), others

    def _fill(self, step: Fill) -> list[Call]:
        """Fills bytes; a pattern is written once, and what is filled is then copied repeatedly."""
        target, pattern = step.target, step.pattern
        if len(set(pattern)) == 1:
            return [(MEMSET, (target, pattern[0], target.length), 0)]
        whole = self._packed(pattern * (8 // len(pattern)))
        done = min(len(pattern), target.size)
        calls: list[Call] = [(MEMMOVE, (target, ("table", whole), done), 0)]
        while done < target.size:
            count = min(done, target.size - done)
            calls.append((MEMMOVE, (target.part(done, count), target, count), 0))
            done += count
        return calls

    def _dispatch(self, step: Dispatch) -> list[Call]:
        """The calls of a kernel, one for each workgroup."""
        x, y, z = static(step.workgroups)
        words = [each & 0xFFFFFFFF for each in static(step.constants)]  # halves of larger numbers
        constants = self._packed(struct.pack(f"<{len(words)}I", *words))
        buffers = self._add([0] * len(step.buffers))
        for k, span in enumerate(step.buffers, buffers):
            self._fix(k, *_base_and_offset(span))
        lengths = self._add([span.size for span in step.buffers])
        numbers = (1, 1, 1, len(step.constants), x, y, z, 1, len(step.buffers))
        state = self._packed(DISPATCH.pack(*numbers, 0, 0, 0))
        pointers = state + DISPATCH.size // 8 - 3
        for k, at in enumerate((constants, buffers, lengths), pointers):
            self._fix(k, ("table", 0), 8 * at)
        code = self.plan.executable.kernels[step.kernel].address
        return [
            (
                code,
                (
                    ("table", self._environment),
                    ("table", state),
                    ("table", self._workgroup(i, j, k)),
                ),
                0xFFFFFFFF,
            )
            for k in range(z)
            for j in range(y)
            for i in range(x)
        ]

    def _workgroup(self, x: int, y: int, z: int) -> int:
        """The index of a workgroup's state."""
        if (x, y, z) not in self._workgroups:
            self._workgroups[x, y, z] = self._packed(WORKGROUP.pack(x, y, z, 0, 0, 0, 0))
        return self._workgroups[x, y, z]


def _base_and_offset(span: Span) -> tuple[Base, int]:
    """The base of a span, and its offset from there."""
    return (span.storage.value, span.index), span.start

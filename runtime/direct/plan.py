"""What a call of a function does, at certain sizes: calls of C functions, and the memory they use.

A `Plan` is a schedule with all numbers known and checked. A `Prepared` has memory for it, and in it
all that compiled code is passed, so that to call the function is to run a list (`stepping`). It is
for one call at a time; results are read from its memory, or lie in memory that a call brings.
"""

from __future__ import annotations

import ctypes
import math
import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.direct import denormals
from rnn_compiler.runtime.direct.executable import Executable, NoDirectCallsError
from rnn_compiler.runtime.direct.stepping import runner
from rnn_compiler.schema.formulas import values_at
from rnn_compiler.schema.open_sizes import Size, bound, static, static_size
from rnn_compiler.schema.schedule import (
    ALIGNMENT,
    Choice,
    Copy,
    Dispatch,
    Fill,
    Place,
    Schedule,
    Span,
    Step,
    mapped,
    spans_of,
    steps_in,
)

__all__ = ["Plan", "Prepared", "address_of", "aligned_array", "typed"]

_MOST_WORKGROUPS = 4096
"""Of all dispatches of a call."""

Base = tuple[str, int]
"""What an address begins at: ``("argument", 2)``, ``("memory", 0)``, ..."""


def aligned_array(size: int) -> npt.NDArray[np.uint8]:
    """So many bytes, where compiled code takes them."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -address_of(memory) % ALIGNMENT
    return memory[start : start + size]


def address_of(elements: npt.NDArray[Any]) -> int:
    """Where the elements of an array begin."""
    return elements.__array_interface__["data"][0]


def typed(memory: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> Any:
    """Bytes as an array of something else."""
    return memory.view(dtype).reshape(shape)


@dataclass(frozen=True)
class Plan:
    """A function at certain sizes.

    Attributes:
        function: Its symbol.
        steps: What it does; all numbers are known.
        scratch: How many bytes of memory it needs for itself.
        blocks: The memory in which results lie, each so many bytes.
        results: Where they lie.
        arguments: How many bytes each argument has.
        constants: What it reads beside them.
        executable: The compiled code.
    """

    function: str
    steps: tuple[Step, ...]
    scratch: int
    blocks: tuple[int, ...]
    results: tuple[Span, ...]
    arguments: tuple[int, ...]
    constants: Sequence[npt.NDArray[np.uint8]]
    executable: Executable

    @staticmethod
    def of(
        schedule: Schedule,
        arguments: Sequence[Size],
        constants: Sequence[npt.NDArray[np.uint8]],
        executable: Executable,
        sizes: Mapping[str, int],
    ) -> Plan:
        """The plan of a schedule.

        Args:
            schedule: The schedule.
            arguments: How many bytes each argument has.
            constants: What it reads beside them.
            executable: The compiled code.
            sizes: The open dimensions, by name.

        Raises:
            NoDirectCallsError: It is too large, or does not fit to the code.
        """
        if schedule.limit and math.prod(sizes.values()) > schedule.limit:
            raise NoDirectCallsError("larger than its formulas reach")
        values = values_at(schedule.formulas, sizes)

        def known(size: Size) -> int:
            return static_size(bound(size, values))

        def placed(span: Span) -> Span:
            return Span(span.place, span.index, known(span.offset), known(span.length))

        steps: list[Step] = []
        for step in mapped(schedule.steps, placed):
            steps.append(_with_numbers(step, known))
        plan = Plan(
            schedule.function,
            tuple(steps),
            known(schedule.scratch),
            tuple(map(known, schedule.blocks)),
            tuple(map(placed, schedule.results)),
            tuple(map(known, arguments)),
            constants,
            executable,
        )
        plan.check()
        return plan

    def check(self) -> None:
        """Checks that each step stays within its memory, and gives the code what that takes."""
        room = {
            Place.ARGUMENT: self.arguments,
            Place.RESULT: self.blocks,
            Place.SCRATCH: (self.scratch,),
            Place.CONSTANT: [len(each) for each in self.constants],
        }
        spans = [*self.results, *(span for step in steps_in(self.steps) for span in spans_of(step))]
        for span in spans:
            sizes = room[span.place]
            end = span.start + span.size
            if span.index >= len(sizes) or min(span.index, span.start, span.size) < 0:
                raise NoDirectCallsError("its schedule is damaged")
            if end > sizes[span.index]:
                raise NoDirectCallsError("its schedule leaves its memory")
        workgroups = 0
        for step in steps_in(self.steps):
            if isinstance(step, Dispatch):
                kernel = self.executable.kernels.get(step.kernel)
                given = len(step.constants), len(step.buffers)
                if kernel is None or given != (kernel.constants, kernel.buffers):
                    raise NoDirectCallsError(f"its code is not called as {step.kernel} takes it")
                workgroups += math.prod(static(step.workgroups))
        if workgroups > _MOST_WORKGROUPS:
            raise NoDirectCallsError("too many workgroups")


def _with_numbers(step: Step, known: Any) -> Step:
    """A step with numbers for formulas; its spans have them."""
    if isinstance(step, Dispatch):
        x, y, z = map(known, step.workgroups)
        return Dispatch(step.kernel, (x, y, z), tuple(map(known, step.constants)), step.buffers)
    if isinstance(step, Choice):
        cases = {
            value: tuple(_with_numbers(each, known) for each in steps)
            for value, steps in step.cases.items()
        }
        return Choice(step.value, cases)
    return step


@dataclass
class _Segment:
    """Steps up to the end or a choice.

    Attributes:
        start: The word that they begin at.
        value: Where the number is that is chosen by: a base, an offset, how many bytes.
        cases: The segments that follow, by that number.
    """

    start: int
    value: tuple[Base, int, int] | None
    cases: dict[int, _Segment]


class Prepared:
    """Memory for calls of a function, one at a time.

    Attributes:
        memory: Its scratch memory and its own place for each argument and block of results.
    """

    def __init__(self, plan: Plan, own_blocks: bool) -> None:
        """Lays it out.

        Args:
            plan: What to do.
            own_blocks: Whether results lie here; else a call brings memory for them.
        """
        self.plan = plan
        self._words: list[int] = []
        self._fixes: dict[Base, list[tuple[int, int]]] = {}
        self._workgroups: dict[tuple[int, int, int], int] = {}
        self._get, self._set = denormals.environment_functions()
        self._environment = self._add([0] * 12)
        self._saved = self._add([0] * denormals.WORDS)
        flushing = denormals.flushing(denormals.current(self._get))
        self._flushing = self._add(struct.unpack(f"<{denormals.WORDS}Q", flushing))
        self._first = self._segment(plan.steps)
        self._table = array("Q", self._words)
        self._starts, _ = self._table.buffer_info()
        self._bases: dict[Base, int] = {}
        self._run = runner()
        self.bind(("table", 0), self._starts)
        sizes = [plan.scratch, *(plan.blocks if own_blocks else ())]
        self.memory = [aligned_array(size) for size in sizes]
        self.bind(("scratch", 0), address_of(self.memory[0]))
        for k, block in enumerate(self.memory[1:]):
            self.bind(("result", k), address_of(block))
        for k, constant in enumerate(plan.constants):
            self.bind(("constant", k), address_of(constant))

    def bind(self, base: Base, address: int) -> None:
        """Says where something begins."""
        if self._bases.get(base) == address:
            return
        self._bases[base] = address
        for word, offset in self._fixes.get(base, ()):
            self._table[word] = address + offset

    def run(self) -> None:
        """Runs it; everything is bound.

        Raises:
            DeviceError: Compiled code says that it failed.
        """
        segment = self._first
        while True:
            if self._run(self._starts + 8 * segment.start):
                ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._set)(
                    self._starts + 8 * self._saved
                )
                raise DeviceError(f"{self.plan.function}: its compiled code failed")
            if segment.value is None:
                return
            base, offset, size = segment.value
            value = int.from_bytes(
                ctypes.string_at(self._bases[base] + offset, size), "little", signed=size > 1
            )
            if value not in segment.cases:
                raise DeviceError(f"{self.plan.function}: its host program has no way for {value}")
            segment = segment.cases[value]

    # The table.

    def _add(self, words: Sequence[int]) -> int:
        """Adds words; gives the place of the first."""
        start = len(self._words)
        self._words += words
        return start

    def _fix(self, word: int, base: Base, offset: int = 0) -> None:
        """Notes that a word is an address."""
        self._fixes.setdefault(base, []).append((word, offset))

    def _packed(self, data: bytes) -> int:
        data += bytes(-len(data) % 8)
        return self._add(struct.unpack(f"<{len(data) // 8}Q", data))

    def _segment(self, steps: Sequence[Step]) -> _Segment:
        calls: list[tuple[int, tuple[Any, Any, Any], int]] = [
            (self._get, (("table", self._saved), 0, 0), 0),
            (self._set, (("table", self._flushing), 0, 0), 0),
        ]
        last: Choice | None = None
        for step in steps:
            if isinstance(step, Choice):
                last = step
            elif isinstance(step, Dispatch):
                calls += self._dispatch(step)
            elif isinstance(step, Copy) and step.target.length:
                calls.append((_MEMMOVE, (step.target, step.source, step.target.length), 0))
            elif isinstance(step, Fill) and step.target.length:
                calls += self._fill(step)
        calls.append((self._set, (("table", self._saved), 0, 0), 0))
        start = len(self._words)
        for function, arguments, mask in calls:
            row = self._add([function, 0, 0, 0, mask])
            for k, each in enumerate(arguments, row + 1):
                if isinstance(each, int):
                    self._words[k] = each
                elif isinstance(each, Span):
                    self._fix(k, *_place(each))
                else:
                    self._fix(k, (each[0], 0), 8 * each[1])
        self._add([0])
        if last is None:
            return _Segment(start, None, {})
        cases = {value: self._segment(case) for value, case in last.cases.items()}
        return _Segment(start, (*_place(last.value), last.value.size), cases)

    def _fill(self, step: Fill) -> list[tuple[int, tuple[Any, Any, Any], int]]:
        """Sets bytes; of a pattern, sets its first, and copies what is there until all is."""
        target, pattern = step.target, step.pattern
        if len(set(pattern)) == 1:
            return [(_MEMSET, (target, pattern[0], target.length), 0)]
        whole = self._packed(pattern * (8 // len(pattern)))
        done = min(len(pattern), target.size)
        calls: list[tuple[int, tuple[Any, Any, Any], int]] = [
            (_MEMMOVE, (target, ("table", whole), done), 0)
        ]
        while done < target.size:
            count = min(done, target.size - done)
            calls.append((_MEMMOVE, (target.part(done, count), target, count), 0))
            done += count
        return calls

    def _dispatch(self, step: Dispatch) -> list[tuple[int, tuple[Any, Any, Any], int]]:
        """The calls of a kernel, one for each workgroup."""
        x, y, z = static(step.workgroups)
        constants = self._packed(struct.pack(f"<{len(step.constants)}I", *step.constants))
        buffers = self._add([0] * len(step.buffers))
        for k, span in enumerate(step.buffers, buffers):
            self._fix(k, *_place(span))
        lengths = self._add([span.size for span in step.buffers])
        numbers = (1, 1, 1, len(step.constants), x, y, z, 1, len(step.buffers))
        state = self._packed(struct.pack("<IIHHIIHBB24x", *numbers))
        for k, place in enumerate((constants, buffers, lengths), state + 3):
            self._fix(k, ("table", 0), 8 * place)
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
        """The struct that says which workgroup it is."""
        if (x, y, z) not in self._workgroups:
            self._workgroups[x, y, z] = self._packed(struct.pack("<IIH2x4x8x4x4x", x, y, z))
        return self._workgroups[x, y, z]


def _place(span: Span) -> tuple[Base, int]:
    """Where a span begins."""
    return (span.place.value, span.index), span.start


def _libc(name: str) -> int:
    return ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0


_MEMMOVE, _MEMSET = _libc("memmove"), _libc("memset")

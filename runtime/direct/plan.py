"""Plans: the schedule of a function at certain sizes, with all formulas evaluated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.runtime.direct.executable import LoadedExecutable, NoDirectCallsError
from rnn_compiler.schema.open_sizes import Size, bound, names_in, static, static_size, values_at
from rnn_compiler.schema.schedule import (
    Choice,
    Copy,
    Dispatch,
    Schedule,
    Span,
    Step,
    Storage,
    aligned,
    followed,
    mapped,
    spans_of,
    steps_in,
)

__all__ = ["CallPlan"]


@dataclass(frozen=True)
class CallPlan:
    """A function at certain sizes.

    Attributes:
        function: Its symbol.
        steps: The steps, with all numbers known.
        scratch: The size of the scratch memory in bytes.
        blocks: The sizes of the blocks of memory that hold results, in bytes.
        results: The spans of the results.
        arguments: The sizes of the arguments in bytes.
        constants: The constants it reads.
        executable: The compiled code.
    """

    function: str
    steps: tuple[Step, ...]
    scratch: int
    blocks: tuple[int, ...]
    results: tuple[Span, ...]
    arguments: tuple[int, ...]
    constants: Sequence[npt.NDArray[np.uint8]]
    executable: LoadedExecutable

    @staticmethod
    def of(
        schedule: Schedule,
        arguments: Sequence[Size],
        constants: Sequence[npt.NDArray[np.uint8]],
        executable: LoadedExecutable,
        sizes: Mapping[str, int],
    ) -> CallPlan:
        """The plan of a schedule.

        Raises NoDirectCallsError: it is too large, or does not fit the code or the sizes.
        """
        if schedule.limit and math.prod(sizes.values()) > schedule.limit:
            raise NoDirectCallsError("sizes beyond the range of its formulas")
        if not names_in(*arguments) <= sizes.keys():
            raise NoDirectCallsError("its arguments depend on other open sizes")
        if 0 in sizes.values():
            raise NoDirectCallsError("its formulas are for sizes of 1 or more")
        values = values_at(schedule.formulas, sizes)

        def known(size: Size) -> int:
            return static_size(bound(size, values))

        def evaluated(span: Span) -> Span:
            return Span(span.storage, span.index, known(span.offset), known(span.length))

        steps: list[Step] = []
        for step in mapped(schedule.steps, evaluated):
            steps.append(_with_numbers(step, known))
        plan = CallPlan(
            schedule.function,
            tuple(steps),
            known(schedule.scratch),
            tuple(map(known, schedule.blocks)),
            tuple(map(evaluated, schedule.results)),
            tuple(map(known, arguments)),
            constants,
            executable,
        )
        plan.check()
        return plan

    def with_results_together(self, small: int, shown: Sequence[int] | None = None) -> CallPlan:
        """A plan with one block for all small results, copied there by the last steps.

        Nothing is copied if all blocks are small and the results have separate memory there.
        Results of more than `small` bytes stay in place, and may share a block. Those that are an
        argument, a constant or equal to another result are always copied.
        """
        given = self.results if shown is None else tuple(self.results[k] for k in shown)
        if sum(self.blocks) <= small and _are_apart(given):
            return replace(self, results=given)
        shared = [span for k, span in enumerate(given) if span in given[:k]]
        stays = [
            span.storage is Storage.RESULT and span.size > small and span not in shared
            for span in given
        ]
        pairs = [*zip(given, stays, strict=True)]
        kept = sorted({span.index for span, large in pairs if large})
        scratch, starts = aligned(self.scratch), dict[int, int]()
        for k, size in enumerate(self.blocks):
            if k not in kept:
                starts[k] = scratch
                scratch += aligned(size)

        def moved(span: Span) -> Span:
            if span.storage is not Storage.RESULT:
                return span
            if span.index in kept:
                return replace(span, index=kept.index(span.index))
            start = starts[span.index]
            return Span(Storage.SCRATCH, 0, start + span.offset, span.length)

        results: list[Span] = []
        copies: list[Step] = []
        block = 0
        for span, large in pairs:
            if large:
                results.append(moved(span))
                continue
            results.append(Span(Storage.RESULT, len(kept), block, span.size))
            copies.append(Copy(moved(span), results[-1]))
            block += aligned(span.size)
        return replace(
            self,
            steps=followed(mapped(self.steps, moved), copies),
            scratch=scratch,
            blocks=(*[self.blocks[k] for k in kept], *([block] if copies else [])),
            results=tuple(results),
        )

    def continued(self, states: Mapping[int, int]) -> CallPlan:
        """A plan whose last steps write states to where the next call reads them.

        `states` has the result for each argument; results must not share memory with arguments.
        """
        last: list[Step] = []
        for argument, result in states.items():
            span, size = self.results[result], self.arguments[argument]
            after = span.part(span.length - size, size)  # its last step, if it has all steps
            last.append(Copy(after, Span(Storage.ARGUMENT, argument, 0, size)))
        return replace(self, steps=followed(self.steps, last))

    def check(self) -> None:
        """Checks that steps stay within their memory and that dispatches match their kernels."""
        room = {
            Storage.ARGUMENT: self.arguments,
            Storage.RESULT: self.blocks,
            Storage.SCRATCH: (self.scratch,),
            Storage.CONSTANT: [len(each) for each in self.constants],
        }
        spans = [*self.results, *(span for step in steps_in(self.steps) for span in spans_of(step))]
        for span in spans:
            sizes = room[span.storage]
            end = span.start + span.size
            if span.index >= len(sizes) or min(span.index, span.start, span.size) < 0:
                raise NoDirectCallsError("its schedule is damaged")
            if end > sizes[span.index]:
                raise NoDirectCallsError("its schedule leaves its memory")
        for step in steps_in(self.steps):
            if isinstance(step, Dispatch):
                kernel = self.executable.kernels.get(step.kernel)
                given = len(step.constants), len(step.buffers)
                if kernel is None or given != (kernel.constants, kernel.buffers):
                    raise NoDirectCallsError(f"a call does not fit the code {step.kernel}")

    @property
    def workgroups(self) -> int:
        """How many workgroups a call has, over all dispatches."""
        dispatches = (each for each in steps_in(self.steps) if isinstance(each, Dispatch))
        return sum(math.prod(static(each.workgroups)) for each in dispatches)


def _are_apart(results: Sequence[Span]) -> bool:
    """Whether results lie in blocks, no two of them in the same bytes."""
    order = sorted((span.index, span.start, span.size) for span in results)
    return all(span.storage is Storage.RESULT for span in results) and all(
        one[0] < other[0] or one[1] + one[2] <= other[1] for one, other in itertools.pairwise(order)
    )


def _with_numbers(step: Step, known: Any) -> Step:
    """A step with its formulas evaluated; its spans already are."""
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

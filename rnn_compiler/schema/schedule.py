"""What a function does on the host, as data: which compiled code runs on which bytes, in order.

IREE's host programs allocate, record, wait and free. Of those that are a list, all that remains is
here: each step is done before the next begins, which is what the barriers of a command buffer ask
for and more. Sizes, offsets and lengths are bytes. Where sizes are open, numbers may follow from
them (`formulas`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from rnn_compiler.schema.formulas import Formula, value_at
from rnn_compiler.schema.open_sizes import Open, Size, static_size

__all__ = [
    "ALIGNMENT",
    "Choice",
    "Copy",
    "Dispatch",
    "Fill",
    "Place",
    "Schedule",
    "Span",
    "Step",
    "aligned",
    "followed",
    "mapped",
    "spans_of",
    "steps_in",
]

ALIGNMENT = 64
"""What compiled code takes every buffer to be aligned to."""


def aligned(size: int) -> int:
    """A size, or the next one that keeps what follows aligned.

    Example:
        >>> aligned(0), aligned(1), aligned(64)
        (0, 64, 64)
    """
    return -(-size // ALIGNMENT) * ALIGNMENT


class Place(Enum):
    """Where bytes are."""

    ARGUMENT = "argument"
    RESULT = "result"
    SCRATCH = "scratch"
    CONSTANT = "constant"


@dataclass(frozen=True)
class Span:
    """Bytes that lie together.

    Attributes:
        place: Where they are.
        index: Which argument, result or constant; 0 for scratch, which is one.
        offset: Where they begin in it.
        length: How many they are.
    """

    place: Place
    index: int
    offset: Size
    length: Size

    @property
    def start(self) -> int:
        """The offset, of which nothing is open."""
        return static_size(self.offset)

    @property
    def size(self) -> int:
        """The length, of which nothing is open."""
        return static_size(self.length)

    def part(self, offset: Size, length: Size) -> Span:
        """Some of them."""
        return Span(self.place, self.index, self.offset + offset, length)


@dataclass(frozen=True)
class Dispatch:
    """A call of compiled code, once for each workgroup.

    Attributes:
        kernel: The name of the code.
        workgroups: How many there are along each axis.
        constants: What it is given beside the buffers, as 32 bits each.
        buffers: What it reads and writes.
    """

    kernel: str
    workgroups: tuple[Size, Size, Size]
    constants: tuple[Size, ...]
    buffers: tuple[Span, ...]


@dataclass(frozen=True)
class Copy:
    """A copy of bytes; source and target do not overlap."""

    source: Span
    target: Span


@dataclass(frozen=True)
class Fill:
    """Bytes that are all the same, or repeat a pattern of 2 or 4."""

    target: Span
    pattern: bytes


@dataclass(frozen=True)
class Choice:
    """Steps that depend on a number, after which there are no others.

    Attributes:
        value: Where the number is, an integer of 1, 4 or 8 bytes.
        cases: The steps for each value that it may have.
    """

    value: Span
    cases: Mapping[int, tuple[Step, ...]]


Step: TypeAlias = Dispatch | Copy | Fill | Choice


@dataclass(frozen=True)
class Schedule:
    """A function.

    Attributes:
        function: Its symbol.
        scratch: How many bytes of memory it needs for itself.
        steps: What it does.
        formulas: The numbers that it computes from open sizes, by name.
        limit: How large open sizes and their product may be.
        blocks: Of one that allocates its results, the memory that these lie in, each so many bytes;
            else a caller brings memory for each.
        results: Where its results lie, if it allocates them: in these blocks, or as they came in
            an argument or a constant.
    """

    function: str
    scratch: Size
    steps: tuple[Step, ...]
    formulas: Mapping[str, Formula] = field(default_factory=dict[str, Formula])
    limit: int = 0
    blocks: tuple[Size, ...] = ()
    results: tuple[Span, ...] = ()

    def reads(self, index: int) -> bool:
        """Whether anything is read of an argument."""
        return any(
            span.place is Place.ARGUMENT and span.index == index
            for step in steps_in(self.steps)
            for span in spans_of(step)
        )

    def at(self, number: Size, sizes: Mapping[str, int]) -> int:
        """What a number of the function is at some open sizes."""
        return value_at(number, self.formulas, sizes)

    def needed(self, numbers: Iterable[Size]) -> dict[str, Formula]:
        """The formulas that some numbers need, each after those that it needs itself."""
        waiting = [*numbers]
        names: set[str] = set()
        while waiting:
            number = waiting.pop()
            found = number.names - names if isinstance(number, Open) else set[str]()
            names |= found
            for name in found & self.formulas.keys():
                waiting += self.formulas[name].operands
        return {name: formula for name, formula in self.formulas.items() if name in names}

    def with_constants(self, constants: Mapping[int, int]) -> Schedule:
        """The same with constants in the place of arguments; the other arguments move up.

        Args:
            constants: The number of the constant, for some arguments.
        """

        def moved(span: Span) -> Span:
            if span.place is not Place.ARGUMENT:
                return span
            if span.index in constants:
                return replace(span, place=Place.CONSTANT, index=constants[span.index])
            return replace(span, index=span.index - sum(k < span.index for k in constants))

        return replace(self, steps=mapped(self.steps, moved))


def mapped(steps: Sequence[Step], change: Callable[[Span], Span]) -> tuple[Step, ...]:
    """Steps with other spans."""
    made: list[Step] = []
    for step in steps:
        if isinstance(step, Dispatch):
            made.append(replace(step, buffers=tuple(map(change, step.buffers))))
        elif isinstance(step, Copy):
            made.append(Copy(change(step.source), change(step.target)))
        elif isinstance(step, Fill):
            made.append(replace(step, target=change(step.target)))
        else:
            cases = {value: mapped(case, change) for value, case in step.cases.items()}
            made.append(Choice(change(step.value), cases))
    return tuple(made)


def followed(steps: Sequence[Step], last: Sequence[Step]) -> tuple[Step, ...]:
    """Steps with others at the end, whichever way they end."""
    if steps and isinstance(choice := steps[-1], Choice):
        cases = {value: followed(each, last) for value, each in choice.cases.items()}
        return (*steps[:-1], Choice(choice.value, cases))
    return (*steps, *last)


def steps_in(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, those of choices after these."""
    for step in steps:
        yield step
        if isinstance(step, Choice):
            for case in step.cases.values():
                yield from steps_in(case)


def spans_of(step: Step) -> tuple[Span, ...]:
    """What a step reads and writes."""
    if isinstance(step, Dispatch):
        return step.buffers
    if isinstance(step, Copy):
        return step.source, step.target
    return (step.target,) if isinstance(step, Fill) else (step.value,)

"""A function's host program as data: which compiled code runs on which bytes, in order.

IREE's host programs allocate, record, wait and free. If a program has no other control flow, this
list is all that remains of it. Each step finishes before the next begins, which is at least what
the barriers of a command buffer require. Sizes, offsets and lengths are in bytes. With open sizes,
numbers may be computed from them (`formulas`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from rnn_compiler.errors import ArtifactError
from rnn_compiler.schema.open_sizes import (
    Size,
    SizeFormula,
    names_in,
    open_names,
    parse,
    static_size,
    value_at,
    written,
)

ALIGNMENT = 64
"""The alignment that code assumes for every buffer, unless its architecture has another."""


class Memory(NamedTuple):
    """The properties of memory on the machine that a schedule is for.

    Attributes:
        alignment: The alignment of every buffer, in bytes.
        largest: The maximum size of an array in bytes.
    """

    alignment: int = ALIGNMENT
    largest: int = 2**63 - 1


ANY_MEMORY = Memory()
"""The memory of machines with 64-bit addresses."""


def aligned(size: int, alignment: int = ALIGNMENT) -> int:
    """A size rounded up to the alignment.

    Example:
        >>> aligned(0), aligned(1), aligned(64), aligned(1, 16)
        (0, 64, 64, 16)
    """
    return -(-size // alignment) * alignment


class Storage(Enum):
    """The kind of memory that bytes are in."""

    ARGUMENT = "argument"
    RESULT = "result"
    SCRATCH = "scratch"
    CONSTANT = "constant"


@dataclass(frozen=True)
class Span:
    """A range of bytes.

    Attributes:
        storage: The kind of memory.
        index: Which argument, result or constant; 0 for scratch memory.
        offset: The offset of the first byte.
        length: The number of bytes.
    """

    storage: Storage
    index: int
    offset: Size
    length: Size

    @property
    def start(self) -> int:
        """The offset, which must not be open."""
        return static_size(self.offset)

    @property
    def size(self) -> int:
        """The length, which must not be open."""
        return static_size(self.length)

    def part(self, offset: Size, length: Size) -> Span:
        """A sub-range."""
        return Span(self.storage, self.index, self.offset + offset, length)


@dataclass(frozen=True)
class Dispatch:
    """A call of compiled code, once for each workgroup.

    Attributes:
        kernel: The name of the code.
        workgroups: The number of workgroups along each axis.
        constants: Push constants, 32 bits each.
        buffers: The spans that it reads and writes.
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
    """A fill with a pattern of 1, 2 or 4 bytes."""

    target: Span
    pattern: bytes


@dataclass(frozen=True)
class Choice:
    """Alternative last steps, selected by a number.

    Attributes:
        value: The span of the number, an integer of 1, 4 or 8 bytes.
        cases: The steps for each possible value.
    """

    value: Span
    cases: Mapping[int, tuple[Step, ...]]


@dataclass(frozen=True)
class Repeat:
    """Steps that are repeated as often as open sizes say.

    Attributes:
        counter: The name of the number of the repetition, which numbers in the steps refer to.
        first: Its first value.
        end: The value that ends the loop; not less than the first.
        steps: The steps.
    """

    counter: str
    first: int
    end: Size
    steps: tuple[Step, ...]


Step: TypeAlias = Dispatch | Copy | Fill | Choice | Repeat


@dataclass(frozen=True)
class Schedule:
    """The schedule of a function.

    Attributes:
        function: Its symbol.
        scratch: The size of its scratch memory in bytes.
        steps: Its steps.
        formulas: Numbers computed from open sizes, by name.
        limit: The maximum of open sizes and of their product.
        blocks: The size in bytes of each block of memory that the caller provides for results.
        results: The span of each result, in these blocks or in an argument or a constant. In C and
            JavaScript each result is a block.
    """

    function: str
    scratch: Size
    steps: tuple[Step, ...]
    formulas: Mapping[str, SizeFormula] = field(default_factory=dict[str, SizeFormula])
    limit: int = 0
    blocks: tuple[Size, ...] = ()
    results: tuple[Span, ...] = ()

    def reads(self, index: int) -> bool:
        """Whether any part of an argument is read."""
        return any(
            span.storage is Storage.ARGUMENT and span.index == index
            for step in steps_in(self.steps)
            for span in spans_of(step)
        )

    def at(self, number: Size, sizes: Mapping[str, int]) -> int:
        """The value of a number of the function at given open sizes."""
        return value_at(number, self.defined(self.steps), sizes)

    def needed(self, numbers: Iterable[Size]) -> dict[str, SizeFormula]:
        """The formulas that some numbers depend on, each after its own dependencies."""
        waiting = [*numbers]
        names: set[str] = set()
        while waiting:
            found = names_in(waiting.pop()) - names
            names |= found
            for name in found & self.formulas.keys():
                waiting += self.formulas[name].operands
        return {name: formula for name, formula in self.formulas.items() if name in names}

    def defined(self, steps: Sequence[Step], counter: str = "") -> dict[str, SizeFormula]:
        """The formulas to compute before some steps, each after its own dependencies.

        With a counter, the steps are those of its loop, and the formulas those that depend on it.
        """
        inner = {each.counter for each in steps_in(steps) if isinstance(each, Repeat)}
        varying = {counter} if counter else set(inner)
        found: dict[str, SizeFormula] = {}
        for name, formula in self.formulas.items():
            known = names_in(*formula.operands)
            inner |= {name} if known & inner else set()
            varying |= {name} if known & varying else set()
            if name not in inner and (name in varying) == bool(counter):
                found[name] = formula
        return found

    def with_constants(self, constants: Mapping[int, int]) -> Schedule:
        """A copy with some arguments replaced by constants, by number; others are renumbered."""

        def moved(span: Span) -> Span:
            if span.storage is not Storage.ARGUMENT:
                return span
            if span.index in constants:
                return replace(span, storage=Storage.CONSTANT, index=constants[span.index])
            return replace(span, index=span.index - sum(k < span.index for k in constants))

        results = tuple(map(moved, self.results))
        return replace(self, steps=mapped(self.steps, moved), results=results)


def mapped(steps: Sequence[Step], change: Callable[[Span], Span]) -> tuple[Step, ...]:
    """Steps with their spans replaced."""
    made: list[Step] = []
    for step in steps:
        if isinstance(step, Dispatch):
            made.append(replace(step, buffers=tuple(map(change, step.buffers))))
        elif isinstance(step, Copy):
            made.append(Copy(change(step.source), change(step.target)))
        elif isinstance(step, Fill):
            made.append(replace(step, target=change(step.target)))
        elif isinstance(step, Repeat):
            made.append(replace(step, steps=mapped(step.steps, change)))
        else:
            cases = {value: mapped(case, change) for value, case in step.cases.items()}
            made.append(Choice(change(step.value), cases))
    return tuple(made)


def followed(steps: Sequence[Step], last: Sequence[Step]) -> tuple[Step, ...]:
    """Steps followed by others, in every case of a choice at the end."""
    if steps and isinstance(choice := steps[-1], Choice):
        cases = {value: followed(each, last) for value, each in choice.cases.items()}
        return (*steps[:-1], Choice(choice.value, cases))
    return (*steps, *last)


def steps_in(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, including those inside choices and repetitions."""
    for step in steps:
        yield step
        if isinstance(step, Repeat):
            yield from steps_in(step.steps)
        if isinstance(step, Choice):
            for case in step.cases.values():
                yield from steps_in(case)


def spans_of(step: Step) -> tuple[Span, ...]:
    """The spans that a step reads and writes."""
    if isinstance(step, Dispatch):
        return step.buffers
    if isinstance(step, Copy):
        return step.source, step.target
    if isinstance(step, Repeat):
        return ()
    return (step.target,) if isinstance(step, Fill) else (step.value,)


# Schedules as JSON, stored in a payload so that its functions can be called directly.
#
# `compile` writes them and the runtime reads them. Numbers computed from open sizes are text,
# ``"64*seq_length + n0"``; a span is a letter for its kind of memory and three numbers.

SCHEDULES_FILE = "rnn_compiler.schedules.json"
"""The file name of the schedules in a payload, which is also a zip file."""

_VERSION = 1

_STORAGES = {
    "a": Storage.ARGUMENT,
    "r": Storage.RESULT,
    "s": Storage.SCRATCH,
    "c": Storage.CONSTANT,
}
_LETTERS = {storage: letter for letter, storage in _STORAGES.items()}


@dataclass(frozen=True)
class Loaded:
    """A constant that exists once a module is loaded, because it comes from frozen weights.

    Attributes:
        size: Its size in bytes.
        parameter: Its name in the archive; empty if it is packed from several.
    """

    size: int
    parameter: str = ""


@dataclass(frozen=True)
class Schedules:
    """The schedules of a module's functions.

    Attributes:
        functions: By symbol.
        arguments: The size in bytes of each argument of a function, by symbol.
        constants: The constants that they read, as bytes or by origin.
    """

    functions: Mapping[str, Schedule]
    arguments: Mapping[str, Sequence[Size]]
    constants: Sequence[bytes | Loaded] = field(default=())

    def to_json(self) -> str:
        """The schedules as JSON text."""
        functions = {
            name: {
                "arguments": [*map(written, self.arguments[name])],
                "scratch": written(each.scratch),
                "blocks": [*map(written, each.blocks)],
                "results": [*map(_span, each.results)],
                "steps": [*map(_step, each.steps)],
                "formulas": {
                    name: [formula.operator, *map(written, formula.operands)]
                    for name, formula in each.formulas.items()
                },
                "limit": each.limit,
            }
            for name, each in self.functions.items()
        }
        constants = [
            [each.size, each.parameter] if isinstance(each, Loaded) else each.hex()
            for each in self.constants
        ]
        fields = {"version": _VERSION, "constants": constants, "functions": functions}
        return json.dumps(fields, separators=(",", ":"))

    @staticmethod
    def from_json(text: str | bytes) -> Schedules:
        """Reads the output of `to_json`."""
        try:
            fields = json.loads(text)
            if fields["version"] != _VERSION:
                raise ArtifactError(f"schedules of version {fields['version']}, not {_VERSION}")
            rows: dict[str, Any] = fields["functions"]
            constants = tuple(
                bytes.fromhex(each) if isinstance(each, str) else Loaded(int(each[0]), str(each[1]))
                for each in fields["constants"]
            )
            arguments = {name: [*map(parse, row["arguments"])] for name, row in rows.items()}
            functions = {name: _read(name, row, arguments[name]) for name, row in rows.items()}
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ArtifactError(f"damaged schedules ({error!r})") from error
        return Schedules(functions, arguments, constants)


def _span(span: Span) -> list[Any]:
    return [_LETTERS[span.storage], span.index, written(span.offset), written(span.length)]


def _step(step: Step) -> list[Any]:
    if isinstance(step, Dispatch):
        numbers = [[*map(written, each)] for each in (step.workgroups, step.constants)]
        return ["dispatch", step.kernel, *numbers, [*map(_span, step.buffers)]]
    if isinstance(step, Copy):
        return ["copy", _span(step.source), _span(step.target)]
    if isinstance(step, Fill):
        return ["fill", _span(step.target), step.pattern.hex()]
    if isinstance(step, Repeat):
        raise TypeError("repetitions are for C and JavaScript alone")
    cases = {str(value): [*map(_step, steps)] for value, steps in step.cases.items()}
    return ["choice", _span(step.value), cases]


def _read(name: str, row: Mapping[str, Any], arguments: Sequence[Size]) -> Schedule:
    names = open_names(arguments)
    formulas: dict[str, SizeFormula] = {}
    for each, (operator, *operands) in row["formulas"].items():
        formulas[each] = SizeFormula(operator, tuple(parse(number, names) for number in operands))
        names.append(each)
    steps = tuple(_read_step(step, names) for step in row["steps"])
    blocks = tuple(parse(each, names) for each in row["blocks"])
    results = tuple(_read_span(each, names) for each in row["results"])
    scratch = parse(row["scratch"], names)
    return Schedule(name, scratch, steps, formulas, row["limit"], blocks, results)


def _read_span(row: Sequence[Any], names: Collection[str]) -> Span:
    letter, index, offset, length = row
    return Span(_STORAGES[letter], index, parse(offset, names), parse(length, names))


def _read_step(row: Sequence[Any], names: Collection[str]) -> Step:
    kind, *rest = row
    if kind == "dispatch":
        kernel, (x, y, z), constants, buffers = rest
        return Dispatch(
            kernel,
            (parse(x, names), parse(y, names), parse(z, names)),
            tuple(parse(each, names) for each in constants),
            tuple(_read_span(each, names) for each in buffers),
        )
    if kind == "copy":
        source, target = rest
        return Copy(_read_span(source, names), _read_span(target, names))
    if kind == "fill":
        target, pattern = rest
        return Fill(_read_span(target, names), bytes.fromhex(pattern))
    if kind != "choice":
        raise ValueError(f"no step: {kind!r}")
    value, cases = rest
    read = {
        int(key): tuple(_read_step(step, names) for step in steps) for key, steps in cases.items()
    }
    return Choice(_read_span(value, names), read)

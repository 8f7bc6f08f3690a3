"""The C interface of functions: structs of arguments and results, scratch memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.lowering.host.functions import HostFunction
from rnn_compiler.lowering.host.states import fixed_states
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.identifiers import check_identifier
from rnn_compiler.schema.open_sizes import (
    Bound,
    Open,
    Size,
    bound,
    in_range,
    product,
    static_size,
)
from rnn_compiler.schema.schedule import ALIGNMENT, Schedule, Span, Storage, aligned
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.schema.state_blocks import HEADER, layout_of

_HEADERS = frozenset(
    word
    for line in (
        "assert complex cpuid ctype elf errno features fenv float inttypes iso646 limits locale",
        "math setjmp signal stdalign stdarg stdatomic stdbool stdckdint stddef stdint stdio stdlib",
        "stdnoreturn string tgmath threads time uchar unistd wchar wctype",
    )
    for word in line.split()
)
"""The headers of C, which a header with the same name would hide."""


@dataclass(frozen=True)
class Member:
    """An argument or a result, as a member of a struct.

    Attributes:
        formula: The shape in terms of the op's dimensions; may be empty.
        minimum: The least value of its integers, or that of each along its last axis; None for any.
        maximum: The largest value of its integers, or that of each along its last axis; None for
            any.
        also: An integer that it may have besides those; None for none.
        may_be_null: Whether its pointer may be null, because it is not read.
        is_state: Whether it is a state, in the struct of states.
    """

    name: str
    dtype: str
    shape: tuple[Size, ...]
    formula: str = ""
    minimum: Bound | None = None
    maximum: Bound | None = None
    also: int | None = None
    may_be_null: bool = False
    is_state: bool = False

    @property
    def range(self) -> tuple[Bound | None, Bound | None, int | None]:
        """The values of its integers: the least, the largest, and another one."""
        return self.minimum, self.maximum, self.also

    @property
    def range_text(self) -> str:
        """The values of its integers in words, if they have a range."""
        return in_range(self.minimum or 0, self.maximum or 0, self.also, "{} to {}")

    @property
    def state_pointer(self) -> str:
        """A pointer to it in the struct of states; it is const if the function updates none."""
        return f"{'' if self.shape else '&'}state->{self.name}"

    @property
    def c_type(self) -> str:
        """The C type of an element."""
        return DTYPES[self.dtype].c

    @property
    def elements(self) -> Size:
        """Its number of elements."""
        return product(self.shape)

    @property
    def size(self) -> Size:
        """Its number of bytes."""
        return self.elements * DTYPES[self.dtype].numpy.itemsize


@dataclass(frozen=True)
class StateStruct:
    """The states of a module, which its functions share.

    Attributes:
        prefix: The prefix of its names: the function's, if one has states, or the module's.
        alignment: The alignment of each state in bytes.
        layout: The hash of names and types.
        initial: The symbols of first values, for those states that have one; empty for zeros.
    """

    prefix: str
    members: tuple[Member, ...]
    alignment: int
    layout: int
    initial: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def struct(self) -> str:
        """The type."""
        return f"struct {self.prefix}_state"

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of its functions."""
        made = ("state_to_block", "state_from_block", *(("initial_state",) if self.initial else ()))
        return tuple(f"{self.prefix}_{each}" for each in made)

    @property
    def macro(self) -> str:
        """The macro with the bytes of a block."""
        return f"{self.prefix.upper()}_STATE_BLOCK_SIZE"

    @property
    def size(self) -> int:
        """The bytes of the struct."""
        sizes = [max(1, static_size(member.size)) for member in self.members]
        return sum(aligned(size, self.alignment) for size in sizes)

    @property
    def block(self) -> int:
        """The bytes of a block."""
        return HEADER + sum(static_size(member.size) for member in self.members)


@dataclass(frozen=True)
class CFunction:
    """A function as C declares it: the structs of its arguments and results.

    Attributes:
        arguments: Its arguments, its states among them; other scalars are passed by value.
        sizes: The open sizes of arguments and results, which are arguments too.
        stack: The maximum number of bytes of stack of a call.
        alignment: The alignment of arrays and scratch memory.
        companion_of: The function whose companion it is; empty for others.
        continued: The arguments that are states of a sequence in chunks, each with the result that
            is its next value.
        state: The states of its module, if it has some.
        updated: The states that it updates.
    """

    name: str
    comment: tuple[str, ...]
    arguments: tuple[Member, ...]
    results: tuple[Member, ...]
    schedule: Schedule
    sizes: tuple[Member, ...] = ()
    stack: int = 0
    alignment: int = ALIGNMENT
    companion_of: str = ""
    continued: Mapping[str, str] = field(default_factory=dict[str, str])
    state: StateStruct | None = None
    updated: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[Member, ...]:
        """What a call changes: its results, and states."""
        return (*self.results, *(m for m in self.arguments if m.name in self.updated))

    @property
    def given(self) -> tuple[Member, ...]:
        """Its arguments that are not states."""
        return tuple(member for member in self.arguments if not member.is_state)

    @property
    def arrays(self) -> tuple[Member, ...]:
        """Its array arguments and results."""
        return (*(member for member in self.given if member.shape), *self.results)

    @property
    def limited(self) -> tuple[Member, ...]:
        """Its open sizes and their product, each with its maximum."""
        if len(self.sizes) < 2:
            return self.sizes
        area = " * ".join(member.name for member in self.sizes)
        most = self.schedule.limit
        return (*self.sizes, Member(area, "int64", (), minimum=1, maximum=most))

    def at(self, sizes: Mapping[str, int]) -> CFunction:
        """The same function at given open sizes."""
        scratch = self.schedule.at(self.schedule.scratch, sizes)
        schedule = replace(self.schedule, scratch=scratch)
        arguments, results = (
            tuple(replace(m, shape=tuple(bound(size, sizes) for size in m.shape)) for m in members)
            for members in (self.arguments, self.results)
        )
        return replace(self, arguments=arguments, results=results, schedule=schedule, sizes=())

    @property
    def macro(self) -> str:
        """The macro with the bytes of scratch memory of a call."""
        return f"{self.name.upper()}_SCRATCH_SIZE"

    @property
    def stack_macro(self) -> str:
        """The macro with the bytes of stack of a call."""
        return f"{self.name.upper()}_STACK_SIZE"

    @cached_property
    def scalars(self) -> Mapping[int, Span]:
        """The offsets of the copies of scalar arguments, after the schedule's memory."""
        members = enumerate(self.arguments)
        numbers = [k for k, member in members if not (member.shape or member.is_state)]
        start = self._aligned
        return {
            number: Span(
                Storage.SCRATCH,
                0,
                start + k * self.alignment,
                DTYPES[self.arguments[number].dtype].numpy.itemsize,
            )
            for k, number in enumerate(numbers)
            if self.schedule.reads(number)
        }

    @property
    def scratch(self) -> Size:
        """The bytes of scratch memory of a call, at least 1: C has no empty arrays."""
        ends = [self._aligned, *(span.offset + self.alignment for span in self.scalars.values())]
        return ends[-1] if isinstance(ends[-1], Open) else max(self.alignment, ends[-1])

    @property
    def _aligned(self) -> Size:
        """The end of the schedule's scratch memory, which is already aligned if it is open."""
        scratch = self.schedule.scratch
        return scratch if isinstance(scratch, Open) else aligned(scratch, self.alignment)


def check_file_name(name: object) -> str:
    """Checks that a text can be the prefix of a module's files and symbols."""
    text = check_identifier("compile_c", "name", name)
    if text in _HEADERS:
        expected = "a name that is no header of C's own"
        remedy = "give another: name=, or --name on the command line"
        raise InvalidArgumentError("compile_c", "name", expected, describe(text), remedy)
    return text


def functions_of(
    name: str, functions: Sequence[HostFunction], alignment: int, initial: Mapping[str, str]
) -> list[CFunction]:
    """Functions in C, each followed by its companions.

    `initial` has the symbols of states' first values (`StateStruct`).
    """
    found = _functions_of(functions, alignment)
    tensors = fixed_states(each.spec for each in functions)
    if not tensors:
        return found
    known = {m.name: m for each in found for m in each.arguments if m.is_state}
    members = tuple(known[name] for name in tensors)
    users = [each.spec.function for each in functions if each.spec.states]
    prefix = users[0] if len(users) == 1 else name
    state = StateStruct(prefix, members, alignment, layout_of(tensors.values()), initial)
    return [
        replace(each, state=state) if any(m.is_state for m in each.arguments) else each
        for each in found
    ]


def _functions_of(functions: Iterable[HostFunction], alignment: int) -> list[CFunction]:
    found: list[CFunction] = []
    for each in functions:
        spec = each.spec
        found.append(_function(each, alignment, f"{spec.op} in {spec.dtype}", *_facts(spec)))
        if each.companions is None:
            continue
        pack, packed = (_function(companion, alignment) for companion in each.companions)
        packs = f"Packs {', '.join(spec.weights)} for {packed.name}. What it packs is for this "
        packs += "code alone; keep it as long as the weights stay the same."
        does = f"{spec.function} with weights that {pack.name} packed: the same numbers."
        for companion, comment in ((pack, packs), (packed, does)):
            found.append(replace(companion, comment=(comment,), companion_of=spec.function))
    return found


def _function(function: HostFunction, alignment: int, *comment: str) -> CFunction:
    spec = function.spec
    arguments = (
        replace(_argument(t), may_be_null=t.name in function.unread, is_state=t.name in spec.states)
        for t in spec.arguments
    )
    kept = spec.continued.values()
    own = [each for number, each in enumerate(spec.results) if number not in kept]
    results, sizes = (tuple(map(_member, tensors)) for tensors in (own, function.sizes))
    return CFunction(
        *(spec.function, comment, (*arguments,), results, function.schedule, sizes),
        alignment=alignment,
        continued=_continued(spec),
        updated=tuple(spec.arguments[number].name for number in spec.continued),
    )


def _continued(spec: FunctionSpec) -> dict[str, str]:
    """The states of a sequence in chunks, each with the result that is its next value; or none.

    A result with the states of all steps is not of the state's type.
    """
    types = {each.name: str(each) for each in spec.arguments}
    results = {each.name: str(each) for each in spec.results}
    found: dict[str, str] = {}
    if spec.chunked is None or spec.is_backward:
        return found
    for state, after in spec.chunked.states.items():
        whole = [each for each in after if each in results and results[each] == types.get(state)]
        if not whole:
            return {}
        found[state] = whole[0]
    return found


def _argument(tensor: TensorSpec) -> Member:
    """An argument; its booleans are 0 or 1, which compiled code relies on."""
    member = _member(tensor)
    return replace(member, minimum=0, maximum=1) if tensor.dtype == "bool" else member


def _member(tensor: TensorSpec) -> Member:
    limited = tensor.minimum is not None and tensor.maximum is not None
    return Member(
        tensor.name,
        tensor.dtype,
        tuple(tensor.shape),
        tensor.formula if tensor.shape else "",
        tensor.minimum if limited else None,
        tensor.maximum if limited else None,
        tensor.also,
    )


def _facts(spec: FunctionSpec) -> tuple[str, ...]:
    """The sizes and attributes of a function, as text."""
    sizes = ((name, "any" if size is None else size) for name, size in spec.json_dims.items())
    lines = [", ".join(f"{name} = {size}" for name, size in sizes)]
    lines.append(", ".join(f"{name} = {value}" for name, value in spec.json_attributes.items()))
    return tuple(line for line in lines if line)

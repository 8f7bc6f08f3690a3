"""The C interface of functions: a struct of arguments, a struct of results, and scratch memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, describe
from rnn_compiler.lowering.host.external_results import TensorType, Types
from rnn_compiler.schema.attributes import MAX_DIMENSION
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.open_sizes import Open, Size, bound, open_names, product
from rnn_compiler.schema.schedule import ALIGNMENT, Schedule, Span, Storage, aligned

__all__ = [
    "Function",
    "Member",
    "check_file_name",
    "check_identifier",
    "functions_of",
    "packed_tensors",
    "scalar_ranges",
]

_TYPES = {
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
    "int8": "int8_t",
    "int32": "int32_t",
    "int64": "int64_t",
}
"""The C type of each element type; 16-bit floats are their bits."""

_KEYWORDS = frozenset(
    word
    for line in (
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t",
        "char32_t char8_t class compl concept const const_cast consteval constexpr constinit",
        "continue co_await co_return co_yield decltype default delete do double dynamic_cast",
        "else enum explicit export extern false float for friend goto if inline int long main",
        "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected",
        "public register reinterpret_cast requires restrict return short signed sizeof static",
        "static_assert static_cast struct switch template this thread_local throw true try",
        "typedef typeid typename typeof union unsigned using virtual void volatile wchar_t",
        "while xor xor_eq",
    )
    for word in line.split()
)
"""The reserved words of C11, C23 and C++20, and ``main``."""


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
        name: Its name.
        dtype: The name of its element type.
        shape: Its shape, which may have open sizes.
        formula: The shape in terms of the op's dimensions; may be empty.
        minimum: The least value of its integers; None for any.
        maximum: The largest value of its integers; None for any.
        may_be_null: Whether its pointer may be null, because it is not read.
    """

    name: str
    dtype: str
    shape: tuple[Size, ...]
    formula: str = ""
    minimum: Size | None = None
    maximum: Size | None = None
    may_be_null: bool = False

    @property
    def c_type(self) -> str:
        """The C type of an element."""
        return _TYPES[self.dtype]

    @property
    def elements(self) -> Size:
        """Its number of elements."""
        return product(self.shape)

    @property
    def size(self) -> Size:
        """Its number of bytes."""
        return self.elements * DTYPES[self.dtype].numpy.itemsize


@dataclass(frozen=True)
class Function:
    """A function.

    Attributes:
        name: Its name.
        comment: Its description, in a few lines.
        arguments: Its arguments; scalars are passed by value.
        results: Its results.
        schedule: Its steps.
        stack: The maximum number of bytes of stack of a call.
        alignment: The alignment of arrays and scratch memory.
        minima: The minima of open sizes, where they are more than 1.
    """

    name: str
    comment: tuple[str, ...]
    arguments: tuple[Member, ...]
    results: tuple[Member, ...]
    schedule: Schedule
    stack: int = 0
    alignment: int = ALIGNMENT
    minima: Mapping[str, int] = field(default_factory=dict[str, int])

    @cached_property
    def sizes(self) -> tuple[Member, ...]:
        """The open sizes of arguments and results, which are arguments too."""
        members = (*self.arguments, *self.results)
        names = open_names(size for member in members for size in member.shape)
        most = min(self.schedule.limit, MAX_DIMENSION)
        return tuple(
            Member(name, "int64", (), minimum=self.minima.get(name, 1), maximum=most)
            for name in names
        )

    @property
    def arrays(self) -> tuple[Member, ...]:
        """Its array arguments and results."""
        return (*(member for member in self.arguments if member.shape), *self.results)

    @property
    def limited(self) -> tuple[Member, ...]:
        """Its open sizes and their product, each with its maximum."""
        if len(self.sizes) < 2:
            return self.sizes
        area = " * ".join(member.name for member in self.sizes)
        most = self.schedule.limit
        return (*self.sizes, Member(area, "int64", (), minimum=1, maximum=most))

    def at(self, sizes: Mapping[str, int]) -> Function:
        """The same function at given open sizes."""
        scratch = self.schedule.at(self.schedule.scratch, sizes)
        schedule = replace(self.schedule, scratch=scratch)
        arguments, results = (
            tuple(replace(m, shape=tuple(bound(size, sizes) for size in m.shape)) for m in members)
            for members in (self.arguments, self.results)
        )
        return replace(self, arguments=arguments, results=results, schedule=schedule)

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
        numbers = [k for k, member in enumerate(self.arguments) if not member.shape]
        start = self._aligned
        return {
            number: Span(
                Storage.SCRATCH,
                0,
                start + k * self.alignment,
                DTYPES[self.arguments[number].dtype].bits // 8,
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
    """Checks that a text can be the prefix of a module's files and symbols.

    Raises:
        InvalidArgumentError: It cannot.
    """
    text = check_identifier(name, "name")
    if text in _HEADERS:
        expected = "a name that is no header of C's own"
        raise InvalidArgumentError("compile_c", "name", expected, describe(text))
    return text


def check_identifier(name: object, argument: str) -> str:
    """Checks that a text can be a name in C and C++.

    Raises:
        InvalidArgumentError: It cannot.
    """
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
        or name in _KEYWORDS
        or len(name) > 100
    ):
        expected = "a name in C: letters, digits and _, no digit or _ first, no word of C or C++"
        raise InvalidArgumentError("compile_c", argument, expected, describe(name))
    return name


def scalar_ranges(specs: Iterable[FunctionSpec]) -> Mapping[str, range]:
    """The possible values of the scalar with the number of steps, for functions that have one."""
    found: dict[str, range] = {}
    for spec in specs:
        for tensor in spec.arguments:
            most = tensor.maximum
            if isinstance(most, int) and tensor.shape == () and tensor.minimum == 0:
                for name in (spec.function, spec.prepacked):
                    found[name] = range(most + 1)
    return found


def functions_of(
    specs: Sequence[FunctionSpec], types: Mapping[str, Types], schedules: Mapping[str, Schedule]
) -> list[Function]:
    """The functions of a module, each followed by its companions.

    Raises:
        UnsupportedError: Their types are not those of the specs.
    """
    found: list[Function] = []
    for spec in specs:
        arguments = tuple(map(_member, spec.arguments))
        results = tuple(map(_member, spec.results))
        comment = (f"{spec.op} in {spec.dtype}", *_facts(spec))
        function = Function(
            *(spec.function, comment, arguments, results, schedules[spec.function]),
            minima=spec.minima,
        )
        found.append(_checked(function, types))
        if spec.prepack not in types:
            continue
        packed = tuple(map(_member, packed_tensors(types[spec.prepack].results)))
        weights = tuple(member for member in arguments if member.name in spec.weights)
        comment = (
            f"Packs {', '.join(spec.weights)} for {spec.prepacked}. What it gives is for this code "
            "alone; keep it as long as the weights stay the same.",
        )
        schedule = schedules[spec.prepack]
        found.append(_checked(Function(spec.prepack, comment, weights, packed, schedule), types))
        schedule = schedules[spec.prepacked]
        known = tuple(
            _optional(member) if member in weights and not schedule.reads(k) else member
            for k, member in enumerate(arguments)
        )
        comment = (f"{spec.function} with weights that {spec.prepack} packed: the same numbers.",)
        function = Function(
            *(spec.prepacked, comment, (*known, *packed), results, schedule), minima=spec.minima
        )
        found.append(_checked(function, types))
    return found


def _member(tensor: TensorSpec) -> Member:
    limited = tensor.minimum is not None and tensor.maximum is not None
    return Member(
        tensor.name,
        tensor.dtype,
        tuple(tensor.shape),
        tensor.formula if tensor.shape else "",
        tensor.minimum if limited else None,
        tensor.maximum if limited else None,
    )


def _optional(member: Member) -> Member:
    return Member(member.name, member.dtype, member.shape, member.formula, may_be_null=True)


def packed_tensors(types: Sequence[TensorType]) -> tuple[TensorSpec, ...]:
    """The results of a function that packs weights."""
    names = ["packed"] if len(types) == 1 else [f"packed_{k}" for k in range(len(types))]
    return tuple(
        TensorSpec(name, each.dtype, each.shape) for name, each in zip(names, types, strict=True)
    )


def _facts(spec: FunctionSpec) -> tuple[str, ...]:
    """The sizes and attributes of a function, as text."""
    sizes = ((name, "any" if size is None else size) for name, size in spec.json_dims.items())
    lines = [", ".join(f"{name} = {size}" for name, size in sizes)]
    lines.append(", ".join(f"{name} = {value}" for name, value in spec.json_attributes.items()))
    return tuple(line for line in lines if line)


def _checked(function: Function, types: Mapping[str, Types]) -> Function:
    """A function, if the module has it with these types."""
    for members, found in (
        (function.arguments, types[function.name].arguments),
        (function.results, types[function.name].results),
    ):
        if [(member.dtype, member.shape) for member in members] != [
            (each.dtype, each.shape) for each in found
        ]:
            raise UnsupportedError(f"compile_c: {function.name}: its types are not those expected")
    return function

"""The C interface of functions: structs of arguments and results, scratch memory, the header."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.lowering.host.functions import HostFunction
from rnn_compiler.lowering.host.states import HEADER, fixed_states, layout_of
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.identifiers import check_identifier
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.open_sizes import (
    Open,
    Size,
    bound,
    formula,
    open_names,
    product,
    static_size,
)
from rnn_compiler.schema.schedule import ALIGNMENT, Schedule, Span, Storage, aligned

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
        minimum: The least value of its integers; None for any.
        maximum: The largest value of its integers; None for any.
        may_be_null: Whether its pointer may be null, because it is not read.
        is_state: Whether it is a state, in the struct of states.
    """

    name: str
    dtype: str
    shape: tuple[Size, ...]
    formula: str = ""
    minimum: Size | None = None
    maximum: Size | None = None
    may_be_null: bool = False
    is_state: bool = False

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
class State:
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
    """A function.

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
    state: State | None = None
    updated: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[Member, ...]:
        """What a call changes: its results, and states."""
        return (*self.results, *(m for m in self.arguments if m.name in self.updated))

    @property
    def given(self) -> tuple[Member, ...]:
        """Its arguments that are no states."""
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

    `initial` has the symbols of states' first values (`State`).
    """
    found = _functions_of(functions, alignment)
    tensors = fixed_states(each.spec for each in functions)
    if not tensors:
        return found
    known = {m.name: m for each in found for m in each.arguments if m.is_state}
    members = tuple(known[name] for name in tensors)
    users = [each.spec.function for each in functions if each.spec.states]
    prefix = users[0] if len(users) == 1 else name
    state = State(prefix, members, alignment, layout_of(tensors.values()), initial)
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
        packs = f"Packs {', '.join(spec.weights)} for {packed.name}. What it gives is for this "
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
    for state, after in spec.chunked.states.items() if spec.chunked else ():
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
    )


def _facts(spec: FunctionSpec) -> tuple[str, ...]:
    """The sizes and attributes of a function, as text."""
    sizes = ((name, "any" if size is None else size) for name, size in spec.json_dims.items())
    lines = [", ".join(f"{name} = {size}" for name, size in sizes)]
    lines.append(", ".join(f"{name} = {value}" for name, value in spec.json_attributes.items()))
    return tuple(line for line in lines if line)


# Lines of C.

_WIDTH = 96


def comment(lines: Iterable[str]) -> list[str]:
    """A comment; text that would end it is removed, and long lines are wrapped.

    Lines of code, which are indented, go on four columns further to the right.

    Example:
        >>> comment(["    " + "long " * 20])[2]
        ' *         long long'
    """
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    broken = [part for line in safe for part in _broken(line)]
    return ["/*", *(f" * {line}".rstrip() for line in broken), " */"]


def _broken(line: str) -> list[str]:
    """A line of a comment as several lines, of whole words."""
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line,
        _WIDTH - 3,
        subsequent_indent=f"{indent}    " if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def indented(lines: Iterable[str]) -> list[str]:
    """Indented lines; preprocessor lines are not indented."""
    return [f"    {line}" if line and line[0] != "#" else line for line in lines]


def call(start: str, items: Sequence[str], end: str) -> list[str]:
    """A call or the head of a function; further lines are aligned with the bracket."""
    lines = [start]
    for number, item in enumerate(items):
        text = item + (end if number == len(items) - 1 else ",")
        space = " " if number else ""
        if number and len(lines[-1]) + len(space + text) > _WIDTH:
            lines.append(" " * len(start) + text)
        else:
            lines[-1] += space + text
    return lines


def wrapped(start: str, items: Sequence[str], end: str) -> list[str]:
    """A list in as few lines as possible, ``start a, b, c end``."""
    one = f"{start}{', '.join(items)}{end}"
    if len(one) <= _WIDTH:
        return [one]
    lines = [start.rstrip()]
    row = ""
    for item in items:
        if row and len(row) + len(item) > _WIDTH - 6:
            lines.append(f"    {row.rstrip()}")
            row = ""
        row += f"{item}, "
    return [*lines, f"    {row.rstrip().rstrip(',')}", end.lstrip()]


def externals(declarations: Sequence[str]) -> list[str]:
    """The declarations of the object's symbols."""
    if not declarations:
        return []
    opened = ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    return [*opened, *declarations, "#ifdef __cplusplus", "}", "#endif", ""]


def words(name: str, data: bytes, alignment: int) -> list[str]:
    """Data as at least one 64-bit word, which is compact and independent of the byte order.

    Example:
        >>> words("data", b"ab", 64)
        ['alignas(64) static const uint64_t data[] = {0x6261};', '']
    """
    numbers = [
        f"{int.from_bytes(data[k : k + 8].ljust(8, bytes(1)), 'little'):#x}"
        for k in range(0, max(1, len(data)), 8)
    ]
    start = f"alignas({alignment}) static const uint64_t {name}[] = {{"
    return [*wrapped(start, numbers, "};"), ""]


# The codes that functions return in C, and the message of ``NAME_error`` for each.

NO_STRUCT, CPU, FAILED, NO_BYTES, DAMAGED, OTHER = 1, 2, 3, 4, 5, 6
"""Codes that do not belong to an argument; the last two are of a block of states."""

NULL, MISALIGNED, OVERLAP, RANGE = range(4)
"""The kinds of mistakes with an argument or a result, added to its own code."""

_FIRST = 16


class Messages:
    """The codes of a module's functions.

    An argument, a result or the scratch memory has its own code, determined by its name and range,
    to which the kind of the mistake is added. Equal arguments of several functions share it.
    """

    def __init__(
        self,
        functions: Sequence[CFunction],
        features: Sequence[str],
        tested: Sequence[CFunction] = (),
        alignment: int = ALIGNMENT,
    ) -> None:
        """Assigns all codes; only functions in `tested` have those of a self test."""
        self.alignment = alignment
        self._codes: dict[tuple[str, Size | None, Size | None], int] = {}
        self._samples: dict[tuple[str, str], int] = {}
        self.texts: dict[int, str] = {
            0: "no error",
            NO_STRUCT: "arguments or results: a null pointer",
            FAILED: "a workgroup, or the function that runs them, gave an error",
        }
        if any(function.sizes for function in functions):
            self.texts[NO_BYTES] = "bytes: a null pointer"
        if any(function.state for function in functions):
            self.texts[DAMAGED] = "block: damaged"
            self.texts[OTHER] = "block: of another module"
        if features:
            needed = ", ".join(features)
            self.texts[CPU] = f"this processor lacks a feature that the code needs: {needed}"
        self._add(Member("scratch", "int8", (1,)), written=True)
        if any(function.state for function in functions):
            self._add(Member("state", "int8", (1,)), written=True)
        for function in functions:
            for member in function.limited:
                self._add(member, written=False)
            for member in function.arguments:
                self._add(member, written=False)
            for member in function.results:
                self._add(member, written=True)
        for function in tested:
            for member in function.compared:
                code = _FIRST + 4 * len(self._codes) + len(self._samples)
                self._samples[function.name, member.name] = code
                self.texts[code] = (
                    f"{function.name}: {member.name}: not what it was where this was made"
                )

    def of(self, member: Member) -> int:
        """The code of an argument or result, to which the kind of the mistake is added."""
        return self._codes[member.name, member.minimum, member.maximum]

    @property
    def scratch(self) -> int:
        """The code of the scratch memory."""
        return self._codes["scratch", None, None]

    @property
    def state(self) -> int:
        """The code of the states."""
        return self._codes["state", None, None]

    def of_sample(self, function: CFunction, member: Member) -> int:
        """The code of a result that differs from the expected one."""
        return self._samples[function.name, member.name]

    def _add(self, member: Member, *, written: bool) -> None:
        key = (member.name, member.minimum, member.maximum)
        code = self._codes.setdefault(key, _FIRST + 4 * len(self._codes))
        name = member.name
        texts: Mapping[int, str] = {}
        if member.is_state:
            pass  # in a struct, which has a code of its own
        elif member.shape:
            texts = {
                NULL: f"{name}: a null pointer",
                MISALIGNED: f"{name}: not aligned to {self.alignment} bytes",
            }
            if written:
                texts = {**texts, OVERLAP: f"{name}: overlaps another array"}
        elif written:
            texts = {
                NULL: f"{name}: a null pointer",
                MISALIGNED: f"{name}: not aligned to {self.alignment} bytes",
                OVERLAP: f"{name}: overlaps another array",
            }
        if member.minimum is not None:
            what = "an element " if member.shape else ""
            low, high = formula(member.minimum), formula(member.maximum or 0)
            text = f"{name}: {what}not from {low} to {high}"
            texts = {**texts, RANGE: text}
        self.texts.update({code + kind: text for kind, text in texts.items()})

    def function(self, name: str) -> list[str]:
        """The lines of the function that explains codes, for a module's name."""
        cases = [
            f'case {code}:\n        return "{text}";' for code, text in sorted(self.texts.items())
        ]
        return [
            f"const char *{name}_error(int code)",
            "{",
            "    switch (code) {",
            *indented(cases),
            "    default:",
            f'        return "no code of {name}";',
            "    }",
            "}",
        ]


# Prints the header, which also documents the object.


def print_header(
    name: str,
    functions: Sequence[CFunction],
    origin: str,
    processor: str,
    flash: int,
    state: Sequence[str],
    compared: str | None = None,
) -> str:
    """The text of ``NAME.h``.

    `state` declares the states. `compared` is the source of the results that a self test has.
    """
    guard = f"{name.upper()}_H"
    lines = [
        *comment(_introduction(name, functions, origin, processor, flash)),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *(["#ifndef __cplusplus", "#include <stdalign.h>", "#endif"] if state else []),
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        "/* What every array and the scratch memory begin at a multiple of, in bytes. */",
        f"#define {name.upper()}_ALIGNMENT {functions[0].alignment}",
        "",
        "/* What a code that a function returned means, in a line. */",
        f"const char *{name}_error(int code);",
        "",
        *comment(
            [
                "Calls work(job, k) for each k from 0 to count - 1, each once, in any order and on",
                "any threads, and returns when all calls have returned: 0, or else what makes the",
                "whole function fail. count is often 1. The calls may wait for each other's data,",
                "but only for calls that have begun.",
            ]
        ),
        *call(
            f"typedef int {name}_run(",
            ["void *context", "size_t count", "int (*work)(void *job, size_t k)", "void *job"],
            ");",
        ),
        "",
    ]
    lines += state
    for function in functions:
        lines += _declared(name, function)
    if compared is not None:
        lines += _selftest(name, compared)
    lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */"]
    return "\n".join(lines) + "\n"


def _introduction(
    name: str, functions: Sequence[CFunction], origin: str, processor: str, flash: int
) -> list[str]:
    names = ", ".join(function.name for function in functions)
    states = ", states" if any(function.state for function in functions) else ""
    alignment = functions[0].alignment
    return [
        f"{name}.h: {names}.",
        "",
        f"{origin} Do not edit.",
        "",
        f"Build a program with it: cc program.c {name}.c {name}.o",
        f"It needs {processor}, and no library but libc.",
        f"{name}.o has {flash} bytes of code and constants, which may lie in flash memory.",
        "",
        f"A function takes a struct of arguments, a struct of results{states} and scratch memory,",
        "and returns 0 or a code. It checks all pointers and ranges before it does anything. It",
        "allocates nothing and keeps nothing else from call to call, so any threads may call it at",
        f"the same time, each with its own results{states} and scratch memory.",
        "",
        f"Arrays are contiguous, in rows, and begin at a multiple of {alignment} bytes. Results",
        "and scratch memory overlap neither each other nor arguments. What is in scratch memory",
        "before and after a call is of no concern. A pointer to an array without elements may be",
        "null.",
        "",
        *_about_sizes(functions),
        "For example:",
        "",
        *(f"    {line}" for line in _example(name, functions[0])),
    ]


def _about_sizes(functions: Sequence[CFunction]) -> list[str]:
    names = open_names(
        size for each in functions for member in each.arrays for size in member.shape
    )
    if not names:
        return []
    return [
        f"Open sizes, {' and '.join(names)}, are members of the arguments: each call has its own.",
        "For a function f, f_measure tells how many bytes each array and the scratch memory have.",
        "",
    ]


def _example(name: str, function: CFunction) -> list[str]:
    """The lines of an example program that calls a function."""
    macro = f"{name.upper()}_ALIGNMENT"
    lines = ["#include <stdalign.h>", "#include <stdio.h>", f'#include "{name}.h"', ""]
    lines += _new_arrays(macro, function) if function.sizes else _arrays(macro, function)
    lines += ["", "int main(void)", "{"]
    if function.sizes:
        given = ", ".join([str(_EXAMPLE)] * len(function.sizes))
        lines += [
            f"    struct {function.name}_bytes bytes;",
            f"    int code = {function.name}_measure({given}, &bytes);",
            "    if (code) {",
            f"        puts({name}_error(code));",
            "        return 1;",
            "    }",
        ]
    lines += _prepared(function)
    constant = "" if function.continued else "const "
    lines.append(f"    {constant}struct {function.name}_arguments arguments = {{")
    lines += [f"        .{member.name} = {_EXAMPLE}," for member in function.sizes]
    for member in function.given:
        value = _array("in", function, member) if member.shape else str(_most(function, member))
        lines.append(f"        .{member.name} = {value},")
    lines += ["    };", f"    {constant}struct {function.name}_results results = {{"]
    lines += [f"        .{m.name} = {_array('out', function, m)}," for m in function.results]
    scratch = "new_array(bytes.scratch)" if function.sizes else "scratch"
    return [
        *(*lines, "    };"),
        *_calls(function, scratch),
        *("    if (code)", f"        puts({name}_error(code));", "    return code != 0;", "}"),
    ]


def _calls(function: CFunction, scratch: str) -> list[str]:
    """The lines of an example that call a function: twice if it has states."""
    declared = "" if function.sizes else "int "
    state = "&state, " if function.state else ""
    called = f"{function.name}(&arguments, &results, {state}{scratch});"
    if not function.continued:
        return [f"    {declared}code = {called}"]
    swapped = [
        line
        for state, result in function.continued.items()
        for line in (
            f"arguments.{state} = chunk % 2 ? out_{result} : in_{state};",
            f"results.{result} = chunk % 2 ? in_{state} : out_{result};",
        )
    ]
    memory = [] if function.sizes else ["    int code = 0;"]
    if function.sizes:
        memory, called = [f"    void *scratch = {scratch};"], called.replace(scratch, "scratch")
    return [
        *memory,
        "    // Two chunks of a sequence: each call takes the states that the last one returned.",
        "    for (int chunk = 0; chunk < 2 && !code; chunk++) {",
        *(f"        {line}" for line in (*swapped, f"code = {called}")),
        "    }",
    ]


def _prepared(function: CFunction) -> list[str]:
    """The lines of an example that name arrays and fill lengths: of 0, no step would run."""
    lines: list[str] = []
    if function.state and function.state.initial:
        lines.append(f"    {function.state.prefix}_initial_state(&state);")
    for prefix, member in _named(function) if function.sizes else ():
        made = f"new_array(bytes.{member.name})"
        lines.append(f"    {member.c_type} *{prefix}_{member.name} = {made};")
    for member in function.given:
        if member.shape and (most := _most(function, member)):
            count = static_size(bound(member.elements, _sizes(function)))
            lines += [f"    for (int k = 0; k < {count}; k++)"]
            lines += [f"        in_{member.name}[k] = {most};"]
    return lines


def _named(function: CFunction) -> list[tuple[str, Member]]:
    """The arrays of an example that have a name at open sizes too: lengths and states."""
    return [
        *(("in", m) for m in function.given if m.shape and m.maximum),
        *(("in", m) for m in function.given if m.name in function.continued),
        *(("out", m) for m in function.results if m.name in function.continued.values()),
    ]


def _sizes(function: CFunction) -> dict[str, int]:
    """The open sizes in an example."""
    return {member.name: _EXAMPLE for member in function.sizes}


def _most(function: CFunction, member: Member) -> Size | int:
    """The largest value of an argument's integers in an example; 0 if there is none."""
    return bound(member.maximum or 0, _sizes(function))


_EXAMPLE = 16
"""The open sizes in an example."""


def _array(prefix: str, function: CFunction, member: Member) -> str:
    """An array in an example."""
    if function.sizes and (prefix, member) not in _named(function):
        return f"new_array(bytes.{member.name})"
    return f"{prefix}_{member.name}"


def _arrays(macro: str, function: CFunction) -> list[str]:
    """The memory of an example."""
    members = [("in", member) for member in function.given if member.shape]
    members += [("out", member) for member in function.results]
    return [
        *(
            f"alignas({macro}) static {member.c_type} {prefix}_{member.name}"
            f"[{max(1, static_size(member.elements))}];"
            for prefix, member in members
        ),
        *([f"static {function.state.struct} state;"] if function.state else []),
        f"alignas({macro}) static unsigned char scratch[{function.macro}];",
    ]


def _new_arrays(macro: str, function: CFunction) -> list[str]:
    """The memory of an example with open sizes."""
    known = function.at({member.name: _EXAMPLE for member in function.sizes})
    sizes = [aligned(static_size(member.size), function.alignment) for member in known.arrays]
    size = sum(sizes) + known.scratch
    return [
        *([f"static {function.state.struct} state;"] if function.state else []),
        f"alignas({macro}) static unsigned char memory[{size}];",
        "static size_t used;",
        "",
        "static void *new_array(size_t size)",
        "{",
        "    void *array = memory + used;",
        f"    used += (size + {macro} - 1) / {macro} * {macro};",
        "    return used <= sizeof memory ? array : NULL;",
        "}",
    ]


def _declared(name: str, function: CFunction) -> list[str]:
    f = function.name
    scratch = ["/* Bytes of scratch memory. */", f"#define {function.macro} {function.scratch}"]
    return [
        *comment(function.comment),
        f"struct {f}_arguments {{",
        *indented(_members((*function.sizes, *function.given), constant=True)),
        "};",
        "",
        f"struct {f}_results {{",
        *indented(_members(function.results, constant=False)),
        "};",
        "",
        *(_measured(function) if function.sizes else scratch),
        "",
        "/* Bytes of stack that a call takes at most; what `run` takes comes on top. */",
        f"#define {function.stack_macro} {function.stack}",
        "",
        *call(f"int {f}(", parameters(function), ");"),
        "",
        "/* The same numbers, with workgroups run by a function of the caller's. */",
        *call(f"int {f}_parallel(", parallel_parameters(name, function), ");"),
        "",
    ]


def _measured(function: CFunction) -> list[str]:
    """The declarations that compute the bytes of arrays with open sizes."""
    f, names = function.name, " and ".join(member.name for member in function.sizes)
    about = f"What they are at a given {names}: 0, or a code."
    if len(function.sizes) > 1:
        product = function.limited[-1]
        about += f" {product.name} is at most {product.maximum}."
    return [
        "/* Bytes of each array and of scratch memory. */",
        f"struct {f}_bytes {{",
        *indented(f"size_t {name};" for name in (*(m.name for m in function.arrays), "scratch")),
        "};",
        "",
        f"/* {about} */",
        *call(f"int {f}_measure(", measure_parameters(function), ");"),
    ]


def _selftest(name: str, compared: str) -> list[str]:
    return [
        *comment(
            [
                "Calls all functions with sample arguments, and compares what they give with what",
                f"{compared} computed: 0, or a code. Optional, in {name}_selftest.c.",
                "It has memory of its own, so only one thread may call it at a time.",
            ]
        ),
        f"int {name}_selftest(void);",
        "",
    ]


def parameters(function: CFunction) -> list[str]:
    """The parameters of a function."""
    f, constant = function.name, "" if function.updated else "const "
    return [
        f"const struct {f}_arguments *arguments",
        f"const struct {f}_results *results",
        *([f"{constant}{function.state.struct} *state"] if function.state else []),
        "void *scratch",
    ]


def measure_parameters(function: CFunction) -> list[str]:
    """The parameters of the function that computes the bytes of arrays."""
    sizes = [f"{member.c_type} {member.name}" for member in function.sizes]
    return [*sizes, f"struct {function.name}_bytes *bytes"]


def parallel_parameters(name: str, function: CFunction) -> list[str]:
    """The parameters of the form of a function that takes a callback to run workgroups."""
    return [*parameters(function), f"{name}_run *run", "void *context"]


def _members(members: Sequence[Member], *, constant: bool) -> list[str]:
    """The members of a struct, each with a comment."""
    if not members:
        return ["char unused;"]
    declared: list[tuple[str, str]] = []
    for member in members:
        pointer = bool(member.shape) or not constant
        space = " *" if pointer else " "
        const = "const " if constant and pointer else ""
        declared.append((f"{const}{member.c_type}{space}{member.name};", note(member)))
    width = max((len(text) for text, _ in declared), default=0)
    return [f"{text:<{width}}  /* {note} */" if note else text for text, note in declared]


def note(member: Member) -> str:
    """What a comment says of a member: its shape and its values."""
    parts: list[str] = []
    if member.shape:
        shape = f"[{', '.join(map(str, member.shape))}]"
        plain = not member.formula or member.formula == shape
        parts.append(shape if plain else f"{member.formula} = {shape}")
    if member.dtype in ("float16", "bfloat16"):
        parts.append(f"the bits of {member.dtype}")
    if member.dtype == "bool" and member.minimum is None:
        parts.append("each 0 or 1" if member.shape else "0 or 1")
    if member.minimum is not None:
        parts.append(f"from {formula(member.minimum)} to {formula(member.maximum or 0)}")
    if member.may_be_null:
        parts.append("not read, may be null")
    return ", ".join(parts)

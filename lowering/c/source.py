"""Prints the source file: checks, and the calls of compiled code in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rnn_compiler.lowering.c.cpu_check import CpuCheck
from rnn_compiler.lowering.c.header import measure_parameters, parallel_parameters, parameters
from rnn_compiler.lowering.c.interface import CFunction, Member
from rnn_compiler.lowering.c.messages import CPU, FAILED, NO_BYTES, NO_STRUCT, RANGE, Messages
from rnn_compiler.lowering.c.templates import CALLS, CHECKS, DECLARED, DEFINED, FILL, NONE, TYPES
from rnn_compiler.lowering.c.text import call, comment, externals, indented, wrapped
from rnn_compiler.schema.open_sizes import (
    Open,
    Size,
    SizeFormula,
    formula,
    is_static,
    open_dimension,
    parts_of,
)
from rnn_compiler.schema.schedule import (
    Choice,
    Copy,
    Dispatch,
    Fill,
    Repeat,
    Span,
    Step,
    Storage,
    steps_in,
)


def print_source(
    name: str,
    functions: Sequence[CFunction],
    kernels: Mapping[str, str],
    constants: Sequence[str],
    messages: Messages,
    check: CpuCheck,
    origin: str,
    state: Sequence[str],
    mathematics: Sequence[str] = (),
) -> str:
    """The text of ``NAME.c``.

    `state` defines the functions of states; `mathematics` are the functions of libm that compiled
    code calls.
    """
    steps = [step for each in functions for step in steps_in(each.schedule.steps)]
    used = {step.kernel for step in steps if isinstance(step, Dispatch)}
    lines = [
        *comment([f"{name}.c: calls the compiled code in {name}.o.", "", f"{origin} Do not edit."]),
        f'#include "{name}.h"',
        "",
        "#include <string.h>",
        *check.includes,
        "",
    ]
    declared = [f"extern kernel {symbol};" for kernel, symbol in kernels.items() if kernel in used]
    declared += [f"extern const unsigned char {symbol}[];" for symbol in constants]
    declared += [DECLARED[each].replace("{NAME}", name) for each in mathematics]
    lines += [TYPES] if used else []
    lines += externals(declared)
    lines += [DEFINED[each].replace("{NAME}", name) for each in mathematics]
    if used:
        has_sizes = any(function.sizes for function in functions)
        lines += [_filled(CALLS, name, messages.alignment, NONE if has_sizes else "")]
    else:
        lines += [f"struct caller {{\n    {name}_run *run;\n    void *context;\n}};\n"]
    lines += [_filled(CHECKS, name, messages.alignment)]
    if any(isinstance(step, Fill) and len(step.pattern) > 1 for step in steps):
        lines += [FILL]
    if check.function:
        lines += ["static int cpu_is_known(void)", "{", *indented(check.function), "}", ""]
    for function in functions:
        lines += _defined(name, function, kernels, constants, messages, asks=bool(check.function))
    lines += state
    lines += messages.function(name)
    return "\n".join(lines) + "\n"


def _filled(text: str, name: str, alignment: int, none: str = "") -> str:
    return (
        text.replace("{NONE}", none)
        .replace("{NAME}", name)
        .replace("{ALIGNMENT}", str(alignment))
        .replace("{FAILED}", str(FAILED))
    )


def _defined(
    name: str,
    function: CFunction,
    kernels: Mapping[str, str],
    constants: Sequence[str],
    messages: Messages,
    *,
    asks: bool,
) -> list[str]:
    """The definition of a function, and of its parallel form, which does the work."""
    f = function.name
    states, given = (" || !state", "state, ") if function.state else ("", "")
    body = _PrintedBody(function, kernels, constants, messages)
    steps = body.steps(function.schedule.steps)
    dispatches = any(isinstance(step, Dispatch) for step in steps_in(function.schedule.steps))
    lines = [
        *call(f"int {f}_parallel(", parallel_parameters(name, function), ")"),
        "{",
        *indented([f"if (!arguments || !results{states})", f"    return {NO_STRUCT};"]),
        *indented(body.sizes()),
        *indented(body.checks()),
    ]
    if asks:
        lines += indented(["if (!cpu_is_known())", f"    return {CPU};"])
    lines += indented(["char *const memory = (char *)scratch;"])
    if dispatches:
        lines += indented(["const struct caller caller = {run, context};"])
    else:
        lines += indented(["(void)run;", "(void)context;"])
    if not re.search(r"(?<![\w>])memory\b", "\n".join((*steps, *body.scalars()))):
        lines += indented(["(void)memory;"])
    lines += indented(body.formulas())
    lines += indented(body.scalars())
    lines += indented(steps)
    lines += ["    return 0;", "}", ""]
    return [
        *(_measuring(function, messages) if function.sizes else ()),
        *lines,
        *call(f"int {f}(", parameters(function), ")"),
        "{",
        f"    return {f}_parallel(arguments, results, {given}scratch, NULL, NULL);",
        "}",
        "",
    ]


def _measuring(function: CFunction, messages: Messages) -> list[str]:
    """The definition of the function that computes the bytes of arrays."""
    lines = ["if (!bytes)", f"    return {NO_BYTES};"]
    for member in function.limited:
        first, *others = member.name.split(" * ")
        test = f"{first} < {member.minimum} || {first} > {member.maximum}"
        if others:  # the product of three sizes may be beyond 64 bits
            test = " / ".join((f"{first} > {member.maximum}", *others))
        lines += [f"if ({test})", f"    return {messages.of(member) + RANGE};"]
    sizes = {member.name: member.size for member in function.arrays}
    sizes["scratch"] = function.scratch
    lines += _defined_numbers(function, sizes.values())
    lines += [f"bytes->{name} = {_converted('size_t', size)};" for name, size in sizes.items()]
    return [
        *call(f"int {function.name}_measure(", measure_parameters(function), ")"),
        "{",
        *indented([*lines, "return 0;"]),
        "}",
        "",
    ]


def _defined_numbers(function: CFunction, numbers: Iterable[Size]) -> list[str]:
    """The definitions of the named numbers that some numbers refer to."""
    needed = function.schedule.needed(numbers)
    return [*map(_definition, needed, needed.values())]


def _definition(name: str, each: SizeFormula) -> str:
    return f"const int64_t {name} = {_computed(each)};"


def _computed(each: SizeFormula) -> str:
    first, second, *rest = map(_bracketed, each.operands)
    if rest:
        return f"{first} ? {second} : {rest[0]}"
    return f"{first} {each.operator} {second}"


def _converted(c_type: str, number: Size) -> str:
    """A number converted to another type, if it is not a constant."""
    return f"({c_type}){_bracketed(number)}" if isinstance(number, Open) else str(number)


def _bracketed(number: Size) -> str:
    text = formula(number)
    return f"({text})" if " " in text else text


class _PrintedBody:
    """The inside of a function."""

    def __init__(
        self,
        function: CFunction,
        kernels: Mapping[str, str],
        constants: Sequence[str],
        messages: Messages,
    ) -> None:
        self._function = function
        self._kernels = kernels
        self._constants = constants
        self._messages = messages
        self._numbers: list[Size] = []

    def sizes(self) -> list[str]:
        """The open sizes of a call, and the bytes of its arrays."""
        function = self._function
        if not function.sizes:
            return []
        names = [member.name for member in function.sizes]
        measure = f"code = {function.name}_measure({', '.join(names)}, &bytes);"
        return [
            *(f"const int64_t {name} = arguments->{name};" for name in names),
            f"struct {function.name}_bytes bytes;",
            f"int {measure}",
            "if (code)",
            "    return code;",
        ]

    def formulas(self) -> list[str]:
        """The definitions that the other lines refer to."""
        return _defined_numbers(self._function, self._numbers)

    def _number(self, number: Size, c_type: str) -> str:
        """A number, converted to a type if it is not a constant."""
        self._numbers.append(number)
        return _converted(c_type, number)

    def checks(self) -> list[str]:
        """The checks of arguments, results and scratch memory."""
        function = self._function
        rows = [
            self._row(f"arguments->{member.name}", member)
            for member in function.given
            if member.shape
        ]
        written = len(function.results) + 1
        if function.state:
            rows.append(f"{{state, sizeof *state, {self._messages.state}, 0}},")
            written += bool(function.updated)
        rows += [self._row(f"results->{member.name}", member) for member in function.results]
        scratch = "bytes.scratch" if function.sizes else function.macro
        rows.append(f"{{scratch, {scratch}, {self._messages.scratch}, 0}},")
        kind = "" if function.sizes else "int "
        lines = [
            "const struct array arrays[] = {",
            *indented(rows),
            "};",
            f"{kind}code = check_arrays(arrays, {len(rows)}, {written});",
            "if (code)",
            "    return code;",
        ]
        for member in function.arguments:
            if member.minimum is not None:
                lines += self._range(member)
        return lines

    def _row(self, pointer: str, member: Member) -> str:
        code = self._messages.of(member)
        size = f"bytes.{member.name}" if self._function.sizes else member.size
        return f"{{{pointer}, {size}, {code}, {int(member.may_be_null)}}},"

    def _range(self, member: Member) -> list[str]:
        """The check of an integer, or of all in an array."""
        code = self._messages.of(member) + RANGE
        value = f"{'state' if member.is_state else 'arguments'}->{member.name}"
        if not member.shape:
            (wrong,) = self._wrong(member, [value])
            return [f"if ({wrong})", f"    return {code};"]
        count = _converted("size_t", member.elements)
        columns = len(parts_of(member.maximum or 0))
        places = [f"{value}[k + {c}]" if c else f"{value}[k]" for c in range(columns)]
        loop = f"for (size_t k = 0; k < {count}; {f'k += {columns}' if columns > 1 else 'k++'})"
        tests = [f"    wrong |= {test};" for test in self._wrong(member, places)]
        return [  # without a branch for each element, which would take three times as long
            "{",
            "    int wrong = 0;",
            *indented([f"{loop} {{", *tests, "}"] if columns > 1 else [loop, *tests]),
            "    if (wrong)",
            f"        return {code};",
            "}",
        ]

    def _wrong(self, member: Member, values: Sequence[str]) -> Iterator[str]:
        """Whether each of some integers, one of each range, is beyond it."""
        bounds = (parts_of(member.minimum or 0), parts_of(member.maximum or 0))
        for value, low, high in zip(values, *bounds, strict=True):
            most = _converted("uint64_t", high) if member.dtype == "uint64" else formula(high)
            tests = [f"{value} < {formula(low)}", f"{value} > {most}"]
            wrong = " || ".join(tests[member.c_type.startswith("uint") :])  # never below 0
            yield wrong if member.also is None else f"({wrong}) && {value} != {member.also}"

    def scalars(self) -> list[str]:
        """Copies of scalars into memory, for compiled code to read."""
        function = self._function
        return [
            f"memcpy(memory + {self._offset(span.offset)}, "
            f"&arguments->{function.arguments[k].name}, {span.length});"
            for k, span in function.scalars.items()
        ]

    def steps(self, steps: Sequence[Step]) -> list[str]:
        """The steps."""
        lines: list[str] = []
        for step in steps:
            if isinstance(step, (Copy, Fill)) and not step.target.length:
                continue  # pointers to nothing may be null
            if isinstance(step, Dispatch):
                lines += self._dispatch(step)
            elif isinstance(step, Copy):
                target, source = self._pointer(step.target), self._read(step.source)
                length = self._number(step.target.length, "size_t")
                lines.append(f"memcpy({target}, {source}, {length});")
            elif isinstance(step, Fill):
                lines.append(self._fill(step))
            elif isinstance(step, Repeat):
                lines += self._repeat(step)
            else:
                lines += self._choice(step)
        return lines

    def _read(self, span: Span) -> str:
        """A pointer to bytes to read, or to write in results and scratch memory."""
        function = self._function
        if span.storage is Storage.ARGUMENT and span.index in function.scalars:
            return f"memory + {self._offset(function.scalars[span.index].offset + span.offset)}"
        if span.storage is Storage.ARGUMENT:
            member = function.arguments[span.index]
            base = member.state_pointer if member.is_state else f"arguments->{member.name}"
        elif span.storage is Storage.CONSTANT:
            base = self._constants[span.index]
        else:
            return self._pointer(span)
        return f"(const char *){base} + {self._offset(span.offset)}" if span.offset else base

    def _pointer(self, span: Span) -> str:
        """A pointer to bytes of a result, of a state, or of scratch memory."""
        offset = self._offset(span.offset)
        if span.storage is Storage.SCRATCH:
            return f"memory + {offset}" if span.offset else "memory"
        if span.storage is Storage.ARGUMENT:
            base = self._function.arguments[span.index].state_pointer
        else:
            base = f"results->{self._function.results[span.index].name}"
        return f"(char *){base} + {offset}" if span.offset else base

    def _offset(self, number: Size) -> str:
        self._numbers.append(number)
        return _bracketed(number)

    def _dispatch(self, step: Dispatch) -> list[str]:
        lines = [
            *self._data("uint32_t groups", step.workgroups),
            *wrapped("const void *const buffers[] = {", [*map(self._read, step.buffers)], "};"),
            *self._data("size_t lengths", [span.length for span in step.buffers]),
        ]
        constants = "NULL"
        if step.constants:
            lines += self._data("uint32_t constants", step.constants)
            constants = "constants"
        lines += [
            *call(
                "code = call_kernel(",
                [
                    *("&caller", self._kernels[step.kernel], "groups"),
                    *(str(len(step.buffers)), "buffers", "lengths"),
                    *(str(len(step.constants)), constants),
                ],
                ");",
            ),
            "if (code)",
            "    return code;",
        ]
        return ["{", *indented(lines), "}"]

    def _data(self, name: str, numbers: Sequence[Size]) -> list[str]:
        """The definition of an array, static if all its elements are constants."""
        kind = name.partition(" ")[0]
        texts = [self._number(number, kind) for number in numbers]
        static = "static " if is_static(*numbers) else ""
        return wrapped(f"{static}const {name}[] = {{", texts, "};")

    def _fill(self, step: Fill) -> str:
        target, length = self._pointer(step.target), self._number(step.target.length, "size_t")
        if len(step.pattern) == 1:
            return f"memset({target}, {step.pattern[0]:#x}, {length});"
        pattern = "".join(f"\\x{byte:02x}" for byte in step.pattern)
        return f'fill({target}, {length}, "{pattern}", {len(step.pattern)});'

    def _repeat(self, step: Repeat) -> list[str]:
        """A loop, which begins with the numbers that differ in each repetition."""
        outer, self._numbers = self._numbers, []
        lines, schedule, counter = self.steps(step.steps), self._function.schedule, step.counter
        needed, own = schedule.needed(self._numbers), schedule.defined(step.steps, counter)
        others = [open_dimension(name) for name in needed if name not in own]
        self._numbers = [*outer, *others, step.end]
        defined = [_definition(name, each) for name, each in needed.items() if name in own]
        test = f"{counter} < {formula(step.end)}"
        head = f"for (int64_t {counter} = {step.first}; {test}; {counter}++) {{"
        return [head, *indented([*defined, *lines]), "}"]

    def _choice(self, step: Choice) -> list[str]:
        length = step.value.size
        # Unique names, because choices may be nested.
        value = re.sub(r"\W+", "_", f"value_{formula(step.value.offset)}")
        lines = [
            f"int{8 * length}_t {value};",
            f"memcpy(&{value}, {self._read(step.value)}, {length});",
            f"switch ({value}) {{",
        ]
        for number, steps in step.cases.items():
            lines += [f"case {number}:", *indented([*self.steps(steps), "return 0;"])]
        lines += ["default:", f"    return {FAILED};", "}"]
        return ["{", *indented(lines), "}"]

"""Prints the source file: checks, and the calls of compiled code in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.lowering.c.cpu_check import CpuCheck
from rnn_compiler.lowering.c.header import parallel_parameters, parameters
from rnn_compiler.lowering.c.interface import Function, Member
from rnn_compiler.lowering.c.messages import CPU, FAILED, NO_STRUCT, RANGE, Messages
from rnn_compiler.lowering.c.schedule import (
    ALIGNMENT,
    Choice,
    Copy,
    Dispatch,
    Fill,
    Place,
    Span,
    Step,
    steps_in,
)
from rnn_compiler.lowering.c.support import CALLS, CHECKS, FILL, TYPES
from rnn_compiler.lowering.c.text import call, comment, indented, wrapped

__all__ = ["print_source"]


def print_source(
    name: str,
    functions: Sequence[Function],
    kernels: Mapping[str, str],
    constants: Sequence[str],
    messages: Messages,
    check: CpuCheck,
    origin: str,
) -> str:
    """The text of ``NAME.c``.

    Args:
        name: NAME.
        functions: What it defines.
        kernels: The symbol of each piece of compiled code.
        constants: The symbol of each constant that they read.
        messages: The codes that they return.
        check: How the processor is asked for what they need.
        origin: What made it, and for what.
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
    lines += [TYPES] if used else []
    lines += _externals(declared)
    if used:
        lines += [_filled(CALLS, name)]
    else:
        lines += [f"struct caller {{\n    {name}_run *run;\n    void *context;\n}};\n"]
    lines += [_filled(CHECKS, name)]
    if any(isinstance(step, Fill) and len(step.pattern) > 1 for step in steps):
        lines += [FILL]
    if check.function:
        lines += ["static int cpu_is_known(void)", "{", *indented(check.function), "}", ""]
    for function in functions:
        lines += _defined(name, function, kernels, constants, messages, asks=bool(check.function))
    lines += _error(name, messages)
    return "\n".join(lines) + "\n"


def _filled(text: str, name: str) -> str:
    return (
        text.replace("{NAME}", name)
        .replace("{ALIGNMENT}", str(ALIGNMENT))
        .replace("{FAILED}", str(FAILED))
    )


def _externals(declarations: Sequence[str]) -> list[str]:
    """What the object has."""
    if not declarations:
        return []
    opened = ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    return [*opened, *declarations, "#ifdef __cplusplus", "}", "#endif", ""]


def _error(name: str, messages: Messages) -> list[str]:
    cases = [
        f'case {code}:\n        return "{text}";' for code, text in sorted(messages.texts.items())
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


def _defined(
    name: str,
    function: Function,
    kernels: Mapping[str, str],
    constants: Sequence[str],
    messages: Messages,
    *,
    asks: bool,
) -> list[str]:
    """The definition of a function, and of its parallel form, which does the work."""
    f = function.name
    body = _Body(function, kernels, constants, messages)
    steps = body.steps(function.schedule.steps)
    dispatches = any(isinstance(step, Dispatch) for step in steps_in(function.schedule.steps))
    lines = [
        *call(f"int {f}_parallel(", parallel_parameters(name, function), ")"),
        "{",
        *indented(["if (!arguments || !results)", f"    return {NO_STRUCT};"]),
        *indented(body.checks()),
    ]
    if asks:
        lines += indented(["if (!cpu_is_known())", f"    return {CPU};"])
    lines += indented(["char *const memory = (char *)scratch;"])
    if dispatches:
        lines += indented(["const struct caller caller = {run, context};"])
    else:
        lines += indented(["(void)run;", "(void)context;"])
    if "memory" not in "\n".join((*steps, *body.scalars())):
        lines += indented(["(void)memory;"])
    lines += indented(body.scalars())
    lines += indented(steps)
    lines += ["    return 0;", "}", ""]
    return [
        *lines,
        *call(f"int {f}(", parameters(function), ")"),
        "{",
        f"    return {f}_parallel(arguments, results, scratch, NULL, NULL);",
        "}",
        "",
    ]


class _Body:
    """The inside of a function."""

    def __init__(
        self,
        function: Function,
        kernels: Mapping[str, str],
        constants: Sequence[str],
        messages: Messages,
    ) -> None:
        self._function = function
        self._kernels = kernels
        self._constants = constants
        self._messages = messages

    def checks(self) -> list[str]:
        """The checks of arguments, results and scratch memory."""
        function = self._function
        rows = [
            self._row(f"arguments->{member.name}", member)
            for member in function.arguments
            if member.shape
        ]
        rows += [self._row(f"results->{member.name}", member) for member in function.results]
        rows.append(f"{{scratch, {function.macro}, {self._messages.scratch}, 0}},")
        written = len(function.results) + 1
        lines = [
            "const struct array arrays[] = {",
            *indented(rows),
            "};",
            f"int code = check_arrays(arrays, {len(rows)}, {written});",
            "if (code)",
            "    return code;",
        ]
        for member in function.arguments:
            if member.minimum is not None:
                lines += self._range(member)
        return lines

    def _row(self, pointer: str, member: Member) -> str:
        code = self._messages.of(member)
        return f"{{{pointer}, {member.size}, {code}, {int(member.may_be_null)}}},"

    def _range(self, member: Member) -> list[str]:
        """The check of an integer, or of all in an array."""
        code = self._messages.of(member) + RANGE
        low, high = member.minimum, member.maximum
        value = f"arguments->{member.name}"
        if member.shape:
            value += "[k]"
        test = [f"if ({value} < {low} || {value} > {high})", f"    return {code};"]
        if not member.shape:
            return test
        return [f"for (size_t k = 0; k < {member.elements}; k++)", *indented(test)]

    def scalars(self) -> list[str]:
        """Copies of the scalars, which compiled code reads from memory."""
        return [
            f"memcpy(memory + {span.offset}, &arguments->{self._function.arguments[k].name}, "
            f"{span.length});"
            for k, span in self._function.scalars.items()
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
                target, source = self._pointer(step.target), self._pointer(step.source)
                lines.append(f"memcpy({target}, {source}, {step.target.length});")
            elif isinstance(step, Fill):
                lines.append(self._fill(step))
            else:
                lines += self._choice(step)
        return lines

    def _pointer(self, span: Span) -> str:
        """A pointer to bytes."""
        function = self._function
        if span.place is Place.ARGUMENT and span.index in function.scalars:
            return f"memory + {function.scalars[span.index].offset + span.offset}"
        if span.place is Place.SCRATCH:
            return f"memory + {span.offset}" if span.offset else "memory"
        if span.place is Place.ARGUMENT:
            base = f"arguments->{function.arguments[span.index].name}"
        elif span.place is Place.RESULT:
            base = f"results->{function.results[span.index].name}"
        else:
            base = self._constants[span.index]
        return f"(char *){base} + {span.offset}" if span.offset else f"(void *){base}"

    def _dispatch(self, step: Dispatch) -> list[str]:
        groups = ", ".join(map(str, step.workgroups))
        lines = [
            f"static const uint32_t groups[] = {{{groups}}};",
            *wrapped("void *const buffers[] = {", [*map(self._pointer, step.buffers)], "};"),
            *wrapped(
                "static const size_t lengths[] = {",
                [str(span.length) for span in step.buffers],
                "};",
            ),
        ]
        constants = "NULL"
        if step.constants:
            lines += wrapped(
                "static const uint32_t constants[] = {", [*map(str, step.constants)], "};"
            )
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

    def _fill(self, step: Fill) -> str:
        target = self._pointer(step.target)
        if len(step.pattern) == 1:
            return f"memset({target}, {step.pattern[0]:#x}, {step.target.length});"
        pattern = "".join(f"\\x{byte:02x}" for byte in step.pattern)
        return f'fill({target}, {step.target.length}, "{pattern}", {len(step.pattern)});'

    def _choice(self, step: Choice) -> list[str]:
        length = step.value.length
        value = f"value_{step.value.offset}"  # of its own, as choices may lie in each other
        lines = [
            f"int{8 * length}_t {value};",
            f"memcpy(&{value}, {self._pointer(step.value)}, {length});",
            f"switch ({value}) {{",
        ]
        for number, steps in step.cases.items():
            lines += [f"case {number}:", *indented([*self.steps(steps), "return 0;"])]
        lines += ["default:", f"    return {FAILED};", "}"]
        return ["{", *indented(lines), "}"]

"""Prints the header of a C module, which also documents the object."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.c.interface import CFunction, Member
from rnn_compiler.lowering.c.text import call, comment, indented
from rnn_compiler.schema.open_sizes import Size, bound, open_names, parts_of, static_size
from rnn_compiler.schema.schedule import aligned


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
        given = ", ".join(map(str, _sizes(function).values()))
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
    lines += [f"        .{name} = {size}," for name, size in _sizes(function).items()]
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
    found: dict[str, int] = {}
    for member in function.sizes:
        (least,), (most,) = parts_of(member.minimum or 0), parts_of(member.maximum or 0)
        found[member.name] = max(static_size(least), min(static_size(most), _EXAMPLE))
    return found


def _most(function: CFunction, member: Member) -> Size | int:
    """The largest value of an argument's integers in an example; 0 if there is none."""
    most = member.maximum or 0
    return 0 if isinstance(most, tuple) else bound(most, _sizes(function))


_EXAMPLE = 16
"""The open sizes in an example, where they may be so large."""


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
    known = function.at(_sizes(function))
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
        parts.append(f"from {member.range_text}")
    if member.may_be_null:
        parts.append("not read, may be null")
    return ", ".join(parts)

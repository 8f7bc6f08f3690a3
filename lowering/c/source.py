"""Prints the source file: checks, and the calls of compiled code in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.header import measure_parameters, parallel_parameters, parameters
from rnn_compiler.lowering.c.interface import CFunction, Member
from rnn_compiler.lowering.c.messages import CPU, FAILED, NO_BYTES, NO_STRUCT, RANGE, Messages
from rnn_compiler.lowering.c.text import call, comment, externals, indented, wrapped
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.open_sizes import Open, Size, SizeFormula, formula, is_static
from rnn_compiler.schema.schedule import (
    Choice,
    Copy,
    Dispatch,
    Fill,
    Span,
    Step,
    Storage,
    steps_in,
)

# The parts of the source file that are the same for every module.
#
# ``{NAME}`` stands for the module's name, ``{ALIGNMENT}`` and ``{FAILED}`` for the numbers of
# those names, and ``{NONE}`` likewise, if the module has open sizes. `TYPES` has the layouts of
# `schema.executable_library` in C.

INTERNAL = ("call_kernel", "call_workgroup", "check_arrays", "cpu_is_known", "fill")
"""The private functions of the file."""

TYPES = """\
/*
 * How compiled code is called: by the rules of an executable library 0.6 of IREE
 * (runtime/src/iree/hal/local/executable_library.h), whose structs these are.
 */
struct environment {
    const uint32_t *constants;
    void *imports[3];
    uint64_t processor[8];
};

struct dispatch {
    uint32_t size_x, size_y;
    uint16_t size_z, constant_count;
    uint32_t count_x, count_y;
    uint16_t count_z;
    uint8_t concurrency, buffer_count;
    const uint32_t *constants;
    const void *const *buffers;
    const size_t *lengths;
};

struct workgroup {
    uint32_t x, y;
    uint16_t z, reserved;
    uint32_t processor;
    void *memory;
    uint32_t memory_size;
};

typedef int kernel(const struct environment *environment, const struct dispatch *dispatch,
                   const struct workgroup *group);
"""

CALLS = """\
/* Who runs workgroups: a function of the caller's, or none. */
struct caller {
    {NAME}_run *run;
    void *context;
};

struct job {
    kernel *code;
    const struct dispatch *dispatch;
};

static int call_workgroup(void *data, size_t k)
{
    const struct job *job = (const struct job *)data;
    const struct dispatch *dispatch = job->dispatch;
    struct environment environment;
    struct workgroup group;
    memset(&environment, 0, sizeof environment);
    memset(&group, 0, sizeof group);
    group.x = (uint32_t)(k % dispatch->count_x);
    group.y = (uint32_t)(k / dispatch->count_x % dispatch->count_y);
    group.z = (uint16_t)(k / dispatch->count_x / dispatch->count_y);
    return job->code(&environment, dispatch, &group);
}

/* Runs all workgroups of a dispatch; gives 0 when they are done. */
static int call_kernel(const struct caller *caller, kernel *code, const uint32_t *groups,
                       size_t buffer_count, const void *const *buffers, const size_t *lengths,
                       size_t constant_count, const uint32_t *constants)
{
    struct dispatch dispatch;
    struct job job;
    size_t count = (size_t)groups[0] * groups[1] * groups[2];
{NONE}    memset(&dispatch, 0, sizeof dispatch);
    dispatch.size_x = 1;
    dispatch.size_y = 1;
    dispatch.size_z = 1;
    dispatch.count_x = groups[0];
    dispatch.count_y = groups[1];
    dispatch.count_z = (uint16_t)groups[2];
    dispatch.concurrency = 1;
    dispatch.buffer_count = (uint8_t)buffer_count;
    dispatch.buffers = buffers;
    dispatch.lengths = lengths;
    dispatch.constant_count = (uint16_t)constant_count;
    dispatch.constants = constants;
    job.code = code;
    job.dispatch = &dispatch;
    if (caller->run)
        return caller->run(caller->context, count, call_workgroup, &job) ? {FAILED} : 0;
    for (size_t k = 0; k < count; k++)
        if (call_workgroup(&job, k))
            return {FAILED};
    return 0;
}
"""

NONE = """\
    if (!count)
        return 0;
"""
"""The call of a dispatch that may have no workgroups at some sizes."""

CHECKS = """\
/* An array: where, how many bytes, what is added to codes for it, and whether it may be null. */
struct array {
    const void *data;
    size_t size;
    int code, may_be_null;
};

/* Checks arrays, of which the last are written to. */
static int check_arrays(const struct array *arrays, size_t count, size_t written)
{
    for (size_t k = 0; k < count; k++) {
        if (!arrays[k].size || (arrays[k].may_be_null && !arrays[k].data))
            continue; /* nobody follows the pointer */
        if (!arrays[k].data)
            return arrays[k].code;
        if ((uintptr_t)arrays[k].data % {ALIGNMENT})
            return arrays[k].code + 1;
    }
    for (size_t k = count - written; k < count; k++) {
        uintptr_t start = (uintptr_t)arrays[k].data, end = start + arrays[k].size;
        for (size_t other = 0; other < k; other++) {
            uintptr_t from = (uintptr_t)arrays[other].data, to = from + arrays[other].size;
            if (from < to && start < end && start < to && from < end)
                return arrays[k].code + 2;
        }
    }
    return 0;
}
"""

FILL = """\
static void fill(void *target, size_t size, const char *pattern, size_t width)
{
    for (size_t k = 0; k < size; k += width)
        memcpy((char *)target + k, pattern, width);
}
"""


# Mathematical functions for processors that have no instruction for them.
#
# On most systems they are in libm, a separate library. ``{NAME}`` stands for the
# module's name.

DECLARED = {"floorf": "float {NAME}_floorf(float x);"}
"""Their declarations, by their names in libm."""

DEFINED = {
    "floorf": """\
/* The largest integer that is not above a number. */
float {NAME}_floorf(float x)
{
    float whole;
    if (!(x > -8388608.0f && x < 8388608.0f))
        return x; /* an integer anyway, or no number */
    whole = (float)(int32_t)x;
    return whole > x ? whole - 1.0f : whole;
}
""",
}
"""Their definitions."""


# C code that checks whether the processor has the features that compiled code needs.
#
# x86-64: cpuid, as far as the operating system supports the features. In a virtual machine the
# instruction takes microseconds, so the code asks glibc, which runs it once at program start
# (sys/platform/x86.h, from 2.33 on, in C only); without glibc it uses cpuid and xgetbv.
# AArch64 and RISC-V: the bits that Linux passes to a program (getauxval, asm/hwcap.h).
#
# Sources: Intel's Software Developer's Manual, CPUID; Linux,
# Documentation/arch/arm64/elf_hwcaps.rst and arch/riscv/include/uapi/asm/hwcap.h.


class CpuCheck(NamedTuple):
    """C code that checks for features.

    Attributes:
        function: The body of a function without arguments that returns whether all are present.
    """

    includes: tuple[str, ...]
    function: tuple[str, ...]


_FROM_GLIBC = (
    "#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33) && !defined __cplusplus"
)

_A, _B, _C, _D = range(4)
_LEAF_1, _LEAF_7, _LEAF_7_1, _EXTENDED = (1, 0), (7, 0), (7, 1), (0x80000001, 0)
GLIBC_INDICES = {
    _LEAF_1: "CPUID_INDEX_1",
    _LEAF_7: "CPUID_INDEX_7",
    _LEAF_7_1: "CPUID_INDEX_7_ECX_1",
    _EXTENDED: "CPUID_INDEX_80000001",
}

X86: Mapping[str, tuple[tuple[int, int], int, int]] = {
    "sse3": (_LEAF_1, _C, 0),
    "pclmul": (_LEAF_1, _C, 1),
    "ssse3": (_LEAF_1, _C, 9),
    "fma": (_LEAF_1, _C, 12),
    "cx16": (_LEAF_1, _C, 13),
    "sse4.1": (_LEAF_1, _C, 19),
    "sse4.2": (_LEAF_1, _C, 20),
    "movbe": (_LEAF_1, _C, 22),
    "popcnt": (_LEAF_1, _C, 23),
    "aes": (_LEAF_1, _C, 25),
    "xsave": (_LEAF_1, _C, 26),
    "avx": (_LEAF_1, _C, 28),
    "f16c": (_LEAF_1, _C, 29),
    "bmi": (_LEAF_7, _B, 3),
    "avx2": (_LEAF_7, _B, 5),
    "bmi2": (_LEAF_7, _B, 8),
    "avx512f": (_LEAF_7, _B, 16),
    "avx512dq": (_LEAF_7, _B, 17),
    "avx512ifma": (_LEAF_7, _B, 21),
    "avx512cd": (_LEAF_7, _B, 28),
    "avx512bw": (_LEAF_7, _B, 30),
    "avx512vl": (_LEAF_7, _B, 31),
    "avx512vbmi": (_LEAF_7, _C, 1),
    "avx512vbmi2": (_LEAF_7, _C, 6),
    "gfni": (_LEAF_7, _C, 8),
    "vaes": (_LEAF_7, _C, 9),
    "vpclmulqdq": (_LEAF_7, _C, 10),
    "avx512vnni": (_LEAF_7, _C, 11),
    "avx512bitalg": (_LEAF_7, _C, 12),
    "avx512vpopcntdq": (_LEAF_7, _C, 14),
    "amx-bf16": (_LEAF_7, _D, 22),
    "avx512fp16": (_LEAF_7, _D, 23),
    "amx-tile": (_LEAF_7, _D, 24),
    "amx-int8": (_LEAF_7, _D, 25),
    "avxvnni": (_LEAF_7_1, _A, 4),
    "avx512bf16": (_LEAF_7_1, _A, 5),
    "sahf": (_EXTENDED, _C, 0),
    "lzcnt": (_EXTENDED, _C, 5),
}
"""For each feature: the leaf of cpuid, the register and the bit in it."""

_AVX_STATE, _AVX512_STATE, _AMX_STATE = 0x6, 0xE6, 0x60000
"""The registers that the system must save, by their bits in XCR0."""


def _auxiliary_bits(architecture: str) -> dict[str, tuple[str, int]]:
    """For each feature: the word of the auxiliary vector, and the bit in it."""
    here = ARCHITECTURES[architecture]
    words = dict(zip(("AT_HWCAP", "AT_HWCAP2"), here.hwcaps, strict=True))
    return {
        feature: (word, flags.index(flag))
        for word, flags in words.items()
        for feature, flag in here.features.items()
        if flag in flags
    }


AARCH64: Mapping[str, tuple[str, int]] = _auxiliary_bits("aarch64")

RISCV64: Mapping[str, tuple[str, int]] = {"v": ("AT_HWCAP", ord("v") - ord("a"))}


def cpu_check(architecture: str, features: Sequence[str]) -> CpuCheck:
    """The C code that checks for features; empty if none is needed."""
    here = ARCHITECTURES.get(architecture)
    asked = [name for name in features if here is None or name not in here.baseline]
    if not asked or (here and not here.cpuinfo):  # there is no system to ask
        return CpuCheck((), ())
    tables: Mapping[str, Mapping[str, object]] = {
        "x86_64": X86,
        "aarch64": AARCH64,
        "riscv64": RISCV64,
    }
    unknown = [name for name in asked if name not in tables.get(architecture, {})]
    if unknown:
        raise UnsupportedError(
            f"compile_c: it is not known how to ask an {architecture} processor for "
            f"{', '.join(unknown)}; choose a target without"
        )
    if architecture == "x86_64":
        return _x86(asked)
    return _auxiliary(AARCH64 if architecture == "aarch64" else RISCV64, asked)


def _auxiliary(table: Mapping[str, tuple[str, int]], features: Sequence[str]) -> CpuCheck:
    masks: dict[str, int] = {}
    for name in features:
        word, bit = table[name]
        masks[word] = masks.get(word, 0) | 1 << bit
    lines = [
        f"if ((getauxval({word}) & {mask:#x}ul) != {mask:#x}ul)\n        return 0;"
        for word, mask in sorted(masks.items())
    ]
    return CpuCheck(("#include <sys/auxv.h>",), (*lines, "return 1;"))


def _x86(features: Sequence[str]) -> CpuCheck:
    masks: dict[tuple[int, int], list[int]] = {}
    for name in features:
        leaf, register, bit = X86[name]
        masks.setdefault(leaf, [0, 0, 0, 0])[register] |= 1 << bit
    wide = any(name.startswith("avx512") for name in features)
    state = _AVX512_STATE if wide else _AVX_STATE if "avx" in features else 0
    state |= _AMX_STATE if "amx-tile" in features else 0
    known = [
        f"{{{GLIBC_INDICES[leaf]}, {{{', '.join(f'{bits:#x}u' for bits in registers)}}}}},"
        for leaf, registers in sorted(masks.items())
    ]
    asked = [
        f"{{{leaf:#x}u, {number}u, {{{', '.join(f'{bits:#x}u' for bits in registers)}}}}},"
        for (leaf, number), registers in sorted(masks.items())
    ]
    return CpuCheck(
        (
            _FROM_GLIBC,
            "#include <sys/platform/x86.h>",
            "#else",
            "#include <cpuid.h>",
            "#endif",
        ),
        (
            _FROM_GLIBC,
            "/* glibc has asked cpuid at the program's start. */",
            "static const struct { unsigned leaf, bits[4]; } needed[] = {",
            *(f"    {row}" for row in known),
            "};",
            "for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {",
            "    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(needed[k].leaf);",
            "    for (int r = 0; r < 4; r++)",
            "        if ((leaf->active_array[r] & needed[k].bits[r]) != needed[k].bits[r])",
            "            return 0;",
            "}",
            "#else",
            "static const struct { unsigned leaf, number, bits[4]; } needed[] = {",
            *(f"    {row}" for row in asked),
            "};",
            "for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {",
            "    unsigned found[4];",
            "    if (!__get_cpuid_count(needed[k].leaf, needed[k].number, &found[0], &found[1], "
            "&found[2],",
            "                           &found[3]))",
            "        return 0;",
            "    for (int r = 0; r < 4; r++)",
            "        if ((found[r] & needed[k].bits[r]) != needed[k].bits[r])",
            "            return 0;",
            "}",
            *(_saved_state(state) if state else ()),
            "#endif",
            "return 1;",
        ),
    )


def _saved_state(state: int) -> tuple[str, ...]:
    """Code that checks whether the system saves the registers of the vector unit."""
    return (
        "unsigned a, b, c, d;",
        "if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1))",
        "    return 0;",
        '__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));',
        f"if ((a & {state:#x}u) != {state:#x}u)",
        "    return 0;",
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
    body = _Body(function, kernels, constants, messages)
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
    return [f"const int64_t {name} = {_computed(each)};" for name, each in needed.items()]


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


class _Body:
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
        high = member.maximum or 0
        most = _converted("uint64_t", high) if member.dtype == "uint64" else formula(high)
        value = f"{'state' if member.is_state else 'arguments'}->{member.name}"
        if member.shape:
            value += "[k]"
        tests = [f"{value} < {formula(member.minimum or 0)}", f"{value} > {most}"]
        wrong = " || ".join(tests[member.c_type.startswith("uint") :])  # those are never below 0
        test = [f"if ({wrong})", f"    return {code};"]
        if not member.shape:
            return test
        count = _converted("size_t", member.elements)
        return [  # without a branch for each element, which would take three times as long
            "{",
            "    int wrong = 0;",
            f"    for (size_t k = 0; k < {count}; k++)",
            f"        wrong |= {wrong};",
            "    if (wrong)",
            f"        return {code};",
            "}",
        ]

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
            base = self._state(member) if member.is_state else f"arguments->{member.name}"
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
            base = self._state(self._function.arguments[span.index])
        else:
            base = f"results->{self._function.results[span.index].name}"
        return f"(char *){base} + {offset}" if span.offset else base

    @staticmethod
    def _state(member: Member) -> str:
        """A pointer to a state, which is const if the function updates none."""
        return f"{'' if member.shape else '&'}state->{member.name}"

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

"""Prints the self test of a module: its functions on sample arguments, and the results compared.

``NAME_selftest.c`` needs the other files of the module and libc; it contains the samples to the
bit. Results are compared as by `runtime.golden`: differences relative to the result's largest
number, or to 1 if that is larger, may not exceed the tolerance of its dtype.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.c.interface import CFunction, Member
from rnn_compiler.lowering.c.messages import Messages
from rnn_compiler.lowering.c.text import call, comment, indented, words
from rnn_compiler.lowering.host.functions import Arrays
from rnn_compiler.schema.open_sizes import static_size
from rnn_compiler.schema.schedule import aligned

# The parts of a self test that are the same for every module: the comparison of results.
#
# ``{NAME}`` and ``{MACRO}`` stand for the module's name, unchanged and in capitals.

INCLUDES = """\
#include <float.h>
#include <string.h>
#ifndef __cplusplus
#include <stdalign.h>
#endif"""

TYPES = """\
/* How numbers are stored. */
enum kind { INTEGER, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };

/* A result: what it should be, its offset in memory, and how far it may be from that. */
struct result {
    const char *function, *name;
    const void *expected;
    size_t offset, count, width;
    enum kind kind;
    double tolerance;
    int code;
};

/* A call, and which results it has. */
struct test {
    int (*call)(void);
    size_t first, end;
};
"""

COMPARISON = """\
/* A number, which double holds whatever it is stored as. */
static double element(const void *data, size_t k, enum kind kind)
{
    double value;
    float number;
    uint16_t half;
    uint32_t bits, exponent;
    if (kind == FLOAT64) {
        memcpy(&value, (const char *)data + 8 * k, 8);
        return value;
    }
    if (kind == FLOAT32) {
        memcpy(&bits, (const char *)data + 4 * k, 4);
    } else {
        memcpy(&half, (const char *)data + 2 * k, 2);
        exponent = half >> 10 & 31u;
        bits = half;
        if (kind == BFLOAT16)
            bits <<= 16;
        else if (!exponent) /* a multiple of 2^-24 */
            return (half >> 15 ? -1.0 : 1.0) * (half & 1023u) / 16777216.0;
        else
            bits = (bits & 0x8000u) << 16 | (exponent == 31u ? 255u : exponent + 112u) << 23 |
                   (bits & 1023u) << 13;
    }
    memcpy(&number, &bits, 4);
    return (double)number;
}

/* By their bits, as compilers may be told that there are neither. */
static int is_finite(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

static int is_nan(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits >> 52 & 0x7ff) == 0x7ff && (bits << 12) != 0;
}

/*
 * The largest difference, as a part of the largest number or of 1; DBL_MAX where one is a number
 * and the other is not.
 */
static double difference(const struct result *result)
{
    const unsigned char *found = memory + result->offset;
    double largest = 1, apart = 0;
    if (result->kind == INTEGER) {
        size_t size = result->count * result->width;
        return size && memcmp(found, result->expected, size) ? 1.0 : 0.0;
    }
    for (size_t k = 0; k < result->count; k++) {
        double a = element(found, k, result->kind), b = element(result->expected, k, result->kind);
        double by = a < b ? b - a : a - b, size = b < 0 ? -b : b;
        if (!is_finite(a) || !is_finite(b)) {
            if (is_nan(a) != is_nan(b) || is_finite(a) != is_finite(b) || (a < 0) != (b < 0))
                return DBL_MAX;
            continue;
        }
        apart = by > apart ? by : apart;
        largest = size > largest ? size : largest;
    }
    return apart / largest;
}

/* Keeps the differences of a call's results; returns the code of the first that is too large. */
static int compare(const struct test *test, double *differences)
{
    int code = 0;
    for (size_t k = test->first; k < test->end; k++) {
        differences[k] = difference(&compared[k]);
        if (!(differences[k] <= compared[k].tolerance) && !code)
            code = compared[k].code;
    }
    return code;
}

/* Makes all calls; returns the code of the first that fails or whose result differs. */
static int run(double *differences)
{
    int first = 0;
    for (size_t k = 0; k < sizeof compared / sizeof compared[0]; k++)
        differences[k] = -1; /* not yet known */
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++) {
        int code = tests[k].call();
        if (code)
            return code;
        code = compare(&tests[k], differences);
        first = first ? first : code;
    }
    return first;
}
"""

MAIN = """\
#ifdef {MACRO}_SELFTEST_MAIN
/* Exits with 0 if all results are what they should be, 1 if one is not, 2 if a call fails. */
int main(void)
{
    double differences[sizeof compared / sizeof compared[0]];
    int code = run(differences), wrong = 0;
    for (size_t k = 0; k < sizeof compared / sizeof compared[0]; k++) {
        const struct result *result = &compared[k];
        int equal = differences[k] >= 0 && differences[k] <= result->tolerance;
        if (differences[k] < 0) {
            fprintf(stderr, "%s: %s\\n", result->function, {NAME}_error(code));
            return 2;
        }
        printf("%s %s %.9g %.9g %s\\n", result->function, result->name, differences[k],
               result->tolerance, equal ? "equal" : "DIFFERENT");
        wrong |= !equal;
    }
    return wrong;
}
#endif"""


LARGEST = 16 << 20
"""The maximum bytes of samples; as source they take two and a half times as many."""

_KINDS = {"float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT32", "float64": "FLOAT64"}

INTERNAL = (
    *("arguments", "code", "compare", "compared", "difference", "element", "is_finite", "is_nan"),
    *("memory", "results", "run", "tests", "INTEGER", *_KINDS.values()),
)
"""The private names of the file, besides numbered ones."""


@dataclass(frozen=True)
class Samples:
    """Arguments of a module's functions, and their results.

    Attributes:
        cases: For each function, its arguments and results by name.
        computed_by: The source of the results.
        tolerances: The maximum difference by dtype; integers must be equal.
        sizes: The values of open sizes in them, for functions that have some.
    """

    cases: Mapping[str, tuple[Arrays, Arrays]]
    computed_by: str
    tolerances: Mapping[str, float]
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])

    def renamed(self, names: Mapping[str, str]) -> Samples:
        """The same samples for functions with other names."""
        cases = {names[name]: case for name, case in self.cases.items()}
        return replace(self, cases=cases, sizes={names[k]: v for k, v in self.sizes.items()})

    def check_size(self) -> None:
        """Checks that they are not too large for a source file."""
        arrays = [a for case in self.cases.values() for part in case for a in part.values()]
        size = sum(array.nbytes for array in arrays)
        if size > LARGEST:
            remedy = "they become source: freeze the weights, or prove the module at smaller sizes"
            expected = f"samples of at most {LARGEST:,} bytes"
            raise InvalidArgumentError("compile_c", "golden", expected, f"{size:,}", remedy)


@dataclass(frozen=True)
class Tested:
    """A function whose results are compared.

    Attributes:
        case: The name of its samples.
        packing: The function that packs its weights, if any.
    """

    function: CFunction
    case: str
    packing: CFunction | None = None


def tested(functions: Sequence[CFunction], cases: Iterable[str]) -> list[Tested]:
    """The functions of a self test: those with samples, and their companions."""
    found: list[Tested] = []
    for name in cases:
        found += [Tested(each, name) for each in functions if each.name == name]
        if companions := [each for each in functions if each.companion_of == name]:
            packing, packed = companions
            found.append(Tested(packed, name, packing))
    return found


def print_selftest(
    name: str, functions: Iterable[Tested], samples: Samples, messages: Messages, origin: str
) -> str:
    """The text of ``NAME_selftest.c``."""
    text = _Text(name, samples, messages)
    for each in functions:
        text.add(each)
    introduction = [
        f"{name}_selftest.c: runs the functions of {name}.h on sample arguments, and compares what",
        "they give.",
        "",
        f"{origin} Do not edit. The results that are compared with were computed by "
        f"{samples.computed_by}.",
        "",
        f"In a program: {name}_selftest(), which {name}.h declares. As a program of its own:",
        "",
        f"    cc -D{name.upper()}_SELFTEST_MAIN {name}_selftest.c {name}.c {name}.o",
    ]
    lines = [*comment(introduction), f'#include "{name}.h"', "", *INCLUDES.splitlines(), ""]
    lines += [f"#ifdef {name.upper()}_SELFTEST_MAIN", "#include <stdio.h>", "#endif", ""]
    return "\n".join([*lines, *text.lines()]) + "\n"


class _Text:
    """The file under construction, function by function."""

    def __init__(self, name: str, samples: Samples, messages: Messages) -> None:
        self._name, self._samples, self._messages = name, samples, messages
        self._alignment = messages.alignment
        self._data: dict[tuple[str, str, str], str] = {}
        self._arrays: list[str] = []
        self._calls: list[str] = []
        self._rows: list[str] = []
        self._runs: list[str] = []
        self._memory = 0

    def add(self, each: Tested) -> None:
        """Adds a function: its samples, its call and its results."""
        number, start = len(self._runs), 0
        lines: list[str] = []
        packed: dict[str, int] = {}
        if each.packing is not None:
            packed, start = self._offsets(each.packing.results, 0)
            lines += self._call(each.packing, each.case, packed, {}, start)
        function = self._known(each.function, each.case)
        offsets, end = self._offsets(function.results, start)
        state = end
        if function.state:
            end += function.state.size
        rest = f"sizeof memory - {start}" if start else "sizeof memory"
        lines.append(f"memset({_at(start)}, 0xff, {rest});")
        lines += self._call(each.function, each.case, offsets, packed, end, state)
        self._calls += [
            f"static int call_{number}(void)",
            "{",
            "    int code;",
            *indented(lines),
            "    return 0;",
            "}",
            "",
        ]
        first = len(self._rows)
        for member in function.compared:
            offset = str(offsets.get(member.name, ""))
            if member.is_state and function.state:
                offset = f"{state} + offsetof({function.state.struct}, {member.name})"
            self._rows.append(self._row(each, member, offset))
        self._runs += [f"{{call_{number}, {first}, {len(self._rows)}}},"]

    def _offsets(self, members: Sequence[Member], start: int) -> tuple[dict[str, int], int]:
        """The offsets of results in memory, and their end."""
        offsets: dict[str, int] = {}
        for member in members:
            offsets[member.name] = start
            start = aligned(start + max(1, static_size(member.size)), self._alignment)
        return offsets, start

    def _known(self, function: CFunction, case: str) -> CFunction:
        """A function at the sizes of its samples."""
        return function.at(self._samples.sizes.get(case, {}))

    def _call(
        self,
        function: CFunction,
        case: str,
        offsets: Mapping[str, int],
        packed: Mapping[str, int],
        scratch: int,
        state: int = 0,
    ) -> list[str]:
        """The call of a function whose results and states go to offsets of the memory."""
        sizes = self._samples.sizes.get(case, {})
        arguments = [str(sizes[member.name]) for member in function.sizes]
        arguments += [
            f"({member.c_type} *)(void *)({_at(packed[member.name])})"
            if member.name in packed
            else self._argument(case, member)
            for member in function.given
        ]
        of_states: list[str] = []
        given = ""
        if function.state:
            struct, given = function.state.struct, "state, "
            of_states.append(f"{struct} *state = ({struct} *)(void *)({_at(state)});")
            of_states += [
                f"memcpy({'' if member.shape else '&'}state->{member.name}, "
                f"{self._sample(case, 'arguments', member.name)}, {member.size});"
                for member in function.arguments
                if member.is_state and member.size
            ]
        results = [
            f"({member.c_type} *)(void *)({_at(offsets[member.name])})"
            for member in function.results
        ]
        self._memory = max(self._memory, scratch + static_size(self._known(function, case).scratch))
        f = function.name
        return [
            "{",
            *indented(
                [
                    f"const struct {f}_arguments arguments = {{",
                    *indented([f"{value}," for value in arguments or ["0"]]),
                    "};",
                    f"const struct {f}_results results = {{",
                    *indented([f"{value}," for value in results or ["0"]]),
                    "};",
                    *of_states,
                    f"code = {f}(&arguments, &results, {given}{_at(scratch)});",
                    "if (code)",
                    "    return code;",
                ]
            ),
            "}",
        ]

    def _argument(self, case: str, member: Member) -> str:
        """An argument's value, or a pointer to its numbers."""
        array: Any = self._samples.cases[case][0][member.name]
        if member.shape:
            return f"(const {member.c_type} *){self._sample(case, 'arguments', member.name)}"
        if member.c_type == "uint16_t":
            return str(int(array.view(np.uint16)))
        return float(array).hex() if array.dtype.kind == "f" else str(int(array))

    def _sample(self, case: str, kind: str, name: str) -> str:
        """A pointer to the numbers of an argument or result, which are emitted once."""
        array = self._samples.cases[case][kind == "results"][name]
        if not array.nbytes:
            return "NULL"
        key = case, kind, name
        if key not in self._data:
            self._data[key] = f"sample_{len(self._data)}"
            self._arrays.append(f"/* {kind[:-1].capitalize()} {name} of {case}. */")
            self._arrays += words(self._data[key], array.tobytes(), self._alignment)
        return f"(const void *){self._data[key]}"

    def _row(self, each: Tested, member: Member, offset: str) -> str:
        """A result in the table of results."""
        sample = self._sample(each.case, "results", member.name)
        elements = static_size(member.elements)
        size = static_size(member.size) // max(1, elements)
        tolerance = self._samples.tolerances.get(member.dtype, 0.0)
        return (
            f'{{"{each.function.name}", "{member.name}", {sample}, {offset}, {elements}, '
            f"{size}, {_KINDS.get(member.dtype, 'INTEGER')}, "
            f"{tolerance!r}, {self._messages.of_sample(each.function, member)}}},"
        )

    def lines(self) -> list[str]:
        """The file, after its head."""
        size = aligned(max(1, self._memory), self._alignment)
        return [
            *self._arrays,
            "/* Where results and scratch memory are: of one call at a time. */",
            f"alignas({self._alignment}) static unsigned char memory[{size}];",
            "",
            TYPES,
            "static const struct result compared[] = {",
            *indented(self._rows),
            "};",
            "",
            *self._calls,
            "static const struct test tests[] = {",
            *indented(self._runs),
            "};",
            "",
            COMPARISON,
            *call(f"int {self._name}_selftest(", ["void"], ")"),
            "{",
            "    double differences[sizeof compared / sizeof compared[0]];",
            "    return run(differences);",
            "}",
            "",
            MAIN.replace("{NAME}", self._name).replace("{MACRO}", self._name.upper()),
        ]


def _at(offset: int) -> str:
    return f"memory + {offset}" if offset else "memory"

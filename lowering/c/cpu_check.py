"""C code that checks whether the processor has the features that compiled code needs.

x86-64: cpuid, as far as the operating system supports the features. In a virtual machine the
instruction takes microseconds, so the code asks glibc, which runs it once at program start
(sys/platform/x86.h, from 2.33 on, in C only); without glibc it uses cpuid and xgetbv.
AArch64 and RISC-V: the bits that Linux passes to a program (getauxval, asm/hwcap.h).

Sources: Intel's Software Developer's Manual, CPUID; Linux,
Documentation/arch/arm64/elf_hwcaps.rst and arch/riscv/include/uapi/asm/hwcap.h.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.architectures import ARCHITECTURES


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

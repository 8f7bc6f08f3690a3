"""Supported instruction sets: their features, by LLVM's names, and what these imply.

Each `Architecture` is data, and a new one is a row here. Only its special instructions are
elsewhere: those that multiply are in `lowering.targets.vector_unit`, a C program's queries for
features in `lowering.c.cpu_check`, and what calls that bypass IREE need in
`runtime.direct.stepping` and `denormals`.

A feature has two names, LLVM's and the one in Linux's reports. The baseline is what every machine
of the architecture has; code always uses it. Only instruction set extensions count as features, not
tuning flags, which no machine can lack.

Some rows are more than an instruction set: a microcontroller's core, or WebAssembly. They have no
system that a program could ask for features, so the features that a target names must be there.

Sources: the feature tables in LLVM 21 (``llvm/lib/Target``); Linux's user-space headers
    ``asm/hwcap.h`` of arm64 and riscv; System V psABI of x86-64 for its levels; RISC-V profiles for
    the definition of "rv64gc"; Arm's Technical Reference Manuals of the Cortex-M4, M7, M33 and
    M55 for their floating-point units; the ABIs of the architectures for the numbers in ELF files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rnn_compiler.schema.schedule import ALIGNMENT, Memory


@dataclass(frozen=True)
class Architecture:
    """An instruction set.

    Attributes:
        name: LLVM's name, ``"aarch64"``, which target names use too.
        other_names: Other common names.
        baseline: Features that every machine has.
        features: Features that a machine may have, each with Linux's flag for it.
        implies: Features that LLVM enables along with a feature.
        levels: Named lists of features, each longer than the last.
        triple: LLVM's target triple.
        cpu: LLVM's name of the processor to generate code for.
        cpuinfo: The prefix of the line with Linux's flags in /proc/cpuinfo; empty if no system can
            be asked for features.
        hwcaps: The flags in the order of their bits in the words AT_HWCAP and AT_HWCAP2 of the
            auxiliary vector, if it contains them all.
        abi: The compiler's name for the floating-point calling convention, if it needs one.
        flags: Further flags of the compiler.
        unless_asked: Features that LLVM enables for the processor, and that not every machine has.
        pointer: The size of an address in bytes.
        alignment: The alignment of every buffer, in bytes.
        has_memory: Whether there is memory for scratch arrays that save time.
        registers: Width in bits and number of the vector registers that code is generated for, by
            the first of these features present; empty if there are none.
        rounds_to_float16: Features with an instruction that rounds float32 to float16; an empty
            name: all processors.
        float64_unit: Features with instructions for float64; an empty name: all processors.
        loses_nan: Whether LLVM's comparisons of vectors are wrong for NaN
            (`passes/iree_faults/keep_nan.py`).
        elf: The machine's number in ELF files, and the flags of its usual ABI: on RISC-V, that of
            lp64d and of ilp32f; on Arm, EABI 5. None if its object files have another format.
        formats: The output formats that its modules support: ``"vmfb"``, ``"c"``, ``"js"``.
        refused: Known features that are not supported, each with the reason.
        asked_for: Features that a process may use only after asking Linux, which code that uses
            them does by itself. Other systems have no such features.
        slow: By the vendor in Linux's report, features that its processors have, and that code for
            one of them is better without.
    """

    name: str
    other_names: tuple[str, ...]
    baseline: tuple[str, ...]
    features: Mapping[str, str]
    implies: Mapping[str, tuple[str, ...]]
    triple: str
    cpu: str = "generic"
    cpuinfo: str = ""
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"generic": ()})
    hwcaps: tuple[tuple[str, ...], ...] = ()
    abi: str = ""
    flags: tuple[str, ...] = ()
    unless_asked: tuple[str, ...] = ()
    pointer: int = 8
    alignment: int = ALIGNMENT
    has_memory: bool = True
    registers: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    rounds_to_float16: tuple[str, ...] = ()
    float64_unit: tuple[str, ...] = ("",)
    loses_nan: bool = False
    elf: tuple[int, int] | None = None
    formats: tuple[str, ...] = ("vmfb", "c")
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    asked_for: tuple[str, ...] = ()
    slow: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def asks(self, features: Iterable[str]) -> bool:
        """Whether code that uses some features asks the system for permission.

        Example:
            >>> ARCHITECTURES["x86_64"].asks(["avx2", "amx-tile"])
            True
        """
        return not {*self.asked_for}.isdisjoint(features)

    @property
    def memory(self) -> Memory:
        """The properties of its memory."""
        return Memory(self.alignment, (1 << (8 * self.pointer - 1)) - 1)

    def with_implied(self, features: Iterable[str]) -> frozenset[str]:
        """Features and those they imply, without the baseline.

        Example:
            >>> sorted(ARCHITECTURES["x86_64"].with_implied(["sse4.1"]))
            ['sse3', 'sse4.1', 'ssse3']
        """
        found = frozenset(features)
        implied = found.union(*(self.implies.get(feature, ()) for feature in found))
        return found - {*self.baseline} if implied == found else self.with_implied(implied)


_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")

_X86_64 = Architecture(
    "x86_64",
    other_names=("amd64", "x86-64", "x64"),
    baseline=("sse", "sse2"),
    features={
        "sse3": "pni",
        "ssse3": "ssse3",
        "cx16": "cx16",
        "sahf": "lahf_lm",
        "sse4.1": "sse4_1",
        "sse4.2": "sse4_2",
        "popcnt": "popcnt",
        "avx": "avx",
        "xsave": "xsave",
        "f16c": "f16c",
        "fma": "fma",
        "movbe": "movbe",
        "lzcnt": "abm",
        "bmi": "bmi1",
        "bmi2": "bmi2",
        "avx2": "avx2",
        "avx512f": "avx512f",
        "avx512cd": "avx512cd",
        "avx512bw": "avx512bw",
        "avx512dq": "avx512dq",
        "avx512vl": "avx512vl",
        "avx512vnni": "avx512_vnni",
        "avx512vbmi": "avx512vbmi",
        "avx512vbmi2": "avx512_vbmi2",
        "avx512ifma": "avx512ifma",
        "avx512bitalg": "avx512_bitalg",
        "avx512vpopcntdq": "avx512_vpopcntdq",
        "avx512bf16": "avx512_bf16",
        "avx512fp16": "avx512_fp16",
        "amx-tile": "amx_tile",
        "amx-bf16": "amx_bf16",
        "amx-int8": "amx_int8",
        "avxvnni": "avx_vnni",
        "aes": "aes",
        "pclmul": "pclmulqdq",
        "gfni": "gfni",
        "vaes": "vaes",
        "vpclmulqdq": "vpclmulqdq",
    },
    implies={
        "ssse3": ("sse3",),
        "sse4.1": ("ssse3",),
        "sse4.2": ("sse4.1",),
        "avx": ("sse4.2",),
        "avx2": ("avx",),
        "f16c": ("avx",),
        "fma": ("avx",),
        "avxvnni": ("avx2",),
        "vaes": ("aes", "avx2"),
        "vpclmulqdq": ("avx", "pclmul"),
        "avx512f": ("avx2", "f16c", "fma"),
        "avx512cd": ("avx512f",),
        "avx512dq": ("avx512f",),
        "avx512bw": ("avx512f",),
        "avx512vl": ("avx512f",),
        "avx512vnni": ("avx512f",),
        "avx512ifma": ("avx512f",),
        "avx512vpopcntdq": ("avx512f",),
        "avx512vbmi": ("avx512bw",),
        "avx512vbmi2": ("avx512bw",),
        "avx512bitalg": ("avx512bw",),
        "avx512bf16": ("avx512bw",),
        "avx512fp16": ("avx512bw", "avx512vl"),
        "amx-bf16": ("amx-tile",),
        "amx-int8": ("amx-tile",),
    },
    triple="x86_64-unknown-linux-gnu",
    cpuinfo="flags",
    levels={"generic": (), "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4},
    registers={"avx512f": (512, 32), "avx": (256, 16), "": (128, 16)},
    rounds_to_float16=("avx512f", "f16c"),
    elf=(62, 0),
    asked_for=("amx-tile", "amx-bf16", "amx-int8"),
    slow={"GenuineIntel": ("avx512bf16",)},
)

_AARCH64 = Architecture(
    "aarch64",
    other_names=("arm64", "armv8", "armv8-a"),
    baseline=("fp-armv8", "neon"),
    features={
        "crc": "crc32",
        "lse": "atomics",
        "rdm": "asimdrdm",
        "fullfp16": "asimdhp",
        "fp16fml": "asimdfhm",
        "dotprod": "asimddp",
        "rcpc": "lrcpc",
        "bf16": "bf16",
        "i8mm": "i8mm",
    },
    implies={"fp16fml": ("fullfp16",)},
    triple="aarch64-unknown-linux-gnu",
    cpuinfo="Features",
    hwcaps=(
        (
            *("fp", "asimd", "evtstrm", "aes", "pmull", "sha1", "sha2", "crc32"),
            *("atomics", "fphp", "asimdhp", "cpuid", "asimdrdm", "jscvt", "fcma", "lrcpc"),
            *("dcpop", "sha3", "sm3", "sm4", "asimddp", "sha512", "sve", "asimdfhm"),
        ),
        (
            *("dcpodp", "sve2", "sveaes", "svepmull", "svebitperm", "svesha3", "svesm4", "flagm2"),
            *("frint", "svei8mm", "svef32mm", "svef64mm", "svebf16", "i8mm", "bf16"),
        ),
    ),
    registers={"": (128, 32)},
    rounds_to_float16=("",),
    elf=(183, 0),
    refused=dict.fromkeys(
        ("sve", "sve2", "sme"),
        "IREE does not finish compiling some float64 code with it; code without it runs on such "
        "machines too",
    ),
)

_RISCV64 = Architecture(
    "riscv64",
    other_names=("riscv", "rv64", "rv64gc"),
    baseline=("m", "a", "f", "d", "c"),
    features={
        "v": "v",
        "zba": "zba",
        "zbb": "zbb",
        "zbs": "zbs",
        "zfh": "zfh",
        "zvfh": "zvfh",
    },
    implies={"zvfh": ("v", "zfh")},
    triple="riscv64-unknown-linux-gnu",
    cpuinfo="isa",
    abi="lp64d",
    registers={"v": (128, 32), "": (128, 16)},
    rounds_to_float16=("zfh",),
    elf=(243, 5),
)

_RISCV32 = Architecture(
    "riscv32",
    other_names=("rv32", "rv32imafc"),
    baseline=("m", "a", "f", "c"),
    features={"zba": "zba", "zbb": "zbb", "zbs": "zbs"},
    implies={},
    triple="riscv32-unknown-none-elf",
    abi="ilp32f",
    pointer=4,
    alignment=16,
    has_memory=False,
    float64_unit=(),
    elf=(243, 3),
    formats=("c",),
)

_HARD_FLOAT = ("--iree-llvmcpu-target-float-abi=hard",)
_ARM_ELF = (40, 0x05000000)

_ARMV7 = Architecture(
    "armv7",
    other_names=("armv7-a", "armv7l", "armhf", "arm", "arm32"),
    baseline=("neon", "vfp4"),
    features={"hwdiv-arm": "idiva"},
    implies={},
    triple="armv7a-unknown-linux-gnueabihf",
    cpuinfo="Features",
    flags=_HARD_FLOAT,
    pointer=4,
    alignment=16,
    registers={"": (128, 16)},
    rounds_to_float16=("",),
    elf=_ARM_ELF,
    formats=("c",),
)


def _cortex_m(number: int, triple: str, optional: tuple[str, ...] = ()) -> Architecture:
    """A Cortex-M with a floating-point unit, and on the M55 with vectors."""
    return Architecture(
        f"cortex-m{number}",
        other_names=(f"cortexm{number}", f"m{number}"),
        baseline=(),
        features=dict.fromkeys(optional, ""),
        implies={},
        triple=triple,
        cpu=f"cortex-m{number}",
        unless_asked=optional,
        flags=_HARD_FLOAT,
        pointer=4,
        alignment=16,
        has_memory=False,
        float64_unit=("fp64",),
        rounds_to_float16=("",),
        elf=_ARM_ELF,
        formats=("c",),
    )


_CORTEX_M = (
    _cortex_m(4, "thumbv7em-unknown-none-eabihf"),
    _cortex_m(7, "thumbv7em-unknown-none-eabihf", optional=("fp64",)),
    _cortex_m(33, "thumbv8m.main-unknown-none-eabihf"),
    replace(
        _cortex_m(55, "thumbv8.1m.main-unknown-none-eabihf"),
        registers={"": (128, 8)},
        float64_unit=("",),
        loses_nan=True,
    ),
)

_WASM32 = Architecture(
    "wasm32",
    other_names=("wasm", "webassembly", "js", "javascript"),
    baseline=("simd128", "bulk-memory"),
    features={"relaxed-simd": ""},
    implies={},
    triple="wasm32-unknown-unknown",
    pointer=4,
    alignment=16,
    registers={"": (128, 16)},
    formats=("js",),
)

ARCHITECTURES: Mapping[str, Architecture] = {
    each.name: each for each in (_X86_64, _AARCH64, _RISCV64, _ARMV7, *_CORTEX_M, _RISCV32, _WASM32)
}
"""The supported architectures by name."""

_NO_UNIT = "{} has no floating-point unit, which the code needs"
_NO_FMA = "{} has no fused multiplication and addition, which the code needs"

UNSUPPORTED_CORES: Mapping[str, str] = {
    **{
        f"cortex-m{each}": _NO_UNIT.format(f"the Cortex-M{each}")
        for each in ("0", "0+", "0plus", "1", "3", "23")
    },
    "esp32-c3": _NO_UNIT.format("the ESP32-C3"),
    "esp32c3": _NO_UNIT.format("the ESP32-C3"),
    **{f"cortex-a{each}": _NO_FMA.format(f"the Cortex-A{each}") for each in ("8", "9")},
}
"""Common processors that cannot run the code, each with the reason, in lower case."""

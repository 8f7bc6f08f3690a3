"""CPU features by LLVM's names: what a level means, and what this machine has.

The machine is asked for its features, never for its name: hypervisors mask features that the name
implies. On Linux the kernel's list in /proc/cpuinfo is read (it is cpuid's, less what the kernel
does not support); elsewhere `iree-cpuinfo`, which ships with IREE's runtime, is run.

Only instruction sets count here. Tuning flags are not something a machine can lack.
"""

from __future__ import annotations

import functools
import platform
import re
import subprocess
from collections.abc import Iterable
from importlib import util
from pathlib import Path

__all__ = ["LEVELS", "architecture", "host_features", "known_features", "with_implied"]

_X86 = {
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
    "avxvnni": "avx_vnni",
    "aes": "aes",
    "pclmul": "pclmulqdq",
    "gfni": "gfni",
    "vaes": "vaes",
    "vpclmulqdq": "vpclmulqdq",
}

_AARCH64 = {
    "neon": "asimd",
    "fullfp16": "asimdhp",
    "lse": "atomics",
    "rdm": "asimdrdm",
    "dotprod": "asimddp",
    "fp16fml": "asimdfhm",
    "bf16": "bf16",
    "i8mm": "i8mm",
}

_IMPLIES = {
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
    "fullfp16": ("neon",),
    "rdm": ("neon",),
    "dotprod": ("neon",),
    "fp16fml": ("fullfp16",),
}
"""What LLVM turns on with a feature."""

_CPUINFO_NAMES = {"x86_64": _X86, "aarch64": _AARCH64}
"""LLVM's name of each feature, and the flag by which /proc/cpuinfo reports it."""

_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")

LEVELS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {"generic": (), "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4},
    "aarch64": {"generic": ("neon",)},
}
"""Named feature levels of each architecture; those of x86-64 are its psABI's."""


def architecture() -> str:
    """The instruction set of this machine, ``"x86_64"`` or ``"aarch64"``."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def known_features(arch: str) -> frozenset[str]:
    """The features that can be asked of an architecture."""
    return frozenset(_CPUINFO_NAMES.get(arch, {}))


def with_implied(features: Iterable[str]) -> frozenset[str]:
    """Features, and all that the compiler uses along with them.

    Example:
        >>> sorted(with_implied(["sse4.1"]))
        ['sse3', 'sse4.1', 'ssse3']
    """
    found = frozenset(features)
    implied = found.union(*(_IMPLIES.get(feature, ()) for feature in found))
    return found if implied == found else with_implied(implied)


@functools.cache
def host_features() -> tuple[str, ...]:
    """The features of this machine, in LLVM's names, sorted.

    One that implies another that is masked is left out: the compiler would use both.
    """
    names = _CPUINFO_NAMES.get(architecture(), {})
    try:
        flags = _kernel_flags(Path("/proc/cpuinfo").read_text())
        found = frozenset(name for name, flag in names.items() if flag in flags)
    except OSError:
        found = _iree_features() & names.keys()
    return tuple(sorted(name for name in found if with_implied([name]) <= found))


def _kernel_flags(cpuinfo: str) -> frozenset[str]:
    """The features that every processor in a /proc/cpuinfo has."""
    lists = re.findall(r"^(?:flags|Features)\s*:(.*)$", cpuinfo, flags=re.MULTILINE)
    sets = [frozenset[str](line.split()) for line in lists]
    return sets[0].intersection(*sets[1:]) if sets else frozenset()


def _iree_features() -> frozenset[str]:
    package = util.find_spec("iree._runtime_libs")
    if package is None or not package.submodule_search_locations:
        return frozenset()
    tool = Path(package.submodule_search_locations[0]) / "iree-cpuinfo"
    lines = subprocess.run([tool], capture_output=True, text=True, timeout=10).stdout.splitlines()
    pairs = (line.split() for line in lines)
    return frozenset(pair[0] for pair in pairs if len(pair) == 2 and pair[1] == "1")

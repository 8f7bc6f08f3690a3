"""This machine's architecture and its CPU features by LLVM's names.

Features are queried directly, never derived from the processor's name, because hypervisors mask
features that the name implies. On Linux on aarch64 they come from the auxiliary vector that every
process gets (getauxval(3)), which is also correct without /proc, as on Android, and under
emulation, where /proc/cpuinfo describes the host. Where it does not list them, as on x86-64, they
come from the kernel's list in /proc/cpuinfo (cpuid's features, minus those the kernel does not
support). On other systems `iree-cpuinfo`, which ships with IREE's runtime, reports them.

Intel's matrix unit, AMX, also needs a kernel that gives permission to use it, Linux from 5.16 on;
others may list its features all the same.
"""

from __future__ import annotations

import functools
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib import util
from pathlib import Path
from typing import Any

from rnn_compiler.base.systems import c_function, file_of_program
from rnn_compiler.schema.architectures import ARCHITECTURES, Architecture

LEVELS = {each.name: each.levels for each in ARCHITECTURES.values()}
"""Named feature levels of each architecture."""

_AT_HWCAP, _AT_HWCAP2 = 16, 26

_ARCH_PRCTL, _SUPPORTED, _PERMITTED, _REQUEST = 158, 0x1021, 0x1022, 0x1023
"""Linux's number of arch_prctl(2) on x86-64, its questions for the states that processes may ask to
use (ARCH_GET_XCOMP_SUPP) and that this one may use (ARCH_GET_XCOMP_PERM), and the request for one
(ARCH_REQ_XCOMP_PERM)."""

_TILE_DATA, _TILE_STATE = 18, 3 << 17
"""The state of AMX's tiles, as its number in a request, and as the bits of its parts."""


def architecture() -> str:
    """The instruction set of this machine, ``"x86_64"`` or ``"aarch64"``."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def known_features(arch: str) -> frozenset[str]:
    """The features of an architecture that can be queried."""
    if arch not in ARCHITECTURES:
        return frozenset()
    return frozenset((*ARCHITECTURES[arch].features, *ARCHITECTURES[arch].baseline))


def missing_features(architecture: str, features: Iterable[str]) -> list[str]:
    """Those of a target's features that this machine lacks."""
    arch = ARCHITECTURES.get(architecture)
    return sorted({*features} - {*host_features(), *(arch.baseline if arch else ())})


@functools.cache
def host_features() -> tuple[str, ...]:
    """The features of this machine beyond its architecture's baseline, in LLVM's names, sorted.

    A feature that implies a masked one is left out, because the compiler would use both.
    """
    here = ARCHITECTURES.get(architecture())
    if here is None:
        return ()
    flags = _auxiliary_flags(here)
    try:
        flags = flags or _kernel_flags(here, Path("/proc/cpuinfo").read_text())
        found = frozenset(name for name, flag in here.features.items() if flag in flags)
    except OSError:
        found = _iree_features() & here.features.keys()
    if here.asks(found) and not _knows_tiles():
        found -= {*here.asked_for}
    return tuple(sorted(name for name in found if here.with_implied([name]) <= found))


def best_features() -> tuple[str, ...]:
    """The features of this machine that code for it is better with."""
    here = ARCHITECTURES.get(architecture())
    if here is None or not here.slow:
        return host_features()
    try:
        vendor = re.search(
            r"^vendor_id\s*:\s*(\w+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE
        )
    except OSError:
        return host_features()
    slow = here.slow.get(vendor[1], ()) if vendor else ()
    return tuple(name for name in host_features() if not here.with_implied([name]) & {*slow})


def grants_tiles() -> bool:
    """Whether Linux gives this process permission to use AMX's tiles, as compiled code asks for it.

    It does not if a thread's signal stack is too small for them, and a sandbox may forbid to ask.
    """
    return arch_prctl(_REQUEST, _TILE_DATA)


def holds_tiles() -> bool:
    """Whether something in this process has asked for AMX's tiles, and got them; does not ask."""
    return _has_tiles(_PERMITTED)


def _knows_tiles() -> bool:
    """Whether this system can give permission to use AMX's tiles."""
    return _has_tiles(_SUPPORTED)


def _has_tiles(question: int) -> bool:
    """Whether the states in an answer of Linux have AMX's tiles."""
    import ctypes

    states = ctypes.c_uint64()
    return arch_prctl(question, ctypes.byref(states)) and (
        states.value & _TILE_STATE == _TILE_STATE
    )


def arch_prctl(code: int, argument: Any) -> bool:
    """Whether Linux answers a system call about the processor's states with success."""
    import ctypes

    call = c_function("syscall")
    if not sys.platform.startswith("linux") or call is None:
        return False
    call.restype, call.argtypes = ctypes.c_long, None
    return call(ctypes.c_long(_ARCH_PRCTL), ctypes.c_long(code), argument) == 0


def _auxiliary_flags(here: Architecture) -> frozenset[str]:
    """The flags in the auxiliary vector; empty if it does not exist or does not list them all."""
    if not here.hwcaps:
        return frozenset()
    words = zip(here.hwcaps, (hwcap(_AT_HWCAP), hwcap(_AT_HWCAP2)), strict=True)
    return frozenset(
        flag for flags, word in words for bit, flag in enumerate(flags) if word >> bit & 1
    )


def hwcap(entry: int) -> int:
    """An entry of this process's auxiliary vector; 0 if there is none."""
    import ctypes  # x86-64 does not use it

    getauxval = c_function("getauxval")
    if getauxval is None:  # not Linux
        return 0
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return int(getauxval(entry))


def _kernel_flags(here: Architecture, cpuinfo: str) -> frozenset[str]:
    """The flags that all processors in a /proc/cpuinfo have."""
    lists = re.findall(rf"^{here.cpuinfo}\s*:(.*)$", cpuinfo, flags=re.MULTILINE)
    sets = [frozenset[str](_flags(line)) for line in lists]
    return sets[0].intersection(*sets[1:]) if sets else frozenset()


def _flags(line: str) -> list[str]:
    """The flags in a line; in RISC-V's ``rv64imafdcv_zba``, each letter is one."""
    found = re.fullmatch(r"\s*rv64([a-z]*)((?:_\w+)?)\s*", line)
    return [*found[1], *found[2].split("_")] if found else line.split()


def _iree_features() -> frozenset[str]:
    package = util.find_spec("iree._runtime_libs")
    if package is None or not package.submodule_search_locations:
        return frozenset()
    tool = Path(package.submodule_search_locations[0]) / file_of_program("iree-cpuinfo")
    lines = subprocess.run([tool], capture_output=True, text=True, timeout=10).stdout.splitlines()
    pairs = (line.split() for line in lines)
    return frozenset(pair[0] for pair in pairs if len(pair) == 2 and pair[1] == "1")

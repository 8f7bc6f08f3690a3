"""Processes with Intel's AMX: on this processor if it has it, otherwise emulated (amx_emulator.c).

Linux on x86-64 with AVX-512 is required, gcc, and a system that allows seccomp filters.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import processes

from rnn_compiler.schema.cpu_features import host_features

SOURCE = Path(__file__).with_name("amx_emulator.c")
FEATURES = {"amx-tile", "amx-bf16", "amx-int8"}
PERMISSIONS = ("granted", "refused")
NO_FILTER = 77
"""The exit status of the emulator without seccomp."""


@functools.cache
def emulator() -> Path:
    """The emulator as a library."""
    library = Path(tempfile.mkdtemp()) / "amx.so"
    flags = ("-O2", "-mfma", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
    processes.run("gcc", *flags, "-o", library, SOURCE, "-ldl")
    return library


def variables(permission: str) -> dict[str, str]:
    """The environment of a process whose request for tiles is granted or refused."""
    if permission == "granted" and {*host_features()} >= FEATURES:
        return {}
    return {"LD_PRELOAD": str(emulator()), "AMX_PERMISSION": permission}


@functools.cache
def missing() -> str:
    """What is missing; empty if nothing is."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return "AMX is emulated on Linux on x86-64 only"
    if not {*host_features()} >= {"avx512f", "avx512vl", "avx512vnni"}:
        return "code with AMX also uses AVX-512, which this processor lacks"
    if shutil.which("gcc") is None:
        return "no gcc, which compiles the emulator of AMX"
    environment = {**os.environ, **variables("refused")}
    if subprocess.run(["true"], env=environment, check=False).returncode == NO_FILTER:
        return "this system allows no seccomp filter, which the emulator of AMX needs"
    return ""

"""Other processors under emulation: QEMU's user mode, and IREE's runtime for them.

Requirements, and where they are looked for:

    qemu-aarch64            on PATH (Debian's package qemu-user)
    an aarch64 C library    below QEMU_LD_PREFIX, else /usr/aarch64-linux-gnu (Debian's
                            libc6-arm64-cross, libstdc++6-arm64-cross and libgcc-s1-arm64-cross)
    IREE's runtime          in the folder that TEST_AARCH64_RUNTIME names: the unpacked wheel
                            iree_base_runtime of manylinux_2_28_aarch64 for Python 3.11; for
                            `rnn-compiler` itself, those of numpy and ml_dtypes too
    a Python for aarch64    in the root folder that TEST_AARCH64_PYTHON names: Debian's packages
                            python3.11-minimal, libpython3.11-minimal, libpython3.11-stdlib, libc6,
                            libexpat1, zlib1g, libssl3 and libffi8 of arm64, unpacked there

Tests whose requirements are missing are skipped, with the reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes

from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

Arrays = dict[str, npt.NDArray[Any]]

SYSROOT = Path(os.environ.get("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu"))


def runtime() -> Path:
    """The folder of the unpacked wheel."""
    return Path(os.environ.get("TEST_AARCH64_RUNTIME", "/nonexistent"))


def missing() -> str:
    """The missing requirements of running aarch64 code; empty if there are none."""
    tool = runtime() / "iree" / "_runtime_libs" / "iree-run-module"
    there = {
        "qemu-aarch64 on PATH": shutil.which("qemu-aarch64") is not None,
        "an aarch64 C library (QEMU_LD_PREFIX)": (SYSROOT / "lib").is_dir(),
        "IREE's runtime for aarch64 (TEST_AARCH64_RUNTIME)": tool.is_file(),
    }
    return ", ".join(name for name, is_there in there.items() if not is_there)


def run_python(*arguments: str, cpu: str = "max") -> subprocess.CompletedProcess[str]:
    """Runs Python on an emulated CPU, with this package and the packages next to IREE's runtime."""
    path = os.pathsep.join(map(str, (Path(__file__).parents[2], runtime())))
    return processes.run(
        *("qemu-aarch64", "-cpu", cpu, "-L", str(python())),
        *("-E", f"PYTHONPATH={path}", "-E", "PYTHONDONTWRITEBYTECODE=1"),
        *("-E", f"LD_LIBRARY_PATH={runtime() / 'iree_base_runtime.libs'}"),
        *(str(python() / "usr/bin/python3.11"), *arguments),
        code=None,
    )


def python() -> Path:
    """The root folder of a Python for aarch64."""
    return Path(os.environ.get("TEST_AARCH64_PYTHON", "/nonexistent"))


def run(
    file: Path, spec: FunctionSpec, arguments: Arrays, folder: Path, *, device: str, cpu: str
) -> Arrays:
    """The results of an artifact's function on an emulated CPU; arrays are passed as files."""
    inputs = [_input(folder / f"{a.name}.in", a, arguments[a.name]) for a in spec.arguments]
    outputs = {result.name: folder / f"{result.name}.out" for result in spec.results}
    tool = runtime() / "iree" / "_runtime_libs" / "iree-run-module"
    tool.chmod(0o755)  # unpacking a wheel by Python's zipfile drops it
    processes.run(
        *("qemu-aarch64", "-cpu", cpu, "-L", str(SYSROOT)),
        *("-E", f"LD_LIBRARY_PATH={runtime() / 'iree_base_runtime.libs'}"),
        *(str(tool), f"--module={file}", f"--function={spec.function}", f"--device={device}"),
        *inputs,
        *(f"--output=@{path}" for path in outputs.values()),
    )
    return {
        result.name: np.fromfile(outputs[result.name], DTYPES[result.dtype].numpy).reshape(
            result.shape
        )
        for result in spec.results
    }


def _input(file: Path, spec: TensorSpec, array: npt.NDArray[Any]) -> str:
    if not array.ndim:
        return f"--input={spec.iree_type}={array}"
    file.write_bytes(array.tobytes())
    return f"--input={spec.iree_type}=@{file}"

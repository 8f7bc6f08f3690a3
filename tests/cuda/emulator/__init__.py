"""A stand-in for NVIDIA's driver that interprets PTX, for tests on machines without a GPU."""

from __future__ import annotations

import atexit
import ctypes
import functools
import getpass
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from filelock import FileLock

SOURCES = Path(__file__).parent
LOST = 70
"""Exit code of a process after a fault."""

APART = "libcuda_emulator.so"
FLAGS = ("-std=c++20", "-O2", "-march=native", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden")


def why_not() -> str | None:
    """Why there can be no emulator here; None if there can."""
    compiler = shutil.which("g++")
    if compiler is None:
        return "the CUDA emulator is built with g++, which does not exist"
    version = _run(compiler, "-dumpversion").split(".")[0]
    return None if int(version) >= 12 else f"the CUDA emulator needs g++ 12, this is {version}"


def build() -> Path:
    """The folder of the libraries, which are built unless they are there since these sources are.

    ``libcuda.so`` is the emulator, ``libcuda.so.1`` an empty library that needs it.
    """
    texts = [path.read_bytes() for path in sorted(SOURCES.glob("*.[ch]*"))]
    digest = hashlib.sha256(b"".join([*texts, repr(FLAGS).encode(), platform.processor().encode()]))
    user = f"rnn-compiler-tests-of-{getpass.getuser()}"
    folder = Path(tempfile.gettempdir()) / user / f"cuda-emulator-{digest.hexdigest()[:16]}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    assert folder.parent.stat().st_uid == os.getuid(), f"{folder.parent} is somebody else's"
    with FileLock(folder / "lock"):
        if not (folder / "libcuda.so.1").exists():
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = list(pool.map(functools.partial(_compile, folder), SOURCES.glob("*.cpp")))
            _link(folder / APART, *objects, "-pthread")
            _link(folder / "libcuda.so", *objects, "-pthread")
            _link(folder / "libcuda.so.1", "-Wl,--no-as-needed", folder / "libcuda.so")
    return folder


def load_apart(folder: Path) -> ctypes.CDLL:
    """Loads the emulator under a name other than that of NVIDIA's driver."""
    return _typed(ctypes.CDLL(str(folder / APART)))


def load(folder: Path, capability: int = 80) -> ctypes.CDLL:
    """Loads the emulator into this process, for good: from now on it is NVIDIA's driver here.

    IREE and `runtime.device.cuda_driver` open ``libcuda.so`` and ``libcuda.so.1`` by these names,
    under which the dynamic linker finds what is loaded already.
    """
    library = ctypes.CDLL(str(folder / "libcuda.so"), mode=ctypes.RTLD_GLOBAL)
    ctypes.CDLL(str(folder / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
    library.emulator_set_capability(capability)
    atexit.register(_leave, library)
    return _typed(library)


def _leave(library: ctypes.CDLL) -> None:
    """Ends a process whose device is lost, because IREE hangs or crashes when closing it."""
    if library.emulator_fault():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(LOST)


def _typed(library: ctypes.CDLL) -> ctypes.CDLL:
    for name in ("emulator_forms", "emulator_message"):
        getattr(library, name).restype = ctypes.c_char_p
    for name in ("emulator_bytes_in_use", "emulator_peak_bytes", "emulator_calls"):
        getattr(library, name).restype = ctypes.c_uint64
    return library


def _compile(folder: Path, source: Path) -> Path:
    target = folder / f"{source.stem}.o"
    _run("g++", *FLAGS, "-c", source, "-o", target)
    return target


def _link(target: Path, *arguments: Any) -> None:
    _run("g++", "-shared", f"-Wl,-soname,{target.name}", *arguments, "-o", target)


def _run(*command: Any) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout

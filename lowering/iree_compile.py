"""The call of the IREE compiler: module text in, payload bytes out.

`iree-compile` runs as a subprocess, so that its crash, hang or process-wide flags stay its own. The
module goes in on standard input: a file name would end up in the payload's bytes.

It never outlives this process. What ends a call by an exception also ends the compiler. Against a
signal that leaves no time for that, SIGKILL or an unhandled SIGTERM, a shell waits at a pipe that
the system closes with this process: it needs no code in a forked child and no system call of Linux
alone, and it takes the temporary files away too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import IO, cast

from rnn_compiler import stages
from rnn_compiler.errors import CompileError, UnsupportedError
from rnn_compiler.lowering.targets.names import compiler_flags
from rnn_compiler.schema.manifest import TargetSpec

__all__ = [
    "DEFAULT_TIMEOUT",
    "CompilerIdentity",
    "compile_module",
    "compiler_folder",
    "compiler_identity",
    "dump_after",
]

DEFAULT_TIMEOUT = 300.0
"""Seconds a compilation may take. Tens of times what the largest one needs."""

_LONGEST = 1e6
"""Seconds that the system can wait for."""

_FLAGS = (
    "-",
    "-o",
    "-",
    "--iree-input-type=stablehlo",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-vm-bytecode-module-strip-source-map",
    # There is next to nothing constant to compute: looking for it takes half a second.
    "--iree-opt-const-eval=false",
    "--iree-opt-const-expr-hoisting=false",
    # Our locations have names but no lines; IREE 3.13 writes garbage bytes for those.
    "--iree-llvmcpu-debug-symbols=false",
)


@dataclass(frozen=True)
class CompilerIdentity:
    """Which compiler this is.

    Attributes:
        version: Its version, ``"3.13.0"``.
        content: Digest of what tells one build of it from another.
    """

    version: str
    content: str


def compiler_folder() -> Path:
    """The folder of IREE's compiler binaries.

    Raises:
        UnsupportedError: The compiler is not installed.
    """
    try:
        package = util.find_spec("iree.compiler")  # imports nothing but the namespace `iree`
    except ImportError:
        package = None
    for location in (package and package.submodule_search_locations) or ():
        if (Path(location) / "_mlir_libs" / "iree-compile").exists():
            return Path(location) / "_mlir_libs"
    raise UnsupportedError(
        "the IREE compiler is not installed, so nothing can be compiled here (compiled "
        "artifacts still load and run): pip install 'iree-base-compiler==3.13.*'"
    )


@functools.cache
def compiler_identity() -> CompilerIdentity:
    """Which compiler this is, told without starting it.

    The head of the compiler library holds its ELF build id; with its size that distinguishes a
    compiler that was replaced in place, whatever the package's version says.

    Raises:
        UnsupportedError: The compiler is not installed.
    """
    library = next(compiler_folder().glob("*IREECompiler.*"))
    with library.open("rb") as file:
        digest = hashlib.sha256(file.read(1 << 16))
    digest.update(str(library.stat().st_size).encode())
    return CompilerIdentity(metadata.version("iree-base-compiler"), digest.hexdigest()[:16])


def compile_module(
    module: str,
    target: TargetSpec,
    *,
    reproducers: Path,
    timeout: float = DEFAULT_TIMEOUT,
    executable: Sequence[str] | None = None,
) -> bytes:
    """Compiles a module.

    Args:
        module: Its text.
        target: What to compile for.
        reproducers: Folder under which the module and the command are saved if this fails.
        timeout: Seconds after which the compiler is stopped.
        executable: The command that starts the compiler; default: the installed `iree-compile`.

    Returns:
        The payload, a .vmfb.

    Raises:
        CompileError: The compiler failed, crashed or ran out of time.
        OSError: There is no room for its temporary files.
        UnsupportedError: The compiler is not installed.
    """
    command = [*(executable or [str(compiler_folder() / "iree-compile")]), *_FLAGS]
    command += compiler_flags(target)
    stages.report(f"compiling for {target.name}")
    with _temporary_folder() as folder:
        try:
            code, payload, diagnostics = _run(command, module, timeout, folder)
        except OSError as error:
            summary, diagnostics = f"the compiler could not be started ({error})", ""
        else:
            if code == 0 and payload:
                return payload
            _check_room(folder)
            summary = (
                f"the compiler did not finish in {timeout:g} s and was stopped"
                if code is None
                else _describe_exit(code)
            )
    raise CompileError(
        summary,
        target=target.name,
        diagnostics=diagnostics,
        reproducer=_save_reproducer(reproducers, module, command, diagnostics),
        command=shlex.join(command),
    )


def dump_after(
    name: str, module: bytes, flags: Sequence[str], timeout: float = DEFAULT_TIMEOUT
) -> tuple[str | None, str]:
    """A module as it is after one of the compiler's passes, which goes no further.

    Args:
        name: The pass, by its class.
        module: A module, as text or bytecode.
        flags: What the compiler is told.
        timeout: Seconds after which it is stopped.

    Returns:
        The module's text, None if it never came to that; and what else was written until then.

    Raises:
        OSError: There is no room for its temporary files.
        UnsupportedError: The compiler is not installed.
    """
    command = [str(compiler_folder() / "iree-compile"), "-", "-o", os.devnull, *flags]
    command += ["--mlir-print-ir-after-all", "--mlir-disable-threading"]
    with _temporary_folder() as folder, tempfile.TemporaryFile(dir=folder) as source:
        source.write(module)
        source.seek(0)
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": folder},
            start_new_session=True,
        )
        watch = threading.Timer(min(timeout, threading.TIMEOUT_MAX), _stop, [process])
        watch.start()
        try:
            with _guard(process.pid, folder):
                return _after(name, cast(IO[bytes], process.stderr), process)
        finally:
            watch.cancel()
            _stop(process)
            process.communicate()


def _after(name: str, lines: IO[bytes], process: subprocess.Popen[bytes]) -> tuple[str | None, str]:
    """What a compiler writes between the head of a pass's dump and the next."""
    found: list[bytes] | None = None
    others: list[bytes] = []
    is_dump = False
    for line in lines:
        if line.startswith(b"// -----// IR Dump After "):
            if found is not None:
                break
            is_dump = True
            found = [] if f" {name}: ".encode() in line else None
        elif found is not None:
            found.append(line)
        elif not is_dump or b"error:" in line:
            others.append(line)
    else:
        others.append(f"error: {_describe_exit(process.wait())}".encode())
    text = None if found is None else b"".join(found).decode(errors="replace")
    return text, b"".join(others).decode(errors="replace")


@contextlib.contextmanager
def _temporary_folder() -> Generator[str]:
    """A folder for the compiler's temporary files, so that what it leaves can be found."""
    try:
        folder = tempfile.mkdtemp(prefix="rnn-compiler-")
    except OSError as error:
        raise _no_room(error, tempfile.gettempdir()) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_room(folder: str) -> None:
    """Checks that a full disk is not why the compiler failed: it says something else then.

    Raises:
        OSError: The disk is full.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 20))
    except OSError as error:
        raise _no_room(error, os.path.dirname(folder)) from error


def _no_room(error: OSError, folder: str) -> OSError:
    remedy = "free some, or set TMPDIR to another folder"
    text = f"{error.strerror} for the compiler's temporary files ({remedy})"
    return OSError(error.errno, text, folder)


@contextlib.contextmanager
def _guard(process: int, folder: str) -> Generator[None]:
    """Ends a process group and removes a folder, should this process end inside the block."""
    script = 'read -r line || { kill -KILL "-$0"; rm -rf "$1"; }'
    try:
        guard = subprocess.Popen(
            ["/bin/sh", "-c", script, str(process), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # a system without a shell: then nobody watches
        yield
        return
    try:
        yield
    finally:
        guard.communicate(b"done\n")


def _run(
    command: Sequence[str], module: str, timeout: float, folder: str
) -> tuple[int | None, bytes, str]:
    """Runs the compiler; gives its exit code, None if it was stopped, and what it wrote.

    It runs in a process group of its own, so that what it starts (a linker) is stopped with it.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": folder},
        start_new_session=True,
    )
    code: int | None = None
    try:
        with _guard(process.pid, folder):
            payload, diagnostics = process.communicate(module.encode(), min(timeout, _LONGEST))
        code = process.returncode
    except subprocess.TimeoutExpired:
        _stop(process)
        payload, diagnostics = process.communicate()
    except BaseException:  # such as KeyboardInterrupt
        _stop(process)
        process.communicate()
        raise
    return code, payload, diagnostics.decode(errors="replace")


def _stop(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _describe_exit(code: int) -> str:
    if code == 0:
        return "the compiler produced nothing"
    if code < 0:
        try:
            return f"the compiler crashed with {signal.Signals(-code).name}"
        except ValueError:
            return f"the compiler was stopped by signal {-code}"
    return f"the compiler failed with exit status {code}"


def _save_reproducer(
    folder: Path, module: str, command: Sequence[str], diagnostics: str
) -> str | None:
    """Saves what is needed to repeat a failed compilation; gives the folder, None if it cannot."""
    name = hashlib.sha256((module + shlex.join(command)).encode()).hexdigest()[:16]
    try:
        place = folder / name
        for each in (folder.parent, folder, place):  # in the cache, which is for this user alone
            each.mkdir(0o700, parents=True, exist_ok=True)
        (place / "module.mlir").write_text(module)
        (place / "diagnostics.txt").write_text(diagnostics)
        (place / "command.sh").write_text(
            f'#!/bin/sh\ncd "$(dirname "$0")"\n{shlex.join(command)} < module.mlir > module.vmfb\n'
        )
    except OSError:
        return None
    return str(place)

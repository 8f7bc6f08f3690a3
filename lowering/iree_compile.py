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
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import TypeVar

from rnn_compiler import stages
from rnn_compiler.errors import CompileError, UnsupportedError
from rnn_compiler.lowering.targets.names import compiler_flags
from rnn_compiler.schema.manifest import TargetSpec

__all__ = [
    "DEFAULT_TIMEOUT",
    "CompilerIdentity",
    "HostAndObject",
    "compile_host_program",
    "compile_module",
    "compiler_folder",
    "compiler_identity",
    "describe_exit",
    "guard",
    "stop",
    "temporary_folder",
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
    # What comes in is verified all the same; what IREE makes of it after every pass takes a fifth.
    "--verify=false",
    # There is next to nothing constant to compute: looking for it takes half a second.
    "--iree-opt-const-eval=false",
    "--iree-opt-const-expr-hoisting=false",
    # Our locations have names but no lines; IREE 3.13 writes garbage bytes for those.
    "--iree-llvmcpu-debug-symbols=false",
)


_HOST_FLAGS = (
    "--compile-to=hal",
    # Else commands are recorded when a module is loaded, and buffers are known by number alone.
    "--iree-hal-indirect-command-buffers=false",
    "--iree-hal-memoization=false",
)

_OBJECTS_FLAG = "--iree-hal-dump-executable-intermediates-to"
"""Where the object lies before it is linked, beside what else the compiler made on the way."""

_STACK_USAGE = "stack.su"

_T = TypeVar("_T")


@dataclass(frozen=True)
class HostAndObject:
    """A module in two parts.

    Attributes:
        host: What it does on the host, as text in terms of IREE's HAL.
        object: The object of its compiled code, before it is linked; empty if it has none.
        stack_usage: What LLVM says of the stack that each of its functions takes.
    """

    host: str
    object: bytes = b""
    stack_usage: str = ""


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
    halfway: Callable[[str], str] | None = None,
) -> bytes:
    """Compiles a module.

    Args:
        module: Its text.
        target: What to compile for.
        reproducers: Folder under which the module and the command are saved if this fails.
        timeout: Seconds after which the compiler is stopped.
        executable: The command that starts the compiler; default: the installed `iree-compile`.
        halfway: Changes the module's text at IREE's phase `stream`, where the host program has its
            allocations and dispatches are not yet compiled.

    Returns:
        The payload, a .vmfb.

    Raises:
        CompileError: The compiler failed, crashed or ran out of time.
        OSError: There is no room for its temporary files.
        UnsupportedError: The compiler is not installed.
    """

    def run(module: str, *flags: str) -> bytes:
        return _compile(
            module,
            target,
            flags,
            lambda payload, _: payload,
            reproducers=reproducers,
            timeout=timeout,
            executable=executable,
        )

    if halfway is None:
        return run(module)
    middle = run(module, "--compile-to=stream").decode()
    return run(halfway(middle), "--compile-from=stream")


def compile_host_program(
    module: str,
    target: TargetSpec,
    *,
    reproducers: Path,
    timeout: float = DEFAULT_TIMEOUT,
    executable: Sequence[str] | None = None,
) -> HostAndObject:
    """Compiles a module for a CPU, but for the host program; see `compile_module`.

    Raises:
        CompileError: As there, or the compiler left several objects.
    """

    def collect(payload: bytes, folder: Path) -> HostAndObject | None:
        objects = [file.read_bytes() for file in folder.glob("*.o")]
        if len(objects) > 1:
            return None
        usage = folder / _STACK_USAGE
        stack_usage = usage.read_text(errors="replace") if usage.exists() else ""
        return HostAndObject(payload.decode(), b"".join(objects), stack_usage)

    return _compile(
        module,
        target,
        _HOST_FLAGS,
        collect,
        reproducers=reproducers,
        timeout=timeout,
        executable=executable,
    )


def _compile(
    module: str,
    target: TargetSpec,
    flags: Sequence[str],
    collect: Callable[[bytes, Path], _T | None],
    *,
    reproducers: Path,
    timeout: float,
    executable: Sequence[str] | None,
) -> _T:
    """Runs the compiler, and collects what it made.

    Args:
        module: The text of the module.
        target: What to compile for.
        flags: More flags.
        collect: Makes the result of what it wrote and the folder of these; None if it lacks.
        reproducers: As of `compile_module`, like the rest.
        timeout: The same.
        executable: The same.
    """
    command = [*(executable or [str(compiler_folder() / "iree-compile")]), *_FLAGS, *flags]
    command += compiler_flags(target)
    stages.report(f"compiling for {target.name}")
    with temporary_folder() as folder:
        objects = Path(folder) / "objects"
        keeping: list[str] = []
        if flags is _HOST_FLAGS:
            objects.mkdir()
            keeping += [f"{_OBJECTS_FLAG}={objects}"]
            keeping += [f"--stack-usage-file={objects / _STACK_USAGE}"]
        try:
            code, payload, diagnostics = _run([*command, *keeping], module, timeout, folder)
        except OSError as error:
            summary, diagnostics = f"the compiler could not be started ({error})", ""
        else:
            made = collect(payload, objects) if code == 0 and payload else None
            if made is not None:
                return made
            _check_room(folder)
            summary = (
                f"the compiler did not finish in {timeout:g} s and was stopped"
                if code is None
                else describe_exit(code)
            )
    raise CompileError(
        summary,
        target=target.name,
        diagnostics=diagnostics,
        reproducer=_save_reproducer(reproducers, module, command, diagnostics),
        command=shlex.join(command),
    )


@contextlib.contextmanager
def temporary_folder() -> Generator[str]:
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
def guard(process: int, folder: str) -> Generator[None]:
    """Ends a process group and removes a folder, should this process end inside the block."""
    script = 'read -r line || { kill -KILL "-$0"; rm -rf "$1"; }'
    try:
        watcher = subprocess.Popen(
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
        watcher.communicate(b"done\n")


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
        with guard(process.pid, folder):
            payload, diagnostics = process.communicate(module.encode(), min(timeout, _LONGEST))
        code = process.returncode
    except subprocess.TimeoutExpired:
        stop(process)
        payload, diagnostics = process.communicate()
    except BaseException:  # such as KeyboardInterrupt
        stop(process)
        process.communicate()
        raise
    return code, payload, diagnostics.decode(errors="replace")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def describe_exit(code: int) -> str:
    """What an exit code of the compiler means, where it left no result."""
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

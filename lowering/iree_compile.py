"""The call of the IREE compiler: module text in, payload bytes out.

`iree-compile` runs as a subprocess, so that its crash, hang or process-wide flags stay its own. The
module goes in on standard input: a file name would end up in the payload's bytes.
"""

from __future__ import annotations

import functools
import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import TypeVar

from rnn_compiler import stages
from rnn_compiler.errors import CompileError, UnsupportedError
from rnn_compiler.installation import pip_install
from rnn_compiler.lowering.compiler_process import (
    check_room,
    describe_exit,
    run,
    temporary_folder,
)
from rnn_compiler.lowering.targets.names import compiler_flags
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.manifest import TargetSpec

__all__ = [
    "DEFAULT_TIMEOUT",
    "CompilerIdentity",
    "HostAndObject",
    "compile_host_program",
    "compile_module",
    "compile_with_host_program",
    "compiler_folder",
    "compiler_identity",
]

DEFAULT_TIMEOUT = 300.0
"""Seconds a compilation may take. Tens of times what the largest one needs."""

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


# Else commands are recorded when a module is loaded, and buffers are known by number alone.
_PLAIN_COMMANDS = (
    "--iree-hal-indirect-command-buffers=false",
    "--iree-hal-memoization=false",
)

_OBJECTS_FLAG = "--iree-hal-dump-executable-intermediates-to"
"""Where the object lies before it is linked, beside what else the compiler made on the way."""

_STATIC_LIBRARY = ("--iree-llvmcpu-link-embedded=false", "--iree-llvmcpu-link-static")
"""Without a linker, which would look for functions that come with a target's own compiler."""

_LIBRARY_FLAG = "--iree-llvmcpu-static-library-output-path"
"""Where the object lies that is not linked."""

_STACK_USAGE = "stack.su"

_PHASES_FLAG = "--dump-compilation-phases-to"
"""Where the module lies as it is after each phase."""

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
        f"artifacts still load and run): {pip_install('iree-base-compiler')}"
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
    return _compile(
        module,
        target,
        (),
        lambda payload, _: payload,
        keeping={},
        reproducers=reproducers,
        timeout=timeout,
        executable=executable,
    )


def compile_with_host_program(
    module: str,
    target: TargetSpec,
    *,
    reproducers: Path,
    timeout: float = DEFAULT_TIMEOUT,
    executable: Sequence[str] | None = None,
    halfway: Callable[[str], str] | None = None,
) -> tuple[bytes, str]:
    """Compiles a module for a CPU, and keeps its host program; see `compile_module`.

    Args:
        module: As there, like the rest.
        target: The same.
        reproducers: The same.
        timeout: The same.
        executable: The same.
        halfway: Changes the module's text at IREE's phase `stream`, where the host program has its
            allocations and dispatches are not yet compiled.

    Returns:
        The payload, and the text of its host program in terms of IREE's HAL; empty if the compiler
        kept none.
    """

    def collect(payload: bytes, folder: Path) -> tuple[bytes, str]:
        return payload, "".join(file.read_text() for file in folder.glob("*.hal.mlir"))

    def compiled(module: str, *flags: str) -> tuple[bytes, str]:
        return _compile(
            module,
            target,
            (*_PLAIN_COMMANDS, *flags),
            collect,
            keeping={_PHASES_FLAG: ""},
            reproducers=reproducers,
            timeout=timeout,
            executable=executable,
        )

    if halfway is None:
        return compiled(module)
    middle, _ = compiled(module, "--compile-to=stream")
    return compiled(halfway(middle.decode()), "--compile-from=stream")


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

    flags, objects = _PLAIN_COMMANDS, {_OBJECTS_FLAG: ""}
    if "vmfb" not in ARCHITECTURES[target.architecture].formats:
        flags, objects = (*flags, *_STATIC_LIBRARY), {_LIBRARY_FLAG: "library.o"}
    return _compile(
        module,
        target,
        ("--compile-to=hal", *flags),
        collect,
        keeping={**objects, "--stack-usage-file": _STACK_USAGE},
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
    keeping: Mapping[str, str],
    reproducers: Path,
    timeout: float,
    executable: Sequence[str] | None,
) -> _T:
    """Runs the compiler, and collects what it made.

    Args:
        module: The text of the module.
        target: What to compile for.
        flags: More flags.
        collect: Makes the result of what it wrote and the folder of what it kept; None if it lacks.
        keeping: Flags for what it keeps there, each with a file or folder in that.
        reproducers: As of `compile_module`, like the rest.
        timeout: The same.
        executable: The same.
    """
    command = [*(executable or [str(compiler_folder() / "iree-compile")]), *_FLAGS, *flags]
    command += compiler_flags(target)
    stages.report(f"compiling for {target.name}")
    with temporary_folder() as folder:
        kept = Path(folder) / "kept"
        kept.mkdir()
        wanted = [f"{flag}={kept / file}" for flag, file in keeping.items()]
        try:
            code, payload, diagnostics = run([*command, *wanted], module, timeout, folder)
        except OSError as error:
            summary, diagnostics = f"the compiler could not be started ({error})", ""
        else:
            made = collect(payload, kept) if code == 0 and payload else None
            if made is not None:
                return made
            check_room(folder)
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

"""The call of the IREE compiler: module text in, payload bytes out.

`iree-compile` runs as a subprocess, so that crashes, hangs and process-wide flags do not affect
this one. The module is passed on standard input: a file name would end up in the payload's bytes.
"""

from __future__ import annotations

import functools
import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from rnn_compiler.base import stages
from rnn_compiler.base.installation import pip_install
from rnn_compiler.base.systems import file_of_program
from rnn_compiler.errors import CompileError, UnsupportedError
from rnn_compiler.lowering.compiler.compiler_process import (
    check_room,
    describe_exit,
    run,
    temporary_folder,
)
from rnn_compiler.lowering.targets.names import compiler_flags
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.manifest import TargetSpec

DEFAULT_TIMEOUT = 300.0
"""Seconds a compilation may take: tens of times as long as the largest module needs."""

FLAGS = (
    "-",
    "-o",
    "-",
    "--iree-input-type=stablehlo",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-vm-bytecode-module-strip-source-map",
    # The input is still verified. Verifying the module after every pass takes a fifth of the time.
    "--verify=false",
    # There is almost nothing to evaluate at compile time: looking for it takes half a second.
    "--iree-opt-const-eval=false",
    "--iree-opt-const-expr-hoisting=false",
    # Our locations have names but no lines; IREE writes garbage bytes for those.
    "--iree-llvmcpu-debug-symbols=false",
    # IREE's microkernels are for tiled layouts, which nothing here has: reading their bitcode takes
    # a twentieth of the time, and IREE keeps some ops apart for them.
    "--iree-llvmcpu-enable-ukernels=none",
    # Each pass looks at every op that is registered, also those for other inputs and devices.
    "--iree-plugin=-input_torch",
    "--iree-plugin=-input_tosa",
    "--iree-plugin=-hal_target_rocm",
    "--iree-plugin=-hal_target_vmvx",
    "--iree-plugin=-hal_target_metal_spirv",
)
"""The flags of every compilation."""

# Otherwise commands are recorded at load time, and buffers have only numbers.
_PLAIN_COMMANDS = (
    "--iree-hal-indirect-command-buffers=false",
    "--iree-hal-memoization=false",
)

_LOCATIONS_FLAG = "--mlir-print-debuginfo"
"""The flag that keeps the locations in a module that is printed, for messages."""

_OBJECTS_FLAG = "--iree-hal-dump-executable-intermediates-to"
"""The flag for the folder of intermediate files, with the object before it is linked."""

_STATIC_LIBRARY = ("--iree-llvmcpu-link-embedded=false", "--iree-llvmcpu-link-static")
"""No linker: it would look for functions that come with a target's own compiler."""

_LIBRARY_FLAG = "--iree-llvmcpu-static-library-output-path"
"""The flag for the file of the object that is not linked."""

_ERROR = "error:"
"""What its errors begin with. After one of LLVM's, it still writes code, and ends with status 0."""

_STACK_USAGE = "stack.su"

_PHASES_FLAG = "--dump-compilation-phases-to"
"""The flag for the folder with the module after each phase."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class HostAndObject:
    """A module in two parts.

    Attributes:
        object: The object of its compiled code, before it is linked; empty if it has none.
        stack_usage: LLVM's report of the stack usage of each function.
    """

    host: str
    object: bytes = b""
    stack_usage: str = ""


@dataclass(frozen=True)
class CompilerIdentity:
    """The identity of a compiler.

    Attributes:
        content: A digest that distinguishes builds.
    """

    version: str
    content: str


def compiler_folder() -> Path:
    """The folder of IREE's compiler binaries; UnsupportedError if it is not installed."""
    try:
        package = util.find_spec("iree.compiler")  # imports nothing but the namespace `iree`
    except ImportError:
        package = None
    for location in (package and package.submodule_search_locations) or ():
        if (Path(location) / "_mlir_libs" / file_of_program("iree-compile")).exists():
            return Path(location) / "_mlir_libs"
    raise UnsupportedError(
        "the IREE compiler is not installed, so nothing can be compiled here (compiled "
        f"artifacts still load and run): {pip_install('iree-base-compiler')}"
    )


def compiler_program(name: str) -> str:
    """The path of a program that comes with IREE's compiler."""
    return str((compiler_folder() / file_of_program(name)).absolute())


@functools.cache
def compiler_identity() -> CompilerIdentity:
    """The identity of the installed compiler, found without starting it.

    The head of the compiler library holds its ELF build id; with its size that distinguishes a
    compiler that was replaced in place, whatever the package's version says.
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
    flags: Sequence[str] = (),
) -> bytes:
    """Compiles a module to a .vmfb; stops after `timeout` seconds.

    Raises CompileError (failed, crashed, out of time; the module and the command are then saved
    under `reproducers`), OSError (no room for temporary files) or UnsupportedError (not installed).
    """
    return _run(module, target, flags, reproducers, timeout, lambda payload, _: payload)


def compile_with_host_program(
    module: str,
    target: TargetSpec,
    *,
    reproducers: Path,
    timeout: float = DEFAULT_TIMEOUT,
    halfway: Callable[[str], str] | None = None,
) -> tuple[bytes, str]:
    """Compiles a module for a CPU, and keeps its host program; see `compile_module`.

    `halfway` changes the module's text at IREE's phase `stream`, where the host program has its
    allocations and dispatches are not yet compiled. Returns the payload, and the text of its host
    program in terms of IREE's HAL; empty if the compiler wrote none.
    """

    def collect(payload: bytes, folder: Path) -> tuple[bytes, str]:
        return payload, "".join(file.read_text() for file in folder.glob("*.hal.mlir"))

    def compiled(module: str, *flags: str) -> tuple[bytes, str]:
        flags, files = (*_PLAIN_COMMANDS, *flags), {_PHASES_FLAG: "."}
        return _run(module, target, flags, reproducers, timeout, collect, files)

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
    halfway: Callable[[str], str] | None = None,
) -> HostAndObject:
    """Compiles a module for a CPU, except for its host program; see `compile_module`.

    `halfway` changes the module's text after IREE's phase `input`, where StableHLO has become
    linalg, and dispatches are not yet formed. Raises CompileError too if the compiler left several
    objects.
    """

    def collect(payload: bytes, folder: Path) -> HostAndObject | None:
        objects = [file.read_bytes() for file in folder.glob("*.o")]
        if len(objects) > 1:
            return None
        usage = folder / _STACK_USAGE
        stack_usage = usage.read_text(errors="replace") if usage.exists() else ""
        return HostAndObject(payload.decode(), b"".join(objects), stack_usage)

    flags, objects = (*_PLAIN_COMMANDS, _LOCATIONS_FLAG), {_OBJECTS_FLAG: "."}
    if "vmfb" not in ARCHITECTURES[target.architecture].formats:
        flags, objects = (*flags, *_STATIC_LIBRARY), {_LIBRARY_FLAG: "library.o"}
    files = {**objects, "--stack-usage-file": _STACK_USAGE}

    def compiled(module: str, collect: Callable[[bytes, Path], _T | None], *phases: str) -> _T:
        return _run(module, target, (*flags, *phases), reproducers, timeout, collect, files)

    if halfway is None:
        return compiled(module, collect, "--compile-to=hal")
    middle = compiled(module, lambda text, _: text.decode(), "--compile-to=input")
    return compiled(halfway(middle), collect, "--compile-from=input", "--compile-to=hal")


def _run(
    module: str,
    target: TargetSpec,
    flags: Sequence[str],
    reproducers: Path,
    timeout: float,
    collect: Callable[[bytes, Path], _T | None],
    files: Mapping[str, str] = MappingProxyType({}),
) -> _T:
    """Runs the compiler; see `compile_module`.

    `collect` makes the result from the output and the folder of `files`, the flags for other files
    to write, each with the path of a file or folder; None if something is missing.
    """
    command = [compiler_program("iree-compile"), *FLAGS, *flags, *compiler_flags(target)]
    stages.report(f"compiling for {target.name}")
    with temporary_folder() as folder:
        written = Path(folder) / "written"
        written.mkdir()
        wanted = [f"{flag}={file}" for flag, file in files.items()]
        whole = [*command, *wanted]
        try:
            code, payload, diagnostics = run(whole, module, timeout, folder, str(written))
        except OSError as error:
            summary, diagnostics = f"the compiler could not be started ({error})", ""
        else:
            is_done = code == 0 and payload and _ERROR not in diagnostics
            made = collect(payload, written) if is_done else None
            if made is not None:
                return made
            check_room(folder)
            if code is None:
                summary = f"the compiler did not finish in {timeout:g} s and was stopped"
            elif code == 0 and _ERROR in diagnostics:
                summary = "the compiler reported an error"
            else:
                summary = describe_exit(code)
    raise CompileError(
        summary,
        target=target.name,
        diagnostics=diagnostics,
        reproducer=save_reproducer(reproducers, module, diagnostics, shlex.join(command)),
        command=shlex.join(command),
    )


def save_reproducer(folder: Path, module: str, diagnostics: str, command: str = "") -> str | None:
    """Saves the input of a failed compilation; returns the folder, None if that fails.

    `command` is empty if our own passes failed.
    """
    name = hashlib.sha256((module + command).encode()).hexdigest()[:16]
    try:
        destination = folder / name
        for each in (folder.parent, folder, destination):  # in this user's own cache
            each.mkdir(0o700, parents=True, exist_ok=True)
        (destination / "module.mlir").write_text(module)
        (destination / "diagnostics.txt").write_text(diagnostics)
        if command:
            (destination / "command.sh").write_text(
                f'#!/bin/sh\ncd "$(dirname "$0")"\n{command} < module.mlir > module.vmfb\n'
            )
    except OSError:
        return None
    return str(destination)

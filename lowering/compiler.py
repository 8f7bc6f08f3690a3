"""The call of the IREE compiler: module text in, payload bytes out.

`iree-compile` runs as a subprocess, so that its crash, hang or process-wide flags stay its own. The
module goes in on standard input: a file name would end up in the payload's bytes.
"""

from __future__ import annotations

import functools
import hashlib
import shlex
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from rnn_compiler.errors import CompileError, UnsupportedError
from rnn_compiler.lowering.targets import compiler_flags
from rnn_compiler.manifest import TargetSpec

__all__ = ["DEFAULT_TIMEOUT", "CompilerIdentity", "compile_module", "compiler_identity"]

DEFAULT_TIMEOUT = 300.0
"""Seconds a compilation may take. Tens of times what the largest one needs."""

_FLAGS = (
    "-",
    "-o",
    "-",
    "--iree-input-type=stablehlo",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-vm-bytecode-module-strip-source-map",
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


def _libraries() -> Path:
    """The folder of IREE's compiler binaries.

    Raises:
        UnsupportedError: The compiler is not installed.
    """
    package = util.find_spec("iree.compiler._mlir_libs") if util.find_spec("iree") else None
    if package is None or not package.submodule_search_locations:
        raise UnsupportedError(
            "the IREE compiler is not installed, so nothing can be compiled here (compiled "
            "artifacts still load and run): pip install 'iree-base-compiler==3.13.*'"
        )
    return Path(package.submodule_search_locations[0])


@functools.cache
def compiler_identity() -> CompilerIdentity:
    """Which compiler this is, told without starting it.

    The head of the compiler library holds its ELF build id; with its size that distinguishes a
    compiler that was replaced in place, whatever the package's version says.

    Raises:
        UnsupportedError: The compiler is not installed.
    """
    library = next(_libraries().glob("*IREECompiler.*"))
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
        UnsupportedError: The compiler is not installed.
    """
    command = [*(executable or [str(_libraries() / "iree-compile")]), *_FLAGS]
    command += compiler_flags(target)
    try:
        result = subprocess.run(
            command, input=module.encode(), capture_output=True, timeout=timeout
        )
    except subprocess.TimeoutExpired as error:
        summary = f"the compiler did not finish in {timeout:g} s and was stopped"
        diagnostics = (error.stderr or b"").decode(errors="replace")
    except OSError as error:
        summary, diagnostics = f"the compiler could not be started ({error})", ""
    else:
        diagnostics = result.stderr.decode(errors="replace")
        if result.returncode == 0 and result.stdout:
            return result.stdout
        summary = _describe_exit(result.returncode)
    raise CompileError(
        summary,
        target=target.name,
        diagnostics=diagnostics,
        reproducer=_save_reproducer(reproducers, module, command, diagnostics),
        command=shlex.join(command),
    )


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
        place.mkdir(parents=True, exist_ok=True)
        (place / "module.mlir").write_text(module)
        (place / "diagnostics.txt").write_text(diagnostics)
        (place / "command.sh").write_text(
            f'#!/bin/sh\ncd "$(dirname "$0")"\n{shlex.join(command)} < module.mlir > module.vmfb\n'
        )
    except OSError:
        return None
    return str(place)

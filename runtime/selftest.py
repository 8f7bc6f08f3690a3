"""Finds, builds and runs the self tests of modules in C, with this machine's C compiler.

A module in C is a folder with ``NAME.json``, its manifest, or that file itself. With a golden it
has ``NAME_selftest.c``, a program if ``NAME_SELFTEST_MAIN`` is defined. It prints a line for each
result:

    FUNCTION RESULT DIFFERENCE TOLERANCE equal
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rnn_compiler.base.files import read_regular
from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.artifact import check_features
from rnn_compiler.runtime.golden import Comparison, Verification
from rnn_compiler.runtime.paths import BUNDLE_MANIFEST
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.manifest import SCHEMA_VERSION, check_digest

__all__ = ["find_c_manifest", "read_c_manifest", "read_listed", "run_selftest"]

_TIMEOUT = 300
"""Time limit in seconds, for the compiler and for the program."""

_COMPILERS = ("cc", "gcc", "clang")


def find_c_manifest(path: Path) -> Path | None:
    """The manifest of the module in C that a path names; None if it names none.

    Raises:
        ArtifactError: A folder contains several, or neither a module in C nor a bundle.
    """
    try:
        if path.is_file():
            return path if _format(path) == "c" else None
        if not path.is_dir() or (path / BUNDLE_MANIFEST).exists():
            return None
    except (OSError, ValueError):  # not a valid file name
        return None
    found = [file for file in sorted(path.glob("*.json")) if _format(file) == "c"]
    if len(found) > 1:
        names = ", ".join(map(str, found))
        raise ArtifactError(f"{path}: several modules in C; name one of {names}")
    if not found:
        raise ArtifactError(
            f"{path}: neither a bundle nor a module in C: it contains no {BUNDLE_MANIFEST} and no "
            "NAME.json"
        )
    return found[0]


def _format(path: Path) -> object:
    """The format that a manifest states; None if the file is not a manifest."""
    if path.suffix != ".json":
        return None
    try:
        data: Any = json.loads(read_regular(path))
        return data.get("format")
    except (OSError, ValueError, RecursionError, AttributeError):
        return None


def read_c_manifest(path: Path) -> Any:
    """The manifest of a module in C.

    Raises:
        ArtifactError: It is of another version.
    """
    manifest: Any = json.loads(read_regular(path))
    if manifest.get("schema") != SCHEMA_VERSION:
        raise ArtifactError(
            f"{path}: schema {manifest.get('schema')}, this version reads {SCHEMA_VERSION}: "
            "recompile"
        )
    return manifest


def run_selftest(path: Path) -> Verification:
    """Builds and runs the self test of a module in C.

    Args:
        path: Its manifest.

    Raises:
        ArtifactError: A file is missing or damaged, there is no golden, the module is for another
            machine, or there is no C compiler.
    """
    manifest = read_c_manifest(path)
    try:
        name, golden = manifest["name"], manifest["golden"]
        if golden is None:
            raise ArtifactError(
                f"{path}: it has no sample arguments and results: compile it with "
                "--golden, or compile_c with golden="
            )
        dtypes = {
            (row["function"], result["name"]): result["dtype"]
            for row in manifest["functions"]
            for result in row["results"]
        }
        digests = {str(file): str(row["sha256"]) for file, row in manifest["files"].items()}
        wanted = {f"{name}{end}" for end in (".h", ".c", ".o", "_selftest.c")}
        if not str(name).isidentifier() or digests.keys() != wanted:
            raise KeyError("files")
        target = manifest["target"]
        _check_machine(path, name, target["architecture"], target["features"])
        computed_by = str(golden["computed_by"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ArtifactError(f"{path}: damaged manifest ({error!r})") from error
    files = {file: read_listed(path.with_name(file), digest) for file, digest in digests.items()}
    compiler = _compiler(path, name)
    with tempfile.TemporaryDirectory(prefix="rnn-compiler-") as folder:
        for file, data in files.items():
            (Path(folder) / file).write_bytes(data)
        sources = [f"{name}_selftest.c", f"{name}.c", f"{name}.o"]
        macro = f"-D{name.upper()}_SELFTEST_MAIN"
        built = _run(path, [*compiler, "-std=c11", "-O1", macro, *sources, "-o", "main"], folder)
        if built.returncode:
            reason = next((line for line in built.stderr.splitlines() if "error" in line), "")
            raise ArtifactError(f"{path}: {shlex.join(compiler)} cannot build it here ({reason})")
        done = _run(path, [os.path.join(folder, "main")], folder)
    if done.returncode not in (0, 1):
        reason = done.stderr.strip() or f"exit status {done.returncode}"
        raise ArtifactError(f"{path}: its self test does not run here: {reason}")
    return Verification(
        [_comparison(path, line, dtypes) for line in done.stdout.splitlines()],
        f"C by {shlex.join(compiler)}",
        computed_by,
    )


def _check_machine(path: Path, name: str, architecture: str, features: list[str]) -> None:
    here = cpu_features.architecture()
    command = f"cc -D{name.upper()}_SELFTEST_MAIN {name}_selftest.c {name}.c {name}.o"
    if architecture != here:
        raise ArtifactError(
            f"{path}: compiled for {architecture}, this machine is {here}: run verify there, or "
            f"{command} and its program"
        )
    check_features(path, architecture, features)


def read_listed(path: Path, digest: str) -> bytes:
    """A file that a manifest lists; raises ArtifactError if it is missing or damaged."""
    try:
        data = read_regular(path)
    except FileNotFoundError as error:
        raise ArtifactError(f"{path}: missing: its manifest lists it; copy it too") from error
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be read ({error.strerror})") from error
    remedy = "copy it again, or recompile"
    check_digest(path, data, digest, remedy, "damaged, or another module's")
    return data


def _compiler(path: Path, name: str) -> list[str]:
    """The command of a C compiler: the one in ``CC``, or the first one found."""
    named = shlex.split(os.environ.get("CC", ""))
    for command in [named] if named else [[each] for each in _COMPILERS]:
        if shutil.which(command[0]):
            return command
    tried = named[0] if named else ", ".join(_COMPILERS)
    raise ArtifactError(
        f"{path}: its self test, {name}_selftest.c, needs a C compiler, and there is no {tried}: "
        "install one, or name it in the environment variable CC"
    )


def _run(path: Path, command: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ArtifactError(f"{path}: {command[0]} did not finish in {_TIMEOUT} s") from error
    except OSError as error:
        raise ArtifactError(
            f"{path}: {command[0]} cannot be run ({error.strerror}); set TMPDIR to a folder "
            "that programs can run in"
        ) from error


def _comparison(path: Path, line: str, dtypes: dict[tuple[str, str], str]) -> Comparison:
    """The comparison that a line reports."""
    try:
        function, result, difference, tolerance, _ = line.split()
        number = float(difference)
        if number >= sys.float_info.max * 0.999:
            number = float("inf")
        return Comparison(function, result, dtypes[function, result], number, float(tolerance))
    except (ValueError, KeyError) as error:
        raise ArtifactError(f"{path}: its self test printed {line!r}, not a result") from error

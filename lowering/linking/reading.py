"""Reads a user's module in any form as the text of StableHLO.

It may be MLIR text or bytecode. The bytecode that `jax.export` makes is of VHLO, the versioned
form of StableHLO, which the compiler legalizes and IREE's bindings cannot. So each module goes
through the compiler's first passes, in a separate process: all forms are treated alike, and
invalid input cannot crash this process. The compiler prints the module after each pass, and is
stopped after the last of these passes, because later ones do not know our ops.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO, cast

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.compiler.compiler_process import (
    describe_exit,
    guard,
    stop,
    temporary_folder,
)
from rnn_compiler.lowering.compiler.iree_compile import (
    DEFAULT_TIMEOUT,
    compiler_identity,
    compiler_program,
)

# The module after one of the compiler's passes, from a compiler that is then stopped.
#
# The compiler prints the module after every pass; the output of other passes is discarded.


def dump_after(name: str, module: bytes, flags: Sequence[str]) -> tuple[str | None, str]:
    """The module after one of the compiler's passes, by its class, where the compiler is stopped.

    Its text is None if the pass did not run; the other output until then comes with it. OSError
    means that there is no room for temporary files.
    """
    command = [compiler_program("iree-compile"), "-", "-o", os.devnull, *flags]
    command += ["--mlir-print-ir-after-all", "--mlir-disable-threading"]
    with temporary_folder() as folder, tempfile.TemporaryFile(dir=folder) as source:
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
        watch = threading.Timer(DEFAULT_TIMEOUT, stop, [process])
        watch.start()
        try:
            with guard(process.pid, folder):
                return _after(name, cast(IO[bytes], process.stderr), process)
        finally:
            watch.cancel()
            stop(process)
            process.communicate()


def _after(name: str, lines: IO[bytes], process: subprocess.Popen[bytes]) -> tuple[str | None, str]:
    """Collects the compiler's output between the header of a pass's dump and the next header."""
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
        others.append(f"error: {describe_exit(process.wait())}".encode())
    text = None if found is None else b"".join(found).decode(errors="replace")
    return text, b"".join(others).decode(errors="replace")


_FLAGS = ("--compile-to=input", "--iree-input-type=stablehlo", "--mlir-print-debuginfo")

_WITHOUT_SHARDINGS = (
    "modules run on one device: export the function without shardings, meshes and "
    "with_sharding_constraint, from arguments that are on no mesh; or, if the mesh has one device, "
    "pass the text, exported.mlir_module()"
)


def stablehlo_text(source: bytes, file: str = "") -> str:
    """The text, with locations, of MLIR text or bytecode, of StableHLO or VHLO.

    An error names `file`, if the source is from one.
    """
    text, others = dump_after("VhloLegalizeToStablehloPass", source, _FLAGS)
    if text is not None:
        return text
    version = compiler_identity().version
    expected = f"a module of StableHLO, as text or bytecode, that IREE {version} reads"
    error = next(line.strip() for line in others.splitlines() if "error:" in line)
    if file:
        error = error.replace("<stdin>", file, 1)
    remedy = _WITHOUT_SHARDINGS if re.search("dialect .sdy'", error, re.IGNORECASE) else ""
    raise InvalidArgumentError("link", "module", expected, error[:400], remedy)


# Removes shardings over one device, which `jax.export` writes for arrays that are on a mesh.
#
# IREE does not have their dialect, and they say nothing where there is one device. The text is
# changed, line by line, because nothing here can parse it.

_MESH = re.compile(rb"^[ \t]*sdy\.mesh @\S+ = <(.*?)>.*$", re.MULTILINE)
_AXIS = re.compile(rb'"=(\d+)')
_CONSTRAINT = re.compile(rb"sdy\.sharding_constraint (%[\w#]+) <[^>]*>")

_ATTRIBUTE = rb"sdy\.\w+\s*=\s*#sdy\.\w+<(?:[^<>]|<[^<>]*>)*>"
_ATTRIBUTES = re.compile(rb",\s*" + _ATTRIBUTE + rb"|" + _ATTRIBUTE + rb"(?:,\s*)?")


def without_shardings(source: bytes) -> bytes:
    """A module without shardings, if it is text and each of its meshes has one device.

    Its lines keep their numbers. Constraints become conversions to the type that they have.

    Example:
        >>> without_shardings(b'sdy.mesh @m = <["d"=1]>')
        b''
        >>> without_shardings(b'sdy.mesh @m = <["d"=2]>')
        b'sdy.mesh @m = <["d"=2]>'
        >>> without_shardings(b'%1 = sdy.sharding_constraint %0 <@m, [{"d"}]> : tensor<3xf32>')
        b'%1 = stablehlo.convert %0 : tensor<3xf32>'
    """
    sizes = [size for mesh in _MESH.findall(source) for size in _AXIS.findall(mesh)]
    if any(int(size) != 1 for size in sizes):
        return source
    for pattern, text in (
        (_MESH, b""),
        (_CONSTRAINT, rb"stablehlo.convert \1"),
        (_ATTRIBUTES, b""),
    ):
        source = pattern.sub(text, source)
    return source

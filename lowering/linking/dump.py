"""The module after one of the compiler's passes, from a compiler that is then stopped.

The compiler prints the module after every pass; the output of other passes is discarded.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO, cast

from rnn_compiler.lowering.compiler.compiler_process import (
    describe_exit,
    guard,
    stop,
    temporary_folder,
)
from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT, compiler_program


def dump_after(
    name: str, module: bytes, flags: Sequence[str], timeout: float = DEFAULT_TIMEOUT
) -> tuple[str | None, str]:
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
        watch = threading.Timer(min(timeout, threading.TIMEOUT_MAX), stop, [process])
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

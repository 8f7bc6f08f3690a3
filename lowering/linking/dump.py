"""A module as one of the compiler's passes leaves it, from a compiler that is stopped then.

The compiler prints the module after every pass; what comes before and after is not kept.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO, cast

from rnn_compiler.lowering.compiler_process import describe_exit, guard, stop, temporary_folder
from rnn_compiler.lowering.iree_compile import DEFAULT_TIMEOUT, compiler_folder

__all__ = ["dump_after"]


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
        others.append(f"error: {describe_exit(process.wait())}".encode())
    text = None if found is None else b"".join(found).decode(errors="replace")
    return text, b"".join(others).decode(errors="replace")

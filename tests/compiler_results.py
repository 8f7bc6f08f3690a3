"""What the compiler made of each text, kept for the tests.

The artifact cache forgets everything when one line of lowering changes. Here, the key is what the
compiler gets: a module whose text is still the same, after such a change or in a test with an empty
cache, is not compiled again. Processes that tests start do without.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rnn_compiler.lowering.compiler.iree_compile import (
    DEFAULT_TIMEOUT,
    compiler_identity,
    compiler_program,
)

Run = Callable[[Sequence[str], str, float, str, str], tuple[int | None, bytes, str]]
"""As `compiler_process.run`."""

DAY = 86400.0


def kept(run: Run, folder: Path) -> Run:
    """Runs the compiler, unless it has succeeded with the same text and flags before."""
    folder.mkdir(parents=True, exist_ok=True)
    compiler, identity = compiler_program("iree-compile"), compiler_identity().content

    def run_once(
        command: Sequence[str], module: str, timeout: float, temporary: str, written: str
    ) -> tuple[int | None, bytes, str]:
        if command[0] != compiler or timeout < DEFAULT_TIMEOUT:  # of tests of the process itself
            return run(command, module, timeout, temporary, written)
        content = repr((identity, command[1:], module)).encode()
        entry = folder / hashlib.sha256(content).hexdigest()
        try:
            os.utime(entry)
            payload, diagnostics, files = pickle.loads(entry.read_bytes())
        except FileNotFoundError:
            code, payload, diagnostics = run(command, module, timeout, temporary, written)
            paths = [path for path in Path(written).rglob("*") if path.is_file()]
            files = {str(path.relative_to(written)): path.read_bytes() for path in paths}
            if code == 0:
                _write(entry, (payload, diagnostics, files))
            return code, payload, diagnostics
        for name, data in files.items():
            path = Path(written) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return 0, payload, diagnostics

    return run_once


def _write(entry: Path, content: Any) -> None:
    temporary = entry.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}")
    temporary.write_bytes(pickle.dumps(content))
    temporary.replace(entry)


def forget_old(folder: Path, days: float = 7) -> None:
    """Deletes what no test has needed for some days."""
    for entry in folder.glob("*"):
        if time.time() - entry.stat().st_mtime > days * DAY:
            entry.unlink(missing_ok=True)

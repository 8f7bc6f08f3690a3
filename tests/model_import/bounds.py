"""Limits within which a file must be read: CPU time and memory."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

__all__ = ["SECONDS", "SPARE_MEMORY", "TooLongError", "bounded"]

SECONDS = 10.0
"""The CPU time that a small file may take; on a fast machine, none takes a second."""
SPARE_MEMORY = 500 << 20
"""Bytes that may be used beyond the memory of the process."""


class TooLongError(Exception):
    """A file takes too long."""


@contextlib.contextmanager
def bounded(seconds: float = SECONDS, memory: int = SPARE_MEMORY) -> Iterator[None]:
    """Raises `TooLongError` beyond the time limit, and MemoryError beyond the memory limit."""

    def stop(*_: object) -> None:
        raise TooLongError(f"{seconds} s of a processor")

    held = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGPROF, before)

"""Ensures that concurrent requests for the same artifact compile it only once.

Threads of this process always exclude each other. Between processes, a lock file only saves work:
the kernel releases it when its holder ends, and if it cannot be acquired (a file system without
locks, a stuck holder) each process compiles for itself, which is just as correct.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rnn_compiler.base.systems import after_fork

__all__ = ["LOCK_TIMEOUT", "process_lock", "thread_lock"]

LOCK_TIMEOUT = 60.0
"""Seconds to wait for another process before compiling anyway."""

_log = logging.getLogger(__name__)

_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()


def thread_lock(digest: str) -> threading.Lock:
    """The lock of a key for the threads of this process."""
    with _guard:
        return _locks.setdefault(digest, threading.Lock())


def _forget_locks() -> None:
    """Runs in a child process, where the threads that hold these locks do not exist."""
    global _guard
    _guard = threading.Lock()
    _locks.clear()


after_fork(_forget_locks)


@contextmanager
def process_lock(path: Path | None) -> Generator[None]:
    """Excludes other processes from a ``with`` block, if possible.

    Args:
        path: The lock file; None for no lock.
    """
    lock = None if path is None else _acquire(path)
    try:
        yield
    finally:
        if lock is not None:
            _release(lock)


def _acquire(path: Path) -> Any:
    """The acquired lock; None if it cannot be acquired."""
    try:
        import filelock

        lock: Any = filelock.FileLock(path, mode=path.parent.stat().st_mode & 0o666)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            _log.info("another process is making this artifact; waiting for it")
            lock.acquire(timeout=LOCK_TIMEOUT)
    except Exception as error:  # any failure: the lock is optional
        _log.info("continuing without the lock %s: %s", path, error)
        return None
    return lock


def _release(lock: Any) -> None:
    try:
        lock.release()
    except Exception as error:
        _log.info("a lock was not released cleanly: %s", error)

"""One compilation for all who want the same artifact at once, in this process and in others.

Threads are kept apart for certain. Between processes a lock file is only there to save work: it is
the kernel's lock, which ends with its holder, and if it cannot be had (a file system without locks,
a holder that does not get on) each compiles for itself, which is as right.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["LOCK_TIMEOUT", "process_lock", "thread_lock"]

LOCK_TIMEOUT = 60.0
"""Seconds to wait for another process before doing its work again."""

_log = logging.getLogger(__name__)

_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()


def thread_lock(digest: str) -> threading.Lock:
    """The lock of a key among the threads of this process."""
    with _guard:
        return _locks.setdefault(digest, threading.Lock())


def _forget_locks() -> None:
    """In a child process: the threads that hold these are not here."""
    global _guard
    _guard = threading.Lock()
    _locks.clear()


os.register_at_fork(after_in_child=_forget_locks)


@contextmanager
def process_lock(path: Path | None) -> Generator[None]:
    """Keeps other processes out of a ``with`` block, if that can be done.

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
    """The lock, held; None if it cannot be had."""
    try:
        import filelock

        lock: Any = filelock.FileLock(path, mode=path.parent.stat().st_mode & 0o666)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            _log.info("another process is making this artifact; waiting for it")
            lock.acquire(timeout=LOCK_TIMEOUT)
    except Exception as error:  # whatever it is, the lock can be done without
        _log.info("continuing without the lock %s: %s", path, error)
        return None
    return lock


def _release(lock: Any) -> None:
    try:
        lock.release()
    except Exception as error:
        _log.info("a lock was not released cleanly: %s", error)

"""Waiting for a pool of threads without standing in its way.

IREE 3.13 wakes a caller before the worker that made the last result has quite let go of it, and the
caller spins until it has (`iree_async_semaphore_multi_wait`). Linux likes to run a thread that
wakes up in the place of the one that woke it: then the caller spins on the very processor that the
worker needs, for the rest of its time slice. On two cores, a median call of 12 ms took 20.

A thread of the policy `SCHED_BATCH` does not push others aside when it wakes up, so that is what a
caller is while it waits.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator

__all__ = ["giving_way"]

_NORMAL: int | None = getattr(os, "SCHED_OTHER", None)
_BATCH: int | None = getattr(os, "SCHED_BATCH", None)


@contextlib.contextmanager
def giving_way() -> Generator[None]:
    """Keeps the calling thread from pushing others aside, inside a ``with`` block.

    A thread of another policy than the usual one is left as it is; so is any on systems without.

    Example:
        >>> with giving_way():
        ...     pass
    """
    if _BATCH is None or _NORMAL is None or os.sched_getscheduler(0) != _NORMAL:
        yield
        return
    parameter = os.sched_param(0)
    with contextlib.suppress(OSError):  # forbidden here
        os.sched_setscheduler(0, _BATCH, parameter)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, _NORMAL, parameter)

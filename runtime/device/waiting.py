"""Waiting for a pool of threads without slowing it down.

Waking a sleeping thread takes 15 to 50 microseconds on a virtual machine, because an idle processor
is given back to the host. So callers poll if they can, yielding the processor in between; this
saves 5 to 25 % of short calls on two cores (`wait`).

Other callers sleep in IREE. It wakes a caller before the worker that produced the last
result has released it, and the caller spins until it has (`iree_async_semaphore_multi_wait`). Linux
tends to run a woken thread on the processor of the thread that woke it, so the caller spins on the
very processor that the worker needs, for the rest of its time slice. On two cores, this increased a
median call from 12 to 20 ms. A thread with the policy `SCHED_BATCH` does not preempt others when it
wakes up, so callers use this policy while they sleep (`GivingWay`).
"""

from __future__ import annotations

import os
import time
from typing import Any

__all__ = ["PATIENCE", "GivingWay", "wait"]

PATIENCE = 5e-3
"""Seconds for which a caller stays awake if there are enough processors. Waking it takes a
hundredth of that."""

NORMAL_POLICY: int | None = getattr(os, "SCHED_OTHER", None)
_BATCH: int | None = getattr(os, "SCHED_BATCH", None)
_PARAMETER: Any = os.sched_param(0) if _BATCH is not None else None

give_way = getattr(os, "sched_yield", None) or (lambda: time.sleep(0))


class GivingWay:
    """Keeps the calling thread from preempting others inside a ``with`` block.

    Threads with a policy other than the default are left alone, as are all threads on systems
    without policies.

    Example:
        >>> with GivingWay():
        ...     pass
    """

    __slots__ = ("_changed",)

    def __enter__(self) -> None:
        self._changed = False
        if _BATCH is not None and os.sched_getscheduler(0) == NORMAL_POLICY:
            self._changed = True  # beforehand, because a signal may come in between
            self._changed = _set_policy(_BATCH)

    def __exit__(self, *_: object) -> None:
        if self._changed and NORMAL_POLICY is not None:
            _set_policy(NORMAL_POLICY)


def wait(semaphore: Any, value: int, patience: float) -> None:
    """Waits until a semaphore reaches a value.

    Raises RuntimeError: the work that it stands for failed.
    """
    end = time.monotonic() + patience
    while semaphore.query() < value:
        if time.monotonic() >= end:
            with GivingWay():
                semaphore.wait(value)
            return
        give_way()


def _set_policy(policy: int) -> bool:
    """Sets the calling thread's policy; returns whether that is allowed here."""
    try:
        os.sched_setscheduler(0, policy, _PARAMETER)
    except OSError:
        return False
    return True

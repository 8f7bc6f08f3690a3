"""Waiting for a pool of threads without standing in its way.

Who sleeps must be woken: on a virtual machine that takes 15 to 50 microseconds, as a processor with
nothing to do is given back to the host. So a caller that can asks now and then, and in between lets
others have the processor; of short calls on two cores that is 5 to 25 % (`wait`).

Other callers sleep in IREE. IREE 3.13 wakes a caller before the worker that made the last result
has quite let go of it, and the caller spins until it has (`iree_async_semaphore_multi_wait`). Linux
likes to run a thread that wakes up in the place of the one that woke it: then the caller spins on
the very processor that the worker needs, for the rest of its time slice. On two cores, a median
call of 12 ms took 20. A thread of the policy `SCHED_BATCH` does not push others aside when it wakes
up, so that is what a caller is while it sleeps (`GivingWay`).
"""

from __future__ import annotations

import os
import time
from typing import Any

__all__ = ["PATIENCE", "GivingWay", "wait"]

PATIENCE = 5e-3
"""Seconds for which a caller stays awake, where there are processors enough. To be woken is a
hundredth of that."""

NORMAL_POLICY: int | None = getattr(os, "SCHED_OTHER", None)
_BATCH: int | None = getattr(os, "SCHED_BATCH", None)
_PARAMETER: Any = os.sched_param(0) if _BATCH is not None else None

give_way = getattr(os, "sched_yield", None) or (lambda: time.sleep(0))


class GivingWay:
    """Keeps the calling thread from pushing others aside, inside a ``with`` block.

    A thread of another policy than the usual one is left as it is; so is any on systems without.

    Example:
        >>> with GivingWay():
        ...     pass
    """

    __slots__ = ("_changed",)

    def __enter__(self) -> None:
        self._changed = False
        if _BATCH is not None and os.sched_getscheduler(0) == NORMAL_POLICY:
            self._changed = True  # before it is: a signal may come in between
            self._changed = _set_policy(_BATCH)

    def __exit__(self, *_: object) -> None:
        if self._changed and NORMAL_POLICY is not None:
            _set_policy(NORMAL_POLICY)


def wait(semaphore: Any, value: int, patience: float) -> None:
    """Waits until a semaphore has a value.

    Args:
        semaphore: IREE's.
        value: The value.
        patience: How many seconds to stay awake for.

    Raises:
        RuntimeError: What it stands for failed.
    """
    end = time.monotonic() + patience
    while semaphore.query() < value:
        if time.monotonic() >= end:
            with GivingWay():
                semaphore.wait(value)
            return
        give_way()


def _set_policy(policy: int) -> bool:
    """Gives the calling thread a policy; tells whether that is allowed here."""
    try:
        os.sched_setscheduler(0, policy, _PARAMETER)
    except OSError:
        return False
    return True

"""The number of processors that this process may use: its affinity and its cgroup's quota.

Containers usually get a share of the time of all processors rather than a few processors
(Kubernetes' `limits.cpu`, Docker's `--cpus`). A pool with one thread per processor of the machine
would spend that time waiting.
"""

from __future__ import annotations

import math
import os

from rnn_compiler.runtime.device.cgroups import limits

__all__ = ["processors", "throttled"]


def processors() -> int:
    """The number of processors, at least one.

    Example:
        >>> processors() >= 1
        True
    """
    return max(1, math.ceil(min(_bound(), _quota())))


def throttled() -> bool:
    """Whether the cgroup's quota is lower: a thread that spins then takes time from the others.

    Example:
        >>> throttled() in (False, True)
        True
    """
    return _quota() < _bound()


def _bound() -> int:
    """The number of processors that this process is bound to."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def _quota() -> float:
    """The number of processors that the cgroups' quota amounts to."""
    return min((quota / period for quota, period in limits("cpu.max")), default=math.inf)

"""How many processors this process may use: those it is bound to, and what its cgroup has paid for.

Containers are usually given time on all processors of a machine rather than a few of these
(Kubernetes' `limits.cpu`, Docker's `--cpus`). A pool with a thread for each of the machine's would
spend that time waiting.
"""

from __future__ import annotations

import math
import os

from rnn_compiler.runtime.device.cgroups import limits

__all__ = ["processors", "throttled"]


def processors() -> int:
    """How many there are, at least one.

    Example:
        >>> processors() >= 1
        True
    """
    return max(1, math.ceil(min(_bound(), _quota())))


def throttled() -> bool:
    """Whether the cgroup has paid for less: whoever spends time waiting takes it from the others.

    Example:
        >>> throttled() in (False, True)
        True
    """
    return _quota() < _bound()


def _bound() -> int:
    """How many this process is bound to."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def _quota() -> float:
    """Processors' time per time that the cgroups of this process allow."""
    return min((quota / period for quota, period in limits("cpu.max")), default=math.inf)

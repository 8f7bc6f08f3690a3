"""How many processors this process may use: those it is bound to, and what its cgroup has paid for.

Containers are usually given time on all processors of a machine rather than a few of these
(Kubernetes' `limits.cpu`, Docker's `--cpus`). A pool with a thread for each of the machine's would
spend that time waiting.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

__all__ = ["processors", "throttled"]

_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


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
    """Processors' time per time that the cgroups of this process allow, by `cpu.max` of version 2.

    https://docs.kernel.org/admin-guide/cgroup-v2.html
    """
    try:
        (own,) = [line[3:] for line in _OWN.read_text().splitlines() if line.startswith("0::")]
    except (OSError, ValueError):
        return math.inf
    folder = _CGROUPS / own.strip("/")
    least = math.inf
    for group in (folder, *folder.parents):
        if not group.is_relative_to(_CGROUPS):
            break
        try:
            quota, period = (group / "cpu.max").read_text().split()
            least = min(least, int(quota) / int(period))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return least

"""Who else is using the processors.

A median forgives a disturbed round now and then, not one in two; and threads that meet at barriers
suffer out of all proportion when one of their processors is taken away. So each round knows how
many processors were at work for others, and those with too many are set aside: whatever their
outcome, as what others do does not depend on it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["Elsewhere", "is_quiet", "wait_until_quiet"]

_TICKS = os.sysconf("SC_CLK_TCK")
_SHORTEST = 0.1
"""Below so many seconds the system's counters are too coarse to tell."""

_TOLERATED = 0.1
"""What others may use of the processors that are measured on."""


class Elsewhere:
    """The processors at work for others since a moment.

    Args:
        own: The processes that are not others; this one never is.
    """

    def __init__(self, own: Iterable[int]) -> None:
        self._own = [os.getpid(), *own]
        self._start = time.perf_counter()
        self._before = self.used_by_others()

    def processors(self) -> float:
        """How many, on average; 0 if the time is too short to tell."""
        elapsed = time.perf_counter() - self._start
        if elapsed < _SHORTEST:
            return 0.0
        return max(0.0, (self.used_by_others() - self._before) / elapsed)

    def used_by_others(self) -> float:
        """Seconds of work for others so far, those that a hypervisor took away among them."""
        fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        user, nice, system, _, _, irq, softirq, steal = (int(field) for field in fields[:8])
        busy = user + nice + system + irq + softirq + steal
        return (busy - sum(seconds_of(process) for process in self._own)) / _TICKS


def seconds_of(process: int) -> int:
    """The ticks that a process has worked; 0 if it is no more."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def is_quiet(elsewhere: float, threads: int) -> bool:
    """Whether others leave so many threads alone: they may have the other processors."""
    spare = (os.cpu_count() or 1) - threads
    return elsewhere <= spare + _TOLERATED


def wait_until_quiet(own: Iterable[int], threads: int, patience: float) -> float:
    """Waits until others leave the processors alone, but no longer than is asked.

    Returns:
        The seconds that it took.
    """
    own = list(own)
    start = time.perf_counter()
    while time.perf_counter() - start < patience:
        watch = Elsewhere(own)
        time.sleep(1.5 * _SHORTEST)
        if is_quiet(watch.processors(), threads):
            break
    return time.perf_counter() - start

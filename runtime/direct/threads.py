"""Threads that run a part of a direct call, while the caller runs the rest.

They are started at the first call that needs them, and never run Python. Each runs a list of calls
for ever (`stepping`):

    sem_wait(semaphore)
    run(list)                 # the caller has written its address here
    meet(counter, ..., 0)     # it is done

The caller resets the counter, writes the addresses, and posts the semaphores. Within a call, all
meet where a step needs what others have written: each adds one to the counter, and spins until it
has reached the number that is right when all have come. Who spins gives way to other processes from
time to time.

One call at a time has the threads. Another one at the same time runs in its own thread alone, and
so does a call that threads do not make faster (`Trial`); the bits are the same.
"""

from __future__ import annotations

import ctypes
import functools
import math
import signal
import sys
import threading
from array import array
from collections.abc import Sequence
from typing import Any

from rnn_compiler.base.systems import after_fork, anew_after_fork, c_function
from rnn_compiler.runtime.device.resources import processors, throttled
from rnn_compiler.runtime.direct.memory import address_of, aligned_array
from rnn_compiler.runtime.direct.stepping import (
    MEMMOVE,
    MEMSET,
    WORDS,
    Call,
    Code,
    function_address,
    machine_code,
)

__all__ = ["Threads", "Trial", "threads"]

_LINE = 64
"""The bytes of a cache line, of which a ``sem_t`` takes 32."""

_OWN = 4 * _LINE
"""The bytes of a thread: its semaphore and its list."""


def threads() -> Threads | None:
    """The threads of this process; None with one processor or less, or without machine code.

    There are as many as the thread that asks first may have processors.
    """
    code = machine_code()
    if code is None or processors() == 1 or throttled() or sys.platform != "linux":
        return None
    with _once:
        return _made(code)


_once = anew_after_fork(threading.Lock())


@functools.cache
def _made(code: Code) -> Threads:
    return Threads(processors(), code)


class Threads:
    """Threads beside those of the callers.

    Attributes:
        count: Their number, with the caller's.
        failed: The address of a number that is not zero if a thread's list reported a failure.
    """

    def __init__(self, count: int, code: Code) -> None:
        """Lays out what they share; the first call starts them."""
        self.count = count
        self._code, self._lock = code, threading.Lock()
        self._can_run: bool | None = None
        names = ("sem_wait", "sem_post", "sched_yield")
        self._wait, self._post, self._yield = (function_address(c_function(name)) for name in names)
        self._memory = aligned_array(2 * _LINE + (count - 1) * _OWN, zeros=True)
        self._counter = address_of(self._memory)
        self.failed = self._counter + _LINE
        self._failure = ctypes.c_int.from_address(self.failed)
        own = range(self._counter + 2 * _LINE, self._counter + len(self._memory), _OWN)
        self._semaphores = list(own)
        self._lists = [each + _LINE for each in own]
        after_fork(self._after_fork)

    def _after_fork(self) -> None:
        """The other threads do not exist in the child."""
        self._lock, self._can_run = threading.Lock(), None

    def take(self) -> bool:
        """Takes them until `release`; returns whether the caller has them, and no other call."""
        if not self._lock.acquire(blocking=False):
            return False
        can_run = False
        try:
            if self._can_run is None:
                self._can_run = False  # if it is interrupted: they cannot be started twice
                self._can_run = self._start()
            self.has_failed()  # of a call that was interrupted
            can_run = self._can_run
        finally:
            if not can_run:
                self._lock.release()
        return can_run

    def release(self) -> None:
        """Leaves them to other calls."""
        self._lock.release()

    def has_failed(self) -> bool:
        """Whether a thread's list reported a failure since the last time."""
        has_failed, self._failure.value = self._failure.value != 0, 0
        return has_failed

    def begin(self, lists: Sequence[Any]) -> list[Call]:
        """The calls with which a caller has each of the others run a list, given pointers to it."""
        calls: list[Call] = [(MEMSET, (self._counter, 0, 8), 0)]
        for own, semaphore, each in zip(self._lists, self._semaphores, lists, strict=True):
            calls.append((MEMMOVE, (own + 8 * (WORDS + 1), each, 8), 0))
            calls.append((self._post, (semaphore, 0, 0), 0))
        return calls

    def meet(self, number: int) -> Call:
        """The call with which each waits for all others, for the time with a number from 1."""
        return self._code.meet, (self._counter, self._yield, self.count * number), 0

    def _start(self) -> bool:
        """Starts them; says whether the system lets it."""
        for own, semaphore in zip(self._lists, self._semaphores, strict=True):
            c_function("sem_init")(ctypes.c_void_p(semaphore), 0, 0)
            words = [
                *(self._wait, semaphore, 0, 0, 0),
                *(self._code.run, 0, 0, 0, 0),
                *(self._code.meet, self._counter, self._yield, 0, 0),
                *(0, 0),
            ]
            ctypes.memmove(own, array("Q", words).tobytes(), 8 * len(words))
        for each in (self._memory, self._code.pages):  # the threads outlive the interpreter
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        try:  # they inherit the mask: a signal would end sem_wait
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            thread = ctypes.c_void_p()
            pairs = [map(ctypes.c_void_p, (self._code.serve, own)) for own in self._lists]
            create = c_function("pthread_create")
            return not any(create(ctypes.byref(thread), None, *pair) for pair in pairs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Trial:
    """Whether threads make a call faster: made some times in each way, then in the faster one.

    An estimate is not enough: it depends on the processor, on what a call does, and on who else
    works there. So the trial is repeated from time to time, the sooner the nearer both ways were.

    Attributes:
        with_threads: How to make the next call.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.with_threads = False
        self._ways, self._calls_left = (_Way(), _Way()), 0

    def note(self, with_threads: bool, seconds: float) -> None:
        """Notes a call, and chooses the way of the next one."""
        if self._calls_left:
            self._calls_left -= 1
            if not self._calls_left:
                self._begin()
            return
        alone, together = self._ways
        self._ways[with_threads].note(seconds)
        gives_up = alone.calls >= 2 * _TRIED  # others have the threads, or there are none
        if not alone.is_tried or not (together.is_tried or gives_up):
            self.with_threads = alone.is_tried
            return
        self.with_threads = together.least < alone.least
        fast, slow = sorted(each.least for each in self._ways)
        slower_calls = self._ways[not self.with_threads].calls
        kept = slower_calls * (slow / fast - 1) / _LOST if slower_calls and fast else _MOST
        self._calls_left = int(min(max(kept, _LEAST), _MOST))


class _Way:
    """A way to make a call, while it is tried."""

    def __init__(self) -> None:
        self.calls, self.least, self._seconds = 0, math.inf, 0.0

    def note(self, seconds: float) -> None:
        self.calls += 1
        self.least = min(self.least, seconds)
        self._seconds += seconds

    @property
    def is_tried(self) -> bool:
        return self.calls >= _TRIED or (self.calls >= 2 and self._seconds >= _LONG)


_TRIED, _LONG = 5, 0.02
"""The calls with which a way has been tried, or two if they take so many seconds: the first call is
slower."""

_LOST, _LEAST, _MOST = 0.01, 20, 1000
"""The part of the time that trials may take, and how many calls there are between two of them."""

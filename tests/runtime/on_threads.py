"""Lists of calls on threads: run in a process of its own, and on emulated processors."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rnn_compiler.runtime.direct.memory import address_of
from rnn_compiler.runtime.direct.stepping import machine_code, runner
from rnn_compiler.runtime.direct.threads import Call, Threads

COUNT = 3
"""Threads, with the caller's."""


def address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


MEMMOVE, ABS = address(ctypes.memmove), address(ctypes.CDLL(None).abs)


class Lists:
    """Lists of calls in memory, one for each thread."""

    def __init__(self, threads: Threads, lists: Sequence[Sequence[Call]]) -> None:
        self.threads, self.kept = threads, list[Any]()
        pointers = [self.pointer(self.list(each, threads.failed)) for each in lists[1:]]
        times = sum(call[0] == threads.meet(1)[0] for call in lists[0])
        ended = threads.meet(times + 1)
        self.first = self.list([*threads.begin(pointers), *lists[0], ended])

    def list(self, calls: Sequence[Call], result: int = 0) -> int:
        words = [word for call in calls for word in (call[0], *call[1], call[2])]
        return self.words([*words, 0, result])

    def pointer(self, start: int) -> int:
        return self.words([start])

    def words(self, numbers: Sequence[int]) -> int:
        self.kept.append(np.array(numbers, np.uint64))
        return address_of(self.kept[-1])

    def run(self) -> bool:
        """Whether it went well."""
        assert self.threads.take()
        try:
            own = runner()(self.first)
            return not (self.threads.has_failed() or own)
        finally:
            self.threads.release()


def rotations(threads: Threads, numbers: Any, times: int) -> list[list[Call]]:
    """Each thread moves numbers of its own from where others have put them, and all meet."""
    start, size = address_of(numbers), numbers[0, 0].nbytes
    lists: list[list[Call]] = [[] for _ in range(COUNT)]
    for time in range(times):
        old, new = (start + numbers[0].nbytes * ((time + k) % 2) for k in (0, 1))
        for k, each in enumerate(lists):
            source = old + (k + 1) % COUNT * size
            each.append((MEMMOVE, (new + k * size, source, size), 0))
            each.append(threads.meet(time + 1))
    return lists


def check(threads: Threads, rounds: int = 40) -> None:
    """Runs lists, which go well or fail."""
    numbers = np.zeros((2, COUNT, 1000), np.int64)
    lists = Lists(threads, rotations(threads, numbers, 7))
    for number in range(rounds):
        numbers[0] = np.arange(COUNT)[:, None] + number
        assert lists.run()
        assert (numbers[1] == ((np.arange(COUNT) + 7) % COUNT)[:, None] + number).all()
    for failing in range(COUNT):
        calls: list[list[Call]] = [[(ABS, (0, 0, 0), 0xFFFFFFFF)] for _ in range(COUNT)]
        calls[failing][0] = ABS, (6, 0, 0), 4
        assert not Lists(threads, calls).run()
        calls[failing][0] = ABS, (6, 0, 0), 1
        assert Lists(threads, calls).run()
    calls = [[(ABS, (6, 0, 0), 4)] for _ in range(COUNT)]
    assert not Lists(threads, calls).run()
    assert lists.run()  # what failed before is forgotten


def main() -> None:
    """Runs them here, between signals, and in a child process."""
    with ThreadPoolExecutor(8) as pool:  # the code is made once, though all ask at once
        made = [*pool.map(lambda _: machine_code(), range(64))]
    code = made[0]
    assert code is not None
    assert all(each is code for each in made)
    threads = Threads(COUNT, code)
    check(threads)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
        check(threads)
        signal.setitimer(signal.ITIMER_REAL, 0)
    child = os.fork()
    if not child:
        check(threads)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    check(threads)
    print("right")


if __name__ == "__main__":
    main()

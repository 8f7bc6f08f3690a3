"""The worker process of one peer: it prepares cases and runs them on request.

    python -m benchmarks.worker PEER FD CPU,CPU,...

It is pinned to its processors before the framework is imported. Through an inherited file
descriptor it receives pairs of a command and its arguments, and answers each with True and the
result, or with False and the error.

| command | arguments | result |
|---|---|---|
| prepare | key, case, seconds to try each variant for | `Prepared` |
| time | key, calls | seconds of each call |
| forget | key | None |
| measure | what, case | the result of the peer's function with that name |
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.inputs import Arrays
from benchmarks.peers import PEERS, Variant
from benchmarks.rows import Case
from rnn_compiler.schema.cpu_features import holds_tiles

__all__ = ["Prepared", "serve"]

_TRIAL_CALLS = 12
"""The minimum number of calls with which each variant is tried.

The first calls fill the memory pools, which may take longer than the work, and ours try threads.
"""


@dataclass(frozen=True)
class Prepared:
    """A case that is ready to run.

    Attributes:
        configuration: The variant that was the fastest, and whether the process then had
            permission to use AMX, which every framework asks for before it multiplies with it.
        seconds: The approximate duration of one call.
        tried: The duration of one call of each variant, or the reason why it does not work.
        results: Its results, in float32.
    """

    configuration: str
    seconds: float
    tried: dict[str, float | str]
    results: Arrays


class Bench:
    """The cases that one peer has prepared, and the commands on them."""

    def __init__(self, peer: Any) -> None:
        self._peer = peer
        self._ready: dict[str, Callable[[], Any]] = {}

    def prepare(self, key: str, case: Case, trial_seconds: float) -> Prepared:
        """Tries every variant of a case and keeps the fastest."""
        tried: dict[str, float | str] = {}
        works: list[tuple[float, Variant, Any]] = []
        variants: list[Variant] = self._peer.variants(case)
        for variant in variants:
            try:
                results = variant.call()
                seconds = _trial(variant.call, trial_seconds)
            except Exception as error:  # another variant may work
                if len(variants) == 1:
                    raise
                tried[variant.configuration] = f"{type(error).__name__}: {error}"
                continue
            tried[variant.configuration] = seconds
            works.append((seconds, variant, results))
        if not works:
            raise RuntimeError("; ".join(f"{name}: {why}" for name, why in tried.items()))
        seconds, best, results = min(works, key=lambda work: work[0])
        self._ready[key] = best.call
        fetched = {k: np.asarray(v, np.float32) for k, v in best.fetch(results).items()}
        configuration = best.configuration + (", AMX permitted" if holds_tiles() else "")
        return Prepared(configuration, seconds, tried, fetched)

    def time(self, key: str, calls: int) -> list[float]:
        """Runs a case once to wake it up, then times a number of calls."""
        call = self._ready[key]
        call()
        return _timed(call, calls)

    def forget(self, key: str) -> None:
        """Frees the memory of a case."""
        self._ready.pop(key, None)
        gc.collect()

    def measure(self, what: str, case: Case) -> Any:
        """A measurement other than time, by a function of the peer."""
        return getattr(self._peer, what)(case)


def _trial(call: Callable[[], Any], trial_seconds: float) -> float:
    """The duration of an undisturbed call."""
    end = time.perf_counter() + trial_seconds
    seconds = _timed(call, _TRIAL_CALLS)
    while time.perf_counter() < end:
        seconds += _timed(call, 1)
    return min(seconds)


def _timed(call: Callable[[], Any], calls: int) -> list[float]:
    """The seconds of each of some calls, without garbage collection in between."""
    gc.collect(0)
    gc.disable()
    try:
        seconds: list[float] = []
        for _ in range(calls):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return seconds


def serve(bench: Bench, connection: Connection) -> None:
    """Answers until the parent closes the connection."""
    while True:
        try:
            command, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = True, getattr(bench, command)(*arguments)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        connection.send(answer)


def main(arguments: Sequence[str]) -> None:
    """Becomes the process of a peer."""
    name, descriptor, cpus = arguments
    connection = Connection(int(descriptor))
    processors = [int(cpu) for cpu in cpus.split(",")]
    try:
        os.sched_setaffinity(0, processors)
        peer = importlib.import_module(PEERS[name].module)
        peer.start(processors)
    except Exception as error:
        connection.send((False, f"{type(error).__name__}: {error}"))
        return
    connection.send((True, None))
    serve(Bench(peer), connection)


if __name__ == "__main__":
    from benchmarks import worker  # the parent knows its classes, unlike those of __main__

    worker.main(sys.argv[1:])

"""The parent's side of worker processes: starting, calling and ending them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import Pipe
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.peers import PEERS
from benchmarks.rows import Case
from benchmarks.worker import Prepared

__all__ = ["Worker", "WorkerError", "Workers", "processors"]

PATIENCE = 300.0
"""Seconds after which a worker is considered hung."""


class WorkerError(Exception):
    """A worker failed; the message gives the reason."""


def processors(threads: int) -> list[int]:
    """The processors for a number of threads.

    Raises:
        ValueError: This process may not use that many.
    """
    available = sorted(os.sched_getaffinity(0))
    if not 1 <= threads <= len(available):
        raise ValueError(f"{threads} threads: this process has {len(available)} processors")
    return available[:threads]


class Worker:
    """A process with one peer in it.

    Args:
        peer: The peer.
        cpus: The processors it may use.
        log: The file for its output.
        environment: Additional environment variables.

    Raises:
        WorkerError: The peer is not installed, or does not start.
    """

    def __init__(
        self, peer: str, cpus: Sequence[int], log: Path, environment: dict[str, str]
    ) -> None:
        missing = PEERS[peer].missing
        if missing:
            raise WorkerError(missing)
        self._connection, theirs = Pipe()
        threads = str(len(cpus))
        variables = {k: v for k, v in os.environ.items() if not k.startswith("RNN_COMPILER_")}
        variables |= dict.fromkeys(
            ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads
        )
        variables |= {"CUDA_VISIBLE_DEVICES": "", **PEERS[peer].environment(len(cpus))}
        root = str(Path(__file__).parents[1])
        variables["PYTHONPATH"] = os.pathsep.join(
            filter(None, [root, os.environ.get("PYTHONPATH")])
        )
        descriptor = theirs.fileno()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    *("-m", "benchmarks.worker", peer, str(descriptor)),
                    ",".join(map(str, cpus)),
                ],
                env=variables | environment,
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        theirs.close()
        self._log = log
        self._receive(PATIENCE)

    def prepare(self, key: str, case: Case, trial_seconds: float = 0.0) -> Prepared:
        """Prepares a case under a key; tries each variant for `trial_seconds`, keeps the best."""
        return self._ask("prepare", key, case, trial_seconds)

    def time(self, key: str, calls: int) -> list[float]:
        """The seconds of each of some calls."""
        return self._ask("time", key, calls)

    def forget(self, key: str) -> None:
        """Frees a case."""
        self._ask("forget", key)

    def measure(self, what: str, case: Case) -> Any:
        """A measurement that only this peer can make."""
        return self._ask("measure", what, case)

    @property
    def process(self) -> int:
        """Its process number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends it."""
        self._connection.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, command: str, *arguments: object) -> Any:
        try:
            self._connection.send((command, arguments))
        except OSError:
            raise self._died() from None
        return self._receive(PATIENCE)

    def _receive(self, patience: float) -> Any:
        try:
            if not self._connection.poll(patience):
                self._process.kill()
                self._process.wait()
                raise WorkerError(f"no answer within {patience:.0f} s")
            good, answer = self._connection.recv()
        except (EOFError, OSError):
            raise self._died() from None
        if not good:
            raise WorkerError(answer)
        return answer

    def _died(self) -> WorkerError:
        code = self._process.wait()
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return WorkerError(f"its process ended with {code}: {lines[-1] if lines else 'no message'}")


class Workers:
    """The workers of one set of processors, each started when first requested.

    Args:
        threads: The number of threads that each may use.
        folder: The folder for their logs and compiled modules.
    """

    def __init__(self, threads: int, folder: Path) -> None:
        self._cpus = processors(threads)
        self._folder = folder
        self._workers: dict[str, Worker] = {}
        self._failures: dict[str, str] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers.values():
            worker.close()

    def get(self, peer: str) -> Worker:
        """The worker of a peer; a new one if it died.

        Raises:
            WorkerError: It does not start.
        """
        if peer in self._failures:
            raise WorkerError(self._failures[peer])
        worker = self._workers.get(peer)
        if worker is None or not worker.alive:
            if worker is not None:
                worker.close()
            try:
                self._workers[peer] = self.start(peer)
            except WorkerError as failure:
                self._failures[peer] = str(failure)
                raise
        return self._workers[peer]

    @property
    def processes(self) -> list[int]:
        """The process numbers of those that were started."""
        return [worker.process for worker in self._workers.values()]

    def start(self, peer: str) -> Worker:
        """A separate worker, which the caller must close."""
        cache = {"RNN_COMPILER_CACHE_DIR": str(self._folder / "artifact-cache")}
        return Worker(peer, self._cpus, self._folder / f"{peer}.log", cache)

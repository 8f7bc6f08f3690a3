"""Runs the reader of an untrusted file as a separate process, because it may crash or hang."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["Outcome", "run_reader"]


class Outcome(NamedTuple):
    """The outcome of a process.

    Attributes:
        output: Its standard output.
        code: Its exit code, negative for a signal; None if it was stopped.
        failure: How it failed, "ended with signal 11"; empty if it succeeded.
    """

    output: bytes
    code: int | None
    failure: str


def run_reader(program: Path, *arguments: str, seconds: int, data: bytes = b"") -> Outcome:
    """Runs a Python program on one thread.

    Args:
        program: Its file.
        *arguments: Its arguments.
        seconds: The time after which it is stopped.
        data: Its standard input.
    """
    try:
        done = subprocess.run(
            [sys.executable, str(program), *arguments],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(b"", None, f"does not end in {seconds} s")
    code = done.returncode
    ended = f"ended with {f'signal {-code}' if code < 0 else f'code {code}'}"
    return Outcome(done.stdout, code, ended if code else "")

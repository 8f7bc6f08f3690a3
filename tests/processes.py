"""Commands and Python scripts in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SECONDS = 300
"""After which a process counts as one that hangs."""


def run(
    *command: str | Path,
    code: int | None = 0,
    variables: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Runs a command, which has to end with a code, or with any if that is None.

    Args:
        *command: The words of the command.
        code: Its exit status; with another one, the test fails with all that was printed.
        variables: Environment variables besides those of this process.
        **options: As of `subprocess.run`.
    """
    given = {"env": {**os.environ, **(variables or {})}, "timeout": SECONDS, **options}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **given)
    assert code in (None, done.returncode), (
        f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done


def python(
    script: str, *arguments: str | Path, flags: Sequence[str] = (), **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs a Python script, with flags of Python's; the rest is as of `run`."""
    return run(sys.executable, *flags, "-c", script, *arguments, **options)

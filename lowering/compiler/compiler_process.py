"""The compiler's process: neither it nor its temporary files outlive this process.

An exception that ends the call also stops the compiler. For signals that leave no time for that,
SIGKILL or an unhandled SIGTERM, a shell waits on a pipe that the system closes with this process,
and then stops the compiler and removes the temporary files. This needs neither code in a forked
child nor a system call that only Linux has.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Sequence

_LONGEST = 1e6
"""The largest timeout in seconds that the system supports."""


@contextlib.contextmanager
def temporary_folder() -> Generator[str]:
    """A folder for the compiler's temporary files, so that leftovers can be found."""
    try:
        folder = tempfile.mkdtemp(prefix="rnn-compiler-")
    except OSError as error:
        raise _no_room(error, tempfile.gettempdir()) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_room(folder: str) -> None:
    """Raises OSError if a full disk made the compiler fail: its own message does not say so."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 20))
    except OSError as error:
        raise _no_room(error, os.path.dirname(folder)) from error


def _no_room(error: OSError, folder: str) -> OSError:
    remedy = "free some, or set TMPDIR to another folder"
    text = f"{error.strerror} for the compiler's temporary files ({remedy})"
    return OSError(error.errno, text, folder)


@contextlib.contextmanager
def guard(process: int, folder: str) -> Generator[None]:
    """Stops a process group and removes a folder if this process ends inside the block."""
    script = 'read -r line || { kill -KILL "-$0"; rm -rf "$1"; }'
    try:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", script, str(process), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # without a shell, nothing guards the process
        yield
        return
    try:
        yield
    finally:
        watcher.communicate(b"done\n")


def run(
    command: Sequence[str], module: str, timeout: float, folder: str, written: str
) -> tuple[int | None, bytes, str]:
    """Runs the compiler; returns its exit code, None if it was stopped, and its output.

    It runs in its own process group, so that its children (a linker) are stopped with it. Paths in
    the command are relative to `written`; `folder` is for its temporary files.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=written,
        env={**os.environ, "TMPDIR": folder},
        start_new_session=True,
    )
    code: int | None = None
    try:
        with guard(process.pid, folder):
            payload, diagnostics = process.communicate(module.encode(), min(timeout, _LONGEST))
        code = process.returncode
    except subprocess.TimeoutExpired:
        stop(process)
        payload, diagnostics = process.communicate()
    except BaseException:  # such as KeyboardInterrupt
        stop(process)
        process.communicate()
        raise
    return code, payload, diagnostics.decode(errors="replace")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stops a process and its children; on systems without process groups, only the process."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def describe_exit(code: int) -> str:
    """The meaning of the compiler's exit code, if there is no result."""
    if code == 0:
        return "the compiler produced nothing"
    if code < 0:
        try:
            return f"the compiler crashed with {signal.Signals(-code).name}"
        except ValueError:
            return f"the compiler was stopped by signal {-code}"
    return f"the compiler failed with exit status {code}"

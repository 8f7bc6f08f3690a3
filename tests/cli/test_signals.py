"""Compilations ended by a signal, or whose process is gone, leave nothing running or behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

import processes
import pytest
from quick import first

COMMAND = [
    *(sys.executable, "-m", "rnn_compiler", "compile", "BlockLSTMGradV2", "-o", "lstm.vmfb"),
    *("--dim", "seq_length=3,batch_size=2,input_size=4,num_units=5"),
    *("--attr", "use_peephole=true"),
]
SCRIPT = """
import rnn_compiler as rc
sizes = dict(seq_length=3, batch_size=2, input_size=4, num_units=5)
rc.compile(rc.build("BlockLSTMGradV2", use_peephole=True, **sizes), "cpu")
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come to pass"
        time.sleep(0.01)


def compilers_of(parent: int) -> list[int]:
    """The running compilers that a process has started."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:  # gone
            continue
        state, ppid = rest.split()[:2]
        if int(ppid) == parent and name == "iree-compile" and state != "Z":
            found.append(int(stat.parent.name))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture(autouse=True)
def not_ignored() -> Generator[None]:
    """Restores the default for the signals that tests send, in case the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def interrupt(
    command: list[str], number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> subprocess.Popen[str]:
    """Starts a process and sends it a signal while it compiles; waits until the compiler is gone.

    The compiler is stopped before, so that it does not come to its end by itself.
    """
    temporary = folder / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(folder / "cache"))
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: bool(compilers_of(process.pid)) or process.poll() is not None)
    (compiler,) = compilers_of(process.pid)
    os.kill(compiler, signal.SIGSTOP)
    try:
        time.sleep(0.2)  # so that the process is past starting it
        os.kill(process.pid, number)
        process.wait(300)
        wait_until(lambda: not is_running(compiler))
        wait_until(lambda: not list(temporary.iterdir()))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(compiler, signal.SIGKILL)
    return process


@pytest.mark.slow
@pytest.mark.parametrize("number", first([signal.SIGTERM, signal.SIGHUP]))
def test_the_command_ends_all_that_it_started(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = interrupt(COMMAND, number, tmp_path, monkeypatch)
    assert process.communicate() == ("", "")
    assert process.returncode == 128 + number
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "temporary"]
    left = [*(tmp_path / "cache").rglob("*.entry"), *(tmp_path / "cache").rglob("*.tmp")]
    assert left == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_compiler_does_not_outlive_a_process(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which ends at once, whatever it was about to do."""
    process = interrupt([sys.executable, "-c", SCRIPT], number, tmp_path, monkeypatch)
    process.communicate()
    assert process.returncode == -number


def test_an_ignored_signal_stays_so(tmp_path: Path) -> None:
    """As under nohup."""
    script = (
        "import os, signal, sys\n"
        "from rnn_compiler import cli\n"
        "from rnn_compiler.cli import environment\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "environment.print_version = lambda: os.kill(os.getpid(), signal.SIGHUP) or 0\n"
        "code = cli.main(['--version'])\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL\n"
        "sys.exit(code)\n"
    )
    processes.python(script)

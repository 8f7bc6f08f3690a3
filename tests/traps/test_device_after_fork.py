"""A device that is freed in a forked child waits for threads that do not exist."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

from traps.iree import trap

_FORK = """
import os, sys, warnings
warnings.simplefilter("ignore")
from iree import runtime
device = runtime.get_device("local-task")
child = os.fork()
if child == 0:
    sys.exit()  # the interpreter frees the device
sys.exit(os.waitpid(child, 0)[1])
"""


@trap("`keep_open` in runtime/device/shutdown.py")
def test_a_child_ends() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _FORK], stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert process.wait(5) == 0
    except subprocess.TimeoutExpired as error:
        raise AssertionError("it hangs") from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

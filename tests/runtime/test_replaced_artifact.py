"""An artifact that one process saves again while another loads it."""

import subprocess
import sys
from pathlib import Path

import pytest

import rnn_compiler as rc

_SAVER = """
import sys
import rnn_compiler as rc
found = [rc.runtime.read_artifact(each) for each in sys.argv[2:]]
print("ready", flush=True)
while True:
    for each in found:
        each.save(sys.argv[1])
"""


@pytest.mark.slow
def test_loads_during_saves(tmp_path: Path) -> None:
    """Payload and manifest that do not belong together are read again, and are not 'damaged'."""
    paths = [tmp_path / f"{units}.vmfb" for units in (2, 3)]
    for units, path in zip((2, 3), paths, strict=True):
        module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=units)
        rc.compile(module).save(path)
    shared = tmp_path / "shared.vmfb"
    rc.runtime.read_artifact(paths[0]).save(shared)
    words = [sys.executable, "-c", _SAVER, str(shared), *map(str, paths)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as saver:
        try:
            assert saver.stdout is not None
            assert saver.stdout.readline() == b"ready\n"
            for _ in range(400):
                rc.runtime.load(shared)
            assert saver.poll() is None, "it was saved all the time"
        finally:
            saver.kill()

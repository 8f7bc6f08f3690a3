"""The number of processors and the amount of memory that a cgroup allows."""

from __future__ import annotations

import os
from pathlib import Path

import processes
import pytest

from rnn_compiler.runtime.device import buffer_pool
from rnn_compiler.runtime.device import resources as module
from rnn_compiler.runtime.device.resources import processors, usable_memory

OPEN = """
import sys, time
from pathlib import Path
from rnn_compiler.runtime import get_device
from rnn_compiler.runtime.device import resources

resources.CGROUPS, resources.OWN_GROUPS = Path(sys.argv[1]), Path(sys.argv[1], "own")
get_device("local-task")

def workers():
    names = [Path(task, "comm").read_text() for task in Path("/proc/self/task").iterdir()]
    return sum(name.startswith("iree-worker") for name in names)

end = time.monotonic() + 60
while not workers() and time.monotonic() < end:  # they name themselves when they first run
    time.sleep(0.01)
time.sleep(0.5)
print(workers())
"""


def cgroups(folder: Path, **quotas: str) -> Path:
    """A process in the group ``/pods/mine`` of a tree of groups with these quotas."""
    groups = {"root": folder, "pods": folder / "pods", "mine": folder / "pods" / "mine"}
    groups["mine"].mkdir(parents=True)
    for name, quota in quotas.items():
        (groups[name] / "cpu.max").write_text(quota)
    (folder / "own").write_text("1:name=systemd:/elsewhere\n0::/pods/mine\n")
    return folder


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [
        ({}, 8),
        ({"mine": "max 100000"}, 8),
        ({"mine": "300000 100000"}, 3),
        ({"mine": "max 100000", "pods": "250000 100000"}, 3),
        ({"mine": "400000 100000", "pods": "150000 100000"}, 2),
        ({"mine": "20000 100000"}, 1),
        ({"mine": "9900000 100000"}, 8),
        ({"mine": "what is this"}, 8),
    ],
)
def test_the_least_of_all_groups(
    quotas: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cgroups(tmp_path, **quotas)
    monkeypatch.setattr(module, "CGROUPS", folder)
    monkeypatch.setattr(module, "OWN_GROUPS", folder / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert processors() == expected


def test_no_cgroups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OWN_GROUPS", tmp_path / "none")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5}, raising=False)
    assert processors() == 2


@pytest.mark.parametrize(
    ("limit", "kept"),
    [("max", 4 << 30), (str(16 << 30), 2 << 30), (str(1 << 30), 512 << 20), ("", 4 << 30)],
)
def test_the_pool_knows_the_memory(
    limit: str, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine's 64 GiB, or the limit of a group of this process."""
    folder = cgroups(tmp_path)
    if limit:
        (folder / "pods" / "memory.max").write_text(limit)
    monkeypatch.setattr(module, "CGROUPS", folder)
    monkeypatch.setattr(module, "OWN_GROUPS", folder / "own")
    sizes = {"SC_PHYS_PAGES": 16 << 20, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
    monkeypatch.delenv("RNN_COMPILER_POOL_MAX_SIZE", raising=False)
    assert usable_memory() == (int(limit) if limit.isdigit() else 64 << 30)
    assert buffer_pool.pool_options().split(";")[1] == str(kept)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="Linux's list of threads")
def test_the_pool_has_no_more_threads(tmp_path: Path) -> None:
    folder = cgroups(tmp_path, mine="100000 100000")
    done = processes.python(OPEN, folder)
    assert done.stdout.strip() == "1"

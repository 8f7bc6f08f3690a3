"""Huge pages: memory moves there with its content; packed weights are moved once."""

from __future__ import annotations

import mmap
import platform
import re

import numpy as np
import pytest
from cases import sizes

import rnn_compiler as rc
from rnn_compiler.runtime import prepacking
from rnn_compiler.runtime.device import huge_pages
from rnn_compiler.runtime.device.huge_pages import huge_page_size, use_huge_pages


def has_collapse() -> bool:
    release = [int(n) for n in re.findall(r"\d+", platform.release())[:2]]
    return platform.system() == "Linux" and release >= [6, 1] and huge_page_size() > 0


@pytest.mark.skipif(not has_collapse(), reason="needs Linux 6.1 or later")
def test_memory_moves_and_stays_the_same() -> None:
    size = 4 * huge_page_size()
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mapping.madvise(mmap.MADV_NOHUGEPAGE)
    memory = np.frombuffer(mapping, np.uint8)
    memory[:] = np.arange(size, dtype=np.uint8)
    address = memory.ctypes.data
    assert huge_bytes_at(address) == 0
    mapping.madvise(mmap.MADV_HUGEPAGE)
    moved = use_huge_pages(address, size)
    if moved < 3:
        pytest.skip(f"{moved} huge pages were to be had")
    assert huge_bytes_at(address + size // 2) >= (moved - 2) * huge_page_size() > 0
    np.testing.assert_array_equal(memory, np.arange(size, dtype=np.uint8))


def huge_bytes_at(address: int) -> int:
    """Bytes in huge pages of the mapping that an address is in."""
    inside = False
    with open("/proc/self/smaps") as lines:
        for line in lines:
            bounds = re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line)
            if bounds:
                inside = int(bounds[1], 16) <= address < int(bounds[2], 16)
            elif inside and line.startswith("AnonHugePages:"):
                return 1024 * int(line.split()[1])
    raise AssertionError("no such mapping")


def test_less_than_a_page_and_systems_without_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = np.zeros(1 << 16, np.uint8)
    assert use_huge_pages(memory.ctypes.data, memory.nbytes) == 0
    monkeypatch.setattr(huge_pages, "huge_page_size", lambda: 0)
    assert use_huge_pages(0, 1 << 40) == 0


@pytest.mark.slow
def test_packed_weights_are_moved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[tuple[int, int]] = []
    monkeypatch.setattr(prepacking, "use_huge_pages", lambda *where: moved.append(where))
    module = rc.build("CudnnRNN", **sizes(3, 2, 8, 96), num_layers=1, is_training=False)
    function = rc.runtime.load(rc.compile(module, "cpu"), "local-sync")
    arguments = {
        argument.name: function.to_device(np.zeros(argument.shape, np.float32))
        for each in function.functions.values()
        for argument in each.spec.arguments
    }
    counts: list[int] = []
    for _ in range(4):
        function(**arguments)
        counts.append(len(moved))
    assert counts == [0, len(moved), len(moved), len(moved)]
    assert 4 * 96 * 96 * 4 in [size for _, size in moved]  # R, in panels of whole width

"""The pool of freed buffers that a local device keeps for the next call.

Without a pool, every call pays for fresh pages for all its results and temporaries, a tenth to a
third of its time. IREE's pool serves only requests of exactly the size of a freed buffer, and when
full it keeps the oldest buffers and drops the newest (`caching_allocator.c`). After programs with
other sizes have run, it is useless. So calls are watched occasionally, and if a call had to
allocate in spite of the pool, the pool is emptied and then refills with current sizes.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rnn_compiler.base.byte_counts import parse_bytes
from rnn_compiler.runtime.device.resources import usable_memory

__all__ = ["is_watched", "pool_options", "watched"]

_LEAST, _MOST = 512 << 20, 4 << 30
"""Bounds of the pool's size in bytes, which includes buffers in use. The default is an eighth of
the memory. A training step with two matrices of 2048 x 8192 numbers needs 600 MB, and takes twice
as long if that does not fit."""

_BUFFERS = 1024
"""The maximum number of freed buffers."""

_LITTLE = 1 << 20
"""Bytes that a call may allocate before the pool is emptied."""


def pool_options() -> str:
    """The options of IREE's allocator: heaps, largest buffer, total size, number of buffers.

    Raises:
        InvalidArgumentError: ``RNN_COMPILER_POOL_MAX_SIZE`` is not a size.
    """
    text = os.environ.get("RNN_COMPILER_POOL_MAX_SIZE")
    size = min(max(usable_memory() // 8, _LEAST), _MOST)
    if text:
        size = parse_bytes(text, "device", "RNN_COMPILER_POOL_MAX_SIZE")
    return f"caching:*={size // 2};{size};{_BUFFERS}"


def is_watched(call: int) -> bool:
    """Whether to watch a function's n-th call, counting from 1; the first ones fill the pool.

    Example:
        >>> [call for call in range(1, 50) if is_watched(call)]
        [4, 16, 32, 48]
    """
    return call == 4 or call % 16 == 0


@contextmanager
def watched(allocator: Any) -> Generator[None, None, None]:
    """Empties the pool of a device's allocator if it did not serve the call in a ``with`` block.

    Allocations of other threads count too, as do results that a caller keeps. The pool is then
    emptied unnecessarily, which costs the next calls some fresh pages.
    """
    before = _allocated(allocator)
    yield
    if _allocated(allocator) - before > _LITTLE:
        allocator.trim()


def _allocated(allocator: Any) -> int:
    """The total number of bytes allocated so far, excluding those served by the pool."""
    statistics: dict[str, int] = allocator.statistics
    return statistics["host_bytes_allocated"] + statistics["device_bytes_allocated"]

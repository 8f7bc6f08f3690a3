"""The pool of freed buffers that a local device keeps for the next call.

Without one every call pays for fresh pages of all its results and temporaries, a tenth to a third
of its time. IREE 3.13's serves requests for exactly as many bytes as a freed buffer has, and when
it is full keeps its oldest buffers and lets go of the newest (`caching_allocator.c`): after some
programs of other sizes it is of no use to those that follow. So now and then a call is watched, and
where it had to allocate in spite of the pool, the pool is emptied, to be filled by what runs now.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rnn_compiler.runtime.byte_counts import parse_bytes
from rnn_compiler.runtime.device.memory import usable_memory

__all__ = ["is_watched", "pool_options", "watched"]

_LEAST, _MOST = 512 << 20, 4 << 30
"""Bytes of all buffers, in use or freed, up to which freed ones are kept: an eighth of the memory
that there is, within these bounds. One step of training with two matrices of 2048 x 8192 numbers
needs 600 MB, and takes twice as long if that does not fit."""

_BUFFERS = 1024
"""How many freed buffers are kept at most."""

_LITTLE = 1 << 20
"""Bytes that a call may allocate and the pool still be good."""


def pool_options() -> str:
    """IREE's allocator for a device: of which heaps, largest buffer, all of them, how many.

    Raises:
        InvalidArgumentError: ``RNN_COMPILER_POOL_MAX_SIZE`` is not a size.
    """
    text = os.environ.get("RNN_COMPILER_POOL_MAX_SIZE")
    size = min(max(usable_memory() // 8, _LEAST), _MOST)
    if text:
        size = parse_bytes(text, "device", "RNN_COMPILER_POOL_MAX_SIZE")
    return f"caching:*={size // 2};{size};{_BUFFERS}"


def is_watched(call: int) -> bool:
    """Whether a function's call of a number, from 1, is watched: not those that fill the pool.

    Example:
        >>> [call for call in range(1, 50) if is_watched(call)]
        [4, 16, 32, 48]
    """
    return call == 4 or call % 16 == 0


@contextmanager
def watched(allocator: Any) -> Generator[None, None, None]:
    """Empties the pool of a device's allocator if the call inside was not served by it.

    What other threads allocate meanwhile counts too, and results that a caller keeps: then the pool
    is emptied for nothing, which costs the calls that come next some fresh pages.
    """
    before = _allocated(allocator)
    yield
    if _allocated(allocator) - before > _LITTLE:
        allocator.trim()


def _allocated(allocator: Any) -> int:
    """Bytes that were ever allocated, not counting what the pool had."""
    statistics: dict[str, int] = allocator.statistics
    return statistics["host_bytes_allocated"] + statistics["device_bytes_allocated"]

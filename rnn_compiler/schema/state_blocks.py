"""Blocks of states, which C, JavaScript and Python write and read.

A block begins with two little-endian numbers of 64 bits: a hash of the states' names and types, and
one of the bytes that follow, which begins with the first. These are those of all states, in order.
Both are FNV-1a.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from rnn_compiler.schema.specs import TensorSpec

HEADER = 16
"""The size of the header of a block in bytes."""

_START, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1

_CHUNK = 1 << 16


def layout_of(tensors: Iterable[TensorSpec]) -> int:
    """The hash of names and types."""
    text = "".join(f"{each.name} {each.dtype} {[*each.static_shape]};" for each in tensors)
    return hashed(_START, text.encode())


def hashed(start: int, data: bytes) -> int:
    """Continues a hash, FNV-1a of 64 bits, with many bytes at a time.

    A byte b turns h into ``(h ^ b) * p``, which is ``(h + d) * p`` with a d that depends only on b
    and the low byte of h. With all d known, the hash is a sum of products with powers of p. The
    bits of the low bytes are found one after the other, from the lowest: as p is odd, each changes
    by the byte's bit and by a carry from the lower ones.

    Example:
        >>> f"{hashed(0xCBF29CE484222325, b'foobar'):016x}"
        '85944171f73967e8'
    """
    total, numbers = start, np.frombuffer(data, np.uint8)
    powers = np.multiply.accumulate(np.full(min(_CHUNK, len(data)), _PRIME, np.uint64))
    for first in range(0, len(data), _CHUNK):
        part = numbers[first : first + _CHUNK]
        low = _low_bytes(total & 0xFF, part)
        added = ((low ^ part).astype(np.int64) - low).astype(np.uint64)
        carried = int(np.sum(added * powers[: len(part)][::-1], dtype=np.uint64))
        total = (total * int(powers[len(part) - 1]) + carried) & _MASK
    return total


def _low_bytes(start: int, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The low bytes of a hash before each byte of some data."""
    low = np.zeros(len(data), np.uint8)
    for bit in range(8):
        lower = (low ^ data) & np.uint8((1 << bit) - 1)
        changes = (data ^ lower * np.uint8(_PRIME & 0xFF)) >> np.uint8(bit) & np.uint8(1)
        before = np.concatenate([[np.uint8(start >> bit & 1)], changes[:-1]])
        low |= np.bitwise_xor.accumulate(before) << np.uint8(bit)
    return low

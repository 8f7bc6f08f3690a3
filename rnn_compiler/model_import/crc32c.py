"""CRC-32C, the sum that TensorFlow's files are checked by.

It is linear over bits, so long data are cut into equal parts whose sums numpy works out side by
side, two bytes of each at a time. Parts a and b join as ``sum(ab) = shift(sum(a)) ^ sum(b)``, where
shift is the effect of as many zero bytes as b has.

Sources: RFC 3720, appendix B.4; the mask is leveldb/util/crc32c.h's.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["crc32c", "masked_crc32c"]

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFFFFFF
_MASK = 0xA282EAD8
_PARTS = 1 << 14
"""Into how many parts long data are cut."""


def masked_crc32c(data: bytes) -> int:
    """The sum as TensorFlow stores it.

    Example:
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & _ONES


def crc32c(data: bytes) -> int:
    """The sum of some bytes.

    Example:
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    each = len(data) // (2 * _PARTS)
    rest = len(data) - 2 * each * _PARTS
    state: Any = np.full(1, _ONES, np.uint32)
    if each:
        parts = np.zeros(_PARTS, np.uint32)
        parts[0] = _ONES
        words: Any = np.frombuffer(data, "<u2", each * _PARTS)
        columns = np.ascontiguousarray(words.reshape(_PARTS, each).T)
        state = _join(_update(parts, columns, 16), 2 * each)
    tail: Any = np.frombuffer(data, np.uint8, rest, len(data) - rest)
    return int(_update(state, tail[:, None], 8)[0]) ^ _ONES


def _update(state: Any, columns: Any, bits: int) -> Any:
    """The states after some words of 8 or 16 bits each, of which a row holds the next of each."""
    table, last = _table(bits), np.uint32((1 << bits) - 1)
    for column in columns:
        state = table[(state ^ column) & last] ^ (state >> np.uint32(bits))
    return state


def _join(state: Any, length: int) -> Any:
    """The state of all parts, each of that many bytes, one after the other."""
    shift = _zeros(length)
    while len(state) > 1:
        state = _apply(shift, state[0::2]) ^ state[1::2]
        shift = _apply(shift, shift)
    return state


def _zeros(count: int) -> Any:
    """The effect of that many zero bytes, as what it makes of each bit."""
    bits: Any = np.arange(32)
    effect = np.left_shift(1, bits, dtype=np.uint32, casting="unsafe")
    power = _update(effect, np.zeros((1, 32), np.uint8), 8)
    while count:
        if count & 1:
            effect = _apply(power, effect)
        power = _apply(power, power)
        count >>= 1
    return effect


def _apply(effect: Any, values: Any) -> Any:
    """What an effect makes of values."""
    result: Any = np.zeros_like(values)
    for bit in range(32):
        result ^= np.where(values >> np.uint32(bit) & 1, effect[bit], np.uint32(0))
    return result


@functools.cache
def _table(bits: int) -> Any:
    """The effect of each word of that many bits."""
    table: npt.NDArray[np.uint32] = np.arange(1 << bits, dtype=np.uint32)
    for _ in range(bits):
        odd = table & np.uint32(1)
        table = table >> np.uint32(1) ^ odd * np.uint32(_POLYNOMIAL)
    return table

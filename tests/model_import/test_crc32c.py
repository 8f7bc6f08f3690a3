"""The sum of TensorFlow's files, against a bit at a time, and against what TensorFlow wrote."""

from __future__ import annotations

import numpy as np
import pytest

from rnn_compiler.model_import.crc32c import crc32c


def slow(data: bytes) -> int:
    """By the definition."""
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


@pytest.mark.parametrize("length", [0, 1, 9, 1000, 32767, 32768, 32771, 65536, 65541])
def test_any_length(length: int) -> None:
    """Cut into parts from 32 KiB on; what is left over comes last."""
    data = np.random.default_rng(length).bytes(length)
    assert crc32c(data) == slow(data)


def test_known_sums() -> None:
    """RFC 3720, B.4."""
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E

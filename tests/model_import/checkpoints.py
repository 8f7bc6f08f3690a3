"""Indexes of checkpoints, written again with other entries and correct checksums."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from rnn_compiler.model_import.checkpoint import MAGIC, masked_crc32c, table

__all__ = ["entries_of", "index_of"]


def entries_of(index: Path) -> dict[str, bytes]:
    """The entries of an index by their keys; that of the empty key is the header."""
    return dict(table(index.read_bytes(), index))


def index_of(entries: Mapping[str, bytes] | list[tuple[int, bytes, bytes]]) -> bytes:
    """An index with a single block.

    Args:
        entries: The values by key; or rows of how many bytes of a key are those of the key before,
            its other bytes, and the value.
    """
    if isinstance(entries, Mapping):
        entries = [(0, key.encode(), value) for key, value in sorted(entries.items())]
    content = b"".join(
        varint(common) + varint(len(own)) + varint(len(value)) + own + value
        for common, own, value in entries
    )
    block = content + struct.pack("<II", 0, 1)
    handle = varint(0) + varint(len(block))
    index = varint(0) + varint(1) + varint(len(handle)) + b"z" + handle + struct.pack("<II", 0, 1)
    start = len(block) + 5
    footer = (varint(0) + varint(0) + varint(start) + varint(len(index))).ljust(40, b"\0")
    return with_sum(block) + with_sum(index) + footer + struct.pack("<Q", MAGIC)


def with_sum(block: bytes) -> bytes:
    return block + b"\0" + struct.pack("<I", masked_crc32c(block + b"\0"))


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))

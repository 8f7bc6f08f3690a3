"""The cache in memory: the most recently used artifacts, up to a size."""

from __future__ import annotations

import rnn_compiler as rc
from rnn_compiler.runtime.cache.memory import MemoryCache


def test_it_keeps_what_was_used_last(tiny: rc.Artifact) -> None:
    memory = MemoryCache(2 * len(tiny.payload))
    memory.put("a", tiny)
    memory.put("b", tiny)
    assert memory.get("a") is tiny
    memory.put("c", tiny)
    assert [memory.get(key) for key in "abc"] == [tiny, None, tiny]


def test_putting_again_takes_no_more_room(tiny: rc.Artifact) -> None:
    memory = MemoryCache(2 * len(tiny.payload))
    for key in "abbbb":
        memory.put(key, tiny)
    assert [memory.get(key) for key in "ab"] == [tiny, tiny]


def test_what_is_too_large_is_not_kept(tiny: rc.Artifact) -> None:
    memory = MemoryCache(len(tiny.payload) - 1)
    memory.put("a", tiny)
    assert memory.get("a") is None

"""Artifacts in memory: in front of the cache on disk, or instead of it if there is none."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from rnn_compiler.base.systems import anew_after_fork
from rnn_compiler.runtime.artifact import Artifact

__all__ = ["MemoryCache"]


class MemoryCache:
    """The most recently used artifacts, up to a size. Thread-safe.

    Args:
        max_size: The total size of payloads to keep, in bytes.
    """

    def __init__(self, max_size: int = 64 << 20) -> None:
        self._max_size = max_size
        self._size = 0
        self._artifacts: OrderedDict[Hashable, Artifact] = OrderedDict()
        self._lock = anew_after_fork(threading.RLock())

    def get(self, key: Hashable) -> Artifact | None:
        """The artifact of a key; None if it is missing."""
        with self._lock:
            artifact = self._artifacts.get(key)
            if artifact is not None:
                self._artifacts.move_to_end(key)
            return artifact

    def put(self, key: Hashable, artifact: Artifact) -> None:
        """Stores an artifact, evicting the least recently used ones."""
        with self._lock:
            self._drop(key)
            self._artifacts[key] = artifact
            self._size += len(artifact.payload)
            while self._size > self._max_size:
                self._drop(next(iter(self._artifacts)))

    def _drop(self, key: Hashable) -> None:
        dropped = self._artifacts.pop(key, None)
        self._size -= len(dropped.payload) if dropped else 0

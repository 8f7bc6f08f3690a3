"""The artifact cache: compiled modules on disk (`artifact_cache`) and in memory (`memory`)."""

from rnn_compiler.runtime.cache.artifact_cache import (
    DEFAULT_MAX_SIZE,
    MODES,
    ArtifactCache,
    CacheKey,
)

__all__ = ["DEFAULT_MAX_SIZE", "MODES", "ArtifactCache", "CacheKey"]

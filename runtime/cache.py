"""The artifact cache: one self-checking file per compiled module.

    FOLDER/v1/ab/ab12....entry      magic, header length, header sha256, header, payload

The header is JSON: the full key and the manifest, which holds the payload's digest. An entry is
written to a temporary file in its folder, synced and renamed, so that no reader ever sees a part of
one, and it is never touched again. Whatever goes wrong here is a miss: the caller compiles, and the
reason is logged.

The environment decides: ``RNN_COMPILER_CACHE_DIR`` where, ``RNN_COMPILER_CACHE`` how: ``rw``
(default), ``ro`` (hits only), ``off``, ``verify`` (recompile on a hit and compare).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import struct
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import platformdirs

from rnn_compiler.errors import ArtifactError, CacheWarning, InvalidArgumentError
from rnn_compiler.manifest import Manifest
from rnn_compiler.runtime.artifact import Artifact, write_atomically

__all__ = ["MODES", "ArtifactCache", "CacheKey"]

MODES = ("rw", "ro", "off", "verify")

_MAGIC = b"RNNCOMP\x01"
_PREFIX = struct.Struct("<8sQ32s")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CacheKey:
    """What an artifact depends on, entry by entry.

    Attributes:
        entries: The value of each entry, as plain JSON data.
    """

    entries: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """The sha256 of the entries, the only name that reaches the disk."""
        text = json.dumps(self.entries, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class ArtifactCache:
    """A folder of cached artifacts.

    Attributes:
        folder: Where it is.
        mode: One of `MODES`.
    """

    folder: Path
    mode: str = "rw"

    @staticmethod
    def from_environment() -> ArtifactCache:
        """The cache that the environment names.

        Raises:
            InvalidArgumentError: ``RNN_COMPILER_CACHE`` is not a mode.
        """
        mode = os.environ.get("RNN_COMPILER_CACHE") or "rw"
        if mode not in MODES:
            raise InvalidArgumentError(
                "environment", "RNN_COMPILER_CACHE", f"one of {', '.join(MODES)}", repr(mode)
            )
        named = os.environ.get("RNN_COMPILER_CACHE_DIR")
        return ArtifactCache(Path(named or platformdirs.user_cache_dir("rnn-compiler")), mode)

    @property
    def reproducers(self) -> Path:
        """The folder under which failed compilations are saved."""
        return self.folder / "reproducers"

    def path(self, key: CacheKey) -> Path:
        """The file of an entry."""
        return self.folder / "v1" / key.digest[:2] / f"{key.digest}.entry"

    def get(self, key: CacheKey) -> Artifact | None:
        """The artifact of a key, verified; None if there is none to be had."""
        if self.mode == "off":
            return None
        path = self.path(key)
        try:
            artifact = _decode(path.read_bytes(), key)
        except FileNotFoundError:
            _log.debug("miss: no entry %s for %s", path.name, dict(key.entries))
            return None
        except (OSError, ArtifactError) as error:
            _log.warning("miss: cache entry %s is unusable: %s", path, error)
            return None
        _log.debug("hit: %s", path)
        return artifact

    def put(self, key: CacheKey, artifact: Artifact) -> None:
        """Publishes an artifact; a failure is a `CacheWarning`."""
        if self.mode in ("off", "ro"):
            return
        path = self.path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(path, _encode(artifact, key))
        except OSError as error:
            warnings.warn(
                f"cannot write to the cache {self.folder} ({error.strerror}): compiled modules are "
                "not kept; set RNN_COMPILER_CACHE_DIR to another folder, or RNN_COMPILER_CACHE=ro",
                CacheWarning,
                stacklevel=2,
            )


def _encode(artifact: Artifact, key: CacheKey) -> bytes:
    header = json.dumps({"key": key.entries, "manifest": artifact.manifest.to_json()}).encode()
    prefix = _PREFIX.pack(_MAGIC, len(header), hashlib.sha256(header).digest())
    return prefix + header + artifact.payload


def _decode(data: bytes, key: CacheKey) -> Artifact:
    """The artifact in an entry.

    Raises:
        ArtifactError: The entry is damaged, or is that of another key.
    """
    if len(data) < _PREFIX.size:
        raise ArtifactError("truncated")
    magic, length, digest = _PREFIX.unpack_from(data)
    header = data[_PREFIX.size : _PREFIX.size + length]
    if magic != _MAGIC or hashlib.sha256(header).digest() != digest:
        raise ArtifactError("its header is damaged")
    try:
        fields = json.loads(header)
        stored, described = CacheKey(fields["key"]), fields["manifest"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ArtifactError(f"its header is not one ({error!r})") from error
    if stored.digest != key.digest:
        raise ArtifactError("it is the entry of another key")
    manifest = Manifest.from_json(described, "cache entry")
    artifact = Artifact(manifest, data[_PREFIX.size + length :])
    artifact.verify("cache entry")
    return artifact

"""The binary format of cache entries, with checksums.

    magic, header length, header sha256, header, payload

The header is JSON: the full key and the manifest, which contains the payload's digest. So any
changed byte is detected, and so is an entry under another entry's name.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.schema.manifest import Manifest

__all__ = ["CacheKey", "decode", "encode"]

_MAGIC = b"RNNCOMP\x01"
_PREFIX = struct.Struct("<8sQ32s")


@dataclass(frozen=True)
class CacheKey:
    """Everything that an artifact depends on.

    Attributes:
        entries: The values by name, as plain JSON data.
    """

    entries: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """The sha256 of the values, which is the entry's file name."""
        text = json.dumps(self.entries, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def encode(key: CacheKey, artifact: Artifact) -> bytes:
    """Encodes an artifact as an entry."""
    header = json.dumps({"key": key.entries, "manifest": artifact.manifest.to_json()}).encode()
    prefix = _PREFIX.pack(_MAGIC, len(header), hashlib.sha256(header).digest())
    return prefix + header + artifact.payload


def decode(data: bytes, digest: str) -> tuple[CacheKey, Artifact]:
    """Decodes the key and the artifact of an entry.

    Args:
        data: The entry.
        digest: The digest of the key it is expected to be for.

    Raises:
        ArtifactError: It is damaged, or belongs to another key.
    """
    if len(data) < _PREFIX.size:
        raise ArtifactError("truncated")
    magic, length, header_digest = _PREFIX.unpack_from(data)
    header = data[_PREFIX.size : _PREFIX.size + length]
    if magic != _MAGIC or hashlib.sha256(header).digest() != header_digest:
        raise ArtifactError("its header is damaged")
    try:
        fields = json.loads(header)
        key, described = CacheKey(fields["key"]), fields["manifest"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ArtifactError(f"its header is malformed ({error!r})") from error
    if key.digest != digest:
        raise ArtifactError("it belongs to another key")
    artifact = Artifact(Manifest.from_json(described, "cache entry"), data[_PREFIX.size + length :])
    artifact.verify("cache entry")
    return key, artifact

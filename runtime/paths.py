"""File names of artifacts and bundles.

| | an artifact | a bundle |
|---|---|---|
| payload | ``lstm.vmfb`` | one for each target |
| manifest | ``lstm.vmfb.json`` | ``manifest.json`` |
| frozen weights | ``lstm.irpa`` | ``parameters.irpa``, for all targets |
| golden | ``lstm.vmfb.golden.npz`` | ``golden.npz`` |
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = [
    "BUNDLE_ARCHIVE",
    "BUNDLE_GOLDEN",
    "BUNDLE_MANIFEST",
    "archive_path",
    "golden_path",
    "manifest_path",
]

BUNDLE_MANIFEST = "manifest.json"
BUNDLE_GOLDEN = "golden.npz"
BUNDLE_ARCHIVE = "parameters.irpa"


def manifest_path(path: Path) -> Path:
    """The path of an artifact's manifest.

    Raises:
        IsADirectoryError: The artifact's path is one without a file name, such as ``"."``.
    """
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return path.with_name(f"{path.name}.json")


def archive_path(path: Path) -> Path:
    """The path of the frozen weights of an artifact or bundle."""
    if path.is_dir():
        return path / BUNDLE_ARCHIVE
    return path.with_name(f"{path.name.removesuffix('.vmfb')}.irpa")


def golden_path(path: Path) -> Path:
    """The path of the golden of an artifact or bundle (`runtime.golden`)."""
    return path / BUNDLE_GOLDEN if path.is_dir() else path.with_name(f"{path.name}.golden.npz")

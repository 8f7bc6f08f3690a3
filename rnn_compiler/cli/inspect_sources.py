"""`inspect` of a module in C: prints its manifest after checking its files against it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from rnn_compiler.cli.terminal import print_facts, print_json, print_line, print_table
from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.selftest import read_c_manifest

__all__ = ["inspect_sources"]


def inspect_sources(path: Path, *, as_json: bool) -> None:
    """Prints the description of a module.

    Args:
        path: Its manifest.
        as_json: Whether to print the manifest unchanged.

    Raises:
        ArtifactError: A file is missing or damaged, or of another version.
    """
    manifest = read_c_manifest(path)
    try:
        facts, functions = _facts(path, manifest), _functions(manifest)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ArtifactError(f"{path}: damaged manifest ({error!r})") from error
    for file, row in manifest["files"].items():
        _check_file(path.with_name(file), row)
    if as_json:
        print_json(manifest)
        return
    print_facts(facts)
    print_line()
    print_table(("function", "op", "RAM", "stack"), functions)


def _facts(path: Path, manifest: dict[str, Any]) -> list[tuple[str, str]]:
    target = manifest["target"]
    versions = (manifest["package_version"], manifest["compiler_version"])
    golden = manifest["golden"]
    files = [(file, f"{int(row['size']):,} bytes") for file, row in manifest["files"].items()]
    return [
        ("module", f"{manifest['name']}, in {manifest['format'].upper()}"),
        ("file", str(path)),
        ("made by", "rnn-compiler {}, IREE {}".format(*versions)),
        ("target", f"{target['name']} ({target['architecture']})"),
        ("CPU features", " ".join(target["features"]) or "the architecture's baseline"),
        ("flash", f"{int(manifest['flash_size']):,} bytes of code and constants"),
        ("alignment", f"{int(manifest['alignment'])} bytes"),
        *([("golden", f"computed by {golden['computed_by']}")] if golden else []),
        *files,
    ]


def _functions(manifest: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            row["function"],
            row["op"] if "op" in row else f"companion of {row['companion_of']}",
            _bytes(row["scratch_size"]),
            _bytes(row["stack_size"]),
        )
        for row in manifest["functions"]
    ]


def _bytes(size: int | str) -> str:
    """A size, which may be a formula of open sizes."""
    return f"{size} bytes" if isinstance(size, str) else f"{size:,} bytes"


def _check_file(path: Path, row: dict[str, Any]) -> None:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be read ({error.strerror or error})") from error
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise ArtifactError(f"{path}: damaged, its digest is not the manifest's: compile again")

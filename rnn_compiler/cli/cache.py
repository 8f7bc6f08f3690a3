"""`cache`: shows, verifies and prunes the artifact cache."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

from rnn_compiler.base.byte_counts import parse_bytes
from rnn_compiler.cli.options import UsageError, add_json_option
from rnn_compiler.cli.terminal import print_facts, print_json, print_line, print_table
from rnn_compiler.errors import ArtifactError
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.runtime.cache import ArtifactCache, eviction
from rnn_compiler.runtime.cache.entries import CacheKey, decode
from rnn_compiler.runtime.cache.eviction import StoredFile
from rnn_compiler.runtime.cache.folder import read_file
from rnn_compiler.schema.formats import FORMATS
from rnn_compiler.schema.manifest import Manifest

__all__ = ["add_cache"]


def add_cache(verbs: Any) -> None:
    """Adds the verb `cache`, which has subcommands."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "cache",
        help="show, check and empty the artifact cache",
        description="Shows, checks and empties the artifact cache. It deletes only files that it "
        "has created itself.",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    def add(name: str, action: Callable[[argparse.Namespace], int], text: str) -> Any:
        sub = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_json_option(sub)
        sub.set_defaults(verb=action)
        return sub

    add("dir", _dir, "print the folder")
    add("ls", _ls, "list the entries, most recently used first")
    add("stats", _stats, "show how many entries there are and how large they are")
    add(
        "verify",
        _verify,
        "check every entry, and move damaged ones to the folder quarantine (exit code 1 if there "
        "are any)",
    )
    prune = add("prune", _prune, "delete the least recently used entries")
    prune.add_argument(
        "--max-size",
        metavar="SIZE",
        help="how much to keep, such as 500M or 2G (default: RNN_COMPILER_CACHE_MAX_SIZE, else 1G)",
    )
    add("clear", _clear, "delete every entry")


def _dir(options: argparse.Namespace) -> int:
    folder = str(_cache().folder)
    if options.json:
        print_json({"folder": folder})
    else:
        print_line(folder)
    return 0


def _ls(options: argparse.Namespace) -> int:
    cache = _cache()
    rows = [_facts(file) for file in eviction.list_entries(cache.files)]
    if options.json:
        print_json(rows)
        return 0
    if not rows:
        print_line(f"no entries in {cache.folder}")
        return 0
    of_parts = " or ".join(each.product for name, each in FORMATS.items() if name != "vmfb")
    table: list[tuple[str, ...]] = []
    for row in rows:
        entry, size, used = row["digest"][:12], _size(row["size"]), _ago(row["used"])
        if "damage" in row:
            table.append((entry, f"damaged: {row['damage']}", "", "", size, used))
            continue
        first = row["functions"][0]
        ops = " ".join(function["op"] for function in row["functions"])
        sizes = " ".join(
            f"{name}={'?' if number is None else number}" for name, number in first["dims"].items()
        )
        target = row["target"] + ("" if row["format"] == "vmfb" else f", for {of_parts}")
        table.append((entry, ops, f"{first['dtype']} {sizes}", target, size, used))
    print_table(("entry", "functions", "dimensions", "target", "size", "used"), table)
    return 0


def _facts(file: StoredFile) -> dict[str, Any]:
    """An entry as plain data."""
    facts: dict[str, Any] = {
        "digest": file.digest,
        "path": str(file.path),
        "size": file.size,
        "used": file.used,
    }
    entry = _read(file)
    if isinstance(entry, str):
        return {**facts, "damage": entry}
    key, manifest = entry
    return {
        **facts,
        "format": key.entries.get("format", ["vmfb"])[0],
        "functions": [
            {
                "op": spec.op,
                "dtype": spec.dtype,
                "dims": spec.json_dims,
                "attributes": spec.json_attributes,
            }
            for spec in manifest.functions
        ],
        "target": manifest.target.name,
        "package_version": manifest.package_version,
        "compiler_version": manifest.compiler_version,
    }


def _read(file: StoredFile) -> tuple[CacheKey, Manifest] | str:
    """The key and the manifest of an entry, or the reason why it is damaged."""
    try:
        key, artifact = decode(read_file(file.path), file.digest)
    except ArtifactError as error:
        return str(error)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return key, artifact.manifest


def _stats(options: argparse.Namespace) -> int:
    cache = _cache()
    entries = eviction.list_entries(cache.files)
    quarantined = eviction.list_quarantined(cache.files)
    facts: dict[str, Any] = {
        "folder": str(cache.folder),
        "mode": cache.mode,
        "entries": len(entries),
        "size": _total(entries),
        "max_size": cache.max_size,
        "quarantined": len(quarantined),
        "quarantined_size": _total(quarantined),
    }
    if options.json:
        print_json(facts)
        return 0
    print_facts(
        [
            ("folder", facts["folder"]),
            ("mode", facts["mode"]),
            ("entries", f"{len(entries):,}"),
            ("size", f"{_size(facts['size'])} of {_size(cache.max_size)}"),
            ("in quarantine", f"{len(quarantined):,} ({_size(facts['quarantined_size'])})"),
            ("used last", _ago(entries[0].used) if entries else "-"),
        ]
    )
    return 0


def _verify(options: argparse.Namespace) -> int:
    cache = _own_cache()
    entries = eviction.list_entries(cache.files)
    damaged: dict[str, str] = {}
    for file in entries:
        found = _read(file)
        if isinstance(found, str):
            damaged[str(file.path)] = found
            cache.set_aside(file.path)
    if options.json:
        print_json({"entries": len(entries), "damaged": damaged})
    else:
        for path, damage in damaged.items():
            print_line(f"damaged: {path}: {damage}")
        print_line(f"{len(entries) - len(damaged):,} of {len(entries):,} entries are intact")
    return 1 if damaged else 0


def _prune(options: argparse.Namespace) -> int:
    cache = _own_cache()
    limit = cache.max_size
    if options.max_size is not None:
        limit = parse_bytes(options.max_size, "cache", "--max-size")
    return _report(options, eviction.prune(cache.files, limit))


def _clear(options: argparse.Namespace) -> int:
    return _report(options, eviction.clear(_own_cache().files))


def _cache() -> ArtifactCache:
    """The cache.

    Raises:
        UnsupportedError: This machine only runs artifacts.
    """
    check_can_compile("cache")
    return ArtifactCache.from_environment()


def _own_cache() -> ArtifactCache:
    """The cache, if its folder is one that compilations use.

    Raises:
        UsageError: The folder is not usable.
        UnsupportedError: This machine only runs artifacts.
    """
    cache = _cache()
    try:
        cache.files.check_own()
    except FileNotFoundError:
        pass  # not created yet
    except OSError as error:
        raise UsageError(
            f"{cache.folder} cannot be used as a cache ({error.strerror}): nothing was done"
        ) from error
    return cache


def _report(options: argparse.Namespace, deleted: Sequence[StoredFile]) -> int:
    if options.json:
        print_json({"deleted": len(deleted), "size": _total(deleted)})
    else:
        print_line(f"{len(deleted):,} entries deleted, {_size(_total(deleted))}")
    return 0


def _total(files: Sequence[StoredFile]) -> int:
    return sum(file.size for file in files)


def _size(number: float) -> str:
    for unit in ("B", "KB", "MB"):
        if number < 1024:
            return f"{number:.3g} {unit}" if number < 999.5 else f"{number:.0f} {unit}"
        number /= 1024
    return f"{number:.3g} GB"


def _ago(when: float) -> str:
    seconds = time.time() - when
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit} ago"
    return "just now" if seconds >= 0 else "in the future"

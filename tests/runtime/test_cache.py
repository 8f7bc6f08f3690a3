"""The cache: an entry is complete and the right one, or it is a miss; a miss is never an error."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import random
import resource
import struct
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

import rnn_compiler as rc
from rnn_compiler import compilation
from rnn_compiler.errors import CacheWarning
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.runtime.cache import MODES, ArtifactCache, CacheKey
from rnn_compiler.schema import cpu_features

pytestmark = pytest.mark.usefixtures("compiled_before")

KEY = CacheKey({"functions": [["BlockLSTMV2", {"seq_length": 3}]], "schema": 1})
OTHER = CacheKey({"functions": [["BlockLSTMV2", {"seq_length": 4}]], "schema": 1})


@pytest.fixture
def cache(tmp_path: Path) -> ArtifactCache:
    return ArtifactCache(tmp_path / "cache")


@pytest.fixture
def entry(cache: ArtifactCache, tiny: rc.Artifact) -> Path:
    """The file of an entry."""
    cache.put(KEY, tiny)
    return cache.path(KEY)


@pytest.fixture
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cold cache for `rc.compile`."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(folder))
    monkeypatch.delenv("RNN_COMPILER_CACHE", raising=False)
    return folder


def files(folder: Path) -> list[Path]:
    """All files of a cache except its tag and locks."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in found if path.name != "CACHEDIR.TAG" and path.suffix != ".lock"]


def cache_warnings(caught: list[warnings.WarningMessage]) -> list[str]:
    return [str(each.message) for each in caught if each.category is CacheWarning]


# Entries.


def test_an_entry_is_what_was_put(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, tiny)
    assert cache.get(KEY) == tiny
    assert cache.get(OTHER) is None


def test_entries_are_named_by_digest_alone(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    """Nothing that a caller names reaches the file system."""
    key = CacheKey({"functions": "../../../etc/passwd\0", "name": "a" * 5000})
    cache.put(key, tiny)
    (path,) = files(cache.folder)
    assert path == cache.folder / "v1" / key.digest[:2] / f"{key.digest}.entry"
    assert set(key.digest) <= set("0123456789abcdef")
    assert len(key.digest) == 64


def test_keys_differ_in_any_entry_but_not_in_their_order() -> None:
    assert CacheKey({"a": 1, "b": [2]}).digest == CacheKey({"b": [2], "a": 1}).digest
    digests = [CacheKey(entries).digest for entries in ({}, {"a": 1}, {"a": "1"}, {"a": [1]})]
    assert len(set(digests)) == 4


@contextmanager
def quiet() -> Iterator[None]:
    """Without the log record of each miss."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def places(data: bytes, artifact: rc.Artifact) -> list[int]:
    """The bytes to damage: all before the payload, and every 17th of it, which has one digest."""
    start = len(data) - len(artifact.payload)
    return [*range(start), *range(start, len(data) - 1, 17), len(data) - 1]


@pytest.mark.slow
def test_a_truncation_is_a_miss(cache: ArtifactCache, entry: Path, tiny: rc.Artifact) -> None:
    """As left by a full disk, or a crash without a sync."""
    data = entry.read_bytes()
    cache = replace(cache, mode="ro")  # which leaves it where it is
    with quiet():
        for size in reversed(places(data, tiny)):
            os.truncate(entry, size)
            assert cache.get(KEY) is None, f"{size} of {len(data)} bytes"


@pytest.mark.slow
def test_a_flipped_bit_is_a_miss(cache: ArtifactCache, entry: Path, tiny: rc.Artifact) -> None:
    data = entry.read_bytes()
    cache = replace(cache, mode="ro")
    rng = random.Random(0)
    with quiet(), entry.open("r+b", buffering=0) as file:
        for position in places(data, tiny):
            byte = data[position]
            os.pwrite(file.fileno(), bytes([byte ^ 1 << rng.randrange(8)]), position)
            assert cache.get(KEY) is None, f"byte {position} of {len(data)}"
            os.pwrite(file.fileno(), bytes([byte]), position)
    assert cache.get(KEY) is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: bytes(len(data)),
        lambda data: data + b"\0",
        lambda data: data + data,
        lambda data: b"\xff" * len(data),
        lambda data: data[:8] + b"\xff" * 8 + data[16:],  # a header of 2**64 - 1 bytes
        lambda data: data[:8] + bytes(8) + data[16:],
        lambda data: b"RNNCOMP\x02" + data[8:],
    ],
)
def test_other_damage_is_a_miss(
    cache: ArtifactCache, entry: Path, tiny: rc.Artifact, damage: Callable[[bytes], bytes]
) -> None:
    """And the next `put` mends it."""
    entry.write_bytes(damage(entry.read_bytes()))
    assert cache.get(KEY) is None
    cache.put(KEY, tiny)
    assert cache.get(KEY) == tiny


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[" * 100_000,
        b"5",
        b"[]",
        b"{}",
        json.dumps({"key": 5, "manifest": {}}).encode(),
        json.dumps({"key": KEY.entries}).encode(),
        json.dumps({"key": KEY.entries, "manifest": 5}).encode(),
        json.dumps({"key": KEY.entries, "manifest": {"schema": 1}}).encode(),
        json.dumps({"key": KEY.entries, "manifest": {"schema": 2}}).encode(),
    ],
    ids=lambda header: f"{header!r:.40}",
)
def test_a_well_formed_entry_of_another_kind_is_a_miss(
    cache: ArtifactCache, entry: Path, header: bytes
) -> None:
    """One that a later version of this package wrote, say: digests are right, the rest is not."""
    magic = entry.read_bytes()[:8]
    prefix = struct.pack("<8sQ32s", magic, len(header), hashlib.sha256(header).digest())
    entry.write_bytes(prefix + header + b"payload")
    assert cache.get(KEY) is None


def test_the_entry_of_another_key_is_a_miss(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    cache.put(KEY, tiny)
    cache.put(OTHER, tiny)
    cache.path(KEY).replace(cache.path(OTHER))
    assert cache.get(OTHER) is None
    assert cache.get(KEY) is None


def test_a_payload_of_another_entry_is_a_miss(
    cache: ArtifactCache, tiny: rc.Artifact, artifact: rc.Artifact
) -> None:
    cache.put(KEY, tiny)
    cache.put(OTHER, artifact)
    head = cache.path(KEY).read_bytes()[: -len(tiny.payload)]
    cache.path(KEY).write_bytes(head + artifact.payload)
    assert cache.get(KEY) is None


def test_what_is_no_file_is_a_miss(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    cache.path(KEY).mkdir(parents=True)
    assert cache.get(KEY) is None
    with pytest.warns(CacheWarning):
        cache.put(KEY, tiny)
    assert files(cache.folder) == []


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EBUSY, errno.EACCES])
def test_a_failing_read_is_a_miss(
    cache: ArtifactCache, entry: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(path: Path, *_: object) -> NoReturn:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(os, "open", fail)
    assert cache.get(KEY) is None


def test_misses_are_logged_with_their_reason(
    cache: ArtifactCache, entry: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "rnn_compiler.runtime.cache")
    cache.get(KEY)
    cache.get(OTHER)
    os.truncate(entry, 10)
    cache.get(KEY)
    hit, cold, broken = [record.getMessage() for record in caplog.records]
    assert hit.startswith("hit: ")
    assert cold.startswith("miss: no entry ")
    assert "'seq_length': 4" in cold
    assert broken.startswith("miss: cache entry ")
    assert broken.endswith("is unusable: truncated")


# Writing.


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("where", ["os.fsync", "pathlib.Path.open", "pathlib.Path.replace"])
def test_a_failing_write_leaves_nothing(
    cache: ArtifactCache,
    tiny: rc.Artifact,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    where: str,
) -> None:
    """A full disk, a quota, a read-only mount: no entry, no temporary file, one warning."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(where, fail)
        with pytest.warns(CacheWarning, match=os.strerror(number)) as caught:
            cache.put(KEY, tiny)
    assert len(caught) == 1
    assert "RNN_COMPILER_CACHE_DIR" in str(caught[0].message), "the remedy"
    assert str(cache.folder) in str(caught[0].message)
    assert files(cache.folder) == []
    assert cache.get(KEY) is None


def test_a_file_size_limit_leaves_nothing(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    """A real failure in the middle of a write."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = len(tiny.payload) // 2
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        with pytest.warns(CacheWarning, match="File too large"):
            cache.put(KEY, tiny)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert files(cache.folder) == []


@contextmanager
def unprivileged() -> Iterator[None]:
    """As a user whom file permissions bind; root is not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(tiny: rc.Artifact) -> Iterator[ArtifactCache]:
    """A cache with one entry, in which nothing can be written, but which anybody may read."""
    with tempfile.TemporaryDirectory() as folder:
        cache = ArtifactCache(Path(folder))
        cache.put(KEY, tiny)
        cache.path(KEY).chmod(0o444)
        folders = [cache.folder, *(path for path in cache.folder.rglob("*") if path.is_dir())]
        for path in folders:
            path.chmod(0o555)
        yield cache
        for path in folders:
            path.chmod(0o755)


def test_a_read_only_folder_gives_hits(read_only: ArtifactCache, tiny: rc.Artifact) -> None:
    """Misses stay misses, with a warning."""
    with unprivileged():
        assert read_only.get(KEY) == tiny
        with pytest.warns(CacheWarning, match="Permission denied"):
            read_only.put(OTHER, tiny)
        assert read_only.get(OTHER) is None
        assert read_only.get(KEY) == tiny
    assert len(files(read_only.folder)) == 1


@pytest.mark.parametrize("where", ["os.fsync", "pathlib.Path.open", "pathlib.Path.mkdir"])
def test_a_folder_that_cannot_be_written_warns_once(
    cache: ArtifactCache, tiny: rc.Artifact, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Not once for every module that is compiled."""

    def fail(first: object, *_: object, **__: object) -> NoReturn:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(first))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        monkeypatch.setattr(where, fail)
        for key in (KEY, OTHER, KEY):
            cache.put(key, tiny)
    assert len(cache_warnings(caught)) == 1


# Modes.


def test_modes(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    def with_mode(mode: str) -> ArtifactCache:
        return ArtifactCache(cache.folder, mode)

    for mode in ("off", "ro"):
        with_mode(mode).put(KEY, tiny)
        assert not cache.folder.exists()
    for mode in ("rw", "verify"):
        with_mode(mode).put(KEY, tiny)
        assert with_mode("rw").get(KEY) == with_mode("ro").get(KEY) == tiny
        assert with_mode("verify").get(KEY) == tiny
        assert with_mode("off").get(KEY) is None
        cache.path(KEY).unlink()
    assert set(MODES) == {"rw", "ro", "off", "verify"}


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RNN_COMPILER_CACHE", raising=False)
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
    assert ArtifactCache.from_environment() == ArtifactCache(tmp_path, "rw")
    monkeypatch.setenv("RNN_COMPILER_CACHE", "ro")
    assert ArtifactCache.from_environment() == ArtifactCache(tmp_path, "ro")
    monkeypatch.delenv("RNN_COMPILER_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert ArtifactCache.from_environment().folder == tmp_path / "xdg" / "rnn-compiler"


def test_off_compiles_each_time(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To the same bytes: compiling is deterministic."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    assert rc.compile(tiny_module, "cpu") == rc.compile(tiny_module, "cpu") == tiny
    assert len(compilations) == 2
    assert not own_folder.exists()


def test_rw_compiles_once(
    own_folder: Path, tiny_module: rc.Module, tiny: rc.Artifact, compilations: list[str]
) -> None:
    assert rc.compile(tiny_module, "cpu") == rc.compile(tiny_module, "cpu") == tiny
    assert compilations == ["cpu"]
    assert len(files(own_folder)) == 1


def test_verify_recompiles_and_compares(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A complete entry that differs from a new compilation is reported and replaced."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "verify")
    assert rc.compile(tiny_module, "cpu") == tiny
    assert rc.compile(tiny_module, "cpu") == tiny
    assert len(compilations) == 2
    payload = tiny.payload + b"another"
    digest = hashlib.sha256(payload).hexdigest()
    manifest = type(tiny.manifest)(**{**vars(tiny.manifest), "payload_sha256": digest})
    key = compilation.cache_key(tiny_module, resolve_target("cpu"))
    cache = ArtifactCache(own_folder)
    cache.put(key, Artifact(manifest, payload))
    with pytest.warns(CacheWarning, match=f"{key.digest}.entry does not match a fresh compilation"):
        assert rc.compile(tiny_module, "cpu") == tiny
    assert cache.get(key) == tiny


# The whole way of `rc.compile`.


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: os.truncate(path, path.stat().st_size // 2),
        lambda path: os.truncate(path, 0),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
    ],
)
def test_a_broken_entry_is_recompiled_and_mended(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    compilations: list[str],
    damage: Callable[[Path], None],
) -> None:
    key = compilation.cache_key(tiny_module, resolve_target("cpu"))
    cache = ArtifactCache(own_folder)
    cache.put(key, tiny)
    damage(cache.path(key))
    assert rc.compile(tiny_module, "cpu") == tiny
    assert compilations == ["cpu"]
    assert rc.compile(tiny_module, "cpu") == tiny
    assert compilations == ["cpu"]


@pytest.mark.parametrize("folder", ["file/cache", "/proc/rnn-compiler"])
def test_without_a_usable_folder_compiling_still_works(
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / folder))
    with pytest.warns(CacheWarning, match="compiled modules are not kept") as caught:
        assert rc.compile(tiny_module, "cpu") == tiny
    assert len(caught) == 1


def test_threads_that_want_the_same_compile_once(
    own_folder: Path, tiny_module: rc.Module, tiny: rc.Artifact, compilations: list[str]
) -> None:
    barrier = threading.Barrier(8)
    results: list[rc.Artifact] = []

    def work() -> None:
        barrier.wait()
        results.append(rc.compile(tiny_module, "cpu"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [tiny] * 8
    assert compilations == ["cpu"]


def test_without_a_cache_a_failure_does_not_hold_the_others_up(
    own_folder: Path, tiny_module: rc.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of a key is released when compiling for it fails."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(iree_compile, "compile_with_host_program", fail)
        with pytest.raises(KeyboardInterrupt):
            rc.compile(tiny_module, "cpu")
    done = threading.Thread(target=rc.compile, args=(tiny_module, "cpu"), daemon=True)
    done.start()
    done.join(60)
    assert not done.is_alive()


# The key.


def key_of(module: rc.Module, target: str = "cpu") -> str:
    return compilation.cache_key(module, resolve_target(target)).digest


def build(op: str = "BlockLSTMV2", **keywords: Any) -> rc.Module:
    dims = {"seq_length": 2, "batch_size": 3, "input_size": 4, "num_units": 5}
    return rc.build(op, **{**dims, **keywords})


def test_equal_calls_have_one_key() -> None:
    """However their values are spelled."""
    assert key_of(build(cell_clip=0.0)) == key_of(build(dtype="f32", use_peephole=False))
    assert key_of(build(cell_clip=0.3)) == key_of(build(cell_clip=0.30000000000000001))


def test_everything_that_decides_the_payload_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [
        key_of(build()),
        key_of(build(seq_length=3)),
        key_of(build(batch_size=2)),
        key_of(build(input_size=5)),
        key_of(build(num_units=4)),
        key_of(build(dtype="float16")),
        key_of(build(dtype="bfloat16")),
        key_of(build(use_peephole=True)),
        key_of(build(cell_clip=0.5)),
        key_of(build("BlockLSTMGradV2", use_peephole=False)),
        key_of(build(["BlockLSTMV2", "BlockLSTMGradV2"], use_peephole=False)),
        key_of(build(["BlockLSTMGradV2", "BlockLSTMV2"], use_peephole=False)),
        key_of(build(), "cpu:generic"),
    ]
    identity = iree_compile.compiler_identity()
    other_machine = (*cpu_features.host_features(), "zmm9")
    for owner, name, value in [
        (cpu_features, "host_features", lambda: other_machine),
        (cpu_features, "architecture", lambda: "riscv64"),
        (compilation, "package_version", lambda: "9.9"),
        (compilation, "source_digest", lambda: "0" * 64),
        (compilation, "SCHEMA_VERSION", 99),
        (iree_compile, "compiler_identity", lambda: type(identity)("9.9", identity.content)),
        (iree_compile, "compiler_identity", lambda: type(identity)(identity.version, "0" * 16)),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            keys.append(key_of(build()))
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", ["lowering/a.py", "lowering/b.mjs", "schema/c/d.py"])
def test_a_change_of_a_source_is_a_miss(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JavaScript is a source, too: it is copied into modules."""
    monkeypatch.setattr(rc, "__path__", [str(tmp_path)])
    source = tmp_path / name
    source.parent.mkdir(parents=True)
    digests = set()
    for text in ("one", "another"):
        source.write_text(text)
        digests.add(compilation.source_digest.__wrapped__())
    assert len(digests) == 2

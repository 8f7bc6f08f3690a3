"""Faults that the cache survives; test names begin with the fault's number in `test_fault_table`.

Each is a miss, never an error or a wrong number.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import itertools
import json
import os
import random
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import processes
import pytest

import rnn_compiler as rc
from rnn_compiler import compilation
from rnn_compiler.errors import CacheWarning, CompileError, InvalidArgumentError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.cache import ArtifactCache, CacheKey, eviction, single_flight
from rnn_compiler.runtime.cache.entries import decode
from rnn_compiler.runtime.cache.single_flight import process_lock
from tests.runtime.failing_files import failing

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("compiled_before")]

KEY = CacheKey({"functions": "a", "target": "cpu"})
OTHER = CacheKey({"functions": "b", "target": "cpu"})
DAY = 86400.0

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="takes root, to become another user")

SCRIPT = """
import os, sys, time, warnings
import filelock, numpy, platformdirs
import rnn_compiler as rc
from pathlib import Path
from rnn_compiler import compilation
from rnn_compiler.base import stages
from rnn_compiler.lowering import pipeline
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.cache import ArtifactCache, CacheKey

module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
module.located_text
compilation.cache_key(module, resolve_target("cpu"))  # reads files that others may not read

def pretend(*_, **__):
    print("compiled", flush=True)
    time.sleep(0.3)
    return b"payload", ""

iree_compile.compile_with_host_program = pretend
stages.LONG = 60.0  # on a busy machine, a lock and 0.3 s take more than the 2 s that are reported
"""
"""The start of a process's script; replaces the compiler, so that any user can run it anywhere."""

COMPILE = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(rc.compile(module, "cpu").payload.decode(), len(caught))
"""


FORK = """
import json

for line in sys.stdin:
    script, environment = json.loads(line)
    read, write = os.pipe()
    if os.fork() == 0:
        sys.stdout = sys.stderr = open(write, "w")
        os.environ.clear()
        os.environ.update(environment)
        exec(script, globals())
        break
    os.close(write)
    with open(read) as out:
        print(json.dumps([out.read(), os.wait()[1]]), flush=True)
"""


def start(script: str, folder: Path | str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT + script],
        env={**os.environ, "RNN_COMPILER_CACHE_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], said: str | None = None) -> list[str]:
    """The lines a process wrote; it has to end well."""
    out, err = process.communicate(said, timeout=120)
    assert process.returncode == 0, err
    assert err == ""
    return out.splitlines()


@functools.cache
def forking() -> subprocess.Popen[str]:
    """A process that forks for each script, since the imports take longer than all the rest."""
    process = start(FORK)
    atexit.register(process.communicate)
    return process


def new_process(script: str, folder: Path | str, **environment: str) -> list[str]:
    """The output lines of a separate process, which must succeed."""
    assert forking().stdin
    assert forking().stdout
    environment = {**os.environ, **environment, "RNN_COMPILER_CACHE_DIR": str(folder)}
    print(json.dumps([script, environment]), file=forking().stdin, flush=True)
    assert select.select([forking().stdout], [], [], 300)[0], "it does not end"
    said, status = json.loads(forking().stdout.readline())
    assert status == 0, said
    return said.splitlines()


@pytest.fixture
def cache(tmp_path: Path) -> ArtifactCache:
    return ArtifactCache(tmp_path / "cache")


@pytest.fixture
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cold cache for `rc.compile`."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def group_folder(public_folder: Path) -> Path:
    """A folder shared by group 100: files created there belong to the group."""
    folder = public_folder / "shared"
    folder.mkdir()
    os.chown(folder, -1, 100)
    folder.chmod(0o2775)
    return folder


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("??/*.entry"))


def temporaries(folder: Path) -> list[Path]:
    return list(folder.rglob("*.tmp"))


def fail_with(number: int) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return fail


def forget_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a new process starts: nothing in memory."""
    monkeypatch.setattr(compilation, "memory_cache", compilation.MemoryCache())
    eviction.totals.clear()


def fill(cache: ArtifactCache, artifact: rc.Artifact, count: int) -> list[CacheKey]:
    """Entries that were used one day after the other, the last of them yesterday."""
    keys = [CacheKey({"k": k}) for k in range(count)]
    for k, key in enumerate(keys):
        cache.put(key, artifact)
        when = time.time() - DAY * (count - k)
        with contextlib.suppress(FileNotFoundError):
            os.utime(cache.path(key), (when, when))
    return keys


# 1-4: several at once, and killed ones.


def test_01_cold_processes_compile_once(tmp_path: Path) -> None:
    script = """
begin, go = os.pipe()
children = []
while len(children) < 8 and (child := os.fork()):
    children.append(child)
os.close(go)
if len(children) == 8:
    sys.exit(any(os.waitpid(child, 0)[1] for child in children))
os.read(begin, 1)  # until all of them are there
"""
    lines = new_process(script + COMPILE, tmp_path)
    assert sorted(lines) == ["compiled", *["payload 0"] * 8]
    assert len(entries(tmp_path)) == 1


def test_03_a_kill_at_any_point_of_a_write_shows_no_part_of_it(
    tiny: rc.Artifact, tmp_path: Path
) -> None:
    """Leftovers are deleted when they are old."""
    artifact = tiny.save(tmp_path / "tiny.vmfb")
    script = f"""
import random, signal
artifact = rc.runtime.read_artifact({str(artifact)!r})
cache = ArtifactCache(Path({str(tmp_path / "cache")!r}))
rng = random.Random(3)
for turn in range(15):
    child = os.fork()
    if child == 0:
        for k in range(10_000):
            cache.put(CacheKey({{"turn": turn, "k": k}}), artifact)
        os._exit(0)
    time.sleep(rng.uniform(0.01, 0.1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""
    assert new_process(script, tmp_path) == []
    cache = ArtifactCache(tmp_path / "cache")
    found = eviction.list_entries(cache.files)
    assert len(found) > 15
    for file in found:
        assert decode(file.path.read_bytes(), file.digest)[1] == tiny
    left = temporaries(cache.folder)
    assert left, "no process was killed within a write"
    cache.put(KEY, tiny)
    assert temporaries(cache.folder) == left, "they might still be being written"
    for path in left:
        os.utime(path, (time.time() - 7200,) * 2)
    eviction.prune(cache.files, cache.max_size)
    assert temporaries(cache.folder) == []
    assert len(entries(cache.folder)) == len(found) + 1


def test_04_a_killed_holder_of_the_lock_holds_nobody_up(
    own_folder: Path, tiny_module: rc.Module, tiny: rc.Artifact
) -> None:
    hold = """
def pretend(*_, **__):
    print("compiling", flush=True)
    time.sleep(60)

iree_compile.compile_with_host_program = pretend
rc.compile(module, "cpu")
"""
    holder = start(hold, own_folder)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "compiling\n"
    results: list[rc.Artifact] = []
    waiter = threading.Thread(target=lambda: results.append(rc.compile(tiny_module, "cpu")))
    waiter.start()
    waiter.join(0.5)
    assert waiter.is_alive(), "it does not wait for the other process"
    holder.kill()
    holder.communicate()
    waiter.join(30)
    assert results == [tiny]


def test_04_a_stopped_holder_is_not_waited_for_for_ever(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = ArtifactCache(own_folder)
    path = cache.lock_path(compilation.cache_key(tiny_module, resolve_target("cpu")))
    monkeypatch.setattr(single_flight, "LOCK_TIMEOUT", 0.2)
    with process_lock(path):  # by a lock of its own, as another process would
        assert rc.compile(tiny_module, "cpu") == tiny


# 5-9: damage.


def test_05_damaged_entries_go_to_quarantine(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    """Where they are kept as they are, one for each key, until they are evicted."""
    for size in (100, 50):
        cache.put(KEY, tiny)
        os.truncate(cache.path(KEY), size)
        assert replace(cache, mode="ro").get(KEY) is None
        assert cache.path(KEY).exists(), "`ro` changes nothing"
        assert cache.get(KEY) is None
        assert not cache.path(KEY).exists()
        (kept,) = eviction.list_quarantined(cache.files)
        assert kept.path == cache.folder / "v1" / "quarantine" / cache.path(KEY).name
        assert kept.size == size
    cache.put(KEY, tiny)
    assert cache.get(KEY) == tiny
    eviction.prune(cache.files, cache.path(KEY).stat().st_size)
    assert eviction.list_quarantined(cache.files) == []
    assert cache.get(KEY) == tiny


def test_09_entries_of_equal_keys_for_other_modules_are_misses(
    own_folder: Path,
    tiny_module: rc.Module,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """If the key ever lacks something, this check protects the caller."""
    monkeypatch.setattr(compilation, "cache_key", lambda *_: KEY)
    rc.compile(tiny_module, "cpu")
    other = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=2)
    assert rc.compile(other, "cpu").manifest.functions == other.functions
    assert caplog.text.count("is for another module or target") == 3, "in memory, twice on disk"
    forget_memory(monkeypatch)
    assert rc.compile(other, "cpu:generic").manifest.target.name == "cpu:generic"


# 10-14: file systems that do not do what they should.


@root_only
def test_10_a_read_only_folder_gives_hits_and_one_warning(
    public_folder: Path, tiny_module: rc.Module
) -> None:
    cache = public_folder / "cache"
    assert new_process(COMPILE, cache) == ["compiled", "payload 0"]
    for path in [cache, *cache.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(cache.rglob("*"))
    say = COMPILE.replace("len(caught)", "*[each.message for each in caught], sep='|'")
    script = f"""
os.setuid(65534)
{COMPILE}
other = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=2)
third = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=3)
other.located_text, third.located_text
{say.replace("(module", "(other")}
{COMPILE.replace("(module", "(other")}
{COMPILE.replace("(module", "(third")}
"""
    hit, *misses = new_process(script, cache)
    assert hit == "payload 0"
    compiled, warned, again, *third = misses
    assert compiled == "compiled"
    assert warned.count("|") == 1
    assert "Permission denied" in warned
    assert again == "payload 0", "from memory"
    assert third == ["compiled", "payload 0"], "the same warning comes once"
    assert sorted(cache.rglob("*")) == before


@pytest.mark.parametrize(
    "case",
    ["no home", "home is a file", "home is not there", "not a folder", "a folder that is gone"],
)
def test_11_without_a_folder_modules_stay_in_memory(case: str, tmp_path: Path) -> None:
    """Nothing is written anywhere else, and a warning comes once."""
    (tmp_path / "file").write_text("in the way")
    homes = {"home is a file": "file", "home is not there": "file/home"}
    environment = {"HOME": str(tmp_path / homes.get(case, "home")), "XDG_CACHE_HOME": ""}
    setup = f"os.chdir({str(tmp_path)!r})\n"
    folder = tmp_path / "file" / "cache" if case == "not a folder" else ""
    if case == "no home":
        setup += """
import pwd
del os.environ["HOME"]
def unknown(*_):
    raise KeyError("no such user")
pwd.getpwuid = unknown
"""
    if case == "a folder that is gone":
        setup += "os.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\n"
        folder = "cache"
    said = new_process(setup + COMPILE + COMPILE, folder, **environment)
    assert said == ["compiled", "payload 1", "payload 0"]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_12_on_a_full_disk_the_result_is_returned(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "fsync", fail_with(errno.ENOSPC))
    with pytest.warns(CacheWarning, match="No space left on device"):
        assert rc.compile(tiny_module, "cpu") == tiny
    assert entries(own_folder) == temporaries(own_folder) == []


@root_only
def test_12_on_a_disk_that_is_really_full(tiny: rc.Artifact, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        cache = ArtifactCache(disk / "cache")
        keys = [CacheKey({"k": k}) for k in range(30)]
        with pytest.warns(CacheWarning, match="No space left on device"):
            fill(cache, tiny, 30)
        kept = [key for key in keys if cache.get(key) is not None]
        assert 0 < len(kept) < len(keys)
        assert len(entries(disk)) == len(kept)
        assert temporaries(disk) == []
    finally:
        processes.run("umount", disk)


def use(cache: ArtifactCache, tiny: rc.Artifact) -> list[rc.Artifact | None]:
    """Everything that a cache does: what its reads gave."""
    cache.put(OTHER, tiny)
    with process_lock(cache.lock_path(KEY)):
        found = [cache.get(KEY)]
        cache.put(KEY, tiny)
    found.append(cache.get(KEY))
    with contextlib.suppress(OSError):  # it may not be there
        os.utime(cache.path(KEY), (0, 0))  # so that its use is recorded
    found.append(cache.get(KEY))
    cache.set_aside(cache.path(OTHER))
    cache.put(OTHER, tiny)
    return found


NUMBERS = (errno.EIO, errno.ENOSPC, errno.ESTALE, errno.EBUSY, errno.EACCES, errno.ENOENT)


@pytest.mark.parametrize(
    "error",
    [*(OSError(each, os.strerror(each)) for each in NUMBERS), KeyboardInterrupt()],
    ids=repr,
)
def test_13_any_call_may_fail(error: BaseException, tiny: rc.Artifact, tmp_path: Path) -> None:
    """Each in turn: a read gives the artifact or nothing, and the cache is as good as before."""
    for number in itertools.count():
        cache = ArtifactCache(tmp_path / str(number), max_size=len(tiny.payload) * 3)
        with warnings.catch_warnings(), failing(cache.folder, number, error) as files:
            warnings.simplefilter("ignore", CacheWarning)
            try:
                found = use(cache, tiny)
            except KeyboardInterrupt:
                assert isinstance(error, KeyboardInterrupt)
                found = []
        assert all(each in (None, tiny) for each in found), files.calls[-1]
        whole = [decode(path.read_bytes(), path.stem)[1] for path in entries(cache.folder)]
        assert all(each == tiny for each in whole), files.calls[-1]
        cache.put(KEY, tiny)
        assert cache.get(KEY) == tiny, files.calls[-1]
        if len(files.calls) <= number:
            break
    assert number > 50
    assert {"open", "os.mkdir", "os.rename", "os.fsync", "os.utime"} <= {*files.calls}
    assert {"os.remove", "os.scandir", "os.chmod", "fcntl.flock"} <= {*files.calls}


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EIO])
def test_14_a_file_system_without_locks(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    monkeypatch.setattr("fcntl.flock", fail_with(number))
    started = time.monotonic()
    assert rc.compile(tiny_module, "cpu") == tiny
    assert time.monotonic() - started < single_flight.LOCK_TIMEOUT / 2
    assert compilations == ["cpu"]
    assert len(entries(own_folder)) == 1


def test_14_a_lock_file_that_cannot_be_one(
    own_folder: Path, tiny_module: rc.Module, tiny: rc.Artifact
) -> None:
    cache = ArtifactCache(own_folder)
    path = cache.lock_path(compilation.cache_key(tiny_module, resolve_target("cpu")))
    assert path is not None
    path.mkdir()
    assert rc.compile(tiny_module, "cpu") == tiny
    assert len(entries(own_folder)) == 1


# 15-18: the size.


@pytest.mark.parametrize("clock", [0.0, 2e9, 4e9])
def test_15_a_wrong_clock_empties_nothing(
    cache: ArtifactCache, tiny: rc.Artifact, monkeypatch: pytest.MonkeyPatch, clock: float
) -> None:
    """At the start of the epoch everything is from the future."""
    keys = fill(cache, tiny, 10)
    monkeypatch.setattr(time, "time", lambda: clock)
    assert eviction.prune(cache.files, cache.max_size) == []
    size = cache.path(keys[0]).stat().st_size
    assert len(eviction.prune(cache.files, 6 * size)) == 4


def test_15_no_entry_is_kept_for_good(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    """One from the future goes first, unless it is used; one from 1970 stays if it is used."""
    keys = fill(cache, tiny, 4)
    future = time.time() + 1000 * DAY
    for key, when in zip(keys, [future, future, 0.0, 0.0], strict=True):
        os.utime(cache.path(key), (when, when))
    assert cache.get(keys[1]) is not None
    assert cache.get(keys[2]) is not None
    used = [cache.path(keys[k]).stat().st_mtime for k in (1, 2)]
    assert all(abs(when - time.time()) < 600 for when in used)
    size = cache.path(keys[0]).stat().st_size
    eviction.prune(cache.files, 2 * size + 100)
    assert [cache.get(key) is not None for key in keys] == [False, True, True, False]


def test_15_what_was_used_longest_ago_goes_first(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    keys = fill(cache, tiny, 6)
    assert cache.get(keys[0]) == tiny
    size = cache.path(keys[0]).stat().st_size
    cache = replace(cache, max_size=3 * size + size // 2)
    eviction.totals.clear()
    cache.put(KEY, tiny)
    kept = [key for key in keys if cache.path(key).exists()]
    assert kept == [keys[0], keys[5]]
    assert cache.get(KEY) == tiny


def test_15_a_new_entry_is_not_evicted_by_its_own_writer(
    cache: ArtifactCache, tiny: rc.Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far ahead the file server's clock is."""
    keys = fill(cache, tiny, 2)
    cache = replace(cache, max_size=cache.path(keys[0]).stat().st_size + 200)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    cache.put(KEY, tiny)
    assert cache.get(KEY) == tiny
    assert len(entries(cache.folder)) == 1


def test_16_readers_under_eviction_get_whole_entries_or_none(
    tiny: rc.Artifact, tmp_path: Path
) -> None:
    """Two processes fill a cache that has room for eight of forty; this one reads."""
    artifact = tiny.save(tmp_path / "tiny.vmfb")
    cache = ArtifactCache(tmp_path / "cache", max_size=8 * (len(tiny.payload) + 4096))
    script = f"""
artifact = rc.runtime.read_artifact({str(artifact)!r})
cache = ArtifactCache(Path({str(cache.folder)!r}), max_size={cache.max_size})
print("ready", flush=True)
child = os.fork()
for k in range(100):
    cache.put(CacheKey({{"k": k % 40}}), artifact)
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""
    writers = start(script, tmp_path)
    assert writers.stdout is not None
    assert writers.stdout.readline() == "ready\n"
    hits = misses = 0
    while writers.poll() is None:
        for k in range(40):
            found = cache.get(CacheKey({"k": k}))
            assert found is None or found == tiny
            hits, misses = hits + (found is not None), misses + (found is None)
    finish(writers)
    assert hits
    assert misses
    assert eviction.list_quarantined(cache.files) == []
    assert temporaries(cache.folder) == []
    assert len(entries(cache.folder)) <= 2 * 8


def test_17_a_huge_cache_is_as_quick(
    cache: ArtifactCache,
    tiny: rc.Artifact,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hit lists nothing, a write only the first time in a process; 10,000 entries."""
    cache.put(KEY, tiny)
    size = cache.path(KEY).stat().st_size
    for shard in range(256):
        folder = f"{cache.folder}/v1/{shard:02x}"
        os.makedirs(folder, exist_ok=True)
        Path(f"{folder}/x").write_bytes(bytes(size))
        for k in range(40):
            os.link(f"{folder}/x", f"{folder}/{shard:02x}{k:062x}.entry")
    cache = replace(cache, max_size=2 << 40)
    eviction.totals.clear()
    cache.put(OTHER, tiny)
    with monkeypatch.context() as patch:
        for function in ("os.scandir", "os.listdir"):
            patch.setattr(function, lambda *_: pytest.fail("it lists the cache"))
        assert cache.get(KEY) == tiny
        assert cache.get(CacheKey({})) is None
        cache.put(CacheKey({"k": 3}), tiny)
        assert cache.get(CacheKey({"k": 3})) == tiny
    assert len(eviction.list_entries(cache.files)) == 256 * 40 + 3
    started = time.monotonic()
    eviction.prune(cache.files, 5_000 * size)
    assert time.monotonic() - started < 60, "bounded"
    assert len(entries(cache.folder)) == pytest.approx(5_000, abs=3)
    eviction.clear(cache.files)
    assert entries(cache.folder) == []


def test_18_what_is_larger_than_the_cache_is_not_cached(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor does it evict existing entries."""
    cache = ArtifactCache(own_folder)
    cache.put(KEY, tiny)
    monkeypatch.setenv("RNN_COMPILER_CACHE_MAX_SIZE", "2K")
    assert rc.compile(tiny_module, "cpu") == tiny
    assert cache.get(KEY) == tiny
    assert len(entries(own_folder)) == 1
    assert rc.compile(tiny_module, "cpu") == tiny
    assert compilations == ["cpu"], "the second time from memory"


@pytest.mark.parametrize(
    ("text", "size"),
    [("500M", 500 << 20), ("2G", 2 << 30), ("1024", 1024), ("1.5 kb", 1536), ("1TiB", 1 << 40)],
)
def test_18_sizes(text: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_MAX_SIZE", text)
    assert ArtifactCache.from_environment().max_size == size


@pytest.mark.parametrize("text", ["-1", "many", "1e9", "G", "0x10", "1 2"])
def test_18_a_wrong_size_is_an_error(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_MAX_SIZE", text)
    with pytest.raises(rc.errors.InvalidArgumentError, match="RNN_COMPILER_CACHE_MAX_SIZE"):
        ArtifactCache.from_environment()


def test_23_entries_of_a_replaced_compiler_are_pruned_like_others(
    own_folder: Path, tiny_module: rc.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = iree_compile.compiler_identity()
    for content in ("old", "new"):
        replaced = replace(identity, content=content)
        monkeypatch.setattr(iree_compile, "compiler_identity", lambda replaced=replaced: replaced)
        rc.compile(tiny_module, "cpu")
    cache = ArtifactCache(own_folder)
    assert len(entries(own_folder)) == 2
    newest = eviction.list_entries(cache.files)[0]
    (old,) = eviction.prune(cache.files, newest.size)
    assert newest.path == cache.path(compilation.cache_key(tiny_module, resolve_target("cpu")))
    assert old.path != newest.path


# 26-28: folders that somebody has prepared.


def test_26_hostile_names_do_not_reach_the_disk(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    names = ["../../x", "/etc/passwd", "\0", "a" * 300, "CON", ".", "", "\ud800", "é\n", "*"]
    for name in names:
        key = CacheKey({name: name, "functions": [name]})
        cache.put(key, tiny)
        assert cache.get(key) == tiny
    assert len(entries(cache.folder)) == len(names)
    assert {path.parent.parent for path in entries(cache.folder)} == {cache.folder / "v1"}


def test_27_folders_are_only_for_this_user(cache: ArtifactCache, tiny: rc.Artifact) -> None:
    old = os.umask(0)
    try:
        cache.put(KEY, tiny)
    finally:
        os.umask(old)
    folders = [cache.folder, *(path for path in cache.folder.rglob("*") if path.is_dir())]
    assert len(folders) == 3
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}


@pytest.mark.parametrize("kind", ["link", "hanging link", "pipe", "folder"])
def test_27_what_is_planted_for_an_entry_is_not_read(
    cache: ArtifactCache, tiny: rc.Artifact, tmp_path: Path, kind: str
) -> None:
    cache.put(KEY, tiny)
    path, elsewhere = cache.path(KEY), tmp_path / "elsewhere"
    path.rename(elsewhere)
    if kind == "pipe":
        os.mkfifo(path)  # opening it would wait for a writer
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(elsewhere if kind == "link" else tmp_path / "nothing")
    content = elsewhere.read_bytes()
    assert cache.get(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if kind == "folder" else "error")
        cache.put(KEY, tiny)
    assert cache.get(KEY) == (None if kind == "folder" else tiny)
    assert elsewhere.read_bytes() == content
    assert not (tmp_path / "nothing").exists()


def test_27_nothing_is_written_through_a_hard_link(
    cache: ArtifactCache, tiny: rc.Artifact, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    before = elsewhere.stat().st_mtime_ns
    cache.put(KEY, tiny)
    cache.path(KEY).unlink()
    os.link(elsewhere, cache.path(KEY))
    assert cache.get(KEY) is None
    cache.put(KEY, tiny)
    assert cache.get(KEY) == tiny
    eviction.clear(cache.files)
    assert (elsewhere.read_text(), elsewhere.stat().st_mtime_ns) == ("mine", before)


@pytest.mark.parametrize("level", ["", "v1", "v1/??"])
@pytest.mark.parametrize("fault", ["link", "writable", "foreign"])
def test_27_folders_that_others_can_write_to_are_not_used(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
    level: str,
    fault: str,
) -> None:
    """One warning gives the reason, and modules stay in memory."""
    rc.compile(tiny_module, "cpu")
    forget_memory(monkeypatch)
    folder = next(own_folder.glob(level)) if level else own_folder
    if fault == "link":
        folder.rename(own_folder.parent / "elsewhere")
        folder.symlink_to(own_folder.parent / "elsewhere")
    elif fault == "writable":
        folder.chmod(0o777)
    elif os.geteuid() == 0:
        os.chown(folder, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    reason = {"link": "symbolic link", "writable": "every user can write", "foreign": "belongs to"}
    with pytest.warns(CacheWarning, match=reason[fault]) as caught:
        assert [rc.compile(tiny_module, "cpu") for _ in range(2)] == [tiny, tiny]
    assert len(caught) == 1
    assert compilations == ["cpu", "cpu"]


def test_28_nothing_is_deleted_in_a_folder_that_is_no_cache(
    cache: ArtifactCache, tiny: rc.Artifact
) -> None:
    """Even if its files are named like entries: the tag is missing, and it holds other things."""
    cache.put(KEY, tiny)
    (cache.folder / "v1" / "CACHEDIR.TAG").unlink()
    (cache.folder / "v1" / "HEAD").write_text("mine")
    assert eviction.clear(cache.files) == eviction.prune(cache.files, 0) == []
    assert cache.path(KEY).exists()


def test_28_nothing_of_somebody_else_is_deleted_in_a_cache(
    cache: ArtifactCache, tiny: rc.Artifact, tmp_path: Path
) -> None:
    cache.put(KEY, tiny)
    mine = [cache.folder / name for name in ("notes", "v1/notes", "v1/ab/x.entry", "v1/ab/.x.tmp")]
    outside = tmp_path / "outside" / f"{'c' * 64}.entry"
    for path in [*mine, outside]:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    (cache.folder / "v1" / "cc").symlink_to(outside.parent)
    (cache.folder / "v1" / "ab" / outside.name).symlink_to(outside)
    eviction.clear(cache.files)
    assert all(path.read_text() == "mine" for path in [*mine, outside])
    assert not cache.path(KEY).exists()


def test_28_a_store_of_something_else_is_not_written_to(
    cache: ArtifactCache, tiny: rc.Artifact
) -> None:
    (cache.folder / "v1").mkdir(parents=True)
    (cache.folder / "v1" / "api.py").write_text("mine")
    with pytest.warns(CacheWarning, match="has other files"):
        cache.put(KEY, tiny)
    assert [path.name for path in (cache.folder / "v1").iterdir()] == ["api.py"]


@pytest.mark.parametrize("damage", ["empty", "other", "missing", "link"])
def test_28_a_damaged_tag_is_written_again(
    cache: ArtifactCache, tiny: rc.Artifact, tmp_path: Path, damage: str
) -> None:
    """If all other files there belong to the cache."""
    cache.put(KEY, tiny)
    cache.lock_path(KEY)
    cache.files.make(cache.files.quarantine)
    tag, elsewhere = cache.folder / "v1" / "CACHEDIR.TAG", tmp_path / "elsewhere"
    content = tag.read_bytes()
    tag.unlink()
    if damage == "link":
        elsewhere.write_text("mine")
        tag.symlink_to(elsewhere)
    elif damage != "missing":
        tag.write_text({"empty": "", "other": "Signature: 0"}[damage])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put(OTHER, tiny)
    assert tag.read_bytes() == content
    assert not tag.is_symlink()
    assert damage != "link" or elsewhere.read_text() == "mine"
    tag.write_text("")
    assert len(eviction.clear(cache.files)) == 2


# 30-36.


def test_30_an_interrupt_while_compiling_leaves_nothing_behind(tmp_path: Path) -> None:
    """A real one, from the keyboard."""
    script = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
def slow(*_, **__):
    print("compiling", flush=True)
    time.sleep(60)
iree_compile.compile_with_host_program, pretend = slow, iree_compile.compile_with_host_program
try:
    rc.compile(module, "cpu")
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.readline()
"""
    interrupted = start(script, tmp_path)
    assert interrupted.stdout is not None
    assert interrupted.stdout.readline() == "compiling\n"
    interrupted.send_signal(signal.SIGINT)
    assert interrupted.stdout.readline() == "interrupted\n"
    started = time.monotonic()
    assert new_process(COMPILE, tmp_path) == ["compiled", "payload 0"], "while it still lives"
    assert time.monotonic() - started < single_flight.LOCK_TIMEOUT / 2
    finish(interrupted, "\n")
    assert temporaries(tmp_path) == []


def test_30_an_interrupt_while_writing_leaves_no_temporary_file(
    cache: ArtifactCache, tiny: rc.Artifact
) -> None:
    cache.put(OTHER, tiny)
    for number in itertools.count():
        stop = failing(cache.folder, number, KeyboardInterrupt())
        with contextlib.suppress(KeyboardInterrupt), stop as files:
            cache.put(KEY, tiny)
        left = [*temporaries(cache.folder)]
        assert left == [] or files.calls[-1] == "os.remove", files.calls[-1]
        cache.path(KEY).unlink(missing_ok=True)
        if len(files.calls) <= number:
            break


def test_31_overwriting_a_file_does_not_change_what_was_loaded(
    cache: ArtifactCache,
    artifact: rc.Artifact,
    forward: dict[str, Any],
    tmp_path: Path,
) -> None:
    """Its bytes are in memory, not mapped."""
    cache.put(KEY, artifact)
    cached = cache.get(KEY)
    assert cached is not None
    path = artifact.save(tmp_path / "lstm.vmfb")
    programs = [rc.runtime.load(cached), rc.runtime.load(path)]
    expected = programs[0].block_lstm_v2(**forward).h
    for file in (cache.path(KEY), path):
        size = file.stat().st_size
        with file.open("r+b") as stream:
            stream.write(random.Random(0).randbytes(size))
        os.truncate(file, 10)
    for program in programs:
        np.testing.assert_array_equal(program.block_lstm_v2(**forward).h, expected)


def test_32_temporary_files_are_listed_by_nobody_and_deleted_when_old(
    cache: ArtifactCache, tiny: rc.Artifact
) -> None:
    cache.put(KEY, tiny)
    shard = cache.path(KEY).parent
    young, old, future = (shard / f".123-{k:012x}.tmp" for k in range(3))
    foreign = [shard / ".nfs000000000123", shard / "x.tmp", shard / ".hidden"]
    lock = cache.lock_path(KEY)
    assert lock is not None
    for path in (young, old, future, lock, *foreign):
        path.write_text("x")
    hour = 3600
    for path, age in ((old, 2 * hour), (future, -2 * hour), (lock, 2 * hour)):
        os.utime(path, (time.time() - age,) * 2)
    for path in foreign:
        os.utime(path, (0, 0))
    assert [file.path for file in eviction.list_entries(cache.files)] == [cache.path(KEY)]
    assert eviction.prune(cache.files, cache.max_size) == []
    assert [path.exists() for path in (young, old, future, lock)] == [True, False, False, False]
    eviction.clear(cache.files)
    assert all(path.exists() for path in (young, *foreign))
    assert not cache.path(KEY).exists()


def test_32_folders_without_a_name_yet_are_deleted_when_old(
    cache: ArtifactCache, tiny: rc.Artifact
) -> None:
    """A process that is killed while it makes a folder leaves one; one with files in it stays."""
    cache.put(KEY, tiny)
    store = cache.path(KEY).parents[1]
    young, old, full = (store / f".123-{k:012x}.tmp" for k in range(3))
    outer = store.parent / ".123-000000000003.tmp"
    for path in (young, old, full, outer):
        path.mkdir()
    (full / "notes").write_text("somebody's")
    for path in (old, full, outer):
        os.utime(path, (time.time() - 7200,) * 2)
    eviction.prune(cache.files, cache.max_size)
    found = [path.exists() for path in (young, old, full, outer)]
    assert found == [True, False, True, False]


def test_33_other_versions_of_the_layout_are_left_alone(
    cache: ArtifactCache, tiny: rc.Artifact
) -> None:
    others = [
        cache.folder / version / KEY.digest[:2] / cache.path(KEY).name for version in ["v0", "v2"]
    ]
    for path in others:
        path.parent.mkdir(parents=True)
        path.write_text("another layout")
    assert cache.get(KEY) is None
    cache.put(KEY, tiny)
    assert cache.get(KEY) == tiny
    assert len(eviction.clear(cache.files)) == 1
    assert all(path.read_text() == "another layout" for path in others)


def test_34_of_a_failed_compilation_nothing_is_kept(
    own_folder: Path,
    tiny_module: rc.Module,
    tiny: rc.Artifact,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next one compiles again."""

    def crash(*_: object, **__: object) -> NoReturn:
        raise CompileError(
            "the compiler crashed with SIGKILL",
            target="cpu",
            diagnostics="",
            reproducer=None,
            command="iree-compile",
        )

    with monkeypatch.context() as patch:
        patch.setattr(iree_compile, "compile_with_host_program", crash)
        for _ in range(2):
            with pytest.raises(CompileError, match="crashed"):
                rc.compile(tiny_module, "cpu")
    assert entries(own_folder) == temporaries(own_folder) == []
    assert rc.compile(tiny_module, "cpu") == tiny


def test_35_in_read_only_mode_a_folder_of_others_is_named_once(
    own_folder: Path, tiny_module: rc.Module, tiny: rc.Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    rc.compile(tiny_module, "cpu")
    forget_memory(monkeypatch)
    own_folder.chmod(0o777)
    monkeypatch.setenv("RNN_COMPILER_CACHE", "ro")
    with pytest.warns(CacheWarning, match="every user can write to it") as caught:
        assert [rc.compile(tiny_module, "cpu") for _ in range(2)] == [tiny, tiny]
    assert len(caught) == 1


def compile_as(
    folder: Path, user: int, group: int, mask: int = 0o022, **environment: str
) -> list[str]:
    """The output of a compiling user's process, and the messages of its warnings."""
    become = f"os.setgroups([])\nos.setgid({group})\nos.setuid({user})\nos.umask({mask})\n"
    say = COMPILE.replace("len(caught)", "*[each.message for each in caught], sep='|'")
    return new_process(become + say, folder, **environment)


@root_only
def test_35_two_users_with_different_umasks(public_folder: Path) -> None:
    """The folder is the first one's; the other compiles for himself, and is told once."""
    folder = public_folder / "shared"
    folder.mkdir()
    os.chown(folder, 1001, 100)
    folder.chmod(0o770)

    def compile_twice(user: int, mask: int) -> list[str]:
        become = f"os.setgroups([])\nos.setgid(100)\nos.setuid({user})\nos.umask({mask})\n"
        return new_process(become + COMPILE + COMPILE, folder)

    assert compile_twice(1001, 0o077) == ["compiled", "payload 0", "payload 0"]
    assert compile_twice(1002, 0o002) == ["compiled", "payload 1", "payload 0"]
    assert compile_twice(1001, 0o000) == ["payload 0", "payload 0"]


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755, 0o2770, 0o2775])
@pytest.mark.parametrize("mask", [0o000, 0o077])
@pytest.mark.parametrize("trust", ["owner", "writers"])
def test_35_what_is_in_a_cache_has_its_permissions(
    cache: ArtifactCache,
    tiny: rc.Artifact,
    mode: int,
    mask: int,
    trust: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of the configured folder, whatever the umask of the compiling user.

    But that a group may rewrite code only where it is trusted.
    """
    monkeypatch.setenv("RNN_COMPILER_CACHE_TRUST", trust)
    cache.folder.mkdir()
    cache.folder.chmod(mode)
    old = os.umask(mask)
    try:
        cache.put(KEY, tiny)
        with process_lock(cache.lock_path(KEY)):
            pass
    finally:
        os.umask(old)
    assert cache.get(KEY) == tiny
    found = list(cache.folder.rglob("*"))
    assert len(found) >= 5
    for path in found:
        expected = mode if path.is_dir() else mode & 0o666
        if path.is_file() and path.parent.name != "locks" and trust == "owner":
            expected &= 0o644
        assert path.stat().st_mode & 0o7777 == expected, path


@root_only
@pytest.mark.parametrize("mode", ["ro", "rw"])
def test_35_a_cache_that_root_has_filled_for_all(public_folder: Path, mode: str) -> None:
    """Users who may read it use it; the suggested remedy works for those who cannot write to it."""
    folder = public_folder / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    assert compile_as(folder, 0, 0, 0o077) == ["compiled", "payload"]
    before = sorted(folder.rglob("*"))
    assert compile_as(folder, 1001, 100, RNN_COMPILER_CACHE=mode) == ["payload"]
    next(folder.rglob("*.entry")).unlink()
    compiled, said = compile_as(folder, 1001, 100, RNN_COMPILER_CACHE=mode)
    assert compiled == "compiled"
    if mode == "ro":
        assert said == "payload"
    else:
        assert "Permission denied" in said
        assert "set RNN_COMPILER_CACHE=ro to use only the existing entries" in said
    assert set(folder.rglob("*")) < set(before)


@root_only
def test_35_a_group_that_fills_a_cache_together(group_folder: Path) -> None:
    """With the remedy that the warning names, whatever the umasks; others read only."""
    assert compile_as(group_folder, 1001, 100, 0o077) == ["compiled", "payload"]
    compiled, said = compile_as(group_folder, 1002, 100)
    assert compiled == "compiled"
    assert "it belongs to user 1001" in said
    assert "set RNN_COMPILER_CACHE_TRUST=writers if you trust all who can write to it" in said
    _, said = compile_as(group_folder, 1002, 100, RNN_COMPILER_CACHE="ro")
    assert "set RNN_COMPILER_CACHE_TRUST=writers" in said
    trust = {"RNN_COMPILER_CACHE_TRUST": "writers"}
    assert compile_as(group_folder, 1002, 100, **trust) == ["payload"]
    assert compile_as(group_folder, 1003, 1003, **trust, RNN_COMPILER_CACHE="ro") == ["payload"]
    assert compile_as(group_folder, 1003, 1003, **trust) == ["payload"]
    next(group_folder.rglob("*.entry")).unlink()
    assert compile_as(group_folder, 1002, 100, 0o077, **trust) == ["compiled", "payload"]
    assert next(group_folder.rglob("??/*.entry")).stat().st_uid == 1002
    assert compile_as(group_folder, 1001, 100, **trust) == ["payload"]
    assert compile_as(group_folder, 0, 0, **trust) == ["payload"]


@root_only
def test_35_what_a_group_can_rewrite_is_trusted_by_those_who_say_so(group_folder: Path) -> None:
    """One's own entry too: it stays one's own when another rewrites it in place."""
    trust = {"RNN_COMPILER_CACHE_TRUST": "writers"}
    assert compile_as(group_folder, 1001, 100) == ["compiled", "payload"]
    entry = next(group_folder.rglob("*.entry"))
    assert stat.S_IMODE(entry.stat().st_mode) == 0o644
    entry.chmod(0o664)
    compiled, said = compile_as(group_folder, 1001, 100, RNN_COMPILER_CACHE="ro")
    assert compiled == "compiled"
    assert "its group can write to it" in said
    assert "set RNN_COMPILER_CACHE_TRUST=writers" in said
    assert compile_as(group_folder, 1002, 100, **trust) == ["payload"]
    assert compile_as(group_folder, 1001, 100) == ["compiled", "payload"], "and takes its place"
    assert stat.S_IMODE(entry.stat().st_mode) == 0o644
    assert compile_as(group_folder, 1001, 100) == ["payload"]


@root_only
@pytest.mark.parametrize("level", ["", "v1", "v1/??", "v1/??/*.entry"])
def test_35_what_everybody_can_write_to_is_trusted_by_nobody(
    public_folder: Path, level: str
) -> None:
    folder = public_folder / "shared"
    trust = {"RNN_COMPILER_CACHE_TRUST": "writers", "RNN_COMPILER_CACHE": "ro"}
    folder.mkdir()
    folder.chmod(0o755)
    compile_as(folder, 0, 0)
    planted = next(folder.glob(level)) if level else folder
    os.chown(planted, 1002, 100)
    assert compile_as(folder, 1001, 100, **trust) == ["payload"]
    planted.chmod(planted.stat().st_mode | 0o002)
    compiled, said = compile_as(folder, 1001, 100, **trust)
    assert compiled == "compiled"
    assert "every user can write to it" in said
    assert f"; revoke that permission (chmod o-w {planted})" in said
    planted.chmod(planted.stat().st_mode & ~0o002)
    assert compile_as(folder, 1001, 100, **trust) == ["payload"]


@root_only
def test_35_a_cache_of_others_that_cannot_be_read(public_folder: Path) -> None:
    folder = public_folder / "shared"
    compile_as(folder, 0, 0)  # made by the cache, so for root alone
    for mode in ("ro", "rw"):
        compiled, said = compile_as(folder, 1001, 100, RNN_COMPILER_CACHE=mode)
        assert compiled == "compiled"
        assert "Permission denied" in said
        assert "set RNN_COMPILER_CACHE=off to disable the cache" in said
    assert compile_as(folder, 1001, 100, RNN_COMPILER_CACHE="off") == ["compiled", "payload"]


def test_35_a_wrong_trust_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_TRUST", "1")
    with pytest.raises(InvalidArgumentError, match="expected owner or writers, got '1'"):
        ArtifactCache.from_environment()

"""The remote cache: artifacts of other machines are verified; it fails no compilation."""

from __future__ import annotations

import os
import stat
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rnn_compiler as rc
from rnn_compiler import compilation
from rnn_compiler.cli import main
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.runtime.cache import ArtifactCache, remote
from rnn_compiler.runtime.cache.memory import MemoryCache
from rnn_compiler.runtime.cache.remote import RemoteCache

fsspec = pytest.importorskip("fsspec")
memory = pytest.importorskip("fsspec.implementations.memory")


pytestmark = pytest.mark.usefixtures("compiled_before")


class Machine:
    """A machine of a fleet: a separate cache folder, nothing in memory."""

    def __init__(self, folder: Path, module: rc.Module, patch: pytest.MonkeyPatch) -> None:
        self.folder, self._module, self._patch = folder, module, patch

    def compile(self) -> rc.Artifact:
        self._patch.setenv("RNN_COMPILER_CACHE_DIR", str(self.folder))
        self._patch.setattr(compilation, "memory_cache", MemoryCache())
        return rc.compile(self._module, "cpu")

    def entries(self) -> list[Path]:
        return sorted(self.folder.rglob("*.entry"))


@pytest.fixture
def machine(
    tmp_path: Path, tiny_module: rc.Module, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Machine]:
    return lambda name: Machine(tmp_path / name, tiny_module, monkeypatch)


class BrokenFileSystem(memory.MemoryFileSystem):
    """An in-memory file system whose behaviour a test controls."""

    protocol = "broken"
    reading: Callable[[], None] | None = None
    writing: Callable[[], None] | None = None
    calls: list[str] = []  # noqa: RUF012
    tells_sizes = True

    def info(self, path: str, **keywords: Any) -> Any:
        type(self).calls.append("info")
        if type(self).reading:
            type(self).reading()
        found = super().info(path, **keywords)
        return found if type(self).tells_sizes else {**found, "size": None}

    def pipe_file(self, path: str, value: bytes, *rest: Any, **keywords: Any) -> None:
        type(self).calls.append("pipe_file")
        if type(self).writing:
            type(self).writing()
        super().pipe_file(path, value, *rest, **keywords)


@pytest.fixture(autouse=True)
def _unpaused() -> Iterator[None]:
    remote.paused.clear()
    remote.connect.cache_clear()
    BrokenFileSystem.reading = BrokenFileSystem.writing = None
    BrokenFileSystem.calls = []
    BrokenFileSystem.tells_sizes = True
    BrokenFileSystem.store = {}
    fsspec.register_implementation("broken", BrokenFileSystem, clobber=True)
    yield
    remote.paused.clear()


@pytest.fixture(params=["file", "folder", "memory", "broken"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each kind of remote, as the environment names it."""
    place = tmp_path / "remote"
    names = {"file": f"file://{place}", "folder": str(place)}
    url = names.get(request.param, f"{request.param}://{uuid.uuid4().hex}/rnn")
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", url)
    return url


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> type[BrokenFileSystem]:
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", "broken://rnn")
    return BrokenFileSystem


def entry_of(url: str) -> tuple[Any, str]:
    """The file system of a remote, and the only entry there."""
    filesystem, root = fsspec.core.url_to_fs(url)
    (entry,) = [path for path in filesystem.find(root) if path.endswith(".entry")]
    return filesystem, entry


def test_what_one_compiles_the_others_take(
    url: str, machine: Callable[[str], Machine], compilations: list[str]
) -> None:
    one, two = machine("one"), machine("two")
    artifact = one.compile()
    assert one.compile() == two.compile() == artifact
    assert compilations == ["cpu"]
    assert [path.name for path in one.entries()] == [path.name for path in two.entries()]
    _, entry = entry_of(url)
    (path,) = two.entries()
    assert entry.endswith(f"/v1/{path.parent.name}/{path.name}")
    os.environ.pop("RNN_COMPILER_CACHE_REMOTE")  # two has it for itself now
    assert two.compile() == artifact
    assert compilations == ["cpu"]


@pytest.mark.parametrize(
    "damage",
    ["flip", *(pytest.param(k, marks=pytest.mark.slow) for k in ("truncate", "empty", "other"))],
)
def test_damage_is_a_miss_and_replaced(
    url: str,
    damage: str,
    machine: Callable[[str], Machine],
    compilations: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing of a damaged entry is used, nor kept."""
    artifact = machine("one").compile()
    filesystem, entry = entry_of(url)
    data = filesystem.cat_file(entry)
    middle = len(data) // 2
    damaged = {
        "flip": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "truncate": data[:-1],
        "empty": b"",
        "other": data.replace(b'"strategy": "', b'"strategy": "x'),
    }[damage]
    assert damaged != data
    filesystem.pipe_file(entry, damaged)
    assert machine("two").compile() == artifact
    assert compilations == ["cpu", "cpu"]
    assert "is unusable" in caplog.text
    assert filesystem.cat_file(entry) == data
    assert machine("three").compile() == artifact
    assert compilations == ["cpu", "cpu"]


def raising(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.slow
def test_a_remote_that_is_down_is_left_alone(
    broken: type[BrokenFileSystem],
    machine: Callable[[str], Machine],
    compilations: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken.reading = broken.writing = raising(ConnectionError("no route to https://me:secret@host"))
    for name in ("one", "two"):
        machine(name).compile()
        assert machine(name).entries()
    assert compilations == ["cpu", "cpu"]
    assert broken.calls == ["info", "pipe_file"]  # for five minutes not again
    messages = [record.getMessage() for record in caplog.records]
    assert any("cannot be read (ConnectionError: no route" in each for each in messages)
    assert any("cannot be written (ConnectionError: no route" in each for each in messages)
    assert "secret" not in caplog.text
    broken.reading = broken.writing = None
    remote.paused.clear()  # these are over
    machine("three").compile()
    machine("four").compile()
    assert compilations == ["cpu"] * 3


def test_a_remote_that_hangs_costs_its_time_once(
    broken: type[BrokenFileSystem],
    machine: Callable[[str], Machine],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE_TIMEOUT", "0.3")
    answered = threading.Event()

    def hang() -> None:
        answered.wait(60)

    broken.reading = broken.writing = hang
    start = time.monotonic()
    for name in ("one", "two", "three"):
        machine(name).compile()
    answered.set()
    assert time.monotonic() - start < 50
    assert broken.calls == ["info"]
    assert "TimeoutError: no answer in 0.3 s" in caplog.text


def test_a_remote_that_is_read_only_is_read(
    broken: type[BrokenFileSystem],
    machine: Callable[[str], Machine],
    compilations: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    artifact = machine("one").compile()
    broken.writing = raising(PermissionError("AccessDenied"))
    assert machine("two").compile() == artifact
    assert compilations == ["cpu"]
    broken.store.clear()
    machine("three").compile()
    assert "cannot be written (PermissionError: AccessDenied)" in caplog.text
    broken.calls.clear()
    machine("four").compile()
    assert broken.calls == ["info"]


def test_a_bucket_that_may_not_be_listed_denies_what_is_not_there(
    broken: type[BrokenFileSystem], machine: Callable[[str], Machine], compilations: list[str]
) -> None:
    broken.reading = raising(PermissionError("Forbidden"))
    machine("one").compile()
    broken.reading = None
    machine("two").compile()
    assert compilations == ["cpu"]


@pytest.mark.parametrize("told", [True, False])
def test_an_entry_larger_than_the_cache_is_not_fetched(
    told: bool,
    broken: type[BrokenFileSystem],
    machine: Callable[[str], Machine],
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor read to its end, where the file system does not tell how large it is."""
    broken.tells_sizes = told
    machine("one").compile()
    machine("two").compile()
    assert compilations == ["cpu"]
    monkeypatch.setenv("RNN_COMPILER_CACHE_MAX_SIZE", "100")
    machine("three").compile()
    assert compilations == ["cpu", "cpu"]


def test_an_entry_of_a_shared_folder_that_is_too_large_is_not_read(
    machine: Callable[[str], Machine],
    compilations: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The folder goes on being used for others."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", str(tmp_path / "remote"))
    artifact = machine("one").compile()
    (entry,) = (tmp_path / "remote").rglob("*.entry")
    os.truncate(entry, 3 << 30)
    assert machine("two").compile() == artifact
    assert machine("three").compile() == artifact
    assert compilations == ["cpu", "cpu"]


@pytest.mark.slow
def test_modes(
    broken: type[BrokenFileSystem],
    machine: Callable[[str], Machine],
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """``ro`` reads and keeps nothing, ``off`` does nothing, ``verify`` compares."""
    for mode in ("ro", "off"):
        monkeypatch.setenv("RNN_COMPILER_CACHE", mode)
        machine("one").compile()
        assert "pipe_file" not in broken.calls
        assert broken.calls == ([] if mode == "off" else ["info"])
        broken.calls.clear()
    monkeypatch.setenv("RNN_COMPILER_CACHE", "rw")
    machine("one").compile()
    del compilations[:]
    monkeypatch.setenv("RNN_COMPILER_CACHE", "ro")
    two = machine("two")
    two.compile()
    assert compilations == []
    assert not two.entries()
    monkeypatch.setenv("RNN_COMPILER_CACHE", "verify")
    broken.calls.clear()
    two.compile()
    assert compilations == ["cpu"]
    assert broken.calls == ["info"]


def test_trust(
    tmp_path: Path,
    machine: Callable[[str], Machine],
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A folder that everyone can write to is not used as a remote."""
    place = tmp_path / "remote"
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", f"file://{place}")
    machine("one").compile()
    place.chmod(place.stat().st_mode | stat.S_IWOTH)
    machine("two").compile()
    assert compilations == ["cpu", "cpu"]
    assert "every user can write to it" in caplog.text


@pytest.mark.parametrize(
    ("name", "reason"),
    [("nothing://x", "nothing"), ("s4://x", "s4"), ("::", ""), ("broken://", "")],
)
def test_any_url_is_survived(
    name: str, reason: str, tmp_path: Path, machine: Callable[[str], Machine],
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)  # of which some name a folder
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", name)
    machine("one").compile()
    if reason:
        assert f"the remote cache {name} cannot be read" in caplog.text


def test_without_fsspec(
    machine: Callable[[str], Machine],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", "s3://bucket/rnn")
    machine("one").compile()
    assert (
        "fsspec is not installed; install the extra remote: pip install 'fsspec>=2024.6'"
        in caplog.text
    )


@pytest.mark.parametrize("seconds", ["soon", "0", "-1", "nan", "inf"])
def test_the_timeout_is_checked(seconds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE_TIMEOUT", seconds)
    with pytest.raises(InvalidArgumentError, match="a positive number of seconds"):
        ArtifactCache.from_environment()


def test_doctor_tells(
    broken: type[BrokenFileSystem],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    RemoteCache("broken://rnn").check()
    broken.reading = raising(ConnectionError("nobody there"))
    with pytest.raises(ConnectionError):
        RemoteCache("broken://rnn").check()
    main(["doctor"])
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "remote cache" in each]
    assert "nobody there" in line
    broken.reading = None
    main(["doctor"])
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "remote cache" in each]
    assert line.startswith("ok")
    assert "broken://rnn" in line


# An S3 server.


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket on a server of this machine that speaks S3."""
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    import boto3

    name = f"bucket-{uuid.uuid4().hex}"
    boto3.client("s3").create_bucket(Bucket=name)
    yield name
    server.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of packages of others
def test_s3(
    bucket: str,
    machine: Callable[[str], Machine],
    compilations: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    import boto3

    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", f"s3://{bucket}/rnn")
    artifact = machine("one").compile()
    assert machine("two").compile() == artifact
    assert compilations == ["cpu"]
    client = boto3.client("s3")
    (row,) = client.list_objects_v2(Bucket=bucket)["Contents"]
    assert row["Key"].startswith("rnn/v1/")
    client.put_object(Bucket=bucket, Key=row["Key"], Body=b"")
    assert machine("three").compile() == artifact
    assert compilations == ["cpu", "cpu"]
    assert machine("four").compile() == artifact
    assert compilations == ["cpu", "cpu"]
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", "s3://no-such-bucket/rnn")
    assert machine("five").compile() == artifact
    assert compilations == ["cpu"] * 3
    assert "s3://no-such-bucket/rnn cannot be written (FileNotFoundError" in caplog.text
    assert [each["Name"] for each in client.list_buckets()["Buckets"]] == [bucket]

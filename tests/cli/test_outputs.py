"""Output files of verbs: errors are detected before any work; files are complete or missing.

The full disk is a small separate file system where mounting is allowed. Elsewhere the kernel's
limit on file sizes stands in for it, which the writing process meets in the same way.
"""

from __future__ import annotations

import contextlib
import os
import resource
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest

import rnn_compiler as rc
from rnn_compiler.base.files import write_files
from rnn_compiler.cli import main
from rnn_compiler.lowering.compiler import iree_compile

DIMS = "seq_length=3,batch_size=2,input_size=4,num_units=5"
TINY = ["BlockLSTMV2", "--dim", "seq_length=0,batch_size=1,input_size=1,num_units=1"]
CONVERSION = ["--rnn-mode=lstm", "--num-layers=1", "--num-units=8", "--input-size=8"]
LIMIT = 1000
"""Bytes of which every file that is written here has more."""


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outputs") / "lstm.vmfb"
    assert main(["compile", "BlockLSTMV2", "--dim", DIMS, "-o", str(path)]) == 0
    assert main(["compile", *TINY, "-o", str(path.with_name("tiny.vmfb"))]) == 0
    return path


@pytest.fixture(scope="module")
def params(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("params") / "params.npy"
    np.save(path, np.zeros(4 * 8 * (8 + 8 + 2), np.float32))
    assert main(["weights", "to-torch", str(path), *CONVERSION, f"-o{path.parent}/w.npz"]) == 0
    return path


def writers(artifact: Path, params: Path, folder: Path) -> dict[str, list[str]]:
    """A command of each verb that writes, and of each kind of file; compiled already."""
    return {
        "emit": ["emit", *TINY, "-o", str(folder / "lstm.mlir")],
        "compile": ["compile", *TINY, "-o", str(folder / "lstm.vmfb")],
        "run": ["run", str(artifact), "--random", "-o", str(folder / "out.npz")],
        "npz": ["weights", "to-torch", str(params), *CONVERSION, "-o", str(folder / "w.npz")],
        "npy": [
            *["weights", "from-torch", str(params.with_name("w.npz"))],
            *["--rnn-mode=lstm", "--num-layers=1", "-o", str(folder / "params.npy")],
        ],
        "safetensors": [
            *["weights", "to-torch", str(params), *CONVERSION],
            *["-o", str(folder / "w.safetensors")],
        ],
    }


VERBS = ["emit", "compile", "run", "npz", "npy", "safetensors"]


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if compilation starts: the error must be detected before."""

    def fail(*_: object, **__: object) -> Any:
        raise AssertionError("too late")

    monkeypatch.setattr(iree_compile, "compile_with_host_program", fail)
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")


@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize(
    ("output", "arguments", "part"),
    [
        ("folder", [], "is a folder; name a file"),
        ("none/lstm", [], "there is no folder"),
        ("file/lstm", [], "there is no folder"),
        ("/proc/self/lstm", [], "cannot write in /proc/"),
        ("blocked", [], "blocked.json: is a folder"),
        ("file", ["--target=cpu", "--target=cpu:generic"], "is a file; name a folder"),
        ("file/bundle", ["--target=cpu:levels"], "is a file; name a folder"),
        ("/proc/self/b", ["--target=cpu:levels"], "cannot write in /proc/"),
    ],
)
def test_compile_finds_it_before_compiling(
    output: str, arguments: list[str], part: str, tmp_path: Path, cli: Any
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "blocked.json").mkdir()
    (tmp_path / "file").write_text("mine")
    error = cli("compile", *TINY, *arguments, "-o", tmp_path / output, code=2).err
    assert part in error
    assert f"--output {tmp_path / output}" in error
    assert (tmp_path / "file").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "blocked.json", "file"}


@pytest.mark.usefixtures("no_compiler")
def test_the_default_output_is_checked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block_lstm_v2.vmfb").mkdir()
    assert "block_lstm_v2.vmfb: is a folder" in cli("compile", *TINY, code=2).err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_finds_it_first(
    verb: str, artifact: Path, params: Path, tmp_path: Path, cli: Any
) -> None:
    *command, output = writers(artifact, params, tmp_path)[verb]
    Path(output).mkdir()
    out, err = cli(*command, output, code=2)
    assert (out, err) == ("", f"rnn-compiler: error: --output {output}: is a folder; name a file\n")
    elsewhere = f"/proc/self/{Path(output).name}"
    assert f"--output {elsewhere}: cannot write in" in cli(*command, elsewhere, code=2).err


@pytest.mark.usefixtures("no_compiler")
def test_the_demo_finds_it_first(tmp_path: Path, cli: Any) -> None:
    for path in (tmp_path, "/proc/self/demo.png"):
        assert cli("demo", "-o", path, code=2).err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_may_not_be_written_is_left(tmp_path: Path, cli: Any) -> None:
    path = tmp_path / "lstm.mlir"
    path.touch(0o444)
    assert "is not writable" in cli("emit", *TINY, "-o", path, code=2).err


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """An empty disk of one page."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip(f"no disk may be mounted here: {done.stderr.strip()}")
    yield folder
    processes.run("umount", folder)


def test_a_full_disk_is_named_and_holds_nothing_new(
    artifact: Path, params: Path, small_disk: Path, cli: Any
) -> None:
    (small_disk / "mine").write_bytes(bytes(4096 - 100))
    for verb, command in writers(artifact, params, small_disk).items():
        error = cli(*command, code=1).err
        assert error.startswith(f"rnn-compiler: error: {command[-1]}"), verb
        assert error.endswith(": No space left on device\n"), verb
        assert error.count("\n") == 1
        assert [path.name for path in small_disk.iterdir()] == ["mine"], verb


@contextlib.contextmanager
def limit_of_files(size: int = LIMIT) -> Iterator[None]:
    """No file may have more bytes.

    No bytecode is written, of which Python 3.11 would leave the first bytes to all others.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("verb", VERBS)
def test_what_cannot_be_written_whole_leaves_the_old_file(
    verb: str, artifact: Path, params: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = writers(artifact, params, tmp_path)[verb]
    output = Path(command[-1])
    for old in (None, b"what was there"):
        if old is not None:
            output.write_bytes(old)
        capsys.readouterr()
        with limit_of_files():
            assert main(command) == 1
        out, err = capsys.readouterr()
        assert out.count("written to") == 0
        assert err.startswith(f"rnn-compiler: error: {output}")
        assert err.endswith(": File too large\n")
        assert err.count("\n") == 1
        left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert left == ({} if old is None else {output.name: old})


@pytest.mark.slow
def test_a_bundle_that_cannot_be_written_whole_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    targets = ["--target=cpu", "--target=cpu:generic"]
    assert main(["compile", *TINY, *targets, "-o", str(tmp_path / "first")]) == 0
    folder = tmp_path / "models" / "lstm"
    with limit_of_files():
        assert main(["compile", *TINY, *targets, "-o", str(folder)]) == 1
    error = capsys.readouterr().err
    assert f"error: {folder}/" in error
    assert error.endswith(": File too large\n")
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


@pytest.mark.parametrize("fits", ["the payload", "the manifest"])
def test_an_artifact_and_its_manifest_appear_both_or_neither(
    fits: str, artifact: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever of them finds no room."""
    files = (artifact, artifact.with_name("lstm.vmfb.json"))
    if fits == "the manifest":  # which is smaller than that payload
        limit = files[1].stat().st_size
        ops = ["BlockLSTMV2", "--dim", DIMS]
        assert limit < files[0].stat().st_size
    else:
        ops = TINY
        limit = artifact.with_name("tiny.vmfb").stat().st_size
        if limit >= artifact.with_name("tiny.vmfb.json").stat().st_size:
            pytest.skip("the smallest payload is no smaller than its manifest")
    with limit_of_files(limit):
        assert main(["compile", *ops, "-o", str(tmp_path / "lstm.vmfb")]) == 1
    assert "File too large" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_python_too(artifact: Path, small_disk: Path) -> None:
    (small_disk / "mine").write_bytes(bytes(4096 - 100))
    loaded = rc.runtime.read_artifact(artifact)
    assert isinstance(loaded, rc.Artifact)
    module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
    saves: list[tuple[str, Callable[[Path], object]]] = [
        ("lstm.vmfb", loaded.save),
        ("bundle", rc.Bundle((loaded,)).save),
        ("lstm.mlir", module.save),
        ("w.npz", lambda path: rc.weights.save(path, {"w": np.zeros(1000)})),
        ("w.safetensors", lambda path: rc.weights.save(path, {"w": np.zeros(1000)})),
    ]
    for name, save in saves:
        with pytest.raises(OSError, match="No space left") as caught:
            save(small_disk / name)
        assert str(caught.value.filename).startswith(str(small_disk / name))
        assert [path.name for path in small_disk.iterdir()] == ["mine"]


@pytest.mark.slow
def test_a_link_stays_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    link, real = tmp_path / "link.mlir", tmp_path / "real.mlir"
    link.symlink_to(real)
    assert main(["emit", *TINY, "-o", str(link)]) == 0
    assert link.is_symlink()
    done = processes.run(sys.executable, "-m", "rnn_compiler", "emit", *TINY, "-o", "/dev/stdout")
    assert done.stdout == real.read_text()
    assert main(["emit", *TINY, "-o", os.devnull]) == 0
    assert not Path(os.devnull).is_file()


def test_results_are_where_it_says(artifact: Path, tmp_path: Path, cli: Any) -> None:
    printed = cli("run", artifact, "--random", "-o", tmp_path / "out").out
    assert f"written to {tmp_path / 'out.npz'}\n" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["out.npz"]


def check_temporary_files(error: str, folder: Path) -> None:
    """The error has our words and the folder's name, and nothing is left there."""
    expected = "for the compiler's temporary files (free some, or set TMPDIR to another folder)"
    assert f"error: {folder}: " in error
    assert error.endswith(f"{expected}\n")
    assert "lld" not in error
    assert error.count("\n") == 1
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_no_room_for_the_compilers_files(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    monkeypatch.setenv("TMPDIR", str(small_disk))
    command = [sys.executable, "-m", "rnn_compiler", "compile", "BlockLSTMV2", "--dim", DIMS]
    done = subprocess.run([*command, "-o", str(tmp_path / "lstm.vmfb")], capture_output=True)
    assert done.returncode == 1
    check_temporary_files(done.stderr.decode(), small_disk)
    assert not (tmp_path / "lstm.vmfb").exists()


@pytest.mark.slow
def test_no_large_files_for_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same where no disk may be mounted."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with limit_of_files():
        assert main(["compile", "BlockLSTMV2", "--dim", DIMS, "-o", f"{tmp_path}/lstm.vmfb"]) == 1
    check_temporary_files(capsys.readouterr().err, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]


@pytest.mark.slow
def test_what_goes_to_standard_output_lands_where_that_goes(tmp_path: Path) -> None:
    """Output is appended to earlier output, and does not replace it."""
    log = tmp_path / "log"
    log.write_text("before\n")
    command = [sys.executable, "-m", "rnn_compiler", "emit", "BlockLSTMV2", "--dim", DIMS]
    with log.open("a") as out:
        done = subprocess.run([*command, "-o", "/dev/stdout"], stdout=out, timeout=300)
    assert done.returncode == 0
    text = log.read_text()
    assert text.startswith("before\nmodule")
    assert "@block_lstm_v2(" in text


def test_an_older_file_comes_back_where_the_next_cannot_be_written(tmp_path: Path) -> None:
    """With its permissions, and without a trace of the attempt."""
    older, folder = tmp_path / "m.json", tmp_path / "m"
    older.write_text("older")
    older.chmod(0o600)
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        write_files((older, b"newer"), (folder, b"payload"))
    assert (older.read_text(), stat.S_IMODE(older.stat().st_mode)) == ("older", 0o600)
    write_files((older, b"newer"))
    assert (older.read_text(), stat.S_IMODE(older.stat().st_mode)) == ("newer", 0o600)
    assert sorted(tmp_path.iterdir()) == [folder, older]


def test_older_files_come_back_where_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in ("manifest", "payload")]
    for path in paths:
        path.write_text("older")
    replace = Path.replace

    def fail(path: Path, target: Path) -> Path:
        if target == paths[1] and path.read_text() == "newer":
            raise PermissionError(1, "not permitted", str(path))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(PermissionError, match=str(paths[1])):
        write_files(*((path, b"newer") for path in paths))
    assert [path.read_text() for path in paths] == ["older", "older"]
    assert sorted(tmp_path.iterdir()) == paths

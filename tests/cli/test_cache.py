"""`rnn-compiler cache`: its output, the files that it deletes, and those that it keeps."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rnn_compiler.cli import main
from rnn_compiler.cli.environment import check_cache

pytestmark = pytest.mark.usefixtures("compiled_before")

DIMS = "seq_length=0,batch_size=1,input_size=1,num_units=1"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache with entries for two targets, of which the first was used last."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(folder))
    for k, target in enumerate(("cpu", "cpu:generic")):
        before = set(entries(folder))
        output = ["-o", str(tmp_path / f"{k}.vmfb")]
        assert main(["compile", "BlockLSTMV2", "--dim", DIMS, "--target", target, *output]) == 0
        (entry,) = set(entries(folder)) - before
        os.utime(entry, (1e9 - k, 1e9 - k))
    return folder


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "v1").rglob("??/*.entry"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(["cache", *arguments]) == code
    return capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    return json.loads(run(capsys, *arguments, "--json", code=code))


def test_dir(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "dir") == f"{folder}\n"
    assert run_json(capsys, "dir") == {"folder": str(folder)}


def test_ls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = run_json(capsys, "ls")
    assert [row["target"] for row in rows] == ["cpu", "cpu:generic"], "the one used last first"
    assert sorted(row["path"] for row in rows) == [str(path) for path in entries(folder)]
    assert rows[0]["functions"][0]["op"] == "BlockLSTMV2"
    assert rows[0]["size"] == Path(rows[0]["path"]).stat().st_size
    header, first, second = run(capsys, "ls").splitlines()
    assert header.split() == ["entry", "functions", "dimensions", "target", "size", "used"]
    for fact in (rows[0]["digest"][:12], "BlockLSTMV2", "float32", "num_units=1", "days ago"):
        assert fact in first
    assert "cpu:generic" in second


def test_stats(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_MAX_SIZE", "500M")
    facts = run_json(capsys, "stats")
    assert facts["entries"] == 2
    assert facts["size"] == sum(path.stat().st_size for path in entries(folder))
    assert facts["max_size"] == 500 * 1024**2
    assert facts["quarantined"] == 0
    assert "of 500 MB" in run(capsys, "stats")


def test_verify_sets_damaged_entries_aside(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "verify") == "2 of 2 entries are intact\n"
    damaged, whole = entries(folder)
    os.truncate(damaged, 10)
    assert "truncated" in run(capsys, "ls")
    assert run_json(capsys, "verify", code=1) == {
        "entries": 2,
        "damaged": {str(damaged): "truncated"},
    }
    assert entries(folder) == [whole]
    assert run(capsys, "verify") == "1 of 1 entries are intact\n"
    assert run_json(capsys, "stats")["quarantined"] == 1


def test_prune_deletes_what_was_used_longest_ago(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (Path(row["path"]) for row in run_json(capsys, "ls"))
    assert run_json(capsys, "prune") == {"deleted": 0, "size": 0}
    size, limit = second.stat().st_size, str(first.stat().st_size)
    assert run_json(capsys, "prune", "--max-size", limit) == {"deleted": 1, "size": size}
    assert entries(folder) == [first]


def test_clear_deletes_every_entry_and_nothing_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [folder / "notes.txt", folder / "v1" / "ab" / "notes.txt", folder / "v2" / "x.entry"]
    for path in others:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    assert run(capsys, "clear").startswith("2 entries deleted")
    assert entries(folder) == []
    assert all(path.read_text() == "mine" for path in others)
    assert run_json(capsys, "clear") == {"deleted": 0, "size": 0}


@pytest.mark.parametrize("action", ["prune", "clear", "verify"])
def test_a_folder_that_is_no_cache_is_left_alone(
    action: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
    file = tmp_path / "v1" / "ab" / f"{'ab' * 32}.entry"
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    (tmp_path / "v1" / "HEAD").write_text("mine")
    arguments = ["--max-size", "0"] if action == "prune" else []
    assert run(capsys, action, *arguments, code=2) == ""
    assert file.read_text() == "mine"
    assert "nothing is cached" in check_cache()
    assert "'HEAD'" in check_cache()


@pytest.mark.parametrize("damage", ["", None])
def test_a_damaged_tag_disables_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], damage: str | None
) -> None:
    """The cache still works here, in `doctor`, and in a compilation."""
    tag = folder / "v1" / "CACHEDIR.TAG"
    content = tag.read_text()
    tag.unlink()
    if damage is not None:
        tag.write_text(damage)
    assert check_cache() == f"{folder} (rw)"
    os.truncate(entries(folder)[0], 10)
    run(capsys, "verify", code=1)
    assert tag.read_text() == content, "setting an entry aside is a use"
    tag.write_text("")
    assert run(capsys, "clear").startswith("2 entries deleted"), "also in quarantine"
    assert entries(folder) == []


def test_without_a_folder_there_is_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "none"))
    assert run_json(capsys, "ls") == []
    assert run_json(capsys, "stats")["entries"] == 0
    for action in ("verify", "prune", "clear"):
        run(capsys, action)
    assert not (tmp_path / "none").exists()


def test_a_wrong_size_is_named(cli: Any) -> None:
    for size in ("", "G", "-1", "1X", "1e9", "nan"):
        assert "500M or 2G" in cli("cache", "prune", f"--max-size={size}", code=2).err

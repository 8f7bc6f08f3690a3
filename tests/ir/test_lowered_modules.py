"""The comparison of lowered modules with those of another commit detects differences."""

from __future__ import annotations

from pathlib import Path

import pytest
from ir import lowered_modules


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same two modules."""
    folders = tmp_path / "before", tmp_path / "after"
    for folder in folders:
        folder.mkdir()
        for name in ("a", "b"):
            lines = [f"line {number} of {name}" for number in range(100)]
            (folder / name).write_text("\n".join(lines))
    return folders


def test_a_changed_line_is_seen(folders: tuple[Path, Path]) -> None:
    """One line of one module is changed: that module differs, and the diff shows the line."""
    before, after = folders
    assert lowered_modules.differing(before, after, ["a", "b"]) == []
    changed = (after / "b").read_text().replace("line 50 of b", "line 50 of c")
    (after / "b").write_text(changed)
    assert lowered_modules.differing(before, after, ["a", "b"]) == ["b"]
    diff = lowered_modules.difference(before, after, "b").splitlines()
    assert diff[:2] == ["--- before/b", "+++ after/b"]
    assert "-line 50 of b" in diff
    assert "+line 50 of c" in diff


def test_a_long_difference_is_cut(folders: tuple[Path, Path]) -> None:
    before, after = folders
    (after / "a").write_text("\n".join(map(str, range(100))))
    assert len(lowered_modules.difference(before, after, "a", lines=10).splitlines()) == 11


def test_every_op_is_printed() -> None:
    """Of the modules there are, `--fast` takes some of every op, for CPUs and for GPUs."""
    from cases import CASES

    every, fast = (lowered_modules.commands(fast=fast) for fast in (False, True))
    assert every.keys() >= fast.keys()
    assert 1500 < len(every) < 5500
    assert len(fast) < 200
    for op in CASES:
        targets = {argv[-1].partition(":")[0] for argv in fast.values() if op in argv}
        assert targets == {"cpu", "cuda"}, op


def test_a_module_is_printed_without_locations(
    tmp_path: Path,
) -> None:
    """It has neither source locations nor names of values; an error message is unchanged."""
    name, argv = next(iter(lowered_modules.commands(fast=True).items()))
    lowered_modules.print_module(tmp_path / name, argv)
    text = (tmp_path / name).read_text()
    assert "loc(" not in text
    assert "%arg0: tensor<" in text
    assert "package_version" not in text
    lowered_modules.print_module(tmp_path / "none", [*argv[:-1], "cpu:none"])
    assert "with 'none'" in (tmp_path / "none").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {name, "none"}

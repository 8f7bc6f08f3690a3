"""The workflows of GitHub run every test under every Python; make says what it needs."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import processes
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
TESTS = (ROOT / ".github" / "workflows" / "tests.yml").read_text()


def test_each_folder_of_tests_is_in_one_shard() -> None:
    """The last shard takes what no other names, so that a new folder is never left out."""
    named = re.findall(r"(?<!ignore=)\btests/(\w+)", TESTS)
    ignored = re.findall(r"--ignore=tests/(\w+)", TESTS)
    assert sorted(named) == sorted(ignored)
    assert len({*named}) == len(named)
    assert all((ROOT / "tests" / name).is_dir() for name in named)


def test_the_quick_tests_run_on_each_python() -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    versions = [each.rpartition(" ")[2] for each in classifiers if re.search(r":: 3\.\d+$", each)]
    (matrix,) = re.findall(r"python: \[(.*)\]", TESTS)
    assert {each.strip(' "') for each in matrix.split(",")} >= {*versions}
    assert versions


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("target", ["site", "release"])
def test_make_says_what_to_install(target: str, tmp_path: Path) -> None:
    done = processes.run("make", target, f"BIN={tmp_path}", code=2, cwd=ROOT)
    assert f"{tmp_path}/pip install -e '.[dev]'" in done.stderr

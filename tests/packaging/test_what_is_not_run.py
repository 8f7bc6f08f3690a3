"""`pytest` alone runs what is quick, keeps what it compiles, and says what it left out and why."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import processes
import pytest
from quick import first

ROOT = Path(__file__).parents[2]

TESTS = """
import pytest

@pytest.mark.parametrize("number", range(3))
@pytest.mark.skip(reason="needs a GPU")
def test_skipped(number): pass

@pytest.mark.parametrize("number", range(4))
@pytest.mark.slow
def test_slow(number): pass

def test_cache():
    import os
    print("cache:", os.environ["RNN_COMPILER_CACHE_DIR"])
"""


def run(folder: Path, *options: str, text: str = TESTS) -> str:
    """What pytest prints with this project's own options, and these."""
    (folder / "tests").mkdir(exist_ok=True)
    own = ("tests/conftest.py", "tests/compiler_results.py", "tests/quick.py")
    for name in ("conftest.py", "pyproject.toml", *own):
        (folder / name).write_text((ROOT / name).read_text())
    (folder / "tests" / "test_some.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-rP", "--color=no", *options, "tests"]
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    done = processes.run(*command, cwd=folder, env=environment)
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", first(["-n2", "-n0"]))
def test_what_is_left_out_is_listed_once(workers: str, tmp_path: Path) -> None:
    printed = run(tmp_path, workers)
    assert printed.count('4 slow: pytest -m "" runs everything') == 1
    assert printed.count("3 skipped: needs a GPU") == 1
    assert f"cache: {tmp_path / '.pytest_cache/d/compiled/artifacts'}\n" in printed


@pytest.mark.slow
def test_without_a_cache_of_pytest(tmp_path: Path) -> None:
    printed = run(tmp_path, "-n0", "-p", "no:cacheprovider")
    assert "1 passed, 3 skipped" in printed
    assert ".pytest_cache" not in printed


WAYS = """
import pytest

@pytest.fixture
def execute(request):
    return request.param

@pytest.mark.slow
@pytest.mark.parametrize("execute", ["direct", "c", "js"], indirect=True)
@pytest.mark.parametrize("number", [1, 2])
def test_ways(execute, number): print("ran", execute, number)
"""


@pytest.mark.slow
def test_ways_are_dealt_among_values(tmp_path: Path) -> None:
    """Of two values, both run directly, one in C and one in JavaScript."""
    printed = run(tmp_path, "-n0", "-m", "", text=WAYS)
    ran = {("direct", "1"), ("direct", "2"), ("c", "1"), ("js", "2")}
    assert {tuple(line.split()[1:]) for line in printed.splitlines() if "ran " in line} == ran
    assert "2 of a sweep, which others cover: TEST_SWEEP=1 runs them too" in printed


@pytest.mark.slow
def test_everything_with_a_fresh_cache(tmp_path: Path) -> None:
    printed = run(tmp_path, "-n0", "-m", "", "--fresh-cache")
    assert "5 passed" in printed
    assert " slow: " not in printed
    assert "cache: " in printed
    assert str(tmp_path / ".pytest_cache") not in printed

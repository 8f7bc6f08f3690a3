"""What every test runs in: an artifact cache of its own session, and no settings from outside."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Tests share `cases`, `reference` and the like; they are no package, so that nothing but this
# folder's own tests can import them.
sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("cases", "goldens.golden", "numeric.harness")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `tests/cuda` runs on, and where artifacts are kept."""
    parser.addoption("--device", help="run those of tests/cuda that need one on this device, cuda")
    parser.addoption(
        "--keep-cache",
        action="store_true",
        help="keep what the tests compile in build/test-cache, for the next run that keeps it too",
    )


hypothesis.settings.register_profile("local", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


def _shared_temporary(factory: pytest.TempPathFactory) -> Path:
    """The folder of this run: under pytest-xdist, the one above its worker's own."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def _isolated(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[None]:
    """One cache for the session, so that each shape compiles once, and none of the user's own.

    A kept one is as good as new: its keys hold a digest of all sources that decide what is
    compiled, and tests that change what is compiled do without a cache.
    """
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("RNN_COMPILER_")]:
            environment.delenv(name)
        for name in ("COLUMNS", "NO_COLOR"):  # the first of which pytest-xdist sets
            environment.delenv(name, raising=False)
        cache = _shared_temporary(tmp_path_factory) / "artifact-cache"
        if pytestconfig.getoption("--keep-cache"):
            cache = pytestconfig.rootpath / "build" / "test-cache"
        environment.setenv("RNN_COMPILER_CACHE_DIR", str(cache))
        yield

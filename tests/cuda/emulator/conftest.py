"""The emulator under a separate name, which IREE does not look for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cuda import emulator
from cuda.emulator.driver import Driver


@pytest.fixture(scope="session")
def library() -> Driver:
    reason = emulator.why_not()
    if reason is not None:
        pytest.skip(reason)
    return Driver(emulator.load_apart(emulator.build()))


@pytest.fixture
def driver(library: Driver) -> Iterator[Driver]:
    """The driver, which has no fault yet and in which nothing stays behind."""
    before = library.library.emulator_bytes_in_use()
    yield library
    library.library.emulator_reset()
    assert library.library.emulator_bytes_in_use() == before

"""The emulator under a name of its own, which IREE does not look for: these tests are its only user."""

from __future__ import annotations

import pytest
from cuda import emulator
from cuda.emulator.driver import Driver


@pytest.fixture(scope="session")
def driver(emulator_folder: emulator.Path) -> Driver:
    return Driver(emulator.load_apart(emulator_folder))

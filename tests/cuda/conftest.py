"""Selects the tests that need the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Those in `emulated` need a process of their own, which test_on_emulator.py starts.

    That is not for runs that have a device.
    """
    device = str(config.getoption("--device") or "")
    needs_emulator = collection_path.name == "emulated" and not device.startswith("emulator")
    starts_it = collection_path.name == "test_on_emulator.py" and device
    return True if needs_emulator or starts_it else None

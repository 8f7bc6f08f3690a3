"""Which of these tests need the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Those in `emulated` need a process of their own, which test_on_emulator.py starts."""
    apart = collection_path.name == "emulated"
    return True if apart and not str(config.getoption("--device")).startswith("emulator") else None

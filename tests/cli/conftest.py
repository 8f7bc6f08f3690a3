"""Imports networks in this process; `network_import` tests the process itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from network_import.in_process import importing_here


@pytest.fixture(scope="module", autouse=True)
def imported_here() -> Iterator[None]:
    with importing_here():
        yield

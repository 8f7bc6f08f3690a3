"""Imports networks in this process, except in the tests of the process itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from network_import.in_process import importing_here

from rnn_compiler.model_import.reading import run_reader
from rnn_compiler.network_import import process


@pytest.fixture(scope="module", autouse=True)
def imported_here() -> Iterator[None]:
    """For fixtures of modules too."""
    with importing_here():
        yield


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch, imported_here: None) -> None:
    """For tests of the process itself."""
    monkeypatch.setattr(process, "run_reader", run_reader)

"""Imports networks in this process, because starting another takes longer than everything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rnn_compiler.model_import.reader_process import Outcome, run_reader
from rnn_compiler.network_import import process, worker


def run_here(program: Path, folder: str, *, seconds: int) -> Outcome:
    """Replaces `run_reader`, without a process and its limits."""
    return Outcome(b"", worker.main(Path(folder)), "")


@pytest.fixture(scope="module", autouse=True)
def imported_here() -> Iterator[None]:
    """For fixtures of modules too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "limit_process", lambda *_: None)
        patch.setattr(process, "run_reader", run_here)
        yield


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch, imported_here: None) -> None:
    """For tests of the process itself."""
    monkeypatch.setattr(process, "run_reader", run_reader)

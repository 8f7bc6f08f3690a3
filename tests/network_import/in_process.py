"""Imports networks in this process, because starting another takes longer than everything else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rnn_compiler.model_import.reading import ReaderOutcome
from rnn_compiler.network_import import process, worker


def run_here(program: Path, folder: str, *, seconds: int) -> ReaderOutcome:
    """Replaces `run_reader`, without a process and its limits."""
    return ReaderOutcome(b"", worker.main(Path(folder)), "")


@contextmanager
def importing_here() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "limit_process", lambda *_: None)
        patch.setattr(process, "run_reader", run_here)
        yield

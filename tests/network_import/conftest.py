"""Imports networks in this process, except in the tests of the process itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network_import.in_process import importing_here

import rnn_compiler as rc
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


@pytest.fixture
def agrees(execute: Any, tmp_path: Path) -> Callable[..., rc.Module]:
    """Imports a model, and compares what it gives with a judge, onnx's reference implementation."""
    from tests.network_import.graphs import expected, saved

    def agrees(
        made: Any,
        *calls: dict[str, Any],
        rtol: float = 1e-5,
        atol: float = 1e-5,
        judge: Any = expected,
    ) -> Any:
        module = rc.import_network(saved(made, tmp_path / "m.onnx"))
        for given in calls:
            found = execute(module, given)
            for (name, got), wanted in zip(found.items(), judge(made, given), strict=True):
                assert got.shape == wanted.shape, name
                np.testing.assert_allclose(got, wanted, rtol, atol, err_msg=name)
        return module

    return agrees

"""Imports networks in this process, except in the tests of the process itself."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
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


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Each test draws the same numbers, whichever ran before it, and in each way.

    Linear gates amplify roundings; and a model is imported, and often compiled, once.
    """
    graphs = sys.modules.get("tests.network_import.graphs")  # which needs onnx
    if graphs is not None:
        graphs.RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch, imported_here: None) -> None:
    """For tests of the process itself."""
    monkeypatch.setattr(process, "run_reader", run_reader)


@lru_cache(maxsize=2)
def _imported(model: bytes) -> rc.Module:
    """A model, imported once for all ways in which a test runs it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        path.write_bytes(model)
        return rc.import_network(path)


@pytest.fixture
def agrees(execute: Any) -> Callable[..., rc.Module]:
    """Imports a model, and compares what it gives with a judge, onnx's reference implementation."""
    from tests.network_import.graphs import expected

    def agrees(
        made: Any,
        *calls: dict[str, Any],
        rtol: float = 1e-5,
        atol: float = 1e-5,
        judge: Any = expected,
    ) -> Any:
        module = _imported(made.SerializeToString())
        for given in calls:
            found = execute(module, given)
            for (name, got), wanted in zip(found.items(), judge(made, given), strict=True):
                assert got.shape == wanted.shape, name
                np.testing.assert_allclose(got, wanted, rtol, atol, err_msg=name)
        return module

    return agrees


@pytest.fixture
def agree(agrees: Callable[..., rc.Module]) -> Callable[..., rc.Module]:
    """As `agrees`, of several models that are compiled as one, each with as many calls."""
    from tests.network_import.graphs import expected, joined

    def agree(
        cases: Sequence[tuple[Any, Sequence[dict[str, Any]]]],
        judge: Any = expected,
        **bounds: float,
    ) -> Any:
        def judged(_: Any, given: dict[str, Any]) -> list[Any]:
            results: list[Any] = []
            for k, (made, _) in enumerate(cases):
                own = {each.name: given[f"m{k}_{each.name}"] for each in made.graph.input}
                results += judge(made, own)
            return results

        calls = [
            {f"m{k}_{name}": a for k, given in enumerate(call) for name, a in given.items()}
            for call in zip(*(calls for _, calls in cases), strict=True)
        ]
        return agrees(joined([made for made, _ in cases]), *calls, judge=judged, **bounds)

    return agree

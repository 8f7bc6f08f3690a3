"""The section `training-step`: the same losses in every framework, and a run of ourselves alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import every

from benchmarks import steps
from benchmarks.__main__ import main
from benchmarks.peers import PEERS
from benchmarks.results import Results
from benchmarks.rows import OURS
from benchmarks.steps import AGREEING, STEPS, Step

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
pytestmark = pytest.mark.slow

SMALL = {"characters": (8, 2, 5, 6, 5), "readers": (12, 2, 3, 4, 6)}


def small(step: Step) -> Step:
    return replace(step, sizes=SMALL.get(step.network, (16, 2, 3, 4, 2)))


@pytest.mark.parametrize("name", every(STEPS, "char-gru", "conv-lstm"))
def test_frameworks_agree(name: str) -> None:
    """JAX with the products of inputs in the scan and before it, and torch.

    A measurement of any network says whether its losses agree.
    """
    pytest.importorskip("torch", reason="it is compared with torch")
    from benchmarks.peers import steps_jax, steps_torch

    step = small(STEPS[name])
    ways = [
        steps_jax.begin(step, steps_jax.Layers(before=False)),
        steps_jax.first_way(step),
        steps_torch.first_way(step),
    ]
    losses = [[float(way()) for _ in range(AGREEING)] for way in ways]
    assert len(set(losses[0])) == AGREEING
    for each in losses[1:]:
        np.testing.assert_allclose(each, losses[0], rtol=1e-4)


def losses_of_jax(name: str) -> list[float]:
    from benchmarks.peers import steps_jax

    way = steps_jax.first_way(small(STEPS[name]))
    return [float(way()) for _ in range(AGREEING)]


def test_tensorflow_agrees() -> None:
    """As a graph with its kernel, and by XLA."""
    pytest.importorskip("tensorflow", reason="it is compared with TensorFlow")
    from benchmarks.peers import steps_tensorflow

    step = small(STEPS["regression"])
    for variant in steps_tensorflow.variants(case_of("regression", step)):
        losses = variant.fetch(None)["losses"]
        np.testing.assert_allclose(losses, losses_of_jax("regression"), rtol=1e-4)


def case_of(name: str, step: Step) -> Any:
    (case,) = (each for each in steps.step_cases() if each.workload.name == name)
    workload = replace(case.workload, attributes={"step": step})
    return replace(case, workload=workload)


def test_tensorflow_js_agrees() -> None:
    """By WebAssembly and by JavaScript, if its packages are in the current folder."""
    if missing := PEERS["tfjs"].missing:
        pytest.skip(missing)
    from benchmarks.peers import steps_tfjs

    case = case_of("regression", small(STEPS["regression"]))
    for variant in steps_tfjs.variants(case):
        losses = variant.fetch(None)["losses"]
        np.testing.assert_allclose(losses, losses_of_jax("regression"), rtol=1e-4)


def test_ours_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steps, "STEPS", {"regression": small(STEPS["regression"])})
    output = tmp_path / "steps.json"
    command = ["training-step", "--quick", "--peers=none", "--threads=1", "-o", str(output)]
    assert main(command) == 0
    results = Results.load(output)
    (outcome,) = results.outcomes
    assert (outcome.name, [*outcome.tracks], outcome.failures) == ("regression", [OURS], {})
    (fact,) = results.facts
    assert fact.values is not None
    assert fact.values["bytes"] > 1000
    printed = capsys.readouterr().out
    assert "Training steps: microseconds a step" in printed
    assert "Training steps: memory of a process" in printed
    assert "Training steps in C" in printed
    assert 0 < fact.values["c least 1"] <= fact.values["c median 1"]
    losses = [fact.values[f"c loss {number}"] for number in range(AGREEING)]
    np.testing.assert_allclose(losses, losses_of_jax("regression"), rtol=1e-4)
    assert 1e6 < fact.values[f"{OURS} imported"] < fact.values[f"{OURS} peak"]

"""The section `wasm`: a row in Node.js, and missing peers."""

from __future__ import annotations

from pathlib import Path

import pytest
from js.calling import needs_node

from benchmarks.contests import Effort
from benchmarks.groups import IN_WASM, wasm_contests
from benchmarks.peers import PEERS
from benchmarks.rows import OURS, TINY
from benchmarks.wasm import run_wasm_contest

EFFORT = Effort(rounds=3, turn_seconds=0.01)


def test_rows() -> None:
    """Chunks and recordings, in four widths; only one of the peers has such a GRU."""
    found = {(c.group, c.name): [e.peer for e in c.entrants] for c in wasm_contests(None, PEERS)}
    assert len(found) == 24
    assert found["wasm-lstm", "1x1x64x64"] == [OURS, "onnxruntime-web", "tfjs"]
    assert found["wasm-gru", "128x1x512x512"] == [OURS, "onnxruntime-web"]
    assert {group.aim for group in IN_WASM.values()} == {1.5}


def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert PEERS["tfjs"].missing == (
        "not installed: @tensorflow/tfjs, @tensorflow/tfjs-backend-wasm"
    )


def test_without_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    outcome = run_wasm_contest(wasm_contests([TINY], [])[0], tmp_path, EFFORT)
    assert outcome.failures == {OURS: "needs node on PATH"}


@needs_node
@pytest.mark.slow
def test_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run_wasm_contest(wasm_contests([TINY], ["tfjs"])[0], tmp_path, EFFORT)
    assert len(outcome.tracks[OURS].seconds) == 3
    assert "Cannot find module" in outcome.failures["tfjs"]

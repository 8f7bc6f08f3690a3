"""The section `networks`, with a network that need not be downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import networks
from benchmarks.__main__ import main
from benchmarks.networks import NETWORKS, Network, downloaded
from benchmarks.results import Results
from benchmarks.rows import OURS

pytest.importorskip("onnx")

from tests.network_import.graphs import saved, tagger


@pytest.mark.slow
def test_ours_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The time of a call; the time to a new process's first result, and the size of the program."""
    saved(tagger(), tmp_path / "tagger.onnx")
    network = Network(str(tmp_path), "tagger.onnx", {"batch": 1, "sequence": 6})
    monkeypatch.setattr(networks, "NETWORKS", {"tagger": network})
    output = tmp_path / "networks.json"
    command = ["networks", "--quick", "--peers=none", "--threads=1", "-o", str(output)]
    assert main(command) == 0
    results = Results.load(output)
    (outcome,) = results.outcomes
    assert (outcome.name, [*outcome.tracks], outcome.failures) == ("tagger", [OURS], {})
    (fact,) = results.facts
    assert fact.values is not None
    assert fact.values[f"{OURS} seconds"] > 0
    assert fact.values[f"{OURS} program"] > 1000
    assert fact.values[f"{OURS} runtime"] > 1e6
    printed = capsys.readouterr().out
    assert "Whole networks: microseconds a call" in printed
    assert "first result s" in printed


def test_networks_are_files_of_wheels_of_one_version() -> None:
    for network in NETWORKS.values():
        assert "==" in network.package
        assert Path(network.file).suffix == ".onnx"


@pytest.mark.slow
def test_what_cannot_be_downloaded_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no package cannot be downloaded"):
        downloaded(Network("no package", "a.onnx", {}), tmp_path)

"""`python -m benchmarks`: a quick run of ourselves alone, and its errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import processes
import pytest

from benchmarks import contests
from benchmarks.__main__ import SECTIONS, main
from benchmarks.results import Results
from benchmarks.rows import CALLS, OURS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_a_quick_run_without_peers(tmp_path: Path) -> None:
    output = tmp_path / "quick.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--peers", "none", "--threads", "1"]
    command += ["--rows", "*BlockLSTMV2/[T8]*", "scaling", "compile", "-o", str(output)]
    done = processes.run(*command, cwd=ROOT, variables={"PYTHONPATH": str(ROOT)})
    assert "Cost of 4 times as much" in done.stdout
    results = Results.load(output)
    (outcome,) = results.outcomes
    assert (outcome.group, outcome.name, outcome.failures) == ("BlockLSTMV2", "T", {})
    first, second = outcome.tracks.values()
    assert len(first.seconds) == len(second.seconds) >= 3
    (fact,) = results.facts
    assert fact.values is not None
    assert fact.values["bytes"] > 1000


RUN = ["--quick", "--peers=none", "--threads=1", "--rows", "*[bB]lock*", "--size=2,1,3,4"]
RUN += ["peers", "calls", "memory", "soak", "-o"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run."""
    output = tmp_path_factory.mktemp("run") / "run.json"
    assert main([*RUN, str(output)]) == 0
    return output


def test_rows_of_every_kind(measured: Path) -> None:
    """Ours against peers that are absent, calls, memory, and programs that come and go."""
    results = Results.load(measured)
    found = {(o.section, o.group): o for o in results.outcomes}
    assert list(found) == [
        ("peers", "block"),
        ("peers", "block-training"),
        ("calls", "LSTMBlockCell"),
    ]
    for outcome in found.values():
        assert outcome.failures == {}
    assert list(found["peers", "block"].tracks) == [OURS]
    limit = found["peers", "block"].limit
    assert limit is not None
    assert limit.seconds > 0
    assert found["calls", "LSTMBlockCell"].limit is None
    assert tuple(found["calls", "LSTMBlockCell"].tracks) == CALLS
    facts = {(fact.section, fact.group): fact.values for fact in results.facts}
    *memory, soak = facts
    assert memory == [("memory", "block"), ("memory", "block-training")]
    for key in memory:
        values = facts[key]
        assert values is not None
        assert 0 < values["needed"] <= values["peak"]
    values = facts[soak]
    assert values is not None
    assert (values["calls"], values["loads"]) == (80, 8)
    assert 0 < values["first"] < 2 * values["last"]


def test_chunks(tmp_path: Path) -> None:
    """Half of the calls, and 99 in 100, of each round."""
    output = tmp_path / "latency.json"
    arguments = ["--quick", "--peers=none", "--threads=1", "latency", "--rows=gru-chunks/*"]
    assert main([*arguments, "-o", str(output)]) == 0
    (outcome,) = Results.load(output).outcomes
    assert (outcome.section, outcome.group, outcome.failures) == ("latency", "gru-chunks", {})
    track = outcome.tracks[OURS]
    pairs = list(zip(track.seconds, track.tails, strict=True))
    assert len(pairs) >= 3
    assert all(0 < median <= tail for median, tail in pairs)


def test_a_run_is_resumed(
    measured: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Existing results are kept; missing or disturbed ones are measured."""
    monkeypatch.setattr(contests, "is_quiet", lambda elsewhere, threads: elsewhere < 100)
    output = tmp_path / "run.json"
    before = Results.load(measured)
    block, missing, calls = before.outcomes
    before.outcomes.remove(missing)
    block.elsewhere[:] = [1e3]
    before.save(output)
    assert main([*RUN, str(output), "--resume"]) == 0
    again = Results.load(output)
    found = {outcome.group: outcome for outcome in again.outcomes}
    assert found.keys() == {"block", "block-training", "LSTMBlockCell"}
    assert found["block"].tracks != block.tracks
    assert found["LSTMBlockCell"] == calls
    assert again.facts == before.facts
    again.versions["rnn-compiler"] = "0.0.1"
    again.save(output)
    with pytest.raises(SystemExit):
        main([*RUN, str(output), "--resume"])
    assert "another machine or with other versions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["speed"], "no section 'speed'"),
        (["--peers", "theano"], "theano"),
        (["--threads", "1000000"], "1000000 threads: this process has"),
        (["--threads", ""], "--threads"),
        (["--rounds", "0"], "--rounds"),
        (["--size", "1,2,3"], "--size"),
        (["--rows", "nothing"], "no row matches 'nothing'"),
        (["-o", "no/such/folder.json"], "not a file name in a folder that exists"),
        (["--show", "missing.json"], "missing.json"),
        (["--compare", "missing.json"], "missing.json"),
    ],
)
def test_wrong_usage_is_named(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert part in capsys.readouterr().err


def test_the_help_lists_the_sections(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    for section, meaning in SECTIONS.items():
        assert re.search(rf"^{section} +{re.escape(meaning)}$", text, re.MULTILINE)

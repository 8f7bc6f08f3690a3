"""Tables and picture of a stored run, whose numbers are round."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import plot
from benchmarks.__main__ import main
from benchmarks.report import print_comparison, print_results
from benchmarks.results import Results, describe_machine, versions
from benchmarks.rows import MACHINE

STORED = Path(__file__).with_name("results.json")


@pytest.fixture
def results() -> Results:
    return Results.load(STORED)


def lines(print_it: object, *arguments: object) -> list[str]:
    """The printed lines, with each run of blanks as one."""
    file = io.StringIO()
    print_it(*arguments, Console(file=file, width=200))  # type: ignore[operator]
    return [re.sub(r" +", " ", line).strip() for line in file.getvalue().splitlines()]


def test_a_file_is_read_back_as_it_was(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "again.json"
    results.save(path)
    assert json.loads(path.read_text()) == json.loads(STORED.read_text())
    assert [file.name for file in tmp_path.iterdir()] == ["again.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}', '{"schema": 1, "outcomes": 3}'])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"other\.json"):
        Results.load(path)


def test_times_and_ratios_to_the_best_peer(results: Results) -> None:
    text = lines(print_results, results)
    assert "CudnnRNN lstm, inference: milliseconds a call" in text
    columns = "T x B x I x H threads rnn-compiler torch jax limit reached bound by best peer"
    assert f"{columns} peer / ours" in text
    bound = "weights from L2, 64 GB/s"
    assert f"8x2x16x16 1 2 4 1 1 50% {bound} jax 0.50x 0.50-0.50" in text
    bound = "products, 250 GFLOP/s"
    assert f"8x2x16x16 2 1 failed 2 0.8 80% {bound} jax 2.00x 1.50-2.50" in text
    assert "8x2x16x16 1 2 - -" in text  # of block, which has neither a limit nor a peer here


def test_the_time_of_half_of_the_chunks_and_of_99_in_100(results: Results) -> None:
    text = lines(print_results, results)
    assert "gru in chunks, the state kept: microseconds a chunk, p50 and p99" in text
    columns = "T x B x I x H threads rnn-compiler openvino torch limit best peer peer / ours"
    assert columns in text
    row = "1x1x128x128 1 25.0 50.0 50.0 100.0 failed 10 openvino 2.00x 2.00-2.00"
    assert row in text
    assert not any(line.startswith("gru in chunks") and "0.95x" in line for line in text)


def test_a_run_before_there_were_tails_is_read(results: Results, tmp_path: Path) -> None:
    data = json.loads(STORED.read_text())
    for row in data["outcomes"]:
        for track in row["tracks"].values():
            del track["tails"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**data, "outcomes": data["outcomes"][:-1]}))
    assert [o.name for o in Results.load(path).outcomes] == [o.name for o in results.outcomes[:-1]]


def test_means_and_least_rows_stand_beside_their_aims(results: Results) -> None:
    text = lines(print_results, results)
    assert "threads rows geometric mean aim least aim row peer" in text
    row = "8x2x16x16 jax"
    assert f"CudnnRNN lstm, inference 1 1 0.50x 1.05x 0.50x 0.95x {row}" in text
    assert f"CudnnRNN lstm, inference 2 1 2.00x 1.05x 2.00x 0.95x {row}" in text
    results.outcomes[0].group = "of-old"
    assert f"of-old 1 1 0.50x 0.50x 0.95x {row}" in lines(print_results, results)


def test_a_value_is_coloured_by_its_aim(results: Results) -> None:
    file = io.StringIO()
    print_results(results, Console(file=file, width=200, force_terminal=True))
    assert "\x1b[31m0.50x" in file.getvalue()
    assert "\x1b[32m2.00x" in file.getvalue()


def test_a_run_before_there_were_limits_is_read(results: Results, tmp_path: Path) -> None:
    data = json.loads(STORED.read_text())
    for row in data["outcomes"]:
        del row["limit"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(data))
    old = Results.load(path)
    assert [o.limit for o in old.outcomes] == [None] * len(results.outcomes)
    text = lines(print_results, old)
    assert "8x2x16x16 1 2 4 1 jax 0.50x 0.50-0.50" in text


def test_the_machine_is_no_peer(results: Results) -> None:
    results.outcomes[0].failures[MACHINE] = "out of order"
    text = lines(print_results, results)
    assert not any(line.startswith("T x B") and MACHINE in line for line in text)
    assert "machine: inference 8x2x16x16: out of order" in text


def test_a_failure_is_told_once_with_its_reason(results: Results) -> None:
    text = lines(print_results, results)
    assert "torch: inference 8x2x16x16: not [installed]" in text
    assert "bfloat16: block 8x2x16x16: no" in text
    assert "memory: block 8x2x16x16: no memory" in text


def test_a_disturbed_row_is_marked(results: Results) -> None:
    assert not any("not to be relied on" in line for line in lines(print_results, results))
    results.outcomes[0].elsewhere[:] = [0.0, 1e3, 1e3]
    text = lines(print_results, results)
    assert any(line.startswith("8x2x16x16 * 1 2 4 1") for line in text)
    assert any(line.startswith("CudnnRNN lstm, inference * 1 1 0.50x") for line in text)
    assert any(line.startswith("CudnnRNN lstm, inference 2 1 2.00x") for line in text)
    assert any("not to be relied on" in line for line in text)


def test_the_other_sections(results: Results) -> None:
    text = lines(print_results, results)
    assert "threads 1x ms 4x" in text
    assert "BlockLSTMV2 T 1 1 1.25" in text  # five times as long, for four times the time
    assert "threads float32 ms float16" in text
    assert "block 8x2x16x16 1 2 0.50" in text
    assert "raw op, on the device 30.0 +20.0" in text
    assert "BlockLSTMV2 32x16x256x256 0.50 17.5" in text
    assert "block 16x50x32x32 2,000 200 100.00 100.15 +1.00" in text
    assert "training 8x2x16x16 3.00 2.00 1.50" in text


def test_a_comparison_shows_what_changed(results: Results) -> None:
    old = Results.load(STORED)
    for outcome in old.outcomes:
        for track in outcome.tracks.values():
            track.seconds[:] = [2 * seconds for seconds in track.seconds]
    text = lines(print_comparison, old, results)
    assert "inference 8x2x16x16 1 4 2 0.50x 0.50x" in text
    assert not any("machines differ" in line for line in text)
    old.machine["cpu"] = "another"
    assert any("machines differ" in line for line in lines(print_comparison, old, results))


@pytest.mark.slow
def test_the_picture(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    png, svg = plot.draw(results, tmp_path / "stored.json")
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text()
    words = ("CudnnRNN lstm, inference", "mean 0.50, 2.00", "8 x 2 x 16 x 16", "1x")
    for word in (*words, "0.50 jax, 50%", "2.00 jax, 80%"):
        assert word in text
    assert "BlockLSTMV2" not in text  # has no peer here


def test_many_panels_stand_in_two_columns_of_about_one_height() -> None:
    assert plot.columns_of({"a": 1.0, "b": 2.0}) == [["a", "b"]]
    assert plot.columns_of({"a": 5.0, "b": 1.0, "c": 4.0}) == [["a"], ["b", "c"]]
    assert plot.columns_of({"a": 1.0, "b": 1.0, "c": 9.0}) == [["a", "b"], ["c"]]
    assert plot.columns_of({"a": 9.0}) == [["a"]]


@pytest.mark.slow
def test_there_is_no_picture_of_nothing(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results.outcomes.clear()
    assert plot.draw(results, tmp_path / "empty.json") == []


@pytest.mark.slow
def test_a_stored_run_is_shown_without_measuring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "run.json"
    copy.write_bytes(STORED.read_bytes())
    assert main(["--show", str(copy), "--compare", str(STORED)]) == 0
    text = capsys.readouterr().out
    assert "0.50x" in text
    assert "ratio before" in text
    assert copy.read_bytes() == STORED.read_bytes()


def test_the_machine_is_described_but_not_named() -> None:
    import platform

    machine = describe_machine()
    assert machine["processors"] >= 1
    assert machine["memory_gib"] >= 1
    assert machine["cpu"]
    text = json.dumps(machine)
    assert platform.node() not in text
    assert "/" not in text.replace(machine["cpu"], "")
    found = versions(["numpy", "no-such-package"])
    assert found.keys() == {"python", "numpy"}

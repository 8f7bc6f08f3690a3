"""Messages for mistyped commands: short, in the command's own terms, with a suggestion."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from rnn_compiler import requirements
from rnn_compiler.base import installation
from rnn_compiler.cli import main
from rnn_compiler.cli.environment import installed

CELL = ["compile", "GRUBlockCell"]
SIZES = "--dim=batch_size=1,input_size=2,num_units=3"


@pytest.mark.parametrize(
    ("words", "usage", "said"),
    [
        ([*CELL, "--atr", "x=1"], "rnn-compiler compile", "--atr x=1; did you mean --attr?"),
        (["cache", "prune", "--old"], "rnn-compiler cache prune", "arguments: --old"),
        (["run", "m.vmfb", "--randon"], "rnn-compiler run", "did you mean --random?"),
    ],
)
def test_a_misspelt_option(
    words: list[str], usage: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usage is that of the verb."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"usage: {usage} ")
    assert said in shown.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*CELL, SIZES, "--attr", "foo=1"], "--attr foo: GRUBlockCell has no attributes"),
        (
            ["compile", "GRUBlokCell"],
            "build: 'op': expected an op that `rnn-compiler ops` lists, got 'GRUBlokCell'; did you "
            "mean GRUBlockCell?",
        ),
        (
            ["ops", "gru"],
            "ops: 'op': expected one of GRUBlockCell, GRUBlockCellGrad, "
            "GRUBlockCellParameterGrad, onnx.GRU, onnx.GRUGrad, got 'gru'",
        ),
        (
            [*CELL, "--dim", "seq_length=4"],
            "--dim seq_length: no such dimension of GRUBlockCell: batch_size, input_size, "
            "num_units",
        ),
        (
            [*CELL, "--dim", "hidden_size=4"],
            "--dim hidden_size: no such dimension of GRUBlockCell: batch_size, input_size, "
            "num_units; did you mean num_units?",
        ),
        (
            [*CELL, "--dim", "batch_size=1"],
            "GRUBlockCell: sizes are missing: --dim input_size=N,num_units=N",
        ),
        (
            ["compile", "BlockLSTMGradV2", SIZES, "--dim=seq_length=1"],
            "BlockLSTMGradV2: attributes are missing: --attr use_peephole=...",
        ),
        ([*CELL, SIZES, "--weights", "none.npz"], "none.npz: No such file or directory"),
        (
            [*CELL, SIZES, "--quantize", "int8"],
            "--quantize int8 is for frozen weights: give --weights too",
        ),
        (
            ["import", "m.onnx", "--quantize", "int8"],
            "--quantize is for compiling: name a folder with -o",
        ),
        (
            ["import", "m.onnx", "-o", "m", "--weights-apart", "--quantize", "int8"],
            "--quantize int8 is for frozen weights, not --weights-apart",
        ),
    ],
)
def test_one_short_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(words) in (1, 2)
    assert capsys.readouterr().err == f"rnn-compiler: error: {said}\n"


def test_a_target_that_there_is_not(cli: Any) -> None:
    """The line does not list all features."""
    line = cli(*CELL, SIZES, "--target", "cpu:z80", code=2).err
    assert "'z80'" in line
    assert "another architecture" in line
    assert len(line) < 330


def test_hit_or_compiled(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`compile` reports the origin of the code: the compiler, the cache, or the remote cache."""
    remote = tmp_path / "remote"
    remote.mkdir()
    pytest.importorskip("fsspec")
    monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", remote.as_uri())
    command = [*CELL, SIZES, "-o", str(tmp_path / "m.vmfb")]
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "one"))
    for expected in ("compiled", "hit"):
        (row,) = json.loads(cli(*command, "--json").out)["artifacts"]
        assert row["origin"] == expected
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "two"))
    (line,) = [
        each for each in cli(*command).out.splitlines() if each.endswith(" bytes  remote hit")
    ]
    assert line.startswith("cpu ")


def test_a_missing_input(tmp_path: Path, cli: Any) -> None:
    path = tmp_path / "m.vmfb"
    cli(*CELL, SIZES, "-o", path)
    error = "rnn-compiler: error: input x.npz: No such file or directory\n"
    assert cli("run", path, "x.npz", code=2).err == error


@pytest.mark.parametrize(
    ("words", "command", "name"),
    [
        (["compile", "--help", "--json"], "rnn-compiler compile", "--dim"),
        (["cache", "prune", "--json", "-h"], "rnn-compiler cache prune", "--max-size"),
        (["--json", "--help"], "rnn-compiler", "--version"),
    ],
)
def test_help_as_json(words: list[str], command: str, name: str, cli: Any) -> None:
    found = json.loads(cli(*words).out)
    assert found["command"] == command
    assert found["usage"].startswith(command)
    flags = [flag for each in found["arguments"] for flag in each["flags"]]
    assert name in flags
    assert all("%(" not in each["help"] for each in found["arguments"])
    if command == "rnn-compiler":
        assert {"compile", "run", "doctor"} <= {*found["verbs"]}


def test_doctor_knows_which_versions_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """IREE 3.12 cannot run code that another minor version compiled."""
    wanted = installation.requirements()["iree-base-compiler"]
    assert f"iree-base-compiler{wanted}" in (metadata.requires("rnn-compiler") or ())
    assert installed("iree-base-compiler", wanted) == metadata.version("iree-base-compiler")
    monkeypatch.setattr("rnn_compiler.cli.environment.version", lambda _: "3.12.0")
    said = f"3.12.0, but {wanted} is needed: pip install"
    with pytest.raises(LookupError, match=f"^{re.escape(said)}"):
        installed("iree-base-compiler", wanted)


@pytest.mark.parametrize(
    ("version", "wanted", "agrees"),
    [
        ("1.0", "", True),
        ("2.10", ">=2.9", True),
        ("2.0rc1", ">=2", True),
        ("2.0", "!=2.0.0", False),
        ("1.4.5", "~=1.4.2", True),
        ("1.5", "~=1.4.2", False),
        ("3.0", ">2,<3", False),
        ("3", "==3.*", True),
        ("4", "<=3", False),
    ],
)
def test_versions(version: str, wanted: str, agrees: bool) -> None:
    assert requirements.is_within(version, wanted) is agrees


def test_doctor_tells_of_a_remote_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec")
    states: list[Any] = []
    for folder in ("missing", "."):
        monkeypatch.setenv("RNN_COMPILER_CACHE_REMOTE", (tmp_path / folder).as_uri())
        main(["doctor", "--json"])
        rows = json.loads(capsys.readouterr().out)["checks"]
        (row,) = [each for each in rows if each["name"] == "remote cache"]
        states.append((row["state"], "does not exist" in row["detail"]))
    assert states == [("-", True), ("ok", False)]


def test_an_artifact_is_not_its_own_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An artifact is a .zip too, as a file of arrays is."""
    path = str(tmp_path / "cell.vmfb")
    assert main([*CELL, SIZES, "-o", path]) == 0
    assert main(["run", path, path]) == 2
    said = f"{path} is the artifact itself: the second file has the arguments"
    assert said in capsys.readouterr().err

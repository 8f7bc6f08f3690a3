"""`--json`: for every verb that prints facts, on standard output only, whatever the exit code."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import marked_slow

from rnn_compiler.cli import main, make_parser

MODEL = Path(__file__).parents[1] / "model_files" / "gru_frozen.pb"
DIMS = "seq_length=0,batch_size=1,input_size=1,num_units=1"


CELL = """
func.func @main(%x: tensor<1x1xf32>, %w: tensor<2x2xf32>, %c: tensor<2x1xf32>, %b: tensor<2xf32>,
                %d: tensor<1xf32>) -> tensor<1x1xf32> {
  %r:4 = stablehlo.custom_call @rnn_compiler.GRUBlockCell(%x, %x, %w, %c, %b, %d)
      : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2xf32>,
         tensor<1xf32>)
      -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
  return %r#3 : tensor<1x1xf32>
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("json")
    artifact = folder / "lstm.vmfb"
    assert main(["compile", "BlockLSTMV2", "--dim", DIMS, "--golden", "-o", str(artifact)]) == 0
    (folder / "damaged.vmfb").write_bytes(artifact.read_bytes()[:-1] + b"?")
    manifest = (folder / "lstm.vmfb.json").read_bytes()
    (folder / "damaged.vmfb.json").write_bytes(manifest)
    (folder / "user.mlir").write_text(CELL)
    params = folder / "params.npy"
    np.save(params, np.zeros(36, np.float32))
    names = {"from-torch": "torch", "from-keras": "keras", "from-onnx": "onnx"}
    for name in [*names.values(), "block-lstm"]:
        assert main(["weights", f"to-{name}", *weights(folder, f"to-{name}")[2:]]) == 0
    return folder


SIZES = ["--num-units=2", "--input-size=2"]


def weights(folder: Path, conversion: str) -> list[str]:
    """A command that converts weights."""
    direction, framework = conversion.split("-", 1)
    files = [str(folder / "params.npy"), "-o", str(folder / f"{framework}.npz")]
    if direction == "from":
        files = [str(folder / f"{framework}.npz"), "-o", str(folder / "new.npy")]
    options = {
        "to-torch": ["--rnn-mode=rnn_relu", "--num-layers=1", "--num-units=4", "--input-size=3"],
        "to-keras": ["--rnn-mode=rnn_relu", "--num-units=4", "--input-size=3"],
        "to-onnx": ["--rnn-mode=rnn_relu", "--num-units=4", "--input-size=3"],
        "to-block-lstm": ["--num-units=1", "--input-size=6"],
        "from-torch": ["--rnn-mode=rnn_relu", "--num-layers=1"],
        "from-keras": ["--rnn-mode=rnn_relu"],
        "from-onnx": ["--rnn-mode=rnn_relu"],
        "from-block-lstm": ["--input-size=6"],
    }
    return ["weights", conversion, *files, *options[conversion]]


def leaves(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[Any]:
    """All verbs, with their subcommands."""
    actions = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    for action in actions:
        for name, sub in action.choices.items():
            yield from leaves(sub, (*path, name))
    if not actions:
        yield path


VERBS = [path for path in leaves(make_parser()) if path != ("emit",)]
"""All but that which writes a module to standard output."""


def command(path: tuple[str, ...], folder: Path) -> list[str]:
    artifact = str(folder / "lstm.vmfb")
    if path == ("weights", "cells"):
        return [*path]
    if path == ("weights", "from-cell"):
        return [*path, "torch.nn.RNN", str(folder / "torch.npz")]
    if path[0] == "weights":
        return weights(folder, path[1])
    arguments = {
        "ops": [],
        "compile": ["BlockLSTMV2", "--dim", DIMS, "-o", str(folder / "new.vmfb")],
        "link": [str(folder / "user.mlir"), "-o", str(folder / "linked.vmfb")],
        "verify": [artifact],
        "inspect": [artifact],
        "check": [artifact],
        "run": [artifact, "--random", "-o", str(folder / "out.npz")],
        "bench": ["BlockLSTMV2", "--dim", DIMS, "--seconds=0.01"],
        "cache": [],
        "doctor": [],
        "import": [str(MODEL)],
        "demo": ["-o", str(folder / "demo.png")],
    }
    return [*path, *arguments[path[0]]]


def facts(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == code

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(capsys.readouterr().out, parse_constant=refuse)


@pytest.mark.parametrize(
    "path", [marked_slow((path,)) if path == ("demo",) else path for path in VERBS], ids=" ".join
)
def test_every_verb_prints_json(
    path: tuple[str, ...],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if path == ("import",):
        pytest.importorskip("google.protobuf", reason="what reads such files")
        pytest.importorskip("google_crc32c", reason="checks such files")
    if path == ("demo",):
        monkeypatch.setattr("rnn_compiler.cli.demo.run_demo.__kwdefaults__", {"steps": 1})
    if path[0] == "cache":  # some of them empty it
        monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
    code = 1 if path == ("demo",) else 0  # one step of training is not enough
    found = facts(command(path, folder), capsys, code)
    assert found or path == ("cache", "ls")


def test_compile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(command(("compile",), folder), capsys)
    (artifact,) = found["artifacts"]
    assert found["path"] == artifact["file"] == str(folder / "new.vmfb")
    assert artifact["size"] == (folder / "new.vmfb").stat().st_size
    assert found["functions"] == ["block_lstm_v2"]
    bundle = str(folder / "bundle")
    targets = ["--target=cpu", "--target=cpu:generic", "-o", bundle]
    found = facts(["compile", "BlockLSTMV2", "--dim", DIMS, *targets], capsys)
    files = [artifact["file"] for artifact in found["artifacts"]]
    assert files == [f"{bundle}/cpu.vmfb", f"{bundle}/cpu-generic.vmfb"]
    assert all(Path(file).is_file() for file in files)


@pytest.mark.slow
def test_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers that are not finite are counted, and are none themselves."""
    dims = "batch_size=1,input_size=1,num_units=1"
    cell = str(folder / "cell.vmfb")
    assert main(["compile", "GRUBlockCell", "--dim", dims, "-o", cell]) == 0
    found = facts(["run", cell, "--random"], capsys)
    assert [row["name"] for row in found["results"]] == ["r", "u", "c", "h"]
    assert all(row["min"] == row["max"] and row["not_finite"] == 0 for row in found["results"])
    assert found["results"][0]["shape"] == [1, 1]
    np.save(folder / "nan.npy", np.full((1, 1), np.nan, np.float32))
    found = facts(["run", cell, "--random", f"--input=x={folder / 'nan.npy'}"], capsys)
    rows = [(row["mean"], row["not_finite"]) for row in found["results"]]
    assert rows == [(None, 1)] * 4


def test_doctor(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = facts(["doctor"], capsys)
    assert (found["works"], found["compiles"]) == (True, True)
    states = {check["name"]: check["state"] for check in found["checks"]}
    assert states["compile and run"] == states["iree-base-compiler"] == "ok"
    monkeypatch.setattr("rnn_compiler.cli.environment.get_device", lambda uri: 1 / 0)
    found = facts(["doctor"], capsys, code=1)
    assert (found["works"], found["compiles"]) == (False, False)


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["inspect", "damaged.vmfb"], 1, "damaged"),
        (["run", "damaged.vmfb"], 1, "damaged"),
        (["inspect", "none.vmfb"], 1, "no such artifact"),
        (["check", "none.vmfb"], 1, "no such artifact"),
        (["run", "lstm.vmfb"], 2, "arguments are missing"),
        (["ops", "Nonsense"], 2, "'Nonsense'"),
        (["compile", "BlockLSTMV2"], 2, "--dim"),
        (["cache", "prune", "--max-size=x"], 2, "500M"),
    ],
)
def test_an_error_is_json_too(
    arguments: list[str],
    code: int,
    part: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Any,
) -> None:
    monkeypatch.chdir(folder)
    captured = cli(*arguments, "--json", code=code)
    found = json.loads(captured.out)
    assert captured.err == f"rnn-compiler: error: {found['error']}\n"
    assert part in found["error"]


def test_a_verdict_is_json_whatever_the_exit_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = facts(["check", str(folder / "damaged.vmfb")], capsys, code=3)
    assert found["verdict"] == "recompile"


def test_help_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "every verb except emit takes --json" in capsys.readouterr().out

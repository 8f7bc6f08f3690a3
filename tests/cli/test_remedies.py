"""Errors of commands that name what to do, and the options that they name."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.cli import main

TORCH = Path(__file__).parents[1] / "model_files" / "torch_lstm.onnx"
CELL = ["GRUBlockCell", "--dim", "batch_size=1,input_size=2,num_units=3"]


def negating(path: Path, *shape: int | str) -> Path:
    """The file of a network of one node."""
    onnx = pytest.importorskip("onnx")
    value = functools.partial(onnx.helper.make_tensor_value_info, elem_type=onnx.TensorProto.FLOAT)
    nodes = [onnx.helper.make_node("Neg", ["x"], ["y"])]
    graph = onnx.helper.make_graph(
        nodes, "graph", [value("x", shape=shape)], [value("y", shape=None)]
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path


@pytest.mark.slow
def test_models_named_like_headers(tmp_path: Path, cli: Any) -> None:
    named = tmp_path / "signal.onnx"
    for way in (["--dim", "seq_length=2,batch_size=1"], ["--whole"]):
        if way == ["--whole"]:
            negating(named, 2)
        else:
            named.write_bytes(TORCH.read_bytes())
        folder = tmp_path / f"out{len(way)}"
        words = ["import", str(named), "--format", "c", "-o", str(folder), *way]
        assert "got 'signal'; give another: name=, or --name" in cli(*words, code=2).err
    cli(*words, "--name", "waves")
    assert {"waves.h", "waves.c", "waves.o"} <= {each.name for each in folder.iterdir()}


def test_keras_files_are_exported_first(tmp_path: Path, cli: Any) -> None:
    (tmp_path / "m.keras").touch()
    printed = cli("import", tmp_path / "m.keras", "--whole", code=2).err
    assert 'model.export("model.onnx", format="onnx")' in printed


def test_jobs_of_one_size(cli: Any) -> None:
    assert "--jobs 0: expected 1 or more" in cli("compile", *CELL, "--jobs", "0", code=2).err


@pytest.mark.slow
def test_sizes_of_networks_that_stay_open(tmp_path: Path, cli: Any) -> None:
    path = negating(tmp_path / "open.onnx", "unk__71", "steps", 2)
    words = ["import", str(path), "--whole"]
    for dims, shape, left in (
        ([], "[unk__71,steps,2]", "steps, unk__71"),
        (["--dim", "steps=any"], "[unk__71,steps,2]", "steps, unk__71"),
        (["--dim", "x=anyx3x2"], "[unk__71,3,2]", "unk__71"),
        (["--dim", "x=1x?x2"], "[1,steps,2]", "steps"),
    ):
        listing = cli(*words, *dims).out
        assert f"float32{shape}" in listing
        assert f"-o FOLDER  (open, and any size works: {left})" in listing
    assert "any size works" not in cli(*words, "--dim", "x=1x3x2").out
    assert "did you mean steps?" in cli(*words, "--dim", "stps=any", code=2).err
    printed = cli(*words, "--dim", "x=anyx3x4", code=2).err
    assert "'x': expected a shape [unk__71, steps, 2], got [?, 3, 4]" in printed
    assert "or any in place of a number" in cli(*words, "--dim", "steps=a", code=2).err


def test_pairs_with_spaces_between(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "GRUBlockCell", "--dim", "batch_size=1", "input_size=2", "num_units=3"]
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr().err
    assert "unrecognized arguments: input_size=2 num_units=3; separate pairs by commas" in said


def test_arrays_that_are_not_used(tmp_path: Path, cli: Any) -> None:
    module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
    rc.compile(module).save(tmp_path / "cell.vmfb")
    np.savez(tmp_path / "given.npz", x=np.zeros((1, 2), np.float32), state=np.zeros(3))
    printed = cli("run", tmp_path / "cell.vmfb", tmp_path / "given.npz", code=2).err
    assert f"not used of {tmp_path / 'given.npz'}: state" in printed


@pytest.mark.slow
def test_open_sizes_are_written_as_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    sizes = "seq_length={},batch_size=2,input_size=2,num_units=3"
    words = ["compile", "BlockLSTMV2", "-o", str(tmp_path / "open.vmfb"), "--dim"]
    assert "or None for any (--dim: any)" in cli(*words, sizes.format("-3"), code=2).err
    cli(*words, sizes.format("any"))
    listing = cli("cache", "ls").out
    assert "seq_length=?" in listing
    assert "None" not in listing

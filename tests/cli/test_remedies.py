"""Errors of commands that name what to do, and the options that they name."""

import functools
from pathlib import Path

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


def test_models_named_like_headers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = tmp_path / "signal.onnx"
    for way in (["--dim", "seq_length=2,batch_size=1"], ["--whole"]):
        if way == ["--whole"]:
            negating(named, 2)
        else:
            named.write_bytes(TORCH.read_bytes())
        folder = tmp_path / f"out{len(way)}"
        words = ["import", str(named), "--format", "c", "-o", str(folder), *way]
        assert main(words) == 2
        assert "got 'signal'; give another: name=, or --name" in capsys.readouterr().err
        assert main([*words, "--name", "waves"]) == 0
        assert {"waves.h", "waves.c", "waves.o"} <= {each.name for each in folder.iterdir()}


def test_keras_files_are_exported_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.keras").touch()
    assert main(["import", str(tmp_path / "m.keras"), "--whole"]) == 2
    assert 'model.export("model.onnx", format="onnx")' in capsys.readouterr().err


def test_jobs_of_one_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", *CELL, "--jobs", "0"]) == 2
    assert "--jobs 0: expected 1 or more" in capsys.readouterr().err


def test_sizes_of_networks_that_stay_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = negating(tmp_path / "open.onnx", "unk__71", "steps", 2)
    words = ["import", str(path), "--whole"]
    for dims, shape, left in (
        ([], "[unk__71,steps,2]", "steps, unk__71"),
        (["--dim", "steps=any"], "[unk__71,steps,2]", "steps, unk__71"),
        (["--dim", "x=anyx3x2"], "[unk__71,3,2]", "unk__71"),
        (["--dim", "x=1x?x2"], "[1,steps,2]", "steps"),
    ):
        assert main([*words, *dims]) == 0
        listing = capsys.readouterr().out
        assert f"float32{shape}" in listing
        assert f"-o FOLDER  (open, and any size works: {left})" in listing
    assert main([*words, "--dim", "x=1x3x2"]) == 0
    assert "any size works" not in capsys.readouterr().out
    assert main([*words, "--dim", "stps=any"]) == 2
    assert "did you mean steps?" in capsys.readouterr().err
    assert main([*words, "--dim", "x=anyx3x4"]) == 2
    assert "'x': expected a shape [unk__71, steps, 2], got [?, 3, 4]" in capsys.readouterr().err
    assert main([*words, "--dim", "steps=a"]) == 2
    assert "or any in place of a number" in capsys.readouterr().err


def test_pairs_with_spaces_between(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "GRUBlockCell", "--dim", "batch_size=1", "input_size=2", "num_units=3"]
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr().err
    assert "unrecognized arguments: input_size=2 num_units=3; separate pairs by commas" in said


def test_arrays_that_are_not_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
    rc.compile(module).save(tmp_path / "cell.vmfb")
    np.savez(tmp_path / "given.npz", x=np.zeros((1, 2), np.float32), state=np.zeros(3))
    assert main(["run", str(tmp_path / "cell.vmfb"), str(tmp_path / "given.npz")]) == 2
    assert f"not used of {tmp_path / 'given.npz'}: state" in capsys.readouterr().err


def test_open_sizes_are_written_as_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    sizes = "seq_length={},batch_size=2,input_size=2,num_units=3"
    words = ["compile", "BlockLSTMV2", "-o", str(tmp_path / "open.vmfb"), "--dim"]
    assert main([*words, sizes.format("-3")]) == 2
    assert "or None for any (--dim: any)" in capsys.readouterr().err
    assert main([*words, sizes.format("any")]) == 0
    capsys.readouterr()
    assert main(["cache", "ls"]) == 0
    listing = capsys.readouterr().out
    assert "seq_length=?" in listing
    assert "None" not in listing

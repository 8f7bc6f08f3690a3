"""`rnn-compiler import`: tables, JSON, and a folder whose README has working calls."""

from __future__ import annotations

import json
import re
import shlex
import sysconfig
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import processes
import pytest
from quick import first

from rnn_compiler.cli import main
from rnn_compiler.runtime import load

pytest.importorskip("google.protobuf", reason="reads ONNX files and graphs")
pytest.importorskip("google_crc32c", reason="checks SavedModels")

MODELS = Path(__file__).parents[1] / "model_files"
SPEECH = str(MODELS / "speech_frozen.pb")
TORCH = str(MODELS / "torch_lstm.onnx")


def test_a_table(cli: Any) -> None:
    out = cli("import", TORCH).out
    assert re.search(r"^/LSTM_1 +CudnnRNNV3 +float32 +seq_length \?, batch_size \?", out, re.M)
    assert "direction=bidirectional" in out
    assert "the model passes initial_h, which is input_h" in out
    assert out.splitlines()[-1].endswith("--dim batch_size=N,seq_length=N  (or any in place of N)")


def test_json(cli: Any) -> None:
    (layer,) = json.loads(cli("import", SPEECH, "--json").out)
    assert layer["name"] == "lstm_fused_cell/BlockLSTM"
    assert layer["attributes"]["forget_bias"] == 0
    assert layer["weights"]["w"] == [8, 20]
    assert layer["dims"]["batch_size"] == 1
    (layer,) = json.loads(cli("import", TORCH, "--json", "--layer", "/LSTM").out)
    assert layer["dims"]["seq_length"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dims", "shape"),
    first(
        [
            ("seq_length=4,batch_size=2", "[4, 2, "),
            ("seq_length=?,batch_size=?", "[seq_length, batch_size, "),
        ]
    ),
)
def test_a_folder(
    dims: str, shape: str, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The README's code gives the model's results for the model's input."""
    folder = tmp_path / "made" / "here"
    command = ["import", TORCH, "-o", str(folder), "--dim", dims]
    facts = json.loads(cli(*command, "--weights-apart", "--json").out)
    names = ["torch_lstm.vmfb", "LSTM.npz", "LSTM_1.npz", "README.md"]
    assert facts["files"] == [str(folder / name) for name in names]
    text = (folder / "README.md").read_text()
    code = "".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    assert "out = program.LSTM_1(" in code
    stored = np.load(MODELS / "torch_lstm.npz")
    assert code.count("# out.output: float32 " + shape) == 2
    assert "Open(" not in text
    zeros = r'"input": np.zeros\(\(.*?\), np.float32\)'
    code = re.sub(zeros, '"input": x', code, count=1)
    code = re.sub(zeros, '"input": out.output', code)
    code = code.replace("seq_length = 7", "seq_length = 4")
    code = code.replace("batch_size = 5", "batch_size = 2")
    inputs: dict[str, Any] = {"x": stored["x"]}
    monkeypatch.chdir(folder)
    exec(code, inputs)
    np.testing.assert_allclose(inputs["out"].output, stored["y"], rtol=0, atol=5e-6)
    (line,) = re.findall(r"^rnn-compiler run (.*)$", text, re.M)
    file, weights, *options = line.split()
    cli("run", folder / file, folder / weights, *options)


@pytest.mark.slow
def test_weights_in_int8(tmp_path: Path) -> None:
    folder, sizes = tmp_path / "m", ["--dim", "seq_length=?,batch_size=1", "--layer", "/LSTM"]
    assert main(["import", TORCH, "-o", str(folder), "--quantize", "int8", *sizes]) == 0
    (module,) = folder.glob("*.vmfb")
    (function,) = load(module).functions.values()
    assert [each.dtype for each in function.spec.frozen][:2] == ["int8", "float32"]


@pytest.mark.slow
def test_models_in_one_module(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README calls each function with IREE's own tool; layers take the attributes they have."""
    folder, gradient = tmp_path / "both", tmp_path / "gradient"
    with ZipFile(MODELS / "cudnn_gradient.zip") as file:
        file.extractall(gradient)
    attributes = ["--attr", "is_training=false,forget_bias=1"]
    cli("import", SPEECH, gradient, "-o", folder, *attributes)
    assert (folder / "speech_frozen.irpa").exists()
    text = (folder / "README.md").read_text()
    assert text.partition("\n\n")[2].startswith("# speech_frozen.pb, gradient\n")
    assert "previous_state/c; program.lstm_fused_cell_BlockLSTM.stream does this\n" in text
    assert "program.stream" not in text
    commands = re.findall(r"^iree-run-module .*$", text, re.M)
    program = load(folder / "speech_frozen.vmfb")
    assert len(commands) == len(program.functions) == 3
    assert program.functions["CudnnRNNV3"].spec.attributes["is_training"] is False
    assert program.functions["lstm_fused_cell_BlockLSTM"].spec.attributes["forget_bias"] == 1
    monkeypatch.chdir(folder)
    exec("".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)), {})
    tool = Path(sysconfig.get_path("scripts")) / "iree-run-module"
    arguments = shlex.split(commands[0])[1:]
    processes.run(tool, *arguments, cwd=folder)
    assert np.load(folder / "lstm_fused_cell_BlockLSTM.h.npy").shape == (16, 1, 5)
    assert "Weights are in `speech_frozen.irpa`, which must stay next to" in text
    printed = cli("import", SPEECH, TORCH, "--json", "--layer", "/LSTM").out
    assert [layer["name"] for layer in json.loads(printed)] == ["/LSTM"]
    printed = cli("import", SPEECH, TORCH, "--layer", "LSTM", code=2).err
    assert "--layer LSTM: expected one of lstm_fused_cell/Bl" in printed


@pytest.mark.slow
def test_several_targets(tmp_path: Path) -> None:
    targets = ["--target", "cpu", "--target", "cpu:generic"]
    assert main(["import", SPEECH, "-o", str(tmp_path), *targets]) == 0
    program = load(tmp_path / "speech_frozen")
    assert list(program.functions) == ["lstm_fused_cell_BlockLSTM"]


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        ([SPEECH, "--dim", "batch_size=1"], 2, "--dim is for compiling: name a folder with -o"),
        ([SPEECH, "--target", "cpu"], 2, "--target is for compiling"),
        ([SPEECH, "--attr", "a=1"], 2, "--attr is for compiling"),
        ([SPEECH, "-o", "{}", "--attr", "is_training=1"], 2, "no such attribute of BlockLSTM"),
        ([SPEECH, "-o", "{}", "--dim", "cell_clip=1"], 2, "did you mean --attr cell_clip=1?"),
        ([SPEECH, "-o", "{}", "--dim", "rows=1"], 2, "no layer has the dimension 'rows'"),
        ([SPEECH, "-o", "{}", "--dim", "num_units=9"], 2, "expected 5, which its weights have"),
        ([TORCH, "-o", "{}", "--dim", "seq_len=any"], 2, "did you mean seq_length?"),
        ([TORCH, "-o", "{}", "--dim", "timesteps=any"], 2, "did you mean seq_length?"),
        ([TORCH, "-o", "{}"], 2, "sizes are missing: --dim batch_size=N,seq_length=N"),
        ([SPEECH, "-o", "{}/README"], 2, "is a file"),
        ([SPEECH, "--layer", "lstm"], 2, "expected one of lstm_fused_cell/BlockLSTM"),
        (["none.onnx"], 2, "which does not exist"),
        (["{}/README.onnx"], 1, "damaged"),
        ([TORCH, "--golden"], 2, "--golden is for compiling: name a folder with -o"),
        ([TORCH, "--golden", "--format", "js", "-o", "{}"], 2, "--golden: not with --format js"),
        ([TORCH, "--golden", "--whole"], 2, "--golden and --name are for compiling: name a folder"),
    ],
)
def test_errors(arguments: list[str], code: int, part: str, tmp_path: Path, cli: Any) -> None:
    """In one line, and nothing is made."""
    (tmp_path / "README").touch()
    (tmp_path / "README.onnx").touch()
    given = [each.format(tmp_path) for each in arguments]
    if "-o" in given and code == 2 and "/README" not in given[-1]:
        given[given.index("-o") + 1] += "/new"
    (line,) = cli("import", *given, code=code).err.splitlines()
    assert part in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README", "README.onnx"]


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
def test_golden(whole: bool, tmp_path: Path, cli: Any) -> None:
    """Samples of layers and of networks, which `verify` compares, or the self test of C."""
    folder = tmp_path / "new"
    if whole:
        onnx = pytest.importorskip("onnx")
        x, y = (onnx.helper.make_tensor_value_info(name, 1, [2, 3]) for name in "xy")
        graph = onnx.helper.make_graph([onnx.helper.make_node("Tanh", ["x"], ["y"])], "g", [x], [y])
        onnx.save(onnx.helper.make_model(graph, ir_version=8), tmp_path / "net.onnx")
        command = ["import", str(tmp_path / "net.onnx"), "--whole", "--name", "net"]
    else:
        command = ["import", SPEECH, "--dim=seq_length=3", "--name", "net"]
    command += ["--golden", "-o", str(folder)]
    assert str(folder / "net.vmfb.golden.npz") in cli(*command).out.splitlines()
    cli("verify", folder / "net.vmfb")
    cli(*command, "--format", "c")
    assert "compared" in (folder / "net_selftest.c").read_text()


def test_results_are_chosen(tmp_path: Path, cli: Any) -> None:
    """The functions of all layers return them; the README's code fits."""
    command = ["import", SPEECH, "--dim=seq_length=3", "--name", "net"]
    cli(*command, "--outputs", "h,cs_last", "-o", str(tmp_path / "some"))
    manifest = json.loads((tmp_path / "some" / "net.vmfb.json").read_text())
    for function in manifest["functions"]:
        assert [each["name"] for each in function["results"]] == ["h", "cs_last"]
    assert "h_last" not in (tmp_path / "some" / "README.md").read_text()
    wrong = cli(*command, "--outputs", "h_lst", "-o", str(tmp_path / "none"), code=2).err
    assert "did you mean" in wrong
    assert not (tmp_path / "none").exists()
    assert "name a folder with -o" in cli("import", SPEECH, "--outputs", "h", code=2).err


@pytest.mark.slow
def test_layers_of_the_same_sizes_are_counted(tmp_path: Path, cli: Any) -> None:
    """They are calls of one function."""
    onnx = pytest.importorskip("onnx")
    x, y = (onnx.helper.make_tensor_value_info(name, 1, [2, 1, 3]) for name in "xy")
    weights = [
        onnx.numpy_helper.from_array(np.full(shape, 0.1, np.float32), name)
        for name, shape in {"W": (1, 12, 3), "R": (1, 12, 3)}.items()
    ]
    weights.append(onnx.numpy_helper.from_array(np.array([1]), "axes"))
    nodes = [
        onnx.helper.make_node("LSTM", ["x", "W", "R"], ["h"], hidden_size=3),
        onnx.helper.make_node("Squeeze", ["h", "axes"], ["s"]),
        onnx.helper.make_node("LSTM", ["s", "W", "R"], ["y"], hidden_size=3),
    ]
    y.type.tensor_type.ClearField("shape")
    graph = onnx.helper.make_graph(nodes, "g", [x], [y], weights)
    opsets = [onnx.helper.make_opsetid("", 17)]
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "net.onnx"
    )
    out = cli("import", tmp_path / "net.onnx", "--whole").out
    assert "recurrent layers: CudnnRNNV3, CudnnRNNV3; weights: " in out
    facts = json.loads(cli("import", tmp_path / "net.onnx", "--whole", "--json").out)
    assert facts["recurrent"] == ["CudnnRNNV3"] * 2

"""`rnn-compiler weights`: files of every framework, in both directions."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sysconfig
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import processes
import pytest
from cases import assert_same_bits
from weights.cell_formulas import parameters
from weights.converter_golden import GOLDENS, ConverterGolden

from rnn_compiler import weights
from rnn_compiler.cli import main


def named(given: Any, family: str) -> dict[str, Any]:
    """A framework's weights, by the names that they have in a file."""
    if isinstance(given, Mapping):
        return dict(given)
    names = {"onnx": "WRB", "blocklstm": "wb"}.get(family)
    return {names[k] if names else f"arr_{k}": array for k, array in enumerate(given)}


def flags(keywords: dict[str, Any]) -> list[str]:
    arguments: list[str] = []
    for name, value in keywords.items():
        if value is not False:
            arguments += [f"--{name.replace('_', '-')}"] + [str(value)] * (value is not True)
    return arguments


needs_safetensors = pytest.mark.skipif(
    find_spec("safetensors") is None, reason="needs safetensors, which is optional"
)


@pytest.mark.parametrize("suffix", [".npz", pytest.param(".safetensors", marks=needs_safetensors)])
@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_there_and_back(
    golden: ConverterGolden, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    family = golden.meta["family"].replace("blocklstm", "block-lstm")
    source, params = tmp_path / f"weights{suffix}", tmp_path / "params.npy"
    weights.save(source, named(golden.weights, golden.meta["family"]))
    sizes = golden.sizes
    needed = {
        "torch": ("rnn_mode", "num_layers", "bidirectional"),
        "keras": ("rnn_mode", "bidirectional"),
        "onnx": ("rnn_mode",),
        "block-lstm": ("input_size", "version", "forget_bias"),
    }[family]
    options = flags({name: sizes[name] for name in needed})
    command = ["weights", f"from-{family}", str(source), "-o", str(params), *options]
    assert main(command) == 0
    assert np.load(params).tobytes() == golden.arrays["params"].tobytes()
    assert f"params  {golden.meta['dtype']}  {len(golden.arrays['params'])}" in " ".join(
        capsys.readouterr().out.splitlines()
    ).replace("   ", "  ")
    back = tmp_path / f"back{suffix}"
    assert main(["weights", f"to-{family}", str(params), "-o", str(back), *flags(sizes)]) == 0
    wanted = named(golden.weights_from(golden.arrays["params"]), golden.meta["family"])
    found = weights.load(back)
    assert set(found) == set(wanted)
    assert_same_bits(found, wanted)


@pytest.mark.parametrize(
    "file",
    ["params.npy", "params.npz", pytest.param("params.safetensors", marks=needs_safetensors)],
)
def test_bfloat16_layers_of_nodes(file: str, tmp_path: Path) -> None:
    sizes = {"rnn_mode": "rnn_tanh", "num_layers": 2, "num_units": 5, "input_size": 4}
    params = np.arange(115).astype(ml_dtypes.bfloat16)
    nodes = weights.to_onnx(params, **sizes)
    given = {f"{n}_{k}": getattr(nodes, n)[k] for n in "WRB" for k in range(2)}
    weights.save(tmp_path / "nodes.npz", given)
    path = str(tmp_path / file)
    mode = ["--rnn-mode", "rnn_tanh"]
    assert main(["weights", "from-onnx", str(tmp_path / "nodes.npz"), "-o", path, *mode]) == 0
    back = str(tmp_path / "back.npz")
    assert main(["weights", "to-onnx", path, "-o", back, *flags(sizes)]) == 0
    found = weights.load(back)
    assert set(found) == set(given)
    for name, array in given.items():
        assert found[name].dtype == ml_dtypes.bfloat16
        assert found[name].tobytes() == array.tobytes()


def test_lists_through_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conversions as compiled functions: in a file, lists are element by element."""
    monkeypatch.chdir(tmp_path)
    command = ["compile", "CudnnRNNParamsToCanonical", "CudnnRNNCanonicalToParams", "-o", "p.vmfb"]
    command += ["--dim", "num_layers=1,num_units=3,input_size=3"]
    assert main([*command, "--attr", "rnn_mode=gru,input_mode=skip_input,num_params=6"]) == 0
    np.savez("in.npz", params=np.arange(45, dtype=np.float32))
    to, back = "cudnn_rnn_params_to_canonical", "cudnn_rnn_canonical_to_params"
    assert main(["run", "p.vmfb", "in.npz", "--function", to, "-o", "parts.npz"]) == 0
    with np.load("parts.npz") as parts:
        assert list(parts) == [f"{name}_{k}" for name in ("weights", "biases") for k in range(6)]
        assert parts["weights_0"].shape == (3, 0)
    assert main(["run", "p.vmfb", "parts.npz", "--function", back, "-o", "back.npz"]) == 0
    assert np.load("back.npz")["params"].tolist() == list(range(45))
    one = ["--function", back, "--input", "num_layers=2"]
    assert main(["run", "p.vmfb", "parts.npz", *one]) == 2
    manifest = json.loads(Path("p.vmfb.json").read_text())
    name, *rest = shlex.split(manifest["run_commands"][back])
    assert "--input=3x0xf32" in rest
    tool = shutil.which(name, path=sysconfig.get_path("scripts"))
    rest = [part.replace("FILE.vmfb", "p.vmfb") for part in rest]
    processes.run(tool, *rest)


LSTM = ["--rnn-mode", "lstm"]
SIZES = [*LSTM, "--num-units", "5", "--input-size", "3"]


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (["from-keras", "none.npz", *LSTM], 1, ["none.npz", "No such file"]),
        (["from-keras", "keras.txt", *LSTM], 2, ["'keras.txt'", ".safetensors, .npz"]),
        (["from-keras", "torch.npz", *LSTM], 2, ["torch.npz", "the array arr_0, found weight_ih"]),
        (["from-keras", "a.pt", *LSTM], 2, ["a file of PyTorch;", "weights from-torch a.pt`"]),
        (["from-torch", "a.h5", *LSTM], 2, ["a file of Keras;", "`rnn-compiler import a.h5`"]),
        (["from-keras", "many.npz", *LSTM], 2, ["arr_0, found a0, a1", "a7 and 12 more"]),
        (["to-keras", "pipe.npy", *SIZES], 1, ["pipe.npy: not a regular file"]),
        (["from-onnx", "torch.npz", *LSTM], 2, ["the array W, found weight_ih"]),
        (["from-block-lstm", "torch.npz", "--input-size", "3"], 2, ["the array w, found"]),
        (["from-torch", "torch.npz", *LSTM, "--num-layers", "2"], 2, ["weight_ih_l1", "layers=2"]),
        (["from-torch", "torch.npz", "--rnn-mode", "rnn", "--num-layers", "1"], 2, ["'rnn'"]),
        (["to-keras", "torch.npz", *SIZES], 2, ["torch.npz", "the array params, found"]),
        (["to-keras", "bad.npy", *SIZES], 2, ["bad.npy", "not a .npy file"]),
        (["to-keras", "p.npy", *SIZES], 2, ["'params'", "[params_size] = [200]", "[199]"]),
        (["to-keras", "p.npy", *SIZES[:-1], "4"], 2, ["[params_size] = [220]"]),
        (["to-block-lstm", "p.npy", *SIZES[2:], "--version", "3"], 2, ["'version'", "1 or 2"]),
    ],
)
def test_an_error_is_one_line(
    arguments: list[str],
    code: int,
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = {"rnn_mode": "lstm", "num_layers": 1, "num_units": 5, "input_size": 3}
    weights.save("torch.npz", weights.to_torch(np.zeros(200), **sizes))
    np.save("p.npy", np.zeros(199))
    np.savez("many.npz", **{f"a{k}": np.zeros(1) for k in range(20)})
    os.mkfifo("pipe.npy")
    Path("bad.npy").write_bytes(b"no array")
    captured = cli("weights", *arguments, "-o", "out.npz", code=code)
    assert captured.out == ""
    assert captured.err.startswith("rnn-compiler: error: ")
    assert captured.err.count("\n") == 1
    for part in parts:
        assert part in captured.err
    assert not Path("out.npz").exists()


@pytest.mark.parametrize("name", [name for name in weights.__all__ if name[:3] in ("to_", "fro")])
def test_every_converter_has_a_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["weights", name.replace("_", "-"), "--help"])
    assert caught.value.code == 0
    assert "--" in capsys.readouterr().out


def test_missing_options_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["weights", "to-torch", "p.npy", "-o", "out.npz"])
    assert caught.value.code == 2
    assert "--rnn-mode, --num-layers, --num-units, --input-size" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".npz", pytest.param(".safetensors", marks=needs_safetensors)])
def test_a_cell_from_a_file(
    suffix: str, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that it prints compiles the cell with the weights that it writes."""
    monkeypatch.chdir(tmp_path)
    source, written = f"params{suffix}", f"weights{suffix}"
    arrays = {name: array.astype(np.float32) for name, array in parameters("haiku.GRU").items()}
    weights.save(source, {f"{at}/{name}": a for at in "ab" for name, a in arrays.items()})
    options = ["--prefix=a", "--prefix=b", "--bidirectional", "-o", written]
    out = cli("weights", "from-cell", "haiku.GRU", source, *options).out
    assert "onnx.GRU direction=bidirectional\n" in out
    layer = weights.from_cell("haiku.GRU", [arrays] * 2, bidirectional=True)
    found = weights.load(written)
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in layer.weights.items()
    }
    _, _, command = out.partition("next: rnn-compiler ")
    cli(*shlex.split(command.replace("--format=c", "").replace("FOLDER", "gru.vmfb")))


def test_a_cell_of_keras_from_a_file(cli: Any, tmp_path: Path) -> None:
    """numpy numbers what get_weights lists."""
    path = tmp_path / "weights.npz"
    np.savez(path, *parameters("keras2.layers.LSTM").values())
    command = ["weights", "from-cell", "keras2.layers.LSTM", path]
    facts = json.loads(cli(*command, "--json").out)
    assert (facts["op"], facts["dtype"]) == ("onnx.LSTM", "float64")
    assert facts["attributes"]["activations"] == "HardSigmoid Tanh Tanh"
    assert "--dtype=float64" in facts["command"]
    assert facts["output"] is None
    out = cli(*command, "--recurrent-activation=sigmoid").out
    assert "CudnnRNNV3 is_training=False" in out
    err = cli("weights", "from-cell", "haiku.GRU", path, code=2).err
    assert "from_cell: 'parameters': expected only the arrays of" in err
    assert "haiku.GRU" in cli("weights", "cells").out.splitlines()

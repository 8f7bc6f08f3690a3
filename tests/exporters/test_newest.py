"""Files that the newest exporters write, each installed in an environment of its own.

An exporter's next version may write something else; these tests see it. Without the network, or a
package for this Python, they are skipped.
"""

from __future__ import annotations

import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import onnx_arrays
from network_import.in_process import importing_here

import rnn_compiler as rc
from rnn_compiler.cli import main

pytestmark = pytest.mark.slow


class Exporter(NamedTuple):
    """Packages, and the script that writes files with them."""

    packages: tuple[str, ...]
    script: str


_KERAS = ("tensorflow", "keras", "tf_keras", "tf2onnx", "onnx")
EXPORTERS = {
    "keras": Exporter(_KERAS, "write_keras.py"),
    "keras 2": Exporter(_KERAS, "write_keras2.py"),
    "torch": Exporter(("torch", "onnx", "onnxscript", "numpy"), "write_torch.py"),
    "jax": Exporter(("jax", "flax", "equinox"), "write_jax.py"),
}
_SECONDS = 900


@pytest.fixture(scope="module", autouse=True)
def imported_here() -> Iterator[None]:
    """Networks are imported in this process, which takes a fifth of the time."""
    with importing_here():
        yield


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the folder with an exporter's files."""
    environments: dict[tuple[str, ...], Path | str] = {}
    folders: dict[str, Path] = {}

    def environment(packages: tuple[str, ...]) -> Path | str:
        """The Python with some packages, or why there is none."""
        folder = tmp_path_factory.mktemp("exporter")
        venv.create(folder, with_pip=False)
        python = folder / "bin" / "python"
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "-q",
            "--no-compile",
        ]
        try:
            done = subprocess.run(
                [*pip, *packages], capture_output=True, text=True, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return f"pip takes more than {_SECONDS} s"
        return done.stderr.strip().splitlines()[-1] if done.returncode else python

    def folder_of(name: str) -> Path:
        exporter = EXPORTERS[name]
        if exporter.packages not in environments:
            environments[exporter.packages] = environment(exporter.packages)
        python = environments[exporter.packages]
        if isinstance(python, str):
            pytest.skip(f"{', '.join(exporter.packages)} cannot be installed: {python}")
        if name not in folders:
            folder = folders[name] = tmp_path_factory.mktemp("written")
            script = Path(__file__).with_name(exporter.script)
            began = time.monotonic()
            done = subprocess.run(
                [python, script, folder], capture_output=True, text=True, timeout=_SECONDS
            )
            assert done.returncode == 0, done.stderr[-3000:]
            print(done.stdout.strip(), f"{time.monotonic() - began:.0f} s")
        return folders[name]

    return folder_of


def of_network(path: Path, x: Any) -> tuple[Any, set[str]]:
    """The first result of a whole network, and the ops in it."""
    (name,) = (each.name for each in rc.import_network(path).functions[0].arguments)
    module = rc.import_network(path, dims={name: x.shape})  # which may be open
    program: Any = rc.runtime.load(rc.compile(module, "cpu"))
    return program(**{name: x})[0], {spec.op for spec in module.linked}


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=0, atol=5e-6)


@pytest.mark.parametrize(
    ("name", "op"),
    [
        *((name, "CudnnRNNV3") for name in ("lstm", "gru", "rnn", "masked", "convolved")),
        *((name, "CudnnRNNV3") for name in ("both", "both_gru", "both_rnn")),
        *((name, f"onnx.{kind}") for name, kind in (("before", "GRU"), ("hard", "LSTM"))),
    ],
)
def test_keras(name: str, op: str, written: Any) -> None:
    """Through ONNX and through TensorFlow Lite, a network is the same; so are its layers."""
    folder = written("keras")
    arrays = np.load(folder / f"{name}.npz")
    for suffix in ("onnx", "tflite"):
        found, ops = of_network(folder / f"{name}.{suffix}", arrays["x"])
        close(found, arrays["y"])
        assert ops == {op}, suffix
    if name == "hard":  # biases into which relu6(x + 3) went
        return
    layers = [
        next(each for each in rc.import_model(folder / f"{name}.{suffix}") if each.op == op)
        for suffix in ("keras", "tflite")
    ]
    for one, other in zip(*map(onnx_arrays, layers), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


OF_ANY_LENGTH = (
    *("lstm", "gru", "rnn", "before", "hard", "masked"),
    *("both", "both_gru", "both_rnn", "both_twice", "both_masked"),
)


@pytest.mark.parametrize("name", OF_ANY_LENGTH)
def test_keras_of_any_length(name: str, written: Any) -> None:
    """The same ops with the same sizes through both."""
    path = written("keras") / f"{name}_open"
    arrays = np.load(f"{path}.npz")
    x = arrays["x"]
    specs: list[Any] = []
    for suffix in ("onnx", "tflite"):
        (given,) = rc.import_network(f"{path}.{suffix}").functions[0].arguments
        dims = {given.name: (len(x), None, x.shape[2])}  # the batch is open in ONNX alone
        module = rc.import_network(f"{path}.{suffix}", dims=dims)
        specs.append([(each.op, each.attributes, each.dtype, each.dims) for each in module.linked])
        program: Any = rc.runtime.load(rc.compile(module, "cpu"))
        close(program(x)[0], arrays["y"])
        close(program(x[:, :3])[0], arrays["short"])
    if name != "hard":  # relu6(x + 3) is in its biases or not
        assert specs[0] == specs[1]
    if name.startswith("both") and name != "both_masked":
        assert {attributes["direction"] for _, attributes, *_ in specs[0]} == {"bidirectional"}


@pytest.mark.parametrize(
    "name",
    [
        *("lstm", "gru_open", "rnn", "before", "masked_open", "convolved"),
        *("both_open", "both_gru", "both_twice_open", "both_masked"),
    ],
)
def test_saved_models_of_keras(name: str, written: Any) -> None:
    """Their loops are the layers of the `.keras` file."""
    path = written("keras") / name
    known, found = rc.import_model(f"{path}.keras"), rc.import_model(path)
    for one, other in zip(found, known, strict=True):
        assert (one.op, one.attributes) == (other.op, other.attributes)
        assert_same_bits(onnx_arrays(one), onnx_arrays(other))


def test_keras_2(written: Any) -> None:
    """The fused LSTM, whose cell has a limit, and the bits of its integers."""
    folder = written("keras 2")
    arrays = np.load(folder / "fused.npz")
    found, ops = of_network(folder / "fused.tflite", arrays["x"])
    close(found, arrays["y"])
    assert ops == {"BlockLSTMV2"}
    (layer,) = rc.import_model(folder / "integers.tflite")
    assert layer.op == "IntegerLSTM"
    arrays = np.load(folder / "integers.npz")
    program: Any = rc.runtime.load(rc.compile(layer.build(), "cpu"))
    found = program(x=arrays["x"].swapaxes(0, 1), h_prev=None, c_prev=None).h
    assert_same_bits(found.swapaxes(0, 1), arrays["y"])


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn", "cells"])
def test_torch(name: str, written: Any) -> None:
    """Both ONNX exporters; layers of exported programs have the weights of the state dict."""
    folder = written("torch")
    arrays = np.load(folder / f"{name}.npz")
    for kind in ("old", "new"):
        found, _ = of_network(folder / f"{name}_{kind}.onnx", arrays["x"])
        close(found, arrays["y"])
    (plain,), (exported,) = (rc.import_model(folder / f"{name}.{end}") for end in ("pt", "pt2"))
    assert exported.op == plain.op
    if name != "rnn":  # a state dict does not tell relu
        for argument, array in plain.weights.items():
            assert_same_bits(exported.weights[argument], array)


CELLS = (
    *(f"flax.nnx.{name}" for name in ("LSTMCell", "OptimizedLSTMCell", "GRUCell", "SimpleCell")),
    *(f"equinox.nn.{name}" for name in ("LSTMCell", "GRUCell")),
)


@pytest.mark.parametrize("name", CELLS)
def test_cells(name: str, written: Any, tmp_path: Path) -> None:
    """The weights that a framework has now are those that `from_cell` knows."""
    folder = written("jax")
    arrays = np.load(folder / f"{name}.npz")
    weights = folder / f"{name}.weights.npz"
    layer = rc.weights.from_cell(name, dict(np.load(weights)))
    T, B, _ = arrays["x"].shape
    module = layer.build(seq_length=T, batch_size=B)
    program: Any = rc.runtime.load(rc.compile(module, "cpu"))
    given = {
        each.name: np.full(each.shape, T, np.int32)
        if each.dtype == "int32"
        else np.zeros(each.shape, np.float32)
        for each in module.functions[0].arguments
    }
    chunk = next(each for each in given if each in ("input", "X", "x"))
    found = program(**{**given, chunk: arrays["x"]})[0]
    close(np.asarray(found).reshape(arrays["y"].shape), arrays["y"])
    output = str(tmp_path / "cell.npz")
    assert main(["weights", "from-cell", name, str(weights), "-o", output]) == 0

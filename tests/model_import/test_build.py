"""Modules of layers: a compiled model gives its framework's results."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from model_import.files import arrays_of, compute, cudnn_arguments, layers_of, path_of

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.model_import.layer import build_layers, function_names
from rnn_compiler.schema.identifiers import check_identifier


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-6)


@pytest.mark.slow
def test_a_whole_model_with_weights_as_arguments() -> None:
    """Four layers of Keras in one artifact: lstm, gru in two directions, relu, lstm backwards."""
    layers = layers_of("keras3.keras")
    stored = arrays_of("keras3")
    module = build_layers(list(layers.values()), name="keras3", frozen=False, batch_size=2)
    assert [spec.function for spec in module.functions] == list(layers)
    results = {spec.function: [each.name for each in spec.results] for spec in module.functions}
    assert results["first"] == ["output", "output_h", "output_c"]
    assert results["second"] == ["output", "output_h"]
    program = rc.runtime.load(rc.compile(module, "cpu"))
    value = stored["x"]
    for layer in layers.values():
        value = value[:, ::-1] if layer.name == "fourth" else value
        given = cudnn_arguments(layer, np.ascontiguousarray(value))
        out = program.functions[layer.name](**given, **layer.weights)
        value = out.output
        close(out.output_h[:, 0] if layer.name == "fourth" else value, stored[layer.name])


@pytest.mark.slow
def test_block_lstm_frames_with_kept_state() -> None:
    """DeepSpeech's way: fixed sizes, state from call to call; also with another number of steps."""
    (layer,) = layers_of("speech_frozen.pb").values()
    stored = arrays_of("speech_frozen")
    x = np.ascontiguousarray(stored["x"].transpose(1, 0, 2))
    state = {"cs_prev": np.zeros((1, 5), np.float32), "h_prev": np.zeros((1, 5), np.float32)}
    program = rc.runtime.load(rc.compile(layer.build(frozen=False), "cpu"))
    for expected in (stored["first"], stored["second"]):
        out = program(seq_len_max=16, x=x, **state, **layer.weights)
        close(out.h, expected)
        state = {"cs_prev": out.cs[-1], "h_prev": out.h[-1]}
    longer = layer.build(frozen=False, seq_length=8, batch_size=3, function="speech")
    assert dict(longer.functions[0].dims) == {
        "seq_length": 8,
        "batch_size": 3,
        "input_size": 3,
        "num_units": 5,
    }
    assert longer.functions[0].function == "speech"


@pytest.mark.slow
def test_frozen_weights() -> None:
    """The weights are in the module, and no arguments."""
    (layer,) = layers_of("gru_frozen.pb").values()
    stored = arrays_of("gru_frozen")
    program = rc.runtime.load(rc.compile(layer.build(batch_size=2), "cpu"))
    assert [each.name for each in program.functions["gru_block_cell"].spec.arguments] == [
        *("x", "h_prev")
    ]
    close(program(x=stored["x"], h_prev=stored["h"]).h, stored["y"])


@pytest.mark.slow
def test_sizes_left_open() -> None:
    """Any length and batch, of a model with fixed sizes."""
    (layer,) = layers_of("speech_frozen.pb").values()
    stored = arrays_of("speech_frozen")
    program = rc.runtime.load(rc.compile(layer.build(seq_length=None, batch_size=None), "cpu"))
    x = np.ascontiguousarray(stored["x"].transpose(1, 0, 2))
    for rows in (1, 3):
        state = np.zeros((rows, 5), np.float32)
        out = program(seq_len_max=16, x=np.repeat(x, rows, 1), cs_prev=state, h_prev=state)
        close(out.h, np.repeat(stored["first"], rows, 1))


def test_sizes_that_are_missing_or_fixed() -> None:
    layer = layers_of("keras3.keras")["first"]
    with pytest.raises(
        InvalidArgumentError, match="first: 'batch_size': expected a size, which the model"
    ):
        layer.build()
    with pytest.raises(InvalidArgumentError, match="'num_units': expected 5, which its weights"):
        layer.build(batch_size=1, num_units=6)
    with pytest.raises(TypeError, match="unexpected keyword argument 'batch'"):
        layer.build(batch_size=1, batch=1)
    with pytest.raises(TypeError, match="no layer has the dimension 'batch'"):
        build_layers([layer], name="m", batch=1)
    with pytest.raises(InvalidArgumentError, match="at least one layer"):
        build_layers([], name="m")


def test_attributes_can_be_replaced() -> None:
    """A graph saved for training becomes one for inference, with the results of inference."""
    layer = layers_of("keras2_gpu")["sequential/lstm/CudnnRNNV3"]
    assert layer.attributes["is_training"] is True
    training = layer.build(batch_size=1, frozen=False).functions[0]
    inference = layer.build(batch_size=1, is_training=False, frozen=False).functions[0]
    results = ["output", "output_h", "output_c"]
    assert [each.name for each in inference.results] == results
    assert [each.name for each in training.results][:4] == [*results, "reserve_space"]
    scalar = layer.build(
        batch_size=1, is_training=False, frozen=False, outputs=("output", "reserve_space")
    )
    assert scalar.functions[0].results[1].shape == ()


def test_names_of_functions() -> None:
    layers = list(layers_of("keras2_gpu").values())
    assert function_names(layers)[:2] == [
        "sequential_lstm_CudnnRNNV3",
        "sequential_bidirectional_forward_gru_CudnnRNNV3",
    ]


def test_names_of_layers_that_c_cannot_have() -> None:
    """Words of C, and the paths of deep models: of those, the end."""
    layer = next(iter(layers_of("gru_frozen.pb").values()))
    layers = [replace(layer, name=name) for name in ("int", "main", "uint8_t", "NULL")]
    layers += [replace(layer, name=f"{'model/encoder/' * 9}lstm_{k}/forward") for k in "ab"]
    layers += [replace(layer, name="x" * 300)] * 2
    names = function_names(layers)
    assert names[:4] == ["layer_int", "layer_main", "layer_uint8_t", "layer_NULL"]
    assert [name[-15:] for name in names[4:6]] == ["_lstm_a_forward", "_lstm_b_forward"]
    assert names[7] == f"{names[6]}_1"
    for name in names:
        check_identifier("compile_c", "function", name)


@pytest.mark.slow
def test_what_is_loaded() -> None:
    """Neither a framework nor IREE is, and of packages for files only those for this one."""
    script = f"""
import sys
import zipfile
import rnn_compiler as rc
rc.import_model({str(path_of("speech_frozen.pb"))!r})
print(*sys.modules)
"""
    loaded = processes.python(script).stdout.split()
    assert "google.protobuf.message" in loaded
    absent = ("tensorflow", "keras", "torch", "onnx", "h5py", "iree.compiler.ir", "iree.runtime")
    assert not set(loaded) & set(absent)


pytestmark = pytest.mark.usefixtures("hdf5_once")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["keras3.keras", "torch_gru.onnx"])
def test_without_docstrings(name: str) -> None:
    script = f"import rnn_compiler as rc; print(len(rc.import_model({str(path_of(name))!r})))"
    done = processes.python(script, flags=["-OO"])
    assert int(done.stdout) == len(layers_of(name))


def test_files_of_weights(tmp_path: Path) -> None:
    """`weights` are arrays that any converter and file takes."""
    layer = layers_of("torch_gru.onnx")["node_gru__1"]
    state_dict = rc.weights.to_torch(
        layer.weights["params"], rnn_mode="gru", num_layers=1, num_units=5, input_size=3
    )
    rc.weights.save(tmp_path / "weights.npz", state_dict)
    assert rc.weights.load(tmp_path / "weights.npz")["weight_ih_l0"].shape == (15, 3)


@pytest.mark.slow
def test_a_layer_with_other_activations_in_chunks(tmp_path: Path) -> None:
    """Keras' hard_sigmoid, compiled for any length; a stream keeps its state."""
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path_of("keras3.keras")) as file, zipfile.ZipFile(path, "w") as made:
        for name in file.namelist():
            made.writestr(name, file.read(name).replace(b'"sigmoid"', b'"hard_sigmoid"'))
    layer = rc.import_model(path)[0]
    x = arrays_of("keras3")["x"]
    expected = compute(layer, X=x)["Y"]
    program = rc.runtime.load(rc.compile(layer.build(batch_size=len(x), seq_length=None), "cpu"))
    close(program(X=x).Y, expected)
    stream = program.stream()
    close(np.concatenate([stream(X=x[:, :1]).Y, stream(X=x[:, 1:]).Y], 1), expected)

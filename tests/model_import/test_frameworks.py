"""Imported ops with the file's weights give the results of the model's framework.

Outputs are stored next to the files; here the ops are computed by the references in float64, and in
`test_build` by compiled modules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import (
    MODELS,
    arrays_of,
    compute,
    cudnn,
    cudnn_arguments,
    layers_of,
    path_of,
)
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.quantization import quantized_matrix
from rnn_compiler.schema.int8 import buffer_matrices

pytestmark = pytest.mark.usefixtures("hdf5_once")


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)


# TensorFlow.


@pytest.mark.parametrize("name", ["speech_v1", "speech_frozen.pb"])
def test_a_block_lstm_whose_state_is_kept(name: str) -> None:
    (layer,) = layers_of(name).values()
    assert (layer.name, layer.op) == ("lstm_fused_cell/BlockLSTM", "BlockLSTM")
    assert layer.attributes == {"forget_bias": 0.0, "cell_clip": -1.0, "use_peephole": False}
    assert layer.dims == {"seq_length": 16, "batch_size": 1, "input_size": 3, "num_units": 5}
    assert layer.dtype == "float32"
    kept = "cs_prev is kept from call to call, in the variable previous_state/c"
    assert f"{kept}; program.stream does this" in layer.notes
    stored = arrays_of(name.removesuffix(".pb"))
    states = {"cs_prev": np.zeros((1, 5)), "h_prev": np.zeros((1, 5))}
    for expected in (stored["first"], stored["second"]):
        out = compute(layer, seq_len_max=16, x=stored["x"].transpose(1, 0, 2), **states)
        close(out["h"], expected)
        states = {"cs_prev": out["cs"][-1], "h_prev": out["h"][-1]}


def test_cells_in_a_loop() -> None:
    first, second = layers_of("melody").values()
    assert [layer.op for layer in (first, second)] == ["LSTMBlockCell"] * 2
    assert first.attributes["forget_bias"] == 1
    assert first.dims == {"batch_size": None, "input_size": 3, "num_units": 5}
    stored = arrays_of("melody")
    states = [np.zeros((4, 2, 5))[k : k + 2] for k in (0, 2)]
    for t in range(4):
        value = stored["x"][:, t]
        for k, layer in enumerate((first, second)):
            out = compute(layer, x=value, cs_prev=states[k][0], h_prev=states[k][1])
            states[k] = np.stack([out["cs"], out["h"]])
            value = out["h"]
        close(value, stored["y"][:, t])


def test_a_layer_and_its_gradient() -> None:
    layers = layers_of("training_frozen.pb")
    forward, backward = layers["BlockLSTM"], layers["gradients/BlockLSTM_grad/BlockLSTMGrad"]
    # The defaults of TensorFlow, which its graphs leave out.
    assert forward.attributes == {"forget_bias": 1.0, "cell_clip": 3.0, "use_peephole": True}
    assert backward.attributes == {"use_peephole": True}
    assert forward.dims == backward.dims
    assert "seq_len_max is always 4" in forward.notes
    assert "h_prev is always zeros" in forward.notes
    stored = arrays_of("training_frozen")
    given = {"x": stored["x"], "cs_prev": np.zeros((2, 5)), "h_prev": np.zeros((2, 5))}
    out = compute(forward, seq_len_max=4, **given)
    close(out["h"], stored["h"])
    upstream = {"cs_grad": np.zeros((4, 2, 5)), "h_grad": 2 * out["h"]}
    gradient = compute(backward, seq_len_max=4, **given, **out, **upstream)
    close(gradient["x_grad"], stored["x_grad"])


def test_a_gru_cell() -> None:
    (layer,) = layers_of("gru_frozen.pb").values()
    assert layer.dims == {"batch_size": None, "input_size": 3, "num_units": 5}
    stored = arrays_of("gru_frozen")
    close(compute(layer, x=stored["x"], h_prev=stored["h"])["h"], stored["y"])


def test_a_cell_in_a_loop_that_is_a_function() -> None:
    (layer,) = layers_of("loop_v2").values()
    assert list(layer.weights) == ["w_ru", "w_c", "b_ru", "b_c"]
    stored = arrays_of("loop_v2")
    h = np.zeros((2, 5))
    for x in stored["x"]:
        h = compute(layer, x=x, h_prev=h)["h"]
    close(h, stored["y"])


@pytest.mark.parametrize("name", ["block_v2", "block_v2_unsigned"])
def test_variables_of_one_name_in_functions(name: str) -> None:
    """In one that a signature calls, and in one that none does."""
    layers = layers_of(name)
    prefix = "" if name == "block_v2" else "__call__/"
    assert list(layers) == [f"{prefix}BlockLSTMV2", f"{prefix}BlockLSTMV2_1"]
    stored = arrays_of(name)
    value = stored["x"]
    for layer in layers.values():
        value = compute(
            layer, seq_len_max=4, x=value, cs_prev=np.zeros((2, 5)), h_prev=np.zeros((2, 5))
        )["h"]
    close(value, stored["y"])


def test_a_buffer_that_is_made_as_it_is_restored() -> None:
    """The parameters are those of the matrix and bias in the checkpoint, which are BlockLSTM's."""
    (layer,) = layers_of("opaque_v1").values()
    assert (layer.op, layer.attributes["is_training"]) == ("CudnnRNN", False)
    assert layer.dims["input_size"] == 3
    stored = arrays_of("opaque_v1")
    whole = rc.weights.from_block_lstm(stored["kernel"], stored["bias"], input_size=3, version=1)
    given, expected = (
        rc.weights.to_block_lstm(params, num_units=5, input_size=3, version=1)
        for params in (layer.weights["params"], whole)
    )
    assert_same_bits(given, expected)
    np.testing.assert_array_equal(layer.weights["params"][-20:], whole[-40:-20] / 2)


def test_cudnn_in_a_branch() -> None:
    (layer,) = layers_of("cudnn_v3").values()
    assert layer.op == "CudnnRNNV3"
    assert dict(layer.attributes) == {
        "rnn_mode": "lstm",
        "input_mode": "linear_input",
        "direction": "bidirectional",
        "dropout": 0.0,
        "num_proj": 0,
        "is_training": False,
        "time_major": False,
    }
    assert dict(layer.dims) == {
        "seq_length": 7,
        "batch_size": None,
        "input_size": 3,
        "num_units": 5,
        "num_layers": 1,
    }
    np.testing.assert_array_equal(layer.weights["params"], arrays_of("cudnn_v3")["params"])


def test_a_gradient_in_the_function_of_its_layer() -> None:
    """The state is the second result of its op, which has another shape than the first."""
    layers = layers_of("cudnn_gradient")
    assert [layer.op for layer in layers.values()] == ["CudnnRNNV3", "CudnnRNNBackpropV3"]
    sizes = {"seq_length": 7, "batch_size": 2, "input_size": 3, "num_units": 5, "num_layers": 1}
    for layer in layers.values():
        assert dict(layer.dims) == sizes
        np.testing.assert_array_equal(
            layer.weights["params"], arrays_of("cudnn_gradient")["params"]
        )


def test_cudnn_that_keras_hides_for_gpus() -> None:
    """Parameters are put together from variables as the graph does; one direction is reversed."""
    layers = layers_of("keras2_gpu")
    names = ["lstm", "bidirectional/forward_gru", "bidirectional/backward_gru"]
    lstm, forward, backward = (layers[f"sequential/{name}/CudnnRNNV3"] for name in names)
    assert [layer.attributes["rnn_mode"] for layer in (lstm, forward, backward)] == [
        *("lstm", "gru", "gru")
    ]
    assert any("is_training=False" in note for note in lstm.notes)
    assert any("Reverse" in note for note in backward.notes)
    stored = arrays_of("keras2_gpu")
    close(cudnn(lstm, stored["x"])["output"], stored["lstm"])
    ends = [
        cudnn(forward, stored["lstm"])["output"][:, -1],
        cudnn(backward, stored["lstm"][:, ::-1])["output"][:, -1],
    ]
    close(np.concatenate(ends, -1), stored["y"])


@pytest.mark.parametrize("name", ["keras2_gpu", "keras2_stateful"])
def test_what_nobody_calls_is_no_layer(name: str) -> None:
    """The functions that Keras 2 keeps for a gradient that TensorFlow might be asked for."""
    assert {layer.op for layer in layers_of(name).values()} == {"CudnnRNNV3"}


def test_states_that_keras_moves_before_they_are_passed() -> None:
    """The state is ExpandDims of a variable, zeros in the file, that every call assigns."""
    layers = layers_of("keras2_stateful")
    first, second = (layers[f"sequential/{name}/CudnnRNNV3"] for name in ("lstm", "gru"))
    for layer, names in ((first, ("input_h", "input_c")), (second, ("input_h",))):
        for name in names:
            (note,) = (each for each in layer.notes if each.startswith(f"{name} "))
            assert note.startswith(f"{name} is kept from call to call, in the variable ")
            assert note.endswith("; program.stream does this")
        assert "sequence_lengths is always 4 in each row" in layer.notes
    stored = arrays_of("keras2_stateful")
    given = [cudnn_arguments(first, stored["x"]), cudnn_arguments(second, np.zeros((2, 4, 5)))]
    for expected in (stored["first"], stored["second"]):
        out = compute(first, **given[0])
        given[0] |= {"input_h": out["output_h"], "input_c": out["output_c"]}
        last = compute(second, **{**given[1], "input": out["output"]})
        given[1]["input_h"] = last["output_h"]
        close(last["output"][:, -1], expected)


@pytest.mark.parametrize("name", ["cells_frozen.pb", "cells_v2"])
def test_cells_of_ordinary_ops_in_loops(name: str) -> None:
    """Frames of Enter and Exit, and functions of While; the last has peepholes."""
    layers = layers_of(name)
    first, second, third, fourth = layers.values()
    assert [layer.op for layer in layers.values()] == [
        *("LSTMBlockCell", "GRUBlockCell", "LSTMBlockCell", "LSTMBlockCell")
    ]
    assert [each.split("/")[0] for each in layers] == ["first", "second", "third", "fourth"]
    peepholes = [layer.attributes.get("use_peephole") for layer in layers.values()]
    assert peepholes == [False, None, False, True]
    assert [first.attributes["forget_bias"], third.attributes["forget_bias"]] == [1.0, 0.5]
    stored = arrays_of(name.split(".")[0])
    close(lstm_steps(first, stored["x"]), stored["first"])
    close(of_steps(second, stored["first"]), stored["second"])
    expected = stored["third"]
    found = lstm_steps(third, stored["second"])
    for row, length in enumerate(stored["lengths"]):
        close(found[row, :length], expected[row, :length])
    close(lstm_steps(fourth, expected), stored["fourth"])
    assert all("one step per call" in layer.notes[0] for layer in layers.values())


def test_cells_that_are_refused() -> None:
    """By name and reason; one that is clipped is not among them."""
    path = path_of("cells_odd.pb")
    reasons = (
        "projected/while/lstm_cell has a projection of h, which LSTMBlockCell does not compute; "
        "relu/while/lstm_cell has the activation Relu, which LSTMBlockCell does not compute; "
    )
    with pytest.raises(UnsupportedError, match=f"^import_model: {reasons}"):
        rc.import_model(path)
    (layer,) = rc.import_model(path, layers=["clipped/while/lstm_cell"])
    assert layer.attributes == {"forget_bias": 1.0, "cell_clip": 0.3, "use_peephole": True}
    stored = arrays_of("cells_odd")
    close(lstm_steps(layer, stored["x"]), stored["clipped"])


def lstm_steps(layer: rc.Layer, x: Any) -> Any:
    """The results of an LSTMBlockCell at each step."""
    units = layer.dims["num_units"]
    assert units
    state = {name: np.zeros((len(x), units)) for name in ("cs_prev", "h_prev")}
    found: list[Any] = []
    for step in x.transpose(1, 0, 2):
        out = compute(layer, x=step, **state)
        state = {"cs_prev": out["cs"], "h_prev": out["h"]}
        found.append(out["h"])
    return np.stack(found, 1)


# Keras.


@pytest.mark.parametrize(
    "name",
    first(
        [
            *("keras3.keras", "keras3.h5", "keras2.keras", "keras2.h5"),
            *("keras3_parts.weights.h5", "keras3_parts.json"),
        ]
    ),
)
def test_keras(name: str) -> None:
    layers = layers_of(name)
    assert list(layers) == ["first", "second", "third", "fourth"]
    sizes = {layer.name: layer.dims["input_size"] for layer in layers.values()}
    assert sizes == {"first": 3, "second": 5, "third": 10, "fourth": 5}
    assert {layer.dims["seq_length"] for layer in layers.values()} == {4}
    stored = arrays_of(name.split(".")[0])
    value = stored["x"]
    for layer in list(layers.values())[:3]:
        value = cudnn(layer, value)["output"]
        close(value, stored[layer.name])
    fourth = layers["fourth"]
    assert any("go_backwards" in note for note in fourth.notes)
    assert any("output_h" in note for note in fourth.notes)
    close(cudnn(fourth, value[:, ::-1])["output_h"][:, 0], stored["fourth"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["keras3_masked.keras", "keras3_masked.h5"])
def test_keras_with_a_mask_a_merge_and_the_older_gru(name: str) -> None:
    layers = layers_of(name)
    assert list(layers) == ["lstm", "both", "inner/older"]
    stored = arrays_of("keras3_masked")
    lstm, both, older = layers.values()
    lengths = [4, 3]
    assert "sequence_lengths" in lstm.notes[0]
    output = cudnn(lstm, stored["x"], lengths)["output"]
    close(output[0], stored["lstm"][0])
    close(output[1, :3], stored["lstm"][1, :3])
    assert "merge_mode='sum': the model uses the sum of both halves of the output" in both.notes
    halves = np.split(cudnn(both, stored["lstm"], lengths)["output"], 2, -1)
    close(sum(halves), stored["both"])
    assert (older.op, older.attributes["linear_before_reset"]) == ("onnx.GRU", 0)
    assert "sequence_lens" in older.notes[0]
    out = compute(older, X=stored["both"], sequence_lens=lengths)
    close(out["Y"][0, :, 0], stored["older"][0])
    close(out["Y"][1, :3, 0], stored["older"][1, :3])
    close(out["Y_h"][:, 0], stored["older"][:, -1])


def test_keras_with_hard_sigmoid() -> None:
    """With the slope of Keras 2; gates are 0 or 1 in some places."""
    layers = layers_of("keras2_older.h5")
    assert {layer.op for layer in layers.values()} == {"onnx.LSTM", "onnx.GRU"}
    stored = arrays_of("keras2_older")
    value = stored["x"]
    for layer in layers.values():
        assert layer.attributes["activation_alpha"].split()[0] == "0.2"
        value = compute(layer, X=value)["Y"][:, :, 0]
        close(value, stored[layer.name])


def test_layers_for_cudnn() -> None:
    """Their arrays are cuDNN's; plain layers into which Keras converted them gave the outputs."""
    layers = layers_of("keras_cudnn.h5")
    modes = {layer.name: layer.attributes["rnn_mode"] for layer in layers.values()}
    assert modes == {"first": "lstm", "second": "gru", "third": "lstm", "fourth": "gru"}
    stored = arrays_of("keras_cudnn")
    value = stored["x"]
    for layer in layers.values():
        value = cudnn(layer, value)["output"]
        close(value, stored[layer.name])


def of_steps(layer: rc.Layer, x: Any) -> Any:
    """The results of a GRUBlockCell at each step."""
    h, found = np.zeros((len(x), 5)), []
    for step in x.transpose(1, 0, 2):
        h = compute(layer, x=step, h_prev=h)["h"]
        found.append(h)
    return np.stack(found, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["keras1.h5", "keras1_parts.h5", "keras1_parts.json"])
def test_keras_1(name: str) -> None:
    """Weights by gate and joined, in a file with the model and in a separate one."""
    layers = layers_of(name)
    names = ["gates", "joined", "both", "older", "two", "last"]
    assert list(layers) == names
    stored = arrays_of(name.split(".")[0])
    for layer, before in (("gates", "x"), ("joined", "gates")):
        close(cudnn(layers[layer], stored[before])["output"], stored[layer])
    assert [layers[name].op for name in ("both", "older")] == ["onnx.GRU"] * 2
    both = compute(layers["both"], X=stored["joined"])["Y"]  # [B, T, D, H]
    close(both.reshape(*both.shape[:2], -1), stored["both"])
    close(compute(layers["older"], X=stored["both"])["Y"][:, :, 0], stored["older"])
    assert "merge_mode='sum': the model uses the sum of both halves of the output" in (
        layers["two"].notes
    )
    close(sum(np.split(cudnn(layers["two"], stored["older"])["output"], 2, -1)), stored["two"])
    close(cudnn(layers["last"], stored["two"])["output_h"][:, 0], stored["last"])


# ONNX.


def directions_joined(y: Any) -> Any:
    """Y [T, D, B, H] as the op's output."""
    return y.transpose(0, 2, 1, 3).reshape(*y.shape[:1], y.shape[2], -1)


def test_two_layers_of_torch() -> None:
    layers = list(layers_of("torch_lstm.onnx").values())
    stored = arrays_of("torch_lstm")
    value, states = stored["x"], []
    for layer in layers:
        assert layer.attributes["direction"] == "bidirectional"
        out = cudnn(layer, value)
        value, states = out["output"], [*states, out["output_h"]]
    close(value, stored["y"])
    close(np.concatenate(states), stored["state_0"])


def test_a_gru_of_torch_with_weights_in_another_file() -> None:
    (layer,) = layers_of("torch_gru.onnx").values()
    assert layer.dims["seq_length"] == 4
    stored = arrays_of("torch_gru")
    out = cudnn(layer, stored["x"].transpose(1, 0, 2))
    close(out["output"].transpose(1, 0, 2), stored["y"])


def test_an_rnn_of_torch_without_bias() -> None:
    (layer,) = layers_of("torch_rnn.onnx").values()
    assert layer.attributes["rnn_mode"] == "rnn_relu"
    stored = arrays_of("torch_rnn")
    close(cudnn(layer, stored["x"])["output"], stored["y"])


def test_nodes_that_are_reversed_and_older() -> None:
    layers = layers_of("onnx_nodes.onnx")
    stored = arrays_of("onnx_nodes")
    lengths = stored["lengths"]
    newer = cudnn(layers["newer"], stored["x"], lengths)
    close(newer["output"], directions_joined(stored["gru_y"]))
    assert [layers[name].op for name in ("reversed", "older")] == ["onnx.LSTM", "onnx.GRU"]
    out = compute(layers["reversed"], X=stored["x"], sequence_lens=lengths)
    close(out["Y"], stored["lstm_y"])
    close(compute(layers["older"], X=stored["x"])["Y"], stored["older_y"])


def test_weights_that_onnx_runtime_stores_in_int8() -> None:
    layers = layers_of("onnx_int8.onnx")
    stored = arrays_of("onnx_int8")
    x = stored["x"]
    kinds = {"columns": "the same numbers", "matrices": "numbers close to them"}
    for name, which in kinds.items():
        layer = layers[f"{name}_quant"]
        assert any(f"quantize='int8' stores {which}" in note for note in layer.notes)
        output = cudnn(layer, x)["output"]
        expected = directions_joined(stored[f"{name}_y"])
        assert np.abs(output - expected).max() < 0.02  # its states are in int8, ours are not
        (spec,) = layer.build(quantize="int8").functions
        assert "int8[" in str(spec.frozen[0])
        for block in buffer_matrices(spec):
            matrix = block.of(layer.weights["params"])
            integers, scales = quantized_matrix(matrix, 1)
            lost = np.abs(integers * scales[:, None] - matrix).max()
            assert (lost < 1e-6) == (name == "columns")
        x = expected
    h = np.stack([x[-1, :, :5], x[0, :, 5:]])
    close(cudnn(layers["linear"], h)["output"], directions_joined(stored["gru_y"]))


# PyTorch's own files.


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("torch_checkpoint.pt", "model."),
        ("torch_module.pt", ""),
        ("torch_legacy.pth", ""),
        ("torch_script.jit", ""),
    ],
)
def test_files_of_torch(name: str, prefix: str) -> None:
    layers = layers_of(name)
    names = ["encoder", "middle.0", "cell", "last"]
    assert list(layers) == [prefix + each for each in names]
    encoder, middle, cell, last = layers.values()
    modes = [layer.attributes["rnn_mode"] for layer in layers.values()]
    assert modes[:3] == ["gru", "lstm", "lstm"]
    assert middle.attributes["num_proj"] == 2
    assert "a cell" in cell.notes[0]
    stored = arrays_of(name.split(".")[0])
    if name == "torch_module.pt":  # the others do not tell these, and say so
        assert modes[3] == "rnn_relu"
        assert (encoder.attributes["time_major"], last.attributes["time_major"]) == (False, False)
        for layer in (encoder, last):
            (note,) = layer.notes
            assert note.startswith("batch_first=True: the batch is the first axis of input, output")
    else:
        assert encoder.notes[0].startswith("the file does not tell batch_first")
        assert "pass time_major=False (--attr time_major=false): then the batch" in encoder.notes[0]
        assert "and also of states, unlike torch's" in encoder.notes[0]
        assert "rnn_mode='rnn_relu'" in last.notes[1]
        turned = {"time_major": False}
        encoder = replace(encoder, attributes={**encoder.attributes, **turned})
        turned["rnn_mode"] = "rnn_relu"
        last = replace(last, attributes={**last.attributes, **turned})
    value = run(encoder, stored["x"])
    close(value, stored["encoder"])
    value = run(middle, value.transpose(1, 0, 2))
    close(value, stored["middle"])
    value = run(cell, value[:1])[0]
    close(value, stored["cell"])
    close(run(last, value[:, None]), stored["last"])


def run(layer: rc.Layer, x: Any) -> Any:
    """The output of a CudnnRNNV3 with any layers, directions and projection, from zeros."""
    given = cudnn_arguments(layer, x)
    layers = layer.dims["num_layers"]
    projected = layer.attributes["num_proj"] or layer.dims["num_units"]
    for name, size in (("input_h", projected), ("input_c", layer.dims["num_units"])):
        if given[name].ndim:
            axis = 0 if layer.attributes["time_major"] else 1
            shape = list(given[name].shape)
            shape[axis] *= layers
            shape[2] = size
            given[name] = np.zeros(shape, x.dtype)
    return compute(layer, **given)["output"]


@pytest.mark.parametrize("name", [name for name in MODELS if name != "cells_odd.pb"])
def test_every_stored_model_has_layers(name: str) -> None:
    assert len(MODELS) >= 33
    layers = layers_of(name)
    assert layers
    for layer in layers.values():
        assert isinstance(layer, rc.Layer)
        assert repr(layer).startswith(f"Layer({layer.name}: {layer.op} {layer.dtype}, ")

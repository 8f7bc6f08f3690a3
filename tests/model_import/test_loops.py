"""Layers that a SavedModel of Keras has as loops: by their configurations, else named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import (
    arrays_of,
    compute,
    cudnn,
    cudnn_arguments,
    layers_of,
    onnx_arrays,
    path_of,
)

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import import DEFECT
from rnn_compiler.model_import.messages import parse


def with_variables(name: str, folder: Path, *names: str, cut: str = "") -> Path:
    """A SavedModel with more variables; `cut` is an op that no longer gives its value."""
    path = folder / "model"
    shutil.copytree(path_of(name), path)
    file = path / "saved_model.pb"
    model = parse("SavedModel", file.read_bytes(), file)
    graph: Any = model.meta_graphs[0].graph
    for each in names:
        graph.node.add(name=each, op="VarHandleOp")
    for function in graph.library.function if cut else ():
        for node in function.node:
            node.op = "Erf" if node.op == cut else node.op
    file.write_bytes(model.SerializeToString())
    return path


OTHER = "other/conv_lstm_cell/recurrent_kernel"


def test_a_loop_beside_other_layers(tmp_path: Path) -> None:
    path = with_variables(
        "keras2_gpu", tmp_path, OTHER, f"Adam/m/{OTHER}", "gru_9/recurrent_kernel_1"
    )
    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(path)
    clause = (
        "recurrent weights in a loop of ordinary ops, which cannot be recognised: save the model"
    )
    text = (
        f"import_model: gru_9 has {clause} as .keras; other/conv_lstm_cell has {clause} as .keras; "
    )
    assert str(caught.value).startswith(f"{text}select the others with layers=[")
    names = list(layers_of("keras2_gpu"))
    assert [layer.name for layer in rc.import_model(path, layers=names)] == names


@pytest.mark.parametrize(
    "name",
    [
        "Adam/m/lstm/lstm_cell/recurrent_kernel",
        "training/Adam/lstm/lstm_cell/recurrent_kernel/m",
        "encoder/kernel",
    ],
)
def test_variables_of_no_layer(name: str, tmp_path: Path) -> None:
    """Those of an optimizer, and of other layers."""
    layers = rc.import_model(with_variables("keras2_gpu", tmp_path, name))
    assert [layer.name for layer in layers] == list(layers_of("keras2_gpu"))


def test_weights_that_are_computed(tmp_path: Path) -> None:
    """It is then not known which variables a layer takes."""
    layers = rc.import_model(with_variables("keras2_gpu", tmp_path, OTHER, cut="ConcatV2"))
    assert any("params" not in layer.weights for layer in layers)


@pytest.mark.parametrize(
    ("name", "ops", "sizes"),
    [
        ("keras2_loops", {"first": "CudnnRNNV3", "second": "onnx.GRU"}, (4, 4)),
        ("keras2_subclass", {"first": "CudnnRNNV3", "more/0": "onnx.GRU"}, (None, None)),
    ],
)
def test_loops_with_configurations(
    name: str, ops: dict[str, str], sizes: tuple[int | None, ...]
) -> None:
    """In a file of their own, and in the objects as before TensorFlow 2.5; weights by object."""
    layers = layers_of(name)
    assert {each: layer.op for each, layer in layers.items()} == ops
    assert tuple(layer.dims["seq_length"] for layer in layers.values()) == sizes
    stored = arrays_of(name)
    value = stored["x"]
    for each, layer in layers.items():
        if layer.op == "CudnnRNNV3":
            value = cudnn(layer, value)["output"]
        else:
            Y = compute(layer, X=value)["Y"]
            value = Y.reshape(*Y.shape[:2], -1)
        np.testing.assert_allclose(value, stored[each], rtol=0, atol=2e-6)


def test_loops_whose_configurations_are_not_there(tmp_path: Path) -> None:
    """Recognised by what they compute; the two of a bidirectional layer are one."""
    known = layers_of("keras2_loops").values()
    path = without_configurations("keras2_loops", tmp_path)
    found = rc.import_model(path)
    assert [layer.name.removeprefix("sequential/") for layer in found] == ["first", "second"]
    for one, other in zip(found, known, strict=True):
        assert (one.op, one.attributes) == (other.op, other.attributes)
        assert one.dims["seq_length"] == 4
        assert_same_bits(onnx_arrays(one), onnx_arrays(other))


def test_keras_3(tmp_path: Path) -> None:
    """Its exports have no configurations."""
    stored = arrays_of("keras3_export")
    first, second, last = rc.import_model(path_of("keras3_export"))
    assert "an initial state, which is input_h" in first.notes[0]
    arguments = cudnn_arguments(first, stored["x"])
    y = compute(first, **{**arguments, "input_h": stored["state"][:, None]})["output"]
    close(y, stored["first"])
    assert second.notes[0].startswith("both directions of a layer")
    both = cudnn(second, y)["output"]
    close(both, stored["both"])
    assert ["reverses the input" in last.notes[0], "stateful" in last.notes[1]] == [True, True]
    close(cudnn(last, both[:, ::-1])["output"], stored["last"])


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)


def without_configurations(
    name: str, folder: Path, change: Callable[[Any], None] | None = None
) -> Path:
    """A SavedModel as Keras 3 exports it, with changes of its nodes."""
    path = folder / "model"
    shutil.copytree(path_of(name), path)
    (path / "keras_metadata.pb").unlink(missing_ok=True)
    file = path / "saved_model.pb"
    model = parse("SavedModel", file.read_bytes(), file)
    for function in model.meta_graphs[0].graph.library.function:
        for node in function.node if change is not None else ():
            change(node)
    file.write_bytes(model.SerializeToString())
    return path


def replaced(before: str, after: str) -> Callable[[Any], None]:
    """Makes another op of one."""

    def change(node: Any) -> None:
        node.op = after if node.op == before else node.op

    return change


def starts_late(node: Any) -> None:
    """Makes a counter begin at the second step."""
    if node.name.endswith("/time"):
        (value,) = (each.value for each in node.attr if each.key == "value")
        value.tensor.int_val[:] = [1]


@pytest.mark.parametrize(
    "change",
    [
        replaced("Tanh", "Erf"),
        replaced("Less", "LessEqual"),
        replaced("Shape", "ShapeN"),
        replaced("TensorListGetItem", "TensorListGather"),
        replaced("TensorListSetItem", "TensorListResize"),
        starts_late,
    ],
    ids=["step", "condition", "length", "input", "states", "start"],
)
def test_loops_of_no_cell(change: Any, tmp_path: Path) -> None:
    path = without_configurations("keras3_export", tmp_path, change)
    told = r"loops of ordinary ops \(.*While\); none of which is an LSTM, .*model as \.keras"
    with pytest.raises(InvalidArgumentError, match=told):
        rc.import_model(path)


@pytest.mark.parametrize("op", ["Fill", "StridedSlice", "ReverseV2", "Less", "MatMul", "Split"])
def test_nodes_without_their_inputs(op: str, tmp_path: Path) -> None:
    """Layers, or an error that is expected."""

    def change(node: Any) -> None:
        if node.op == op:
            del node.input[1:]

    path = without_configurations("keras3_export", tmp_path, change)
    outcome: object = "layers"
    try:
        rc.import_model(path)
    except (ArtifactError, InvalidArgumentError, UnsupportedError) as error:
        outcome = error
    assert DEFECT not in str(outcome)


def test_no_loops(tmp_path: Path) -> None:
    def change(node: Any) -> None:
        node.op = "Erf" if node.op in ("While", "TensorListReserve") else node.op

    path = without_configurations("keras3_export", tmp_path, change)
    with pytest.raises(InvalidArgumentError, match="no loop at all; if its layers are unrolled"):
        rc.import_model(path)


def metadata(folder: Path, change: Callable[[str], str]) -> Path:
    """A SavedModel with other configurations."""
    path = folder / "model"
    shutil.copytree(path_of("keras2_loops"), path)
    file = path / "keras_metadata.pb"
    message = parse("KerasMetadata", file.read_bytes(), file)
    for node in message.nodes:
        node.metadata = change(node.metadata)
    file.write_bytes(message.SerializeToString())
    return path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text[:-1], "its configuration is not JSON"),
        (lambda text: "[]", "its configuration is not a JSON object"),
        (
            lambda text: text.replace('"first"', '"fifth"') if '"layers"' in text else text,
            "has no kernel of fifth",
        ),
        (lambda text: text.replace('"units": 5', '"units": 6'), "units is 6, its weights have 5"),
    ],
    ids=["cut", "list", "name", "units"],
)
def test_damaged_configurations(change: Callable[[str], str], told: str, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=told):
        rc.import_model(metadata(tmp_path, change))

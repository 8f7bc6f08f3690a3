"""Layers that a SavedModel of Keras has as loops: by their configurations, else named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_import.files import arrays_of, compute, cudnn, layers_of, path_of

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
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
    """As Keras 3 exports them."""
    path = tmp_path / "model"
    shutil.copytree(path_of("keras2_loops"), path)
    (path / "keras_metadata.pb").unlink()
    told = r"loops of ordinary ops \(.*While\); on a CPU, .* save the model as \.keras"
    with pytest.raises(InvalidArgumentError, match=told):
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

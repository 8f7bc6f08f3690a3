"""Layers that a SavedModel of Keras has as loops of ordinary ops, beside others, are named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from model_import.files import layers_of, path_of

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError
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

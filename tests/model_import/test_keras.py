"""Classes of users with the weights of Keras' recurrent layers are refused; notes on states."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import FILES
from model_import.keras_files import keras, options
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError

pytestmark = pytest.mark.usefixtures("hdf5_once")


def h5(folder: Path, change: Callable[[dict[str, Any]], object], name: str = "keras3") -> Path:
    """An .h5 file with a changed configuration."""
    path = folder / "model.h5"
    shutil.copy(FILES / f"{name}.h5", path)
    with h5py.File(path, "a") as file:
        config = json.loads(str(file.attrs["model_config"]))
        change({each["config"]["name"]: each for each in config["config"]["layers"]})
        file.attrs["model_config"] = json.dumps(config)
    return path


def named(name: str, kind: str, **more: Any) -> Callable[[dict[str, Any]], object]:
    """Changes the class of a layer, which may be in the model `inner`."""

    def change(layers: dict[str, Any]) -> None:
        if "inner" in layers:
            inner = layers["inner"]["config"]["layers"]
            layers = layers | {each["config"]["name"]: each for each in inner}
        layers[name].update(class_name=kind, **more)

    return change


OWN = {"module": None, "registered_name": "mine>LSTM"}
REASON = "{} has recurrent weights in the class {}, which is none of Keras' recurrent layers: "


@pytest.mark.parametrize("write", first([keras, h5]))
@pytest.mark.parametrize(
    ("model", "layer", "kind", "more", "told"),
    first(
        [
            ("keras3", "first", "Turned", {}, "Turned"),
            ("keras3", "first", "mine>Turned", {}, "mine>Turned"),
            ("keras3", "first", "LSTM", OWN, "mine>LSTM"),
            ("keras3", "first", "LSTM", {"module": "here", "registered_name": "LSTM"}, "LSTM>LSTM"),
            ("keras3", "second", "Both", {}, "Both"),
            ("keras3", "second", "TimeDistributed", {}, "TimeDistributed"),
            ("keras3", "third", "Plain", {}, "Plain"),
            ("keras3_masked", "older", "Turned", {}, "Turned"),
        ],
        2,
    ),
)
def test_a_class_of_the_user(
    write: Any, model: str, layer: str, kind: str, more: Any, told: str, tmp_path: Path
) -> None:
    path = write(tmp_path, named(layer, kind, **more), model)
    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(path)
    name = "inner/older" if layer == "older" else layer
    expected = REASON.format(name, told)
    if kind == "TimeDistributed":
        expected = "second has TimeDistributed"
    assert str(caught.value).startswith(f"import_model: {expected}")
    others = [each.name for each in rc.import_model(FILES / path.with_stem(model).name)]
    others.remove(name)
    assert str(caught.value).endswith(f"; select the others with layers={others} (--layer NAME)")
    assert [each.name for each in rc.import_model(path, layers=others)] == others


@pytest.mark.parametrize("write", [keras, h5])
def test_only_classes_of_the_user(write: Any, tmp_path: Path) -> None:
    """Layers without such weights are none."""

    def change(layers: dict[str, Any]) -> None:
        for name in ("first", "second", "third", "fourth"):
            layers[name]["class_name"] = "Mine"

    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(write(tmp_path, change))
    reasons = [REASON.format(name, "Mine") for name in ("first", "second", "third", "fourth")]
    assert [reason for reason in reasons if reason in str(caught.value)] == reasons
    assert "select" not in str(caught.value)


@pytest.mark.parametrize("write", [keras, h5])
def test_a_model_for_each_step(write: Any, tmp_path: Path) -> None:
    """TimeDistributed of something that contains a recurrent layer, but is none."""

    def change(layers: dict[str, Any]) -> None:
        layers["second"]["class_name"] = "TimeDistributed"
        layers["second"]["config"]["layer"]["class_name"] = "Functional"

    with pytest.raises(UnsupportedError, match="second has TimeDistributed, which no op computes;"):
        rc.import_model(write(tmp_path, change))


def test_a_class_of_keras_under_its_longer_name(tmp_path: Path) -> None:
    """As functional models are written."""
    full = {"module": "keras.src.layers.rnn.lstm", "registered_name": "LSTM"}
    assert len(rc.import_model(keras(tmp_path, named("first", "LSTM", **full)))) == 4


def test_a_bias_that_is_missing(tmp_path: Path) -> None:
    path = h5(tmp_path, lambda layers: None)
    with h5py.File(path, "a") as file:
        group = file["model_weights/first"]
        names = [each for each in group.attrs["weight_names"] if "bias" not in str(each)]
        group.attrs["weight_names"] = names
    with pytest.raises(ArtifactError, match="first: it has use_bias=True, and no bias"):
        rc.import_model(path)


@pytest.mark.parametrize(
    ("layer", "values", "note"),
    [
        (
            "first",
            {"return_state": True},
            "the model uses the last state too: output_h and output_c",
        ),
        (
            "first",
            {"return_state": True, "return_sequences": False},
            "the model uses the last state and the last step: output_h and output_c",
        ),
        ("third", {"return_state": True}, "the model uses the last state too: output_h"),
        (
            "second",
            {"return_state": True, "return_sequences": False},
            "the model uses the last state and the forward half of its last step and the backward "
            "half of its first: output_h",
        ),
    ],
)
def test_states_that_a_model_uses(
    layer: str, values: dict[str, Any], note: str, tmp_path: Path
) -> None:
    (found,) = rc.import_model(keras(tmp_path, options(layer, **values)), layers=[layer])
    assert [each for each in found.notes if each.startswith("the model uses")] == [note]


@pytest.mark.slow
def test_streams_have_one_direction(tmp_path: Path) -> None:
    """What the notes say of streams is what streams do."""
    text = "stateful: pass the states that a call gives to the next"
    for name in ("first", "second"):
        path = keras(tmp_path, options(name, stateful=True))
        (layer,) = rc.import_model(path, layers=[name])
        program = rc.runtime.load(rc.compile(layer.build(batch_size=1, seq_length=2)))
        (note,) = (each for each in layer.notes if each.startswith("stateful"))
        if name == "first":
            assert note == f"{text}; program.stream does this"
            program.stream()
        else:
            assert note == text
            with pytest.raises(UnsupportedError, match="begins at the end"):
                program.stream()


def weights(folder: Path, version: str, columns: int) -> Path:
    """Weights without their architecture, as Keras 2 writes them."""
    path = folder / "weights.h5"
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = version
        file.attrs["layer_names"] = [b"lstm_1"]
        group = file.create_group("lstm_1")
        group["kernel:0"] = np.zeros((6, columns), np.float32)
        group["recurrent_kernel:0"] = np.zeros((5, columns), np.float32)
        group["bias:0"] = np.zeros(columns, np.float32)
    return path


@pytest.mark.parametrize(
    ("version", "columns", "warned"),
    first(
        [
            ("2.2.2", 20, True),
            ("2.2.4-tf", 15, True),
            ("1.2.2", 20, True),
            ("2.3.0", 20, False),
            ("2.10.0", 20, False),
            ("3.1.0", 20, False),
            ("2.2.2", 5, False),
            ("x", 20, False),
        ],
        2,
    ),
)
def test_weights_from_before_the_default_was_sigmoid(
    version: str, columns: int, warned: bool, tmp_path: Path
) -> None:
    path = weights(tmp_path, version, columns)
    with pytest.raises(
        InvalidArgumentError, match=r"write model\.to_json\(\) to weights"
    ) as caught:
        rc.import_model(path)
    text = (
        f"Keras {version} wrote them, where LSTM and GRU have recurrent_activation='hard_sigmoid'"
    )
    assert (text in str(caught.value)) == warned
    assert ("gives wrong numbers" in str(caught.value)) == warned


def test_weights_of_a_model_that_is_code(tmp_path: Path) -> None:
    """Keras 3 names groups in them by the attributes of the model."""
    path = tmp_path / "a.weights.h5"
    with h5py.File(path, "w") as file:
        for name, shape in (("0", (3, 20)), ("1", (5, 20)), ("2", (20,))):
            file[f"encoder/cell/vars/{name}"] = np.zeros(shape, np.float32)
    with pytest.raises(InvalidArgumentError) as caught:
        rc.import_model(path)
    assert "of encoder (LSTM, 3 inputs, 5 units); they are of a subclass of ker" in str(
        caught.value
    )
    assert "to_json() to" not in str(caught.value)
    assert "rc.weights.from_keras(weights, rnn_mode=...)" in str(caught.value)


def test_the_folder_of_an_unzipped_file(tmp_path: Path) -> None:
    """Keras writes it with `save(..., zipped=False)`."""
    with zipfile.ZipFile(FILES / "keras3.keras") as file:
        file.extractall(tmp_path / "model")
    wanted, found = rc.import_model(FILES / "keras3.keras"), rc.import_model(tmp_path / "model")
    assert [each.name for each in found] == [each.name for each in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert (one.attributes, one.dims, one.notes) == (other.attributes, other.dims, other.notes)
        assert_same_bits(one.weights, other.weights)

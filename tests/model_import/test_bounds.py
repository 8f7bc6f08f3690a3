"""A file is read in time and memory limited by its size, whatever its content."""

from __future__ import annotations

import json
import os
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from model_import.bounds import bounded
from model_import.checkpoints import entries_of, index_of
from model_import.files import FILES, path_of

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError
from rnn_compiler.model_import.messages import parse


def refused(path: Path, message: str) -> None:
    with bounded(), pytest.raises(ArtifactError, match=message) as caught:
        rc.import_model(path)
    assert len(str(caught.value).replace(str(path), "")) < 1000


# ONNX.


def onnx(folder: Path, model: Any) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def rnn_node() -> Any:
    """A model with one RNN, whose weights are W, R and B."""
    model = parse("OnnxModel", b"", Path())
    model.ir_version = 8
    model.graph.node.add(op="RNN", name="a", input=["x", "W", "R", "B"], output=["y"])
    for name, shape in (("W", (1, 5, 3)), ("R", (1, 5, 5)), ("B", (1, 10))):
        raw = np.ones(shape, np.float32).tobytes()
        model.graph.initializer.add(name=name, dims=shape, dtype=1, raw=raw)
    return model


def test_onnx_nodes_that_share_a_weight_share_it_here_too(tmp_path: Path) -> None:
    model = rnn_node()
    for _ in range(20):
        model.graph.node.append(model.graph.node[0])
    layers = rc.import_model(onnx(tmp_path, model))
    assert all(layer.weights["params"] is layers[0].weights["params"] for layer in layers)


@pytest.mark.slow
def test_onnx_nodes_that_make_much_of_one_weight(tmp_path: Path) -> None:
    """Each with its own bias."""
    model = rnn_node()
    W, R, B = model.graph.initializer
    W.dims[:], W.raw = (1, 512, 512), bytes(1 << 20)
    R.dims[:], R.raw = (1, 512, 512), bytes(1 << 20)
    B.dims[:], B.raw = (1, 1024), bytes(1 << 12)
    for k in range(999):
        model.graph.initializer.add(name=f"B{k}", dims=(1, 1024), dtype=1, raw=bytes(1 << 12))
        inputs = ["x", "W", "R", f"B{k}"]
        model.graph.node.add(op="RNN", name="a", input=inputs, output=[f"y{k}"])
    refused(onnx(tmp_path, model), r"its weights would take more than \d+ MiB in all")


def test_names_of_onnx_nodes(tmp_path: Path) -> None:
    model = rnn_node()
    for name in ("a", "a_1", "a_1"):
        model.graph.node.add(op="RNN", name=name, input=["x", "W", "R", "B"], output=["y"])
    names = [layer.name for layer in rc.import_model(onnx(tmp_path, model))]
    assert len(set(names)) == 4
    assert names[0] == "a"


@pytest.mark.slow
def test_a_long_chain_in_onnx(tmp_path: Path) -> None:
    model = rnn_node()
    model.graph.node[0].input[1] = "n20000"
    for k in range(20_000):
        before = f"n{k}" if k else "W"
        model.graph.node.add(op="Identity", input=[before], output=[f"n{k + 1}"])
    (layer,) = rc.import_model(onnx(tmp_path, model))
    assert layer.weights["params"].size == 5 * (3 + 5 + 2)


def test_an_onnx_weight_with_seventy_axes(tmp_path: Path) -> None:
    model = rnn_node()
    model.graph.initializer[0].dims[:] = [1] * 70
    model.graph.initializer[0].raw = bytes(4)
    refused(onnx(tmp_path, model), r"W has the shape \[1, 1, 1, 1, 1, 1, \.\.\. 70 sizes\]")


def test_a_hidden_size_that_the_weights_have_not(tmp_path: Path) -> None:
    model = rnn_node()
    model.graph.node[0].attr.add(name="hidden_size", i=4)
    refused(onnx(tmp_path, model), "a: hidden_size is 4, R is of 5 units")


def test_values_that_no_sound_model_has(tmp_path: Path) -> None:
    model = rnn_node()
    values = np.ones((1, 5, 3), np.float32)
    values[0, :2, 0] = np.nan, np.inf
    model.graph.initializer[0].raw = values.tobytes()
    (layer,) = rc.import_model(onnx(tmp_path, model))
    assert "params has 2 values that are NaN or infinite" in layer.notes
    (sound,) = rc.import_model(onnx(tmp_path, rnn_node()))
    assert not any("NaN" in note for note in sound.notes)


@pytest.mark.parametrize("shape", [(1, 5, 3), (1 << 19, 1 << 17)])
def test_weights_in_a_file_that_is_a_hole(shape: tuple[int, ...], tmp_path: Path) -> None:
    """Which seems to have 256 GiB; no length is given, so that of the shape is taken."""
    model = rnn_node()
    W = model.graph.initializer[0]
    W.ClearField("raw")
    W.dims[:] = shape
    W.location = 1
    W.external.add(key="location", value="weights.data")
    path = onnx(tmp_path, model)
    with (tmp_path / "weights.data").open("wb") as file:
        file.truncate(1 << 38)
    if len(shape) == 3:
        with bounded():
            assert len(rc.import_model(path)) == 1
    else:
        refused(path, "more than 64 MiB")


def test_weights_beside_that_are_not_as_long_as_their_shape(tmp_path: Path) -> None:
    model = rnn_node()
    W = model.graph.initializer[0]
    W.ClearField("raw")
    W.location = 1
    W.external.add(key="location", value="weights.data")
    W.external.add(key="length", value=str(1 << 50))
    (tmp_path / "weights.data").write_bytes(bytes(100))
    refused(onnx(tmp_path, model), "W has 1125899906842624 bytes, but needs 60")


# Protobuf files.


@pytest.mark.parametrize("name", ["model.pb", "model.onnx", "model.h5", "model.keras"])
def test_a_file_that_is_a_hole(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(1 << 30)
    refused(path, "most of which are holes|damaged")


# Checkpoints.


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return Path(shutil.copytree(path_of("speech_v1"), tmp_path / "model"))


def rewrite(saved: Path, entries: Any) -> None:
    (saved / "variables" / "variables.index").write_bytes(index_of(entries))


def test_an_index_that_is_written_anew(saved: Path) -> None:
    """That those below fail for their own reasons."""
    rewrite(saved, entries_of(saved / "variables" / "variables.index"))
    (layer,) = rc.import_model(saved)
    assert "w" in layer.weights


def test_keys_that_are_longer_than_their_index(saved: Path) -> None:
    """Each key is the one before and a letter more."""
    header = entries_of(saved / "variables" / "variables.index")[""]
    first = b"a" * 100_000
    rows = [(0, b"", header), (0, first, b"")]
    rows += [(len(first) + k, b"b", b"") for k in range(20_000)]
    rewrite(saved, rows)
    refused(saved, "its keys are more than")


def test_variables_that_share_their_bytes(saved: Path) -> None:
    entries = entries_of(saved / "variables" / "variables.index")
    (kernel,) = (key for key in entries if key.endswith("kernel"))
    found = parse("BundleEntry", entries[kernel], Path())
    data = saved / "variables" / "variables.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[found.offset : found.offset + found.size])
    found.offset = 0
    (bias,) = (key for key in entries if key.endswith("bias"))
    entries |= dict.fromkeys((kernel, bias), found.SerializeToString())
    rewrite(saved, entries)
    refused(saved, "its tensors are larger than variables.data-00000-of-00001 together")


@pytest.mark.parametrize("what", ["folder", "index", "data"])
def test_variables_elsewhere(saved: Path, what: str, tmp_path: Path) -> None:
    """Links to outside of the model are not followed."""
    variables = saved / "variables"
    index, data = variables / "variables.index", variables / "variables.data-00000-of-00001"
    place = {"folder": variables, "index": index, "data": data}[what]
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    refused(saved, "it names the file 'variables/variables.*', which is not in its folder")


def test_a_model_of_links_to_files_of_one_folder(saved: Path, tmp_path: Path) -> None:
    """As in download caches: files named by their content, and links with the original names."""
    store = tmp_path / "store"
    store.mkdir()
    for number, file in enumerate(sorted(each for each in saved.rglob("*") if each.is_file())):
        file.rename(store / str(number))
        file.symlink_to(os.path.relpath(store / str(number), file.parent))
    (layer,) = rc.import_model(saved)
    assert "w" in layer.weights


# Keras' files.


def members_of(name: str = "keras3.keras") -> dict[str, bytes]:
    with zipfile.ZipFile(FILES / name) as file:
        return {each: file.read(each) for each in file.namelist()}


def written(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_file_that_tells_other_sizes(kind: int, tmp_path: Path) -> None:
    """32 MiB of zeros that the zip directory declares as barely compressed."""
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", b"{}")
        file.writestr("model.weights.h5", bytes(1 << 25), kind)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, entry + 20, 1 << 25)
    path.write_bytes(data)
    refused(path, "model.weights.h5 is 33554432 bytes")
    struct.pack_into("<I", data, entry + 24, 1 << 20)  # and that there are fewer
    path.write_bytes(data)
    refused(path, "compressed with a method|not a readable zip file|damaged")


@pytest.mark.slow
def test_a_keras_file_of_very_many_layers(tmp_path: Path) -> None:
    """All of one name, and so of the same weights."""
    members = members_of()
    config = json.loads(members["config.json"])
    (first,) = (each for each in config["config"]["layers"] if each["config"]["name"] == "first")
    config["config"]["layers"] = [first] * 900
    members["config.json"] = json.dumps(config).encode()
    with bounded():
        layers = rc.import_model(written(tmp_path / "model.keras", members))
    assert len({layer.name for layer in layers}) == 900
    assert all(layer.weights["params"] is layers[0].weights["params"] for layer in layers)
    config["config"]["layers"] = [first] * 2_000
    members["config.json"] = json.dumps(config).encode()
    refused(written(tmp_path / "model.keras", members), "more than 1000 recurrent layers")


@pytest.mark.slow
@pytest.mark.parametrize("layer", ["first", "third"])
def test_units_that_the_weights_have_not(layer: str, tmp_path: Path) -> None:
    members = members_of()
    config = json.loads(members["config.json"])
    for each in config["config"]["layers"]:
        if each["config"]["name"] == layer:
            each["config"]["units"] = 4
    members["config.json"] = json.dumps(config).encode()
    path = written(tmp_path / "model.keras", members)
    refused(path, f"{layer}: units is 4, its weights have 5")


def test_an_h5_file_with_a_hole_for_weights(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    shutil.copy(FILES / "keras3.h5", path)
    with h5py.File(path, "a") as file:
        place = file["model_weights"].create_dataset("huge", (1 << 28,), "f4")
        place[-1] = 1
    refused(path, "more than the file can hold")

"""Damaged and malicious files give an error that says so, and nothing else."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import signal
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import processes
import pytest
from model_import import fuzz
from model_import.bounds import bounded
from model_import.files import FILES, path_of
from model_import.graphs import add, cell, frozen, graph, tensor
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import import DEFECT, kinds, tensorflow_layers
from rnn_compiler.model_import.messages import parse

HERE = Path(__file__).parent


def damaged_files(count: int, seed: int) -> dict[str, int]:
    """The number of damaged files of each kind by outcome, if all outcomes are expected ones."""
    command = [sys.executable, str(HERE / "fuzz.py"), "--count", str(count), "--seed", str(seed)]
    done = processes.run(*command, timeout=580)
    found = {line.rpartition(" ")[0]: int(line.split()[-1]) for line in done.stdout.splitlines()}
    assert sum(found.values()) == count
    return found


@pytest.mark.slow
def test_a_hundred_damaged_files() -> None:
    """In a process with little memory, in which a file that takes ten seconds is an error."""
    found = damaged_files(100, 7)
    assert sum(times for kind, times in found.items() if " fields " in kind) > 50


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of JAX in this process
def test_a_finding_is_told(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """With the command that repeats it, be it an unexpected error or a crash."""

    def fail(path: Path) -> Any:
        if next(numbers) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        raise KeyError(path.name)

    numbers = itertools.count()
    monkeypatch.setattr(fuzz, "read_hdf5_once", lambda: None)
    monkeypatch.setattr(rc, "import_model", fail)
    options = argparse.Namespace(count=2, seed=3, first=5, keep=None)
    monkeypatch.setattr(fuzz, "WARMING", ())
    assert fuzz.main(options) == 1
    printed = capfd.readouterr().out
    assert "KeyError" in printed
    for number in (5, 6):
        assert f"fuzz.py --seed 3 --first {number} --count 1" in printed


def refused(path: Path, message: str) -> None:
    with pytest.raises(ArtifactError, match=message) as caught, bounded():
        rc.import_model(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value).replace(str(path), "")) < 1000


# What a path may be.


@pytest.mark.parametrize("name", ["model.tflite", "model.pkl", "model.pb", "model.onnx", "no/such"])
def test_what_is_not_there_or_of_no_kind_that_is_read(name: str, tmp_path: Path) -> None:
    if name == "model.pkl":
        (tmp_path / name).write_bytes(b"\x80\x04.")
    with pytest.raises(InvalidArgumentError, match="import_model: 'path': expected a SavedModel"):
        rc.import_model(tmp_path / name)


@pytest.mark.parametrize("path", [None, 3, b"\xff", "a\0b.pb", ""])
def test_what_is_no_path(path: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="import_model: 'path'"):
        rc.import_model(path)


@pytest.mark.parametrize("suffix", [".pb", ".keras", ".h5", ".onnx"])
def test_no_regular_file(suffix: str, tmp_path: Path) -> None:
    """A pipe without a writer does not block."""
    path = tmp_path / f"model{suffix}"
    os.mkfifo(path)
    refused(path, "not a regular file")


def test_what_no_reader_foresees(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an error of this package all the same, which asks for a report."""

    def fail(path: Path) -> Any:
        raise KeyError(path.name)

    monkeypatch.setattr(kinds, "MODEL_FILES", {".pb": kinds.ModelFile("TensorFlow", fail)})
    with pytest.raises(ArtifactError, match=f"{DEFECT} .KeyError: 'gru_frozen.pb'.") as caught:
        rc.import_model(FILES / "gru_frozen.pb")
    assert isinstance(caught.value.__cause__, KeyError)


def test_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path) -> Any:
        raise MemoryError

    monkeypatch.setattr(kinds, "MODEL_FILES", {".pb": kinds.ModelFile("TensorFlow", fail)})
    refused(FILES / "gru_frozen.pb", "it needs more memory than there is")


@pytest.mark.parametrize("content", [b"", b"text\n" * 100, b"\0" * 1000, b"\xff" * 1000])
@pytest.mark.parametrize("suffix", [".pb", ".keras", ".h5", ".onnx"])
def test_another_kind_of_file(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    path.write_bytes(content)
    refused(path, "damaged")


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"a folder with saved_model\.pb"):
        rc.import_model(tmp_path)
    (tmp_path / "saved_model.pbtxt").touch()
    with pytest.raises(InvalidArgumentError, match=r"which has only saved_model\.pbtxt"):
        rc.import_model(tmp_path)


def test_the_graph_of_a_folder_stands_for_the_folder() -> None:
    (layer,) = rc.import_model(str(path_of("speech_v1") / "saved_model.pb"))
    assert "w" in layer.weights


# TensorFlow's graphs.


def test_a_graph_by_hand(tmp_path: Path) -> None:
    """That those below fail for their own reasons; it notes no type, and no attribute."""
    made = graph()
    cell(made.node, "w")
    add(made.node, "Const", "w", value=tensor(np.ones((5, 8), np.float32)))
    (layer,) = rc.import_model(frozen(made, tmp_path))
    assert layer.dims == {"batch_size": None, "input_size": 3, "num_units": 2}
    assert layer.attributes == {"forget_bias": 1.0, "cell_clip": 3.0, "use_peephole": False}


def test_the_input_size_from_the_size_of_the_buffer(tmp_path: Path) -> None:
    """Nothing else tells it: the graph notes no shape of the input."""
    made = graph()
    add(made.node, "CudnnRNN", "rnn", "x", "h", "h", "params")
    add(made.node, "Placeholder", "x")
    add(made.node, "Const", "h", value=tensor(np.zeros((1, 2, 5), np.float32)))
    add(made.node, "Const", "params", value=tensor(np.ones(4 * 5 * (3 + 5 + 2), np.float32)))
    (layer,) = rc.import_model(frozen(made, tmp_path))
    assert (layer.dims["input_size"], layer.dims["batch_size"]) == (3, 2)
    assert layer.dims["seq_length"] is None


def test_values_in_a_circle(tmp_path: Path) -> None:
    made = graph()
    cell(made.node, "one")
    add(made.node, "Identity", "one", "two")
    add(made.node, "Identity", "two", "one")
    refused(frozen(made, tmp_path), "passed on in a cycle")


def test_a_value_that_moves_itself(tmp_path: Path) -> None:
    """Values that are not constant are not weights, however they are hidden."""
    made = graph()
    cell(made.node, "one")
    add(made.node, "Transpose", "one", "one", "perm")
    add(made.node, "Const", "perm", value=tensor(np.array([0, 1], np.int32)))
    (layer,) = rc.import_model(frozen(made, tmp_path))
    assert "w" not in layer.weights


def test_a_node_that_is_not_there(tmp_path: Path) -> None:
    made = graph()
    cell(made.node, "nobody")
    refused(frozen(made, tmp_path), "'nobody', which is not in its graph")


def test_a_function_that_calls_itself(tmp_path: Path) -> None:
    made = graph()
    function = made.library.function.add()
    function.signature.name = "again"
    cell(function.node, "w")
    add(function.node, "Placeholder", "w")
    add(function.node, "PartitionedCall", "call", f="again")
    add(made.node, "PartitionedCall", "call", f="again")
    assert len(rc.import_model(frozen(made, tmp_path))) == 1


@pytest.mark.parametrize("known", first([False, True]))
def test_functions_that_call_each_other_very_often(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layers are counted before the first of them is read."""
    monkeypatch.setattr(tensorflow_layers, "read_layer", pytest.fail)
    made = graph()
    for k in range(60):
        function = made.library.function.add()
        function.signature.name = f"f{k}"
        if k == 59:
            cell(function.node, "w")
            w = {"value": tensor(np.ones((5, 8), np.float32))} if known else {}
            add(function.node, "Const" if known else "Placeholder", "w", **w)
        else:
            for half in "ab":
                add(function.node, "PartitionedCall", half, f=f"f{k + 1}")
    add(made.node, "PartitionedCall", "call", f="f0")
    refused(frozen(made, tmp_path), "more than 300 recurrent layers, or 2000 calls")


def test_a_few_bytes_that_stand_for_many(tmp_path: Path) -> None:
    made = graph()
    cell(made.node, "w")
    large = tensor(np.ones((), np.float32))
    large.ClearField("content")
    large.float_val.append(1)
    for size in (1 << 20, 1 << 20):
        large.shape.dim.add(size=size)
    add(made.node, "Const", "w", value=large)
    refused(frozen(made, tmp_path), "its weights would take more than 64 MiB in all")


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0]])
def test_a_state_of_a_few_bytes_that_stand_for_many(values: list[float], tmp_path: Path) -> None:
    """The last value is repeated; the array of a single one is a view, and none is made."""
    made = graph()
    cell(made.node, "w")
    add(made.node, "Const", "w", value=tensor(np.ones((5, 8), np.float32)))
    large = parse("Tensor", b"", Path())
    large.dtype = 1
    large.float_val.extend(values)
    large.shape.dim.add(size=1 << 40)
    large.shape.dim.add(size=5)
    (state,) = (node for node in made.node if node.name == "h")
    state.op = "Const"
    state.attr.add(key="value").value.tensor.CopyFrom(large)
    path = frozen(made, tmp_path)
    if len(values) > 1:
        refused(path, "its weights would take more than 64 MiB in all")
        return
    with bounded(), pytest.raises(ArtifactError, match="num_units 5 by h_prev"):
        rc.import_model(path)
    large.shape.dim[1].size = 2
    state.attr[0].value.tensor.CopyFrom(large)
    with bounded():
        (layer,) = rc.import_model(frozen(made, tmp_path))
    assert "h_prev is always the same array" in layer.notes


def test_functions_that_all_move_the_same_weights(tmp_path: Path) -> None:
    """As in models of Keras 2: equal moves in several functions are computed and counted once."""
    made = graph()
    weights = np.random.default_rng(0).normal(0, 1, (512, 512)).astype(np.float32)
    add(made.node, "Const", "weights", value=tensor(weights))
    for k in range(60):
        function = made.library.function.add()
        function.signature.name = f"f{k}"
        function.signature.input.add(name="kernel")
        cell(function.node, "w")
        add(function.node, "Const", "axis", value=tensor(np.array(1, np.int32)))
        parts = [f"split:output:{part}" for part in range(4)]
        add(function.node, "Split", "split", "axis", "kernel", num_split=4)
        add(function.node, "ConcatV2", "w", *parts, "axis")
        for each in function.node:
            if each.name in ("p", "b"):
                size = 128 if each.name == "p" else 512
                each.attr[0].value.tensor.CopyFrom(tensor(np.zeros(size, np.float32)))
        add(made.node, "PartitionedCall", f"call{k}", "weights", f=f"f{k}")
    (layer,) = rc.import_model(frozen(made, tmp_path))
    np.testing.assert_array_equal(layer.weights["w"], weights)


@pytest.mark.slow
def test_a_long_chain(tmp_path: Path) -> None:
    """Values are handed on as often as there are nodes to do so."""
    made = graph()
    cell(made.node, "n20000")
    add(made.node, "Const", "n0", value=tensor(np.ones((5, 8), np.float32)))
    for k in range(20_000):
        add(made.node, "Identity", f"n{k + 1}", f"n{k}")
    (layer,) = rc.import_model(frozen(made, tmp_path))
    assert layer.weights["w"].shape == (5, 8)


@pytest.mark.slow
def test_calls_that_hand_a_value_on_without_end(tmp_path: Path) -> None:
    """Each function calls the next one twice."""
    made = graph()
    cell(made.node, "call")
    add(made.node, "PartitionedCall", "call", "start", f="f0")
    add(made.node, "Const", "start", value=tensor(np.ones((5, 8), np.float32)))
    for k in range(60):
        function = made.library.function.add()
        function.signature.name = f"f{k}"
        function.signature.input.add(name="x")
        function.signature.output.add(name="y")
        if k < 59:
            add(function.node, "PartitionedCall", "a", "x", f=f"f{k + 1}")
            add(function.node, "PartitionedCall", "b", "a:output:0", f=f"f{k + 1}")
        function.ret.add(key="y", value="b:output:0" if k < 59 else "x")
    refused(frozen(made, tmp_path), "its functions pass values on too often")


def test_a_shape_with_very_many_sizes(tmp_path: Path) -> None:
    made = graph()
    cell(made.node, "w")
    large = tensor(np.ones((), np.float32))
    for _ in range(1000):
        large.shape.dim.add(size=1)
    add(made.node, "Const", "w", value=large)
    refused(frozen(made, tmp_path), r"w has the shape \[1, 1, 1, 1, 1, 1, \.\.\. 1000 sizes\]")


def test_weights_that_double_and_double(tmp_path: Path) -> None:
    made = graph()
    cell(made.node, "c40")
    add(made.node, "Const", "c0", value=tensor(np.ones((8, 8), np.float32)))
    add(made.node, "Const", "axis", value=tensor(np.array(0, np.int32)))
    for k in range(40):
        add(made.node, "ConcatV2", f"c{k + 1}", f"c{k}", f"c{k}", "axis")
    refused(frozen(made, tmp_path), "its weights would take more than 64 MiB in all")


@pytest.mark.parametrize(
    ("op", "inputs", "attributes"),
    [
        ("Split", ("zero", "w0"), {"num_split": 1 << 62}),
        ("Split", ("zero", "w0"), {"num_split": 0}),
        ("Split", ("w0",), {}),
        ("Transpose", ("w0", "w0"), {}),
        ("Reshape", ("w0", "zero"), {}),
        ("ExpandDims", ("w0", "large"), {}),
        ("ConcatV2", ("w0", "w0", "large"), {}),
        ("Unpack", ("w0",), {"axis": 9}),
    ],
)
def test_moves_that_cannot_be(
    op: str, inputs: tuple[str, ...], attributes: dict[str, Any], tmp_path: Path
) -> None:
    made = graph()
    cell(made.node, "moved")
    add(made.node, "Const", "w0", value=tensor(np.ones((5, 8), np.float32)))
    add(made.node, "Const", "zero", value=tensor(np.array(0, np.int32)))
    add(made.node, "Const", "large", value=tensor(np.array(2**40, np.int64)))
    add(made.node, op, "moved", *inputs, **attributes)
    refused(frozen(made, tmp_path), f"{op} 'moved' cannot be|has the shape")


def test_sizes_that_contradict_each_other(tmp_path: Path) -> None:
    made = graph()
    cell(made.node, "w")
    add(made.node, "Const", "w", value=tensor(np.ones((5, 12), np.float32)))
    refused(frozen(made, tmp_path), "cell: b has the size 8 where 4 . num_units is due|wci has")


# Checkpoints.


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A separate SavedModel."""
    return Path(shutil.copytree(path_of("speech_v1"), tmp_path / "model"))


def test_a_wrong_sum(saved: Path) -> None:
    data = saved / "variables" / "variables.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[300] ^= 1
    data.write_bytes(content)
    with pytest.raises(ArtifactError, match=r"the CRC-32C of '.*kernel' is wrong"):
        rc.import_model(saved)


def test_a_wrong_sum_of_the_index(saved: Path) -> None:
    index = saved / "variables" / "variables.index"
    content = bytearray(index.read_bytes())
    content[10] ^= 1
    index.write_bytes(content)
    with pytest.raises(ArtifactError, match="the CRC-32C of a block is wrong"):
        rc.import_model(saved)


@pytest.mark.parametrize("name", ["variables.data-00000-of-00001", "variables.index"])
def test_a_file_that_ends_early(saved: Path, name: str) -> None:
    path = saved / "variables" / name
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ArtifactError, match=f"{re.escape(name)}: damaged"):
        rc.import_model(saved)


def test_a_data_file_that_is_not_there(saved: Path) -> None:
    (saved / "variables" / "variables.data-00000-of-00001").unlink()
    with pytest.raises(ArtifactError, match=r"variables\.data-00000-of-00001: cannot be read"):
        rc.import_model(saved)


def test_without_a_checkpoint_the_weights_are_said_to_be_missing(saved: Path) -> None:
    shutil.rmtree(saved / "variables")
    (layer,) = rc.import_model(saved)
    assert "w" not in layer.weights
    assert any(note.startswith("w is not a constant of the model") for note in layer.notes)


# ONNX files that name others.


def with_location(location: str, folder: Path) -> Path:
    """A model whose weights are in another file."""
    path = folder / "model.onnx"
    model = parse("OnnxModel", (FILES / "torch_rnn.onnx").read_bytes(), path)
    large = max(model.graph.initializer, key=lambda each: len(each.raw))
    (folder / "weights.data").write_bytes(large.raw)
    large.ClearField("raw")
    large.location = 1
    large.external.add(key="location", value=location)
    path.write_bytes(model.SerializeToString())
    return path


def test_weights_in_a_file_beside(tmp_path: Path) -> None:
    assert len(rc.import_model(with_location("weights.data", tmp_path))) == 1


@pytest.mark.parametrize("name", ["../weights.data", "/etc/passwd", "a/../../b", "link", "", "a\0"])
def test_weights_outside_of_the_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "link").symlink_to("/etc/passwd")
    path = with_location(name, tmp_path / "inner")
    (tmp_path / "weights.data").write_bytes(b"\0" * 60)
    refused(path, "which is not in its folder")


# Keras' files.


def keras_with(folder: Path, **members: bytes) -> Path:
    """A Keras file with other members."""
    path = folder / "model.keras"
    with zipfile.ZipFile(FILES / "keras3.keras") as file:
        content = {name: file.read(name) for name in file.namelist()}
    content |= {name.replace("__", "."): data for name, data in members.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return path


@pytest.mark.slow
def test_a_zip_bomb(tmp_path: Path) -> None:
    refused(keras_with(tmp_path, config__json=b" " * (200 << 20)), "config.json is 209715200 bytes")


def test_a_configuration_nested_too_deeply(tmp_path: Path) -> None:
    refused(keras_with(tmp_path, config__json=b"[" * 1_000_000), "not JSON|nested too deeply")


def test_models_in_models(tmp_path: Path) -> None:
    model: Any = {"class_name": "Sequential", "config": {"layers": []}}
    for _ in range(50):
        model = {"class_name": "Sequential", "config": {"name": "m", "layers": [model]}}
    config = json.dumps(model).encode()
    refused(keras_with(tmp_path, config__json=config), "its models contain each other")


def test_code_in_a_configuration_is_not_run(tmp_path: Path) -> None:
    """A Lambda layer holds marshalled Python."""
    with zipfile.ZipFile(FILES / "keras3.keras") as file:
        config = json.loads(file.read("config.json"))
    body = {"name": "evil", "function": {"class_name": "__lambda__", "config": {"code": "4wE="}}}
    config["config"]["layers"].append({"class_name": "Lambda", "config": body})
    path = keras_with(tmp_path, config__json=json.dumps(config).encode())
    assert len(rc.import_model(path)) == 4


def h5(folder: Path) -> tuple[Path, Any]:
    """A Keras file without weights so far."""
    path = folder / "model.h5"
    shutil.copy(FILES / "keras3.h5", path)
    return path, h5py.File(path, "a")


def test_an_array_larger_than_its_file(tmp_path: Path) -> None:
    path, file = h5(tmp_path)
    file["model_weights"].create_dataset("huge", (1 << 20, 1 << 20), "f4", chunks=(1024, 1024))
    file.close()
    refused(path, "more than the file can hold")


@pytest.mark.parametrize("kind", first(["outside", "soft", "external", "circle"]))
def test_links(kind: str, tmp_path: Path) -> None:
    path, file = h5(tmp_path)
    weights = file["model_weights"]
    if kind == "soft":
        weights["link"] = h5py.SoftLink("/elsewhere")
    elif kind == "external":
        weights["link"] = h5py.ExternalLink("/etc/passwd", "/")
    elif kind == "circle":
        for _ in range(30):  # groups that are reached in 2**30 ways
            inner = weights.create_group("one")
            weights["other"] = inner
            weights = inner
    else:
        weights.create_dataset("raw", (4,), "f4", external=[("/etc/passwd", 0, 16)])
    file.close()
    expected = {"circle": "contain each other", "outside": "is in another file"}
    refused(path, expected.get(kind, "links to another file"))


def test_weights_alone(tmp_path: Path) -> None:
    path, file = h5(tmp_path)
    del file.attrs["model_config"]
    file.close()
    with pytest.raises(InvalidArgumentError, match=r"rc\.weights\.from_keras"):
        rc.import_model(path)


def test_a_crash_of_the_hdf5_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads ends; this one does not."""
    package = tmp_path / "h5py"
    package.mkdir()
    (package / "__init__.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    refused(FILES / "keras3.h5", "the process that reads it ended with signal 9")


def test_a_table_with_a_number_that_never_ends(saved: Path) -> None:
    index = saved / "variables" / "variables.index"
    content = bytearray(index.read_bytes())
    content[-48:-8] = b"\xff" * 40
    index.write_bytes(content)
    with pytest.raises(ArtifactError, match="a number is truncated"):
        rc.import_model(saved)
    content[-8:] = struct.pack("<Q", 1)
    index.write_bytes(content)
    with pytest.raises(ArtifactError, match="not a checkpoint table"):
        rc.import_model(saved)

"""The tensors of files: their elements in files next to the model, and damaged ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.network_import import process
from rnn_compiler.schema.dtypes import DTYPES

pytest.importorskip("onnx")

import onnx

from tests.network_import.graphs import expected, lstm_weights, model, saved, weight
from tests.network_import.in_process import importing_here

X = weight(6, 2, 3)
NAMES = ("W", "R", "B", "V")


def network() -> Any:
    nodes = [
        onnx.helper.make_node("LSTM", ["x", "W", "R", "B"], ["h"], name="enc", hidden_size=5),
        onnx.helper.make_node("MatMul", ["h", "V"], ["y"], name="head"),
    ]
    return model(nodes, {"x": [6, 2, 3]}, ["y"], {**lstm_weights(), "V": weight(5, 2)})


def apart(folder: Path, **entries: str | None) -> tuple[Any, Path]:
    """A model and its file, whose tensors are in `weights.bin`, each with these entries."""
    made, path = network(), folder / "m.onnx"
    copy = onnx.ModelProto.FromString(made.SerializeToString())
    onnx.save_model(
        copy, path, save_as_external_data=True, location="weights.bin", size_threshold=0
    )
    if entries:
        copy = onnx.load(path, load_external_data=False)
        for tensor in copy.graph.initializer:
            known = {each.key: each.value for each in tensor.external_data} | entries
            del tensor.external_data[:]
            for key, value in known.items():
                if value is not None:
                    tensor.external_data.add(key=key, value=value)
        path.write_bytes(copy.SerializeToString())
    return made, path


def is_right(path: Path, made: Any) -> None:
    """Both imports give the numbers of the model with its weights inside."""
    run = rc.runtime.load(rc.compile(rc.import_network(path)))
    np.testing.assert_allclose(run(x=X).y, *expected(made, {"x": X}), rtol=1e-5, atol=1e-6)
    inside = path.with_name("inside.onnx")
    onnx.save(made, inside)
    found, wanted = (rc.import_model(each)[0].weights["params"] for each in (path, inside))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.slow
def test_lengths_may_be_left_out(tmp_path: Path) -> None:
    made, path = apart(tmp_path, length=None)
    is_right(path, made)


@pytest.mark.slow
def test_links_to_files_of_one_folder(tmp_path: Path) -> None:
    """As in download caches: files named by their content, and links with the original names."""
    made, path = apart(tmp_path)
    store = tmp_path / "store"
    store.mkdir()
    for number, file in enumerate((path, tmp_path / "weights.bin")):
        file.rename(store / str(number))
        file.symlink_to(Path("store") / str(number))
    is_right(path, made)


@pytest.mark.slow
def test_a_file_in_a_folder_below_counts_as_the_models(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The limits of the import follow from the size of all files, whatever they are called."""
    (tmp_path / "below").mkdir()
    made, path = apart(tmp_path, location="below/any")
    size = (tmp_path / "weights.bin").stat().st_size
    shutil.move(tmp_path / "weights.bin", tmp_path / "below" / "any")
    is_right(path, made)
    sizes: list[int] = []
    run = process.run_reader

    def recorded(worker: Path, folder: str, **options: Any) -> Any:
        sizes.append(json.loads((Path(folder) / "request.json").read_text())["size"])
        return run(worker, folder, **options)

    monkeypatch.setattr(process, "run_reader", recorded)
    rc.import_network(path)
    assert sizes == [path.stat().st_size + size]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"location": "../weights.bin"}, "it names the file '../weights.bin', which is not in its"),
        ({"location": "/weights.bin"}, "it names the file '/weights.bin', which is not in its"),
        ({"location": None}, "it names the file '', which is not in its folder"),
        ({"location": "gone"}, r"W is in the file 'gone' of the same folder, .*No such file"),
        ({"location": "."}, r"W is in the file '\.' of the same folder, which cannot be read"),
        ({"location": "m.onnx"}, r"m\.onnx: damaged: it has \d+ bytes, and \d+ are needed"),
        ({"offset": "1e3"}, r"damaged: W lies outside weights\.bin"),
        ({"offset": "-1"}, r"weights\.bin: damaged"),
        ({"offset": str(2**63)}, r"weights\.bin: damaged"),
        ({"length": "0"}, "damaged: W has 0 bytes, but needs 240"),
    ],
)
def test_files_that_do_not_hold_the_elements(
    entries: dict[str, str | None], told: str, tmp_path: Path
) -> None:
    _, path = apart(tmp_path, **entries)
    for read in (rc.import_network, rc.import_model):
        with pytest.raises(ArtifactError, match=told):
            read(path)


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    _, path = apart(tmp_path)
    with open(tmp_path / "weights.bin", "r+b") as file:
        file.truncate(100)
    for read in (rc.import_network, rc.import_model):
        with pytest.raises(ArtifactError, match=r"weights\.bin: damaged: it has 100 bytes"):
            read(path)


def typed(tensor: Any) -> None:
    tensor.ClearField("raw_data")
    tensor.float_data.extend([1.0, 2.0])


def twice(tensor: Any, graph: Any) -> None:
    graph.initializer.append(
        onnx.numpy_helper.from_array(np.zeros(tuple(tensor.dims), "f"), tensor.name)
    )


DAMAGES: dict[str, Callable[[Any, Any], object]] = {
    "has 4 bytes, but needs": lambda tensor, _: setattr(tensor, "raw_data", b"1234"),
    "has 2 elements, but the shape": lambda tensor, _: typed(tensor),
    "has 0 elements, but the shape": lambda tensor, _: tensor.ClearField("raw_data"),
    "has the shape": lambda tensor, _: tensor.dims.__setitem__(0, -tensor.dims[0]),
    "has elements of the unknown type 99": lambda tensor, _: setattr(tensor, "data_type", 99),
    "it has 2 constants of the name": twice,
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("told", DAMAGES)
def test_damaged_tensors(told: str, name: str, tmp_path: Path) -> None:
    made, path = network(), tmp_path / "m.onnx"
    (tensor,) = (each for each in made.graph.initializer if each.name == name)
    DAMAGES[told](tensor, made.graph)
    path.write_bytes(made.SerializeToString())
    with pytest.raises(ArtifactError, match=told):
        rc.import_network(path)
    if "constants" in told:
        with pytest.raises(ArtifactError, match=told):
            rc.import_model(path)


@pytest.mark.slow
def test_elements_in_fields_of_their_own(tmp_path: Path) -> None:
    """And the bytes count if a tensor has both."""
    made, path = network(), tmp_path / "m.onnx"
    first, second = made.graph.initializer[:2]
    first.float_data.extend([1.0, 2.0])
    array = onnx.numpy_helper.to_array(second)
    second.ClearField("raw_data")
    second.float_data.extend(array.ravel())
    path.write_bytes(made.SerializeToString())
    is_right(path, made)


@pytest.mark.slow
def test_constants_as_onnx_makes_them(tmp_path: Path) -> None:
    """`helper.make_tensor` writes elements into fields of numbers."""
    names = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "UINT16", "INT64")
    kinds = {name: getattr(onnx.TensorProto, name) for name in names}
    dtypes = {f"{letter}_{name}": kind for name, kind in kinds.items() for letter in "xy"}
    nodes = [onnx.helper.make_node("Add", [f"x_{k}", f"c_{k}"], [f"y_{k}"]) for k in kinds]
    inputs, outputs = {f"x_{k}": [3] for k in kinds}, [f"y_{k}" for k in kinds]
    made = model(nodes, inputs, outputs, {}, dtypes=dtypes)
    made.graph.initializer.extend(
        onnx.helper.make_tensor(f"c_{k}", kind, [3], [1, 0, 2]) for k, kind in kinds.items()
    )
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    arguments = module.functions[0].arguments
    given = {a.name: np.array([1, 2, 3], DTYPES[a.dtype].numpy) for a in arguments}
    for y in rc.runtime.load(rc.compile(module))(**given):
        assert np.asarray(y, np.float64).tolist() == [2, 2, 5]


def test_operators_newer_than_the_package_onnx(tmp_path: Path) -> None:
    made, path = network(), tmp_path / "m.onnx"
    made.opset_import[0].version = onnx.defs.onnx_opset_version() + 1
    path.write_bytes(made.SerializeToString())
    with pytest.raises(UnsupportedError, match="install a newer onnx, or export the model again"):
        rc.import_network(path)


def test_shapes_are_inferred_without_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each inference writes its model out and reads it again, and an open axis takes several."""
    wide, axis = weight(64, 96), np.array([0, 1], np.int64)
    nodes = [
        onnx.helper.make_node("MatMul", ["x", "W"], ["m"]),
        onnx.helper.make_node("Unsqueeze", ["m", "axes"], ["y"]),
    ]
    made = model(nodes, {"x": ["n", 64]}, ["y"], {"W": wide, "axes": axis})
    path = saved(made, tmp_path / "m.onnx")
    sizes: list[int] = []
    infer: Any = onnx.shape_inference.infer_shapes

    def counted(given: Any, *arguments: Any, **options: Any) -> Any:
        sizes.append(given.ByteSize())
        return infer(given, *arguments, **options)

    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", counted)
    with importing_here():
        module = rc.import_network(path)
    assert len(sizes) > 2
    assert sum(sizes) < wide.nbytes
    (result,) = module.functions[0].results
    assert [str(size) for size in result.shape] == ["1", "1", "n", "96"]

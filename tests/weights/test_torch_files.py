"""PyTorch's files are read as torch reads them; hostile ones are rejected quickly."""

from __future__ import annotations

import collections
import io
import pickle
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import marked_slow

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.weights.torch_file import (
    MOST_INSTRUCTIONS,
    PickledCall,
    PickleError,
    load_pickle,
    read_torch_file,
    torch_arrays,
)

FILES = Path(__file__).parents[1] / "model_files"
STORED = ["torch_checkpoint.pt", "torch_module.pt", "torch_legacy.pth", "torch_script.jit"]


@pytest.mark.parametrize("name", STORED)
def test_torch_is_not_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    arrays = rc.weights.load(FILES / name)
    assert any(key.endswith("encoder.weight_ih_l1_reverse") for key in arrays)
    assert rc.import_model(FILES / name)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("as_zip", [True, False])
def test_as_torch_reads_it(protocol: int, as_zip: bool, tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    base = torch.arange(24.0).reshape(4, 6)
    saved = {
        "view": base[1:, ::2],
        "turned": base.T,
        "parameter": torch.nn.Parameter(base[2]),
        "empty": torch.zeros(0, 3),
        "number": torch.tensor(7, dtype=torch.int64),
        "half": base.half(),
        "brain": base.to(torch.bfloat16),
        "flags": base > 3,
        "list": [torch.ones(2), {"in": torch.zeros(1, dtype=torch.uint8)}],
        "complex": torch.zeros(2, dtype=torch.complex64),
        "ordered": collections.OrderedDict(a=torch.ones(1)),
        "others": [{1, 2}, frozenset("ab"), b"bytes", bytearray(b"x"), 1 << 70, 1.5, None, "text"],
        3: torch.ones(3),
    }
    path = tmp_path / "a.pt"
    torch.save(saved, path, pickle_protocol=protocol, _use_new_zipfile_serialization=as_zip)
    arrays = rc.weights.load(path)
    names = ["view", "turned", "parameter", "empty", "number", "half", "brain", "flags", "list.0"]
    assert list(arrays) == [*names, "list.1.in", "complex", "ordered.a", "3"]
    for name in names[:6]:
        expected = saved[name].detach().numpy()
        assert arrays[name].dtype == expected.dtype
        np.testing.assert_array_equal(arrays[name], expected)
    assert arrays["brain"].dtype.name == "bfloat16"
    np.testing.assert_array_equal(arrays["brain"].astype(np.float32), base.numpy())
    assert arrays["3"].tolist() == [1, 1, 1]


def test_a_whole_module_of_before(tmp_path: Path) -> None:
    """Such a file has the sources of its classes too, which are passed over."""
    torch: Any = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.LSTM(3, 5), torch.nn.Linear(5, 2))
    path = tmp_path / "a.pth"
    torch.save(module, path, _use_new_zipfile_serialization=False)
    arrays = rc.weights.load(path)
    assert list(arrays) == list(module.state_dict())
    for name, expected in module.state_dict().items():
        np.testing.assert_array_equal(arrays[name], expected.numpy())
    (layer,) = rc.import_model(path)
    assert (layer.name, layer.notes) == ("0", ())


def test_sizes_are_told_by_names(tmp_path: Path) -> None:
    arrays = rc.weights.load(FILES / "torch_checkpoint.pt")
    encoder = {name: array for name, array in arrays.items() if "encoder" in name}
    params = rc.weights.from_torch(encoder, rnn_mode="gru", prefix="model.encoder.")
    given = {"num_layers": 2, "bidirectional": True, "prefix": "model.encoder."}
    np.testing.assert_array_equal(params, rc.weights.from_torch(encoder, rnn_mode="gru", **given))
    cell = rc.weights.from_torch(arrays, rnn_mode="lstm", prefix="model.cell.")
    numbered = {f"{name}_l0": arrays[f"model.cell.{name}"] for name in CELL}
    np.testing.assert_array_equal(cell, rc.weights.from_torch(numbered, rnn_mode="lstm"))
    with pytest.raises(InvalidArgumentError, match="num_layers=2, bidirectional=False"):
        rc.weights.from_torch(encoder, rnn_mode="gru", bidirectional=False, prefix="model.encoder.")


CELL = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def test_forged_numbers_of_layers() -> None:
    arrays = {f"weight_{each}_l999999999": np.ones((4, 1), np.float32) for each in ("ih", "hh")}
    with pytest.raises(InvalidArgumentError, match="num_layers=1000000000"):
        rc.weights.from_torch(arrays, rnn_mode="lstm")


# Hostile files.


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (sys.exit, (7,))


def archive(path: Path, data: bytes, **members: bytes) -> Path:
    """A file as torch.save writes it, of a pickle."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a/data.pkl", data)
        for name, content in members.items():
            file.writestr(f"a/data/{name}", content)
    return path


def tensor(shape: Any, strides: Any, offset: Any, count: Any, key: Any = "0") -> bytes:
    """A pickle of a tensor, by hand."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            return obj[1] if isinstance(obj, tuple) and obj[:1] == ("persistent",) else None

    stream = io.BytesIO()
    made = ("persistent", ("storage", "KIND", key, "cpu", count))
    Pickler(stream, 2).dump(("REBUILD", (made, offset, shape, strides, False, None)))
    data = stream.getvalue()
    kind, rebuild = b"X\x04\0\0\0KIND", b"X\x07\0\0\0REBUILD"
    data = data.replace(kind, b"ctorch\nFloatStorage\n")
    end = data.rindex(b"\x86")  # of the outer pair, which becomes a call
    data = data.replace(rebuild, b"ctorch._utils\n_rebuild_tensor_v2\n")
    end = data.rindex(b"\x86")
    return data[:2] + b"}X\1\0\0\0w" + data[2:end] + b"Rs."


def test_a_tensor_by_hand(tmp_path: Path) -> None:
    """That those below fail for their own reasons."""
    path = archive(
        tmp_path / "a.pt",
        tensor((2, 2), (2, 1), 1, 5),
        **{"0": np.arange(5.0).astype("<f4").tobytes()},
    )
    assert rc.weights.load(path)["w"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (tensor((2, 2), (2, 1), 2, 5), "more elements than its storage"),
        (tensor((1 << 40, 2), (0, 0), 0, 5), "many times as large as the file"),
        (tensor((2, 2), (-2, 1), 2, 5), "has no sizes"),
        (tensor((2, 2), (2,), 0, 5), "has no sizes"),
        (tensor((2.5, 2), (2, 1), 0, 5), "has no sizes"),
        (tensor((1,) * 40, (1,) * 40, 0, 5), "has no sizes"),
        (tensor((5,), (1,), 0, 5, "1"), "it has no a/data/1"),
        (tensor((5,), (1,), 0, 6), "the storage 0 has 20 bytes"),
        (tensor((4,), (1,), 0, 4), "a/data/0 has 20 bytes, not 16"),
        (b"\x80\x02" + b"(" * 10_000 + b"t" * 10_000 + b".", "nested too deeply"),
        marked_slow((b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".", "nested too deeply")),
        (b"\x80\x02" + b"0" * 10 + b".", "IndexError"),
        (b"\x80\x02X\xff\xff\xff\x7fa.", "ValueError"),
        (b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7fa.", "not a file from torch"),
        (b"\x80\x02(.", "IndexError"),
        (b"\x80\x02i__main__\nEvil\n.", "the instruction INST"),
        marked_slow((b"\x80\x02" + b"N0" * (MOST_INSTRUCTIONS // 2 + 1) + b"N.", "instructions")),
        (b"", "ValueError"),
    ],
    ids=range(18),
)
def test_hostile_pickles(data: bytes, message: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "a.pt", data, **{"0": bytes(20)})
    with pytest.raises(ArtifactError, match=message):
        torch_arrays(path)
    with pytest.raises((ArtifactError, InvalidArgumentError)):
        rc.import_model(path)


def test_nothing_is_run(tmp_path: Path) -> None:
    made = load_pickle(io.BytesIO(pickle.dumps(Evil())))
    assert isinstance(made, PickledCall)
    path = archive(tmp_path / "a.pt", pickle.dumps({"w": Evil(), "lstm": [Evil()]}, 2))
    with pytest.raises(InvalidArgumentError, match=r"no tensors .*, but objects of sys\.exit"):
        rc.import_model(path)
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ArtifactError, match=r"not a file from torch\.save"):
        rc.import_model(path)


def test_a_list_in_itself_and_one_of_billions(tmp_path: Path) -> None:
    itself: list[Any] = []
    itself.append(itself)
    laughs: Any = [1]
    for _ in range(40):
        laughs = [laughs] * 10
    path = archive(tmp_path / "a.pt", pickle.dumps([itself, laughs], 2))
    assert not read_torch_file(path).tensors


def test_names_longer_than_the_file(tmp_path: Path) -> None:
    """A long key above many others."""
    data = pickle.dumps({"k" * 100_000: {str(k): {} for k in range(1_000)}}, 2)
    with pytest.raises(ArtifactError, match="the names in it are longer than the file"):
        read_torch_file(archive(tmp_path / "a.pt", data))


def test_what_zip_files_claim(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a/data.pkl", pickle.dumps([0] * 1_000_000, 2))
    with pytest.raises(ArtifactError, match="is compressed"):
        rc.import_model(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("b/other.pkl", b"")
    with pytest.raises(ArtifactError, match=r"no NAME/data\.pkl"):
        rc.import_model(path)
    data = bytearray(archive(path, pickle.dumps({}, 2)).read_bytes())
    end = data.rindex(b"PK\1\2")
    data[end + 20 : end + 28] = struct.pack("<II", 2**31, 2**31)
    path.write_bytes(data)
    with pytest.raises(ArtifactError, match="damaged"):
        rc.import_model(path)


def test_big_endian_numbers(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.pt", pickle.dumps({}, 2))
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("a/byteorder", b"big")
    with pytest.raises(ArtifactError, match="big-endian"):
        rc.import_model(path)


def test_tensors_that_share_a_storage_become_no_more_than_the_file_may(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    base = torch.zeros(1 << 18)
    torch.save({str(k): base for k in range(40)}, tmp_path / "a.pt")
    with pytest.raises(InvalidArgumentError, match="many times as large as the file"):
        rc.weights.load(tmp_path / "a.pt")


@pytest.mark.parametrize("name", ["a.weight_ih_l0", "a.weight_hh_l0_raw", "a.weight_ih"])
def test_modules_that_are_not_of_torch_nn(name: str, tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    lstm = torch.nn.LSTM(3, 5)
    saved = {f"b.{key}": value for key, value in lstm.state_dict().items()}
    torch.save({**saved, name: torch.zeros(7, 3)}, tmp_path / "a.pt")
    with pytest.raises(UnsupportedError, match=r"a has weights weight_.* \[7, 3\].*, which torch"):
        rc.import_model(tmp_path / "a.pt")
    assert [each.name for each in rc.import_model(tmp_path / "a.pt", layers=["b"])] == ["b"]


def test_errors_of_pickles() -> None:
    for data in (b"", b"N", b"\x80\x02R.", b"\x80\x02N}R.", b"\x80\x02NNNs.", b"\x80\x04NN\x93."):
        with pytest.raises(PickleError):
            load_pickle(io.BytesIO(data))


def test_storages_that_tensors_share_in_turns(tmp_path: Path) -> None:
    """They are read once for tensors that follow each other, and not again and again."""
    torch: Any = pytest.importorskip("torch")
    path = tmp_path / "model.pt"
    storages = [torch.zeros(1 << 18), torch.ones(1 << 18)]
    torch.save({f"{k:03}": storages[k // 100][k : k + 1] for k in range(200)}, path)
    assert sum(each.sum() for each in torch_arrays(path).values()) == 100
    torch.save({f"{k:03}": storages[k % 2][k : k + 1] for k in range(200)}, path)
    with pytest.raises(ArtifactError, match="would make it read many times"):
        torch_arrays(path)

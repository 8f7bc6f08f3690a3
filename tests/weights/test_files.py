"""`rc.weights.load` and `save`: every dtype, layout and shape is restored; damage is an error."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import FILES

import rnn_compiler as rc
from rnn_compiler.schema.dtypes import DTYPES

each_suffix = pytest.mark.parametrize("suffix", [".npz", ".safetensors"])


@each_suffix
@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip(dtype: str, suffix: str, tmp_path: Path) -> None:
    matrix = np.arange(6).reshape(2, 3).astype(DTYPES[dtype].numpy)
    arrays = {
        "plain": matrix,
        "empty": matrix[:0],
        "scalar": matrix[1, 1],
        "fortran": np.asfortranarray(matrix),
        "transposed": matrix.T,
        "strided": matrix[:, ::2],
        "swapped": matrix.astype(matrix.dtype.newbyteorder(">")),
    }
    path = rc.weights.save(tmp_path / f"arrays{suffix}", arrays)
    loaded = rc.weights.load(str(path))
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert loaded[name].dtype == DTYPES[dtype].numpy
        assert loaded[name].shape == array.shape
        assert np.array_equal(loaded[name], array)


def test_npz_keeps_the_order(tmp_path: Path) -> None:
    names = ["b", "a", "c.d", "arr_0"]
    path = rc.weights.save(tmp_path / "a.npz", {name: [1.0] for name in names})
    assert list(rc.weights.load(path)) == names


def test_others_read_it(tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    path = rc.weights.save(tmp_path / "a.safetensors", {"a": np.ones((2, 3)).T})
    assert load_file(path)["a"].shape == (3, 2)
    bits = np.arange(4).astype(ml_dtypes.bfloat16)
    save_file({"bits": bits, "step": np.arange(2)}, path)
    loaded = rc.weights.load(path)
    assert loaded["bits"].tobytes() == bits.tobytes()
    assert loaded["step"].tolist() == [0, 1]


def test_safetensors_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rc.weights.save(tmp_path / "a.safetensors", {"a": [1.0]})
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    for call in (lambda: rc.weights.load(path), lambda: rc.weights.save(path, {"a": [1.0]})):
        with pytest.raises(rc.errors.UnsupportedError, match=r"pip install 'safetensors>="):
            call()
    rc.weights.save(tmp_path / "a.npz", {"a": [1.0]})


@pytest.mark.parametrize("name", ["a.npz", "a.safetensors", "torch_legacy.pth", "torch_script.jit"])
def test_any_name(name: str, tmp_path: Path) -> None:
    """What a file is, its first bytes tell."""
    path = FILES / name
    if not path.exists():
        path = rc.weights.save(tmp_path / name, {"a": np.arange(3.0)})
    wanted = rc.weights.load(path)
    for other in ("model.th", "model", "model.pth.tar", "model.npz", "model.safetensors"):
        shutil.copy(path, tmp_path / "other")
        (tmp_path / "other").rename(tmp_path / other)
        assert_same_bits(rc.weights.load(tmp_path / other), wanted)


def damaged(content: bytes) -> list[bytes]:
    return [b"", b"PK", content[: len(content) // 2], content[1:], bytes(range(256)) * 4]


@each_suffix
def test_damage_is_an_error(suffix: str, tmp_path: Path) -> None:
    path = rc.weights.save(tmp_path / f"a{suffix}", {"a": np.arange(99.0)})
    for content in damaged(path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(rc.errors.InvalidArgumentError, match=rf"^load: 'path': .*{path}"):
            rc.weights.load(path)


def test_npz_runs_no_code(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.array([{}], object))
    with pytest.raises(rc.errors.InvalidArgumentError, match="'a' has Python objects"):
        rc.weights.load(tmp_path / "a.npz")
    np.save(tmp_path / "b", np.ones(3))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    with pytest.raises(rc.errors.InvalidArgumentError, match=r"b\.npz"):
        rc.weights.load(tmp_path / "b.npz")


@each_suffix
def test_files_that_are_not_there(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rc.weights.load(tmp_path / f"a{suffix}")
    with pytest.raises(FileNotFoundError):
        rc.weights.save(tmp_path / "no" / f"a{suffix}", {"a": [1.0]})


@pytest.mark.parametrize(
    ("path", "arrays", "argument", "got"),
    [
        ("a.txt", {}, "path", "a.txt"),
        ("a", {}, "path", "a"),
        (5, {}, "path", "5"),
        ("a.npz", [1.0], "arrays", "[1.0]"),
        ("a.npz", {5: [1.0]}, "arrays", "5"),
        ("a.npz", {"b": "text"}, "b", "dtype <U4"),
        ("a.npz", {"b": [1j]}, "b", "[1j]"),
        ("a.npz", {"b": np.ones(2, complex)}, "b", "dtype complex128"),
        ("a.npz", {"b": [[1], [1, 2]]}, "b", "ragged"),
    ],
    ids=repr,
)
def test_errors(path: Any, arrays: Any, argument: str, got: str) -> None:
    with pytest.raises(rc.errors.InvalidArgumentError) as caught:
        rc.weights.save(path, arrays)
    assert (caught.value.op, caught.value.argument) == ("save", argument)
    assert got in caught.value.got
    if argument == "path":
        with pytest.raises(rc.errors.InvalidArgumentError, match=r"^load: 'path': "):
            rc.weights.load(path)

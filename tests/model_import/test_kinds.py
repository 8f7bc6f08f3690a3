"""Files are known by their first bytes, whatever they are called."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import FILES, path_of
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import.kinds import MODEL_FILES

OTHERS = (".net", ".tar", ".th", ".zip", ".npz", ".vmfb", ".mlir", "")


@pytest.mark.parametrize(
    ("file", "suffix"),
    first(
        [
            ("keras3.keras", ".net"),
            ("keras2.h5", ".tar"),
            ("torch_checkpoint.pt", ".th"),
            ("torch_script.jit", ".model"),
            ("keras3.keras", ".h5"),
            ("keras2.h5", ".ckpt"),
            ("keras2.h5", ".keras"),
            ("keras1.h5", ""),
            ("torch_checkpoint.pt", ""),
            ("torch_legacy.pth", ".pth.tar"),
            ("torch_legacy.pth", ".h5"),
            ("torch_legacy.pth", ".bin"),
            ("torch_script.jit", ".keras"),
        ],
        2,
    ),
)
def test_any_name(file: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    shutil.copy(FILES / file, path)
    wanted, found = rc.import_model(FILES / file), rc.import_model(path)
    assert [layer.name for layer in found] == [layer.name for layer in wanted]
    for one, other in zip(wanted, found, strict=True):
        assert (one.op, one.attributes, one.notes) == (other.op, other.attributes, other.notes)
        assert_same_bits(other.weights, one.weights)


def test_safetensors_of_any_name(tmp_path: Path) -> None:
    arrays = rc.weights.load(FILES / "torch_checkpoint.pt")
    path = rc.weights.save(tmp_path / "model.safetensors", arrays)
    wanted = rc.import_model(path)
    for name in ("model.bin", "model.ckpt", "model"):
        shutil.copy(path, tmp_path / name)
        found = rc.import_model(tmp_path / name)
        assert [layer.name for layer in found] == [layer.name for layer in wanted]
        assert_same_bits(found[0].weights, wanted[0].weights)


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"PK\3\4" + bytes(100), b"\x80\2\x8a", b"text"]
)
def test_what_is_none_of_these(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.net"
    path.write_bytes(content)
    told = r"'path': expected .* a file of Keras or torch.save, or one that ends in \.pb"
    with pytest.raises(InvalidArgumentError, match=told):
        rc.import_model(path)


@pytest.mark.parametrize("name", ["model.npz", "model.zip"])
def test_arrays_by_name(name: str, tmp_path: Path) -> None:
    """A zip file, but of numpy: the error says what takes it."""
    with (tmp_path / name).open("wb") as file:
        np.savez(file, kernel=np.ones((3, 20)))
    with pytest.raises(InvalidArgumentError, match=r"rc\.weights\.from_cell"):
        rc.import_model(tmp_path / name)


@pytest.mark.parametrize("kind", ["zip", "tar", "gztar", "xztar"])
def test_archives(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    shutil.copy(FILES / "gru_frozen.pb", folder / "saved_model.pb")
    path = Path(shutil.make_archive(str(tmp_path / "packed"), kind, folder))
    with pytest.raises(InvalidArgumentError, match="this is an archive: unpack it"):
        rc.import_model(path)


POINTER = b"""version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""


@pytest.mark.parametrize("name", [f"model{each}" for each in (*MODEL_FILES, *OTHERS)])
def test_git_lfs(name: str, tmp_path: Path, cli: Any) -> None:
    """A pointer to a file, in place of any file: the message says how to get the file."""
    path = tmp_path / name
    path.write_bytes(POINTER)
    commands = [["import"], ["link"], ["run"], ["inspect"], ["weights", "from-cell", "haiku.GRU"]]
    if path.suffix in (".onnx", ".tflite"):
        commands.append(["import", "--whole"])
    for command in commands:
        text = cli(*command, path, code=1).err
        assert f"{path}: " in text
        assert "a Git LFS pointer, not the file itself: run git lfs pull" in text


def test_git_lfs_beside_a_model(tmp_path: Path) -> None:
    """Weights alone are often in Git LFS."""
    path = tmp_path / "model"
    shutil.copytree(path_of("keras3_export"), path)
    (path / "variables" / "variables.data-00000-of-00001").write_bytes(POINTER)
    with pytest.raises(ArtifactError, match=r"variables\.data-00000-of-00001: .*a Git LFS pointer"):
        rc.import_model(path)

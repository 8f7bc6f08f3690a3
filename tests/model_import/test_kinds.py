"""Files of Keras and PyTorch are known by their first bytes, whatever they are called."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from cases import assert_same_bits
from model_import.files import FILES

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("file", "suffix"),
    [
        ("keras3.keras", ".net"),
        ("keras3.keras", ".h5"),
        ("keras2.h5", ".tar"),
        ("keras2.h5", ".ckpt"),
        ("keras2.h5", ".keras"),
        ("keras1.h5", ""),
        ("torch_checkpoint.pt", ".th"),
        ("torch_checkpoint.pt", ""),
        ("torch_legacy.pth", ".pth.tar"),
        ("torch_legacy.pth", ".h5"),
        ("torch_script.jit", ".model"),
    ],
)
def test_any_name(file: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    shutil.copy(FILES / file, path)
    wanted, found = rc.import_model(FILES / file), rc.import_model(path)
    assert [layer.name for layer in found] == [layer.name for layer in wanted]
    for one, other in zip(wanted, found, strict=True):
        assert (one.op, one.attributes, one.notes) == (other.op, other.attributes, other.notes)
        assert_same_bits(other.weights, one.weights)


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"PK\3\4" + bytes(100), b"\x80\2\x8a", b"text"]
)
def test_what_is_none_of_these(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.net"
    path.write_bytes(content)
    told = r"'path': expected .* a file of Keras or torch.save, or one that ends in \.pb"
    with pytest.raises(InvalidArgumentError, match=told):
        rc.import_model(path)


def test_arrays_by_name(tmp_path: Path) -> None:
    """A zip file, but of numpy: the error says what takes it."""
    np.savez(tmp_path / "model.npz", kernel=np.ones((3, 20)))
    with pytest.raises(InvalidArgumentError, match=r"model.npz'.*rc\.weights\.from_cell"):
        rc.import_model(tmp_path / "model.npz")

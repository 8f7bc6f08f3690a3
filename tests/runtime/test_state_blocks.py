"""Blocks of states, as C and JavaScript store them, in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from errors.expect import invalid_argument
from linking import stateful

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.states import read_states, write_block
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import TensorSpec
from rnn_compiler.schema.state_blocks import HEADER, hashed


@pytest.mark.parametrize("count", [0, 1, 2, 300, (1 << 16) - 1, (1 << 16) + 3, 1 << 17])
def test_the_hash(count: int) -> None:
    """Many bytes at a time, as one after the other."""
    data = np.random.default_rng(count).integers(0, 256, count).astype(np.uint8).tobytes()
    start = expected = 0x9E3779B97F4A7C15
    for byte in data:
        expected = (expected ^ byte) * 0x100000001B3 & (1 << 64) - 1
    assert hashed(start, data) == expected


def trained() -> Any:
    module = rc.link_module(stateful.TEXT, stateful.INFER)
    session = rc.runtime.load(rc.compile(module)).session(**stateful.states())
    session.train(**stateful.arguments(0))
    return session


def test_a_block_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package safetensors."""
    monkeypatch.setitem(sys.modules, "safetensors", None)
    session, path = trained(), tmp_path / "states.bin"
    session.save_block(path)
    before = session.state
    session.train(**stateful.arguments(1))
    session.load(path)
    for name, value in before.items():
        np.testing.assert_array_equal(session.state[name], value)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type(dtype: str, tmp_path: Path) -> None:
    kind, path = DTYPES[dtype].numpy, tmp_path / "states.bin"
    states = {"a": np.array([[1, 0, 1]], kind), "b": np.array(1, kind), "c": np.ones(0, kind)}
    specs = [TensorSpec(name, dtype, each.shape) for name, each in states.items()]
    write_block(path, states, specs)
    found = read_states(path, specs)
    for name, value in states.items():
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape)
        np.testing.assert_array_equal(found[name], value)


def _flipped(at: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_flipped(HEADER), "damaged block: its values"),
        (_flipped(-2), "damaged block: its values"),
        (_flipped(9), "damaged block: its values"),
        (_flipped(0), "a block of another module, or damaged"),
        (lambda data: data[:-1], r"damaged block: \d+ bytes, not \d+"),
        (lambda data: data + b"0", r"damaged block: \d+ bytes, not \d+"),
        (lambda data: data[:9], r"damaged block: 9 bytes, not \d+"),
        (lambda data: data[:7], "neither a safetensors file nor a block of these states, or dam"),
        (lambda data: b"\0" + data, "neither a safetensors file nor a block of these states"),
    ],
)
def test_damaged_blocks(damage: Callable[[bytes], bytes], said: str, tmp_path: Path) -> None:
    """The states stay as they are."""
    session, path = trained(), tmp_path / "states.bin"
    session.save_block(path)
    path.write_bytes(damage(path.read_bytes()))
    before = session.state
    with pytest.raises(ArtifactError, match=rf"states\.bin: .*{said}"):
        session.load(path)
    for name, value in before.items():
        np.testing.assert_array_equal(session.state[name], value)


def test_a_block_of_other_states(tmp_path: Path) -> None:
    path, spec = tmp_path / "states.bin", TensorSpec("w", "float32", (4,))
    write_block(path, {"w": np.ones(4, np.float32)}, [spec])
    for other in (TensorSpec("v", "float32", (4,)), TensorSpec("w", "int32", (4,))):
        with pytest.raises(ArtifactError, match="a block of another module, or damaged"):
            read_states(path, [other])
    with pytest.raises(ArtifactError, match="neither a safetensors file nor a block of these"):
        read_states(path, [TensorSpec("w", "float32", (5,))])


def test_paths(tmp_path: Path) -> None:
    session = trained()
    with invalid_argument("save_block", "path", "a path", "3"):
        session.save_block(3)
    with pytest.raises(OSError, match="none"):
        session.save_block(tmp_path / "none" / "states.bin")

"""Trained weights go back into the file that they come from."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from errors.expect import invalid_argument
from linking import stateful
from onnx import helper

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from tests.network_import.graphs import by_runtime, model, saved, weight

X, TARGET = weight(5, 3), weight(5, 4)


def network() -> Any:
    """Two layers. Names that are alike in C, a bias that is stored once, a weight in a node."""
    constant = onnx.numpy_helper.from_array(weight(4))
    nodes = [
        helper.make_node("Identity", ["fc.0.bias"], ["fc.1.bias"]),
        helper.make_node("Constant", [], ["/scale"], value=constant),
        helper.make_node("Gemm", ["x", "fc.0_w", "fc.0.bias"], ["h"]),
        helper.make_node("Tanh", ["h"], ["a"]),
        helper.make_node("Gemm", ["a", "fc.0.w", "fc.1.bias"], ["b"]),
        helper.make_node("Mul", ["b", "/scale"], ["y"]),
    ]
    weights = {"fc.0_w": weight(3, 4), "fc.0.w": weight(4, 4)}
    zeros = {"fc.0.bias": np.zeros(4, np.float32)}
    return model(nodes, {"x": [5, 3]}, ["y"], {**weights, **zeros})


def trained(path: Path, load: Any = rc.runtime.load) -> Any:
    """A session that has trained the network in a file."""
    step = rc.training_step(path, loss="mean_squared_error", train=["fc.*", "/scale"])
    session = load(rc.compile(step)).session()
    for _ in range(5):
        session.train(x=X, target=TARGET, learning_rate=np.float32(0.1))
    return session


@pytest.mark.slow
def test_the_file_gives_what_the_session_infers(tmp_path: Path) -> None:
    path = saved(network(), tmp_path / "m.onnx")
    before, session = path.read_bytes(), trained(path)
    made = session.save_onnx(tmp_path / "trained.onnx")
    y = session.infer(x=X).y
    found = rc.runtime.load(rc.compile(rc.import_network(made)))(x=X)
    np.testing.assert_allclose(found.y, y, rtol=1e-6, atol=1e-6)
    assert not np.array_equal(session.state["fc_0_bias"], session.state["fc_1_bias"])
    old, new = onnx.load(path).graph, onnx.load(made).graph
    assert [*new.input] == [*old.input]
    assert path.read_bytes() == before
    assert trained(made).save_onnx(path) == path  # the first file may be replaced then


@pytest.mark.slow
def test_statistics_that_are_stored_as_a_weight(tmp_path: Path) -> None:
    """PyTorch stores equal numbers once; the scale is trained, the variance stays."""
    names = ("scale", "bias", "mean", "variance")
    nodes = [
        helper.make_node("Identity", ["bn.scale"], ["bn.variance"]),
        helper.make_node("Identity", ["bn.bias"], ["bn.mean"]),
        helper.make_node("BatchNormalization", ["x", *(f"bn.{name}" for name in names)], ["y"]),
    ]
    first = {"bn.scale": np.ones(3, np.float32), "bn.bias": np.zeros(3, np.float32)}
    path = saved(model(nodes, {"x": [5, 3]}, ["y"], first), tmp_path / "m.onnx")
    session = rc.runtime.load(rc.compile(rc.training_step(path, loss="mean_squared_error")))
    session = session.session()
    session.train(x=X, target=X * 3, learning_rate=np.float32(0.5))
    made = session.save_onnx(tmp_path / "trained.onnx")
    assert session.state["bn_scale"].max() > 1.4
    found = rc.runtime.load(rc.compile(rc.import_network(made)))(x=X)
    np.testing.assert_allclose(found.y, session.infer(x=X).y, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
def test_onnx_runtime_gives_what_the_session_infers(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    session = trained(saved(network(), tmp_path / "m.onnx"))
    session.save_onnx(tmp_path / "trained.onnx")
    (found,) = by_runtime(onnx.load(tmp_path / "trained.onnx"), {"x": X})
    np.testing.assert_allclose(found, session.infer(x=X).y, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_weights_in_files_of_their_own(tmp_path: Path) -> None:
    path, made = tmp_path / "m.onnx", tmp_path / "trained.onnx"
    apart: Any = {"save_as_external_data": True, "location": "m.bin", "size_threshold": 0}
    onnx.save_model(network(), path, **apart)
    session = trained(path)
    session.save_onnx(made)
    assert trained(made).state["fc_0_w"].shape == (3, 4)
    shutil.copy(path, tmp_path / "folder.onnx")
    (tmp_path / "m.bin").write_bytes(bytes((tmp_path / "m.bin").stat().st_size))
    with pytest.raises(InvalidArgumentError, match=r"m\.bin, which is another"):
        session.save_onnx(made)


def test_a_file_that_has_moved(tmp_path: Path) -> None:
    """Also in a program that was loaded from files."""
    path, artifact = saved(network(), tmp_path / "m.onnx"), tmp_path / "m.vmfb"
    session = trained(path, lambda made: rc.runtime.load(made.save(artifact)))
    target, there = tmp_path / "trained.onnx", tmp_path / "there.onnx"
    session.save_onnx(target)
    first = target.read_bytes()
    path.rename(there)
    with pytest.raises(InvalidArgumentError, match=r"got no .*m\.onnx; pass its path: save_onnx"):
        session.save_onnx(target)
    session.save_onnx(target, source=there)
    assert target.read_bytes() == first


@pytest.mark.slow
def test_the_same_code_of_another_file(tmp_path: Path) -> None:
    """The cache has it from the first; the module of the second names the second."""
    one, other = saved(network(), tmp_path / "one.onnx"), tmp_path / "other.onnx"
    shutil.copy(one, other)
    for path in (one, other):
        step = rc.training_step(path, loss="mean_squared_error")
        source = rc.compile(step).manifest.source
        assert source is not None
        assert source.path == str(path)


def test_wrong_files(tmp_path: Path) -> None:
    path = saved(network(), tmp_path / "m.onnx")
    session, target = trained(path), tmp_path / "trained.onnx"
    with invalid_argument("save_onnx", "path", "another file than", "the same"):
        session.save_onnx(path)
    for wrong in (3, b"x", "a\0b"):
        with invalid_argument("save_onnx", "path", "a path", repr(wrong)):
            session.save_onnx(wrong)
    path.write_bytes(b"\xff" * 100)
    with invalid_argument("save_onnx", "source", "the file that", "which is another"):
        session.save_onnx(target)
    with pytest.raises(OSError, match="directory"):
        session.save_onnx(target, source=tmp_path)
    assert not target.exists()


@pytest.mark.slow
def test_sessions_of_other_modules() -> None:
    artifact = rc.compile(rc.link_module(stateful.TEXT, stateful.INFER))
    session = rc.runtime.load(artifact).session(**stateful.states())
    with invalid_argument("save_onnx", "session", "from training_step", "another module"):
        session.save_onnx("trained.onnx")


def test_without_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As beside the runtime alone."""
    session = trained(saved(network(), tmp_path / "m.onnx"))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UnsupportedError, match=r"onnx is not installed; .*: pip install .*onnx"):
        session.save_onnx(tmp_path / "trained.onnx")

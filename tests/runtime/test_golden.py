"""Goldens: stored next to an artifact; damage to them and wrong numbers are detected."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numeric.harness import renamed

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.runtime.golden import TOLERANCES, Golden, compare
from rnn_compiler.runtime.paths import golden_path
from rnn_compiler.schema.dtypes import DTYPES

SIZES = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
PAIR = ["BlockLSTMV2", "BlockLSTMGradV2"]


@pytest.fixture(scope="module")
def module() -> rc.Module:
    return rc.build(PAIR, use_peephole=True, **SIZES)


@pytest.fixture(scope="module")
def artifact(module: rc.Module) -> rc.Artifact:
    return rc.compile(module, "cpu")


@pytest.fixture(scope="module")
def golden(module: rc.Module, artifact: rc.Artifact) -> Golden:
    return rc.golden(module, artifact)


@pytest.fixture
def saved(artifact: rc.Artifact, golden: Golden, tmp_path: Path) -> Path:
    return artifact.save(tmp_path / "lstm.vmfb", golden=golden)


@pytest.mark.slow
def test_a_machine_that_computes_the_same(saved: Path, golden: Golden) -> None:
    """Bit for bit, because it is the same module on the same machine; and the functions did run."""
    found = rc.runtime.verify(saved)
    assert found.is_equal
    assert {row.difference for row in found.results} == {0.0}
    assert [row.result for row in found.results][6:8] == ["h", "x_grad"]
    assert found.computed_by == "cpu (fused) on local-sync"
    manifest = rc.runtime.read_artifact(saved).manifest
    assert manifest.golden is not None
    assert manifest.golden.computed_by == found.computed_by
    for _, results in golden.cases.values():
        assert all(array.any() for array in results.values())


@pytest.mark.slow
def test_without_one_nothing_changes(artifact: rc.Artifact, saved: Path, tmp_path: Path) -> None:
    plain = artifact.save(tmp_path / "plain.vmfb")
    assert not golden_path(plain).exists()
    assert rc.runtime.read_artifact(plain).manifest.golden is None
    assert plain.read_bytes() == saved.read_bytes()
    with pytest.raises(ArtifactError, match="it has no sample arguments and results: co"):
        rc.runtime.verify(plain)


def test_saved_whole_or_not_at_all(artifact: rc.Artifact, golden: Golden, tmp_path: Path) -> None:
    """The golden's place is taken by a folder: nothing else appears."""
    (tmp_path / "lstm.vmfb.golden.npz").mkdir()
    with pytest.raises(IsADirectoryError):
        artifact.save(tmp_path / "lstm.vmfb", golden=golden)
    assert [path.name for path in tmp_path.iterdir()] == ["lstm.vmfb.golden.npz"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def pickled(path: Path) -> None:
    np.save(path.with_suffix(".npy"), np.array([object()]), allow_pickle=True)
    path.with_suffix(".npy").rename(path)


@pytest.mark.parametrize("damage", [cut, flip, pickled, lambda path: path.write_bytes(b"")])
def test_a_damaged_golden(saved: Path, damage: Callable[[Path], None]) -> None:
    damage(golden_path(saved))
    with pytest.raises(ArtifactError, match=r"golden\.npz: damaged, or another artifact's"):
        rc.runtime.verify(saved)


def test_a_missing_golden(saved: Path) -> None:
    golden_path(saved).unlink()
    with pytest.raises(ArtifactError, match=r"golden\.npz: missing: .* copy it too"):
        rc.runtime.verify(saved)
    golden_path(saved).mkdir()
    with pytest.raises(ArtifactError, match=r"golden\.npz: cannot be read \(Is a directory\)"):
        rc.runtime.verify(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda case: ({}, case[1]),
        lambda case: (case[0], {**case[1], "h": case[1]["h"][:-1]}),
        lambda case: ({**case[0], "x": case[0]["x"].astype(np.float64)}, case[1]),
    ],
    ids=["no arguments", "a shorter result", "another dtype"],
)
def test_a_golden_that_does_not_fit(
    artifact: rc.Artifact, golden: Golden, tmp_path: Path, change: Callable[..., object]
) -> None:
    """Saved by hand: the digest is right, and the content is another function's."""
    cases = {**golden.cases, "block_lstm_v2": change(golden.cases["block_lstm_v2"])}
    other = dataclasses.replace(golden, cases=cases)
    path = artifact.save(tmp_path / "lstm.vmfb", golden=other)
    with pytest.raises(ArtifactError, match=r"golden\.npz: does not fit its artifact \(no "):
        rc.runtime.verify(path)


def test_another_modules_artifact(artifact: rc.Artifact) -> None:
    other = rc.build(PAIR, use_peephole=False, **SIZES)
    with pytest.raises(InvalidArgumentError, match=r"golden: 'artifact': expected one of Module\("):
        rc.golden(other, artifact)
    with pytest.raises(
        InvalidArgumentError, match=r"artifact from `compile`, or .* target, got 'lst"
    ):
        rc.golden(other, "lstm.vmfb")


@pytest.mark.parametrize(("value", "difference"), [(1.5, 0.5), (np.nan, np.inf), (np.inf, np.inf)])
def test_wrong_numbers_are_found(
    saved: Path, artifact: rc.Artifact, golden: Golden, value: float, difference: float, cli: Any
) -> None:
    """One element of one result of the last function."""
    arguments, results = golden.cases["block_lstm_grad_v2"]
    wrong = results["b_grad"].copy()
    scale = max(1.0, float(np.abs(wrong).max()))
    wrong[-1] += 0.5 * scale if difference == 0.5 else value
    changed = {**golden.cases, "block_lstm_grad_v2": (arguments, {**results, "b_grad": wrong})}
    artifact.save(saved, golden=dataclasses.replace(golden, cases=changed))
    found = rc.runtime.verify(saved)
    assert [row.result for row in found.results if not row.is_equal] == ["b_grad"]
    shown = cli("verify", saved, code=1).out
    assert "1 of 15 results differ" in shown
    assert "DIFFERENT" in shown
    data = json.loads(cli("verify", saved, "--json", code=1).out)
    assert data["equal"] is False
    assert data["results"][-1]["difference"] == (
        None if np.isinf(difference) else pytest.approx(found.results[-1].difference)
    )


@pytest.mark.slow
def test_tolerances() -> None:
    """The portable module is within those of each dtype, and a coarser type is not."""
    sizes = {"batch_size": 2, "input_size": 3, "num_units": 5}
    built = renamed(*(rc.build("GRUBlockCell", dtype=dtype, **sizes) for dtype in TOLERANCES))
    golden = rc.golden(built, rc.compile(built, "cpu:aarch64"))
    assert golden.computed_by == "cpu (portable) on local-sync"
    program = rc.runtime.load(rc.compile(built, "cpu"))
    assert compare(program, golden).is_equal
    for (case, (arguments, results)), dtype in zip(golden.cases.items(), TOLERANCES, strict=True):
        for part in (0.5, 2.0):
            scale = {name: max(1.0, float(np.abs(a).max())) for name, a in results.items()}
            off = {
                name: (a.astype(np.float64) + part * TOLERANCES[dtype] * scale[name] * 1.2).astype(
                    DTYPES[dtype].numpy
                )
                for name, a in results.items()
            }
            changed = dataclasses.replace(golden, cases={**golden.cases, case: (arguments, off)})
            assert compare(program, changed).is_equal == (part < 1), dtype


@pytest.mark.slow
def test_bundles(module: rc.Module, tmp_path: Path, cli: Any) -> None:
    """One golden for all members, computed by the one that runs here."""
    bundle = rc.compile(module, ["cpu:aarch64", "cpu:generic"])
    folder = bundle.save(tmp_path / "lstm", golden=rc.golden(module, bundle))
    assert sorted(path.name for path in folder.iterdir()) == [
        *("cpu-aarch64.vmfb", "cpu-generic.vmfb", "golden.npz", "manifest.json"),
    ]
    printed = cli("verify", folder, "--device", "local-task").out
    assert "all 15 are equal: local-task here, cpu:generic (fused)" in printed
    (folder / "golden.npz").unlink()
    assert "golden.npz: missing" in cli("verify", folder, code=1).err


@pytest.mark.slow
def test_the_command_line(tmp_path: Path, cli: Any) -> None:
    """Also lists of tensors, and integers other than lengths."""
    path = tmp_path / "params.vmfb"
    op = ["CudnnRNNCanonicalToParams", "--dim", "num_layers=1,num_units=2,input_size=3"]
    assert "golden: computed by cpu (fused)" in cli("compile", *op, "--golden", "-o", path).out
    assert golden_path(path).is_file()
    cli("verify", path)
    assert "computed by cpu (fused) on local-sync" in cli("inspect", path).out

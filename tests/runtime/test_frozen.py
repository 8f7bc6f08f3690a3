"""Frozen weights: their numbers, their files, and damage to these."""

from __future__ import annotations

import errno
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from cases import assert_same_bits
from numeric.harness import Arrays, draw

import rnn_compiler as rc
from rnn_compiler.compilation import cache_key
from rnn_compiler.errors import ArtifactError
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime import read_artifact

SIZES = {"seq_length": 5, "batch_size": 1, "num_units": 40}
ENCODER = {**SIZES, "input_size": 24, "num_layers": 1, "is_training": False}
DECODER = {**SIZES, "input_size": 40, "use_peephole": False}
FROZEN = {"encoder": ["params"], "decoder": ["w", "b", "wci", "wcf", "wco"]}


@pytest.fixture(scope="module")
def module() -> rc.Module:
    """Two layers, both of which pack weights."""
    encoder = {"function": "encoder", **ENCODER}
    return rc.build(
        [("CudnnRNNV3", encoder), ("BlockLSTMV2", {"function": "decoder", **DECODER})],
        name="speech",
    )


@pytest.fixture(scope="module")
def arguments() -> dict[str, Arrays]:
    return {
        "encoder": draw("CudnnRNNV3", "float32", ENCODER),
        "decoder": draw("BlockLSTMV2", "float32", DECODER, steps=4),
    }


@pytest.fixture(scope="module")
def expected(module: rc.Module, arguments: dict[str, Arrays]) -> dict[str, Any]:
    """The results of the functions that take their weights."""
    program = rc.runtime.load(rc.compile(module), "local-sync")
    return {name: program.functions[name](**each) for name, each in arguments.items()}


@pytest.fixture(scope="module")
def frozen(module: rc.Module, arguments: dict[str, Arrays]) -> rc.Module:
    return rc.freeze(module, {f: {k: arguments[f][k] for k in FROZEN[f]} for f in FROZEN})


@pytest.fixture(scope="module")
def artifact(frozen: rc.Module) -> rc.Artifact:
    return rc.compile(frozen)


@pytest.fixture
def check(arguments: dict[str, Arrays], expected: dict[str, Any]) -> Callable[[rc.Program], None]:
    """Compares the results of a program without weights with those of the one that takes them."""

    def check(program: rc.Program) -> None:
        for name, function in program.functions.items():
            rest = {k: v for k, v in arguments[name].items() if k not in FROZEN[name]}
            for _ in range(2):
                assert_same_bits(function(**rest), expected[name])

    return check


@pytest.fixture
def saved(artifact: rc.Artifact, tmp_path: Path) -> Path:
    return artifact.save(tmp_path / "m.vmfb")


@pytest.mark.slow
@pytest.mark.parametrize("device", ["local-sync", "local-task"])
def test_the_numbers_are_the_same(
    device: str, artifact: rc.Artifact, saved: Path, check: Callable[[rc.Program], None]
) -> None:
    """To the bit, saved or not."""
    check(rc.runtime.load(artifact, device))
    check(rc.runtime.load(saved, device))
    names = sorted(path.name for path in saved.parent.iterdir())
    assert names == ["m.irpa", "m.vmfb", "m.vmfb.json"]


@pytest.mark.slow
def test_the_signature_is_without_them(artifact: rc.Artifact, saved: Path) -> None:
    spec = artifact.manifest.functions[1]
    assert [each.name for each in spec.arguments] == ["seq_len_max", "x", "cs_prev", "h_prev"]
    assert [each.name for each in spec.frozen] == ["w", "wci", "wcf", "wco", "b"]
    assert read_artifact(saved) == artifact
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        rc.runtime.load(artifact).decoder(w=0)


@pytest.mark.slow
def test_iree_run_module_takes_the_archive(
    saved: Path, arguments: dict[str, Arrays], expected: dict[str, Any], iree_tools: Path
) -> None:
    """By the command of the manifest, with arrays in the place of zeros."""
    command = json.loads(saved.with_name("m.vmfb.json").read_text())["run_commands"]["encoder"]
    tool, *rest = [word for word in shlex.split(command) if "--input" not in word]
    assert "--parameters=model=m.irpa" in rest
    for name in ("input", "input_h", "input_c", "sequence_lengths"):
        np.save(saved.parent / f"{name}.npy", arguments["encoder"][name])
        rest.append(f"--input=@{name}.npy")
    results = [f"--output=@{name}.npy" for name in expected["encoder"]._fields]
    processes.run(iree_tools / tool, *rest, *results, cwd=saved.parent)
    np.testing.assert_array_equal(np.load(saved.parent / "output.npy"), expected["encoder"].output)


@pytest.mark.slow
def test_a_bundle_has_one_archive(
    frozen: rc.Module, tmp_path: Path, check: Callable[[rc.Program], None]
) -> None:
    """The weights as they are: each payload packs them in its way."""
    bundle = rc.compile(frozen, ["cpu:generic", "cpu"])
    folder = bundle.save(tmp_path / "bundle")
    files = ["cpu-generic.vmfb", "cpu.vmfb", "manifest.json", "parameters.irpa"]
    assert sorted(path.name for path in folder.iterdir()) == files
    assert len({artifact.archive for artifact in bundle.artifacts}) == 1
    check(rc.runtime.load(folder))
    assert read_artifact(folder) == bundle
    (folder / "parameters.irpa").unlink()
    with pytest.raises(ArtifactError, match=r"parameters\.irpa: the archive of frozen weights is"):
        rc.runtime.load(folder)


@pytest.mark.slow
def test_weights_are_no_part_of_the_code(
    module: rc.Module, frozen: rc.Module, artifact: rc.Artifact
) -> None:
    """Others of the same shapes are the same cache entry, and another archive."""
    others = {
        f: {k: np.ones(each.shape, np.float32) for each in spec.frozen for k in [each.name]}
        for f, spec in zip(FROZEN, frozen.functions, strict=True)
    }
    same = rc.freeze(module, others)
    target = resolve_target("cpu")
    assert cache_key(same, target) == cache_key(frozen, target) != cache_key(module, target)
    other = rc.compile(same)
    assert other.payload == artifact.payload
    assert other.manifest.parameters != artifact.manifest.parameters
    assert rc.compile(frozen).archive == artifact.archive
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(
            *(
                rc.runtime.load(each)
                .encoder(input=np.ones((5, 1, 24), np.float32), sequence_lengths=[5])
                .output
                for each in (artifact, other)
            )
        )


@pytest.mark.slow
def test_an_archive_elsewhere(saved: Path, check: Callable[[rc.Program], None]) -> None:
    elsewhere = saved.parent / "elsewhere"
    saved.with_name("m.irpa").rename(elsewhere)
    with pytest.raises(ArtifactError, match=r"m\.irpa: the archive of frozen weights is missing; "):
        rc.runtime.load(saved)
    check(rc.runtime.load(saved, parameters=elsewhere))
    check(rc.runtime.load(saved, parameters=str(elsewhere)))
    with pytest.raises(ArtifactError, match=r"none: the archive of frozen weights is missing$"):
        rc.runtime.load(saved, parameters="none")


def test_a_damaged_archive_is_refused(saved: Path, artifact: rc.Artifact) -> None:
    """Cut, changed, longer, empty: before IREE sees it."""
    archive = saved.with_name("m.irpa")
    data = archive.read_bytes()
    changed = bytearray(data)
    changed[-5] ^= 1
    for damaged in (b"", data[:1], data[:-1], data + b"\0", bytes(len(data)), bytes(changed)):
        archive.write_bytes(damaged)
        message = r"m\.vmfb: the archive of its weights: damaged: its sha256 is"
        with pytest.raises(ArtifactError, match=message):
            rc.runtime.load(saved)
    archive.write_bytes(data)
    archive.chmod(0)
    if os.access(archive, os.R_OK):  # root
        return
    with pytest.raises(ArtifactError, match=r"m\.irpa: cannot be read"):
        rc.runtime.load(saved)


@pytest.mark.parametrize("parameters", [5, b"m.irpa", {}])
def test_parameters_are_a_path(parameters: Any, saved: Path, artifact: rc.Artifact) -> None:
    with pytest.raises(ArtifactError, match="parameters: expected a path, got "):
        rc.runtime.load(saved, parameters=parameters)
    with pytest.raises(ArtifactError, match="parameters: only for an artifact in a file"):
        rc.runtime.load(artifact, parameters="m.irpa")


def test_parameters_of_no_frozen_weights(tiny: rc.Artifact, tmp_path: Path) -> None:
    path = tiny.save(tmp_path / "tiny.vmfb")
    with pytest.raises(ArtifactError, match=r"m\.irpa: not needed: the artifact has no frozen"):
        rc.runtime.load(path, parameters="m.irpa")


def test_an_artifact_without_its_weights(artifact: rc.Artifact) -> None:
    """As if only the manifest and the payload had been copied."""
    with pytest.raises(ArtifactError, match="frozen weights are missing"):
        rc.runtime.load(rc.Artifact(artifact.manifest, artifact.payload))


def test_nothing_is_half_written(
    artifact: rc.Artifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full at the last of the three files."""
    written: list[Path] = []
    real = Path.open

    def full(self: Path, *arguments: Any, **keywords: Any) -> Any:
        written.append(self)
        if len(written) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(self, *arguments, **keywords)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match="No space left"):
        artifact.save(tmp_path / "m.vmfb")
    assert len(written) == 3
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_copied(module: rc.Module, artifact: rc.Artifact) -> None:
    """Later changes by the caller have no effect."""
    small = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
    w = np.ones((2, 4), np.float32)
    frozen = rc.freeze(small, {"w": w})
    before = rc.compile(frozen).archive
    w[:] = 2
    assert rc.compile(frozen).archive == before
    assert "w" in [each.name for each in small.functions[0].arguments]  # as it was


def test_more_and_more_is_frozen(module: rc.Module, frozen: rc.Module, arguments: Any) -> None:
    one = rc.freeze(module, {"encoder": {"params": arguments["encoder"]["params"]}})
    rest = {k: arguments["decoder"][k] for k in FROZEN["decoder"]}
    two = rc.freeze(one, {"decoder": rest})
    assert two.functions == frozen.functions
    assert two.parameters.keys() == frozen.parameters.keys()

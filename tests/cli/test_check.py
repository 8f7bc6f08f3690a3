"""`rnn-compiler check`: the verdict on an artifact, its reason, and the exit code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rnn_compiler as rc
from rnn_compiler import cpu_features
from rnn_compiler.cli import main
from rnn_compiler.manifest import Manifest, TargetSpec
from rnn_compiler.runtime.artifact import Artifact


@pytest.fixture(scope="module")
def tiny() -> rc.Artifact:
    """For this machine."""
    module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
    return rc.compile(module, "cpu")


def check(path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = main(["check", str(path), "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def judge(
    artifact: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    path = artifact.save(tmp_path / "lstm.vmfb")
    code, found = check(path, capsys, *arguments)
    (row,) = found["artifacts"]
    assert found["verdict"] == row["verdict"]
    return code, row["verdict"], row["reason"]


def for_target(artifact: rc.Artifact, **changes: Any) -> rc.Artifact:
    """The artifact, said to be for another target."""
    target = replace(artifact.manifest.target, **changes)
    return Artifact(replace(artifact.manifest, target=target), artifact.payload)


def test_one_for_this_machine_is_optimal(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(tiny, tmp_path, capsys)[:2] == (0, "optimal")
    assert main(["check", str(tmp_path / "lstm.vmfb")]) == 0
    assert "optimal" in capsys.readouterr().out


@pytest.mark.skipif(not cpu_features.host_features(), reason="nothing beyond the baseline here")
def test_one_for_less_runs(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, verdict, reason = judge(for_target(tiny, features=()), tmp_path, capsys)
    assert (code, verdict) == (0, "runs")
    assert cpu_features.host_features()[0] in reason


@pytest.mark.parametrize(
    ("changes", "part"),
    [({"features": ("avx1024",)}, "avx1024"), ({"architecture": "riscv64"}, "riscv64")],
)
def test_one_for_another_machine_has_to_be_recompiled(
    tiny: rc.Artifact,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    part: str,
) -> None:
    code, verdict, reason = judge(for_target(tiny, **changes), tmp_path, capsys)
    assert (code, verdict) == (1, "recompile")
    assert part in reason
    assert reason.startswith("lstm.vmfb: ")


def test_a_damaged_one_has_to_be_recompiled(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = Artifact(tiny.manifest, tiny.payload[:-1] + b"?")
    code, verdict, reason = judge(damaged, tmp_path, capsys)
    assert (code, verdict) == (1, "recompile")
    assert "damaged" in reason
    (tmp_path / "lstm.vmfb.json").write_text("{}")
    code, found = check(tmp_path / "lstm.vmfb", capsys)
    assert (code, found["verdict"]) == (1, "recompile")


def test_one_that_this_iree_does_not_take_has_to_be_recompiled(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole, but of another version, or of another format."""
    manifest: Manifest = replace(tiny.manifest, compiler_version="9.9.0")
    code, verdict, reason = judge(Artifact(manifest, tiny.payload), tmp_path, capsys)
    assert (code, verdict) == (1, "recompile")
    assert reason.startswith("lstm.vmfb: compiled with IREE 9.9, this runtime is ")
    payload = b"another format" * 100
    manifest = replace(tiny.manifest, payload_sha256=hashlib.sha256(payload).hexdigest())
    code, verdict, reason = judge(Artifact(manifest, payload), tmp_path, capsys)
    assert (code, verdict) == (1, "recompile")
    assert "does not take the module" in reason


def test_one_for_a_device_that_is_not_here_is_unsupported(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = for_target(tiny, device="tpu", name="tpu")
    code, verdict, reason = judge(elsewhere, tmp_path, capsys)
    assert (code, verdict) == (1, "unsupported")
    assert "tpu" in reason
    code, verdict, _ = judge(elsewhere, tmp_path, capsys, "--device", "local-sync")
    assert (code, verdict) == (1, "unsupported")


def test_of_a_bundle_the_best_counts(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = TargetSpec("cpu:v9", "local", "x86_64", ("avx1024",))
    wrong = Artifact(replace(tiny.manifest, target=other), tiny.payload)
    rc.runtime.Bundle((wrong, tiny)).save(tmp_path / "bundle")
    code, found = check(tmp_path / "bundle", capsys)
    assert (code, found["verdict"], found["taken"]) == (0, "optimal", "cpu")
    assert [row["verdict"] for row in found["artifacts"]] == ["recompile", "optimal"]
    assert main(["check", str(tmp_path / "bundle")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "of these, cpu is taken"
    rc.runtime.Bundle((wrong,)).save(tmp_path / "bundle")
    assert check(tmp_path / "bundle", capsys)[1]["taken"] is None


@pytest.mark.parametrize("fault", ["missing", "damaged"])
@pytest.mark.parametrize("target", ["cpu", "tpu"])
def test_nothing_of_a_broken_bundle_is_taken(
    tiny: rc.Artifact,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    target: str,
    fault: str,
) -> None:
    """Nor loaded, whichever payload it is; the others are judged all the same."""
    folder = tmp_path / "bundle"
    rc.runtime.Bundle((tiny, for_target(tiny, device="tpu", name="tpu"))).save(folder)
    assert check(folder, capsys)[1]["taken"] == "cpu"
    payload = folder / f"{target}.vmfb"
    if fault == "missing":
        payload.unlink()
    else:
        payload.write_bytes(tiny.payload[:-1] + b"?")
    code, found = check(folder, capsys)
    assert (code, found["verdict"], found["taken"]) == (1, "recompile", None)
    broken, whole = found["artifacts"][:: 1 if target == "cpu" else -1]
    assert (broken["verdict"], whole["verdict"]) == (
        "recompile",
        "unsupported" if target == "cpu" else "optimal",
    )
    assert fault in broken["reason"]
    assert main(["check", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("none is taken: ")
    with pytest.raises(rc.errors.ArtifactError, match=fault):
        rc.runtime.load(folder)


def test_no_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.vmfb")]) == 1
    assert "no such artifact" in capsys.readouterr().err

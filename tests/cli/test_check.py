"""`rnn-compiler check`: the verdict on an artifact, its reason, and the exit code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.manifest import Manifest, TargetSpec


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
    tiny: rc.Artifact, tmp_path: Path, cli: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(tiny, tmp_path, capsys)[:2] == (0, "optimal")
    assert "optimal" in cli("check", tmp_path / "lstm.vmfb").out


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
    assert (code, verdict) == (3, "recompile")
    assert part in reason
    assert reason.startswith("lstm.vmfb: ")


def test_a_damaged_one_has_to_be_recompiled(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = Artifact(tiny.manifest, tiny.payload[:-1] + b"?")
    code, verdict, reason = judge(damaged, tmp_path, capsys)
    assert (code, verdict) == (3, "recompile")
    assert "damaged" in reason
    (tmp_path / "lstm.vmfb.json").write_text("{}")
    code, found = check(tmp_path / "lstm.vmfb", capsys)
    assert (code, found["verdict"]) == (3, "recompile")


def test_one_that_this_iree_does_not_take_has_to_be_recompiled(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole, but of another version, or of another format."""
    manifest: Manifest = replace(tiny.manifest, compiler_version="9.9.0")
    code, verdict, reason = judge(Artifact(manifest, tiny.payload), tmp_path, capsys)
    assert (code, verdict) == (3, "recompile")
    assert reason.startswith("lstm.vmfb: compiled with IREE 9.9, but this runtime is ")
    payload = b"another format" * 100
    manifest = replace(tiny.manifest, payload_sha256=hashlib.sha256(payload).hexdigest())
    code, verdict, reason = judge(Artifact(manifest, payload), tmp_path, capsys)
    assert (code, verdict) == (3, "recompile")
    assert "rejects the module" in reason


def test_one_for_a_device_that_is_not_here_is_unsupported(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = for_target(tiny, device="tpu", name="tpu")
    code, verdict, reason = judge(elsewhere, tmp_path, capsys)
    assert (code, verdict) == (4, "unsupported")
    assert "tpu" in reason
    code, verdict, _ = judge(elsewhere, tmp_path, capsys, "--device", "local-sync")
    assert (code, verdict) == (4, "unsupported")


def test_of_a_bundle_the_best_counts(
    tiny: rc.Artifact, tmp_path: Path, cli: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    other = TargetSpec("cpu:v9", "local", "x86_64", ("avx1024",))
    wrong = Artifact(replace(tiny.manifest, target=other), tiny.payload)
    rc.runtime.Bundle((wrong, tiny)).save(tmp_path / "bundle")
    code, found = check(tmp_path / "bundle", capsys)
    assert (code, found["verdict"], found["taken"]) == (0, "optimal", "cpu")
    assert [row["verdict"] for row in found["artifacts"]] == ["recompile", "optimal"]
    assert cli("check", tmp_path / "bundle").out.splitlines()[-1] == "best here: cpu"
    rc.runtime.Bundle((wrong,)).save(tmp_path / "bundle")
    assert check(tmp_path / "bundle", capsys)[1]["taken"] is None


@pytest.mark.parametrize("fault", ["missing", "damaged"])
@pytest.mark.parametrize("target", ["cpu", "tpu"])
def test_nothing_of_a_broken_bundle_is_taken(
    tiny: rc.Artifact,
    tmp_path: Path,
    cli: Any,
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
    assert (code, found["verdict"], found["taken"]) == (3, "recompile", None)
    broken, whole = found["artifacts"][:: 1 if target == "cpu" else -1]
    assert (broken["verdict"], whole["verdict"]) == (
        "recompile",
        "unsupported" if target == "cpu" else "optimal",
    )
    assert fault in broken["reason"]
    assert cli("check", folder, code=3).out.splitlines()[-1].startswith("none can be used: ")
    with pytest.raises(rc.errors.ArtifactError, match=fault):
        rc.runtime.load(folder)


def test_no_file_is_an_error(tmp_path: Path, cli: Any) -> None:
    assert "no such artifact" in cli("check", tmp_path / "none.vmfb", code=1).err


def test_what_cannot_be_read_or_is_no_artifact_has_no_verdict(
    tiny: rc.Artifact, tmp_path: Path, cli: Any
) -> None:
    """It is a failure, as for every other verb."""
    path = tiny.save(tmp_path / "lstm.vmfb")
    path.with_name("lstm.vmfb.json").unlink()
    (tmp_path / "folder").mkdir()
    for file, part in ((path, "manifest is missing"), (tmp_path / "folder", "not a bundle")):
        out, err = cli("check", file, code=1)
        assert (out, part in err) == ("", True)


def test_code_for_cpus_is_not_the_fault_of_a_gpu(
    tiny: rc.Artifact, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether or not there is one, or a driver: it is not even looked for."""
    code, verdict, reason = judge(tiny, tmp_path, capsys, "--device", "cuda")
    assert (code, verdict) == (4, "unsupported")
    assert reason == "it is for CPUs (--device local-sync, local-task), not for cuda"


@pytest.mark.usefixtures("without_gpu")
def test_code_for_a_gpu_without_a_driver_has_a_short_reason(
    tiny: rc.Artifact, tmp_path: Path, cli: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu = for_target(tiny, device="cuda", name="cuda", architecture="sm_80", features=())
    code, verdict, reason = judge(gpu, tmp_path, capsys)
    assert (code, verdict) == (4, "unsupported")
    assert "no NVIDIA driver" in reason
    assert len(reason) < 80
    code, _, reason = judge(gpu, tmp_path, capsys, "--device", "local-sync")
    assert (code, reason) == (4, "it is for NVIDIA GPUs (--device cuda), not for local-sync")
    rc.runtime.Bundle((gpu,)).save(tmp_path / "bundle")
    assert "docker" not in cli("check", tmp_path / "bundle", "--device", "cuda", code=4).out


def test_an_unknown_device_is_refused(tiny: rc.Artifact, tmp_path: Path, cli: Any) -> None:
    path = tiny.save(tmp_path / "lstm.vmfb")
    assert "did you mean cuda://0?" in cli("check", path, "--device", "cuda:0", code=1).err


def test_the_exit_codes_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "0 for optimal and runs, 3 for recompile and 4 for unsupported" in text

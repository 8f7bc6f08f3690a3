"""Bundles: one folder for several machines, from which each selects its best artifact."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, DeviceError, InvalidArgumentError
from rnn_compiler.runtime.artifact import Artifact, Bundle, read_artifact
from rnn_compiler.runtime.device import cuda_driver, devices
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.manifest import TargetSpec


@pytest.fixture(scope="module")
def bundle(tiny_module: rc.Module) -> rc.Bundle:
    return rc.compile(tiny_module, ["cpu:generic", "cpu"])


@pytest.fixture
def saved(bundle: rc.Bundle, tmp_path: Path) -> Path:
    return bundle.save(tmp_path / "lstm")


def test_one_artifact_per_target_in_order(bundle: rc.Bundle, tiny: rc.Artifact) -> None:
    generic, native = bundle.artifacts
    assert generic.manifest.target.name == "cpu:generic"
    assert native == tiny


def test_what_is_saved_is_what_is_read(bundle: rc.Bundle, saved: Path) -> None:
    """Payloads by target, and one manifest that describes each."""
    names = ["cpu-generic.vmfb", "cpu.vmfb", "manifest.json"]
    assert sorted(path.name for path in saved.iterdir()) == names
    assert read_artifact(saved) == bundle
    rows = json.loads((saved / "manifest.json").read_text())["artifacts"]
    assert [row["file"] for row in rows] == ["cpu-generic.vmfb", "cpu.vmfb"]
    assert "--module=cpu-generic.vmfb" in rows[0]["run_commands"]["block_lstm_v2"]


def test_saving_again_replaces(bundle: rc.Bundle, saved: Path) -> None:
    bundle.save(saved)
    assert read_artifact(saved) == bundle


@pytest.fixture(scope="module")
def levels(tiny_module: rc.Module) -> rc.Bundle:
    """All levels of x86-64, which any machine can compile for."""
    if cpu_features.architecture() != "x86_64":
        pytest.skip("cross-compiling is not supported")
    return rc.compile(tiny_module, ["cpu:levels"])


def test_one_name_stands_for_all_levels(levels: rc.Bundle, tiny_module: rc.Module) -> None:
    names = [artifact.manifest.target.name for artifact in levels.artifacts]
    assert names == ["cpu:generic", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"]
    both = rc.compile(tiny_module, ["cpu:levels", "cpu"])
    assert [a.manifest.target.name for a in both.artifacts] == [*names, "cpu"]
    with pytest.raises(InvalidArgumentError, match="each target once"):
        rc.compile(tiny_module, ["cpu:x86-64-v2", "cpu:levels"])
    with pytest.raises(InvalidArgumentError, match=r"one target, .*\['cpu:levels'\] for a bundle"):
        rc.compile(tiny_module, "cpu:levels")


LEVELS = cpu_features.LEVELS["x86_64"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("features", "chosen"),
    [
        ((), "cpu:generic"),
        (("sse3", "ssse3", "popcnt"), "cpu:generic"),
        (LEVELS["x86-64-v2"], "cpu:x86-64-v2"),
        ((*LEVELS["x86-64-v2"], "avx", "avx2", "fma"), "cpu:x86-64-v2"),
        (LEVELS["x86-64-v3"], "cpu:x86-64-v3"),
        ((*LEVELS["x86-64-v3"], "aes", "avx512f"), "cpu:x86-64-v3"),
        ([name for name in LEVELS["x86-64-v4"] if name != "fma"], "cpu:x86-64-v2"),
        (LEVELS["x86-64-v4"], "cpu:x86-64-v4"),
        ((*LEVELS["x86-64-v4"], "avx512vnni", "aes"), "cpu:x86-64-v4"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} features",
)
def test_load_takes_the_highest_level_that_the_machine_has(
    levels: rc.Bundle,
    become: Callable[[Iterable[str]], None],
    features: Iterable[str],
    chosen: str,
    order: int,
) -> None:
    """All of it: one feature that is masked, and the level is not there. Order does not matter."""
    become(features)
    assert rc.runtime.load(Bundle(levels.artifacts[::order])).manifest.target.name == chosen


def test_load_takes_this_machine_itself_over_the_levels(bundle: rc.Bundle) -> None:
    for order in (1, -1):
        shuffled = Bundle(bundle.artifacts[::order])
        assert rc.runtime.load(shuffled).manifest.target.name == "cpu"


@pytest.mark.parametrize(
    ("lists", "chosen"),
    [
        (["avx avx2", "bmi bmi2 lzcnt"], 0),  # neither contains the other: the first
        (["bmi bmi2 lzcnt", "avx avx2"], 0),
        (["", "avx avx2", "bmi", "avx"], 1),
        (["avx", "bmi", "avx avx2"], 1),  # the first that is not beaten
        (["avx avx2", "avx2 avx"], 0),
        (["avx avx2 amx-tile", "bmi", "bmi bmi2"], 2),  # the first does not run here
    ],
)
def test_of_several_best_ones_the_first_is_taken(
    tiny: rc.Artifact,
    become: Callable[[Iterable[str]], None],
    lists: list[str],
    chosen: int,
) -> None:
    become(LEVELS["x86-64-v3"])
    artifacts = tuple(
        foreign(tiny, TargetSpec(f"cpu:{k}", "local", "x86_64", tuple(sorted(names.split()))))
        for k, names in enumerate(lists)
    )
    assert Bundle(artifacts).best_here("local", "bundle") is artifacts[chosen]


def for_gpus(tiny: rc.Artifact, names: str) -> Bundle:
    specs = [TargetSpec(f"cuda:{name}", "cuda", name, ()) for name in names.split()]
    return Bundle(tuple(foreign(tiny, spec) for spec in specs))


@pytest.mark.parametrize(
    ("names", "here", "chosen"),
    [
        ("sm_60 sm_80 sm_89", "sm_90", "sm_89"),
        ("sm_89 sm_60 sm_80", "sm_86", "sm_80"),
        ("sm_80 sm_60", "sm_75", "sm_60"),
        ("sm_60 sm_80", "sm_80", "sm_80"),
        ("sm_60 sm_89 sm_120", "sm_121", "sm_120"),  # a later one by number, not by its letters
        ("sm_120 sm_80", "sm_89", "sm_80"),
        ("sm_60 sm_80", None, "sm_80"),
    ],
)
def test_a_gpu_takes_the_latest_architecture_that_it_runs(
    tiny: rc.Artifact, names: str, here: str | None, chosen: str
) -> None:
    best = for_gpus(tiny, names).best_here("cuda", "bundle", here)
    assert best.manifest.target.architecture == chosen


def test_code_for_later_gpus_is_refused(tiny: rc.Artifact) -> None:
    bundle = for_gpus(tiny, "sm_80 sm_89")
    reason = "compiled for sm_89, this GPU is sm_75, .*recompile for cuda:sm_75"
    with pytest.raises(ArtifactError, match=f"one: {reason}"):
        bundle.artifacts[1].check_here("one", "sm_75")
    with pytest.raises(ArtifactError, match=f"nothing in this bundle.*cuda:sm_80: .*{reason}"):
        bundle.best_here("cuda", "bundle", "sm_75")


def test_load_asks_the_gpu(tiny: rc.Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which a CPU plays, and takes code for CPUs."""
    device = Device("local-sync")
    monkeypatch.setattr(device, "kind", "cuda")
    monkeypatch.setattr(device, "native", cuda_driver)
    monkeypatch.setitem(devices.open_devices, "cuda://3", device)
    monkeypatch.setattr(cuda_driver, "architecture", lambda _: "sm_86")
    program = rc.runtime.load(for_gpus(tiny, "sm_60 sm_89 sm_80"), "cuda://3")
    assert program.manifest.target.name == "cuda:sm_80"
    with pytest.raises(ArtifactError, match="compiled for sm_89, this GPU is sm_86"):
        rc.runtime.load(for_gpus(tiny, "sm_89").artifacts[0], "cuda://3")
    other = foreign(tiny, TargetSpec("vulkan", "vulkan", "vp_android_baseline_2022", ()))
    with pytest.raises(DeviceError, match=r"compiled for vulkan .* cannot run on 'local-sync'"):
        rc.runtime.load(other, "cuda://3")


def test_load_takes_a_folder(saved: Path) -> None:
    assert rc.runtime.load(saved).manifest.target.name == "cpu"
    assert rc.runtime.load(str(saved)).manifest.target.name == "cpu"


def foreign(artifact: rc.Artifact, target: TargetSpec) -> rc.Artifact:
    return Artifact(dataclasses.replace(artifact.manifest, target=target), artifact.payload)


def test_the_reasons_of_all_are_named_if_none_runs(tiny: rc.Artifact, tmp_path: Path) -> None:
    here = cpu_features.architecture()
    targets = (
        TargetSpec("cuda:sm_80", "cuda", "sm_80", ()),
        TargetSpec("cpu:avx99", "local", here, ("avx99",)),
        TargetSpec("cpu:there", "local", "riscv64", ()),
    )
    folder = Bundle(tuple(foreign(tiny, target) for target in targets)).save(tmp_path / "lstm")
    with pytest.raises(ArtifactError, match="nothing in this bundle runs here") as caught:
        rc.runtime.load(folder, "local-sync")
    for reason in (
        str(folder),
        "cuda:sm_80 is for a cuda device",
        "cpu:avx99: needs CPU features that this machine does not have: avx99",
        "cpu:there: compiled for riscv64",
    ):
        assert reason in str(caught.value)


def test_a_damaged_payload_is_refused(saved: Path) -> None:
    data = bytearray((saved / "cpu.vmfb").read_bytes())
    data[len(data) // 2] ^= 1
    (saved / "cpu.vmfb").write_bytes(data)
    with pytest.raises(ArtifactError, match="damaged"):
        rc.runtime.load(saved)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "damaged bundle manifest"),
        ("[]", "damaged bundle manifest"),
        ("{}", "damaged bundle manifest"),
        ("[" * 100_000, "damaged bundle manifest"),
        ('{"schema": 1, "artifacts": 5}', "damaged bundle manifest"),
        ('{"schema": 1, "artifacts": [5]}', "damaged bundle manifest"),
        ('{"schema": 1, "artifacts": [{}]}', "damaged bundle manifest"),
        ('{"schema": 1, "artifacts": [{"file": "cpu.vmfb"}]}', "not an rnn-compiler manifest"),
        ('{"schema": 1, "artifacts": [{"file": "no.vmfb"}]}', "missing from its bundle"),
        ('{"schema": 2, "artifacts": []}', "schema 2, this version reads 1"),
    ],
    ids=lambda value: f"{value:.40}",
)
def test_a_damaged_manifest_is_refused(saved: Path, text: str, message: str) -> None:
    (saved / "manifest.json").write_text(text)
    with pytest.raises(ArtifactError, match=message):
        rc.runtime.load(saved)


@pytest.mark.parametrize("escape", ["../secret.vmfb", "/etc/hostname", "..", ""])
def test_a_manifest_names_files_of_its_folder_only(
    saved: Path, tiny: rc.Artifact, escape: str
) -> None:
    tiny.save(saved.parent / "secret.vmfb")
    data = json.loads((saved / "manifest.json").read_text())
    data["artifacts"] = [data["artifacts"][1] | {"file": escape}]
    (saved / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(ArtifactError):
        rc.runtime.load(saved)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("cpu", "cpu"),
        ("cpu:x86-64-v3", "cpu-x86-64-v3"),
        ("cpu:avx2,fma", "cpu-avx2-fma"),
        ("cpu:../../x", "cpu-..-..-x"),
        ("cuda:sm_80", "cuda-sm_80"),
    ],
)
def test_payloads_are_named_after_their_target(name: str, slug: str) -> None:
    assert TargetSpec(name, "local", "x86_64", ()).slug == slug

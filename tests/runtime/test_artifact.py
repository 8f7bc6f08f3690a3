"""Artifacts: reading restores what was written, and nothing damaged or foreign reaches IREE."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import processes
import pytest
from model_import.bounds import bounded
from quick import only

import rnn_compiler as rc
from rnn_compiler.compilation import cache_key
from rnn_compiler.errors import ArtifactError, DeviceError
from rnn_compiler.runtime.artifact import IREE_VERSION, Artifact, read_artifact
from rnn_compiler.runtime.cache import ArtifactCache
from rnn_compiler.schema import cpu_features

Arrays = dict[str, npt.NDArray[Any]]


@pytest.fixture
def saved(artifact: rc.Artifact, tmp_path: Path) -> Path:
    return artifact.save(tmp_path / "lstm.vmfb")


@pytest.fixture
def _no_iree(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise AssertionError("the payload reached IREE")

    monkeypatch.setattr("rnn_compiler.runtime.Program", fail)
    monkeypatch.setattr("rnn_compiler.runtime.PAUSES", (0.0,))


def manifest_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def retargeted(artifact: rc.Artifact, **fields: Any) -> rc.Artifact:
    """The artifact, as if compiled for another target."""
    target = dataclasses.replace(artifact.manifest.target, **fields)
    return Artifact(dataclasses.replace(artifact.manifest, target=target), artifact.payload)


def test_what_is_saved_is_what_is_read(artifact: rc.Artifact, saved: Path) -> None:
    assert saved.read_bytes() == artifact.payload == artifact.to_bytes()
    assert sorted(p.name for p in saved.parent.iterdir()) == ["lstm.vmfb", "lstm.vmfb.json"]
    assert read_artifact(saved) == read_artifact(str(saved)) == artifact


def test_the_payload_holds_no_source_locations(artifact: rc.Artifact) -> None:
    """They help while compiling; then they would only make it larger."""
    assert b"rnn_compiler.op" in artifact.payload
    assert b"BlockLSTMV2: " not in artifact.payload


def test_saving_replaces_what_was_there(
    artifact: rc.Artifact, tiny: rc.Artifact, saved: Path
) -> None:
    tiny.save(saved)
    assert read_artifact(saved) == tiny != artifact
    assert len(list(saved.parent.iterdir())) == 2


def test_saving_where_it_cannot_leaves_nothing(artifact: rc.Artifact, tmp_path: Path) -> None:
    (tmp_path / "lstm.vmfb.json").mkdir()
    with pytest.raises(OSError, match=r"lstm\.vmfb\.json"):
        artifact.save(tmp_path / "lstm.vmfb")
    assert [path.name for path in tmp_path.iterdir()] == ["lstm.vmfb.json"]
    with pytest.raises(FileNotFoundError):
        artifact.save(tmp_path / "missing" / "lstm.vmfb")
    with pytest.raises(IsADirectoryError):
        artifact.save(".")


def test_the_manifest_says_everything(artifact: rc.Artifact, saved: Path) -> None:
    data = json.loads(manifest_path(saved).read_text())
    forward, backward = data["functions"]
    assert (forward["op"], forward["function"]) == ("BlockLSTMV2", "block_lstm_v2")
    assert (backward["op"], backward["function"]) == ("BlockLSTMGradV2", "block_lstm_grad_v2")
    assert forward["dtype"] == "float32"
    assert forward["attributes"] == {"cell_clip": 0.0, "use_peephole": True}
    dims = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
    assert forward["dims"] == backward["dims"] == dims
    assert {t["name"]: (t["dtype"], t["shape"]) for t in forward["arguments"]} == {
        "seq_len_max": ("int64", []),
        "x": ("float32", [3, 2, 4]),
        "cs_prev": ("float32", [2, 5]),
        "h_prev": ("float32", [2, 5]),
        "w": ("float32", [9, 20]),
        "wci": ("float32", [5]),
        "wcf": ("float32", [5]),
        "wco": ("float32", [5]),
        "b": ("float32", [20]),
    }
    assert [t["name"] for t in forward["results"]] == ["i", "cs", "f", "o", "ci", "co", "h"]
    assert data["target"] == {
        "name": "cpu",
        "device": "local",
        "architecture": cpu_features.architecture(),
        "features": list(cpu_features.host_features()),
    }
    assert data["strategy"]
    assert data["schema"] == 1
    assert data["compiler_version"] == metadata.version("iree-base-compiler")
    assert data["package_version"] == metadata.version("rnn-compiler")
    assert data["payload_sha256"] == hashlib.sha256(saved.read_bytes()).hexdigest()
    assert data["payload_size"] == saved.stat().st_size
    assert data["run_commands"].keys() == {"block_lstm_v2", "block_lstm_grad_v2"}


def test_the_manifest_names_its_module(artifact: rc.Artifact) -> None:
    """By the digest of the portable text, which anybody can compute from `rc.build`."""
    dims = artifact.manifest.functions[0].dims
    text = str(rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], use_peephole=True, **dims))
    assert artifact.manifest.module_sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_run_commands_run(saved: Path, iree_tools: Path) -> None:
    """As they are, in the folder of the artifact; zeros in give zeros out."""
    commands = json.loads(manifest_path(saved).read_text())["run_commands"]
    for function, command in commands.items():
        name, *rest = shlex.split(command)
        assert name == "iree-run-module"
        done = processes.run(iree_tools / name, *rest, cwd=saved.parent)
        assert done.stdout.startswith(f"EXEC @{function}\n")


@pytest.mark.parametrize("function", ["block_lstm_v2", "block_lstm_grad_v2"])
def test_iree_run_module_gives_the_same_numbers(
    function: str, saved: Path, iree_tools: Path, forward: Arrays, backward: Arrays
) -> None:
    """To the bit: the payload is the whole program, Python adds nothing to it."""
    arguments = forward if function == "block_lstm_v2" else backward
    expected = getattr(rc.runtime.load(saved), function)(**arguments)
    folder = saved.parent
    for name, array in arguments.items():
        np.save(folder / f"{name}.npy", array)
    command = [
        iree_tools / "iree-run-module",
        f"--module={saved.name}",
        "--device=local-sync",
        f"--function={function}",
        *(f"--input=@{name}.npy" for name in arguments),
        *(f"--output=@out_{name}.npy" for name in expected._fields),
    ]
    processes.run(*command, cwd=folder)
    for name, array in expected._asdict().items():
        np.testing.assert_array_equal(np.load(folder / f"out_{name}.npy"), array)
        assert np.any(array != 0), f"{name} proves nothing"


@pytest.mark.slow
def test_modules_of_two_names_run_together(tmp_path: Path, iree_tools: Path) -> None:
    """IREE identifies a function by its module's name and its own."""
    sizes = {"seq_length": 0, "batch_size": 1, "input_size": 1, "num_units": 1, "outputs": ["h"]}
    for name in ("speech", "text"):
        module = rc.build("BlockLSTMV2", **sizes, function="encoder", name=name)
        rc.compile(module).save(tmp_path / f"{name}.vmfb")
    manifest = read_artifact(tmp_path / "speech.vmfb").manifest
    assert manifest.name == "speech"
    tool, module, *rest = shlex.split(manifest.run_command(manifest.functions[0], "speech.vmfb"))
    done = processes.run(iree_tools / tool, "--module=text.vmfb", module, *rest, cwd=tmp_path)
    assert done.stdout.startswith("EXEC @encoder\n")


def test_load_takes_paths_and_artifacts(
    artifact: rc.Artifact, saved: Path, forward: Arrays
) -> None:
    """Also one that was never saved."""
    results = [
        rc.runtime.load(source).block_lstm_v2(**forward).h
        for source in (artifact, saved, str(saved))
    ]
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def damaged(data: bytes, count: int) -> Iterator[bytes]:
    """Copies with one bit flipped, and with the end missing or something added."""
    rng = random.Random(0)
    for _ in range(count):
        position, bit = rng.randrange(len(data)), rng.randrange(8)
        yield data[:position] + bytes([data[position] ^ 1 << bit]) + data[position + 1 :]
    for size in (0, 1, len(data) // 2, len(data) - 1):
        yield data[:size]
    yield data + b"\0"
    yield bytes(len(data))


@pytest.mark.usefixtures("_no_iree")
def test_a_damaged_payload_is_refused(artifact: rc.Artifact, saved: Path) -> None:
    """IREE itself runs it, with wrong numbers or a crash."""
    for payload in damaged(artifact.payload, 60):
        saved.write_bytes(payload)
        with pytest.raises(ArtifactError, match=r"lstm\.vmfb: damaged: its sha256 is") as caught:
            rc.runtime.load(saved)
        assert artifact.manifest.payload_sha256[:16] in str(caught.value)


@pytest.mark.usefixtures("_no_iree")
def test_the_manifest_of_another_payload_is_refused(tiny: rc.Artifact, saved: Path) -> None:
    manifest_path(saved).write_bytes(json.dumps(tiny.manifest.to_json()).encode())
    with pytest.raises(ArtifactError, match="damaged"):
        rc.runtime.load(saved)


def test_no_damage_to_a_manifest_goes_unnoticed(artifact: rc.Artifact, saved: Path) -> None:
    """A flipped bit in a shape, a name or a feature would give garbage, or the wrong result.

    What is left is only damage that changes nothing: in white space, or in the command lines.
    """
    data = manifest_path(saved).read_bytes()
    unnoticed: list[str] = []
    for text in damaged(data, 600):
        manifest_path(saved).write_bytes(text)
        try:
            manifest = rc.runtime.read_artifact(saved).manifest
        except ArtifactError:
            continue
        if manifest != artifact.manifest:
            position = next(k for k in range(len(data)) if text[k] != data[k])
            unnoticed.append(repr(text[max(position - 20, 0) : position + 20]))
    assert unnoticed == [], f"{len(unnoticed)} go unnoticed"


def fields(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of a manifest's fields, of long lists only the first two items."""
    if path and path[0] != "run_commands":
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data[:2])
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from fields(value, (*path, key))
        elif path[:1] != ("run_commands",):
            yield (*path, key)


@pytest.mark.parametrize(
    "wrong", only(["missing", None, 7, -1, "x", [], {}, ["x"]], "missing", 7, []), ids=repr
)
def test_a_manifest_with_a_wrong_field_is_refused(
    artifact: rc.Artifact, saved: Path, wrong: object
) -> None:
    """Loading reports any wrong field, and does nothing else."""
    text = manifest_path(saved).read_text()
    accepted: list[str] = []
    for path in fields(json.loads(text)):
        data = json.loads(text)
        place = data
        for key in path[:-1]:
            place = place[key]
        if place[path[-1]] == wrong:
            continue
        if wrong == "missing":
            del place[path[-1]]
        else:
            place[path[-1]] = wrong
        manifest_path(saved).write_text(json.dumps(data))
        try:
            rc.runtime.load(saved)
        except ArtifactError:
            continue
        except Exception as error:
            accepted.append(f"{path}: {error!r}")
        else:
            accepted.append(f"{path}: loads")
    assert accepted == []


@pytest.mark.usefixtures("_no_iree")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON|damaged"),
        (b"null", "not an rnn-compiler manifest"),
        (b"[]", "not an rnn-compiler manifest"),
        (b"{}", "not an rnn-compiler manifest"),
        (b'"schema"', "not an rnn-compiler manifest"),
        (b'{"schema": 2}', "manifest schema 2, this version reads 1: recompile"),
        (b'{"schema": 0}', "manifest schema 0"),
        (b'{"schema": "1"}', "manifest schema"),
        (b'{"schema": 1}', "damaged manifest"),
        (b'{"schema": 1, "functions": 5, "target": {}}', "damaged manifest"),
    ],
    ids=lambda value: f"{value!r:.24}",
)
def test_what_is_no_manifest(saved: Path, text: bytes, message: str) -> None:
    manifest_path(saved).write_bytes(text)
    with pytest.raises(ArtifactError, match=message) as caught:
        rc.runtime.load(saved)
    assert str(manifest_path(saved)) in str(caught.value)


@pytest.mark.usefixtures("_no_iree")
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("compiler_version", "9.9.0", "compiled with IREE 9.9, but this runtime is "),
        ("architecture", "riscv64", "compiled for riscv64, this machine is "),
        ("features", ["avx1024"], "this machine does not have: avx1024"),
        ("strategy", "portable", ""),
        ("features", [[]], ""),
    ],
)
@pytest.mark.parametrize("bundled", [False, True])
def test_what_an_altered_manifest_is_for_is_named(
    tiny: rc.Artifact, tmp_path: Path, field: str, value: object, message: str, bundled: bool
) -> None:
    """It is refused in any case; the cause may be that it would not run here either."""
    path = (rc.runtime.Bundle((tiny,)) if bundled else tiny).save(tmp_path / "lstm")
    file = path / "manifest.json" if bundled else manifest_path(path)
    data = json.loads(file.read_text())
    row = data["artifacts"][0] if bundled else data
    (row if field in row else row["target"])[field] = value
    file.write_text(json.dumps(data))
    with pytest.raises(ArtifactError, match="damaged manifest") as caught:
        rc.runtime.load(path)
    end = "(changed after it was written)"
    assert message in str(caught.value).partition(end)[2]
    assert message or str(caught.value).endswith(end)


@pytest.mark.usefixtures("_no_iree")
def test_both_files_are_needed(saved: Path) -> None:
    manifest_path(saved).unlink()
    with pytest.raises(
        ArtifactError, match=r"lstm\.vmfb: not an artifact, or its manifest is missing"
    ):
        rc.runtime.load(saved)
    saved.unlink()
    with pytest.raises(ArtifactError, match=r"lstm\.vmfb: no such artifact"):
        rc.runtime.load(saved)
    saved.mkdir()
    with pytest.raises(
        ArtifactError, match=r"lstm\.vmfb: not a bundle: it contains no manifest\.json"
    ):
        rc.runtime.load(saved)


@pytest.mark.usefixtures("_no_iree")
def test_a_file_that_cannot_be_read(saved: Path) -> None:
    manifest_path(saved).unlink()
    manifest_path(saved).mkdir()
    with pytest.raises(ArtifactError, match=r"vmfb\.json: cannot be read \(Is a directory\)"):
        rc.runtime.load(saved)


@pytest.mark.usefixtures("_no_iree")
@pytest.mark.parametrize("missing", [["amx-tile"], ["avx99", "zmm9"]])
def test_missing_cpu_features_are_named(
    artifact: rc.Artifact, tmp_path: Path, missing: list[str]
) -> None:
    """Instead of the SIGILL that IREE would die of."""
    features = tuple(sorted([*artifact.manifest.target.features, *missing]))
    foreign = retargeted(artifact, features=features)
    assert foreign.missing_features() == missing
    names = ", ".join(missing)
    message = f"needs CPU features that this machine does not have: {names}; recompile here"
    with pytest.raises(ArtifactError, match=message):
        rc.runtime.load(foreign)
    with pytest.raises(ArtifactError, match=rf"lstm\.vmfb: {message}"):
        rc.runtime.load(foreign.save(tmp_path / "lstm.vmfb"))


@pytest.mark.usefixtures("_no_iree")
def test_another_architecture_is_named(artifact: rc.Artifact) -> None:
    foreign = retargeted(artifact, architecture="riscv64")
    message = r"compiled for riscv64, this machine is .*: recompile for cpu, or load it on riscv64"
    with pytest.raises(ArtifactError, match=message):
        rc.runtime.load(foreign)


@pytest.mark.usefixtures("_no_iree")
def test_a_baseline_is_no_requirement(
    artifact: rc.Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Artifacts that list it were made by earlier versions; no list of a machine's has it."""
    monkeypatch.setattr(cpu_features, "architecture", lambda: "aarch64")
    monkeypatch.setattr(cpu_features, "host_features", lambda: ("dotprod",))
    there = retargeted(artifact, architecture="aarch64", features=("dotprod", "neon"))
    there.check_here("there")
    lesser = retargeted(artifact, architecture="aarch64", features=("lse", "neon"))
    assert lesser.missing_features() == ["lse"]


@pytest.mark.skipif(cpu_features.architecture() != "x86_64", reason="levels of x86-64")
def test_a_lesser_machine_refuses_by_name(
    tiny_module: rc.Module, become: Callable[[Iterable[str]], None]
) -> None:
    """AVX-512 code on a machine whose kernel does not report it, whatever the CPU's name."""
    levels = cpu_features.LEVELS["x86_64"]
    artifact = rc.compile(tiny_module, "cpu:x86-64-v4")
    rc.compile(tiny_module, "cpu:x86-64-v3")
    become(levels["x86-64-v3"])
    missing = ", ".join(sorted(set(levels["x86-64-v4"]) - set(levels["x86-64-v3"])))
    with pytest.raises(ArtifactError, match=f"does not have: {missing}; recompile here"):
        rc.runtime.load(artifact)
    become(levels["x86-64-v4"])
    rc.runtime.load(artifact)
    rc.runtime.load(rc.compile(tiny_module, "cpu:x86-64-v3"))


@pytest.mark.slow
def test_infinite_attributes_are_json(tmp_path: Path) -> None:
    """Which has no infinite numbers; they come back as they were."""

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    sizes = {"batch_size": 1, "input_size": 1, "num_units": 1}
    module = rc.build("LSTMBlockCell", forget_bias=float("-inf"), cell_clip=float("inf"), **sizes)
    artifact = rc.compile(module, "cpu")
    path = artifact.save(tmp_path / "cell.vmfb")
    data = json.loads(manifest_path(path).read_text(), parse_constant=refuse)
    attributes = data["functions"][0]["attributes"]
    assert (attributes["forget_bias"], attributes["cell_clip"]) == ("-inf", "inf")
    assert read_artifact(path) == artifact
    assert artifact.manifest.functions[0].attributes["cell_clip"] == float("inf")
    assert b"Infinity" not in artifact.payload
    header = ArtifactCache.from_environment().path(cache_key(module, artifact.manifest.target))
    assert b"Infinity" not in header.read_bytes()


def test_a_machine_with_more_features_is_fine(
    artifact: rc.Artifact, monkeypatch: pytest.MonkeyPatch, forward: Arrays
) -> None:
    more = (*cpu_features.host_features(), "avx99")
    monkeypatch.setattr(cpu_features, "host_features", lambda: more)
    assert rc.runtime.load(artifact).block_lstm_v2(**forward).h.shape == (3, 2, 5)


def test_this_machine_takes_its_own_artifact(artifact: rc.Artifact) -> None:
    assert artifact.missing_features() == []
    artifact.check_here("here")
    artifact.verify("here")


def test_an_artifact_for_another_kind_of_device(artifact: rc.Artifact) -> None:
    foreign = retargeted(artifact, device="cuda", name="cuda:sm_80")
    with pytest.raises(
        DeviceError, match=r"compiled for cuda:sm_80 .*, cannot run on 'local-sync'"
    ):
        rc.runtime.load(foreign, device="local-sync")


@pytest.mark.usefixtures("_no_iree")
@pytest.mark.parametrize("version", ["3.12.0", "3.14.0rc20261101", "4.13.0", "3.1.3"])
def test_another_version_of_iree_is_named_with_the_remedy(
    artifact: rc.Artifact, tmp_path: Path, version: str
) -> None:
    """Modules do not carry over, not even silently."""
    made = re.match(r"\d+\.\d+", version)[0]  # type: ignore[index]
    here = re.match(r"\d+\.\d+", IREE_VERSION)[0]  # type: ignore[index]
    manifest = dataclasses.replace(artifact.manifest, compiler_version=version)
    path = Artifact(manifest, artifact.payload).save(tmp_path / "lstm.vmfb")
    with pytest.raises(ArtifactError) as caught:
        rc.runtime.load(path)
    assert str(caught.value) == (
        f"{path}: compiled with IREE {made}, but this runtime is {here}, and each runs only its "
        f"own modules: recompile with iree-base-compiler=={here}.*, or install "
        f"iree-base-runtime=={made}.*"
    )


def test_another_patch_of_iree_is_fine(artifact: rc.Artifact, forward: Arrays) -> None:
    manifest = dataclasses.replace(
        artifact.manifest, compiler_version=f"{'.'.join(IREE_VERSION.split('.')[:2])}.99"
    )
    rc.runtime.load(Artifact(manifest, artifact.payload)).block_lstm_v2(**forward)


def test_what_iree_does_not_take_is_named_with_both_versions(artifact: rc.Artifact) -> None:
    """Whatever its manifest states."""
    payload = b"not a module"
    manifest = dataclasses.replace(
        artifact.manifest,
        payload_sha256=hashlib.sha256(payload).hexdigest(),
        payload_size=len(payload),
    )
    compiler = artifact.manifest.compiler_version
    message = rf"runtime {IREE_VERSION} rejects the .* compiled with {compiler}: "
    with pytest.raises(ArtifactError, match=message):
        rc.runtime.load(Artifact(manifest, payload))


def test_a_function_that_is_not_in_the_module(artifact: rc.Artifact) -> None:
    first, second = artifact.manifest.functions
    wrong = dataclasses.replace(second, function="nope")
    manifest = dataclasses.replace(artifact.manifest, functions=(first, wrong))
    message = r"no function 'nope' that its manifest names; it has block_lstm_v2, block_lstm_grad"
    with pytest.raises(ArtifactError, match=message):
        rc.runtime.load(Artifact(manifest, artifact.payload))


@pytest.mark.parametrize("shape", [(1000, 2, 5), (3, 2, 4), (3, 2), (6, 5)])
def test_results_that_are_not_what_the_manifest_says(
    artifact: rc.Artifact, forward: Arrays, shape: tuple[int, ...]
) -> None:
    """A result must not be read beyond its end, nor as something that it is not."""
    spec, other = artifact.manifest.functions
    results = (dataclasses.replace(spec.results[0], shape=shape), *spec.results[1:])
    functions = (dataclasses.replace(spec, results=results), other)
    manifest = dataclasses.replace(artifact.manifest, functions=functions)
    with pytest.raises(ArtifactError):
        rc.runtime.load(Artifact(manifest, artifact.payload)).block_lstm_v2(**forward)


def test_repr_says_what_it_is(artifact: rc.Artifact) -> None:
    size = len(artifact.payload)
    assert repr(artifact) == f"Artifact(block_lstm_v2, block_lstm_grad_v2 for cpu, {size} bytes)"


def test_a_manifest_that_does_not_say_what_is_batched_still_loads(
    artifact: rc.Artifact, saved: Path
) -> None:
    """As the first ones did not: then the formulas tell."""
    data = json.loads(manifest_path(saved).read_text())
    for tensor in (t for f in data["functions"] for t in f["arguments"] + f["results"]):
        del tensor["batched"]
    stored = {k: v for k, v in data.items() if k not in ("run_commands", "manifest_sha256")}
    text = json.dumps(stored, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    manifest_path(saved).write_text(json.dumps({**stored, "manifest_sha256": digest}))
    assert rc.runtime.load(saved).manifest == artifact.manifest


@pytest.mark.slow
def test_a_file_larger_than_memory(tmp_path: Path) -> None:
    """Sparse, so that it takes no room on the disk."""
    path = tmp_path / "huge.vmfb"
    with path.open("wb") as file:
        file.truncate(64 << 30)
    with bounded(), pytest.raises(ArtifactError, match="larger than the free memory"):
        rc.runtime.load(path)
    with bounded(), pytest.raises(OSError, match="larger than the free memory"):
        rc.link(path)

"""Targets and devices named ``cuda``, also on machines without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cases import sizes
from errors.expect import invalid_argument
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.chosen_target import current_device
from rnn_compiler.errors import DeviceError
from rnn_compiler.lowering.targets.gpu import ARCHITECTURES
from rnn_compiler.lowering.targets.names import compiler_flags, resolve_target
from rnn_compiler.runtime.device import devices
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.schema.manifest import Manifest

CELL = module("LSTMBlockCell", "float32", sizes(1, 2, 3, 4))


@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("cuda", "sm_80"),
        ("cuda:sm_86", "sm_86"),
        ("cuda:a100", "sm_80"),
        ("cuda:rtx4090", "sm_89"),
        # IREE has no code for these (tests/traps/test_cuda_targets.py); PTX for an earlier
        # architecture runs there.
        ("cuda:sm_90a", "sm_80"),
        ("cuda:h100", "sm_80"),
        ("cuda:hopper", "sm_80"),
        ("cuda:b200", "sm_80"),
        ("cuda:rtx5090", "sm_120"),
        # Nor all code for these.
        ("cuda:sm_75", "sm_60"),
        ("cuda:t4", "sm_60"),
        ("cuda:v100", "sm_60"),
    ],
)
def test_a_gpu_gets_code_that_it_runs(name: str, architecture: str) -> None:
    target = resolve_target(name)
    assert (target.name, target.device, target.architecture) == (name, "cuda", architecture)
    assert f"--iree-cuda-target={architecture}" in compiler_flags(target)


def test_no_name_is_ambiguous() -> None:
    names = [name for names in ARCHITECTURES.values() for name in names]
    assert len(names) == len(set(names))
    assert not set(names) & set(ARCHITECTURES)


def test_ptx_runs_on_the_same_architecture_or_a_later_one() -> None:
    """Of names that are architectures themselves."""
    for architecture, names in ARCHITECTURES.items():
        for name in names:
            if name.startswith("sm_"):
                assert int(name[3:].rstrip("a")) > int(architecture[3:])


@pytest.mark.parametrize("name", ["cuda:", "cuda:sm_50", "cuda:k80", "cuda:80", "cuda:SM_80"])
def test_other_names_never_reach_the_compiler(name: str) -> None:
    with invalid_argument("compile", "target", "cuda:sm_60, cuda:sm_80, ", repr(name)):
        rc.compile(CELL, name)


def test_unknown_targets_list_these() -> None:
    with invalid_argument("compile", "target", "cuda, cuda:sm_60", "'gpu'"):
        rc.compile(CELL, "gpu")


@pytest.mark.slow
def test_a_bundle_for_cpu_and_gpu(tmp_path: Path) -> None:
    """Here it runs on the CPU."""
    rc.compile(CELL, ["cpu", "cuda:h100"]).save(tmp_path / "cell")
    assert (tmp_path / "cell" / "cuda-h100.vmfb").exists()
    program = rc.runtime.load(tmp_path / "cell", device="local-sync")
    assert program.manifest.target.name == "cpu"


@pytest.mark.slow
def test_command_line(tmp_path: Path, cli: Any) -> None:
    """`inspect` shows the requested target and the compiled one."""
    path = tmp_path / "cell.vmfb"
    dims = "--dim=batch_size=2,input_size=3,num_units=4"
    assert "sm_80" in cli("compile", "LSTMBlockCell", dims, "--target", "cuda:h100", "-o", path).out
    manifest = Manifest.from_json(json.loads((tmp_path / "cell.vmfb.json").read_text()))
    assert (manifest.target.architecture, manifest.strategy) == ("sm_80", "pinned")
    shown = cli("inspect", path).out
    assert "cuda:h100 (sm_80, device cuda)" in shown
    assert "PTX for sm_80: NVIDIA GPUs of this architecture and of later ones" in shown
    assert "--device=cuda" in shown
    assert all(op["targets"] == ["cpu", "cuda"] for op in json.loads(cli("ops", "--json").out))


def test_the_device_follows_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    with rc.target("cuda:sm_80"):
        assert current_device() == "cuda"
        monkeypatch.setenv("RNN_COMPILER_DEVICE", "cuda://1")
        assert current_device() == "cuda://1"


@pytest.mark.slow
@pytest.mark.usefixtures("without_gpu")
def test_without_a_driver_the_remedy_is_named() -> None:
    artifact = rc.compile(CELL, "cuda")
    for load in (
        lambda: rc.runtime.load(artifact),
        lambda: rc.runtime.load(artifact, device="cuda://1"),
        lambda: rc.target("cuda", device="cuda").__enter__(),
    ):
        with pytest.raises(DeviceError, match=r"'cuda.*could not be opened.*NVIDIA's driver.*--gp"):
            load()


def test_gpus_that_are_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Driver:
        def create_device_by_uri(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("NOT_FOUND; no such device")

        def query_available_devices(self) -> list[dict[str, str]]:
            return [{"name": "NVIDIA T4"}, {"name": "NVIDIA L4"}]

    monkeypatch.setattr(devices.iree, "get_driver", lambda _: Driver())
    expected = r"'cuda://7' could not be opened: NOT_FOUND.*cuda://0 \(NVIDIA T4\), cuda://1 \(NVI"
    with pytest.raises(DeviceError, match=expected):
        get_device("cuda://7")


@pytest.mark.slow
def test_bfloat16_is_copied_from_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU plays a device whose memory the host cannot read."""
    numbers = np.array([[1.5, -2.0], [0.25, 3.0]], ml_dtypes.bfloat16)
    array = rc.runtime.load(rc.compile(CELL, "cpu"), device="local-sync").to_device(numbers)
    monkeypatch.setattr(array.device, "kind", "cuda")
    assert array.map().dtype == numbers.dtype
    assert np.array_equal(array.map(), numbers)

"""Devices: opened once, chosen by argument, context or environment, and named when missing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rnn_compiler as rc
from rnn_compiler.chosen_target import current_device, current_target
from rnn_compiler.errors import DeviceError, InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.op_calls import OpCall
from rnn_compiler.runtime.device.devices import Device, get_device
from rnn_compiler.schema.specs import TensorSpec


@pytest.mark.parametrize("device", ["local-sync", "local-task", "local-sync://"])
def test_devices_are_opened_once(device: str) -> None:
    assert get_device(device) is get_device(device)
    assert get_device(device).kind == "local"


@pytest.mark.parametrize(
    "device", ["nope", "cpu", "LOCAL-SYNC", "local-sync:", "hip", "://", "\0", "local"]
)
def test_unknown_drivers_are_named_with_those_there_are(tiny: rc.Artifact, device: str) -> None:
    with pytest.raises(DeviceError) as caught:
        rc.runtime.load(tiny, device)
    expected = f"no device {device!r}: expected one of local-sync, local-task, cuda, vulkan"
    assert str(caught.value).partition("; did you mean")[0] == expected


@pytest.mark.parametrize(
    ("device", "meant"),
    [
        ("cuda:0", "cuda://0"),
        ("cuda:/1", "cuda://1"),
        ("GPU:2", "cuda://2"),
        ("gpu", "cuda"),
        ("CUDA", "cuda"),
        ("cpu", "local-task"),
        ("local_task", "local-task"),
        ("locl-sync", "local-sync"),
    ],
)
def test_the_device_that_was_meant_is_named(device: str, meant: str) -> None:
    with pytest.raises(DeviceError) as caught:
        get_device(device)
    assert str(caught.value).endswith(f"; did you mean {meant}?")


@pytest.mark.parametrize(
    ("device", "reason"),
    [
        ("local-sync://5", ".*drivers in this IREE runtime: .*local-sync"),
        ("local-task://x", ".*drivers in this IREE runtime: .*local-sync"),
        ("cuda://no-such-gpu", r"(no NVIDIA driver on this machine \(libcuda|.*drivers in this)"),
    ],
)
def test_devices_that_cannot_be_opened(tiny: rc.Artifact, device: str, reason: str) -> None:
    """A driver without a machine to run on, or a device that the driver does not have."""
    with pytest.raises(
        DeviceError, match=rf"^device '{device}' could not be opened: {reason}"
    ) as e:
        rc.runtime.load(tiny, device)
    assert e.value.reason in str(e.value)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize(("size", "kept"), [("0", False), ("1M", True)])
def test_freed_buffers_are_kept_up_to_a_size(
    size: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_POOL_MAX_SIZE", size)
    device = Device("local-sync")

    def freed() -> int:
        statistics = device.hal.allocator.statistics
        return statistics["host_bytes_freed"] + statistics["device_bytes_freed"]

    before = freed()
    spec = TensorSpec("x", "float32", (1 << 14,))
    for _ in range(3):
        held = device.put(np.zeros(spec.shape, np.float32), spec)
    del held
    assert (freed() == before) == kept


def test_the_size_to_keep_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_POOL_MAX_SIZE", "much")
    with pytest.raises(InvalidArgumentError, match=r"RNN_COMPILER_POOL_MAX_SIZE.*'much'"):
        Device("local-sync")


def test_the_default_device(tiny: rc.Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RNN_COMPILER_DEVICE", raising=False)
    assert rc.runtime.load(tiny).device is get_device("local-sync")
    monkeypatch.setenv("RNN_COMPILER_DEVICE", "local-task")
    assert rc.runtime.load(tiny).device is get_device("local-task")
    assert rc.runtime.load(tiny, "local-sync").device is get_device("local-sync")
    monkeypatch.setenv("RNN_COMPILER_DEVICE", "nope")
    with pytest.raises(DeviceError, match="no device 'nope'"):
        rc.runtime.load(tiny)


def test_target_is_for_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """The inner block takes precedence over the outer one, and that over the environment."""
    monkeypatch.delenv("RNN_COMPILER_TARGET", raising=False)
    monkeypatch.delenv("RNN_COMPILER_DEVICE", raising=False)
    assert (current_target(), current_device()) == ("cpu", "local-sync")
    monkeypatch.setenv("RNN_COMPILER_TARGET", "cpu:generic")
    monkeypatch.setenv("RNN_COMPILER_DEVICE", "local-task")
    assert (current_target(), current_device()) == ("cpu:generic", "local-task")
    with rc.target("cpu", device="local-sync"):
        assert (current_target(), current_device()) == ("cpu", "local-sync")
        with rc.target("cpu:generic"):
            assert (current_target(), current_device()) == ("cpu:generic", "local-sync")
        with pytest.raises(RuntimeError, match="leave"), rc.target("cpu:generic", "local-task"):
            raise RuntimeError("leave")
        assert (current_target(), current_device()) == ("cpu", "local-sync")
    assert (current_target(), current_device()) == ("cpu:generic", "local-task")


def test_raw_ops_run_where_target_says(
    monkeypatch: pytest.MonkeyPatch, forward: dict[str, npt.NDArray[Any]]
) -> None:
    """Loaded modules are also cached by the target and device."""
    seen: list[tuple[str, str]] = []

    class Loaded:
        def __init__(self, target: str, device: str, *, prepack: bool) -> None:
            assert not prepack  # or calls of many sizes would keep many copies of their weights
            self.functions = {"block_lstm_v2": self}
            self.where = (target, device)
            self.spec = SimpleNamespace(results=["h"])

        def __call__(self, **_: object) -> tuple[None]:
            seen.append(self.where)
            return (None,)

    monkeypatch.setattr("rnn_compiler.op_calls.compile", lambda module, target: target)
    monkeypatch.setattr("rnn_compiler.op_calls.load", Loaded)
    call = OpCall(OPS["BlockLSTMV2"].signature)
    call(**forward)
    with rc.target("cpu:generic", device="local-task"):
        call(**forward)
    with rc.target("cpu:generic"):
        call(**forward)
    assert seen == [
        ("cpu", "local-sync"),
        ("cpu:generic", "local-task"),
        ("cpu:generic", "local-sync"),
    ]

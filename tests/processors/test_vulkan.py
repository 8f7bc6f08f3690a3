"""Code for Vulkan, on any driver that is here: on a machine without a GPU, Mesa's lavapipe.

With lavapipe 22.3, IREE 3.13 loses the device now and then, in one of some hundred calls: an error,
and never a wrong number. `persistent` opens it again.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from c.test_goldens import FIRST, GOLDENS
from goldens.golden import Golden
from numeric.harness import module, renamed
from processors.test_aarch64 import cases

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.errors import DeviceError, InvalidArgumentError, UnsupportedError
from rnn_compiler.runtime.device.devices import get_device, open_devices


def driver() -> str:
    """Why Vulkan does not work here; nothing if it does."""
    try:
        get_device("vulkan")
    except DeviceError as error:
        return error.reason
    return ""


needs_driver = pytest.mark.skipif(bool(driver()), reason=driver() or "there is one")

OTHERS = [each for each in GOLDENS if each.dtype == "float32" and each not in FIRST]


def persistent(work: Callable[[], None]) -> None:
    """Does some work, again if the device was lost."""
    for _ in range(12):
        try:
            return work()
        except DeviceError as error:
            if "VK_ERROR_DEVICE_LOST" not in str(error):
                raise
            open_devices.pop("vulkan", None)
    raise AssertionError("the device is always lost")


def check(goldens: list[Golden]) -> None:
    """Compares what functions give, one for each golden file, with the files' results."""
    parts = [module(golden.op, "float32", golden.variant) for golden in goldens]
    artifact = rc.compile(renamed(*parts), "vulkan")

    def run() -> None:
        program = rc.runtime.load(artifact)
        assert program.device.uri == "vulkan"
        for number, golden in enumerate(goldens):
            results = program.functions[f"case_{number}"](**golden.inputs)
            golden.assert_matches(results._asdict())

    persistent(run)


@needs_driver
@pytest.mark.slow
def test_each_op() -> None:
    check([golden for golden in FIRST if golden.dtype == "float32"])


@needs_driver
@pytest.mark.slow
def test_layers_and_their_gradients() -> None:
    """Those of CudnnRNN, whose host_reserved is int8."""
    check(cases("float32"))


@needs_driver
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, len(OTHERS), 12))
def test_every_golden(start: int) -> None:
    check(OTHERS[start : start + 12])


SIZES = {"seq_length": 3, "batch_size": 1, "input_size": 4, "num_units": 5}


def gru(dtype: str = "float32") -> rc.Module:
    return rc.build(
        "CudnnRNNV3",
        rnn_mode="gru",
        num_layers=1,
        is_training=False,
        dtype=dtype,
        outputs=("output", "output_h"),
        **SIZES,
    )


@needs_driver
def test_frozen_weights_and_streams(tmp_path: Path) -> None:
    """Saved, loaded, results on the device, in chunks: as on a CPU."""
    built = gru()
    (params,) = (each for each in built.functions[0].arguments if each.name == "params")
    rng = np.random.default_rng(7)
    weights = rng.standard_normal(params.shape, np.float32)
    frozen = rc.freeze(built, {"params": weights})
    x = rng.standard_normal((6, 1, 4), np.float32)
    here = rc.runtime.load(rc.compile(frozen), "local-sync").stream()
    expected = [here(x[:3]).output, here(x[3:]).output]
    path = rc.compile(frozen, "vulkan").save(tmp_path / "gru.vmfb")

    def run() -> None:
        program = rc.runtime.load(path)
        there = program.stream()
        np.testing.assert_allclose([there(x[:3]).output, there(x[3:]).output], expected, atol=1e-6)
        given = {"input": program.to_device(x[:3]), "sequence_lengths": np.int32([3])}
        kept = program(**given, to_host=False).output
        np.testing.assert_allclose(kept.to_host(), expected[0], atol=1e-6)
        with pytest.raises(BufferError, match="to_host"):
            np.from_dlpack(kept)

    persistent(run)
    assert main(["check", str(path)]) == 0


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_other_dtypes_are_refused_by_name(dtype: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"is {dtype}, and for vulkan there is code for"):
        rc.compile(gru(dtype), "vulkan")


def test_other_strategies_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match="one of portable, for vulkan, got 'pinned'"):
        rc.compile(gru(), "vulkan", strategy="pinned")


def test_it_is_not_for_another_device() -> None:
    artifact = rc.compile(gru(), "vulkan")
    with pytest.raises(DeviceError, match=r"compiled for vulkan .* cannot run on 'local-sync'"):
        rc.runtime.load(artifact, "local-sync")


def test_a_machine_without_a_driver() -> None:
    code = "from rnn_compiler.runtime.device.devices import get_device; get_device('vulkan')"
    none = {"VK_ICD_FILENAMES": "/none", "VK_DRIVER_FILES": "/none"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=none)
    message = done.stderr.splitlines()[-1]
    assert "device 'vulkan' could not be opened: no " in message
    assert "vulkaninfo must list it" in message

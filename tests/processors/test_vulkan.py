"""Code for Vulkan: rejected modules, and runs on a driver if there is one (`on_vulkan`)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import processes
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import DeviceError, InvalidArgumentError, UnsupportedError

ON_VULKAN = Path(__file__).with_name("on_vulkan.py")

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


@pytest.mark.slow
def test_on_a_driver(pytestconfig: pytest.Config) -> None:
    """Runs `on_vulkan` in a separate process."""
    options = ["-n0", "-rs", "-m", "", "--fresh-cache", "--device", "vulkan"]
    command = [sys.executable, "-m", "pytest", *options, str(ON_VULKAN)]
    environment = {**os.environ}
    environment.pop("VK_LOADER_DRIVERS_DISABLE", None)  # see conftest
    done = processes.run(*command, cwd=pytestconfig.rootpath, env=environment)
    if " passed" not in done.stdout:
        pytest.skip(done.stdout.strip().splitlines()[-2])


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_other_dtypes_are_refused_by_name(dtype: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"is {dtype}, and for vulkan there is code for"):
        rc.compile(gru(dtype), "vulkan")


def test_arrays_of_other_dtypes_are_refused_with_the_remedy() -> None:
    """The op is in float32 already; its host_reserved, or its quantized weights, are not."""
    forward = rc.build("CudnnRNNV2", rnn_mode="gru", num_layers=1, is_training=True, **SIZES)
    with pytest.raises(
        UnsupportedError, match=r"host_reserved is int8, .* leave host_reserved out of"
    ):
        rc.compile(forward, "vulkan")
    gradient = rc.build("CudnnRNNBackpropV2", rnn_mode="gru", num_layers=1, **SIZES)
    with pytest.raises(UnsupportedError, match="use a version of the op that does not take host_"):
        rc.compile(gradient, "vulkan")
    module = gru()
    (params,) = (each for each in module.functions[0].arguments if each.name == "params")
    weights = {"params": np.zeros(params.static_shape, np.float32)}
    with pytest.raises(UnsupportedError, match=r"is int8, .* freeze its weights without quantize"):
        rc.compile(rc.freeze(module, weights, quantize="int8"), "vulkan")


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
    done = processes.python(code, code=1, env=none)
    message = done.stderr.splitlines()[-1]
    assert "device 'vulkan' could not be opened: no " in message
    assert "vulkaninfo must list it" in message

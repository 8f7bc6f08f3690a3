"""Code for Vulkan, on any driver of this machine: without a GPU, Mesa's lavapipe.

Devices stay open until a process ends, and on lavapipe two threads of an open one never stop
polling. So `test_vulkan` runs this file in a separate process, which compiles, and its children
run the code.

With lavapipe 22.3, IREE sometimes loses the device, in one of some hundred calls: this gives an
error, never a wrong number. `persistent` opens it again.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from c.covering import covering, traits_of_direction
from c.test_goldens import ALL, FIRST, GOLDENS, OTHERS, stands_for_itself
from goldens.golden import Golden
from numeric.harness import module, renamed
from processors.test_aarch64 import cases
from processors.test_vulkan import gru

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.devices import get_device, open_devices


def driver() -> str:
    """Why Vulkan does not work here; nothing if it does, which a child finds out."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            get_device("vulkan")
        except DeviceError as error:
            os.write(writer, error.reason.encode())
        finally:
            os._exit(0)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0
    with open(reader) as reason:
        return reason.read()


REASON = driver()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON or "there is one")

EACH_OP = [
    *(golden for golden in FIRST if golden.dtype == "float32" and stands_for_itself(golden)),
    *(golden for golden in cases("float32") if golden.op.startswith("Cudnn")),
]
"""One golden file per op, without ops represented by others."""


def others() -> list[Golden]:
    """Files with traits that these lack: attributes, sizes of one."""
    if ALL:
        return [each for each in GOLDENS if each.dtype == "float32" and each not in FIRST]
    return covering(
        [each for each in OTHERS if each.dtype == "float32"], traits_of_direction, EACH_OP
    )


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


def in_a_child(work: Callable[[], None]) -> None:
    """Runs a function in a forked process; prints its failure."""
    child = os.fork()
    if not child:
        try:
            persistent(work)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def check(goldens: list[Golden]) -> None:
    """Compares the results of functions, one per golden file, with the files' results."""
    parts = [module(golden.op, "float32", golden.variant) for golden in goldens]
    artifact = rc.compile(renamed(*parts), "vulkan")

    def run() -> None:
        program = rc.runtime.load(artifact)
        assert program.device.uri == "vulkan"
        for number, golden in enumerate(goldens):
            results = program.functions[f"case_{number}"](**golden.inputs)
            golden.assert_matches(results._asdict())

    in_a_child(run)


def test_each_op() -> None:
    """With the layers of CudnnRNN, whose host_reserved is int8."""
    check(EACH_OP)


@pytest.mark.parametrize("start", range(0, len(others()), 12))
def test_others(start: int) -> None:
    check(others()[start : start + 12])


def test_frozen_weights_and_streams(tmp_path: Path) -> None:
    """Saved, loaded, results on the device, in chunks: as on a CPU."""
    built = gru()
    (params,) = (each for each in built.functions[0].arguments if each.name == "params")
    rng = np.random.default_rng(7)
    weights = rng.standard_normal(params.shape, np.float32)
    frozen = rc.freeze(built, {"params": weights})
    x = rng.standard_normal((6, 1, 4), np.float32)
    here = rc.runtime.load(rc.compile(frozen, "cpu"), "local-sync").stream()
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
        assert main(["check", str(path)]) == 0

    in_a_child(run)

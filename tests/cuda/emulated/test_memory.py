"""Device memory: bounds, leaks, and memory that is returned."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest
from cases import sizes
from numeric.harness import draw, first_variant, program

from rnn_compiler.schema.dtypes import DTYPES

OPS = ["LSTMBlockCell", "BlockLSTMV2", "BlockLSTMGradV2", "CudnnRNNV3", "CudnnRNNBackpropV3"]


def in_use(emulated: ctypes.CDLL) -> int:
    """Bytes that are allocated on the device."""
    gc.collect()
    return emulated.emulator_bytes_in_use()


@pytest.mark.parametrize("op", OPS)
def test_nothing_stays_behind(emulated: ctypes.CDLL, op: str) -> None:
    """After 40 calls as much is allocated, to the byte, as after the first two."""
    compiled, arguments = (
        program(op, "float32", first_variant(op)),
        draw(op, "float32", first_variant(op)),
    )
    for _ in range(2):
        compiled(**arguments)
    before = in_use(emulated)
    for _ in range(40):
        compiled(**arguments)
    assert in_use(emulated) == before


@pytest.mark.parametrize("op", ["BlockLSTMV2", "BlockLSTMGradV2"])
def test_a_call_takes_little_more_than_its_arrays(emulated: ctypes.CDLL, op: str) -> None:
    """Arguments, results and, for a gradient, the gates of all steps; twice that at most."""
    variant = sizes(16, 8, 32, 32, use_peephole=False)
    compiled, arguments = program(op, "float32", variant), draw(op, "float32", variant)
    results = compiled(**arguments)
    arrays = sum(array.nbytes for array in (*arguments.values(), *results))
    emulated.emulator_forget_peak()
    before = in_use(emulated)
    compiled(**arguments)
    peak = emulated.emulator_peak_bytes() - before
    assert arrays < peak < 2 * arrays


def test_arrays_stay_on_the_device(emulated: ctypes.CDLL) -> None:
    """Arguments that are there are not copied again; results come back when they are wanted."""
    op = "BlockLSTMV2"
    compiled, arguments = (
        program(op, "float32", first_variant(op)),
        draw(op, "float32", first_variant(op)),
    )
    wanted = compiled(**arguments)
    there = {name: compiled.to_device(array) for name, array in arguments.items()}

    def copies() -> int:
        names = (b"cuMemcpyHtoDAsync_v2", b"cuMemcpyAsync")
        return sum(emulated.emulator_calls(name) for name in names)

    before = copies()
    compiled(**arguments, to_host=False)
    between = copies()
    results = compiled(**there, to_host=False)
    assert (between - before) - (copies() - between) == len(arguments)
    assert not any(result.on_host for result in results)
    for result, values in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result.to_host(), values)


def test_a_gradient_takes_what_the_forward_left_there() -> None:
    op = "BlockLSTMGradV2"
    variant = first_variant(op)
    arguments = draw(op, "float32", variant)
    forward, gradient = program("BlockLSTMV2", "float32", variant), program(op, "float32", variant)
    own = [a.name for a in forward.manifest.functions[0].arguments]
    there = forward(**{name: arguments[name] for name in own}, to_host=False)._asdict()
    got = gradient(**{**arguments, **there})
    host = {name: array.to_host() for name, array in there.items()}
    for result, values in zip(got, gradient(**{**arguments, **host}), strict=True):
        np.testing.assert_array_equal(result, values)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_dlpack(dtype: str) -> None:
    """To a tensor of this GPU and back: viewed in place, the same memory and elements."""
    compiled = program("LSTMBlockCell", "float32", first_variant("LSTMBlockCell"))
    numbers = np.arange(64).astype(DTYPES[dtype].numpy)
    array = compiled.to_device(numbers)
    assert array.__dlpack_device__() == (2, 0)  # kDLCUDA
    again = compiled.device.view(array)
    np.testing.assert_array_equal(again.to_host(), numbers)
    result = compiled(
        **draw("LSTMBlockCell", "float32", first_variant("LSTMBlockCell")), to_host=False
    ).h
    copied = compiled.device.view(result)
    np.testing.assert_array_equal(copied.to_host(), result.to_host())


def test_a_zero_batch_allocates_nothing_that_stays(emulated: ctypes.CDLL) -> None:
    variant = sizes(3, 0, 3, 5, use_peephole=True)
    compiled, arguments = (
        program("BlockLSTMV2", "float32", variant),
        draw("BlockLSTMV2", "float32", variant),
    )
    compiled(**arguments)
    before = in_use(emulated)
    compiled(**arguments)
    assert in_use(emulated) == before

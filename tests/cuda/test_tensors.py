"""Tensors of torch and jax on a GPU: `pytest -m "" tests/cuda --device cuda`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import sizes
from numeric.harness import draw, module

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.runtime.arguments import as_array
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.host_arrays import address_of, device_of

VARIANT = sizes(4, 16, 32, 64, use_peephole=False)


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest) -> rc.Program:
    device = request.config.getoption("--device") or ""
    if not device.startswith("cuda"):
        pytest.skip('needs a GPU: pytest -m "" tests/cuda --device cuda')
    return rc.runtime.load(rc.compile(module("BlockLSTMV2", "float32", VARIANT), "cuda"), device)


@pytest.fixture(params=["torch", "jax"])
def framework(request: pytest.FixtureRequest, program: rc.Program) -> Any:
    """A function that gives a framework's tensor on the program's GPU, and one that views ours."""
    number = program.device.dlpack[1]
    if request.param == "torch":
        torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("torch without CUDA")
        torch.cuda.set_device(number)
        return lambda array: torch.from_numpy(array).cuda(), torch.from_dlpack
    jax = pytest.importorskip("jax")
    try:
        gpu = jax.devices("cuda")[number]
    except RuntimeError:
        pytest.skip("jax without CUDA")
    jax.config.update("jax_enable_x64", True)
    return lambda array: jax.device_put(array, gpu), jax.dlpack.from_dlpack


def test_round_trip(program: rc.Program, framework: Any) -> None:
    put, view = framework
    arguments = draw("BlockLSTMV2", "float32", VARIANT)
    expected = program(**arguments)
    results = program(**{name: put(np.asarray(a)) for name, a in arguments.items()}, to_host=False)
    for result, values in zip(results, expected, strict=True):
        tensor = view(result)
        assert device_of(tensor) == device_of(result) == program.device.dlpack
        back = as_array("op", "x", tensor, "float32", program.device.uri)
        assert isinstance(back, DeviceArray)
        np.testing.assert_array_equal(back.to_host(), values)
        np.testing.assert_array_equal(result.to_host(), values)


def test_nothing_is_copied(program: rc.Program, framework: Any) -> None:
    """Except results of a call, once."""
    put, view = framework
    tensor = put(np.arange(64, dtype=np.float32))
    array = as_array("op", "x", tensor, "float32", program.device.uri)
    assert isinstance(array, DeviceArray)
    assert address_of(array.__dlpack__(copy=False)) == address_of(tensor.__dlpack__())
    there = program.to_device(np.arange(64, dtype=np.float32))
    assert address_of(view(there).__dlpack__()) == address_of(there.__dlpack__(copy=False))
    result = program(**draw("BlockLSTMV2", "float32", VARIANT), to_host=False).h
    assert address_of(view(result).__dlpack__()) == address_of(result.__dlpack__(copy=False))


def test_work_in_flight_is_waited_for(program: rc.Program) -> None:
    """On a stream other than torch's default."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch without CUDA")
    torch.cuda.set_device(program.device.dlpack[1])
    with torch.cuda.stream(torch.cuda.Stream()):
        for number in range(20):
            tensor = torch.full((1 << 20,), -1.0, device="cuda")
            torch.cuda._sleep(10_000_000)
            tensor.fill_(number)
            there = program.to_device(tensor)
            tensor.zero_()
            assert (there.to_host() == number).all()


def test_what_iree_does_not_take(program: rc.Program) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch without CUDA")
    tensor = torch.ones((16, 32), device=f"cuda:{program.device.dlpack[1]}")
    assert device_of(tensor)[0] == DEVICE_KINDS["cuda"].dlpack
    for part in (tensor.T, tensor[:, 1:], tensor.flatten()[1:]):
        with pytest.raises(InvalidArgumentError, match=r"contiguous copy.*clone\("):
            program.to_device(part)
        copy = part.clone(memory_format=torch.contiguous_format)
        np.testing.assert_array_equal(program.to_device(copy).to_host(), copy.cpu().numpy())

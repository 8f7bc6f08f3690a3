"""Writes to memory exported by DLPack affect only the exported array."""

from __future__ import annotations

import ctypes
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from cases import assert_same_bits
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.schema.host_arrays import address_of

SIZES = {"seq_length": 3, "batch_size": 2, "input_size": 5, "num_units": 5}
OPS = ["BlockLSTMV2", "BlockLSTMGradV2"]


@pytest.fixture(scope="module", params=["local-sync", "local-task"])
def program(request: pytest.FixtureRequest) -> rc.Program:
    """A program whose results IREE allocates; those of direct calls share no memory."""
    artifact = rc.compile(rc.build(OPS, **SIZES, use_peephole=False), "cpu")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_COMPILER_CALLS", "iree")
        return rc.runtime.load(artifact, request.param)


def on_device(program: rc.Program, op: str, **changed: Any) -> dict[str, Any]:
    given = {**draw(op, "float32", {**SIZES, "use_peephole": False}), **changed}
    return {name: program.to_device(value) for name, value in given.items()}


def write(array: Any, value: float) -> None:
    """As torch does, which knows nothing of arrays that may not be written to."""
    capsule = array.__dlpack__()
    size = int(np.prod(array.shape))
    memory = (ctypes.c_float * size).from_address(address_of(capsule))
    memory[:] = [value] * size


@pytest.mark.slow
def test_equal_results_are_written_to_one_by_one(program: rc.Program) -> None:
    """Peephole gradients that are all zeros come from IREE in one buffer."""
    given = on_device(program, "BlockLSTMGradV2")
    results = program.block_lstm_grad_v2(**given, to_host=False)
    expected = [result.to_host().copy() for result in results]
    for index, result in enumerate(results):
        if result.dtype == np.float32:
            write(result, 7 + index)
            expected[index][...] = 7 + index
        assert_same_bits(results, expected)
    again = program.block_lstm_grad_v2(**given)
    np.testing.assert_array_equal(again.wci_grad, np.zeros(5, np.float32))


def test_some_results_are_one_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests here show nothing."""
    monkeypatch.setenv("RNN_COMPILER_CALLS", "iree")
    artifact = rc.compile(rc.build(OPS, **SIZES, use_peephole=False), "cpu")
    program = rc.runtime.load(artifact, "local-sync")
    given = on_device(program, "BlockLSTMGradV2")
    results = program.block_lstm_grad_v2(**given, to_host=False)
    assert any(result.shares_memory(results) for result in results)
    assert results.wci_grad.shares_memory([results.wcf_grad])
    np.from_dlpack(results.wci_grad)
    assert not results.wci_grad.shares_memory([results.wcf_grad])


@pytest.mark.slow
def test_what_shares_its_memory_is_not_given_out_without_a_copy(program: rc.Program) -> None:
    given = on_device(program, "BlockLSTMGradV2")
    results = program.block_lstm_grad_v2(**given, to_host=False)
    with pytest.raises(BufferError, match="shares its memory with another array"):
        results.wci_grad.__dlpack__(copy=False)
    alone = results.w_grad
    address = alone.to_host().__array_interface__["data"][0]
    assert address_of(alone.__dlpack__(copy=False)) == address, "and is not copied"


@pytest.mark.slow
@pytest.mark.parametrize("first", ["call", "export"])
def test_an_argument_that_is_a_result_too(
    program: rc.Program, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """As a module that changes nothing returns it."""
    given = on_device(program, "BlockLSTMGradV2")
    function = program.block_lstm_grad_v2
    returned = [
        program.to_device(np.zeros(each.shape, each.dtype)) for each in function.spec.results
    ]
    returned[0] = x = given["x"]

    def run(_: Any, __: Any, outputs: Any) -> None:
        for array in returned:
            outputs.push_ref(array.ref)

    monkeypatch.setattr(function, "call_module", run)
    if first == "export":
        write(x, 3)
    x_grad = function(**given, to_host=False).x_grad
    assert x_grad.shares_memory([x]) == (first == "call")
    expected = np.array(x_grad)
    write(x, 5)
    np.testing.assert_array_equal(x_grad, expected)
    write(x_grad, 6)
    np.testing.assert_array_equal(x, np.full(x.shape, 5, np.float32))


@pytest.mark.slow
def test_weights_that_were_written_to_are_not_taken_packed(program: rc.Program) -> None:
    """Also if they were written after packing, by an earlier owner of a view."""
    given = on_device(program, "BlockLSTMV2")
    for _ in range(3):
        before = program.block_lstm_v2(**given).h
    write(given["w"], 0.5)
    halves = np.full(given["w"].shape, 0.5, np.float32)
    expected = program.block_lstm_v2(**{**given, "w": halves}).h
    assert not np.array_equal(expected, before)
    for value in (0.5, 0.25):
        write(given["w"], value)
        expected = program.block_lstm_v2(**{**given, "w": halves * np.float32(value / 0.5)}).h
        for _ in range(3):
            np.testing.assert_array_equal(program.block_lstm_v2(**given).h, expected)


@pytest.mark.skipif(util.find_spec("torch") is None, reason="takes torch")
def test_torch_writes_to_one_result(program: rc.Program) -> None:
    import torch

    given = on_device(program, "BlockLSTMGradV2")
    results = program.block_lstm_grad_v2(**given, to_host=False)
    first, second = map(torch.from_dlpack, (results.wci_grad, results.wcf_grad))
    first.add_(1)
    assert (first.sum().item(), second.sum().item()) == (5, 0)
    np.testing.assert_array_equal(results.wci_grad, np.ones(5, np.float32))
    np.testing.assert_array_equal(results.wcf_grad, np.zeros(5, np.float32))


FORKED = """
import os, signal
import numpy as np
import rnn_compiler as rc

program = rc.runtime.load({path!r}, "local-task")
array = program.to_device(np.ones(8, np.float32))
if os.fork() == 0:
    signal.alarm(200)
    try:
        array.__dlpack__(copy=True)
    except rc.errors.DeviceError as error:
        print(error, flush=True)
    os._exit(0)
print(os.wait()[1])
"""


@pytest.mark.slow
def test_a_copy_after_a_fork_is_refused(tiny: rc.Artifact, tmp_path: Path) -> None:
    """It needs the parent's threads, and would wait for them for ever."""
    script = FORKED.format(path=str(tiny.save(tmp_path / "tiny.vmfb")))
    said, code = processes.python(script, flags=["-W", "ignore"]).stdout.splitlines()
    assert "do not survive a fork" in said
    assert code == "0"

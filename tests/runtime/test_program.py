"""Programs: calling functions, on numpy arrays and on arrays that stay on the device."""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import threading
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from cases import assert_same_bits

import rnn_compiler as rc
from rnn_compiler.lowering.compiler.iree_compile import compile_module
from rnn_compiler.runtime import DeviceArray
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

Arrays = dict[str, npt.NDArray[Any]]


@pytest.fixture(scope="module")
def program(artifact: rc.Artifact) -> rc.Program:
    return rc.runtime.load(artifact, "local-sync")


def test_functions_are_attributes(program: rc.Program) -> None:
    names = ["block_lstm_v2", "block_lstm_grad_v2"]
    assert list(program.functions) == names
    for name in names:
        assert getattr(program, name) is program.functions[name]
        assert name in dir(program)
    assert repr(program) == "Program(block_lstm_v2, block_lstm_grad_v2 on local-sync)"


def test_a_program_of_one_function_is_called_itself(artifact: rc.Artifact, forward: Arrays) -> None:
    manifest = artifact.manifest
    single = dataclasses.replace(manifest, functions=manifest.functions[:1])
    one = rc.runtime.load(Artifact(single, artifact.payload))
    assert_same_bits(one(**forward), one.block_lstm_v2(**forward))
    assert isinstance(one(**forward, to_host=False).h, DeviceArray)


def test_results_are_named_as_tensorflow_names_them(
    program: rc.Program, forward: Arrays, backward: Arrays
) -> None:
    result = program.block_lstm_v2(**forward)
    assert type(result).__name__ == "BlockLSTMV2"
    assert result._fields == ("i", "cs", "f", "o", "ci", "co", "h")
    gradients = program.block_lstm_grad_v2(**backward)
    assert type(gradients).__name__ == "BlockLSTMGradV2"
    assert gradients._fields == (
        *("x_grad", "cs_prev_grad", "h_prev_grad", "w_grad"),
        *("wci_grad", "wcf_grad", "wco_grad", "b_grad"),
    )


def test_results_are_arrays_of_their_own(program: rc.Program, backward: Arrays) -> None:
    """Writable, and writing into one changes neither another, nor an argument, nor a later call."""
    # With no step to run, several gradients are equal: one buffer of zeros would do for all.
    arguments = backward | {"seq_len_max": np.int64(0)}
    before = {name: np.copy(array) for name, array in arguments.items()}
    results = program.block_lstm_grad_v2(**arguments)
    for k, result in enumerate(results):
        result[...] = k + 1
    for k, result in enumerate(results):
        assert np.all(result == k + 1)
    assert all(np.all(array == 0) for array in program.block_lstm_grad_v2(**arguments))
    assert_same_bits(arguments, before)


@pytest.fixture(scope="module")
def echo(artifact: rc.Artifact, tmp_path_factory: pytest.TempPathFactory) -> rc.Program:
    """A module that returns its argument twice, which IREE does without a copy."""
    target = artifact.manifest.target
    text = """func.func @echo(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      return %x, %x : tensor<4xf32>, tensor<4xf32>
    }"""
    payload = compile_module(text, target, reproducers=tmp_path_factory.mktemp("echo"))
    x, y, z = (TensorSpec(name, "float32", (4,)) for name in ("x", "y", "z"))
    manifest = dataclasses.replace(
        artifact.manifest,
        functions=(FunctionSpec("Echo", "echo", "float32", {}, {}, (x,), (y, z)),),
        payload_sha256=hashlib.sha256(payload).hexdigest(),
        payload_size=len(payload),
    )
    return rc.runtime.load(Artifact(manifest, payload), "local-sync")


def test_results_share_nothing_with_device_arguments(echo: rc.Program) -> None:
    """Even if the module hands an argument through."""
    x = echo.to_device(np.arange(4, dtype=np.float32))
    y, z = echo(x=x)
    y[...] = 7
    z[...] = 8
    np.testing.assert_array_equal(y, [7] * 4)
    np.testing.assert_array_equal(np.asarray(x), range(4))
    y, z = echo(x=x, to_host=False)
    np.testing.assert_array_equal(np.asarray(y), range(4))
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(z)[...] = 8


def test_results_can_stay_on_the_device(program: rc.Program, forward: Arrays) -> None:
    expected = program.block_lstm_v2(**forward)
    results = program.block_lstm_v2(**forward, to_host=False)
    assert results._fields == expected._fields
    for result, array in zip(results, expected, strict=True):
        assert isinstance(result, DeviceArray)
        assert (result.shape, result.dtype, result.dtype_name) == ((3, 2, 5), "float32", "float32")
        assert len(result) == 3
        assert repr(result) == "DeviceArray(float32[3, 2, 5], local-sync)"
        np.testing.assert_array_equal(result.to_host(), array)
        np.testing.assert_array_equal(np.asarray(result), array)


def test_device_arrays_are_read_only(program: rc.Program, forward: Arrays) -> None:
    h = program.block_lstm_v2(**forward, to_host=False).h
    for view in (h.to_host(), np.asarray(h)):
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 0
    copy = np.array(h)
    copy[...] = 0
    assert np.any(h.to_host() != 0)
    assert np.asarray(h, np.float64).dtype == np.float64


def test_device_arrays_outlive_their_program(artifact: rc.Artifact, forward: Arrays) -> None:
    program = rc.runtime.load(artifact)
    expected = program.block_lstm_v2(**forward).h
    kept = program.block_lstm_v2(**forward, to_host=False).h
    host = kept.to_host()
    del program, kept
    np.testing.assert_array_equal(host, expected)


@pytest.mark.usefixtures("own_garbage")
def test_views_of_results_keep_their_memory(program: rc.Program, forward: Arrays) -> None:
    """Also after everything that they come from has been freed and its memory could be reused."""
    expected = program.block_lstm_v2(**forward)
    kept: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = []
    for _ in range(50):
        result = program.block_lstm_v2(**forward)
        device = program.block_lstm_v2(**forward, to_host=False)
        kept += [
            (result.h[-1], expected.h[-1]),
            (result.cs.reshape(-1)[1:][::2], expected.cs.reshape(-1)[1:][::2]),
            (device.h.to_host()[-1], expected.h[-1]),
            (np.asarray(device.o)[:, 0].T, expected.o[:, 0].T),
            (np.asarray(program.to_device(forward["x"]))[1:][0], forward["x"][1]),
        ]
        del result, device
    gc.collect()
    for view, values in kept:
        np.testing.assert_array_equal(view, values)


def test_forward_results_feed_the_gradient(
    program: rc.Program, forward: Arrays, backward: Arrays
) -> None:
    """Without leaving the device, and to the same numbers."""
    saved = program.block_lstm_v2(**forward, to_host=False)
    cotangents = {name: backward[name] for name in ("cs_grad", "h_grad")}
    expected = program.block_lstm_grad_v2(
        **forward, **program.block_lstm_v2(**forward)._asdict(), **cotangents
    )
    actual = program.block_lstm_grad_v2(**forward, **saved._asdict(), **cotangents)
    for name, array in expected._asdict().items():
        np.testing.assert_array_equal(getattr(actual, name), array)
        assert np.any(array != 0)


def test_device_arrays_move_between_devices(
    artifact: rc.Artifact, program: rc.Program, forward: Arrays
) -> None:
    other = rc.runtime.load(artifact, "local-task")
    elsewhere = {name: other.to_device(array) for name, array in forward.items()}
    expected = program.block_lstm_v2(**forward)
    assert_same_bits(program.block_lstm_v2(**elsewhere), expected)
    moved = program.to_device(elsewhere["x"])
    assert moved.device is program.device
    np.testing.assert_array_equal(np.asarray(moved), forward["x"])
    assert program.to_device(moved) is moved


@pytest.mark.slow
def test_raw_ops_take_device_arrays(program: rc.Program, forward: Arrays) -> None:
    on_device = {name: program.to_device(array) for name, array in forward.items()}
    result = rc.raw_ops.BlockLSTMV2(**on_device, use_peephole=True)
    np.testing.assert_allclose(result.h, program.block_lstm_v2(**forward).h, rtol=1e-6)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(6, dtype=np.float16)[::2],
        np.arange(6, dtype=ml_dtypes.bfloat16).reshape(3, 2),
        np.arange(6, dtype=">f4"),
        np.array(3, np.int64),
        np.zeros((0, 3), np.float32),
        np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        np.float64(2.5),
        np.int8([1, 2]),
    ],
    ids=lambda array: f"{np.asarray(array).dtype}{np.shape(array)}",
)
def test_to_device_copies_any_array(program: rc.Program, array: npt.NDArray[Any]) -> None:
    """Later changes to the original do not show."""
    there = program.to_device(array)
    expected = np.array(array)
    if isinstance(array, np.ndarray) and array.ndim:
        array[...] = 0
    assert there.shape == expected.shape
    assert there.dtype == expected.dtype.newbyteorder("=")
    np.testing.assert_array_equal(np.asarray(there), expected)


def test_to_device_makes_plain_numbers_float32(program: rc.Program) -> None:
    assert program.to_device([[1, 2.5]]).dtype_name == "float32"
    with pytest.raises(TypeError, match=r"len\(\) of a scalar"):
        len(program.to_device(1.0))


def test_arguments_of_any_memory_layout(program: rc.Program, forward: Arrays) -> None:
    """Byte order, axis order, strides and read-only memory do not matter."""
    expected = program.block_lstm_v2(**forward).h
    frozen = forward["b"].copy()
    frozen.flags.writeable = False
    changed = forward | {
        "x": forward["x"].astype(">f4"),
        "w": np.asfortranarray(forward["w"]),
        "wci": np.repeat(forward["wci"], 2)[::2],
        "h_prev": forward["h_prev"][::-1].copy()[::-1],
        "b": frozen,
        "wco": memoryview(forward["wco"]),
        "seq_len_max": 3,
    }
    np.testing.assert_array_equal(program.block_lstm_v2(**changed).h, expected)


def test_threads_share_a_program(artifact: rc.Artifact, forward: Arrays) -> None:
    """Calls from eight threads at once, on both kinds of local device."""
    for device in ("local-sync", "local-task"):
        program = rc.runtime.load(artifact, device)
        inputs = [forward | {"x": forward["x"] + k} for k in range(8)]
        expected = [program.block_lstm_v2(**arguments).h for arguments in inputs]
        wrong: list[int] = []
        done: list[int] = []
        barrier = threading.Barrier(8)

        def work(k: int) -> None:
            barrier.wait()  # noqa: B023
            for _ in range(50):
                if not np.array_equal(program.block_lstm_v2(**inputs[k]).h, expected[k]):  # noqa: B023
                    wrong.append(k)  # noqa: B023
            done.append(k)  # noqa: B023

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert sorted(done) == list(range(8))

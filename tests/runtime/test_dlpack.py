"""DLPack: results as other frameworks' tensors and their tensors as arguments, without a copy."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.runtime.arguments import as_array
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.host_arrays import DLTensor, from_dlpack

jax = pytest.importorskip("jax", reason="jax is the framework that these tensors are of")

Arrays = dict[str, npt.NDArray[Any]]


class Tensor:
    """A tensor of jax as torch's are: numpy cannot have it if it is of bfloat16."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, *_: object, **__: object) -> npt.NDArray[Any]:
        raise TypeError("Got unsupported ScalarType BFloat16")

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def bfloat16(*shape: int) -> Any:
    return jax.numpy.arange(int(np.prod(shape)), dtype="bfloat16").reshape(shape)


@pytest.fixture(scope="module")
def program(artifact: rc.Artifact) -> rc.Program:
    return rc.runtime.load(artifact, "local-sync")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4)], ids=str)
def test_jax_views_results(program: rc.Program, dtype: str, shape: tuple[int, ...]) -> None:
    values = np.arange(int(np.prod(shape))).reshape(shape).astype(DTYPES[dtype].numpy)
    there = program.to_device(values)
    with jax.enable_x64(True):
        tensor = jax.dlpack.from_dlpack(there)
        assert (tensor.dtype, tensor.shape) == (values.dtype, shape)
        np.testing.assert_array_equal(np.asarray(tensor), values)
    if values.size:
        address = there.to_host().__array_interface__["data"][0]
        assert tensor.unsafe_buffer_pointer() == address


def test_numpy_views_results(program: rc.Program, forward: Arrays) -> None:
    """Read-only, as they are."""
    h = program.block_lstm_v2(**forward, to_host=False).h
    view = np.from_dlpack(h)
    assert np.shares_memory(view, h.to_host())
    np.testing.assert_array_equal(view, h.to_host())
    assert not view.flags.writeable
    copy = np.from_dlpack(h, copy=True)
    assert not np.shares_memory(copy, view)
    np.testing.assert_array_equal(copy, view)
    np.testing.assert_array_equal(np.from_dlpack(h, device="cpu"), view)


@pytest.mark.usefixtures("own_garbage")
def test_views_keep_their_memory(program: rc.Program, forward: Arrays) -> None:
    """When nothing else does, and calls could be given it again."""
    expected = program.block_lstm_v2(**forward)
    kept: list[tuple[Any, Any]] = []
    for _ in range(50):
        result = program.block_lstm_v2(**forward, to_host=False)
        kept.append((np.from_dlpack(result.h)[-1], expected.h[-1]))
        kept.append((jax.dlpack.from_dlpack(result.cs), expected.cs))
        del result
    gc.collect()
    for view, values in kept:
        np.testing.assert_array_equal(view, values)


@pytest.mark.parametrize("keywords", [{"dl_device": (2, 0)}, {"stream": 1}], ids=str)
def test_what_cannot_be_had(program: rc.Program, keywords: dict[str, Any]) -> None:
    with pytest.raises(BufferError, match="in this machine's memory"):
        program.to_device(1.0).__dlpack__(**keywords)


@pytest.mark.parametrize("shape", [(3, 4), (), (0, 2), (1,)], ids=str)
def test_bfloat16_tensors_are_arguments(shape: tuple[int, ...]) -> None:
    tensor = bfloat16(*shape)
    array = as_array("op", "x", Tensor(tensor), "float32")
    assert isinstance(array, np.ndarray)
    assert (array.dtype, array.shape) == (np.dtype(ml_dtypes.bfloat16), shape)
    np.testing.assert_array_equal(array, np.asarray(tensor))
    assert not array.flags.writeable
    if array.size:
        assert array.__array_interface__["data"][0] == tensor.unsafe_buffer_pointer()


def test_bfloat16_tensors_may_be_views() -> None:
    """Transposed and from the middle of their memory, as torch's may be."""
    memory = np.arange(24, dtype=ml_dtypes.bfloat16)
    shape, strides = ((ctypes.c_int64 * 2)(*pair) for pair in ((3, 4), (1, 3)))
    header = DLTensor(memory.ctypes.data, 1, 0, 2, 4, 16, 1, shape, strides, 8)
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)

    class View(Tensor):
        def __dlpack__(self, **_: Any) -> Any:
            return capsule(ctypes.addressof(header), b"dltensor", None)

    array = as_array("op", "x", View(bfloat16(1)), "float32")
    np.testing.assert_array_equal(np.asarray(array), memory[4:16].reshape(4, 3).T)


@pytest.mark.usefixtures("own_garbage")
def test_arguments_keep_their_memory() -> None:
    tensor = bfloat16(10_000)
    expected = np.array(tensor)
    view: Any = as_array("op", "x", Tensor(tensor), "float32")
    view = view[5:]
    del tensor
    gc.collect()
    others = [bfloat16(10_000) + k for k in range(20)]
    np.testing.assert_array_equal(view, expected[5:])
    assert len(others) == 20


@pytest.mark.slow
def test_ops_take_bfloat16_tensors() -> None:
    rng = np.random.default_rng(0)
    shapes = {"x": (1, 2), "h_prev": (1, 3), "w_ru": (5, 6), "w_c": (5, 3), "b_ru": (6,)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    arguments = {k: a.astype(ml_dtypes.bfloat16) for k, a in (arrays | {"b_c": np.ones(3)}).items()}
    tensors = {name: Tensor(jax.numpy.asarray(array)) for name, array in arguments.items()}
    expected = rc.raw_ops.GRUBlockCell(**arguments)
    for result, values in zip(rc.raw_ops.GRUBlockCell(**tensors), expected, strict=True):
        np.testing.assert_array_equal(result, values)
        assert result.dtype == ml_dtypes.bfloat16


def test_tensors_on_another_device_are_refused() -> None:
    class OnGpu(Tensor):
        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    with pytest.raises(InvalidArgumentError, match=r"on another device.*copy it to the CPU first"):
        as_array("op", "x", OnGpu(bfloat16(3)), "float32")


def test_masked_elements_have_no_value() -> None:
    array = np.ma.masked_array(np.ones(3, np.float32), [False, True, False])
    with pytest.raises(InvalidArgumentError, match=r"with masked elements.*use filled"):
        as_array("op", "x", array, "float32")
    assert as_array("op", "x", np.ma.masked_array(np.ones(3)), "float32").shape == (3,)


def test_tensors_of_types_that_ops_do_not_take_are_refused() -> None:
    small = jax.numpy.ones(3, "float8_e4m3fn")
    with pytest.raises(InvalidArgumentError, match="numpy can view"):
        as_array("op", "x", Tensor(small), "float32")
    assert from_dlpack(jax.numpy.ones(3)).dtype == np.float32

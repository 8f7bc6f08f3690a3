"""Tensors of other frameworks on a GPU: the parts of their exchange with IREE that need no GPU.

IREE's CPU device plays the GPU: it takes and exports memory in the same way. The owners
are arrays of numpy and jax that claim to be on a GPU.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import assert_same_bits

import rnn_compiler as rc
from rnn_compiler.errors import DeviceError, InvalidArgumentError
from rnn_compiler.runtime.arguments import as_array
from rnn_compiler.runtime.device import cuda_driver, devices
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.host_arrays import DLTensor, address_of, tensor_of

jax = pytest.importorskip("jax", reason="jax is the framework that these tensors are of")

Arrays = dict[str, npt.NDArray[Any]]

CUDA = DEVICE_KINDS["cuda"].dlpack

EVENTS: list[tuple[str, object]] = []
"""The requests to a tensor's owner and to the driver."""


class GpuTensor:
    """An array that claims to be on a GPU, and is accessible only by DLPack."""

    def __init__(self, array: Any, number: int = 0) -> None:
        self.array = array
        self.number = number

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.number

    def __dlpack__(self, *, stream: Any) -> Any:
        EVENTS.append(("export", stream))
        return self.array.__dlpack__()


@functools.cache  # IREE crashes if the garbage collector takes a device before its buffers
def cpu() -> Device:
    """A separate device."""
    return Device("local-sync")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Device:
    """The CPU in the part of the first GPU."""
    device = cpu()
    monkeypatch.setattr(device, "uri", "cuda")
    monkeypatch.setattr(device, "native", cuda_driver)
    monkeypatch.setattr(device, "dlpack", (CUDA, 0))
    monkeypatch.setitem(devices.open_devices, "cuda", device)
    EVENTS.clear()
    wait = cuda_driver.wait_for_default_stream.__name__
    monkeypatch.setattr(cuda_driver, wait, lambda number: EVENTS.append(("wait", number)))
    return device


def view(value: Any) -> DeviceArray:
    array = as_array("op", "x", GpuTensor(value), "float32", "cuda")
    assert isinstance(array, DeviceArray)
    return array


def pointer(array: DeviceArray, **keywords: Any) -> int:
    return address_of(array.__dlpack__(**keywords))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4)], ids=str)
def test_a_tensor_is_taken_in_place(gpu: Device, dtype: str, shape: tuple[int, ...]) -> None:
    values = np.arange(int(np.prod(shape))).reshape(shape).astype(DTYPES[dtype].numpy)
    with jax.enable_x64(True):
        tensor = jax.numpy.asarray(values)
    array = view(tensor)
    assert (array.device, array.dtype, array.shape) == (gpu, values.dtype, shape)
    np.testing.assert_array_equal(array.to_host(), values)
    if values.size:
        assert pointer(array) == tensor.unsafe_buffer_pointer()


def test_a_program_takes_tensors_in_place(
    gpu: Device, artifact: rc.Artifact, forward: Arrays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the default stream is done, for which each was made to wait."""
    expected = rc.runtime.load(artifact, "local-sync").block_lstm_v2(**forward)
    function = rc.runtime.load(artifact, "cuda").block_lstm_v2
    with jax.enable_x64(True):
        tensors = {name: GpuTensor(jax.numpy.asarray(a)) for name, a in forward.items()}
    monkeypatch.setattr(gpu, "put", None)  # nothing is copied
    results = function(**tensors)
    assert_same_bits(results, expected)
    assert [("export", 1), ("wait", 0)] * len(forward) == EVENTS


def test_ops_take_tensors(gpu: Device) -> None:
    shapes = {"x": (1, 2), "h_prev": (1, 3), "w_ru": (5, 6), "w_c": (5, 3), "b_ru": (6,)}
    arrays = {name: np.ones(shape, np.float32) for name, shape in (shapes | {"b_c": (3,)}).items()}
    expected = rc.raw_ops.GRUBlockCell(**arrays)
    tensors = {name: GpuTensor(jax.numpy.asarray(array)) for name, array in arrays.items()}
    with rc.target("cpu", device=gpu.uri):
        results = rc.raw_ops.GRUBlockCell(**tensors, to_host=False)
    assert results.h.device is gpu
    np.testing.assert_array_equal(results.h.to_host(), expected.h)


def test_what_is_put_on_a_device_is_a_copy(gpu: Device, artifact: rc.Artifact) -> None:
    """In which later changes do not show."""
    tensor = jax.numpy.arange(16.0)
    there = rc.runtime.load(artifact, "cuda").to_device(GpuTensor(tensor))
    np.testing.assert_array_equal(there.to_host(), tensor)
    assert pointer(there) != tensor.unsafe_buffer_pointer()


@pytest.mark.usefixtures("own_garbage")
def test_a_tensor_is_kept_as_long_as_it_is_used(gpu: Device) -> None:
    memory = aligned()
    alive = weakref.ref(memory)
    array = view(memory)
    del memory
    gc.collect()
    assert alive() is not None
    del array
    gc.collect()
    assert alive() is None


def aligned(offset: int = 0) -> npt.NDArray[np.float32]:
    """Twelve numbers whose address is a multiple of 64 bytes, and an offset."""
    memory = np.ones(64, np.float32)
    start = -memory.ctypes.data % 64 // 4 + offset
    return memory[start : start + 12]


class Managed(ctypes.Structure):
    """DLPack's tensor with its owner: `DLManagedTensor`."""

    _fields_ = (("tensor", DLTensor), ("owner", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class WithByteOffset:
    """A tensor that begins 64 bytes after its address."""

    def __init__(self) -> None:
        self.memory, self.shape = aligned(), (ctypes.c_int64 * 1)(3)
        self.managed = Managed(DLTensor(self.memory.ctypes.data, 2, 0, 1, 2, 32, 1, self.shape))
        self.managed.tensor.byte_offset = 64

    def __dlpack__(self) -> Any:
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype = ctypes.py_object
        capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return capsule(ctypes.addressof(self.managed), b"dltensor", None)


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        (aligned().reshape(3, 4).T, r"strided tensor.*contiguous copy.*clone\("),
        (aligned(1), r"not a multiple of 64 bytes.*contiguous copy"),
        (WithByteOffset(), r"byte_offset != 0.*contiguous copy"),
        (aligned().view(np.complex64), r"dtype is not one of float16, .*convert it"),
    ],
    ids=["strided", "unaligned", "offset", "complex"],
)
def test_what_iree_does_not_take(gpu: Device, tensor: Any, reason: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"'x'.*{reason}"):
        view(tensor)


def test_on_another_gpu(gpu: Device) -> None:
    with pytest.raises(InvalidArgumentError, match=r"cuda://1: copy it to the CPU.*onto cuda://1"):
        as_array("op", "x", GpuTensor(np.ones(3), 1), "float32", "cuda")
    with pytest.raises(InvalidArgumentError, match="on another device, cuda://0"):
        as_array("op", "x", GpuTensor(np.ones(3)), "float32", "local-sync")


def test_the_failure_of_a_gpu_is_no_fault_of_the_argument(
    gpu: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_driver, "wait_for_default_stream", Driver({"cuDeviceGet": 700}).wait)
    with pytest.raises(DeviceError, match="cuDeviceGet: CUDA error 700"):
        view(jax.numpy.ones(3))


@pytest.fixture
def result(gpu: Device, artifact: rc.Artifact, monkeypatch: pytest.MonkeyPatch) -> DeviceArray:
    array = rc.runtime.load(artifact, "cuda").to_device(np.arange(6, dtype=np.float32))
    monkeypatch.setattr(gpu, "kind", "cuda")
    return array


def test_results_are_given_in_place(result: DeviceArray) -> None:
    """To any stream: they are ready."""
    assert result.__dlpack_device__() == (CUDA, 0)
    capsule = result.__dlpack__(stream=1, max_version=(1, 0))
    tensor = tensor_of(capsule)
    assert (tensor.device_type, tensor.device_id) == (CUDA, 0)
    places = {pointer(result, **how) for how in ({}, {"stream": 7}, {"copy": False})}
    assert places == {tensor.data}
    assert pointer(result, copy=True) not in places
    assert pointer(result, dl_device=(CUDA, 0)) in places
    with pytest.raises(BufferError, match=r"on cuda, \(2, 0\): to_host\(\) copies"):
        result.__dlpack__(dl_device=(1, 0))


class WithPool:
    """An IREE device that does not export memory of its pool: that at a given address."""

    def __init__(self, hal: Any, pooled: int) -> None:
        self.hal = hal
        self.pooled = pooled

    def __getattr__(self, name: str) -> Any:
        return getattr(self.hal, name)

    def create_dlpack_capsule(self, there: Any, *place: int) -> Any:
        capsule = self.hal.create_dlpack_capsule(there, *place)
        if address_of(capsule) == self.pooled:
            raise RuntimeError("Cannot export device buffer")
        return capsule


def test_what_is_in_a_pool_is_copied_once(
    result: DeviceArray, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.array(result.to_host())
    place = pointer(result)
    pool = WithPool(result.device.hal, place)
    monkeypatch.setattr(result.device, "hal", pool)
    with pytest.raises(BufferError, match=r"Cannot export.*allow one copy"):
        result.__dlpack__(copy=False)
    assert pointer(result, stream=1) != place
    assert pointer(result, stream=1) == pointer(result, copy=False)
    np.testing.assert_array_equal(result.map(), numbers)


class Driver:
    """`libcuda.so.1` with two GPUs, which records requests and fails where told to.

    Attributes:
        asked: The functions, in order.
    """

    def __init__(self, failures: dict[str, int] | None = None) -> None:
        self.failures = failures or {}
        self.asked: list[str] = []

    def __getattr__(self, function: str) -> Any:
        def call(*arguments: Any) -> int:
            self.asked.append(function)
            if function == "cuDeviceGet":
                arguments[0]._obj.value = arguments[1]
            if function == "cuDeviceGetAttribute":
                where, attribute, device = arguments
                digits = {75: 8, 76: 9}, {75: 12, 76: 1}
                where._obj.value = digits[device.value][attribute]
            if function == "cuStreamSynchronize":
                assert arguments[0].value == 1
            return self.failures.get(function, 0)

        return call

    def wait(self, number: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cuda_driver, "library", lambda: self)
            _wait(number)


_wait = cuda_driver.wait_for_default_stream


@pytest.mark.parametrize("failure", [{}, {"cuStreamSynchronize": 719}], ids=["", "failing"])
def test_the_default_stream_is_waited_for(failure: dict[str, int]) -> None:
    """In the context that everybody shares, and the thread's own is there again afterwards."""
    driver = Driver(failure)
    if failure:
        with pytest.raises(DeviceError, match="cuStreamSynchronize: CUDA error 719"):
            driver.wait(1)
    else:
        driver.wait(1)
    assert driver.asked == [
        "cuDeviceGet",
        "cuDevicePrimaryCtxRetain",
        "cuCtxPushCurrent_v2",
        "cuStreamSynchronize",
        "cuCtxPopCurrent_v2",
        "cuDevicePrimaryCtxRelease_v2",
    ]


def test_architecture(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_driver, "library", Driver)
    assert (cuda_driver.architecture(0), cuda_driver.architecture(1)) == ("sm_89", "sm_121")
    assert gpu.architecture is None  # of kind "local"
    monkeypatch.setattr(gpu, "kind", "cuda")
    assert gpu.architecture == "sm_89"


def test_a_gpu_has_the_number_that_cuda_has_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gpus:
        def query_available_devices(self) -> list[dict[str, str]]:
            return [{"path": "GPU-00ab"}, {"path": "GPU-00cd"}]

    monkeypatch.setattr(cuda_driver.iree, "get_driver", lambda _: Gpus())
    for name in ("PMI_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    names = ("cuda", "cuda://0", "cuda://1", "cuda://GPU-00cd", "cuda://GPU-00AB")
    assert [cuda_driver.number_of(name) for name in names] == [0, 0, 1, 1, 0]
    monkeypatch.setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1")
    assert [cuda_driver.number_of(name) for name in names[:2]] == [1, 0]

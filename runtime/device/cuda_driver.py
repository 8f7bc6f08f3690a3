"""Direct calls of NVIDIA's driver, for queries that IREE's Python API lacks.

`libcuda.so.1` is present and initialised once IREE has opened a device. Source: CUDA Driver API
(https://docs.nvidia.com/cuda/cuda-driver-api).
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

import iree.runtime as iree

from rnn_compiler.errors import DeviceError

__all__ = [
    "DEFAULT_STREAM",
    "architecture",
    "devices_here",
    "number_of",
    "wait_for_default_stream",
]

DEFAULT_STREAM = 1
"""The legacy default stream, in CUDA (`CU_STREAM_LEGACY`) and in the array API."""

_MAJOR, _MINOR = 75, 76
"""`CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...`."""


def number_of(uri: str) -> int:
    """CUDA's number for an open device, by IREE's names: ``cuda://1``, ``cuda://GPU-<uuid>``."""
    path = uri.partition("://")[2]
    if not path:  # IREE's default
        path = os.environ.get("PMI_RANK") or os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK") or "0"
    if path.isdigit():
        return int(path)
    driver: Any = iree.get_driver("cuda")
    paths = [each["path"].lower() for each in driver.query_available_devices()]
    return paths.index(path.lower())


def devices_here() -> str:
    """The GPUs of this machine in words; empty without a driver."""
    try:
        driver: Any = iree.get_driver("cuda")
        devices = driver.query_available_devices()
    except RuntimeError:  # no libcuda.so
        return ""
    names = [f"cuda://{number} ({each['name']})" for number, each in enumerate(devices)]
    return f"NVIDIA GPUs here: {', '.join(names) or 'none'}"


def architecture(number: int) -> str:
    """The architecture of a device, ``sm_89`` for compute capability 8.9.

    Raises:
        DeviceError: The driver failed.
    """
    device, digits = _device(number), (ctypes.c_int(), ctypes.c_int())
    for digit, attribute in zip(digits, (_MAJOR, _MINOR), strict=True):
        _call("cuDeviceGetAttribute", ctypes.byref(digit), attribute, device)
    return f"sm_{digits[0].value}{digits[1].value}"


def wait_for_default_stream(number: int) -> None:
    """Waits until all work on the default stream of a device is done.

    The stream is that of the primary context, which PyTorch, XLA and IREE share.

    Raises:
        DeviceError: The driver failed, possibly in another framework's work.
    """
    device, context = _device(number), ctypes.c_void_p()
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    try:
        _call("cuCtxPushCurrent_v2", context)
        try:
            _call("cuStreamSynchronize", ctypes.c_void_p(DEFAULT_STREAM))
        finally:
            _call("cuCtxPopCurrent_v2", ctypes.byref(context))
    finally:
        _call("cuDevicePrimaryCtxRelease_v2", device)


@functools.cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _device(number: int) -> ctypes.c_int:
    device = ctypes.c_int()
    _call("cuDeviceGet", ctypes.byref(device), number)
    return device


def _call(function: str, *arguments: Any) -> None:
    status = getattr(library(), function)(*arguments)
    if status:
        raise DeviceError(f"{function}: CUDA error {status}")

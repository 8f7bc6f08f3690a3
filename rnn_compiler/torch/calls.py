"""Calls of compiled ops on torch's tensors: finds the function of an op.

Each op, at given shapes, dtype and attributes, has one function per device: it is compiled at the
first call, or found in the cache, and stays loaded. `prepared` converts tensors to its arguments.

An op runs on the device of its tensors. On the CPU, `rnn_compiler.target` and the environment
choose a device as for `raw_ops`; if they do not, torch's number of threads decides: with one
thread, an op runs in the calling thread.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import torch

from rnn_compiler.base.systems import after_fork
from rnn_compiler.chosen_target import current_target, named_device
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime.arguments import check_argument
from rnn_compiler.runtime.device.devices import device_kind
from rnn_compiler.runtime.device.placement import default_device
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import TensorSpec
from rnn_compiler.torch import open_sizes
from rnn_compiler.torch.errors import InvalidArgumentError, as_torch_raises
from rnn_compiler.torch.prepared import PreparedTensors

__all__ = [
    "KINDS",
    "call",
    "call_gradient",
    "check_devices",
    "dtype_name",
    "forget",
    "prepare",
    "prepared",
    "tensors_of",
]

_NAMES: dict[Any, str] = {getattr(torch, name): name for name in DTYPES if hasattr(torch, name)}
"""This package's names for torch's dtypes."""


def dtype_name(dtype: Any) -> str:
    """The name of one of torch's dtypes, ``"float32"``."""
    return _NAMES.get(dtype) or str(dtype).removeprefix("torch.")


KINDS = {row.torch: kind for kind, row in DEVICE_KINDS.items() if row.torch}
"""The kinds of devices that ops run on, by torch's type."""


@functools.cache
def tensors_of(op: str) -> dict[str, bool]:
    """The tensors that an op takes, including seeds, each with whether it may be None."""
    signature = OPS[op].signature
    seeds = [each.name for each in signature.attributes if each.at_run_time]
    return {
        **{each.name: each.default is not None for each in signature.arguments},
        **dict.fromkeys(seeds, True),
    }


@as_torch_raises
def call(
    op: str,
    tensors: Sequence[Any],
    attributes: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...] | None = None,
) -> list[Any]:
    """Runs an op.

    Args:
        op: TensorFlow's name.
        tensors: Those that `tensors_of` names, in order; None for omitted ones.
        attributes: The compile-time attributes by name.
        outputs: The results to return, in the op's order; None for all.

    Raises:
        InvalidArgumentError: A tensor has the wrong dtype, shape or device.
        DeviceError: The device of the tensors is not supported.
    """
    return prepared(op, tensors, attributes, outputs)(tensors)


def prepared(
    op: str,
    tensors: Sequence[Any],
    attributes: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...] | None = None,
) -> PreparedTensors:
    """The function that `call` runs for tensors of these types."""
    where = current_target(), named_device(), torch.get_num_threads() == 1
    return prepare(op, _types(tensors), attributes, outputs, *where)


@as_torch_raises
def call_gradient(
    forward: PreparedTensors,
    op: str,
    tensors: Sequence[Any],
    attributes: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...],
) -> list[Any]:
    """Runs a gradient op of a call, with the target and device of that call.

    Args:
        forward: The function of the call.
        op: As in `call`.
        tensors: As in `call`.
        attributes: As in `call`.
        outputs: As in `call`.

    Raises:
        InvalidArgumentError: As `call`.
    """
    return prepare(op, _types(tensors), attributes, outputs, *forward.where)(tensors)


def _types(tensors: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([None if t is None else _type_of(t) for t in tensors])


_type_of = attrgetter("shape", "dtype", "device")


def check_devices(op: str, devices: Sequence[Any]) -> Any:
    """The device of an op's tensors, given each tensor's device; None for omitted ones.

    Raises:
        InvalidArgumentError: They are on several devices.
    """
    common: Any = None
    for name, device in zip(tensors_of(op), devices, strict=True):
        if device is None or device == common:
            continue
        if common is not None:
            got = f"one on {device}"
            raise InvalidArgumentError(
                op, name, f"a tensor on {common}, like the other tensors", got
            )
        common = device
    return common


def _device(op: str, devices: Sequence[Any]) -> Any:
    """The device that tensors are on.

    Raises:
        InvalidArgumentError: They are on several devices, or on an unsupported one.
    """
    device = check_devices(op, devices)
    if device.type not in KINDS:
        first = next(iter(tensors_of(op)))
        places = " or on ".join(DEVICE_KINDS[kind].one for kind in KINDS.values())
        raise InvalidArgumentError(op, first, f"a tensor on {places}", f"one on {device}")
    return device


@functools.lru_cache(maxsize=1024)
def prepare(
    op: str,
    types: Sequence[tuple[Any, Any, Any] | None],
    attributes: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...] | None,
    target: str,
    device: str | None,
    alone: bool,
) -> PreparedTensors:
    """The function for tensors of given types, which are checked as in `raw_ops`.

    A type consists of shape, dtype and device.
    """
    where = target, device, alone
    common = _device(op, [each and each[2] for each in types])
    signature = OPS[op].signature
    names = tensors_of(op)
    known = {name: each for name, each in zip(names, types, strict=True) if each is not None}
    form = signature.form(dict(attributes))
    floats = [each.name for each in form.arguments if each.dtype is None and each.name in known]
    dims = form.infer({name: tuple(shape) for name, (shape, _, _) in known.items()})
    spec = signature.specialize(
        dtype=_float_dtype(op, floats[0], known[floats[0]][1]),
        dims=dims,
        attributes=dict(attributes),
        outputs=outputs,
    )
    for argument in spec.arguments:
        if argument.name in known:
            _check(op, argument, *known[argument.name][:2])
        elif argument.default is None:
            raise InvalidArgumentError(op, argument.name, "a tensor", "None")
    kind = KINDS[common.type]
    row = DEVICE_KINDS[kind]
    if target.partition(":")[0] != row.target:
        target = row.target
    if kind != "local":
        device = f"{row.driver}://{common.index or 0}"
    elif device is None or device_kind(device) != kind:
        device = "local-sync" if alone else default_device([spec], kind)
    function = open_sizes.function_for(spec, target, device)
    return PreparedTensors(function, spec, dict(zip(names, types, strict=True)), where)


def forget() -> None:
    """Clears all prepared functions."""
    prepare.cache_clear()
    open_sizes.forget()


after_fork(forget)  # its devices may have lost their threads


def _float_dtype(op: str, name: str, dtype: Any) -> str:
    dtypes = OPS[op].signature.dtypes
    if dtype_name(dtype) not in dtypes:
        got = f"dtype {dtype_name(dtype)}"
        raise InvalidArgumentError(op, name, f"dtype {' or '.join(dtypes)}", got)
    return dtype_name(dtype)


def _check(op: str, spec: TensorSpec, shape: Any, dtype: Any) -> None:
    """Checks the type of a tensor."""
    if dtype not in _NAMES:
        got = f"dtype {dtype_name(dtype)}"
        raise InvalidArgumentError(op, spec.name, f"dtype {spec.dtype}", got)
    array = np.broadcast_to(np.zeros((), DTYPES[_NAMES[dtype]].numpy), tuple(shape))
    check_argument(op, spec, array)

"""Calls of compiled ops on torch's tensors, which pass by DLPack without a copy.

There is a function for each op, at given shapes, dtype and attributes, on a device: compiled at the
first call or found in the cache, and kept. Tensors that are not contiguous, or not where compiled
code wants them (`ALIGNMENT`), are copied. The results are memory of IREE's, which torch then owns.

Where the tensors are decides where an op runs. On the CPU, `rnn_compiler.target` and the
environment choose a device as for `raw_ops`; if they do not, torch's number of threads does: with
one, an op runs in the calling thread.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils.dlpack import from_dlpack, to_dlpack  # pyright: ignore

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.execution import current_target, named_device
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime import DeviceArray, Function
from rnn_compiler.runtime.arguments import check_argument
from rnn_compiler.runtime.device.devices import ALIGNMENT, device_kind
from rnn_compiler.runtime.device.placement import default_device
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.torch import open_sizes
from rnn_compiler.torch.residents import resident

__all__ = ["call", "check_devices", "dtype_name", "forget", "prepare", "tensors_of"]

_NAMES: dict[Any, str] = {getattr(torch, name): name for name in DTYPES if hasattr(torch, name)}
"""What this package calls torch's dtypes."""


def dtype_name(dtype: Any) -> str:
    """The name of one of torch's dtypes, ``"float32"``."""
    return _NAMES.get(dtype) or str(dtype).removeprefix("torch.")


_CPU = torch.device("cpu")


@functools.cache
def tensors_of(op: str) -> dict[str, bool]:
    """The tensors that an op takes, seeds among them, each with whether it may be None."""
    signature = OPS[op].signature
    seeds = [each.name for each in signature.attributes if each.at_run_time]
    return {
        **{each.name: each.default is not None for each in signature.arguments},
        **dict.fromkeys(seeds, True),
    }


def call(
    op: str,
    tensors: Sequence[Any],
    attributes: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...] | None = None,
) -> list[Any]:
    """Runs an op.

    Args:
        op: TensorFlow's name.
        tensors: Those that `tensors_of` names, in order; None for what is left out.
        attributes: Those that are compiled in, by name.
        outputs: The results to give, in the op's order; None for all.

    Raises:
        InvalidArgumentError: A tensor has the wrong dtype, shape or place.
        DeviceError: There is no device where the tensors are.
    """
    types = tuple([None if t is None else (t.shape, t.dtype, t.device) for t in tensors])
    alone = torch.get_num_threads() == 1
    prepared = prepare(op, types, attributes, outputs, current_target(), named_device(), alone)
    return prepared(tensors)


def check_devices(op: str, devices: Sequence[Any]) -> Any:
    """The device that the tensors of an op are on, of None for those that are left out.

    Raises:
        InvalidArgumentError: They are on several.
    """
    place: Any = None
    for name, device in zip(tensors_of(op), devices, strict=True):
        if device is None or device == place:
            continue
        if place is not None:
            got = f"one on {device}"
            raise InvalidArgumentError(op, name, f"a tensor on {place}, as others are", got)
        place = device
    return place


def _place(op: str, devices: Sequence[Any]) -> int | None:
    """The number of the GPU that tensors are on; None for the CPU.

    Raises:
        InvalidArgumentError: They are on several devices, or on one that nothing here runs on.
    """
    device = check_devices(op, devices)
    if device != _CPU and device.type != "cuda":
        first = next(iter(tensors_of(op)))
        expected = "a tensor on the CPU or on an NVIDIA GPU"
        raise InvalidArgumentError(op, first, expected, f"one on {device}")
    return None if device == _CPU else device.index or 0


@functools.lru_cache(maxsize=1024)
def prepare(
    op: str,
    types: Sequence[tuple[Any, Any, Any] | None],
    attributes: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...] | None,
    target: str,
    device: str | None,
    alone: bool,
) -> _Prepared:
    """The function for tensors of some types, checked as `raw_ops` checks them.

    A type is shape, dtype and device.
    """
    place = _place(op, [each and each[2] for each in types])
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
    kind = "local" if place is None else "cuda"
    if target.startswith("cuda") != (kind == "cuda"):
        target = "cpu" if kind == "local" else "cuda"
    if kind == "cuda":
        device = f"cuda://{place}"
    elif device is None or device_kind(device) != kind:
        device = "local-sync" if alone else default_device([spec], kind)
    return _Prepared(open_sizes.function_for(spec, target, device), spec, names)


def forget() -> None:
    """Forgets what is prepared."""
    prepare.cache_clear()
    open_sizes.forget()


os.register_at_fork(after_in_child=forget)  # whose devices may be gone with threads


def _float_dtype(op: str, name: str, dtype: Any) -> str:
    dtypes = OPS[op].signature.dtypes
    if dtype_name(dtype) not in dtypes:
        got = f"dtype {dtype_name(dtype)}"
        raise InvalidArgumentError(op, name, f"dtype {' or '.join(dtypes)}", got)
    return dtype_name(dtype)


def _check(op: str, spec: TensorSpec, shape: Any, dtype: Any) -> None:
    """Checks a tensor by its type alone."""
    if dtype not in _NAMES:
        got = f"dtype {dtype_name(dtype)}"
        raise InvalidArgumentError(op, spec.name, f"dtype {spec.dtype}", got)
    array = np.broadcast_to(np.zeros((), DTYPES[_NAMES[dtype]].numpy), tuple(shape))
    check_argument(op, spec, array)


class _Prepared:
    """A function, and how torch's tensors become its arguments.

    Args:
        function: The function.
        spec: What it is at the sizes of the tensors.
        names: What the tensors are called, in order.
    """

    def __init__(self, function: Function, spec: FunctionSpec, names: Iterable[str]) -> None:
        self._function = function
        self._device = function.device
        self._on_cpu = function.device.kind == "local"
        order = [*names]
        weights = spec.weights if function.prepacks else ()
        self._arguments = [
            _Argument(each, order.index(each.name), each.name in weights, self._default(each))
            for each in spec.arguments
        ]
        self._results = [(each, _bytes(each)) for each in spec.results]

    def _default(self, spec: TensorSpec) -> DeviceArray | None:
        """The array of an argument that may be left out, or that nobody reads."""
        if not spec.ignored and spec.default is None:
            return None
        zeros = np.full(spec.shape, spec.default or 0, DTYPES[spec.dtype].numpy)
        return self._device.put(zeros, spec)

    def __call__(self, tensors: Sequence[Any]) -> list[Any]:
        """Runs the function on tensors of the types that it is for."""
        arrays: list[DeviceArray] = []
        spans: list[tuple[int, int]] = []
        for argument in self._arguments:
            arrays.append(self._passed(argument, tensors[argument.place], spans))
        results = self._function.launch(arrays)
        if not self._on_cpu:
            return [from_dlpack(result) for result in results]
        return [
            _tensor(result, spec, size, spans)
            for result, (spec, size) in zip(results, self._results, strict=True)
        ]

    def _passed(
        self, argument: _Argument, tensor: Any, spans: list[tuple[int, int]]
    ) -> DeviceArray:
        """A tensor as an array, where it is, unless compiled code does not take it there.

        Its memory joins the spans.
        """
        if argument.default is not None and (tensor is None or argument.spec.ignored):
            spans.append(argument.default_span)
            return argument.default
        if argument.spec.maximum is not None and self._on_cpu:
            check_argument(self._function.spec.op, argument.spec, tensor.numpy(force=True))
        contiguous = tensor.is_contiguous()
        if argument.is_weight and contiguous:
            array = resident(tensor, argument.spec, self._device, id(self._function))
            if array is not None:
                return array
        start = tensor.data_ptr()
        if start % ALIGNMENT or not contiguous or tensor.is_neg():
            tensor = tensor.clone(memory_format=torch.contiguous_format).resolve_neg()
            start = tensor.data_ptr()
        spans.append((start, start + argument.size))
        if not self._on_cpu:
            return self._device.view(tensor)
        if not argument.size:
            spec = argument.spec
            return self._device.put(np.zeros(spec.shape, DTYPES[spec.dtype].numpy), spec)
        return self._device.adopt(to_dlpack(tensor), argument.spec)


class _Argument:
    """How a tensor is passed.

    Attributes:
        spec: Its type.
        place: Which of the tensors of a call it is.
        is_weight: Whether it may stay the same from call to call.
        default: What is passed where it is None.
        default_span: The memory of the default, where it is this machine's.
        size: Its bytes.
    """

    def __init__(
        self, spec: TensorSpec, place: int, is_weight: bool, default: DeviceArray | None
    ) -> None:
        self.spec, self.place, self.is_weight, self.default = spec, place, is_weight, default
        self.size = _bytes(spec)
        self.default_span = 0, 0
        if default is not None and default.on_host:
            start: int = default.to_host().__array_interface__["data"][0]
            self.default_span = start, start + self.size


def _tensor(result: DeviceArray, spec: TensorSpec, size: int, taken: list[tuple[int, int]]) -> Any:
    """A result as a tensor that shares its memory with none of those taken, which it joins.

    A module may return one buffer for several equal results, or an argument as it came.
    """
    if not size:
        return torch.empty(spec.shape, dtype=getattr(torch, spec.dtype))
    tensor: Any = from_dlpack(result.capsule())
    start = tensor.data_ptr()
    stop = start + size
    for other_start, other_stop in taken:
        if start < other_stop and other_start < stop:
            return tensor.clone()
    taken.append((start, stop))
    return tensor


def _bytes(spec: TensorSpec) -> int:
    return math.prod(spec.shape) * DTYPES[spec.dtype].numpy.itemsize

"""Compiled functions for torch: its tensors become arguments, and results tensors.

Tensors are passed without a copy unless they are not contiguous or not aligned as compiled code
needs (`ALIGNMENT`): by pointer if a call is direct, otherwise by DLPack, with results in memory
from IREE, which torch then owns. Results of direct calls have storages of their own in memory of
numpy arrays: torch creates those twice as fast as in its own memory. This runs at every call, where
microseconds matter, so tensors are processed with `map` instead of loops.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter, or_
from typing import Any

import numpy as np
import torch
from torch._C import _from_dlpack, _to_dlpack  # pyright: ignore

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.runtime import DeviceArray, Function
from rnn_compiler.runtime.arguments import check_argument
from rnn_compiler.runtime.direct.calls import DirectCalls
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import static_size
from rnn_compiler.schema.schedule import ALIGNMENT
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.torch.own_thread import contiguous_copy
from rnn_compiler.torch.parameters import alone
from rnn_compiler.torch.residents import resident

__all__ = ["PreparedTensors"]


class PreparedTensors:
    """A function prepared for tensors of certain types.

    Attributes:
        where: The requested target and device, and whether torch uses one thread.
    """

    def __init__(
        self,
        function: Function,
        spec: FunctionSpec,
        types: Mapping[str, tuple[Any, Any, Any] | None],
        where: tuple[str, str | None, bool],
    ) -> None:
        """Looks up everything that calls need."""
        self.where, self._device = where, function.device
        self._function, self._spec, self._results = function, spec, spec.results
        self._types_of_results = [*map(_type_of_result, spec.results)]
        self._on_cpu = function.device.kind == "local"
        given = {name: k for k, (name, each) in enumerate(types.items()) if each is not None}
        _, _, device = next(each for each in types.values() if each is not None)
        self._defaults: list[Any] = []
        self._indices: list[int] = []
        for each in spec.arguments:
            if each.name in given and not each.ignored:
                self._indices.append(given[each.name])
                continue
            dtype = getattr(torch, each.dtype)
            default = torch.full(
                each.static_shape, static_size(each.default or 0), dtype=dtype, device=device
            )
            self._indices.append(len(types) + len(self._defaults))
            self._defaults.append(default)
        weights = spec.weights if function.prepacks else ()
        arguments = [*enumerate(spec.arguments)]
        self._weights = [(k, each) for k, each in arguments if each.name in weights]
        self._has_empty = any(0 in each.shape for each in spec.arguments)
        self._bounded = [(k, each) for k, each in arguments if each.maximum is not None]

    def __call__(self, tensors: Sequence[Any]) -> list[Any]:
        """Runs the function on tensors of these types."""
        return self.run(self.ready(tensors))

    def ready(self, tensors: Sequence[Any]) -> Sequence[Any]:
        """The tensors, with copies of those that compiled code cannot use in place."""
        given = [each for each in tensors if each is not None]
        if not self._has_empty and self._are_ready(given):
            return tensors
        return [t if t is None or self._is_ready(t) else contiguous_copy(t) for t in tensors]

    def run(self, tensors: Sequence[Any]) -> list[Any]:
        """Runs the function on tensors that are ready."""
        given = [*map((*tensors, *self._defaults).__getitem__, self._indices)]
        for k, spec in self._bounded if self._on_cpu else ():
            check_argument(self._function.spec.op, spec, given[k].numpy(force=True))
        if not self._on_cpu:
            views = self._function.launch_views([*map(self._device.view, given)])
            specs = zip(views, self._results, strict=True)
            return [torch.from_dlpack(DeviceArray(self._device, *each)) for each in specs]
        arrays = given
        if self._weights:
            arrays = [*given]
            for k, spec in self._weights:
                there = resident(given[k], spec, self._device, id(self._function))
                arrays[k] = given[k] if there is None else there
        calls, packed = self._function.direct_calls(arrays, spec=self._spec)
        if calls is None:
            return self._through_iree(given, arrays)
        return self._on_pointers(calls, given, packed)

    def _on_pointers(
        self, calls: DirectCalls, tensors: Sequence[Any], packed: Sequence[DeviceArray]
    ) -> list[Any]:
        """Calls compiled code with pointers to the elements of tensors and of new results."""
        blocks: list[tuple[Any, int]] = []
        pointers = [*map(torch.Tensor.data_ptr, tensors), *[each.address for each in packed]]
        for size in calls.blocks:
            memory = np.empty(size + ALIGNMENT, _BYTES)
            address = torch.from_numpy(memory).data_ptr()
            start = -address % ALIGNMENT
            blocks.append((memory, start))
            pointers.append(address + start)
        calls.on(pointers)
        results: list[Any] = []
        for (block, offset), kind in zip(calls.results, self._types_of_results, strict=True):
            shape, dtype, view = kind
            memory, start = blocks[block]
            tensor = torch.from_numpy(np.ndarray(shape, dtype, memory, start + offset))
            results.append(tensor if view is None else alone(tensor.view(view)))
        return results

    def _through_iree(self, given: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """Runs the function on tensors, and on arrays in the places of some."""
        views = self._device.adopt(map(_to_dlpack, given))
        for k, _ in self._weights:
            views[k] = views[k] if arrays[k] is given[k] else arrays[k]
        views = self._function.launch_views(views)
        results = [*map(_from_dlpack, self._device.capsules(views))]
        return results if _are_apart(given, results) else _copied_where_shared(given, results)

    def _are_ready(self, tensors: Sequence[Any]) -> bool:
        """Whether compiled code can use all tensors in place.

        Raises:
            UnsupportedError: A tensor has no memory of its own.
        """
        try:
            addresses = functools.reduce(or_, map(torch.Tensor.data_ptr, tensors))
        except RuntimeError as error:  # sparse, or batched by vmap or batched gradients
            raise UnsupportedError(
                f"{self._function.spec.op}: expected dense tensors with memory of their own, "
                f"unlike those of vmap and batched gradients: {str(error).strip()}"
            ) from error
        return (
            addresses % ALIGNMENT == 0
            and all(map(torch.Tensor.is_contiguous, tensors))
            and not any(map(torch.Tensor.is_neg, tensors))
        )

    def _is_ready(self, tensor: Any) -> bool:
        """Whether one tensor is ready; an empty one may have any strides."""
        return bool(tensor.numel()) and self._are_ready([tensor])


_BYTES = np.dtype(np.uint8)


def _type_of_result(spec: TensorSpec) -> tuple[tuple[int, ...], np.dtype[Any], Any]:
    """A result's shape and numpy dtype; and torch's dtype if numpy has none of its size."""
    if spec.dtype == "bfloat16":
        return spec.static_shape, np.dtype(np.int16), torch.bfloat16
    return spec.static_shape, DTYPES[spec.dtype].numpy, None


def _are_apart(taken: Sequence[Any], results: Sequence[Any]) -> bool:
    """Whether no two different tensors share memory."""
    stop = 0
    for start, size in sorted([*{*_spans(taken)}, *_spans(results)]):
        if start < stop:
            return False
        stop = start + size
    return True


def _spans(tensors: Sequence[Any]) -> Iterable[tuple[int, int]]:
    return zip(map(torch.Tensor.data_ptr, tensors), map(_nbytes, tensors), strict=True)


_nbytes = attrgetter("nbytes")


def _copied_where_shared(taken: Iterable[Any], results: Iterable[Any]) -> list[Any]:
    """Results, copied if they share memory with an argument or an earlier result.

    A module may return one buffer for several equal results, or return an argument unchanged.
    """
    owned: list[Any] = []
    for result in results:
        apart = all(_are_apart([result], [other]) for other in (*taken, *owned))
        owned.append(result if apart else contiguous_copy(result))
    return owned

"""Functions of a program: they check arguments, run compiled code and return its results.

A call converts the caller's values to arrays (`Function.__call__`, `runtime.arguments`), runs the
compiled code, either through IREE or directly (`Function.direct_calls`, `runtime.direct`), and
returns arrays that share no memory (`runtime.results`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import iree.runtime as iree
import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, check_keywords
from rnn_compiler.runtime.arguments import (
    as_array,
    by_keyword,
    by_name,
    check_argument,
    default_array,
)
from rnn_compiler.runtime.call_signature import call_signature, documentation, with_sequence
from rnn_compiler.runtime.device.buffer_pool import is_watched, watched
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.device.waiting import GivingWay, wait
from rnn_compiler.runtime.direct.calls import DirectCalls
from rnn_compiler.runtime.direct.executor import DirectExecutor
from rnn_compiler.runtime.direct.functions import DirectFunction
from rnn_compiler.runtime.loading import find_function
from rnn_compiler.runtime.memo import Memo
from rnn_compiler.runtime.prepacking import Prepacking, packed_arrays
from rnn_compiler.runtime.results import fetched, result_type
from rnn_compiler.runtime.stream import Stream
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.notebook import page
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, function_tables

__all__ = ["Function"]


class Function:
    """One function of a program.

    Attributes:
        spec: Its op, dimensions, arguments and results.
        device: Its device.
        prepacks: Whether weights that stay on the device are packed once (`prepacking`).
        is_direct: Whether short calls bypass IREE (`direct`).
    """

    def __init__(
        self,
        spec: FunctionSpec,
        device: Device,
        context: Any,
        module: Any,
        direct: Mapping[str, DirectFunction],
        *,
        prepack: bool,
    ) -> None:
        self.spec, self.device = spec, device
        self.__name__ = self.__qualname__ = spec.function
        self.__doc__ = documentation(spec)
        self.__signature__ = call_signature(spec.arguments, spec.sequence)
        self._context, self._function = context, find_function(module, spec)
        indices = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
        self._prepack, self._prepacked = map(module.lookup_function, (spec.prepack, spec.prepacked))
        self.prepacking = Prepacking(device, indices, self._run_prepack)
        there = None not in (self._prepack, self._prepacked)
        self._is_packed = there and bool(spec.frozen)
        if self._is_packed:  # by IREE; this moves them to huge pages
            packed = self._run_prepack(())
            if spec.prepack in direct:
                direct[spec.prepack].take_packed(packed)
        all_there = len(indices) == len(spec.weights) > 0
        self.prepacks = prepack and there and all_there and not spec.frozen
        self._names = dict.fromkeys(argument.keyword for argument in spec.arguments)
        self._has_lists = any(tensor.list for tensor in (*spec.arguments, *spec.results))
        optional = {each.name for each in spec.arguments if each.default is not None}
        self._required = [name for name in self._names if name not in optional]
        fields = dict.fromkeys(result.keyword for result in spec.results)
        self._results = result_type(spec.op, tuple(fields))
        self._iree_calls, self._memo = 0, Memo(spec, device, direct, packs=self.prepacks)
        self.is_direct = self._memo.is_direct

    def __repr__(self) -> str:
        return f"Function({self.spec.function} on {self.device.uri}: {self.spec})"

    def _repr_html_(self) -> str:
        return page(self, function_tables([self.spec]))

    def __call__(self, *sequence: object, to_host: bool = True, **arguments: object) -> Any:
        """Runs the function.

        Args:
            *sequence: The sequence, if the function takes one (`FunctionSpec.sequence`).
            to_host: Whether to return numpy arrays, or leave the results on the device.
            **arguments: Every argument of the op by TensorFlow's name. Seeds, and initial states
                that are zeros, may be None or omitted.

        Returns:
            A named tuple with TensorFlow's output names, of numpy arrays or `DeviceArray`, or of
            lists of them.

        Raises:
            TypeError: An argument is unknown or missing.
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
        """
        if sequence:
            arguments = with_sequence(self.__name__, self.spec.sequence, sequence, arguments)
        if (found := self._memo.repeat(arguments, to_host)) is not None:
            return self._results(*found)
        if arguments.keys() != self._names.keys():
            check_keywords(self.spec.function, arguments, [*self._names], self._required)
        if self._has_lists:
            arguments = by_name(self.spec.op, self.spec.arguments, arguments)
        _, arrays = self.checked(arguments)
        return self.invoke(arrays, to_host=to_host, given=arguments.keys())

    def stream(self, **arguments: object) -> Stream:
        """Creates a stream: it takes a sequence in chunks and keeps the state on the device.

        Args:
            **arguments: The arguments that stay the same for all chunks, such as weights, and the
                initial state; zeros if it is not given.

        Returns:
            The stream. ``stream(chunk)`` takes a chunk of any number of steps; the results are
            those of one long call.

        Raises:
            TypeError: An argument is unknown or missing.
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
            UnsupportedError: The function cannot be streamed; the message says why.
        """
        return Stream(self, arguments)

    def checked(
        self, arguments: Mapping[str, object]
    ) -> tuple[FunctionSpec, list[npt.NDArray[Any] | DeviceArray]]:
        """The function at the sizes of a call, and all of its arguments in order, checked.

        Raises:
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
        """
        if self._memo.is_open:
            arguments = self._viewed(arguments)
        spec = self._memo.spec_of(arguments)
        return spec, [self._checked(each, arguments.get(each.name)) for each in spec.arguments]

    def session_executor(self, spec: FunctionSpec, shown: Sequence[int]) -> DirectExecutor | None:
        """As `Memo.session_executor`."""
        return self._memo.session_executor(spec, shown)

    def _viewed(self, arguments: Mapping[str, object]) -> dict[str, Any]:
        """The given arguments as arrays."""
        return {
            spec.name: as_array(
                self.spec.op, spec.name, arguments[spec.name], spec.dtype, self.device.uri
            )
            for spec in self.spec.arguments
            if arguments.get(spec.name) is not None
        }

    def _checked(self, spec: TensorSpec, value: object) -> npt.NDArray[Any] | DeviceArray:
        """The caller's value for an argument as a checked array."""
        if isinstance(value, DeviceArray) and value.matches(spec):
            return value
        if value is None and spec.default is not None:
            return default_array(spec)
        array = as_array(self.spec.op, spec.name, value, spec.dtype, self.device.uri)
        check_argument(self.spec.op, spec, array)
        return array

    def invoke(
        self,
        arrays: Sequence[npt.NDArray[Any] | DeviceArray],
        *,
        to_host: bool = True,
        given: Set[str] | None = None,
    ) -> Any:
        """Runs the function on checked arrays in the order of its arguments.

        A call with the arguments of which the caller has `given` these can be repeated.

        Raises:
            DeviceError: The device ran out of memory, or does not work in this process.
        """
        values: Sequence[Any]
        self.device.check_usable()
        spec = self._memo.spec_of_all(arrays)
        direct, packed = self.direct_calls(arrays, spec=spec)
        if direct is not None:
            values = direct(arrays, packed, None if to_host else self.device)
        else:
            with self._in_flight():
                there = self.on_device(arrays, spec)
                for number in spec.continued:  # the code may write to them
                    if there[number] is arrays[number]:
                        there[number] = there[number].copy()
                results = self._arrays(self._launch(there, packed), arrays)
                values = fetched(results, arrays) if to_host else results
                if not to_host:
                    self.hand_out(results, arrays)
        if given is not None:
            self._memo.note(given, arrays, direct, packed)
        if self._has_lists:
            return self._results(**by_keyword(self.spec.results, values))
        return self._results(*values)

    def launch(self, arrays: Sequence[DeviceArray]) -> list[DeviceArray]:
        """Runs the function on checked arrays on its device, in the order of its arguments.

        Returns:
            Its results on the device. They may share memory with each other and with arguments; the
            caller must handle that.

        Raises:
            DeviceError: The device ran out of memory, or does not work in this process.
        """
        return self._arrays(self.launch_views(arrays), arrays)

    def launch_views(self, arrays: Sequence[Any]) -> list[Any]:
        """Like `launch`, for `DeviceArray` or IREE's buffer views; returns such views."""
        self.device.check_usable()
        with self._in_flight():
            return self._launch(arrays, self._packed(arrays))

    def _arrays(self, views: Sequence[Any], given: Sequence[Any]) -> list[DeviceArray]:
        """The results of a call with given arguments, as arrays."""
        specs = self._memo.spec_of_all(given).results
        return [DeviceArray(self.device, *each) for each in zip(views, specs, strict=True)]

    def _in_flight(self) -> AbstractContextManager[None]:
        """What a call through IREE runs in; occasionally it checks the buffer pool."""
        self._iree_calls += 1
        is_local = self.device.kind == "local"
        return self._watched() if is_local and is_watched(self._iree_calls) else RUNNING

    @contextmanager
    def _watched(self) -> Generator[None, None, None]:
        """Runs a call, and checks the buffer pool."""
        with RUNNING, watched(self.device.hal.allocator):
            yield

    def hand_out(
        self,
        results: Sequence[DeviceArray],
        arrays: Sequence[npt.NDArray[Any] | DeviceArray],
    ) -> None:
        """Makes results of `launch` independent of arguments that may be written to."""
        written = [each for each in arrays if isinstance(each, DeviceArray) and each.exported]
        for result in results:
            if written and result.shares_memory(written):
                result.move()
            self.device.keep(result)

    def direct_calls(
        self, arrays: Sequence[Any], *, spec: FunctionSpec | None = None, again: bool = False
    ) -> tuple[DirectCalls | None, Sequence[DeviceArray]]:
        """Direct calls for arrays like these (`Memo.calls`), and the packed weights."""
        packed = self._packed(arrays)
        spec = spec or self._memo.spec_of_all(arrays)
        return self._memo.calls(spec, bool(packed), again), packed

    def _packed(self, arrays: Sequence[Any]) -> Sequence[DeviceArray]:
        """The packed weights of a call's arguments."""
        return self.prepacking.of(arrays) if self.prepacks else ()

    def _launch(self, there: Sequence[Any], packed: Sequence[DeviceArray]) -> list[Any]:
        """Runs the function on arguments that are on the device, with packed weights."""
        inputs = iree.VmVariantList(len(there))
        for array in there:
            inputs.push_ref(array.ref)
        outputs = iree.VmVariantList(len(self.spec.results))
        try:
            if packed or self._is_packed:
                self._run_prepacked(inputs, packed, outputs)
            else:
                self.call_module(self._function, inputs, outputs)
        except (RuntimeError, ValueError, LookupError) as error:
            raise DeviceError(f"{self.spec.op}: {self.device.uri}: {str(error).strip()}") from error
        return [outputs.get_as_object(k, iree.HalBufferView) for k in range(len(outputs))]

    def on_device(
        self, arrays: Sequence[npt.NDArray[Any] | DeviceArray], spec: FunctionSpec
    ) -> list[DeviceArray]:
        """Arguments on the device, copied there if necessary."""
        return [*map(self._on_device, arrays, spec.arguments)]

    def _on_device(self, array: npt.NDArray[Any] | DeviceArray, spec: TensorSpec) -> DeviceArray:
        """An argument on the device, copied there if necessary."""
        if (
            isinstance(array, DeviceArray)
            and array.device is self.device
            and array.shape == spec.shape
        ):
            return array
        if spec.ignored:
            array = np.zeros(spec.static_shape, DTYPES[spec.dtype].numpy)
        host: Any = array.to_host() if isinstance(array, DeviceArray) else array
        return self.device.put(host.reshape(spec.static_shape), spec)

    def call_module(self, function: Any, inputs: Any, outputs: Any) -> None:
        """Runs a function synchronously."""
        if self.device.has_threads:
            with GivingWay():
                self._context.invoke(function, inputs, outputs)
        else:
            self._context.invoke(function, inputs, outputs)

    def _run_prepacked(self, inputs: Any, packed: Sequence[DeviceArray], outputs: Any) -> None:
        """Runs the companion that takes packed weights, and waits for it."""
        for array in packed:
            inputs.push_ref(array.ref)
        semaphore = self.device.hal.create_semaphore(0)
        for value in (0, 1):  # the fences to wait for and to signal
            inputs.push_ref(iree.HalFence.create_at(semaphore, value).ref)
        self._context.invoke(self._prepacked, inputs, outputs)
        wait(semaphore, 1, self.device.patience)

    def _run_prepack(self, weights: Sequence[DeviceArray]) -> Sequence[DeviceArray]:
        """Runs the companion that packs the weights, or returns the packed frozen ones."""
        inputs = iree.VmVariantList(len(weights))
        for array in weights:
            inputs.push_ref(array.ref)
        outputs = iree.VmVariantList(len(weights))
        with RUNNING:
            self.call_module(self._prepack, inputs, outputs)
        return packed_arrays(
            self.device,
            [outputs.get_as_object(k, iree.HalBufferView) for k in range(len(outputs))],
        )

"""Programs: artifacts loaded onto a device, ready to be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import iree.runtime as iree
import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import ArtifactError, DeviceError, check_keywords, with_hint
from rnn_compiler.runtime.arguments import (
    as_array,
    by_keyword,
    by_name,
    check_argument,
    default_array,
    resident,
)
from rnn_compiler.runtime.at_sizes import AtSizes
from rnn_compiler.runtime.call_signature import call_signature, documentation, with_sequence
from rnn_compiler.runtime.device.buffer_pool import is_watched, watched
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.device.waiting import GivingWay, wait
from rnn_compiler.runtime.direct.calls import Calls
from rnn_compiler.runtime.direct.functions import DirectFunction, direct_functions
from rnn_compiler.runtime.direct.routing import Routing
from rnn_compiler.runtime.loading import find_function, load_module
from rnn_compiler.runtime.prepacking import Prepacking, packed_arrays
from rnn_compiler.runtime.results import fetched, result_type
from rnn_compiler.runtime.stream import Stream
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, Manifest, TensorSpec
from rnn_compiler.schema.notebook import function_table, function_tables, page

__all__ = ["Function", "Program"]


class Program:
    """A loaded module. Calling it calls its only function; each function is also an attribute.

    Attributes:
        manifest: What is known about the module.
        device: The device it is on.
        functions: Its functions by name.

    `runtime.load` says what `prepack` is.

    Example:
        ``program(x, ...)`` and ``program.block_lstm_v2(x=x, ...)`` give a named tuple of arrays
        with TensorFlow's output names.
    """

    def __init__(
        self,
        manifest: Manifest,
        payload: bytes,
        device: Device,
        *,
        prepack: bool = True,
        archive: bytes | None = None,
    ) -> None:
        if manifest.target.device != device.kind:
            raise DeviceError(
                f"compiled for {manifest.target.name} (a {manifest.target.device} device), "
                f"cannot run on {device.uri!r}"
            )
        if archive is None and any(spec.frozen for spec in manifest.functions):
            raise ArtifactError("the artifact's frozen weights are missing: compile it again")
        self.manifest = manifest
        self.device = device
        self._context, module = load_module(manifest, payload, device, archive)
        direct = direct_functions(payload, archive) if device.kind == "local" else {}
        self.functions = {
            spec.function: Function(spec, device, self._context, module, direct, prepack=prepack)
            for spec in manifest.functions
        }
        if len(self.functions) == 1:
            (self.__signature__,) = (each.__signature__ for each in self.functions.values())

    def __call__(self, *sequence: object, to_host: bool = True, **arguments: object) -> Any:
        """Calls the only function of the module; see `Function.__call__`.

        Raises:
            TypeError: The module has several functions: call one of them by name.
        """
        return self._only("call", "(...)")(*sequence, to_host=to_host, **arguments)

    def stream(self, **arguments: object) -> Stream:
        """A stream of the only function; see `Function.stream`.

        Raises:
            TypeError: The module has several functions: stream one of them by name.
        """
        return self._only("stream", ".stream(...)").stream(**arguments)

    def _only(self, verb: str, how: str) -> Function:
        """The only function; where there are several, an error says how to use one of them."""
        if len(self.functions) != 1:
            names = ", ".join(f"program.{name}{how}" for name in self.functions)
            raise TypeError(f"this program has several functions, {verb} one of them: {names}")
        return next(iter(self.functions.values()))

    def __getattr__(self, name: str) -> Function:
        functions: dict[str, Function] = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        message = f"program has no function {name!r}; it has {', '.join(functions)}"
        raise AttributeError(with_hint(message, name, functions))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        return f"Program({', '.join(self.functions)} on {self.device.uri})"

    def _repr_html_(self) -> str:
        return page(self, function_tables([each.spec for each in self.functions.values()]))

    def to_device(self, array: object) -> DeviceArray:
        """Puts an array on the program's device once and for all.

        Args:
            array: Anything numpy can view, or a tensor on the program's GPU, of a dtype that ops
                take. Later changes to it do not show.

        Raises:
            InvalidArgumentError: It is not an array of numbers of such a dtype.
        """
        return resident(array, self.device)


class Function:
    """One function of a program.

    Attributes:
        spec: Its op, dimensions, arguments and results.
        device: Where it runs.
        prepacks: Whether weights that stay on the device are packed once (`prepacking`).
        is_direct: Whether short calls go without IREE (`direct`).
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
        self._context = context
        self._function = find_function(module, spec)
        places = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
        self._prepack, self._prepacked = map(module.lookup_function, (spec.prepack, spec.prepacked))
        self.prepacking = Prepacking(device, places, self._pack)
        there = None not in (self._prepack, self._prepacked)
        self._is_packed = there and bool(spec.frozen)
        self._routing = Routing(spec, device, direct)
        if self._is_packed:  # by IREE: this moves them to huge pages
            self._routing.take_packed(self._pack(()))
        all_there = len(places) == len(spec.weights) > 0
        self.prepacks = prepack and there and all_there and not spec.frozen
        self._names = dict.fromkeys(argument.keyword for argument in spec.arguments)
        self._has_lists = any(tensor.list for tensor in (*spec.arguments, *spec.results))
        optional = [argument.name for argument in spec.arguments if argument.default is not None]
        self._required = [name for name in self._names if name not in optional]
        fields = dict.fromkeys(result.keyword for result in spec.results)
        self._results = result_type(spec.op, tuple(fields))
        self._calls, self._at_sizes = 0, AtSizes(spec)
        self.is_direct = self._routing.is_direct

    def __repr__(self) -> str:
        return f"Function({self.spec.function} on {self.device.uri}: {self.spec})"

    def _repr_html_(self) -> str:
        return page(self, function_table(self.spec))

    def __call__(self, *sequence: object, to_host: bool = True, **arguments: object) -> Any:
        """Runs the function.

        Args:
            *sequence: The sequence, of a function that takes one (`FunctionSpec.sequence`).
            to_host: Whether to return numpy arrays, or leave the results on the device.
            **arguments: Every argument of the op, by TensorFlow's name. Seeds, and initial states
                that are zeros, may be None or left out.

        Returns:
            A named tuple with TensorFlow's output names, of numpy arrays or `DeviceArray`, or lists
            of them.

        Raises:
            TypeError: An argument is unknown or missing.
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
        """
        specs = self.spec.arguments
        if sequence:
            arguments = with_sequence(self.__name__, self.spec.sequence, sequence, arguments)
        if arguments.keys() != self._names.keys():
            check_keywords(self.spec.function, arguments, [*self._names], self._required)
        if self._has_lists:
            arguments = by_name(self.spec.op, specs, arguments)
        if self._at_sizes.is_open:
            arguments = self._viewed(arguments)
            specs = self._at_sizes.of(arguments).arguments
        arrays = [self._checked(spec, arguments.get(spec.name)) for spec in specs]
        return self.invoke(arrays, to_host=to_host)

    def stream(self, **arguments: object) -> Stream:
        """A stream: the function for a sequence in chunks, whose state stays on the device.

        Args:
            **arguments: What stays the same from chunk to chunk, such as weights, and the state
                before the first chunk, zeros if it is not given.

        Returns:
            The stream. ``stream(chunk)`` takes a chunk of any number of steps, and the numbers are
            those of one long call.

        Raises:
            TypeError: An argument is unknown or missing.
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
            UnsupportedError: The function cannot go on where it ended; the message says why.
        """
        return Stream(self, arguments)

    def _viewed(self, arguments: Mapping[str, object]) -> dict[str, Any]:
        """The arguments that are given, as arrays."""
        return {
            spec.name: as_array(
                self.spec.op, spec.name, arguments[spec.name], spec.dtype, self.device.uri
            )
            for spec in self.spec.arguments
            if arguments.get(spec.name) is not None
        }

    def _checked(self, spec: TensorSpec, value: object) -> npt.NDArray[Any] | DeviceArray:
        """What a caller passes for an argument as an array that it takes."""
        if isinstance(value, DeviceArray) and value.matches(spec):
            return value
        if value is None and spec.default is not None:
            return default_array(spec)
        array = as_array(self.spec.op, spec.name, value, spec.dtype, self.device.uri)
        check_argument(self.spec.op, spec, array)
        return array

    def invoke(
        self, arrays: Sequence[npt.NDArray[Any] | DeviceArray], *, to_host: bool = True
    ) -> Any:
        """Runs the function on arrays that are known to be what it takes, in order.

        Raises:
            DeviceError: The device ran out of memory, or does not work in this process.
        """
        return self._watched(self._invoke, arrays, to_host)

    def launch(self, arrays: Sequence[DeviceArray]) -> list[DeviceArray]:
        """Runs the function on arrays of its device that are what it takes, in order.

        Returns:
            Its results on the device. They may lie in one memory, with each other and with
            arguments; that is for the caller to see to.

        Raises:
            DeviceError: The device ran out of memory, or does not work in this process.
        """
        return self._arrays(self.launch_views(arrays), arrays)

    def launch_views(self, arrays: Sequence[Any]) -> list[Any]:
        """What `launch` does, of `DeviceArray` or IREE's buffer views; gives such views."""
        return self._watched(self._launch, arrays, self._packed(arrays))

    def _arrays(self, views: Sequence[Any], given: Sequence[Any]) -> list[DeviceArray]:
        """Results as arrays, of a call of something."""
        specs = self._at_sizes.of_all(given).results
        return [DeviceArray(self.device, *each) for each in zip(views, specs, strict=True)]

    def _watched(self, run: Callable[..., Any], *arguments: object) -> Any:
        """Runs something that calls the function, now and then looking at the pool."""
        self.device.check_usable()
        self._calls += 1
        with RUNNING:
            if is_watched(self._calls) and self.device.kind == "local":
                with watched(self.device.hal.allocator):
                    return run(*arguments)
            return run(*arguments)

    def _invoke(self, arrays: Sequence[npt.NDArray[Any] | DeviceArray], to_host: bool) -> Any:
        values: Sequence[Any]
        spec = self._at_sizes.of_all(arrays)
        direct, packed = self.direct_calls(arrays)
        if direct is not None:
            values = direct(arrays, packed)
            if not to_host:
                each = zip(values, spec.results, strict=True)
                values = [self.device.keep(self.device.adopt_array(*pair)) for pair in each]
        else:
            there = [*map(self._on_device, arrays, spec.arguments)]
            results = self._arrays(self._launch(there, packed), arrays)
            values = fetched(results, arrays) if to_host else results
            if not to_host:
                self.hand_out(results, arrays)
        if self._has_lists:
            return self._results(**by_keyword(self.spec.results, values))
        return self._results(*values)

    def hand_out(
        self,
        results: Sequence[DeviceArray],
        arrays: Sequence[npt.NDArray[Any] | DeviceArray],
    ) -> None:
        """Makes results of `launch` arrays of their own, whoever writes into an argument."""
        written = [each for each in arrays if isinstance(each, DeviceArray) and each.exported]
        for result in results:
            if written and result.shares_memory(written):
                result.move()
            self.device.keep(result)

    def direct_calls(
        self, arrays: Sequence[Any], *, spec: FunctionSpec | None = None, again: bool = False
    ) -> tuple[Calls | None, Sequence[DeviceArray]]:
        """Direct calls with arrays like some (`Routing.of`), and what is packed of the weights."""
        packed = self._packed(arrays)
        spec = spec or self._at_sizes.of_all(arrays)
        return self._routing.of(spec, bool(packed), again), packed

    def _packed(self, arrays: Sequence[Any]) -> Sequence[DeviceArray]:
        """What is packed of the weights among a call's arguments."""
        return self.prepacking.of(arrays) if self.prepacks else ()

    def _launch(self, there: Sequence[Any], packed: Sequence[DeviceArray]) -> list[Any]:
        """Runs the function on arguments that are there, and weights that are packed."""
        inputs = iree.VmVariantList(len(there))
        for array in there:
            inputs.push_ref(array.ref)
        outputs = iree.VmVariantList(len(self.spec.results))
        try:
            if packed or self._is_packed:
                self._run_prepacked(inputs, packed, outputs)
            else:
                self.call_module(self._function, inputs, outputs)
        except (RuntimeError, ValueError) as error:
            raise DeviceError(f"{self.spec.op}: {self.device.uri}: {str(error).strip()}") from error
        return [outputs.get_as_object(k, iree.HalBufferView) for k in range(len(outputs))]

    def _on_device(self, array: npt.NDArray[Any] | DeviceArray, spec: TensorSpec) -> DeviceArray:
        """An argument on the device, copied if it is not."""
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
        """Runs a function that returns when its results are there."""
        if self.device.has_threads:
            with GivingWay():
                self._context.invoke(function, inputs, outputs)
        else:
            self._context.invoke(function, inputs, outputs)

    def _run_prepacked(self, inputs: Any, packed: Sequence[DeviceArray], outputs: Any) -> None:
        """Runs the companion that takes its weights packed, and waits for it."""
        for array in packed:
            inputs.push_ref(array.ref)
        semaphore = self.device.hal.create_semaphore(0)
        for value in (0, 1):  # when to begin, and what to do at the end
            inputs.push_ref(iree.HalFence.create_at(semaphore, value).ref)
        self._context.invoke(self._prepacked, inputs, outputs)
        wait(semaphore, 1, self.device.patience)

    def _pack(self, weights: Sequence[DeviceArray]) -> Sequence[DeviceArray]:
        """Runs the companion that packs the weights, or gives what is packed of frozen ones."""
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

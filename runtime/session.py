"""Sessions: the functions of a program with states, which stay on the device between calls.

A call passes the arguments that are no states and returns the results that are none. On CPUs,
compiled code updates the states where they are.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import DeviceError, InvalidArgumentError, check_keywords
from rnn_compiler.runtime.call_signature import call_signature, documentation, with_sequence
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.direct.bindings import Binding
from rnn_compiler.runtime.direct.executor import DirectExecutor
from rnn_compiler.runtime.function import Function
from rnn_compiler.runtime.named_functions import NamedFunctions
from rnn_compiler.runtime.results import fetched, result_type
from rnn_compiler.runtime.states import checked_states, read_states, write_block, write_states
from rnn_compiler.runtime.trained_file import write_trained
from rnn_compiler.schema.manifest import SourceSpec
from rnn_compiler.schema.notebook import page, table
from rnn_compiler.schema.specs import FunctionSpec, states_of

__all__ = ["Session", "SessionFunction"]

_SIZES = 16
"""The number of argument sizes for which a function's calls are kept."""


_LOST = (
    "the states of the session may be half updated and are gone: give it all of them again by "
    "reset(), revert(), load(path) or session.state = values"
)


class Session(NamedFunctions["SessionFunction"], kind="session"):
    """The functions of a program, with their own copy of its states.

    Each function is an attribute, ``session.train(x=..., target=...)``; with one function, the
    session itself is called. One that is named like an attribute of the session's own, such as
    ``save``, is called as ``session.functions["save"](...)``, and a warning says so. Calls of
    several threads run one after the other.

    If a call fails while compiled code runs, the states may be half updated, and the session keeps
    none of them: `reset`, `revert`, `load` or assigning `state` gives it values again.

    Attributes:
        functions: Its functions by name.
        arrays: The states by name, on the device; calls update or replace them.

    Example:
        >>> import rnn_compiler as rc
        >>> text = '''
        ... func.func @count(%total: tensor<2xf32> {tf.aliasing_output = 0 : i32},
        ...     %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
        ...   %sum = stablehlo.add %total, %x : tensor<2xf32>
        ...   %twice = stablehlo.add %sum, %sum : tensor<2xf32>
        ...   return %sum, %twice : tensor<2xf32>, tensor<2xf32>
        ... }'''
        >>> program = rc.runtime.load(rc.compile(rc.link_module(text), "cpu:generic"))
        >>> session = program.session(total=[1, 2])
        >>> session([3, 4]).result1.tolist(), session([1, 1]).result1.tolist()
        ([8.0, 12.0], [10.0, 14.0])
        >>> session.state["total"].tolist()
        [5.0, 7.0]
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        device: Device,
        given: Mapping[str, Any],
        initial: Mapping[str, npt.NDArray[Any]],
        source: SourceSpec | None = None,
    ) -> None:
        """Creates it.

        Args:
            functions: The functions of the program.
            device: Its device.
            given: Values of states, or trees of them.
            initial: The values of states that are not given.
            source: For a training step: the file of its network.
        """
        self._specs = [each.spec for each in functions.values()]
        tensors = states_of(self._specs)
        if not tensors:
            raise InvalidArgumentError(
                *("session", "program", "a program with states", "none of its functions has one"),
                "donate what a call updates: jax.jit(step, donate_argnums=...) before the export",
            )
        values = {**initial, **checked_states("session", self._specs, given)}
        missing = [name for name in tensors if name not in values]
        if missing:
            expected, got = f"values for the states {', '.join(tensors)}", "none for "
            got += ", ".join(missing[:9]) + (f" and {len(missing) - 9} more" if missing[9:] else "")
            remedy = "pass them here, or store them in the artifact: link_module(..., states=...)"
            raise InvalidArgumentError("session", "states", expected, got, remedy)
        self._device, self._tensors, self._lock = device, tensors, RLock()
        self._source = source
        self._first = {name: values[name] for name in tensors}
        self._kept: dict[str, npt.NDArray[Any]] | None = None
        self.arrays = _States()
        super().__init__(
            {
                name: SessionFunction(each, self.arrays, self._lock)
                for name, each in functions.items()
            }
        )
        self._put(self._first)
        own = [name for name in self.functions if name in vars(self) or hasattr(Session, name)]
        if own:
            calls = ", ".join(f"session.functions[{name!r}](...)" for name in own)
            warnings.warn(
                f"session: {', '.join(own)}: named like what a session has itself; call {calls}",
                stacklevel=3,
            )

    def __call__(self, *sequence: object, **arguments: object) -> Any:
        """Calls the only function; see `SessionFunction.__call__`.

        Raises:
            TypeError: There are several functions: call one of them by name.
        """
        function = self._single or self._only("call", "(...)")
        return function(*sequence, **arguments)

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the states, by name.

        Raises:
            DeviceError: A call failed, and the session has no states.
        """
        with self._lock:
            _check_present(self.arrays)
            return {name: np.array(each.to_host()) for name, each in self.arrays.items()}

    @state.setter
    def state(self, trees: Mapping[str, Any]) -> None:
        """Replaces states: all of those that are given, or none.

        Raises:
            InvalidArgumentError: There is no such state, or a value has another shape or dtype.
        """
        self._put(checked_states("session", self._specs, trees))

    def reset(self) -> None:
        """Gives the states their first values."""
        self._put(self._first)

    def keep(self) -> None:
        """Remembers the states, for `revert`."""
        self._kept = self.state

    def revert(self) -> None:
        """Gives the states the values that they had at the last `keep`.

        Raises:
            InvalidArgumentError: `keep` was not called.
        """
        if self._kept is None:
            raise InvalidArgumentError("revert", "session", "a call of keep before", "none")
        self._put(self._kept)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the states to a safetensors file.

        Either the whole file appears, or an existing one stays as it was, also if the power fails.

        Raises:
            InvalidArgumentError: `path` is not the path of a file.
            OSError: The file cannot be written.
            UnsupportedError: The package safetensors is not installed.
        """
        write_states(path, self.state)

    def save_block(self, path: str | os.PathLike[str]) -> None:
        """Writes the states to a file as a block, which the module reads in C and JavaScript.

        Raises:
            InvalidArgumentError, OSError: As `save`.
        """
        write_block(path, self.state, self._tensors.values())

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads the states from a file: of safetensors, or a block.

        A block is what the same module stores in C (``NAME_state_to_block``) or JavaScript
        (``save``), on whatever processor. So a network that was trained there can be written as an
        ONNX file here.

        Args:
            path: The file.

        Raises:
            ArtifactError: The file is damaged, or a block of another module.
            InvalidArgumentError: It has other states, or states of another shape or dtype; or
                `path` is not the path of a file.
            OSError: The file cannot be read.
            UnsupportedError: It is no block, and the package safetensors is not installed.
        """
        values = checked_states("load", self._specs, read_states(path, self._tensors.values()))
        missing = [name for name in self._tensors if name not in values]
        if missing:
            expected = f"the states {', '.join(self._tensors)}"
            got = f"{path}, which lacks {', '.join(missing)}"
            raise InvalidArgumentError("load", "path", expected, got, "it is of another module")
        self._put(values)

    def save_onnx(
        self, path: str | os.PathLike[str], *, source: str | os.PathLike[str] | None = None
    ) -> Path:
        """Writes the network of a training step as an ONNX file again, with the trained weights.

        Everything else in it is as in the file that `rnn_compiler.training_step` was given.

        Args:
            path: The file to write, weights included.
            source: Where that file is now; default: where it was.

        Returns:
            The path.

        Raises:
            InvalidArgumentError: The session is of another module, that file is not there or has
                changed, or `path` is this file.
            OSError: A file cannot be read or written.
            UnsupportedError: The package onnx is not installed.
        """
        return write_trained(self._source, self.state, path, source)

    def _put(self, values: Mapping[str, npt.NDArray[Any]]) -> None:
        """Replaces states by copies of checked values."""
        made = {name: self._device.put(each, self._tensors[name]) for name, each in values.items()}
        with self._lock:
            if made.keys() != self._tensors.keys():
                _check_present(self.arrays)
            self.arrays.replace(made)

    def __repr__(self) -> str:
        return f"Session({', '.join(self.functions)} with {len(self._tensors)} states)"

    def _repr_html_(self) -> str:
        rows = [(name, str(each)) for name, each in self._tensors.items()]
        return page(self, table(["state", "type"], rows))


class _States(dict[str, DeviceArray]):
    """The states by name, on the device.

    Attributes:
        version: How often states were replaced by other arrays.
    """

    version = 0

    def replace(self, arrays: Mapping[str, DeviceArray]) -> None:
        """Replaces states by other arrays."""
        self.update(arrays)
        self.version += 1


def _check_present(arrays: Mapping[str, DeviceArray]) -> None:
    """Raises DeviceError if a call failed and left no states."""
    if not arrays:
        raise DeviceError(f"session: a call failed: {_LOST}")


class SessionFunction:
    """A function whose states a session keeps.

    Attributes:
        spec: The function without its states: its other arguments and results.
    """

    def __init__(self, function: Function, arrays: _States, lock: Any) -> None:
        """Creates it.

        Args:
            function: The function.
            arrays: The states on the device, which calls replace.
            lock: What a call holds while it runs.
        """
        self._function, self._arrays, self._lock = function, arrays, lock
        spec = function.spec
        kept = spec.continued.values()
        self.spec = without_states(spec)
        self._shown = [number for number in range(len(spec.results)) if number not in kept]
        self.__name__ = self.__qualname__ = spec.function
        self.__doc__ = documentation(self.spec)
        self.__signature__ = call_signature(self.spec.arguments, self.spec.sequence, to_host=False)
        self._names = dict.fromkeys(each.name for each in self.spec.arguments)
        self._required = [each.name for each in self.spec.arguments if each.default is None]
        self._results = result_type(spec.op, tuple(each.name for each in self.spec.results))
        pairs = enumerate(spec.arguments)
        self._states = [(k, each.name) for k, each in pairs if each.name in spec.states]
        self._executors: dict[tuple[Any, ...], DirectExecutor | None] = {}
        self._only: DirectExecutor | None = None
        self._bindings: list[tuple[Binding, str]] = []
        self._bound: tuple[DirectExecutor | None, int] = None, 0

    def __call__(self, *sequence: object, **arguments: object) -> Any:
        """Runs the function, and updates the states.

        If an argument is wrong, the states stay as they are.

        Args:
            *sequence: The only argument, if it takes one.
            **arguments: The arguments that are no states.

        Returns:
            A named tuple of the results that are no states, as numpy arrays.

        Raises:
            DeviceError: Compiled code failed, in this call or in one before, and the session has no
                states.
            InvalidArgumentError: An argument has the wrong dtype, shape or range.
            TypeError: An argument is unknown or missing.
        """
        if sequence:
            name = self.spec.sequence
            arguments = with_sequence(self.__name__, name, sequence, arguments)
        if arguments.keys() != self._names.keys():
            check_keywords(self.__name__, arguments, [*self._names], self._required)
        with self._lock:
            _check_present(self._arrays)
            found = self._repeated(arguments)
            return self._results(*(self._run(arguments) if found is None else found))

    def _repeated(self, arguments: Mapping[str, object]) -> list[npt.NDArray[Any]] | None:
        """Runs the function if all its sizes are known and it is called directly; else None."""
        executor = self._only
        if executor is None or not self._function.device.usable:
            return None
        for binding, name in self._bindings:
            if not binding.takes(arguments.get(name)):
                return None
        self._bind_states(executor)
        return self._executed(executor)

    def _run(self, arguments: Mapping[str, object]) -> list[npt.NDArray[Any]]:
        """Runs the function with any arguments."""
        function = self._function
        spec, arrays = function.checked({**arguments, **self._arrays})
        executor = self._executor(spec)
        if executor is None:
            return self._launched(spec, arrays)
        for binding, array, each in zip(executor.bindings, arrays, spec.arguments, strict=True):
            if each.name not in spec.states:
                binding.bind(array)
        self._bind_states(executor)
        function.device.check_usable()
        return self._executed(executor)

    def _executed(self, executor: DirectExecutor) -> list[npt.NDArray[Any]]:
        """Runs the function by direct calls."""
        try:
            return executor.run()
        except Exception as error:
            self._arrays.clear()
            raise DeviceError(f"{self.__name__}: {error}; {_LOST}") from error

    def _executor(self, spec: FunctionSpec) -> DirectExecutor | None:
        """The executor at the sizes of a call; None if the call must go through IREE."""
        key = tuple(spec.dims.items())
        if key not in self._executors:
            if len(self._executors) == _SIZES:
                self._executors.clear()
            executor = self._function.session_executor(spec, self._shown)
            self._executors[key] = executor
            if executor is not None and not self.spec.open_dims:
                self._only = executor
                pairs = zip(executor.bindings, spec.arguments, strict=True)
                self._bindings = [
                    (each, tensor.name) for each, tensor in pairs if tensor.name in self._names
                ]
        return self._executors[key]

    def _bind_states(self, executor: DirectExecutor) -> None:
        """Binds the memory of the states, unless it is bound."""
        bound, version = self._bound
        if bound is executor and version == self._arrays.version:
            return
        for number, name in self._states:
            executor.bindings[number].share(self._arrays[name].address)
        self._bound = executor, self._arrays.version

    def _launched(
        self, spec: FunctionSpec, arrays: Sequence[npt.NDArray[Any] | DeviceArray]
    ) -> list[npt.NDArray[Any]]:
        """Runs the function through IREE."""
        function = self._function
        there = function.on_device(arrays, spec)
        try:
            results = function.launch(there)
        except BaseException as error:  # also an interrupt, while the code goes on
            self._arrays.clear()
            if isinstance(error, Exception):
                raise DeviceError(f"{self.__name__}: {error}; {_LOST}") from error
            raise
        pairs = spec.continued.items()
        self._arrays.replace({spec.arguments[each].name: results[k] for each, k in pairs})
        return fetched([results[number] for number in self._shown], [*self._arrays.values()])


def without_states(spec: FunctionSpec) -> FunctionSpec:
    """A function with only the arguments and results that are no states."""
    states = {spec.results[number].name for number in spec.continued.values()}
    return replace(
        spec,
        arguments=tuple(each for each in spec.arguments if each.name not in spec.states),
        results=tuple(each for each in spec.results if each.name not in states),
        states=(),
    )

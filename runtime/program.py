"""Programs: artifacts loaded onto a device, ready to be called."""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError, DeviceError
from rnn_compiler.runtime.archive import names_in, parameters_of
from rnn_compiler.runtime.arguments import resident
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.direct.functions import direct_functions
from rnn_compiler.runtime.direct.memory import typed
from rnn_compiler.runtime.function import Function
from rnn_compiler.runtime.loading import load_module
from rnn_compiler.runtime.named_functions import NamedFunctions
from rnn_compiler.runtime.session import Session
from rnn_compiler.runtime.stream import Stream
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import Manifest
from rnn_compiler.schema.notebook import page
from rnn_compiler.schema.specs import function_tables, states_of

__all__ = ["Program"]


class Program(NamedFunctions[Function], kind="program"):
    """A loaded module. Calling it calls its only function; each function is also an attribute.

    Attributes:
        manifest: The module's description.
        device: Its device.
        functions: Its functions by name.

    `runtime.load` explains `prepack`.

    Example:
        ``program(x, ...)`` and ``program.block_lstm_v2(x=x, ...)`` return a named tuple of arrays
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
        tensors = states_of(manifest.functions)
        stored = parameters_of(archive, names_in(archive) & tensors.keys()) if archive else {}
        self._initial: dict[str, Any] = {
            name: typed(np.frombuffer(data, np.uint8), DTYPES[each.dtype].numpy, each.static_shape)
            for name, each in tensors.items()
            if (data := stored.get(name)) is not None
        }
        direct = direct_functions(payload, archive) if device.kind == "local" else {}
        super().__init__(
            {
                each.function: Function(
                    each, device, self._context, module, direct, prepack=prepack
                )
                for each in manifest.functions
            }
        )

    def __call__(self, *sequence: object, to_host: bool = True, **arguments: object) -> Any:
        """Calls the only function of the module; see `Function.__call__`.

        Raises:
            TypeError: The module has several functions: call one of them by name.
        """
        function = self._single or self._only("call", "(...)")
        return function(*sequence, to_host=to_host, **arguments)

    def stream(self, **arguments: object) -> Stream:
        """A stream of the only function; see `Function.stream`.

        Raises:
            TypeError: The module has several functions: stream one of them by name.
        """
        return self._only("stream", ".stream(...)").stream(**arguments)

    def session(self, **states: Any) -> Session:
        """Creates a session: it keeps the functions' states on the device between calls.

        Args:
            **states: Their values: arrays by name, or trees of arrays by the name of the argument
                in JAX. Those stored in the artifact need not be given.

        Returns:
            The session. ``session.train(x=...)`` calls a function without its states; with one
            function, the session itself is called.

        Raises:
            InvalidArgumentError: The functions have no states, one has no value, or a value has
                another shape or dtype, or belongs to no state.
        """
        return Session(self.functions, self.device, states, self._initial, self.manifest.source)

    def __repr__(self) -> str:
        return f"Program({', '.join(self.functions)} on {self.device.uri})"

    def _repr_html_(self) -> str:
        return page(self, function_tables([each.spec for each in self.functions.values()]))

    def to_device(self, array: object) -> DeviceArray:
        """Copies an array to the program's device, for use in many calls.

        Args:
            array: Anything numpy can view, or a tensor on the program's GPU, with a supported
                dtype. Later changes to it have no effect.

        Raises:
            InvalidArgumentError: It is not an array of numbers with such a dtype.
        """
        return resident(array, self.device)

"""An op as a function of anything numpy can view, as in `raw_ops` and `onnx_ops`.

The first call with new shapes compiles a module or finds it in the cache; later calls only run it.
A call with the types and numbers of an earlier one reuses its function (`_KnownCall`).
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rnn_compiler.chosen_target import current_device, current_target, own_target
from rnn_compiler.compilation import compile
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.modules import Module
from rnn_compiler.op_functions import documentation, parameters
from rnn_compiler.runtime import DeviceArray, Function, load
from rnn_compiler.runtime.arguments import as_array, check_argument, default_array, elements
from rnn_compiler.schema.dtypes import canonical_name
from rnn_compiler.schema.host_arrays import has_dtype
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.schema.tensors import DIMENSIONS

__all__ = ["OpCall"]


class OpCall:
    """An op as a function.

    Attributes:
        signature: Its arguments, attributes and results.
    """

    def __init__(self, signature: Signature, module: str = "raw_ops") -> None:
        """Creates the function of an op, which is an attribute of a module under the op's name."""
        self.signature, self._module = signature, module
        self.__name__ = self.__qualname__ = signature.name.rpartition(".")[2]
        self.__doc__ = documentation(signature, arguments=[_TO_HOST])
        known = parameters(signature, keywords_only=True)
        to_host = inspect.Parameter("to_host", inspect.Parameter.KEYWORD_ONLY, default=True)
        self.__signature__ = inspect.Signature([*known.values(), to_host])
        self._implies = any(each.is_implied for each in signature.attributes)
        self._lists = [argument.name for argument in signature.arguments if argument.is_list]
        self._form = functools.lru_cache(maxsize=1024)(self._form_now)
        self._specialize = functools.lru_cache(maxsize=1024)(self._specialize_now)
        self._function = functools.lru_cache(maxsize=1024)(self._load)
        self._known: dict[object, _KnownCall] = {}
        self._has_sizes = any(each.equals is not None for each in signature.arguments)

    def __repr__(self) -> str:
        return f"<{self._module.replace('_', ' ').removesuffix('s')} {self.__name__}>"

    def __reduce__(self) -> Any:
        return _of_module, (self._module, self.__name__)

    def __call__(
        self, *positional: object, name: str | None = None, to_host: bool = True, **keywords: Any
    ) -> Any:
        """Runs the op; see its own docstring.

        Raises:
            TypeError: A keyword is unknown or missing.
            InvalidArgumentError: An argument has the wrong dtype, shape or value.
        """
        del name  # TensorFlow's name for the node in a graph
        signature = self.signature
        key = None if positional or self._lists or self._has_sizes else _types(keywords)
        known = self._known.get(key) if key else None
        if known is not None and known.function.device.usable:
            return known.call(keywords, to_host)
        if positional:
            raise TypeError(
                f"{self.__name__}() takes no positional arguments: pass its "
                f"{len(signature.arguments)} tensors by name, {signature.arguments[0].name}=..."
            )
        signature.check_call(keywords)
        if self._implies:
            keywords |= signature.implied(keywords)
        arrays = self._arrays(keywords, current_device())
        dtype = self._dtype(keywords, arrays)
        attributes = tuple(signature.canonical(keywords, dtype).items())
        at_run_time = signature.canonical(keywords, dtype, at_run_time=True)
        dims = self._form(attributes).infer({key: array.shape for key, array in arrays.items()})
        dims |= self._values(arrays)
        instance = (dtype, tuple(dims.items()), attributes)
        spec = self._specialize(*instance)
        arrays |= {name: np.asarray(value) for name, value in at_run_time.items()}
        for name in self._lists:
            count = sum(argument.list == name for argument in spec.arguments)
            elements(signature.name, name, keywords[name], count)
        for argument in spec.arguments:
            if argument.name not in arrays:
                arrays[argument.name] = default_array(argument)
            check_argument(signature.name, argument, arrays[argument.name])
        device = current_device([spec], arrays.values())
        function = self._function(*instance, current_target(), device)
        names = [argument.name for argument in spec.arguments if not argument.list]
        given = [name for name in names if isinstance(keywords.get(name), _ARRAYS)]
        others = {name: arrays[name] for name in names if name not in given}
        known = _KnownCall(function, [*given, *self._lists], others)
        if key:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()  # other threads may do so at any time
            self._known[key] = known
        return known.call(keywords, to_host)

    def _arrays(
        self, keywords: dict[str, Any], device: str
    ) -> dict[str, npt.NDArray[Any] | DeviceArray]:
        """The tensors of a call; Python numbers get the dtype of the first tensor that has one."""
        op = self.signature.name
        arrays: dict[str, npt.NDArray[Any] | DeviceArray] = {}
        dtype: str | None = None
        plain: dict[str, Any] = {}
        for argument in self.signature.arguments:
            value = keywords.get(argument.name)
            if value is None and argument.default is not None:
                continue
            values = (
                elements(op, argument.name, value) if argument.is_list else {argument.name: value}
            )
            for name, value in values.items():
                if argument.dtype is None and not has_dtype(value):
                    plain[name] = value
                    continue
                kind = argument.dtype or dtype or "float32"
                array = arrays[name] = as_array(op, name, value, kind, device)
                if dtype is None and argument.dtype is None:
                    dtype = canonical_name(array.dtype)
        for name, value in plain.items():
            arrays[name] = as_array(op, name, value, dtype or "float32")
        return arrays

    def _values(self, arrays: dict[str, npt.NDArray[Any] | DeviceArray]) -> dict[str, int]:
        """The dimensions that are passed as scalars."""
        signature = self.signature
        dims: dict[str, int] = {}
        for argument in signature.arguments:
            if argument.equals is not None:
                spec = TensorSpec(argument.name, argument.dtype or "", ())
                check_argument(signature.name, spec, arrays[argument.name])
                dims[DIMENSIONS[argument.equals]] = int(np.asarray(arrays[argument.name]))
        return dims

    def _dtype(
        self, keywords: dict[str, Any], arrays: dict[str, npt.NDArray[Any] | DeviceArray]
    ) -> str:
        """The op's dtype: that of its first float tensor."""
        signature = self.signature
        attribute = signature.dtype_attribute
        if attribute is not None:
            return str(attribute.canonical(signature.name, keywords["T"], "float32"))
        argument = next(argument for argument in signature.arguments if argument.dtype is None)
        first = f"{argument.name}_0" if argument.is_list else argument.name
        if first not in arrays:
            raise InvalidArgumentError(
                signature.name, argument.name, "a list of tensors", "an empty one"
            )
        name = canonical_name(arrays[first].dtype)
        if name is None or name not in signature.dtypes:
            raise InvalidArgumentError(
                signature.name,
                first,
                f"dtype {' or '.join(signature.dtypes)}",
                f"dtype {arrays[first].dtype}",
            )
        return name

    def _form_now(self, attributes: tuple[tuple[str, Any], ...]) -> Signature:
        return self.signature.form(dict(attributes))

    def _specialize_now(
        self, dtype: str, dims: tuple[tuple[str, int], ...], attributes: tuple[tuple[str, Any], ...]
    ) -> FunctionSpec:
        return self.signature.specialize(dtype=dtype, dims=dict(dims), attributes=dict(attributes))

    def _load(
        self,
        dtype: str,
        dims: tuple[tuple[str, int], ...],
        attributes: tuple[tuple[str, Any], ...],
        target: str,
        device: str,
    ) -> Function:
        artifact = compile(Module([self._specialize(dtype, dims, attributes)]), target)
        # Calls at many sizes would keep as many copies of the same weights.
        return load(artifact, device, prepack=False).functions[self.signature.function]


_REMEMBERED = 1024
"""The number of kinds of calls whose functions an op keeps."""

_ARRAYS, _NUMBERS = (np.ndarray, DeviceArray), (bool, int, float, str, type(None))
_SCALARS = (np.number, np.bool_)


class _KnownCall(NamedTuple):
    """The function of a call, kept for calls like it.

    Attributes:
        function: The function.
        given: The arguments that are arrays of the caller, or lists of them.
        others: The other arguments: numbers of the caller, or defaults.
    """

    function: Function
    given: Sequence[str]
    others: Mapping[str, npt.NDArray[Any] | DeviceArray]

    def call(self, keywords: Mapping[str, Any], to_host: bool) -> Any:
        """Calls the function, which checks the values of arrays."""
        given = {name: keywords[name] for name in self.given}
        results = self.function(to_host=to_host, **given, **self.others)
        return results if len(self.function.spec.results) > 1 else results[0]


def _types(keywords: Mapping[str, Any]) -> object:
    """The types of a call's arrays, its numbers, and its device; None if it has anything else.

    Calls with equal values here run the same function.
    """
    environment = os.environ.get("RNN_COMPILER_TARGET"), os.environ.get("RNN_COMPILER_DEVICE")
    found: list[object] = [own_target(), environment]
    for name, value in keywords.items():
        kind = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is np.ndarray:
            found.append((name, value.dtype, value.shape))
        elif kind is DeviceArray:
            found.append((name, value.dtype, value.shape, value.device.uri))
        elif kind in _NUMBERS or issubclass(kind, _SCALARS):
            found.append((name, kind, value))  # pyright: ignore[reportUnknownArgumentType]
        else:
            return None
    return tuple(found)


_TO_HOST = "to_host: Whether to return numpy arrays, or leave the results on the device."


def _of_module(module: str, name: str) -> OpCall:
    """The function with a name in a module, for pickle."""
    return getattr(importlib.import_module(f"rnn_compiler.{module}"), name)

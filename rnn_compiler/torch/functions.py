"""The ops as functions of torch's tensors, with autograd.

They take TensorFlow's arguments with TensorFlow's names in TensorFlow's order, first tensors and
then attributes, by position or by name, and return a named tuple of tensors with TensorFlow's
output names. Under autocast, floats are cast to its dtype first.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch

from rnn_compiler.errors import describe
from rnn_compiler.lowering.ops import GRADIENTS, OPS
from rnn_compiler.op_functions import documentation, named, parameters
from rnn_compiler.runtime.results import result_type
from rnn_compiler.schema.tensors import OpTensor
from rnn_compiler.torch.attributes import Attributes, attribute_values, attributes_of
from rnn_compiler.torch.calls import KINDS, dtype_name
from rnn_compiler.torch.errors import InvalidArgumentError, as_torch_raises
from rnn_compiler.torch.formulas import HAS_FORMULA
from rnn_compiler.torch.library import TensorParts, is_transformed, run


def run_cast(
    op: str, tensors: Sequence[Any], attributes: Attributes, parts: TensorParts | None = None
) -> Sequence[Any]:
    """Runs an op, under autocast in autocast's dtype; takes the arguments of `library.run`."""
    device = next(each.device.type for each in tensors if each is not None)
    if is_cast(device):
        dtype = torch.get_autocast_dtype(device)
        tensors = [_cast(each, dtype) for each in tensors]
    return run(op, tensors, attributes, parts)


def is_cast(device: str) -> bool:
    """Whether autocast is on for a type of device."""
    return device in KINDS and torch.is_autocast_enabled(device)


def _cast(tensor: Any, dtype: Any) -> Any:
    """Casts all floats except double precision, as autocast does."""
    if tensor is None or not tensor.is_floating_point() or tensor.dtype == torch.float64:
        return tensor
    return tensor.to(dtype)


_NOTE = "Runs where its tensors are. Has gradients, "


class OpFunction:
    """An op as a function."""

    def __init__(self, op: str) -> None:
        self.signature = signature = OPS[op].signature.of_caller
        self.__name__ = self.__qualname__ = signature.function
        twice = not set(GRADIENTS[op].ops).isdisjoint(HAS_FORMULA)
        second = (
            "and second derivatives, which are slow." if twice else "but no second derivatives."
        )
        self.__doc__ = documentation(signature, [_NOTE + second])
        self._tensors = {each.name: each for each in signature.arguments}
        self._attributes = attributes_of(op)
        self._training = GRADIENTS[op].training
        _ = signature.call_keywords  # computed here: Python 3.11 locks it, which nothing can trace
        self.__signature__ = inspect.Signature([*parameters(signature).values()])
        self._results = result_type(op, tuple(each.name for each in signature.results))

    def __repr__(self) -> str:
        return f"<function {self.__name__} of rnn_compiler.torch>"

    def __reduce__(self) -> Any:
        return _named, (self.__name__,)

    @as_torch_raises
    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        """Runs the op; see its own docstring."""
        signature = self.signature
        given = named(signature, positional, keywords)
        given = {**dict.fromkeys(self._tensors), **given}
        floats = [given[name] for name, each in self._tensors.items() if each.dtype is None]
        first = next(filter(_is_float, floats), None)
        device = "cpu" if first is None else first.device
        tensors = {
            name: self._tensor(each, given[name], device) for name, each in self._tensors.items()
        }
        dtype = "float32" if first is None else dtype_name(first.dtype)
        given |= signature.implied(given)
        if self._training:
            given[self._training] = _learns(floats)
        rest = tuple((name, value) for name, value in given.items() if name not in tensors)
        if torch.compiler.is_compiling():
            # Tells the running tracer that the following is constant.
            import rnn_compiler.torch.tracing  # noqa: F401  # pyright: ignore
        values, seeds = attribute_values(signature.name, rest, dtype)
        attributes = tuple(zip(self._attributes, values, strict=True))
        counters = [torch.tensor(value, device=device) if value else None for value in seeds]
        results = run_cast(signature.name, [*tensors.values(), *counters], attributes)
        return self._results(*results[: len(signature.results)])

    def _tensor(self, argument: OpTensor, value: Any, device: Any) -> Any:
        """An argument as a tensor: integers get its dtype, Python numbers are put on the device."""
        op = self.signature.name
        if value is None and argument.default is not None:
            return None
        if argument.dtype is None:
            if isinstance(value, torch.Tensor):
                return value
            raise InvalidArgumentError(op, argument.name, "a torch.Tensor", describe(value))
        kind = getattr(torch, argument.dtype)
        if isinstance(value, int) and not isinstance(value, bool):
            return torch.tensor(value, dtype=kind, device=device)
        if isinstance(value, torch.Tensor) and value.dtype in _INTEGERS:
            limit = torch.iinfo(kind).max
            return value.clamp(-1, limit).to(kind) if value.dtype != kind else value
        raise InvalidArgumentError(op, argument.name, "a tensor of integers", describe(value))


def _learns(tensors: Sequence[Any]) -> bool:
    """Whether gradients of values computed from some tensors may be required."""
    if not torch.is_grad_enabled():
        return False
    if any(isinstance(each, torch.Tensor) and each.requires_grad for each in tensors):
        return True
    return not torch.compiler.is_compiling() and is_transformed()


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _named(name: str) -> OpFunction:
    return FUNCTIONS[name]


FUNCTIONS: Mapping[str, OpFunction] = MappingProxyType(
    {function.__name__: function for function in map(OpFunction, GRADIENTS)}
)
"""The functions by name, one for every op that has a gradient."""

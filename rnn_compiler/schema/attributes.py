"""The parameters of an op that are not tensors: attributes and dimensions, and their values.

A list is a string of its elements separated by spaces, ``"Sigmoid Tanh"``, so that it is like any
other value in a cache's key, in JSON, in MLIR and on the command line.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.schema.dtypes import canonical_name
from rnn_compiler.schema.open_sizes import OPEN_DIMENSIONS, Open, Size, open_dimension

REQUIRED: Any = inspect.Parameter.empty
"""Marks an attribute without a default."""

MAX_DIMENSION = 2**31 - 1
"""The largest value of a dimension."""


@dataclass(frozen=True)
class Attribute:
    """A parameter of an op that is not a tensor.

    Attributes:
        name: Its TensorFlow name.
        type: Its Python type: bool, int, float or str.
        default: Its default, `REQUIRED` if it has none.
        doc: A short description.
        choices: The values that a string may have, or each element of a list of strings.
        is_dtype: Whether it is a dtype, which may be given in any form.
        bounds: The smallest and the largest value of a number.
        at_run_time: Whether a compiled function takes it as an argument, so that it works for all
            values. `Signature.forms` lists that argument in the forms that read it.
        of_build: Whether only `build` has it: TensorFlow's op has no such attribute, nor has a
            function built without it.
        is_implied: Whether the tensors of a call imply it; `build` needs it explicitly.
        elements: For a list, the type of its elements, str or float; its own type is str. The case
            of choices does not matter.
    """

    name: str
    type: type[bool] | type[int] | type[float] | type[str]
    default: Any
    doc: str
    choices: tuple[str, ...] = ()
    is_dtype: bool = False
    bounds: tuple[int, int] | None = None
    at_run_time: bool = False
    of_build: bool = False
    is_implied: bool = False
    elements: type[str] | type[float] | None = None

    @property
    def values(self) -> str:
        """The values it may have, in readable form."""
        if self.type is bool:
            return "true, false"
        if self.elements is not None:
            return f"a list of {', '.join(self.choices) or 'numbers'}"
        if self.bounds is None:
            kinds = {int: "any", float: "any but NaN", str: "any"}
            return ", ".join(self.choices) or kinds[self.type]
        limits = {2**31 - 1: "2**31 - 1", 2**63 - 1: "2**63 - 1", -(2**63): "-2**63"}
        return "..".join(limits.get(bound, str(bound)) for bound in self.bounds)

    @staticmethod
    def text(value: object) -> str:
        """A value in the notation of the command line."""
        return str(value).lower() if isinstance(value, bool) else str(value)

    def others(self) -> list[tuple[Any, str]]:
        """Values that may change an op's tensors, each with its meaning."""
        if self.type is bool:
            return [(not self.default, self.text(not self.default))]
        if self.type is str:
            single = self.choices if self.elements is None else ()
            return [(choice, choice) for choice in single if choice != self.default]
        return [(1, "above 0")] if self.default == 0 and self.bounds is not None else []

    def canonical(self, op: str, value: object, dtype: str) -> bool | int | float | str:
        """The value converted to the attribute's type.

        Floats have single precision, as in TensorFlow, except in a float64 op. None means the
        default, as in TensorFlow.
        """
        if value is None and self.default is not REQUIRED:
            value = self.default
        if self.elements is not None:
            return self._canonical_list(op, value, dtype)
        scalar = canonical_name(value) if self.is_dtype else _python_scalar(value)
        if isinstance(scalar, bool) == (self.type is bool) and self._allows(scalar):
            if self.type is not float and isinstance(scalar, self.type):
                return scalar
            if self.type is float and isinstance(scalar, (int, float)) and scalar == scalar:
                try:
                    return float(scalar) if dtype == "float64" else _single(float(scalar))
                except OverflowError:  # an int beyond the range of floats
                    pass
        kinds = {bool: "a bool", int: "an int", float: "a number, not NaN", str: "a string"}
        kind = f"one of {', '.join(self.choices)}" if self.choices else kinds[self.type]
        if self.bounds is not None:
            kind += f", in {self.bounds[0]}..{self.bounds[1]}"
        got = f"{describe(value)} ({type(value).__name__})"
        remedy = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        raise InvalidArgumentError(op, self.name, kind, got, remedy)

    def _canonical_list(self, op: str, value: object, dtype: str) -> str:
        """A list as text."""
        given = value.replace(",", " ").split() if isinstance(value, str) else value
        if isinstance(given, np.ndarray):
            given = cast(Any, given).ravel().tolist()
        expected = f"a list of {', '.join(self.choices) or 'numbers, not NaN'}"
        if not isinstance(given, (list, tuple)):
            got = f"{describe(value)} ({type(value).__name__})"
            raise InvalidArgumentError(op, self.name, expected, got)
        names = {choice.lower(): choice for choice in self.choices}
        found: list[str] = []
        for element in cast(Sequence[object], given):
            scalar = _python_scalar(element)
            name = names.get(scalar.lower()) if isinstance(scalar, str) else None
            if self.elements is float:
                name = _number(scalar, dtype)
            if name is None:
                meant = did_you_mean(scalar, self.choices) if isinstance(scalar, str) else ""
                raise InvalidArgumentError(op, self.name, expected, describe(element), meant)
            found.append(name)
        return " ".join(found)

    def _allows(self, scalar: Any) -> bool:
        """Whether a value is one of the choices and within the bounds, if there are any."""
        if self.bounds is not None and isinstance(scalar, (int, float)):
            return self.bounds[0] <= scalar <= self.bounds[1]
        return not self.choices or scalar in self.choices


WEIGHT_GRAD_DTYPE = Attribute(
    "weight_grad_dtype",
    str,
    None,
    "dtype of the gradients of weights, which are summed in float32",
    choices=("float16", "bfloat16", "float32", "float64"),
    is_dtype=True,
    of_build=True,
)
"""For mixed training: a 16-bit op then does not round gradients of weights to 16 bits."""


def _python_scalar(value: Any) -> Any:
    """A numpy scalar as a Python number; anything else unchanged."""
    is_scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim)
    return cast(Any, value).item() if is_scalar else cast(Any, value)


def _number(value: Any, dtype: str) -> str | None:
    """A number of a list as text, in the precision of an op's dtype; None for other values."""
    try:
        number = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        return None
    if number != number:
        return None
    return str(number if dtype == "float64" else _single(number))


def _single(value: float) -> float:
    """The shortest double that rounds to the same float32, so that 0.3 stays 0.3."""
    with np.errstate(over="ignore"):
        return float(str(np.float32(value)))


def open_or_known(op: str, name: str, value: object, minimum: int) -> Size:
    """The value of a dimension as an int; None leaves it open, if that is allowed."""
    if name not in OPEN_DIMENSIONS:
        return dimension(op, name, value, minimum)
    if value is None or isinstance(value, Open):
        return open_dimension(name)
    return dimension(op, name, value, minimum, ", or None for any (--dim: any)")


def dimension(op: str, name: str, value: object, minimum: int, otherwise: str = "") -> int:
    """The value of a dimension as an int."""
    value = _python_scalar(value)
    if isinstance(value, bool) or not isinstance(value, int):
        got = f"{describe(value)} ({type(value).__name__})"
    elif minimum <= value <= MAX_DIMENSION:
        return value
    else:
        got = describe(value)
    expected = f"an int in {minimum}..{MAX_DIMENSION}{otherwise}"
    raise InvalidArgumentError(op, name, expected, got)
